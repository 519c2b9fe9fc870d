"""Pages with grids from npm. The cell of row ``r`` and column ``c`` holds ``10000 + 100 r + c``, so that every wrong one shows."""

from __future__ import annotations

from dataclasses import dataclass

#: Exact versions, so that a failure is ours and not a new release's.
PACKAGES = {
    "ag-grid-community": "36.2.0",
    "tabulator-tables": "6.5.3",
    "handsontable": "18.1.1",
    "datatables.net": "3.1.5",
    "jquery": "4.0.0",
    "antd": "5.29.3",
    "react": "18.3.1",
    "react-dom": "18.3.1",
    "dayjs": "1.11.23",
    "element-plus": "2.14.8",
    "vue": "3.5.45",
}

ROWS, COLUMNS = 120, 12
#: What a page shows: as it comes, with headers over headers, with columns that stay, that were moved, sorted, scrolled to, a second page.
VARIANTS = ("plain", "groups", "pinned", "moved", "sorted", "scrolled", "paged")

_DATA = f"""<script>
const ROWS = {ROWS}, COLUMNS = {COLUMNS};
const is = (...names) => names.includes(new URLSearchParams(location.search).get("as"));
const value = (row, column) => 10000 + 100 * row + column;
const fields = [...Array(COLUMNS).keys()].map((at) => "c" + at);
const titleOf = (field) => "Column " + (Number(field.slice(1)) + 10);
const groupOf = (field) => "Group " + "ABC"[Math.floor(Number(field.slice(1)) / 4)];
const grouped = (leaf, group) => ["A", "B", "C"].map((name) => group("Group " + name, fields.filter((each) => groupOf(each) === "Group " + name).map(leaf)));
const rows = [...Array(ROWS).keys()].map((row) => Object.assign({{ key: row, id: "Row " + (row + 100) }}, ...fields.map((field, at) => ({{ [field]: value(row, at) }}))));
</script>"""


@dataclass(frozen=True, slots=True)
class GridPage:
    """A grid library: the files it needs (paths in ``node_modules``) and the page."""

    name: str
    files: tuple[str, ...]
    body: str
    without: tuple[str, ...] = ()

    def html(self) -> str:
        """The body of the page."""
        tags = [
            f'<link rel="stylesheet" href="/lib/{path}">'
            if path.endswith(".css")
            else f'<script src="/lib/{path}"></script>'
            for path in self.files
        ]
        return f"<h1>{self.name}</h1>{_DATA}{''.join(tags)}{self.body}"


_AG = """<div id="grid" style="height:320px;width:800px"></div><script>
const leaf = (field) => ({ field, headerName: titleOf(field), width: 120, pinned: is("pinned") && field === "c11" ? "right" : null });
const columnDefs = [{ field: "id", headerName: "Name", width: 120, pinned: is("pinned", "scrolled", "groups") ? "left" : null },
  ...(is("groups") ? grouped(leaf, (headerName, children) => ({ headerName, children })) : fields.map(leaf))];
const api = agGrid.createGrid(document.getElementById("grid"), { columnDefs, rowData: rows, pagination: is("paged"), paginationPageSize: 20 });
if (is("moved")) api.moveColumns(["c3"], 1);
if (is("sorted")) api.applyColumnState({ state: [{ colId: "c1", sort: "desc" }] });
if (is("scrolled")) setTimeout(() => { api.ensureIndexVisible(60); api.ensureColumnVisible("c9"); }, 200);
if (is("paged")) setTimeout(() => api.paginationGoToPage(1), 100);
</script>"""
_TABULATOR = """<div id="grid" style="width:800px"></div><script>
const leaf = (field) => ({ field, title: titleOf(field), width: 120 });
const columns = [{ field: "id", title: "Name", width: 120, frozen: is("pinned", "scrolled", "groups") },
  ...(is("groups") ? grouped(leaf, (title, columns) => ({ title, columns })) : fields.map(leaf))];
if (is("pinned")) columns.at(-1).frozen = true;
const table = new Tabulator("#grid", { data: rows, columns, height: 320, pagination: is("paged"), paginationSize: 20, movableColumns: true, ...(is("paged") ? { paginationInitialPage: 2 } : {}) });
table.on("tableBuilt", () => {
  if (is("moved")) table.moveColumn("c3", "c0", false);
  if (is("sorted")) table.setSort("c1", "desc");
  if (is("scrolled")) table.scrollToRow(60, "top", true).then(() => table.scrollToColumn("c9"));
});
</script>"""
_HANDSONTABLE = """<div id="grid"></div><script>
const nestedHeaders = [["", ...["A", "B", "C"].map((name) => ({ label: "Group " + name, colspan: 4 }))], ["Name", ...fields.map(titleOf)]];
const hot = new Handsontable(document.getElementById("grid"), { data: rows.map((row) => [row.id, ...fields.map((field) => row[field])]),
  colWidths: 110, width: 800, height: 320, fixedColumnsStart: is("pinned", "scrolled") ? 1 : 0, fixedRowsTop: is("pinned") ? 2 : 0, licenseKey: "non-commercial-and-evaluation",
  ...(is("groups") ? { nestedHeaders } : { colHeaders: ["Name", ...fields.map(titleOf)] }),
  manualColumnMove: is("moved") ? [0, 4, 1, 2, 3] : false, columnSorting: is("sorted") ? { initialConfig: { column: 2, sortOrder: "desc" } } : false });
if (is("scrolled")) setTimeout(() => hot.scrollViewportTo({ row: 60, col: 9 }), 100);
</script>"""
_DATATABLES = """<style>table.dataTable th, table.dataTable td { padding: 6px 14px; white-space: nowrap }</style><div style="width:800px"><table id="grid" style="width:100%"></table></div><script>
if (is("groups")) document.getElementById("grid").innerHTML = "<thead><tr><th rowspan=2>Name</th>" + "ABC".split("").map((name) => "<th colspan=4>Group " + name + "</th>").join("")
  + "</tr><tr>" + fields.map((field) => "<th>" + titleOf(field) + "</th>").join("") + "</tr></thead>";
const order = is("moved") ? ["c3", ...fields.filter((field) => field !== "c3")] : fields;
const columns = ["id", ...order].map((data) => ({ data, title: data === "id" ? "Name" : titleOf(data) }));
const table = new DataTable("#grid", { data: rows, columns: is("groups") ? columns.map(({ data }) => ({ data })) : columns, scrollX: true, scrollY: 220, paging: is("paged"), order: is("sorted") ? [[2, "desc"]] : [] });
if (is("paged")) table.page(1).draw(false);
if (is("scrolled")) setTimeout(() => [...document.querySelectorAll("*")].filter((each) => /auto|scroll/.test(getComputedStyle(each).overflowY) && each.scrollHeight > each.clientHeight + 50).forEach((each) => each.scrollTo(400, 1500)), 100);
</script>"""
_ANTD = """<div id="root" style="width:800px"></div><script>
const leaf = (dataIndex) => ({ dataIndex, key: dataIndex, title: titleOf(dataIndex), width: 110, fixed: is("pinned") && dataIndex === "c11" ? "right" : undefined });
const order = is("moved") ? ["c3", ...fields.filter((field) => field !== "c3")] : fields;
const columns = [{ dataIndex: "id", key: "id", title: "Name", width: 110, fixed: is("pinned", "scrolled", "groups") ? "left" : undefined },
  ...(is("groups") ? grouped(leaf, (title, children) => ({ title, children })) : order.map(leaf))];
const data = is("sorted") ? [...rows].reverse() : rows;
ReactDOM.createRoot(document.getElementById("root")).render(React.createElement(antd.Table, { columns, dataSource: data, size: "small", virtual: is("plain", "sorted", "scrolled"),
  scroll: { x: 1430, y: 260 }, pagination: is("paged") ? { defaultCurrent: 2, pageSize: 20 } : false }));
if (is("scrolled")) setTimeout(() => document.querySelector("[class*=virtual-holder]").scrollTo(0, 1500), 300);
</script>"""
_ELEMENT = """<div id="app" style="width:800px"><el-table :data="rows" height="320" style="width:800px">
<el-table-column prop="id" label="Name" width="110" :fixed="left"></el-table-column>
<template v-if="groups"><el-table-column v-for="group in ['A', 'B', 'C']" :label="'Group ' + group"><el-table-column v-for="field in of(group)" :prop="field" :label="titleOf(field)" width="110"></el-table-column></el-table-column></template>
<template v-else><el-table-column v-for="field in order" :prop="field" :label="titleOf(field)" width="110" :fixed="right && field === 'c11' ? 'right' : false"></el-table-column></template>
</el-table></div><script>
const order = is("moved") ? ["c3", ...fields.filter((field) => field !== "c3")] : fields;
const shown = is("sorted") ? [...rows].reverse() : is("paged") ? rows.slice(20, 40) : rows;
const app = Vue.createApp({ data: () => ({ rows: shown, order, groups: is("groups"), left: is("pinned", "scrolled", "groups"), right: is("pinned") }), methods: { titleOf, of: (group) => fields.filter((field) => groupOf(field) === "Group " + group) } });
app.use(ElementPlus); app.mount("#app");
if (is("scrolled")) setTimeout(() => document.querySelector(".el-table__body-wrapper .el-scrollbar__wrap").scrollTo(300, 1500), 300);
</script>"""
_ELEMENT_V2 = """<div id="app"><el-table-v2 :columns="columns" :data="rows" :width="800" :height="320" fixed></el-table-v2></div><script>
const order = is("moved") ? ["c3", ...fields.filter((field) => field !== "c3")] : fields;
const columns = ["id", ...order].map((dataKey) => ({ key: dataKey, dataKey, title: dataKey === "id" ? "Name" : titleOf(dataKey), width: 110,
  fixed: dataKey === "id" && is("pinned", "scrolled") ? "left" : dataKey === "c11" && is("pinned") ? "right" : undefined }));
const app = Vue.createApp({ data: () => ({ rows: is("sorted") ? [...rows].reverse() : rows, columns }) });
app.use(ElementPlus); app.mount("#app");
if (is("scrolled")) setTimeout(() => document.querySelector(".el-table-v2__main .el-vl__wrapper > div, .el-table-v2__main .el-vg__wrapper > div, .el-table-v2__body > div").scrollTo(0, 1500), 300);
</script>"""

_VUE = ("element-plus/dist/index.css", "vue/dist/vue.global.prod.js", "element-plus/dist/index.full.min.js")
GRIDS = (
    GridPage("ag-grid", ("ag-grid-community/dist/ag-grid-community.min.js",), _AG),
    GridPage(
        "Tabulator",
        ("tabulator-tables/dist/css/tabulator.min.css", "tabulator-tables/dist/js/tabulator.min.js"),
        _TABULATOR,
    ),
    GridPage(
        "Handsontable",
        (
            "handsontable/styles/handsontable.min.css",
            "handsontable/styles/ht-theme-main.min.css",
            "handsontable/dist/handsontable.full.min.js",
        ),
        _HANDSONTABLE,
        without=("paged",),
    ),
    GridPage(
        "DataTables",
        ("jquery/dist/jquery.min.js", "datatables.net/js/dataTables.min.js"),
        _DATATABLES,
        without=("pinned", "scrolled"),
    ),
    GridPage(
        "Ant Design",
        (
            "antd/dist/reset.css",
            "react/umd/react.production.min.js",
            "react-dom/umd/react-dom.production.min.js",
            "dayjs/dayjs.min.js",
            "antd/dist/antd.min.js",
        ),
        _ANTD,
    ),
    GridPage("Element Plus", _VUE, _ELEMENT),
    GridPage("Element Plus, virtual", _VUE, _ELEMENT_V2, without=("groups", "paged")),
)

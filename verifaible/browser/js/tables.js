// The tables of this frame, cell by cell, spans not yet spread.
(lib) => lib.tableElements().map((table) => {
  const groups = lib.rowGroups(table);
  const scopes = new Set(["row", "col", "rowgroup", "colgroup"]);
  const span = (cell, name, aria) => {
    const value = Number.parseInt(cell.getAttribute(name) || cell.getAttribute(aria) || "1", 10);
    return Number.isNaN(value) || value < 0 ? 1 : value;
  };
  const rows = [];
  const sizes = [];
  let headRows = 0;
  for (const group of groups) {
    const shown = group.rows.filter((row) => lib.visible(row));
    if (group.head) headRows += shown.length;
    sizes.push(shown.length);
    for (const row of shown) {
      rows.push(lib.cellsOf(row).filter((cell) => lib.visible(cell)).map((cell) => {
        const role = cell.getAttribute("role");
        const scope = (cell.getAttribute("scope") || "").toLowerCase();
        return {
          text: lib.textOf(cell, { nested: false }),
          rowspan: span(cell, "rowspan", "aria-rowspan"),
          colspan: Math.max(1, span(cell, "colspan", "aria-colspan")),
          header: cell.tagName === "TH" || role === "columnheader" || role === "rowheader",
          scope: scopes.has(scope) ? scope : role === "columnheader" ? "col" : role === "rowheader" ? "row" : "",
        };
      }));
    }
  }
  const caption = table.caption ? lib.textOf(table.caption) : table.getAttribute("aria-label") || "";
  return { css_path: lib.cssPath(table), caption, rows, groups: sizes, head_rows: headRows };
})

"""A page for each date picker; its callback writes the chosen day into ``body[data-chosen]``."""

from __future__ import annotations

from dataclasses import dataclass

_CHOSEN = """<script>
function chosen(date) {
  const day = date instanceof Date ? date : date && date.toDate ? date.toDate() : new Date(date);
  document.body.dataset.chosen = [day.getFullYear(), day.getMonth() + 1, day.getDate()].map((n) => String(n).padStart(2, "0")).join("-");
}
</script>"""


@dataclass(frozen=True, slots=True)
class Widget:
    """A date picker: the name analyze_page gives it, the files it needs, the page, a bundle's source.

    ``files`` are paths in ``node_modules``, styles and scripts alike.
    """

    name: str
    library: str
    files: tuple[str, ...]
    body: str
    bundle: str = ""

    def needs(self, package: str) -> bool:
        """Whether one of its files is of a package."""
        return any(path.startswith(f"{package}/") for path in self.files)

    def html(self) -> str:
        """The body of the page."""
        tags = [
            f'<link rel="stylesheet" href="/lib/{path}">'
            if path.endswith(".css")
            else f'<script src="/lib/{path}"></script>'
            for path in self.files
        ]
        bundle = '<script src="/bundle.js"></script>' if self.bundle else ""
        return f"<h1>{self.name}</h1>{_CHOSEN}{''.join(tags)}{self.body}{bundle}"


_JQ = "jquery/dist/jquery.min.js"
_BOX = '<p><label for="day">Date</label> <input id="day" name="day" autocomplete="off"></p>'
_REACT = ("react/umd/react.production.min.js", "react-dom/umd/react-dom.production.min.js")
_DAYJS = "dayjs/dayjs.min.js"
_MUI = """
import React from "react";
import { createRoot } from "react-dom/client";
import { LocalizationProvider } from "@mui/x-date-pickers/LocalizationProvider";
import { AdapterDayjs } from "@mui/x-date-pickers/AdapterDayjs";
import { DatePicker } from "@mui/x-date-pickers/DatePicker";
createRoot(document.getElementById("root")).render(
  <LocalizationProvider dateAdapter={AdapterDayjs}>
    <DatePicker label="Trading day" onChange={(day) => day && day.isValid() && window.chosen(day)} />
  </LocalizationProvider>);
"""

WIDGETS = (
    Widget(
        "native",
        "native date",
        (),
        '<label>Date <input type="date" name="day" onchange="chosen(this.valueAsDate)"></label>',
    ),
    Widget(
        "laydate",
        "laydate",
        ("layui/dist/css/layui.css", "layui/dist/layui.js"),
        f'{_BOX}<script>layui.use("laydate", () => layui.laydate.render({{ elem: "#day", done: (text) => chosen(text.replaceAll("-", "/")) }}))</script>',
    ),
    Widget(
        "laydate with a time",
        "laydate",
        ("layui/dist/css/layui.css", "layui/dist/layui.js"),
        f'{_BOX}<script>layui.use("laydate", () => layui.laydate.render({{ elem: "#day", type: "datetime", value: "2024-11-03 10:00:00", done: (text) => chosen(text.replaceAll("-", "/")) }}))</script>',
    ),
    Widget(
        "flatpickr",
        "flatpickr",
        ("flatpickr/dist/flatpickr.min.css", "flatpickr/dist/flatpickr.min.js"),
        f'{_BOX}<script>flatpickr("#day", {{ dateFormat: "d.m.Y", onChange: ([day]) => chosen(day) }})</script>',
    ),
    Widget(
        "flatpickr with another box",
        "flatpickr",
        ("flatpickr/dist/flatpickr.min.css", "flatpickr/dist/flatpickr.min.js"),
        f'{_BOX}<script>flatpickr("#day", {{ altInput: true, altFormat: "F j, Y", onChange: ([day]) => chosen(day) }})</script>',
    ),
    Widget(
        "jQuery UI",
        "jQuery UI datepicker",
        ("jquery-ui-dist/jquery-ui.min.css", _JQ, "jquery-ui-dist/jquery-ui.min.js"),
        f'{_BOX}<script>jQuery("#day").datepicker({{ dateFormat: "dd/mm/yy", onSelect() {{ chosen(jQuery(this).datepicker("getDate")); }} }})</script>',
    ),
    Widget(
        "bootstrap-datepicker",
        "bootstrap-datepicker",
        (
            "bootstrap-datepicker/dist/css/bootstrap-datepicker3.standalone.min.css",
            _JQ,
            "bootstrap-datepicker/dist/js/bootstrap-datepicker.min.js",
        ),
        f'{_BOX}<script>jQuery("#day").datepicker({{ format: "yyyy-mm-dd" }}).on("changeDate", (event) => chosen(event.date))</script>',
    ),
    Widget(
        "daterangepicker",
        "daterangepicker",
        (
            "daterangepicker/daterangepicker.css",
            _JQ,
            "moment/min/moment.min.js",
            "daterangepicker/daterangepicker.js",
        ),
        f'{_BOX}<script>jQuery("#day").daterangepicker({{}}, (start) => chosen(start))</script>',
    ),
    Widget(
        "Element UI",
        "Element date picker",
        ("element-ui/lib/theme-chalk/index.css", "vue/dist/vue.min.js", "element-ui/lib/index.js"),
        '<div id="app"><el-date-picker v-model="day" type="date" placeholder="Pick a day" @change="taken"></el-date-picker></div>'
        '<script>new Vue({ el: "#app", data: { day: "" }, methods: { taken(day) { chosen(day); } } })</script>',
    ),
    Widget(
        "Element UI in its own format",
        "Element date picker",
        ("element-ui/lib/theme-chalk/index.css", "vue/dist/vue.min.js", "element-ui/lib/index.js"),
        '<div id="app"><el-date-picker v-model="days" type="daterange" format="yyyy年MM月dd日" @change="taken"></el-date-picker></div>'
        '<script>new Vue({ el: "#app", data: { days: "" }, methods: { taken([day]) { chosen(day); } } })</script>',
    ),
    Widget(
        "Element Plus",
        "Element date picker",
        (
            "element-plus/dist/index.css",
            "vue3/dist/vue.global.prod.js",
            "element-plus/dist/index.full.min.js",
        ),
        '<div id="app"><el-date-picker v-model="day" type="date" placeholder="Pick a day" @change="taken"></el-date-picker></div>'
        '<script>const app = Vue.createApp({ data: () => ({ day: "" }), methods: { taken(day) { chosen(day); } } }); app.use(ElementPlus); app.mount("#app")</script>',
    ),
    Widget(
        "Ant Design",
        "Ant Design date picker",
        (*_REACT, _DAYJS, "antd/dist/antd.min.js"),
        '<div id="root"></div><script>ReactDOM.createRoot(document.getElementById("root")).render(React.createElement(antd.DatePicker, { onChange: (day) => chosen(day) }))</script>',
    ),
    Widget("MUI X", "MUI X date picker", (), '<div id="root"></div>', _MUI),
    Widget(
        "air-datepicker",
        "air-datepicker",
        ("air-datepicker/air-datepicker.css",),
        f"{_BOX}<script>var exports = {{}}, module = {{ exports }};</script>",
        'import AirDatepicker from "air-datepicker";\nimport english from "air-datepicker/locale/en.js";\n'
        'new AirDatepicker("#day", { locale: english.default || english, onSelect: ({ date }) => window.chosen(date) });\n',
    ),
    Widget(
        "vanillajs-datepicker",
        "vanillajs-datepicker",
        (
            "vanillajs-datepicker/dist/css/datepicker.min.css",
            "vanillajs-datepicker/dist/js/datepicker.min.js",
        ),
        f'{_BOX}<script>new Datepicker(day); day.addEventListener("changeDate", (event) => chosen(event.detail.date))</script>',
    ),
    Widget(
        "Tempus Dominus",
        "Tempus Dominus",
        (
            "@eonasdan/tempus-dominus/dist/css/tempus-dominus.min.css",
            "@popperjs/core/dist/umd/popper.min.js",
            "@eonasdan/tempus-dominus/dist/js/tempus-dominus.min.js",
        ),
        f'{_BOX}<script>new tempusDominus.TempusDominus(day, {{ localization: {{ format: "MM/dd/yyyy" }} }}); day.addEventListener("change.td", (event) => chosen(event.detail.date))</script>',
    ),
    Widget(
        "Pikaday",
        "Pikaday",
        ("pikaday/css/pikaday.css", "pikaday/pikaday.js"),
        f"{_BOX}<script>new Pikaday({{ field: day, onSelect: chosen }})</script>",
    ),
)

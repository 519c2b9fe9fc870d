// Which date picker a field belongs to, and the steps that set a date in it; kept for analyze_elements.
// wanted: the date of the steps, as [year, month, day]; each step is one that an action step can be read from.
(lib, { wanted }) => {
  const { selectorOf, codeOf, above, all } = window[Symbol.for("verifaible.selectors")];
  const DATED = /\bdates?\b|date$|^date|[-_]date|Date|(^|[^a-z])(day|dob|birthday|calendar|datum|fecha|kalender)([^a-z]|$)|日期|日付|날짜|时间|(^|[^a-z])(begin|start|end|from|to)([^a-z]|$)/;
  const SURELY = /\bdate|date\b|Date|calendar|日期|日付|날짜|[ymd]{2,4}([-/. ])[ymd]{2}\1[ymd]{2,4}/i;
  const DATE_VALUE = /^\d{4}[-/.年]\d{1,2}([-/.月]\d{1,2}日?)?( \d\d:\d\d(:\d\d)?)?$|^\d{1,2}[/.-]\d{1,2}[/.-]\d{4}$/;
  const two = (number) => String(number).padStart(2, "0");

  // The wanted date, moved into the range that the field allows.
  const dateOf = (input) => {
    let [year, month, day] = wanted;
    const iso = () => `${year}-${two(month)}-${two(day)}`;
    const limit = (name) => (/^\d{4}-\d\d-\d\d/.exec(input.getAttribute(name) || "") || [""])[0];
    if (limit("min") && iso() < limit("min")) [year, month, day] = limit("min").split("-").map(Number);
    if (limit("max") && iso() > limit("max")) [year, month, day] = limit("max").split("-").map(Number);
    return { year, month, day, iso: iso() };
  };
  const written = (format, { year, month, day }) => format
    .replace(/YYYY|yyyy/, year).replace(/YY|yy/, two(year % 100))
    .replace(/MM|mm(?![^]*mm)/, two(month)).replace(/\bM\b/, month)
    .replace(/DD|dd/, two(day)).replace(/\b[Dd]\b/, day).replace(/[Hh]{1,2}|mm|ss/g, "00");
  const ORDER = /^(YYYY|MM|DD)([-/.年月 ])(MM|DD)([-/.月日 ])(YYYY|DD|MM)日?( HH:mm(:ss)?)?$/;

  // How the field writes dates: its placeholder, its value, or what its library does by itself.
  function formatOf(input, usual, hint) {
    for (const text of [hint, input.placeholder, input.dataset && (input.dataset.dateFormat || input.dataset.format)]) {
      const format = (text || "").trim().replace(/y{4}/i, "YYYY").replace(/^([^ ]*)mm/, "$1MM").replace(/dd/, "DD");
      if (ORDER.test(format)) return format;
    }
    const value = (input.value || "").trim();
    const year = /^\d{4}([-/.年])\d{1,2}([-/.月])\d{1,2}(日?)( \d\d:\d\d(:\d\d)?)?$/.exec(value);
    if (year) return `YYYY${year[1]}MM${year[2]}DD${year[3]}${year[4] ? (year[5] ? " HH:mm:ss" : " HH:mm") : ""}`;
    const last = /^(\d{1,2})([-/.])(\d{1,2})[-/.]\d{4}$/.exec(value);
    if (last) return Number(last[1]) > 12 || (last[2] === "." && Number(last[3]) <= 12) ? `DD${last[2]}MM${last[2]}YYYY` : `MM${last[2]}DD${last[2]}YYYY`;
    return usual;
  }

  const exec = (code) => ({ type: "exec_js", code });
  const click = (input) => ({ type: "click", selector: selectorOf(input) });
  const typed = (input, value) => ({ type: "type", selector: selectorOf(input), value, submit: true });
  const jsDate = ({ year, month, day }) => `new Date(${year}, ${month - 1}, ${day})`;

  // Turns the pages of an opened calendar to the month and clicks the day: for those that have no other way in.
  const turn = ({ box, month, back, on, day, confirm }, date) => exec(
    `const box = [...document.querySelectorAll(${JSON.stringify(box)})].at(-1), at = (q) => box.querySelector(q);\n`
    + `for (let n = 0; n < 1200; n++) { const left = ${date.year * 12 + date.month} - (${month}); if (!left) break; at(left < 0 ? ${JSON.stringify(back)} : ${JSON.stringify(on)}).click(); }\n`
    + `at(${JSON.stringify(day)}).click();${confirm ? ` at(${JSON.stringify(confirm)})?.click();` : ""}`,
  );

  function native(input) {
    const date = dateOf(input);
    const start = new Date(Date.UTC(date.year, date.month - 1, date.day));
    start.setUTCDate(start.getUTCDate() + 4 - (start.getUTCDay() || 7));
    const week = Math.ceil(((start - Date.UTC(start.getUTCFullYear(), 0, 1)) / 864e5 + 1) / 7);
    const value = { date: date.iso, month: date.iso.slice(0, 7), "datetime-local": `${date.iso}T00:00`, week: `${start.getUTCFullYear()}-W${two(week)}` }[input.type];
    return { name: `native ${input.type}`, steps: [{ type: "type", selector: selectorOf(input), value }] };
  }

  // Both boxes of a range, or the one; what Enter does not take, leaving the box does.
  function typedInto(name, input, format, wrapper) {
    const boxes = wrapper ? [...wrapper.querySelectorAll("input")].filter((each) => each.type !== "hidden") : [input];
    const date = dateOf(input);
    return { name, steps: [click(boxes[0]), ...boxes.map((box) => typed(box, written(format, date)))] };
  }

  function jqueryPicker(input, date) {
    const jq = window.jQuery;
    if (!jq || !jq.fn || !jq.data) return null;
    const code = (element) => `jQuery(${codeOf(element)})`;
    for (let node = input, depth = 0; node && depth < 3; node = node.parentElement, depth += 1) {
      const range = jq.data(node, "daterangepicker");
      if (range) return { name: "daterangepicker", steps: [exec(`const p = ${code(node)}.data("daterangepicker"), d = ${jsDate(date)};\np.show(); p.setStartDate(d); p.setEndDate(d); p.clickApply(); p.element.val()`)] };
      const made = jq.data(node, "datepicker");
      if (made && node.classList.contains("hasDatepicker")) {
        return { name: "jQuery UI datepicker", steps: [exec(`const box = ${codeOf(node)}, d = ${jsDate(date)};\njQuery(box).datepicker("setDate", d); jQuery.datepicker._selectDate(box, jQuery(box).val()); jQuery(box).val()`)] };
      }
      if (made && typeof made.selectDate === "function") return { name: "air-datepicker", steps: [exec(`${code(node)}.data("datepicker").selectDate(${jsDate(date)})`)] };
      if (made) return { name: "bootstrap-datepicker", steps: [exec(`${code(node)}.datepicker("setDate", ${jsDate(date)}); ${codeOf(input)}.value`)] };
      const other = jq.data(node, "DateTimePicker") || jq.data(node, "datetimepicker");
      if (other && typeof other.date === "function") return { name: "bootstrap-datetimepicker", steps: [exec(`${code(node)}.data(${JSON.stringify(jq.data(node, "DateTimePicker") ? "DateTimePicker" : "datetimepicker")}).date(${jsDate(date)}); ${codeOf(input)}.value`)] };
    }
    return null;
  }

  // A picker that can be asked through its object: the field's own, or that of the field it stands for.
  function withObject(input, date) {
    const flat = input._flatpickr ? input : all("input.flatpickr-input, [data-input].flatpickr-input").find((each) => each._flatpickr && each._flatpickr.altInput === input)
      || (input.closest(".flatpickr") && input.closest(".flatpickr")._flatpickr && input.closest(".flatpickr"));
    if (flat) {
      const range = flat._flatpickr.config.mode === "range";
      const value = range ? `["${date.iso}", "${date.iso}"]` : `"${date.iso}"`;
      return { name: "flatpickr", steps: [exec(`${codeOf(flat)}._flatpickr.setDate(${value}, true, "Y-m-d"); ${codeOf(input)}.value`)] };
    }
    const own = input.datepicker;
    if (own && typeof own.setDate === "function" && input.classList.contains("datepicker-input")) {
      return { name: "vanillajs-datepicker", steps: [exec(`const box = ${codeOf(input)};\nbox.datepicker.setDate(${jsDate(date)}); box.dispatchEvent(new Event("change", { bubbles: true })); box.value`)] };
    }
    return null;
  }

  function framework(input) {
    const element = input.closest(".el-date-editor");
    if (element) {
      const vue = element.__vue__ || (element.parentElement && element.parentElement.__vue__);
      const usual = /datetime/.test(element.className) ? "YYYY-MM-DD HH:mm:ss" : /--month/.test(element.className) ? "YYYY-MM" : /--year/.test(element.className) ? "YYYY" : "YYYY-MM-DD";
      return typedInto("Element date picker", input, formatOf(input, usual, vue && vue.format), element);
    }
    const ant = input.closest(".ant-picker, .ant-calendar-picker");
    if (ant) return typedInto("Ant Design date picker", input, formatOf(input, "YYYY-MM-DD"), ant);
    if (input.closest("[class*=arco-picker], [class*=t-date-picker], .n-date-picker, .ivu-date-picker")) {
      return typedInto("date picker of a component library", input, formatOf(input, "YYYY-MM-DD"), null);
    }
    if (input.closest(".react-datepicker__input-container")) return typedInto("react-datepicker", input, formatOf(input, "MM/DD/YYYY"), null);
    if (input.matches(".mat-datepicker-input, .p-datepicker-input, .p-calendar input, .k-dateinput input, .e-datepicker")) {
      return typedInto("date picker of a component library", input, formatOf(input, "MM/DD/YYYY"), null);
    }
    return null;
  }

  // MUI's field: one box with sections, or editable sections over a box that is not shown.
  function mui(box) {
    const input = box.tagName === "INPUT" ? box : box.querySelector("input");
    const root = box.closest(".MuiPickersInputBase-root, .MuiInputBase-root");
    if (!input || !root) return null;
    const sections = [...root.querySelectorAll("[role=spinbutton]")].map((each) => (each.textContent || "").replace(/[\u200b-\u206f]/g, "")).join("/");
    if (!root.querySelector("[role=spinbutton]") && !all("[class*=MuiDateField], [class*=MuiPickers], [class*=MuiDatePicker]").length && !/^[MDY]{2,4}([/.-])[MDY]{2,4}\1[MDY]{2,4}$/.test(input.placeholder)) return null;
    const date = dateOf(input);
    const value = written(formatOf(input, "MM/DD/YYYY", /^[MDY/]+$/.test(sections) ? sections : ""), date);
    return { name: "MUI X date picker", steps: [exec(`const box = ${codeOf(input)};\nObject.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(box, ${JSON.stringify(value)}); box.dispatchEvent(new Event("input", { bubbles: true })); box.value`)] };
  }

  function labelWords(input) {
    const parent = above(input);
    const label = input.labels && input.labels[0] ? input.labels[0].textContent : "";
    return [input.name, input.id, input.placeholder, input.getAttribute("aria-label") || "", label.slice(0, 60),
      typeof input.className === "string" ? input.className : "", parent && typeof parent.className === "string" ? parent.className : ""].join(" ");
  }

  function byPopup(input, date, surely) {
    const day = `${date.year}-${date.month}-${date.day}`;
    const laydate = input.hasAttribute("lay-key") || (surely && (typeof window.laydate === "function" || Boolean(window.laydate && window.laydate.render) || Boolean(window.layui && window.layui.laydate)));
    if (laydate) {
      return { name: "laydate", steps: [click(input), turn({
        box: ".layui-laydate", month: 'at(".laydate-set-ym [lay-ym]").getAttribute("lay-ym").split("-").reduce((y, m) => y * 12 + +m)',
        back: ".laydate-prev-m", on: ".laydate-next-m", day: `td[lay-ymd="${day}"]`, confirm: ".laydate-btns-confirm" }, date)] };
    }
    if (surely && (window.AirDatepicker || all(".air-datepicker-global-container, .air-datepicker").length)) {
      return { name: "air-datepicker", steps: [click(input), turn({
        box: ".air-datepicker.-active-", month: '(({ year, month }) => year * 12 + +month + 1)(at(".-day-:not(.-other-month-)").dataset)',
        back: "[data-action=prev]", on: "[data-action=next]", day: `.-day-[data-year="${date.year}"][data-month="${date.month - 1}"][data-date="${date.day}"]` }, date)] };
    }
    return null;
  }

  function calendarOf(input) {
    if (["date", "datetime-local", "month", "week"].includes(input.type)) return native(input);
    if (!["text", "search", "tel", ""].includes(input.type || "")) return null;
    const date = dateOf(input);
    const found = withObject(input, date) || jqueryPicker(input, date) || framework(input) || mui(input);
    if (found) return found;
    const words = labelWords(input);
    const dated = DATE_VALUE.test(input.value) || DATED.test(words);
    const surely = DATE_VALUE.test(input.value) || SURELY.test(words);
    const popup = byPopup(input, date, dated);
    if (popup) return popup;
    if (!dated) return null;
    if (window.Pikaday || all(".pika-single").length) return typedInto("Pikaday", input, formatOf(input, "YYYY/MM/DD"), null);
    if (window.tempusDominus || input.dataset.tdTarget || input.closest("[data-td-target-input]")) return typedInto("Tempus Dominus", input, formatOf(input, "MM/DD/YYYY"), null);
    if (input.readOnly) {
      return { name: "own calendar", steps: [exec(`const box = ${codeOf(input)};\nbox.value = ${JSON.stringify(written(formatOf(input, "YYYY-MM-DD"), date))}; for (const kind of ["input", "change"]) box.dispatchEvent(new Event(kind, { bubbles: true })); box.value`)] };
    }
    return surely ? { name: "text", steps: [typed(input, written(formatOf(input, "YYYY-MM-DD"), date))] } : null;
  }
  window[Symbol.for("verifaible.calendars")] = { calendarOf, mui };
}

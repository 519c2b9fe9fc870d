// What a reader can operate in this frame, with a selector that finds each element and nothing else.
(lib) => {
  const CALENDAR_WORD = /date|日期|时间|calendar|begin|start|end\b/i;
  const DATE_VALUE = /^\d{4}[-/.年]\d{1,2}([-/.月]\d{1,2}日?)?$|^\d{1,2}\/\d{1,2}\/\d{4}$/;
  const FILE = /\.(pdf|docx?|xlsx?|csv|zip|pptx?|txt|xml|json)(?:[?#]|$)/i;
  const PAGER_WORD = /^(上一页|下一页|上页|下页|首页|末页|尾页|prev(ious)?|next|first|last|older|newer|[«»‹›<>]+|\d{1,4})$/i;
  const GENERIC = /^(btn|button|input|form|table|link|icon|item|text|col|row|box|container|wrap(per)?)\b/i;
  const MENU = "nav, header, footer, [role=navigation], [role=banner], [role=contentinfo], [class*=nav i], [class*=menu i], [class*=header i], [class*=footer i]";
  const PAGER_BOX = "[class*=pag i], [id*=pag i], [aria-label*=pagination i], [role=navigation]";

  // Names that a build tool or a framework made up change with every release.
  const lasting = (name) => /^[A-Za-z_][\w-]*$/.test(name) && !/\d{4,}|[a-f0-9]{8,}|^(css|sc|jsx?)-/i.test(name)
    && !/^(active|current|selected|hover|focus|open|show|on|disabled|hidden|layui-this)$/i.test(name)
    && !/__\w{5,}$/.test(name);

  const only = (selector, element) => {
    try {
      const found = element.getRootNode().querySelectorAll(selector);
      return found.length === 1 && found[0] === element;
    } catch { return false; }
  };

  function own(element) {
    const tag = element.tagName.toLowerCase();
    const quoted = (value) => JSON.stringify(value);
    const names = [];
    if (element.id && lasting(element.id)) names.push("#" + CSS.escape(element.id));
    for (const attribute of ["name", "data-testid", "data-id", "aria-label", "placeholder", "title"]) {
      const value = element.getAttribute(attribute);
      if (value && value.length < 60) names.push(`${tag}[${attribute}=${quoted(value)}]`);
    }
    for (const { name, value } of element.attributes) {
      if (/^data-/.test(name) && value && value.length < 30 && !/\d{4}|\d-\d/.test(value) && !["data-testid", "data-id"].includes(name)) {
        names.push(`[${name}=${quoted(value)}]`);
      }
    }
    const classes = [...element.classList].filter(lasting).sort((a, b) => GENERIC.test(a) - GENERIC.test(b));
    for (const name of classes) names.push("." + CSS.escape(name));
    if (classes.length > 1) names.push(tag + classes.map((name) => "." + CSS.escape(name)).join(""));
    names.push(tag);
    return names;
  }

  // The shortest lasting name that is unique, alone or below a named ancestor; else the whole path.
  function selectorOf(element) {
    const names = own(element);
    for (const name of names) if (only(name, element)) return name;
    let above = element.parentElement;
    for (let depth = 0; above && depth < 6; depth += 1, above = above.parentElement) {
      const outer = [];
      if (above.id && lasting(above.id)) outer.push("#" + CSS.escape(above.id));
      outer.push(...[...above.classList].filter(lasting).map((name) => "." + CSS.escape(name)));
      for (const place of outer) for (const name of names) {
        if (only(`${place} ${name}`, element)) return `${place} ${name}`;
      }
    }
    return lib.cssPath(element).replaceAll(" >>> ", " ");
  }

  function labelOf(element) {
    const label = element.labels && element.labels[0];
    if (label && lib.textOf(label)) return lib.textOf(label);
    const named = element.getAttribute("aria-label") || element.placeholder || element.title || "";
    if (named) return named;
    const by = element.getAttribute("aria-labelledby");
    const other = by && document.getElementById(by.split(/\s+/)[0]);
    if (other) return lib.textOf(other);
    const before = element.previousElementSibling || (element.parentElement && element.parentElement.previousElementSibling);
    const text = before ? lib.textOf(before) : "";
    return text.length <= 30 ? text : "";
  }

  // The short text right above a table, which names it where it has no caption.
  function titleOf(table) {
    for (let node = table, depth = 0; node && node !== document.body && depth < 4; node = node.parentElement, depth += 1) {
      for (let before = node.previousElementSibling; before; before = before.previousElementSibling) {
        const text = lib.visible(before) ? lib.textOf(before) : "";
        if (text) return text.length <= 120 && !before.querySelector("td") && before.tagName !== "TABLE" ? text : "";
      }
    }
    return "";
  }

  function calendarOf(input) {
    if (["date", "datetime-local", "month", "week"].includes(input.type)) return "native " + input.type;
    if (input._flatpickr || input.classList.contains("flatpickr-input")) return "flatpickr";
    if (input.classList.contains("hasDatepicker")) return "jQuery UI datepicker";
    if (input.closest(".el-date-editor")) return "Element date picker";
    if (input.closest(".ant-picker, .ant-calendar-picker")) return "Ant Design date picker";
    if (input.hasAttribute("lay-key")) return "laydate";
    const jq = window.jQuery;
    if (jq && jq.fn && jq.data && (jq.data(input, "datepicker") || jq.data(input, "daterangepicker"))) return "bootstrap date picker";
    const about = [input.name, input.id, input.className, input.placeholder, labelOf(input),
      input.parentElement ? input.parentElement.className : ""].join(" ");
    const dated = DATE_VALUE.test(input.value) || CALENDAR_WORD.test(about);
    if (!dated || !["text", "search", ""].includes(input.type)) return "";
    if (typeof window.laydate === "function" || (window.laydate && window.laydate.render)) return "laydate";
    return input.readOnly ? "own calendar" : "";
  }

  const shown = (element) => {
    if (!element.getClientRects().length) return false;
    for (let node = element; node; node = node.parentElement) if (!lib.visible(node)) return false;
    return lib.textShown(element);
  };
  const everything = [];
  (function search(root) {
    for (const element of root.querySelectorAll("*")) {
      everything.push(element);
      if (element.shadowRoot) search(element.shadowRoot);
    }
  })(document);

  const elements = [];
  const documents = [];
  const pagers = new Map();
  const dialogs = [];
  let links = 0;
  for (const element of everything) {
    const tag = element.tagName;
    const role = element.getAttribute("role") || "";
    if ((tag === "DIALOG" && element.open) || role === "dialog" || role === "alertdialog" || element.getAttribute("aria-modal") === "true") {
      if (shown(element)) dialogs.push({ selector: selectorOf(element), text: lib.textOf(element).slice(0, 200) });
    }
    const href = tag === "A" ? element.getAttribute("href") || "" : "";
    const isField = ["INPUT", "SELECT", "TEXTAREA"].includes(tag) && element.type !== "hidden";
    const pressed = tag === "BUTTON" || tag === "SUMMARY" || (tag === "INPUT" && ["button", "submit", "reset", "image"].includes(element.type))
      || ["button", "tab", "option", "menuitem", "switch", "checkbox", "radio", "combobox"].includes(role);
    const scripted = element.hasAttribute("onclick") || (tag === "A" && (/^(#|javascript:|$)/i.test(href.trim())));
    if (tag === "A" && href && !scripted && shown(element)) {
      links += 1;
      if (FILE.test(element.pathname || href) || FILE.test(href)) {
        documents.push({ url: element.href, text: lib.textOf(element) || element.title || "" });
      }
    }
    // Reading the shown text of every element, the page's body too, would take seconds.
    const small = tag === "A" || pressed || scripted || tag === "LI" || tag === "SPAN";
    const text = small ? lib.textOf(element).slice(0, 80) : "";
    const pager = small && PAGER_WORD.test(text || element.getAttribute("aria-label") || "")
      && element.closest(PAGER_BOX);
    if (pager && shown(element)) {
      const items = pagers.get(pager) || [];
      if (!items.includes(text)) items.push(text);
      pagers.set(pager, items);
      continue;
    }
    if (!isField && !pressed && !scripted) continue;
    if (!shown(element) || (scripted && !text && !element.title)) continue;
    elements.push({
      kind: tag === "SELECT" ? "select" : isField && !pressed ? "field" : pressed ? "button" : "clickable",
      selector: selectorOf(element),
      text: tag === "SELECT" || isField ? (pressed ? element.value || "" : "") : text,
      label: isField ? labelOf(element) : element.getAttribute("aria-label") || element.title || "",
      type: isField ? element.type || "" : tag.toLowerCase(),
      value: isField && element.type !== "password" ? String(tag === "SELECT" ? element.value : ["checkbox", "radio"].includes(element.type) ? element.checked : element.value || "") : "",
      readonly: Boolean(element.readOnly),
      disabled: Boolean(element.disabled),
      in_menu: Boolean(element.closest(MENU)),
      calendar: tag === "INPUT" && !pressed ? calendarOf(element) : "",
      handler: (element.getAttribute("onclick") || (/^javascript:(?!;|void)/i.test(href) ? href : "")).slice(0, 120),
      options: tag === "SELECT" ? [...element.options].map((option) => ({ value: option.value, label: option.label.trim() })) : [],
    });
  }
  return {
    elements,
    tables: lib.tableElements().map((table) => ({ css_path: lib.cssPath(table), selector: selectorOf(table), title: titleOf(table) })),
    documents,
    links,
    dialogs,
    pagination: [...pagers].filter(([, items]) => items.length > 1).map(([box, items]) => ({ selector: selectorOf(box), items })),
  };
}

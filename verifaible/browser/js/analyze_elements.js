// What a reader can operate in this frame, with a selector that finds each element and nothing else.
// Needs what analyze_selectors has kept.
(lib) => {
  const { selectorOf, above } = window[Symbol.for("verifaible.selectors")];
  const FILE = /\.(pdf|docx?|xlsx?|csv|zip|pptx?|txt|xml|json|ods|odt|rtf|gz|7z|rar|parquet)(?:[?#]|$)/i;
  const PAGER_WORD = /^(上一页|下一页|上页|下页|首页|末页|尾页|(go to )?(prev(ious)?|next|first|last)( page)?|older|newer|[«»‹›<>→←]+|\d{1,4}|page \d{1,4})$/i;
  const NEXT_WORD = /^(下一页|下页|(go to )?next( page)?|older|[»›>→])$/i;
  const MORE_WORD = /^(load|show|view|see) more|^more results|^加载更多|^查看更多|^もっと見る/i;
  const MENU = "nav, header, footer, [role=navigation], [role=banner], [role=contentinfo], [class*=nav i], [class*=menu i], [class*=header i], [class*=footer i]";
  const PAGER_BOX = "[class*=pag i], [id*=pag i], [aria-label*=pagination i], [role=navigation]";
  const PRESSED_TYPES = ["button", "submit", "reset", "image"];
  const ROLES = ["button", "tab", "option", "menuitem", "menuitemradio", "menuitemcheckbox", "switch", "checkbox", "radio", "combobox", "listbox", "slider", "spinbutton", "treeitem", "textbox", "searchbox"];
  const MOST_POINTED = 60;
  const MOST_LINKS = 200;
  // More than these are counted, not described.
  const MOST_ELEMENTS = 1500;

  const shown = (element) => {
    if (!element.getClientRects().length) return false;
    for (let node = element; node; node = above(node)) if (!lib.visible(node)) return false;
    return lib.textShown(element);
  };
  // What a reader sees of the name; what only the code holds is told apart by the caller.
  function labelOf(element) {
    for (const label of element.labels || []) {
      const text = lib.visible(label) ? lib.textOf(label) : "";
      if (text) return text;
    }
    const by = (element.getAttribute("aria-labelledby") || "").split(/\s+/).filter(Boolean)
      .map((id) => element.getRootNode().getElementById(id)).filter((each) => each && shown(each)).map((each) => lib.textOf(each)).join(" ");
    if (by) return by;
    if (element.placeholder && !element.value) return element.placeholder;
    const before = element.previousElementSibling || (element.parentElement && element.parentElement.previousElementSibling);
    const text = before && shown(before) ? lib.textOf(before) : "";
    return text.length <= 30 ? text : "";
  }
  const unseenName = (element) => element.getAttribute("aria-label") || element.title || element.placeholder || element.alt
    || (element.querySelector && element.querySelector("img[alt]") && element.querySelector("img[alt]").alt) || "";

  // What using it does, as far as the page says.
  function effectOf(element, href) {
    const code = element.getAttribute("onclick") || element.getAttribute("onchange") || (/^javascript:(?!;|void)/i.test(href) ? href : "");
    if (code) return code.slice(0, 160);
    const controlled = element.getAttribute("aria-controls") || (element.getAttribute("data-bs-target") || element.getAttribute("data-target") || "").replace(/^#/, "");
    if (controlled) return `opens #${controlled}`.slice(0, 80);
    if (element.form && ["submit", "image"].includes(element.type)) return `submits form ${selectorOf(element.form)}`;
    const props = Object.keys(element).find((key) => key.startsWith("__reactProps$"));
    const handler = props && element[props] && (element[props].onClick || element[props].onChange);
    if (typeof handler === "function" && handler.name && !/^(on(Click|Change)|bound|anonymous)/.test(handler.name) && handler.name.length > 2) return `${handler.name}()`;
    return "";
  }

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
  let unlisted = 0;
  let pointed = 0;
  const taken = new Set();

  function add(element, kind, { text = "", href = "" } = {}) {
    if (elements.length >= MOST_ELEMENTS) { unlisted += 1; return; }
    const tag = element.tagName;
    const isField = ["INPUT", "SELECT", "TEXTAREA"].includes(tag);
    const label = isField || kind === "field" ? labelOf(element) : "";
    taken.add(element);
    const secret = element.type === "password";
    elements.push({
      kind,
      selector: selectorOf(element),
      text,
      label,
      unseen_name: text || label ? "" : unseenName(element).slice(0, 60),
      type: isField ? element.type || "" : kind === "field" ? "text" : tag.toLowerCase(),
      value: !isField || secret || kind === "button" ? "" : String(tag === "SELECT" ? (element.selectedOptions[0] && !element.selectedOptions[0].hidden ? element.value : "") : ["checkbox", "radio"].includes(element.type) ? element.checked : element.value || ""),
      readonly: Boolean(element.readOnly),
      disabled: Boolean(element.disabled) || element.getAttribute("aria-disabled") === "true",
      in_menu: Boolean(element.closest(MENU)),
      handler: effectOf(element, href),
      options: tag === "SELECT" ? [...element.options].filter((option) => !option.hidden).map((option) => ({ value: option.value, label: option.label.trim() })) : [],
      address: kind === "link" ? element.href : "",
    });
  }

  function link(element, href) {
    links += 1;
    const text = lib.textOf(element);
    if (FILE.test(element.pathname || "") || FILE.test(href) || element.hasAttribute("download")) documents.push({ url: element.href, text: text || "", selector: selectorOf(element) });
    if (links <= MOST_LINKS) add(element, "link", { text: text.slice(0, 80), href });
  }

  // A box that nobody sees, behind a label that is drawn as one.
  function standIn(element) {
    const label = ["checkbox", "radio", "file"].includes(element.type) && element.labels && [...element.labels].find(shown);
    if (label && !taken.has(label)) add(label, "button", { text: lib.textOf(label).slice(0, 80) });
  }

  // The box around what turns pages: the outermost that still holds little else.
  function pagerOf(element) {
    let box = above(element) && above(element).closest(PAGER_BOX);
    for (let outer = box; outer; outer = above(outer) && above(outer).closest(PAGER_BOX)) {
      if (outer.textContent.length > 400 || outer === document.body) break;
      box = outer;
    }
    return box;
  }

  for (const element of everything) {
    const tag = element.tagName;
    const role = element.getAttribute("role") || "";
    if ((tag === "DIALOG" && element.open) || role === "dialog" || role === "alertdialog" || element.getAttribute("aria-modal") === "true") {
      if (shown(element)) dialogs.push({ selector: selectorOf(element), text: lib.textOf(element).slice(0, 200) });
    }
    const href = tag === "A" ? element.getAttribute("href") || "" : "";
    const isField = ["INPUT", "SELECT", "TEXTAREA"].includes(tag) && element.type !== "hidden";
    const pressed = tag === "BUTTON" || tag === "SUMMARY" || (tag === "INPUT" && PRESSED_TYPES.includes(element.type)) || (!isField && ROLES.includes(role));
    const scripted = element.hasAttribute("onclick") || (tag === "A" && (/^(#|javascript:|$)/i.test(href.trim())));
    // Reading the shown text of every element, the page's body too, would take seconds.
    const small = tag === "A" || pressed || scripted || tag === "LI" || tag === "SPAN";
    const described = elements.length < MOST_ELEMENTS || Boolean(element.closest(PAGER_BOX));
    const text = small && described ? lib.textOf(element).slice(0, 80) : "";
    const pager = small && PAGER_WORD.test(text || element.getAttribute("aria-label") || "") && pagerOf(element);
    if (pager && shown(element)) {
      const known = pagers.get(pager) || { items: [], next: "" };
      if (text && !known.items.includes(text)) known.items.push(text);
      if (!known.next && (tag === "A" || pressed || scripted || !element.querySelector("a, button")) && NEXT_WORD.test(text || element.getAttribute("aria-label") || "")) known.next = selectorOf(element);
      pagers.set(pager, known);
      if (tag === "A" && href && !scripted) links += 1;
      continue;
    }
    if (tag === "A" && href && !scripted) {
      if (shown(element)) link(element, href);
      continue;
    }
    if (!isField && !pressed && !scripted) {
      const editable = element.isContentEditable && !(above(element) && above(element).isContentEditable);
      if (editable && shown(element)) { add(element, "field"); continue; }
      const outer = above(element);
      const points = pointed < MOST_POINTED && outer && getComputedStyle(element).cursor === "pointer" && getComputedStyle(outer).cursor !== "pointer" && tag !== "LABEL" && !element.querySelector("a, button, input, select, textarea");
      if (points && shown(element)) {
        const said = lib.textOf(element);
        if (said && said.length <= 60) { pointed += 1; add(element, "clickable", { text: said }); }
      }
      continue;
    }
    if (!described) { unlisted += 1; continue; }
    if (!shown(element)) { standIn(element); continue; }
    if (scripted && !pressed && !isField && !text && !element.title && !element.querySelector("img, svg, i")) continue;
    const kind = tag === "SELECT" ? "select" : isField && !pressed ? "field" : pressed ? "button" : "clickable";
    const more = pressed && MORE_WORD.test(text);
    if (more) pagers.set(element, { items: [text], next: selectorOf(element) });
    add(element, kind, { text: isField ? (pressed ? element.value || "" : "") : text, href });
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
  return {
    elements,
    tables: lib.tableElements().map((table) => ({ css_path: lib.cssPath(table), selector: selectorOf(table), title: titleOf(table) })),
    documents,
    links,
    unlisted,
    dialogs,
    pagination: [...pagers].filter(([, { items, next }]) => items.length > 1 || next).map(([box, { items, next }]) => ({ selector: selectorOf(box), items, next })),
  };
}

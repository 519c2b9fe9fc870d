// The forms of this frame with their fields, and below them the headings and landmarks as a reader meets them.
// Needs what analyze_selectors has kept.
(lib) => {
  const { selectorOf, above } = window[Symbol.for("verifaible.selectors")];
  const MOST_FIELDS = 40;
  const MOST_NODES = 400;
  const seen = new Map();
  const shown = (element) => {
    if (!seen.has(element)) {
      const outer = above(element);
      seen.set(element, lib.visible(element) && (!outer || shown(outer)));
    }
    return seen.get(element);
  };
  const named = (field) => {
    const label = [...(field.labels || [])].find((each) => lib.visible(each));
    return (label && lib.textOf(label)) || field.placeholder || "";
  };
  function formOf(form) {
    const fields = [];
    const hidden = [];
    for (const field of form.elements) {
      if (["BUTTON", "FIELDSET", "OUTPUT", "OBJECT"].includes(field.tagName) || ["submit", "button", "reset", "image"].includes(field.type)) continue;
      if (field.type === "hidden" || !shown(field) || !field.getClientRects().length) { hidden.push(field.name || field.id); continue; }
      if (fields.length >= MOST_FIELDS) continue;
      fields.push({ name: field.name || "", label: named(field).slice(0, 60), type: field.type || "", required: field.required, selector: selectorOf(field), options: field.tagName === "SELECT" ? field.options.length : 0 });
    }
    const submit = [...form.elements].find((each) => ["submit", "image"].includes(each.type) && shown(each));
    return {
      selector: selectorOf(form), action: form.getAttribute("action") ? new URL(form.getAttribute("action"), document.baseURI).href : document.URL.split("#")[0],
      method: (form.getAttribute("method") || "get").toUpperCase(), fields, hidden: hidden.filter(Boolean).slice(0, 20), submit: submit ? selectorOf(submit) : "",
    };
  }

  const ROLE = { H1: "heading 1", H2: "heading 2", H3: "heading 3", H4: "heading 4", H5: "heading 5", H6: "heading 6", MAIN: "main", NAV: "navigation", HEADER: "banner", FOOTER: "contentinfo",
    ASIDE: "complementary", FORM: "form", TABLE: "table", UL: "list", OL: "list", DIALOG: "dialog", BUTTON: "button", SELECT: "combobox", TEXTAREA: "textbox", IMG: "img", FIGURE: "figure", DETAILS: "group", FIELDSET: "group", SUMMARY: "button", IFRAME: "frame" };
  const INPUT_ROLE = { checkbox: "checkbox", radio: "radio", range: "slider", number: "spinbutton", search: "searchbox", button: "button", submit: "button", reset: "button", image: "button" };
  const LEAVES = /^(heading|button|link|img|combobox|textbox|checkbox|radio|slider|spinbutton|searchbox|tab|option|menuitem|switch|frame)/;
  const tree = [];
  function note(depth, role, element) {
    const field = ["INPUT", "SELECT", "TEXTAREA"].includes(element.tagName);
    let name = field ? (INPUT_ROLE[element.type] === "button" ? element.value : named(element)) : "";
    if (!field && LEAVES.test(role)) name = lib.textOf(element);
    if (role === "table") name = element.caption && shown(element.caption) ? lib.textOf(element.caption) : "";
    if (role === "list") name = `${[...element.children].filter(shown).length} items`;
    const states = ["expanded", "selected", "checked", "pressed", "disabled", "current"].filter((state) => { const value = element.getAttribute(`aria-${state}`); return value && value !== "false"; });
    if (element.checked && !states.includes("checked")) states.push("checked");
    if (element.disabled && !states.includes("disabled")) states.push("disabled");
    const unseen = name ? "" : (element.getAttribute("aria-label") || element.alt || element.title || "").slice(0, 60);
    tree.push({ depth, role, name: name.replace(/\s+/g, " ").trim().slice(0, 90), unseen_name: unseen, states });
  }
  (function walk(root, depth) {
    for (const element of root.children) {
      if (tree.length >= MOST_NODES) return;
      if (["SCRIPT", "STYLE", "TEMPLATE", "NOSCRIPT", "HEAD"].includes(element.tagName) || !shown(element)) continue;
      const own = (element.getAttribute("role") || "").split(/\s+/)[0];
      if (element.getAttribute("aria-hidden") === "true") continue;
      const role = own && own !== "presentation" && own !== "none" && own !== "generic" ? (own === "heading" ? `heading ${element.getAttribute("aria-level") || 2}` : own)
        : element.tagName === "A" && element.hasAttribute("href") ? "link" : element.tagName === "INPUT" && element.type !== "hidden" ? INPUT_ROLE[element.type] || "textbox" : ROLE[element.tagName] || "";
      const boxed = role && element.getClientRects().length;
      if (boxed) note(depth, role, element);
      if (boxed && (LEAVES.test(role) || role === "table")) continue;
      const inner = boxed ? depth + 1 : depth;
      if (element.shadowRoot) walk(element.shadowRoot, inner);
      walk(element, inner);
    }
  })(document, 0);
  return { forms: [...document.forms].filter(shown).map(formOf), tree, cut: tree.length >= MOST_NODES };
}

// The values a reader can see in form fields.
(lib) => {
  const fields = [];
  for (const field of document.querySelectorAll("input, select, textarea")) {
    if (["hidden", "password", "file", "checkbox", "radio"].includes(field.type) || !lib.visible(field)) continue;
    if (!field.getClientRects().length || !lib.textShown(field)) continue;
    const value = field.tagName === "SELECT" ? (field.selectedOptions[0] || {}).text || "" : field.value;
    if (!value.trim()) continue;
    const label = (field.labels && field.labels[0] && lib.textOf(field.labels[0])) || field.getAttribute("aria-label") || field.placeholder || field.name || "";
    fields.push({ selector: lib.cssPath(field), label, value: value.trim() });
  }
  return fields;
}

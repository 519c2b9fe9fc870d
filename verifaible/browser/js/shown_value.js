// What a field or an editable element holds now, and whether it can be written to.
(lib, element) => {
  const field = element instanceof HTMLLabelElement && element.control ? element.control : element;
  const known = field.matches("input, textarea, select");
  return {
    value: known ? field.value : field.isContentEditable ? field.innerText : "",
    type: field.tagName === "INPUT" ? field.type : field.tagName.toLowerCase(),
    readonly: Boolean(field.readOnly),
    editable: field.matches("input, textarea") || field.isContentEditable,
  };
}

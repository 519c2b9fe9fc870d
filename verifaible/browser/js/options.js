// The options of a select element, and whether it takes several; null for another element.
(lib, element) => {
  const field = element instanceof HTMLLabelElement ? element.control : element;
  if (!(field instanceof HTMLSelectElement)) return null;
  const options = [...field.options].map((option) => ({
    value: option.value, label: option.label.trim(), disabled: option.disabled || Boolean(option.closest("optgroup:disabled")),
  }));
  return { multiple: field.multiple, options };
}

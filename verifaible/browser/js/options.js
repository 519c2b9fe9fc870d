// The options of a select element; null where selector finds none.
(lib, { selector }) => {
  const field = document.querySelector(selector);
  return field instanceof HTMLSelectElement
    ? [...field.options].map((option) => ({ value: option.value, label: option.label.trim() }))
    : null;
}

// What keeps a reader from using an element: disabled, read-only, or covered (by which element).
(lib, element) => {
  const field = element.matches("input, textarea, select, button") ? element : null;
  const box = element.getBoundingClientRect();
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
  let top = document.elementFromPoint(x, y);
  while (top && top.shadowRoot && top.shadowRoot.elementFromPoint(x, y) && top.shadowRoot.elementFromPoint(x, y) !== top) {
    top = top.shadowRoot.elementFromPoint(x, y);
  }
  const around = (node) => node.parentElement || (node.getRootNode().host ?? null);
  let inside = false;
  for (let node = top; node && !inside; node = around(node)) inside = node === element;
  const labelled = top && top.closest("label") && top.closest("label").control === element;
  const covered = Boolean(top) && !inside && !labelled && !top.contains(element);
  // The whole of what stands before it, not the words in there that happen to lie over its middle.
  while (covered && around(top) && !around(top).contains(element) && around(top) !== document.body) top = around(top);
  return {
    disabled: Boolean(field && field.matches(":disabled")) || element.getAttribute("aria-disabled") === "true",
    readonly: Boolean(field && field.readOnly) || element.getAttribute("aria-readonly") === "true",
    cover: covered ? `${lib.cssPath(top).split(" >>> ").join(" ")}` : "",
    words: covered ? lib.textOf(top).replace(/\s+/g, " ").trim().slice(0, 60) : "",
  };
}

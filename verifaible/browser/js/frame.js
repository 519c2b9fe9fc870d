// Whether a reader can see into a frame, and its id.
(lib, element) => {
  const { width, height } = element.getBoundingClientRect();
  const { visibility } = getComputedStyle(element);
  return { shown: lib.visible(element) && width > 1 && height > 1 && visibility === "visible", id: element.id };
}

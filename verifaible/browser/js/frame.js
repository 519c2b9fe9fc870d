// Whether a reader can see into a frame, and its id.
(lib, element) => {
  const { width, height } = element.getBoundingClientRect();
  const { visibility } = getComputedStyle(element);
  let around = element;
  while (around && !lib.leftOut(around)) around = around.assignedSlot || around.parentElement || around.getRootNode().host;
  return { shown: !around && width > 1 && height > 1 && visibility === "visible" && !lib.cutOff(element), id: element.id };
}

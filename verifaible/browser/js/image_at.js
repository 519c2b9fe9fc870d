// The image that a reader sees at a point of this frame's document (CSS pixels from its top left), or the
// frame that lies there, with the point inside it. Only scrolls, and back.
(lib, { x, y }) => {
  const IMAGE = "img, svg, canvas, video, [role=img]";
  const [left, top] = [window.scrollX, window.scrollY];
  window.scrollTo({ left: x - window.innerWidth / 2, top: y - window.innerHeight / 2, behavior: "instant" });
  const [cx, cy] = [x - window.scrollX, y - window.scrollY];
  const stack = [];
  (function pierce(root) {
    for (const element of root.elementsFromPoint(cx, cy)) {
      if (stack.includes(element)) continue;
      if (element.shadowRoot) pierce(element.shadowRoot);
      stack.push(element);
    }
  })(document);
  let found = { image: "", frame: -1, x: 0, y: 0 };
  for (const element of stack) {
    if (/^I?FRAME$/.test(element.tagName)) {
      const box = element.getBoundingClientRect();
      const frame = [...document.querySelectorAll("iframe, frame")].indexOf(element);
      found = { image: "", frame, x: cx - box.left - element.clientLeft, y: cy - box.top - element.clientTop };
      break;
    }
    const svg = element.closest("svg");
    const image = svg ? [svg, ...(svg.parentElement ? [svg.parentElement.closest("svg")] : [])].filter(Boolean).pop() : element.closest(IMAGE);
    if (image && lib.visible(image)) {
      found = { image: lib.cssPath(image), frame: -1, x: 0, y: 0 };
      break;
    }
  }
  // What lets clicks through is seen all the same.
  if (!found.image && found.frame < 0) {
    const inside = (image) => {
      const box = image.getBoundingClientRect();
      return lib.visible(image) && box.left <= cx && cx < box.right && box.top <= cy && cy < box.bottom;
    };
    const images = [...document.querySelectorAll(IMAGE)].filter(inside);
    if (images.length) found.image = lib.cssPath(images[images.length - 1]);
  }
  window.scrollTo({ left, top, behavior: "instant" });
  return found;
}

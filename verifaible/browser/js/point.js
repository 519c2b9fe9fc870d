// The image on top at a point of a document (CSS pixels from its top left), or the frame there. What is no image is
// passed through. Scrolls, and back. Runs in a world of its own.
function (act, x, y) {
  const seen = (root) => {
    if (x < scrollX || y < scrollY || x > scrollX + innerWidth || y > scrollY + innerHeight) {
      scrollTo({ left: x - innerWidth / 2, top: y - innerHeight / 2, behavior: "instant" });
    }
    for (const element of root.elementsFromPoint(x - scrollX, y - scrollY)) {
      if (element.shadowRoot && root !== element.shadowRoot) {
        const inner = seen(element.shadowRoot);
        if (inner) return inner;
      }
      const image = element.closest("svg") || element;
      if (/^(img|svg|canvas|video|object|embed|picture|input|iframe|frame)$/i.test(image.tagName)) return image;
    }
    return null;
  };
  const [left, top] = [scrollX, scrollY];
  const found = seen(document);
  scrollTo({ left, top, behavior: "instant" });
  return found;
}

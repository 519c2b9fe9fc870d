// Where what is to be marked is now, and whether the page is dark there; and how large the page is. What was
// located before is measured as it was found then (its words, its cells): the page may have moved it since.
(lib, { boxes, span }) => {
  const kept = lib.located.get();
  const dark = (element) => {
    const ground = element && lib.behind(element);
    return Boolean(ground) && 0.3 * ground.color[0] + 0.6 * ground.color[1] + 0.1 * ground.color[2] < 110;
  };
  const words = ({ start, end, readings }) => {
    const same = kept.ranges && kept.start === start && kept.end === end && kept.readings === readings
      && kept.ranges.every((range) => range.startContainer.isConnected);
    const ranges = same ? kept.ranges : lib.rangesOf(start, end, { readings });
    return ranges.flatMap((range) => {
      const holder = range.startContainer.parentElement || range.startContainer.getRootNode().host;
      return [...range.getClientRects()].map((rect) => ({ rect: lib.clipped(holder, rect), dark: dark(holder) }));
    });
  };
  const box = ({ rect, source }) => {
    const cell = source && (source.length ? kept.places && kept.places.get(source.join()) : kept.table);
    if (!cell || !cell.isConnected) return { rect, dark: false };
    return { rect: lib.clipped(cell, cell.getBoundingClientRect()), dark: dark(cell) };
  };
  const { scrollWidth, scrollHeight } = document.scrollingElement || document.documentElement;
  return lib.atRest(() => ({
    marks: span ? words(span) : boxes.map(box),
    page: [scrollWidth, scrollHeight],
    scroll: [window.scrollX, window.scrollY],
  }));
}

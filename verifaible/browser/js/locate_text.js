// Where the characters [start, end) of this frame's text stand: rectangles and the element around them.
(lib, { start, end, readings }) => {
  const ranges = lib.rangesOf(start, end, { readings });
  // Into view first, also inside boxes that scroll by themselves: what is clipped away is not seen.
  const first = ranges.length ? ranges[0].startContainer.parentElement : null;
  if (first) first.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
  const rects = [];
  for (const range of ranges) {
    for (const rect of range.getClientRects()) {
      const shown = lib.clipped(range.startContainer.parentElement, rect);
      if (shown.width > 0 && shown.height > 0) rects.push(shown);
    }
  }
  let around = first;
  const last = ranges.length ? ranges[ranges.length - 1].endContainer : null;
  while (around && last && !around.contains(last)) around = around.parentElement;
  return { rects, css_path: around ? lib.cssPath(around) : "" };
}

// Where the characters [start, end) of this frame's text stand: rectangles and the element around them.
async (lib, { start, end, readings }) => {
  let ranges = lib.rangesOf(start, end, { readings });
  const holder = (range) => range.startContainer.parentElement || range.startContainer.getRootNode().host;
  if (ranges.length) await lib.bringIntoView(holder(ranges[0]));
  // What scrolling does to the text before it does not move a range; only what was taken out is looked up again.
  if (ranges.some((range) => !range.startContainer.isConnected)) ranges = lib.rangesOf(start, end, { readings });
  lib.located.keep({ ranges, start, end, readings });
  const shown = (range) => [...range.getClientRects()].map((rect) => lib.clipped(holder(range), rect));
  const rects = lib.atRest(() => ranges.flatMap(shown)).filter(({ width, height }) => width > 0 && height > 0);
  let around = ranges.length ? holder(ranges[0]) : null;
  const last = ranges.length ? ranges[ranges.length - 1].endContainer : null;
  while (around && last && !around.contains(last)) around = around.parentElement;
  return { rects, css_path: around ? lib.cssPath(around) : "" };
}

// Scrolls the box of a table on from top in steps (pixels) and reads the table at each stop, as often as stops
// says or until rows do not come. Each stop says where it came to, whether it is the last there is,
// and whether rows were still to come when it was read. Patience counts frames, of which a busy machine draws fewer.
async (lib, { css_path, path, top, step, stops }) => {
  const FRAMES = 90;
  const FRAMES_AT_END = 18;
  const box = path ? lib.resolve(path) : document.scrollingElement;
  const filled = (table) => lib.rowGroups(table).flatMap((group) => group.rows)
    .filter((row) => row.getClientRects().length && row.textContent.trim()).map((row) => row.getBoundingClientRect());
  // Rows are there when no part of the box is blank; at the end of a table some of it may stay so.
  const covered = (table) => {
    const view = path ? box.getBoundingClientRect() : { top: 0, bottom: window.innerHeight };
    const rows = filled(table);
    const low = Math.max(view.top, path ? view.top : table.getBoundingClientRect().top);
    const high = Math.min(view.bottom, path ? view.bottom : table.getBoundingClientRect().bottom);
    return high <= low || [0.2, 0.5, 0.8].map((part) => low + (high - low) * part).every((y) => rows.some((row) => row.top <= y && y <= row.bottom));
  };
  const read = [];
  if (box && path) box.scrollIntoView({ block: "nearest", behavior: "instant" });
  for (let wanted = top; box && read.length < stops; wanted += step) {
    const extent = box.scrollHeight;
    box.scrollTo({ top: wanted, behavior: "instant" });
    await lib.frame();
    const end = box.scrollTop + box.clientHeight >= box.scrollHeight - 1;
    let table = lib.resolve(css_path);
    for (let frames = 0; table && frames < (end ? FRAMES_AT_END : FRAMES) && (end ? box.scrollHeight <= extent : !covered(table)); frames += 1) {
      await lib.frame();
      table = lib.resolve(css_path);
    }
    if (!table) break;
    const last = end && box.scrollHeight <= extent + 1;
    const blank = !end && !covered(table);
    read.push({ top: box.scrollTop, last, blank, table: lib.readTable(table) });
    if (last || blank) break;
  }
  return read;
}

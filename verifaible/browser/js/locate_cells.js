// The visible parts of table cells, named by (row, position) in the source order that tables.js
// gives; a cell that is scrolled out of its box has width 0.
(lib, { css_path, sources }) => {
  const table = lib.resolve(css_path);
  if (!table) return { rects: [], table: null };
  const rows = lib.rowGroups(table).flatMap((group) => group.rows.filter((row) => lib.visible(row)));
  const cells = sources
    .map(([row, position]) => rows[row] && lib.cellsOf(rows[row]).filter((each) => lib.visible(each))[position])
    .filter(Boolean);
  // Into view first, also inside boxes that scroll by themselves: what is clipped away is not seen.
  if (cells.length) cells[0].scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
  const rects = cells.map((cell) => lib.clipped(cell, cell.getBoundingClientRect()));
  return { rects, table: lib.clipped(table, table.getBoundingClientRect()) };
}

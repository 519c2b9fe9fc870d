// The rectangles of table cells, named by (row, position) in the source order that tables.js gives.
(lib, { css_path, sources }) => {
  const table = lib.resolve(css_path);
  if (!table) return { rects: [], table: null };
  const rows = lib.rowGroups(table).flatMap((group) => group.rows.filter((row) => lib.visible(row)));
  const rects = [];
  for (const [row, position] of sources) {
    const cell = rows[row] && lib.cellsOf(rows[row]).filter((each) => lib.visible(each))[position];
    if (cell) rects.push(lib.pageRect(cell.getBoundingClientRect()));
  }
  return { rects, table: lib.pageRect(table.getBoundingClientRect()) };
}

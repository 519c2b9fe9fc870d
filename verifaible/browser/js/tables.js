// The tables of this frame, cell by cell, spans not yet spread, with the heading before each; unmarked: also grids that no
// markup tells of. As JSON, which is handed over ten times faster.
(lib, { unmarked }) => {
  const kept = [];
  const read = lib.tableElements(unmarked).map((table) => {
    const rows = [];
    kept.push([table, rows]);
    return lib.readTable(table, (row, cells) => rows.push({ row, cells, words: row.textContent }));
  });
  lib.tablesRead.keep(kept);
  return JSON.stringify(read, (key, value) => (typeof value === "string" ? value.toWellFormed() : value));
}

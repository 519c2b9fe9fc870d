// The visible parts of table cells, named by (row, position) in the source order that tables.js
// gives; a cell that is scrolled out of its box, or not there, has width 0.
async (lib, { css_path, sources }) => {
  const find = () => {
    const table = lib.resolve(css_path);
    const rows = table ? lib.rowGroups(table).flatMap((group) => group.rows).filter((row) => lib.visible(row)) : [];
    const places = new Map(sources.map(([row, position]) => [
      `${row},${position}`,
      rows[row] && lib.cellsOf(rows[row]).filter((each) => lib.visible(each))[position],
    ]).filter(([, cell]) => cell));
    return { table, places };
  };
  let found = find();
  const [first] = found.places.values();
  if (first) await lib.bringIntoView(first);
  if (first && !first.isConnected) found = find();
  lib.located.keep(found);
  if (!found.table) return { rects: [], table: null };
  const shown = (element) => lib.clipped(element, element.getBoundingClientRect());
  const cells = sources.map((source) => found.places.get(source.join()));
  return lib.atRest(() => ({
    rects: cells.map((cell) => (cell ? shown(cell) : { x: 0, y: 0, width: 0, height: 0 })),
    table: shown(found.table),
  }));
}

// The visible parts of table cells, named by (row, position) in the source order that tables.js
// gives; a cell that is scrolled out of its box, or not there, has width 0. The first of them, as many as are named,
// hold the words that are cited.
async (lib, { css_path, sources, named }) => {
  const MOST_ROUNDS = 4;
  const ZERO = { x: 0, y: 0, width: 0, height: 0 };
  const said = (row) => row.textContent.replace(/\s+/g, " ").trim();
  const drawnRows = (table) => (table ? lib.rowGroups(table).flatMap((group) => group.rows).filter(lib.rowShown) : []);
  let table = lib.resolve(css_path);
  // The rows and cells as they were read, if those that are asked for are still there and say the same.
  const kept = lib.tablesRead.get(table) || [];
  const holds = ({ row, cells, words }, position) => row.textContent === words && (cells[position] || row).isConnected;
  const read = sources.length && sources.every(([row, position]) => kept[row] && holds(kept[row], position)) ? kept : null;
  const known = new Map((read || []).map(({ row, cells }) => [row, cells]));
  const cellAt = (row, position) => {
    if (row && !known.has(row)) known.set(row, lib.cellsShown(row));
    return row && known.get(row)[position];
  };
  const rows = read ? read.map(({ row }) => row) : drawnRows(table);
  const words = rows.map(said);
  let places = new Map(sources.map(([row, position]) => [`${row},${position}`, cellAt(rows[row], position)]));
  const first = () => (sources.length ? places.get(sources[0].join()) : null);
  const same = () => first().isConnected && said(rows[sources[0][0]]) === words[sources[0][0]];

  for (let round = 0; first() && round < MOST_ROUNDS; round += 1) {
    await lib.bringIntoView(first());
    if (same()) break;
    // A table that holds only what is in view has drawn its rows anew: they are known by what they say.
    table = lib.resolve(css_path);
    const drawn = drawnRows(table);
    known.clear();
    const texts = drawn.map(said);
    if (!texts.includes(words[sources[0][0]]) && first().isConnected) break; // it is the row, with other words
    words.forEach((text, index) => {
      const now = texts[index] === text ? index : texts.indexOf(text);
      rows[index] = now >= 0 && (now === index || texts.lastIndexOf(text) === now) ? drawn[now] : undefined;
    });
    places = new Map(sources.map(([row, position]) => [`${row},${position}`, cellAt(rows[row], position)]));
  }
  lib.located.keep({ table, places, named: sources.slice(0, named).map((source) => places.get(source.join())) });
  if (!table) return { rects: [], table: null };
  const shown = (element) => lib.clipped(element, element.getBoundingClientRect());
  const cells = sources.map((source) => places.get(source.join()));
  return lib.atRest(() => ({ rects: cells.map((cell) => (cell ? shown(cell) : ZERO)), table: shown(table) }));
}

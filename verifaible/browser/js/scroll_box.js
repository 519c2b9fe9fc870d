// The box in which the rows of a table scroll: the table, a box inside or around it, or the page (path "").
// sparse says that rows are missing from the DOM. height and extent are pixels: what is seen, and all of it.
(lib, { css_path }) => {
  const table = lib.resolve(css_path);
  if (!table) return null;
  const rows = lib.rowGroups(table).flatMap((group) => group.rows).filter((row) => row.getClientRects().length);
  const filled = rows.filter((row) => row.textContent.trim());
  const used = filled.reduce((sum, row) => sum + row.getBoundingClientRect().height, 0);
  const count = Number(table.getAttribute("aria-rowcount") || 0);
  const missing = count > filled.length || count === -1;
  const scrolls = (box) => /auto|scroll/.test(getComputedStyle(box).overflowY) && box.clientHeight > 0 && box.scrollHeight > box.clientHeight + 1;
  const holds = (box) => rows.length > 0 && rows.filter((row) => lib.standsIn(row, box)).length * 2 >= rows.length;
  const inside = [...table.querySelectorAll("*")].find((box) => scrolls(box) && holds(box));
  let box = inside || (scrolls(table) ? table : null);
  for (let node = table.parentElement || table.getRootNode().host; !box && node && node !== document.body && node !== document.documentElement; node = node.parentElement || node.getRootNode().host) {
    if (scrolls(node)) box = node;
  }
  if (box) {
    // Space that no row takes is kept for rows that are not there; unless other words stand in it.
    const alone = lib.textOf(box).length - lib.textOf(table).length < 200;
    const sparse = missing || (alone && box.scrollHeight > used * 1.3 + box.clientHeight / 2);
    return { path: lib.cssPath(box), height: box.clientHeight, extent: box.scrollHeight, top: box.scrollTop, sparse };
  }
  const page = document.scrollingElement;
  if (!page || page.scrollHeight <= window.innerHeight + 1) return null;
  const sparse = missing || table.getBoundingClientRect().height > used * 1.3 + window.innerHeight / 2;
  return sparse ? { path: "", height: window.innerHeight, extent: page.scrollHeight, top: page.scrollTop, sparse } : null;
}

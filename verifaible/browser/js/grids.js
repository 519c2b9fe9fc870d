// Tables and grids: those the markup tells of, and those that only the layout does. A table of HTML is read as
// its markup orders it, since the layout does the same. Any other grid is read as a person reads it: a cell by what
// stands beside it and above it on the screen.
(lib) => {
  const { visible, textOf, cssPath, CELLS, TABLES, Line, boxesIn, cellsOfRole, childrenOf, drawn, isCell } = lib;
  // No grid without mark-up has more boxes, or more words in one; between two grids is more room than that (pixels).
  const MOST_BOXES = 3000;
  const MOST_WORDS = 300;
  const APART = 8;

  const isTable = (element) => (element.tagName === "TABLE" ? !/^(presentation|none)$/.test(element.getAttribute("role")) : element.matches(TABLES));

  // --- grids that no markup tells of

  // Whether boxes that no markup calls a grid look like one: rows and columns close together, most places filled.
  function regular({ rows, columns, boxes }) {
    if (rows.length < 2 || columns.length < 2 || boxes.length * 2 < rows.length * columns.length) return false;
    if (rows.some(({ members }) => members.length < 2 && columns.length > 2)) return false;
    if (boxes.some(({ text }) => text.length > MOST_WORDS)) return false;
    const sizes = boxes.map(({ y }) => y[1] - y[0]).sort((one, other) => one - other);
    const high = 2 * sizes[Math.floor(sizes.length / 2)];
    return rows.slice(1).every(({ start }, at) => start - rows[at].end <= high + APART);
  }

  // Whether an element holds several grids, with room between them.
  function several(parts) {
    const rects = parts.map((part) => part.getBoundingClientRect());
    const apart = (one, other) => Math.max(other.left - one.right, one.left - other.right, other.top - one.bottom, one.top - other.bottom) > APART;
    return rects.some((one, at) => rects.slice(at + 1).some((other) => apart(one, other)));
  }

  function unmarkedGrids(marked) {
    const found = [];
    const known = new Map();
    (function search(element) {
      const { cells, whole, titles } = boxesIn(element, known);
      const parts = [...childrenOf(element)].filter((child) => child.nodeType === Node.ELEMENT_NODE);
      const full = parts.filter((part) => boxesIn(part, known).cells.length >= 4);
      if (cells.length < 4 && !whole && !isCell(element)) return;
      const own = marked.filter((table) => element.contains(table));
      const one = own.length === 1 && own.every((table) => cells.every((cell) => table.contains(cell)));
      const outside = element.getClientRects().length > 0 && !marked.some((table) => table.contains(element));
      if (outside && cells.length >= 4 && cells.length <= MOST_BOXES && titles.length <= 1 && !one && !(parts.length === 1 && full.length === 1) && !several(full)) {
        const grid = drawn(element, cells);
        const below = (title) => grid.boxes.every(({ y }) => y[0] >= title.getBoundingClientRect().bottom - 1);
        if (grid && regular(grid) && titles.every(below)) {
          const within = (part) => boxesIn(part, known).cells.length === cells.length && part.getClientRects().length;
          let root = element;
          for (let part = parts.find(within); part; part = [...childrenOf(root)].find((each) => known.has(each) && within(each))) root = part;
          found.push(root);
          return;
        }
      }
      if (!marked.includes(element)) parts.forEach(search);
    })(document.body);
    return found;
  }

  // Whether one of two tables stands over a part of the other.
  function covers(one, other) {
    if (one.contains(other) || other.contains(one)) return false;
    const [own, its] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
    return Math.min(own.right, its.right) - Math.max(own.left, its.left) > APART && Math.min(own.bottom, its.bottom) - Math.max(own.top, its.top) > APART;
  }

  // --- what the scripts ask

  // Tables and ARIA tables that a reader can see, in document order, through open shadow roots. With unmarked also
  // grids that no markup tells of, in the place of tables that are parts of them.
  function tableElements(unmarked = false) {
    const found = [];
    (function search(root) {
      for (const element of root.querySelectorAll("*")) {
        if (element.shadowRoot) search(element.shadowRoot);
        if (isTable(element) && visible(element) && element.getClientRects().length) found.push(element);
      }
    })(document);
    // Tables that cover one another are parts of one grid: no one of them is what is seen.
    const layers = unmarked ? [] : found.filter((table) => found.some((other) => covers(table, other)));
    if (!unmarked && !layers.length) return found;
    const grids = unmarkedGrids(found).filter((grid) => unmarked || layers.some((table) => grid.contains(table)));
    return [...found.filter((table) => !grids.some((grid) => grid.contains(table))), ...grids];
  }

  // The rows of a table in the order of WHATWG's "forming a table": head, bodies, foot last; of a grid as drawn.
  function rowGroups(table) {
    if (table.tagName !== "TABLE") {
      const known = new Map();
      const grid = drawn(table, table.matches(TABLES) ? cellsOfRole(table) : boxesIn(table, known).cells);
      if (grid) return [{ head: false, rows: grid.lines }];
      const rows = [...table.querySelectorAll('[role="row"]')].filter((row) => row.closest(TABLES) === table);
      return [{ head: false, rows }];
    }
    const groups = [];
    const feet = [];
    let loose = null;
    for (const child of table.children) {
      if (child.tagName === "TR") {
        if (!loose) { loose = { head: false, rows: [] }; groups.push(loose); }
        loose.rows.push(child);
        continue;
      }
      loose = null;
      if (!/^(THEAD|TBODY|TFOOT)$/.test(child.tagName)) continue;
      const group = { head: child.tagName === "THEAD", rows: [...child.children].filter((row) => row.tagName === "TR") };
      (child.tagName === "TFOOT" ? feet : groups).push(group);
    }
    return [...groups, ...feet];
  }

  // Whether a row, or the larger part of one of several containers, stands in a box.
  const standsIn = (row, box) => (row instanceof Line ? row.elements.filter((each) => box.contains(each)).length * 2 >= row.elements.length : box.contains(row));

  const rowShown = (row) => row instanceof Line || visible(row);

  function cellsShown(row) {
    if (row instanceof Line) return row.cells.map(({ element }) => element);
    return [...(row.tagName === "TR" ? row.cells : row.querySelectorAll(CELLS))].filter((cell) => visible(cell));
  }

  const isLink = (cell) => [...cell.querySelectorAll("a[href]")].some((link) => link.textContent.trim() === cell.textContent.trim());

  // Whether a reader sees a table in what the markup does not give as one. Boxes most of which are links are a menu.
  function isGrid(root) {
    if (root.tagName === "TABLE") return false;
    const cells = root.matches(TABLES) ? [] : rowGroups(root).flatMap(({ rows }) => rows.flatMap((row) => row.elements));
    return cells.filter(isLink).length * 2 <= cells.length;
  }

  // What the rows and cells were that a table was read from, so that they are drawn without a second reading.
  const tablesRead = {
    keep(tables) { window[Symbol.for("verifaible.tables")] = new Map(tables); },
    get(table) { return (window[Symbol.for("verifaible.tables")] || new Map()).get(table); },
  };

  // A table cell by cell, spans not yet spread; onRow(row, cells) is called for each that is read.
  function readTable(table, onRow = () => {}) {
    const groups = rowGroups(table);
    const scopes = new Set(["row", "col", "rowgroup", "colgroup"]);
    const span = (cell, name, aria) => {
      const value = Number.parseInt(cell.getAttribute(name) || cell.getAttribute(aria) || "1", 10);
      return Number.isNaN(value) || value < 0 ? 1 : value;
    };
    const rows = [];
    const sizes = [];
    let headRows = 0;
    for (const group of groups) {
      const shown = group.rows.filter(rowShown);
      if (group.head) headRows += shown.length;
      sizes.push(shown.length);
      for (const row of shown) {
        const cells = cellsShown(row);
        onRow(row, cells);
        rows.push(cells.map((cell, at) => {
          if (!cell) return { text: "", absent: true };
          const role = cell.getAttribute("role");
          const scope = (cell.getAttribute("scope") || "").toLowerCase();
          return {
            text: row instanceof Line ? row.cells[at].text : textOf(cell, { nested: false }),
            rowspan: row instanceof Line ? row.cells[at].rowspan : span(cell, "rowspan", "aria-rowspan"),
            colspan: row instanceof Line ? row.cells[at].colspan : Math.max(1, span(cell, "colspan", "aria-colspan")),
            header: cell.tagName === "TH" || role === "columnheader" || role === "rowheader",
            scope: scopes.has(scope) ? scope : role === "columnheader" ? "col" : role === "rowheader" ? "row" : "",
          };
        }));
      }
    }
    const caption = table.caption ? textOf(table.caption) : table.getAttribute("aria-label") || "";
    return { css_path: cssPath(table), caption, rows, groups: sizes, head_rows: headRows };
  }

  // The box in which the rows of a table scroll: the table, a box inside or around it, or the page (path "").
  // height and extent are pixels: what is seen, and all of it. drawn counts the rows in the DOM, all those that the
  // extent has room for (or that the table says it has, if that agrees); sparse says that some are missing.
  function scrollBox(table) {
    const rows = rowGroups(table).flatMap((group) => group.rows).filter((row) => row.getClientRects().length);
    const filled = rows.filter((row) => row.textContent.trim());
    const used = filled.reduce((sum, row) => sum + row.getBoundingClientRect().height, 0);
    const count = Number(table.getAttribute("aria-rowcount") || 0);
    const missing = count > filled.length || count === -1;
    const scrolls = (box) => /auto|scroll/.test(getComputedStyle(box).overflowY) && box.clientHeight > 0 && box.scrollHeight > box.clientHeight + 1;
    const holds = (box) => rows.length > 0 && rows.filter((row) => standsIn(row, box)).length * 2 >= rows.length;
    const inside = [...table.querySelectorAll("*")].find((box) => scrolls(box) && holds(box));
    let box = inside || (scrolls(table) ? table : null);
    for (let node = table.parentElement || table.getRootNode().host; !box && node && node !== document.body && node !== document.documentElement; node = node.parentElement || node.getRootNode().host) {
      if (scrolls(node)) box = node;
    }
    const found = (sparse, extent, of) => {
      const room = Math.round(extent * filled.length / Math.max(used, 1));
      const all = Math.abs(count - room) <= room * 0.1 ? count : room;
      return { ...of, sparse, drawn: filled.length, all };
    };
    if (box) {
      const { clientHeight: height, scrollHeight: extent, scrollTop: top } = box;
      // Space that no row takes is kept for rows that are not there; unless other words stand in it.
      const alone = () => textOf(box).length - textOf(table).length < 200;
      return found(missing || (extent > used * 1.3 + height / 2 && alone()), extent, { path: cssPath(box), height, extent, top });
    }
    const page = document.scrollingElement;
    if (!page || page.scrollHeight <= window.innerHeight + 1) return null;
    const room = table.getBoundingClientRect().height;
    const sparse = missing || room > used * 1.3 + window.innerHeight / 2;
    return sparse ? found(sparse, room, { path: "", height: window.innerHeight, extent: page.scrollHeight, top: page.scrollTop }) : null;
  }

  return { ...lib, tableElements, isGrid, rowGroups, rowShown, standsIn, cellsShown, tablesRead, readTable, scrollBox };
}

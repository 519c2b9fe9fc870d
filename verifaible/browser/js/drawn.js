// How boxes of words stand on the screen: in rows and columns, whatever containers, panes and overlays they are in.
(lib) => {
  const { visible, textShown, textOf } = lib;
  const CELLS = '[role="cell"],[role="gridcell"],[role="columnheader"],[role="rowheader"]';
  const TABLES = '[role="table"],[role="grid"],[role="treegrid"]';
  const UNREAD = /^(SCRIPT|STYLE|TEMPLATE|NOSCRIPT|SVG|MATH|IFRAME|CANVAS|VIDEO|AUDIO|OBJECT|SELECT|TEXTAREA|INPUT)$/i;

  const over = (node) => node.assignedSlot || node.parentElement || (node.parentNode && node.parentNode.host) || null;
  const childrenOf = (node) => (node.shadowRoot || (node.tagName === "SLOT" && node.assignedNodes().length ? { childNodes: node.assignedNodes() } : node)).childNodes;
  const isCell = (element) => element.tagName === "TD" || element.tagName === "TH" || element.matches(CELLS);

  // --- the boxes that words stand in

  // The cells below an element: those that the markup calls so, and blocks of words that hold no other block. A
  // block that is all there is in another one stands for it. A heading is no cell. whole: a box with words beside its blocks.
  function boxesIn(element, known) {
    if (known.has(element)) return known.get(element);
    const found = { cells: [], words: false, whole: false, titles: [] };
    known.set(element, found);
    if (UNREAD.test(element.tagName) || !visible(element)) return found;
    if (isCell(element) || /^H[1-6]$/.test(element.tagName) || element.getAttribute("role") === "heading") {
      (isCell(element) ? found.cells : found.titles).push(element);
      return found;
    }
    for (const child of childrenOf(element)) {
      if (child.nodeType === Node.TEXT_NODE) found.words = found.words || (/\S/.test(child.data) && textShown(child.parentElement || element));
      if (child.nodeType !== Node.ELEMENT_NODE) continue;
      const inner = boxesIn(child, known);
      for (const cell of inner.cells) found.cells.push(cell);
      found.words = found.words || inner.words;
      found.titles.push(...inner.titles);
    }
    const { display } = getComputedStyle(element);
    if (display === "contents" || display === "inline") return found;
    found.whole = found.words && found.cells.length > 0;
    if (found.words || (found.cells.length === 1 && !isCell(found.cells[0]))) found.cells = [element];
    found.words = false;
    return found;
  }

  // The cells of a grid with roles: in its rows, or in what stands beside its rows without a role.
  function cellsOfRole(root) {
    const own = (each) => each.parentElement && each.parentElement.closest(`${TABLES},table:not([role="presentation"],[role="none"])`) === root;
    const rows = [...root.querySelectorAll('[role="row"]')].filter(own);
    const beside = new Set(rows.flatMap((row) => [...row.parentElement.children]).filter((each) => !each.getAttribute("role")));
    const known = new Map();
    const cells = [...root.querySelectorAll(`${CELLS},td,th`)].filter((cell) => own(cell) && !cell.parentElement.closest(`${CELLS},td,th`));
    for (const row of [...rows, ...beside]) {
      const inner = boxesIn(row, known).cells;
      const named = row.querySelector(`${CELLS},td,th`);
      // Words beside the cells of a row are read as well: the name of a group of columns often has no role.
      if (named) cells.push(...inner.filter((cell) => !cell.matches(`${CELLS},td,th`) && !cell.querySelector(`${CELLS},td,th`)));
      else if (inner.length > 1 || rows.includes(row)) cells.push(...inner.filter((cell) => cell !== row));
    }
    for (const owner of [root, ...root.querySelectorAll("[aria-owns]")]) {
      for (const id of (owner.getAttribute("aria-owns") || "").split(/\s+/).filter(Boolean)) {
        const owned = root.getRootNode().getElementById(id);
        if (owned) cells.push(...(isCell(owned) ? [owned] : owned.querySelectorAll(CELLS)));
      }
    }
    return [...new Set(cells)].filter((cell) => visible(cell));
  }

  // What a reader reads in a cell. A header that a box without a scroll bar cuts off, or a part of, is scrolled into
  // view together with its column; whether it is seen then is looked at when it is cited.
  function wordsOf(cell) {
    const words = textOf(cell, { nested: false });
    if (!(cell.tagName === "TH" || cell.getAttribute("role") === "columnheader")) return words;
    const own = cell.getBoundingClientRect();
    for (let node = over(cell); node && node !== document.body; node = over(node)) {
      const box = node.getBoundingClientRect();
      const cut = (own.right > box.right + 1 || own.left < box.left - 1) && own.top < box.bottom && own.bottom > box.top;
      if (cut && node.scrollWidth > node.clientWidth && getComputedStyle(node).overflowX === "hidden") return cell.innerText.replace(/\s+/g, " ").trim();
    }
    return words;
  }

  // --- bands: the rows and the columns that boxes stand in

  const AXES = {
    x: { from: "left", to: "right", overflow: "overflowX", all: "scrollWidth", seen: "clientWidth", at: "scrollLeft" },
    y: { from: "top", to: "bottom", overflow: "overflowY", all: "scrollHeight", seen: "clientHeight", at: "scrollTop" },
  };

  // What a box is scrolled with along an axis: nothing, a pane, or the edge of one that it sticks to. joined: a pane
  // that is not scrolled is none for what is in view: inView, with the view's ends.
  function paneOf(box, root, axis, { extents, joined }) {
    const { from, to, overflow, all, seen, at } = AXES[axis];
    let stuck = "";
    for (let node = box.element; node; node = over(node)) {
      const style = getComputedStyle(node);
      if (style.position === "sticky" && !stuck) stuck = style[from] !== "auto" ? "first" : style[to] !== "auto" ? "last" : "";
      if (node !== box.element && style[overflow] !== "visible" && node[all] > node[seen] + 2 && extents.get(node)[axis] > 2) {
        const rect = node.getBoundingClientRect();
        const held = { from: rect[from], to: rect[to], stuck };
        const middle = (box[axis][0] + box[axis][1]) / 2;
        if (!joined || stuck || node[at]) return held;
        return { ...held, view: [rect[from], rect[to]], inView: rect[from] <= middle && middle <= rect[to] };
      }
      if (node === root) break;
    }
    return stuck ? { from: -1e6, to: 1e6, stuck } : null;
  }

  // How far the middles of the boxes in each element lie apart: what holds only one band of them is no pane.
  function extentsOf(boxes, root) {
    const spans = new Map();
    for (const box of boxes) {
      for (let node = box.element; node; node = node === root ? null : over(node)) {
        const span = spans.get(node) || { x: [Infinity, -Infinity], y: [Infinity, -Infinity] };
        for (const axis of ["x", "y"]) span[axis] = [Math.min(span[axis][0], box[axis][0]), Math.max(span[axis][1], box[axis][0])];
        spans.set(node, span);
      }
    }
    return new Map([...spans].map(([node, { x, y }]) => [node, { x: x[1] - x[0], y: y[1] - y[0] }]));
  }

  // The bands of boxes along an axis, each box with the first and the last it covers; lanesOf(box) names the lanes of
  // the other axis, in which boxes follow one another. What is scrolled by different panes shares no band.
  function band(boxes, root, axis, lanesOf, panes) {
    const groups = [];
    const partly = []; // what is in view in part covers what it stands over on both sides of the edge
    const same = (one, other) => (one === null || other === null ? one === other
      : one.stuck === other.stuck && Math.abs(one.from - other.from) <= 3 && Math.abs(one.to - other.to) <= 20);
    for (const box of boxes) {
      const held = paneOf(box, root, axis, panes);
      const pane = held && held.inView ? null : held;
      let group = groups.find((each) => same(each.pane, pane));
      if (!group) groups.push(group = { pane, boxes: [] });
      group.boxes.push(box);
      if (held && held.view && box[axis].some((end) => end < held.view[0] || end > held.view[1])) partly.push({ box, held, pane });
    }
    const bands = [];
    for (const { pane, boxes: members } of groups) {
      const lanes = new Map();
      for (const box of members) {
        for (const lane of lanesOf(box)) {
          if (!lanes.has(lane)) lanes.set(lane, []);
          lanes.get(lane).push(box);
        }
      }
      const cuts = [];
      const middle = (box) => (box[axis][0] + box[axis][1]) / 2;
      for (const lane of lanes.values()) {
        lane.sort((one, other) => one[axis][0] - other[axis][0]);
        lane.slice(1).forEach((box, at) => { if (lane[at][axis][1] <= box[axis][0] + 2) cuts.push([middle(lane[at]), middle(box)]); });
      }
      // A box spans bands if it covers the middles of two boxes that follow one another.
      cuts.sort(([one], [other]) => other - one);
      let nearest = Infinity;
      for (const cut of cuts) cut.push(nearest = Math.min(nearest, cut[1]));
      const spans = (box) => {
        let [low, high] = [0, cuts.length];
        while (low < high) {
          const half = (low + high) >> 1;
          if (cuts[half][0] >= box[axis][0] - 1) low = half + 1;
          else high = half;
        }
        return low > 0 && cuts[low - 1][2] <= box[axis][1] + 1;
      };
      const wide = new Set(members.filter(spans));
      const own = [];
      for (const box of members.filter((each) => !wide.has(each)).sort((one, other) => one[axis][0] - other[axis][0])) {
        const [start, end] = box[axis];
        const last = own[own.length - 1];
        if (last && start < last.end - 0.3 * Math.min(end - start, last.end - last.start)) last.end = Math.max(last.end, end);
        else own.push({ start, end, members: [] });
        own[own.length - 1].members.push(box);
      }
      for (const each of own) {
        const held = pane && Math.min(Math.max(each.start, pane.from - 0.5), pane.to - 0.5);
        each.order = !pane ? each.start : pane.stuck === "first" ? pane.from - 1 : pane.stuck ? pane.to + 1 : held;
        const at = (each.start + each.end) / 2;
        const covers = ([start, end]) => start - 1 <= at && at <= end + 1;
        for (const box of wide) if (covers(box[axis])) each.members.push(box);
        for (const { box, held, pane: own } of partly) {
          if (!covers(box[axis])) continue;
          if (pane ? !own && same(held, pane) : own && covers(held.view)) each.members.push(box);
        }
        bands.push(each);
      }
    }
    bands.sort((one, other) => one.order - other.order || one.start - other.start);
    for (const box of boxes) box[axis + "s"] = [Infinity, -1];
    bands.forEach(({ members }, index) => members.forEach((box) => {
      box[axis + "s"] = [Math.min(box[axis + "s"][0], index), Math.max(box[axis + "s"][1], index)];
    }));
    return bands;
  }

  // Which of two boxes in one place is seen; null where that is not certain.
  function upper(one, other) {
    if (one.text === other.text && one.element.contains(other.element)) return one;
    const [x, y] = ["x", "y"].map((axis) => (Math.max(one[axis][0], other[axis][0]) + Math.min(one[axis][1], other[axis][1])) / 2);
    for (let seen = document.elementFromPoint(x, y), root = document; seen; ) {
      const inner = seen.shadowRoot && seen.shadowRoot !== root ? seen.shadowRoot.elementFromPoint(x, y) : null;
      if (inner && inner !== seen) { root = seen.shadowRoot; seen = inner; continue; }
      for (let node = seen; node; node = over(node)) {
        if (node === one.element) return one;
        if (node === other.element) return other;
      }
      break;
    }
    return one.text === other.text ? one : null;
  }

  // The rows of a grid as they are drawn; null where its boxes do not stand in rows and columns, as words in a line do not.
  function drawn(root, cells) {
    const boxes = [];
    if (cells.some((cell) => getComputedStyle(cell).display === "inline")) return null;
    for (const element of cells) {
      const { left, right, top, bottom } = element.getBoundingClientRect();
      if (right - left < 1 || bottom - top < 1) continue;
      const text = wordsOf(element);
      if (text) boxes.push({ element, text, x: [left, right], y: [top, bottom] });
    }
    if (!boxes.length) return null;
    const extents = extentsOf(boxes, root);
    return placed(boxes, root, { extents, joined: true }) || placed(boxes, root, { extents, joined: false });
  }

  function placed(boxes, root, panes) {
    const rows = band(boxes, root, "y", ({ x }) => [`left ${Math.round(x[0])}`, `right ${Math.round(x[1])}`], panes);
    const columns = band(boxes, root, "x", ({ ys }) => (ys[0] === ys[1] ? [ys[0]] : []), panes);
    if (rows.length * columns.length > 1e6) return null;
    const slots = rows.map(() => columns.map(() => null));
    const gone = new Set();
    for (const box of boxes) {
      const covered = [];
      for (let row = box.ys[0]; row <= box.ys[1]; row += 1) for (let column = box.xs[0]; column <= box.xs[1]; column += 1) covered.push([row, column]);
      const rivals = new Set(covered.map(([row, column]) => slots[row][column]).filter((each) => each && !gone.has(each)));
      if (!covered.length) return null;
      let kept = true;
      for (const rival of rivals) {
        const seen = upper(rival, box);
        if (!seen || (panes.joined && rival.text !== box.text) || rival.xs.join() !== box.xs.join() || rival.ys.join() !== box.ys.join()) return null;
        if (seen === rival) kept = false;
        else gone.add(rival);
      }
      if (kept) for (const [row, column] of covered) slots[row][column] = box;
    }
    if (getComputedStyle(root).direction === "rtl") {
      slots.forEach((row) => row.reverse());
      for (const box of boxes) box.xs = box.xs.map((each) => columns.length - 1 - each).reverse();
    }
    return { rows, columns, boxes: boxes.filter((box) => !gone.has(box)), lines: slots.map((row, index) => new Line(row.flatMap((box, column) => {
      if (!box) return [{ element: null, rowspan: 1, colspan: 1 }];
      const { xs, ys } = box;
      return xs[0] === column && ys[0] === index ? [{ element: box.element, text: box.text, rowspan: ys[1] - ys[0] + 1, colspan: xs[1] - xs[0] + 1 }] : [];
    }))) };
  }

  // A row as it is drawn, which answers what a row's element would.
  class Line {
    constructor(cells) { this.cells = cells; }
    get elements() { return this.cells.map(({ element }) => element).filter(Boolean); }
    get textContent() { return this.elements.map((each) => each.textContent).join("\n"); }
    get isConnected() { return this.elements.every((each) => each.isConnected); }
    getClientRects() { return this.elements.flatMap((each) => [...each.getClientRects()]); }
    getBoundingClientRect() {
      const rects = this.elements.map((each) => each.getBoundingClientRect());
      const [left, top] = [Math.min(...rects.map((each) => each.left)), Math.min(...rects.map((each) => each.top))];
      const [right, bottom] = [Math.max(...rects.map((each) => each.right)), Math.max(...rects.map((each) => each.bottom))];
      return new DOMRect(left, top, right - left, bottom - top);
    }
  }

  return { ...lib, CELLS, TABLES, Line, boxesIn, cellsOfRole, childrenOf, drawn, isCell };
}

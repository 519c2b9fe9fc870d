// What every in-page script of verifaible shares: which text a reader can see, and how an
// element is found again. Nothing here changes the page.
() => {
  const SKIP = new Set(["SCRIPT", "STYLE", "TEMPLATE", "NOSCRIPT", "HEAD", "TITLE", "META", "LINK",
    "IFRAME", "FRAME", "OBJECT", "CANVAS", "AUDIO", "VIDEO", "DESC", "METADATA", "TEXTAREA", "SELECT",
    "DATALIST"]);
  const SUPERSCRIPT = { 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹", "+": "⁺", "-": "⁻", "(": "⁽", ")": "⁾" };
  const SPACE = /[ \t\n\r\f]/;

  const visibility = new Map();

  // A box clipped to nothing or pushed off the top left edge cannot be read; being below the fold can.
  function boxHidden(element, style) {
    if (/inset\((50%|100%)/.test(style.clipPath) || /opacity\(0(%|\))/.test(style.filter)) return true;
    if (style.transform.startsWith("matrix(0, 0, 0, 0,")) return true;
    if (element.getClientRects().length && element.getBoundingClientRect().right + window.scrollX < 0) return true;
    if (style.position === "absolute" || style.position === "fixed") {
      const box = element.getBoundingClientRect();
      const clipped = style.clip !== "auto" && /rect\((0px|1px),? ?(0px|1px),? ?(0px|1px),? ?(0px|1px)\)/.test(style.clip);
      if (clipped) return true;
      if (style.overflow !== "visible" && box.width <= 1 && box.height <= 1) return true;
      if (box.bottom + window.scrollY < 0) return true;
    }
    return style.overflow === "hidden" && style.display !== "inline" && style.display !== "contents" &&
      (element.clientHeight === 0 || element.clientWidth === 0) &&
      element.getClientRects().length > 0 && (element.offsetHeight <= 1 || element.offsetWidth <= 1);
  }

  function visible(element) {
    const known = visibility.get(element);
    if (known !== undefined) return known;
    let answer;
    const style = getComputedStyle(element);
    if (style.display === "contents") answer = true;
    else if (style.display === "none" || Number(style.opacity) < 0.05 || style.contentVisibility === "hidden") answer = false;
    else if (element.checkVisibility && !element.checkVisibility() && style.display !== "contents") answer = false;
    else answer = !boxHidden(element, style);
    visibility.set(element, answer);
    return answer;
  }

  // visibility: hidden is inherited but can be undone by a child, so it is asked where the text stands.
  function textShown(parent) {
    const style = getComputedStyle(parent);
    // Transparent letters are not seen, unless a background shines through their shapes.
    if (/^rgba\(.*, 0\)$/.test(style.webkitTextFillColor) && style.backgroundClip !== "text") return false;
    // Indented out of the window: the old way to put a picture in the place of words.
    return style.visibility === "visible" && Number.parseFloat(style.fontSize) > 0 && !(Number.parseFloat(style.textIndent) < -999);
  }

  const BLOCK = /^(block|flex|grid|list-item|table|table-row|table-caption|table-row-group|table-header-group|table-footer-group|flow-root)$/;

  // Walks the visible text below root; emit(node, offset, character) for each character that is
  // shown, with runs of collapsible white space given once, "\n" between blocks and "\t" between
  // cells (node null: the separator stands nowhere). options.nested === false leaves nested tables out.
  function walk(root, emit, options = {}) {
    let pending = "";     // a separator that is due before the next character
    let space = true;     // whether the last thing given was white space
    let blank = null;     // where a space stands that is shown only if more follows on its line
    const due = (mark) => { if (mark === "\n" || !pending) pending = mark; };

    function give(node, offset, character) {
      if (pending) {
        if (!first) emit(null, 0, pending);
        pending = "";
        space = true;
      } else if (blank) emit(blank.node, blank.offset, " ");
      blank = null;
      first = false;
      emit(node, offset, character);
    }
    let first = true;

    function textNode(node) {
      const parent = node.parentElement || (node.parentNode && node.parentNode.host);
      if (!parent || !node.data || !textShown(parent)) return;
      const mode = getComputedStyle(parent).whiteSpaceCollapse || "collapse";
      const breaks = mode === "preserve-breaks";
      const keep = mode !== "collapse" && !breaks;
      const data = node.data;
      // 10<sup>2</sup> reads 10², and must not become 102; the same for a footnote's number.
      const raised = parent.closest("sup") && [...data].every((each) => each in SUPERSCRIPT);
      let waiting = -1;
      for (let i = 0; i < data.length; ) {
        const code = data.codePointAt(i);
        const size = code > 0xffff ? 2 : 1;
        const character = data.substr(i, size);
        if (breaks && character === "\n") {
          waiting = -1;
          blank = null;
          give(node, i, character);
          space = true;
          i += size;
          continue;
        }
        if (!keep && SPACE.test(character)) {
          if (!space && waiting < 0) waiting = i;
          i += size;
          continue;
        }
        if (waiting >= 0) {
          if (!pending) give(node, waiting, " ");
          waiting = -1;
        }
        give(node, i, raised ? SUPERSCRIPT[character] : character === "\r" ? "\n" : character);
        space = false;
        i += size;
      }
      if (waiting >= 0 && !pending) {
        blank = { node, offset: waiting };
        space = true;
      }
    }

    function children(node) {
      if (node.shadowRoot) return node.shadowRoot.childNodes;
      if (node.tagName === "SLOT") {
        const assigned = node.assignedNodes();
        if (assigned.length) return assigned;
      }
      return node.childNodes;
    }

    function element(node) {
      const tag = node.tagName.toUpperCase();
      if (tag === "BR") { due("\n"); return; }
      if (SKIP.has(tag) || !visible(node)) return;
      if (options.nested === false && node !== root && tag === "TABLE") return;
      const display = getComputedStyle(node).display;
      const block = BLOCK.test(display);
      if (block) due("\n");
      // The browser hides what a closed details holds, but says so only of elements, not of bare text.
      if (tag === "DETAILS" && !node.open) {
        const summary = [...node.children].find((child) => child.tagName === "SUMMARY");
        if (summary) visit(summary);
      } else for (const child of children(node)) visit(child);
      if (block) due("\n");
      else if (display === "table-cell") due("\t");
    }

    function visit(node) {
      if (node.nodeType === Node.TEXT_NODE) textNode(node);
      else if (node.nodeType === Node.ELEMENT_NODE) element(node);
    }
    visit(root);
  }

  function textOf(root, options) {
    let text = "";
    walk(root, (node, offset, character) => { text += character; }, options);
    return text.replace(/\s*\n\s*/g, " ").replace(/[ \t]+/g, " ").trim();
  }

  function escape(value) { return CSS.escape(value); }

  // A selector that finds exactly this element in its root; segments over shadow roots are
  // joined with " >>> ".
  function cssPath(element) {
    const root = element.getRootNode();
    const parts = [];
    let node = element;
    while (node && node.nodeType === Node.ELEMENT_NODE) {
      if (node.id && root.querySelectorAll("#" + escape(node.id)).length === 1) {
        parts.unshift("#" + escape(node.id));
        break;
      }
      const tag = node.tagName.toLowerCase();
      const siblings = node.parentNode ? [...node.parentNode.children] : [node];
      const same = siblings.filter((child) => child.tagName === node.tagName);
      const part = same.length > 1 ? `${tag}:nth-of-type(${same.indexOf(node) + 1})` : tag;
      if (node.parentElement) parts.unshift(part);
      // At the top of a shadow root nothing holds the path to the top but this.
      else parts.unshift(root.querySelector([part, ...parts].join(" > ")) === element ? part : `${part}:not(* > *)`);
      node = node.parentElement;
    }
    const path = parts.join(" > ");
    return root.host ? cssPath(root.host) + " >>> " + path : path;
  }

  function resolve(path) {
    let root = document;
    let element = null;
    for (const part of path.split(" >>> ")) {
      element = root ? root.querySelector(part) : null;
      root = element && element.shadowRoot;
    }
    return element;
  }

  function pageRect(rect) {
    return { x: rect.left + window.scrollX, y: rect.top + window.scrollY, width: rect.width, height: rect.height };
  }

  // What is left of a client rectangle inside the boxes around element that clip or scroll; width 0
  // where nothing is.
  function clipped(element, rect) {
    let { left, top, right, bottom } = rect;
    for (let node = element.parentElement; node && node !== document.body && node !== document.documentElement; node = node.parentElement) {
      const style = getComputedStyle(node);
      if (style.overflowX === "visible" && style.overflowY === "visible") continue;
      const box = node.getBoundingClientRect();
      left = Math.max(left, box.left);
      top = Math.max(top, box.top);
      right = Math.min(right, box.right);
      bottom = Math.min(bottom, box.bottom);
    }
    const shown = right > left && bottom > top;
    return pageRect({ left, top, width: shown ? right - left : 0, height: shown ? bottom - top : 0 });
  }

  // Ranges that cover the characters [start, end) of the text that walk gives for body.
  function rangesOf(start, end) {
    const ranges = [];
    let position = 0;
    let current = null;
    walk(document.body, (node, offset, character) => {
      if (node && position >= start && position < end) {
        if (current && current.node === node && current.to === offset) current.to = offset + character.length;
        else {
          current = { node, from: offset, to: offset + character.length };
          ranges.push(current);
        }
      }
      position += 1;
    });
    return ranges.map(({ node, from, to }) => {
      const range = document.createRange();
      range.setStart(node, from);
      range.setEnd(node, to);
      return range;
    });
  }

  // Tables and ARIA tables that a reader can see, in document order, through open shadow roots.
  function tableElements() {
    const found = [];
    (function search(root) {
      for (const element of root.querySelectorAll("*")) {
        if (element.shadowRoot) search(element.shadowRoot);
        const role = element.getAttribute("role");
        const isTable = element.tagName === "TABLE" ? role !== "presentation" && role !== "none"
          : role === "table" || role === "grid" || role === "treegrid";
        if (isTable && visible(element) && element.getClientRects().length) found.push(element);
      }
    })(document);
    return found;
  }

  // The rows of a table in the order of WHATWG's "forming a table": head, bodies, foot last.
  function rowGroups(table) {
    if (table.tagName !== "TABLE") {
      const rows = [...table.querySelectorAll('[role="row"]')].filter((row) => row.closest('[role="table"],[role="grid"],[role="treegrid"]') === table);
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

  function cellsOf(row) {
    if (row.tagName === "TR") return [...row.cells];
    return [...row.querySelectorAll('[role="cell"],[role="gridcell"],[role="columnheader"],[role="rowheader"]')];
  }

  return { visible, textShown, walk, textOf, cssPath, resolve, pageRect, clipped, rangesOf, tableElements, rowGroups, cellsOf };
}

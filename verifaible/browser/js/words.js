// The words of what was located last, as rectangles in page coordinates of this frame, and how to take their ink
// away and give it back: "all" gives every word with its block; "measure" scrolls the first word that is asked for into
// view, as a person would, and gives the words from there on that are in view then,
// or that it is not to be found any more ("lost"); "hide" and "strip" make them
// transparent, "show" undoes both.
async (lib, { act, from = 0, most = 0, turn = 0 }) => {
  const NAME = "verifaible-ink";
  const STATE = Symbol.for("verifaible.ink");
  const holder = (range) => range.startContainer.parentElement || range.startContainer.getRootNode().host;

  // The words of a header that nobody can scroll into view: they are looked at like all others.
  function unread(cell) {
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      if (!walker.currentNode.data.trim()) continue;
      const range = document.createRange();
      range.selectNodeContents(walker.currentNode);
      return [range];
    }
    return [];
  }

  const split = (spans) => spans.flatMap((range) => {
    const { startContainer: node, startOffset: first, endOffset: last } = range;
    return [...node.data.slice(first, last).matchAll(/\S+/g)].map((match) => {
      const word = document.createRange();
      word.setStart(node, first + match.index);
      word.setEnd(node, first + match.index + match[0].length);
      return word;
    });
  });

  // Of a table the cited cell, which comes first, must be looked at; the headers that name it where they are there.
  function located() {
    const { ranges, named } = lib.located.get();
    if (ranges) return { words: split(ranges), needed: Infinity };
    const [first, ...rest] = [...new Set(named || [])].filter(Boolean).map((cell) => {
      const read = lib.rangesIn(cell);
      return split(read.length || !cell.innerText || !cell.innerText.trim() ? read : unread(cell));
    });
    return { words: [...(first || []), ...rest.flat()], needed: first ? first.length : 0 };
  }

  // A page may draw its text anew when it is scrolled: what says the same at the same place is looked at instead.
  function again() {
    const { ranges, start, end, readings } = lib.located.get();
    if (!ranges) return;
    const now = split(lib.rangesOf(start, end, { readings }));
    if (now.map(String).join(" ") === state.texts.join(" ")) state.words = now;
  }

  if (!window[STATE]) {
    const { words, needed } = located();
    window[STATE] = { words, needed, texts: words.map(String), styles: [] };
  }
  const state = window[STATE];
  const there = (place) => state.words[place].startContainer.isConnected && String(state.words[place]) === state.texts[place];
  if (act === "measure" && from < state.words.length && !there(from)) again();
  const chosen = state.words.slice(from, from + most);

  if (act === "all") {
    const blocks = new Map();
    const blockOf = (element) => {
      let block = element;
      while (block.parentElement && /^(inline|contents|ruby)/.test(getComputedStyle(block).display)) block = block.parentElement;
      if (!blocks.has(block)) blocks.set(block, blocks.size);
      return blocks.get(block);
    };
    const straight = (element) => {
      for (let node = element; node; node = node.parentElement || node.getRootNode().host) {
        const { transform, rotate } = getComputedStyle(node);
        const m = transform === "none" ? null : new DOMMatrixReadOnly(transform);
        if (rotate !== "none" || (m && (Math.abs(m.b) > 0.02 || Math.abs(m.c) > 0.02))) return false;
      }
      return true;
    };
    const turned = new Map();
    const isStraight = (element) => {
      if (!turned.has(element)) turned.set(element, straight(element));
      return turned.get(element);
    };
    // Letters and figures of a word run to the right, but for those of scripts that run to the left.
    const LEFTWARDS = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;
    const part = (word, from, to) => {
      const range = document.createRange();
      range.setStart(word.startContainer, word.startOffset + from);
      range.setEnd(word.startContainer, word.startOffset + to);
      return range;
    };
    const seen = (range) => [...range.getClientRects()].filter(({ width, height }) => width > 0 && height > 0);
    return lib.atRest(() => chosen.map((word) => {
      const text = String(word);
      const element = holder(word);
      const vertical = getComputedStyle(element).writingMode.startsWith("vertical");
      const [first, last] = [text.search(/[\p{L}\p{N}]/u), text.search(/[\p{L}\p{N}][^\p{L}\p{N}]*$/u)];
      let rects = seen(word);
      // Where the paragraph runs the other way a full stop may be drawn on the other side of its word.
      if (rects.length > 1 && first >= 0) rects = seen(part(word, first, last + 1));
      const [one, other] = [first, last].map((at) => part(word, Math.max(at, 0), Math.max(at, 0) + 1).getBoundingClientRect());
      const level = Math.min(one.bottom, other.bottom) > Math.max(one.top, other.top) + 1;
      const backwards = !vertical && first < last && !LEFTWARDS.test(text) && level && other.right < one.left + 1;
      if (!isStraight(element)) rects = [];
      return { text, rects: rects.map((rect) => lib.pageRect(rect)), block: blockOf(element), vertical, backwards: backwards && rects.length > 0 };
    }));
  }

  if (act === "measure") {
    const first = state.words[from];
    if (!first || !there(from)) return { words: [], total: state.words.length, lost: Boolean(first) && from < state.needed };
    const inWindow = ({ left, top, right, bottom }) => left >= 0 && top >= 0 && right <= window.innerWidth && bottom <= window.innerHeight;
    const isInView = (word, rects) => rects.every(inWindow) && rects.every((rect) => lib.clipped(holder(word), rect).width > 0);
    const isOnTop = ({ left, top, right, bottom }) => {
      const over = holder(first).getRootNode().elementFromPoint((left + right) / 2, (top + bottom) / 2);
      return over && (over.contains(holder(first)) || holder(first).contains(over));
    };
    const now = [...first.getClientRects()];
    // A page may move its parts for ever where it was scrolled to: what is in view is not scrolled to, and each further
    // turn looks from elsewhere. A frame does not know whether it is in view itself.
    if (turn || window !== window.top || !now.length || !isInView(first, now) || !now.every(isOnTop)) {
      await lib.scroller(holder(first))(() => {
        lib.scrollAsPerson(holder(first), first);
        if (turn) window.scrollBy({ top: (turn % 2 ? 0.2 : -0.2) * window.innerHeight, behavior: "instant" });
      });
    }
    await lib.frame();
    const found = [];
    for (const [place, word] of chosen.entries()) {
      if (!there(from + place)) break;
      const rects = [...word.getClientRects()];
      // What is outside the window or scrolled away is looked at when its turn comes; the first has it now.
      if (found.length && !isInView(word, rects)) break;
      found.push({ text: word.toString(), rects: rects.map((rect) => lib.pageRect(rect)) });
    }
    return { words: found, total: state.words.length };
  }

  if (act === "hide") {
    const sheet = new CSSStyleSheet();
    const clear = "color:transparent!important;-webkit-text-fill-color:transparent!important;-webkit-text-stroke-color:transparent!important;" +
      "text-shadow:none!important;text-decoration-color:transparent!important";
    sheet.replaceSync(`::highlight(${NAME}){${clear}}`);
    state.selection = [];
    const selection = document.getSelection();
    for (let i = 0; selection && i < selection.rangeCount; i += 1) state.selection.push(selection.getRangeAt(i));
    if (selection) selection.removeAllRanges();
    const roots = new Set(chosen.map((word) => word.startContainer.getRootNode()));
    for (const root of roots) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    const highlight = new Highlight(...chosen);
    highlight.priority = 1e6;
    CSS.highlights.set(NAME, highlight);
    state.undo = () => {
      CSS.highlights.delete(NAME);
      for (const root of roots) root.adoptedStyleSheets = root.adoptedStyleSheets.filter((each) => each !== sheet);
      for (const range of state.selection) document.getSelection().addRange(range);
    };
  } else if (act === "strip") {
    // Shapes of SVG, letters filled by a ground and shadows are not reached by a highlight: their elements are.
    for (const element of new Set(chosen.map(holder))) {
      state.styles.push([element, element.getAttribute("style")]);
      const set = (name, value) => element.style.setProperty(name, value, "important");
      set("transition", "none");
      for (const name of ["color", "-webkit-text-fill-color", "-webkit-text-stroke-color", "fill", "stroke"]) set(name, "transparent");
      set("text-shadow", "none");
      const { backgroundClip, filter } = getComputedStyle(element);
      if (backgroundClip.includes("text")) set("background", "none");
      if (filter.includes("drop-shadow")) set("filter", "none");
    }
  } else {
    if (state.undo) state.undo();
    state.undo = null;
    for (const [element, style] of state.styles.splice(0)) {
      if (style === null) element.removeAttribute("style");
      else element.setAttribute("style", style);
    }
  }
  await lib.frame();
  await lib.frame();
  return null;
}

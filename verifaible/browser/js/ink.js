// Where words are drawn now, and their ink taken away and given back. Runs in a world of its own, which the page
// cannot see or change. Rectangles are in pixels of the frame's window, as they are when they are measured.
//
// locate: finds the words of each of `asks` ({text, box, thing}) in its node, or in what holds that, at the place nearest
//   to the box (of the document); generated words, which no node holds, and a thing, which has none, stand where the
//   box is. Gives how many words each ask has.
// view: scrolls a word into view, as a person could. measure: the rectangles of words, cut off where they are cut off,
//   whether the page is dark there, and the window. hide, strip: make them transparent; show: undoes both.
async function (act, ...given) {
  const STATE = "verifaible_ink";
  const state = globalThis[STATE] || (globalThis[STATE] = { words: [], styles: [], undo: null });
  // In a frame that may not run scripts nothing is ever called back; a picture that is taken then is of a new frame.
  const frame = () => matchMedia("(scripting: none)").matches ? null : new Promise((done) => { requestAnimationFrame(() => setTimeout(done, 0)); setTimeout(done, 250); });
  const outer = (node) => node.assignedSlot || node.parentElement || (node.getRootNode() instanceof ShadowRoot ? node.getRootNode().host : null);
  // What stands in a field is in a tree of the engine's own, which no style sheet reaches.
  const field = (element) => {
    const root = element.getRootNode();
    return root instanceof ShadowRoot && /^(INPUT|TEXTAREA|SELECT)$/.test(root.host.tagName) ? root.host : element;
  };
  const holder = (word) => field(word.range ? outer(word.range.startContainer) : word.node instanceof Element ? word.node : outer(word.node));
  const rectsOf = (word) => word.range ? [...word.range.getClientRects()]
    : [inField(word, new DOMRect(word.box[0] - scrollX, word.box[1] - scrollY, word.box[2], word.box[3]))];

  // The words of a field fill a part of it only.
  function inField(word, box) {
    const element = holder(word);
    if (!/^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName)) return box;
    const style = getComputedStyle(element);
    const pen = new OffscreenCanvas(1, 1).getContext("2d");
    pen.font = style.font;
    const [before, behind] = [style.paddingLeft, style.paddingRight].map((each) => parseFloat(each) || 0);
    const room = Math.max(1, box.width - before - behind);
    const width = Math.min(room, Math.max(1, pen.measureText(word.text).width));
    const rightwards = style.direction === "rtl" ? "right" : "left";
    const side = { start: rightwards, "-webkit-auto": rightwards, end: rightwards === "left" ? "right" : "left" }[style.textAlign] || style.textAlign;
    const spare = { left: 0, center: 0.5, right: 1 }[side] || 0;
    return new DOMRect(box.x + before + spare * (room - width), box.y, width, box.height);
  }

  function texts(node, found) {
    if (node.nodeType === Node.TEXT_NODE) found.push(node);
    const slotted = node instanceof HTMLSlotElement ? node.assignedNodes({ flatten: true }) : [];
    for (const child of slotted.length ? slotted : (node.shadowRoot || node).childNodes || []) texts(child, found);
    return found;
  }

  // The letters of a text with where they are; blanks are left out, and case is folded.
  function letters(nodes) {
    const found = [];
    for (const node of nodes) {
      for (let at = 0; at < node.data.length; at += 1) {
        const letter = node.data[at];
        if (!/[\s\u00ad\u200b\ufeff]/.test(letter)) found.push([letter.toLowerCase().slice(0, 1), node, at]);
      }
    }
    return found;
  }

  function rangesOf(start, { text, box: [x, y] }) {
    const wanted = [...text.replace(/[\s\u00ad\u200b\ufeff]+/g, "")].join("");
    const asked = Array.from({ length: wanted.length }, (_, at) => wanted[at].toLowerCase().slice(0, 1)).join("");
    for (let node = start, hops = 0; node && hops < 3; node = outer(node), hops += 1) {
      const all = letters(texts(node, []));
      const line = all.map(([letter]) => letter).join("");
      let best = null;
      for (let at = line.indexOf(asked); at >= 0; at = line.indexOf(asked, at + 1)) {
        const range = document.createRange();
        range.setStart(all[at][1], all[at][2]);
        range.setEnd(all[at][1], all[at][2] + 1);
        const place = range.getBoundingClientRect();
        const far = Math.abs(place.x + scrollX - x) + Math.abs(place.y + scrollY - y);
        if (place.width + place.height > 0 && (!best || far < best.far)) best = { at, far };
      }
      if (best) return split(all.slice(best.at, best.at + asked.length), text);
    }
    return null;
  }

  // A range for each word, or for each part of it in another node.
  function split(places, text) {
    const found = [];
    let at = 0;
    for (const word of text.split(/\s+/).filter(Boolean)) {
      let rest = word.replace(/[\u00ad\u200b\ufeff]/g, "").length;
      while (rest > 0 && at < places.length) {
        const [, node, start] = places[at];
        let last = at;
        while (last + 1 < places.length && last + 1 < at + rest && places[last + 1][1] === node) last += 1;
        const range = document.createRange();
        range.setStart(node, start);
        range.setEnd(node, places[last][2] + 1);
        found.push({ range, text: String(range), data: node.data });
        rest -= last + 1 - at;
        at = last + 1;
      }
    }
    return found;
  }

  const scrolls = (element) => ["auto", "scroll", "overlay"].some((value) => {
    const { overflowX, overflowY } = getComputedStyle(element);
    return overflowX === value || overflowY === value;
  });

  // The part of a rectangle that the boxes around it leave; in the window or not.
  function clipped(word, rect) {
    let { left, top, right, bottom } = rect;
    for (let node = holder(word); node; node = outer(node)) {
      if (node === document.documentElement || node === document.body) break;
      const { overflowX, overflowY, position, display } = getComputedStyle(node);
      if (position === "fixed") break;
      if (display === "inline" || (overflowX === "visible" && overflowY === "visible")) continue;
      const box = node.getBoundingClientRect();
      [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
      [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
    }
    return [left, top, Math.max(0, right - left), Math.max(0, bottom - top)];
  }

  function dark(element) {
    for (let node = element; node; node = outer(node)) {
      const [red, green, blue, alpha = 1] = (getComputedStyle(node).backgroundColor.match(/[\d.]+/g) || []).map(Number);
      if (alpha > 0.5) return 0.3 * red + 0.6 * green + 0.1 * blue < 110;
    }
    return false;
  }

  if (act === "locate") {
    const [asks, ...nodes] = given;
    if (state.undo) state.undo();
    state.words = [];
    return asks.map((ask, index) => {
      const node = nodes[index];
      if (!node || !node.isConnected) return 0;
      const whole = { node, text: ask.text, box: ask.box, thing: ask.thing };
      const found = (!ask.thing && rangesOf(node, ask)) || [whole];
      for (const word of found) {
        const [first] = rectsOf(word);
        word.place = first ? [first.x + scrollX, first.y + scrollY] : null;
      }
      state.words.push(...found);
      return found.length;
    });
  }
  if (act === "view") {
    const word = state.words[given[0]];
    if (!word) return null;
    const middle = () => rectsOf(word)[0] || holder(word).getBoundingClientRect();
    for (let node = holder(word); node; node = outer(node)) {
      if (node === document.documentElement || node === document.body || !scrolls(node)) continue;
      const [box, rect] = [node.getBoundingClientRect(), middle()];
      if (rect.top < box.top || rect.bottom > box.bottom) node.scrollTop += rect.top - box.top - (box.height - rect.height) / 2;
      if (rect.left < box.left || rect.right > box.right) node.scrollLeft += rect.left - box.left - (box.width - rect.width) / 2;
    }
    const rect = middle();
    if (rect.top < 0 || rect.bottom > innerHeight) scrollBy({ top: rect.top - (innerHeight - rect.height) / 2, behavior: "instant" });
    if (rect.left < 0 || rect.right > innerWidth) scrollBy({ left: rect.left - (innerWidth - rect.width) / 2, behavior: "instant" });
    await frame();
    return null;
  }
  const [from, count] = given;
  const chosen = state.words.slice(from, from + count);
  if (act === "measure") {
    const stands = (word) => !word.range || (word.range.startContainer.isConnected && String(word.range) === word.text);
    // A page may draw its text anew when it is scrolled: what says the same at the same place is looked at instead.
    const there = (word) => {
      if (!stands(word)) {
        const found = word.place && document.body ? rangesOf(document.body, { text: word.text, box: word.place }) : null;
        if (!found || found.length !== 1) return false;
        word.range = found[0].range;
      }
      const [first] = rectsOf(word);
      if (first) word.place = [first.x + scrollX, first.y + scrollY];
      return true;
    };
    return {
      window: [innerWidth, innerHeight, scrollX, scrollY],
      words: chosen.map((word) => there(word)
        ? { text: word.text, rects: rectsOf(word).map((rect) => clipped(word, rect)), dark: dark(holder(word)), thing: !!word.thing,
            clip: clipped(word, new DOMRect(-1e6, -1e6, 2e6, 2e6)) } : null),
    };
  }
  if (act === "hide") {
    const clear = "color:transparent!important;-webkit-text-fill-color:transparent!important;-webkit-text-stroke-color:transparent!important;" +
      "text-shadow:none!important;text-decoration-color:transparent!important";
    const sheet = new CSSStyleSheet();
    // What an address highlights is painted by the engine, over all highlights.
    sheet.replaceSync(`::highlight(${STATE}){${clear}} ::target-text{${clear}}`);
    const selection = document.getSelection();
    const selected = [];
    for (let i = 0; selection && i < selection.rangeCount; i += 1) selected.push(selection.getRangeAt(i));
    if (selection) selection.removeAllRanges();
    const ranges = chosen.filter((word) => word.range).map((word) => word.range);
    const roots = new Set(ranges.map((range) => range.startContainer.getRootNode()));
    for (const root of roots) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    const highlight = new Highlight(...ranges);
    highlight.priority = 1e6;
    CSS.highlights.set(STATE, highlight);
    state.undo = () => {
      CSS.highlights.delete(STATE);
      for (const root of roots) root.adoptedStyleSheets = root.adoptedStyleSheets.filter((each) => each !== sheet);
      for (const range of selected) document.getSelection().addRange(range);
      state.undo = null;
    };
  } else if (act === "strip") {
    // Shapes of SVG, letters filled by a ground, shadows and generated words are not reached by a highlight: their
    // elements are.
    const clear = ["color", "-webkit-text-fill-color", "-webkit-text-stroke-color", "fill", "stroke"].map((name) => `${name}:transparent!important`).join(";");
    const sheet = new CSSStyleSheet();
    const mark = STATE.replace("_", "-");
    const one = `[${mark}]`;
    sheet.replaceSync(`${one},${one}::before,${one}::after,${one}::marker,${one}::placeholder,::target-text{${clear};text-shadow:none!important;transition:none!important}` +
      `[${mark}=thing]{opacity:0!important}`);
    const elements = new Set(chosen.map(holder));
    const things = new Set(chosen.filter((word) => word.thing).map(holder));
    const roots = new Set([...elements].map((element) => element.getRootNode()));
    for (const root of roots) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    for (const element of elements) {
      state.styles.push([element, element.getAttribute("style")]);
      element.setAttribute(mark, things.has(element) ? "thing" : "");
      const { backgroundClip, filter } = getComputedStyle(element);
      if (backgroundClip.includes("text")) element.style.setProperty("background", "none", "important");
      if (filter.includes("drop-shadow")) element.style.setProperty("filter", "none", "important");
    }
    state.undo = () => {
      for (const root of roots) root.adoptedStyleSheets = root.adoptedStyleSheets.filter((each) => each !== sheet);
      for (const [element, style] of state.styles.splice(0)) {
        element.removeAttribute(mark);
        if (style === null) element.removeAttribute("style");
        else element.setAttribute("style", style);
      }
      state.undo = null;
    };
  } else if (state.undo) {
    state.undo();
  }
  await frame();
  await frame();
  return null;
}

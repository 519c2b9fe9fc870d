// What every in-page script of verifaible shares: which text a reader can see, and how an
// element is found again. Nothing here changes the page; bringIntoView scrolls it. One file, because a
// script in a page gets one library.
() => {
  const SKIP = new Set(["SCRIPT", "STYLE", "TEMPLATE", "NOSCRIPT", "HEAD", "TITLE", "META", "LINK",
    "IFRAME", "FRAME", "OBJECT", "CANVAS", "AUDIO", "VIDEO", "DESC", "METADATA", "TEXTAREA", "SELECT",
    "DATALIST"]);
  const SUPERSCRIPT = { 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹",
    "+": "⁺", "-": "⁻", "−": "⁻", "–": "⁻", "(": "⁽", ")": "⁾" };
  const RAISED = /^[+\-−–(\d][\d.,，+\-−–()\s]*$/;
  const MARKS = /^(?:\d{1,3}|[a-z])(?:[,，;\s]+(?:\d{1,3}|[a-z]))*$/i;
  const NOTE_LINK = 'a[href*="#"],[role="doc-noteref"]';
  const SPACE = /[ \t\n\r\f]/;
  // What is given at once: words with one blank between them; where white space is kept, all but a line end
  // that is not ours.
  const WORDS = /[^ \t\n\r\f]+(?: [^ \t\n\r\f]+)*/y;
  const LINE = /[^\r]+/y;
  const PAIR_END = /[\ud800-\udbff][\udc00-\udfff]$/;
  // For how many frames what was scrolled to must stand still where the page listens to that (listeners are often
  // put off a little), and for how many that is waited for.
  const STANDING_FRAMES = 6;
  const MOVING_FRAMES = 90;
  // Letters smaller than this cannot be read, and a box this far off cannot be scrolled to, in CSS pixels.
  const SMALLEST_PX = 2;
  const FAR_PX = 999;
  // Words touch where they are no further apart than this, in parts of their line's height: a blank is at least
  // as wide. Signs that belong to no word may stand off as far as SIGN_GAP, and so may what only the padding of
  // one inline box keeps off.
  const WORD_GAP = 0.15;
  const SIGN_GAP = 0.8;
  const WORDY = /[\p{L}\p{N}]/u;
  const CLOSING = /[,.;:!?%\p{Pe}\p{Pf}]/u;
  const OPENING = /[\p{Sc}\p{Ps}\p{Pi}]/u;
  // What comes back to one place more often than this will not come to rest.
  const MOST_RETURNS = 4;

  const hidings = new Map();
  const textHidings = new Map();
  const clippedBoxes = new Map();
  const clips = new Map();
  const placedClips = new Map();
  const backgrounds = new Map();
  const generating = new Map();
  const colours = new Map();
  const styles = new Map();
  const opacities = new Map();

  function styleOf(element) {
    let style = styles.get(element);
    if (!style) {
      style = getComputedStyle(element);
      styles.set(element, style);
    }
    return style;
  }
  let painted = null;

  // What is asked of an element again and again: to take it from a style costs more than all else.
  const facts = new Map();
  function factsOf(element) {
    let found = facts.get(element);
    if (!found) {
      const { display, position, overflowX, overflowY } = styleOf(element);
      found = { display, position, overflowX, overflowY, box: element.getBoundingClientRect() };
      facts.set(element, found);
    }
    return found;
  }

  const over = (node) => node.assignedSlot || node.parentElement || (node.parentNode && node.parentNode.host) || null;
  const contains = (box, x, y) => box.left <= x && x <= box.right && box.top <= y && y <= box.bottom;

  // Whether a clip-path leaves nothing of a box.
  function cutAway(path, element) {
    if (/^(circle|ellipse)\(0(px|%)?[ )]/.test(path)) return true;
    if (/^polygon/.test(path)) return new Set(path.replace(/^polygon\(|\)$/g, "").split(",").map((point) => point.trim())).size < 3;
    const inset = /^inset\(([^)]*)\)/.exec(path);
    if (!inset) return false;
    const sides = inset[1].split(" round ")[0].trim().split(/\s+/);
    const [top, right = top, bottom = top, left = right] = sides;
    const part = (side, size) => (side.endsWith("%") ? Number.parseFloat(side) / 100 : Number.parseFloat(side) / Math.max(size, 1));
    return part(top, element.offsetHeight) + part(bottom, element.offsetHeight) >= 1 || part(left, element.offsetWidth) + part(right, element.offsetWidth) >= 1;
  }

  const { scrollX: left, scrollY: top } = window;

  // Whether an edge lies off screen still when every box around the element is scrolled back to its beginning.
  function outOfReach(element, right, bottom, placed) {
    let [across, down] = [0, 0];
    for (let box = over(element); box && box !== document.scrollingElement; box = over(box)) {
      across += box.scrollLeft + (box.scrollWidth && styleOf(box).direction === "rtl" ? box.scrollWidth - box.clientWidth : 0);
      down += box.scrollTop;
    }
    return right + across < 0 || bottom + down < (placed ? 0 : -FAR_PX);
  }

  // Whether nobody sees a box: clipped to nothing, squeezed flat, or pushed where nobody can scroll to. Being below the
  // fold does not count.
  function boxHidden(element, style) {
    const { clipPath } = style;
    const { display, position, overflowX, overflowY, box } = factsOf(element);
    if (clipPath !== "none" && cutAway(clipPath, element)) return true;
    const placed = position === "absolute" || position === "fixed";
    if (placed && style.clip !== "auto" && /rect\((0px|1px),? ?(0px|1px),? ?(0px|1px),? ?(0px|1px)\)/.test(style.clip)) return true;
    if (box.width + box.height === 0 && !element.getClientRects().length) return false;
    const [right, bottom] = [box.right + left, box.bottom + top];
    if ((right < 0 || bottom < (placed ? 0 : -FAR_PX)) && outOfReach(element, right, bottom, placed)) return true;
    if (position === "fixed" && (box.left >= window.innerWidth || box.top >= window.innerHeight)) return true;
    if (display === "inline") return false;
    const cuts = (way) => way === "hidden" || way === "clip";
    if ((cuts(overflowY) && element.offsetHeight <= 1) || (cuts(overflowX) && element.offsetWidth <= 1)) return true;
    return (box.width < 0.5 && element.offsetWidth > 1) || (box.height < 0.5 && element.offsetHeight > 1);
  }

  // The one rule of what nobody sees: whether an element with all that stands in it is not seen. What stands in it may be
  // unseen for a reason of its own: textHidden.
  function hidden(element) {
    const known = hidings.get(element);
    if (known !== undefined) return known;
    const style = styleOf(element);
    const { display } = factsOf(element);
    const answer = display !== "contents" && (display === "none" || !element.checkVisibility() || style.contentVisibility === "hidden"
      || clear(element, style) || boxHidden(element, style));
    hidings.set(element, answer);
    return answer;
  }

  const clear = (element, style) => opacityOf(element) < 0.05 || /opacity\(0(%|\))/.test(style.filter);
  const visible = (element) => !hidden(element);
  // Left to those who do not see: laid out, and nowhere to be seen.
  const forEars = (element) => element.checkVisibility() && !clear(element, styleOf(element)) && boxHidden(element, styleOf(element));

  // What is said to be for the eye alone is left out of a text too, but for two uses: beside a label for those who do
  // not see, with the same figures or words, and behind an open dialog.
  function aside(element) {
    if (!element.hasAttributes() || (element.getAttribute("aria-hidden") || "").trim().toLowerCase() !== "true") return false;
    const said = (text) => text.replace(/\P{N}+/gu, "") || text.replace(/\P{L}+/gu, "").toLowerCase();
    const labels = [...(element.parentNode ? element.parentNode.children : [])]
      .filter((each) => each !== element && forEars(each)).map((each) => each.textContent);
    const named = element.closest("[aria-label]");
    if (named) labels.push(named.getAttribute("aria-label"));
    if (labels.some((label) => said(label) === said(element.textContent))) return false;
    modal = modal === undefined ? [...document.querySelectorAll('dialog:modal, [aria-modal="true"]')].filter(visible) : modal;
    return !modal.some((each) => !element.contains(each) && !each.contains(element));
  }
  let modal;

  const leftOut = (element) => hidden(element) || aside(element);

  // How much of an element comes through: its own opacity times that of everything around it.
  function opacityOf(element) {
    const known = opacities.get(element);
    if (known !== undefined) return known;
    const style = styleOf(element);
    const around = over(element);
    const answer = (factsOf(element).display === "contents" ? 1 : Number(style.opacity)) * (around ? opacityOf(around) : 1);
    opacities.set(element, answer);
    return answer;
  }

  // Pages use few colours: each is taken apart once. Null for a notation that is none of RGB's.
  function channels(color) {
    let known = colours.get(color);
    if (known === undefined) {
      const found = /^rgba?\(([^)]*)\)/.exec(color);
      const [r, g, b, alpha = 1] = found ? found[1].split(/[ ,/]+/).filter(Boolean).map(Number) : [];
      known = found ? [r, g, b, alpha] : null;
      colours.set(color, known);
    }
    return known;
  }
  // Whether a text shadow can be told from the ground; a notation that is not known may be.
  const shadowSeen = (shadow, ground) => shadow !== "none" && (!/rgba?\(/.test(shadow) || (shadow.match(/rgba?\([^)]*\)/g) || []).some((each) => {
    const color = channels(each);
    return color[3] >= 0.05 && !alike(color, ground);
  }));
  const pictured = (style) => style.backgroundImage !== "none" && style.backgroundImage !== 'url("")';
  const alike = (one, other) => [0, 1, 2].every((i) => Math.abs(one[i] - other[i]) <= 3);

  // The even colour behind an element, with the element that paints it; null where that is not certain.
  function behind(element) {
    const known = backgrounds.get(element);
    if (known !== undefined) return known;
    const style = styleOf(element);
    const color = channels(style.backgroundColor);
    let answer;
    if (pictured(style) || !color || (color[3] > 0 && color[3] < 1)) answer = null;
    else if (color[3] === 1) answer = { color, by: element };
    else if (over(element)) answer = behind(over(element));
    // Nothing behind the top page but the canvas; behind a frame's stands what holds the frame.
    else answer = window === window.top ? { color: [255, 255, 255, 1], by: element } : null;
    backgrounds.set(element, answer);
    return answer;
  }

  // Letters in the colour of what is behind them. Only where that is certain: no picture, no other box under them.
  function sameColour(element, style) {
    const ink = channels(style.webkitTextFillColor);
    const ground = ink && behind(element);
    if (!ground || !alike(ink, ground.color)) return false;
    if (shadowSeen(style.textShadow, ground.color) || Number.parseFloat(style.webkitTextStrokeWidth) > 0 || style.mixBlendMode !== "normal") return false;
    for (let node = element; node; node = over(node)) {
      for (const pseudo of ["::before", "::after"]) {
        const made = getComputedStyle(node, pseudo);
        if (made.content !== "none" && (made.backgroundImage !== "none" || !/, 0\)$/.test(made.backgroundColor))) return false;
      }
      if (node === ground.by) break;
    }
    const box = element.getBoundingClientRect();
    const [x, y] = [box.left + Math.min(box.width, 20) / 2, box.top + box.height / 2];
    painted = painted || [...document.querySelectorAll("*")].filter((each) => {
      if (/^(IMG|svg|VIDEO|CANVAS|IFRAME|OBJECT|EMBED)$/.test(each.tagName)) return true;
      const own = styleOf(each);
      return pictured(own) || !/, 0\)$/.test(own.backgroundColor);
    });
    return !painted.some((each) => each !== element && !each.contains(element) && !element.contains(each) && contains(each.getBoundingClientRect(), x, y));
  }

  // The boxes around what stands in an element that cut off what sticks out of them, the element's own
  // first; what scrolls can be brought into view. placed: for what is positioned absolutely in it.
  function clipping(element, placed) {
    if (!element || element === document.body || element === document.documentElement) return null;
    const key = placed ? placedClips : clips;
    const known = key.get(element);
    if (known !== undefined) return known;
    const { position, overflowX, overflowY } = factsOf(element);
    const above = over(element);
    let answer = null;
    if (placed && position === "static" && styleOf(element).transform === "none") answer = clipping(above, true);
    else if (overflowX !== "auto" && overflowX !== "scroll" && overflowY !== "auto" && overflowY !== "scroll") {
      answer = position === "fixed" ? null : clipping(above, position === "absolute");
      if (overflowX !== "visible" || overflowY !== "visible") {
        answer = { above: answer, box: element, x: overflowX !== "visible", y: overflowY !== "visible" };
      }
    }
    key.set(element, answer);
    return answer;
  }

  function cutOff(element) {
    const { position, box: own } = factsOf(element);
    let clip = position === "fixed" ? null : clipping(over(element), position === "absolute");
    if (!clip || !element.getClientRects().length) return false;
    for (; clip; clip = clip.above) {
      const { box } = factsOf(clip.box);
      if (clip.x && (own.left >= box.right - 1 || own.right <= box.left + 1)) return true;
      if (clip.y && (own.top >= box.bottom - 1 || own.bottom <= box.top + 1)) return true;
    }
    return false;
  }

  // Whether the words that stand in an element itself are not seen: visibility: hidden is inherited but can be undone
  // by a child, so it is asked where the text stands.
  function textHidden(parent) {
    const known = textHidings.get(parent);
    if (known !== undefined) return known;
    const style = styleOf(parent);
    const ink = channels(style.webkitTextFillColor);
    const through = () => style.backgroundClip.includes("text") && (pictured(style) || !/, 0\)$/.test(style.backgroundColor));
    const answer = style.visibility !== "visible"
      || style.webkitTextSecurity !== "none" // discs stand for its letters
      || Number.parseFloat(style.fontSize) * (parent.currentCSSZoom || 1) < SMALLEST_PX
      // Letters indented out of the window are the old way to put a picture in the place of words.
      || Number.parseFloat(style.textIndent) < -FAR_PX || cutOff(parent)
      // Transparent letters are not seen, unless a background shines through their shapes.
      || Boolean(ink && (ink[3] < 0.05 || sameColour(parent, style)) && !through());
    textHidings.set(parent, answer);
    return answer;
  }

  const textShown = (parent) => !textHidden(parent);

  const measured = document.createRange();

  function boxOf(node, from, to) {
    measured.setStart(node, from);
    measured.setEnd(node, to);
    return measured.getBoundingClientRect();
  }

  // The boxes around an element's words that show less than they hold, and that nobody can scroll: of how they cut.
  function cutting(parent) {
    const known = clippedBoxes.get(parent);
    if (known !== undefined) return known;
    const found = [];
    for (let clip = clipping(parent, false); clip; clip = clip.above) {
      const { box, x, y } = clip;
      const tall = y && box.scrollHeight > box.clientHeight + 1;
      const wide = x && box.scrollWidth > box.clientWidth + 1;
      if (tall || wide) found.push({ area: box.getBoundingClientRect(), tall, wide });
    }
    clippedBoxes.set(parent, found);
    return found;
  }

  // Which characters of a text node are to be seen, first and behind the last: not what stands behind the last line that
  // a box shows, or far off the window's left edge.
  function seenPart(node, parent) {
    const size = node.data.length;
    if (factsOf(parent).box.left + left < -FAR_PX) {
      const box = boxOf(node, 0, size);
      if (box.width > 0 && box.right + left < 0) return [0, 0];
    }
    let [from, to] = [0, size];
    for (const { area, tall, wide } of cutting(parent)) {
      const box = boxOf(node, 0, size);
      if (!box.width) continue;
      if (tall && (box.bottom > area.bottom + 1 || box.top < area.top - 1)) {
        const middle = (each) => (each.top + each.bottom) / 2;
        from = Math.max(from, firstOf(node, (each) => middle(each) >= area.top));
        to = Math.min(to, firstOf(node, (each) => middle(each) > area.bottom));
      } else if (wide && styleOf(parent).whiteSpace.includes("nowrap") && styleOf(parent).direction === "ltr") {
        if (box.left < area.left - 1) from = Math.max(from, firstOf(node, (each) => each.right > area.left));
        if (box.right > area.right + 1) to = Math.min(to, firstOf(node, (each) => each.right > area.right + 1));
      }
    }
    // Half a number would say something else; letters of Chinese and Japanese are words.
    const halved = /[^\s\u3040-\u9fff]{2}/.test(node.data.slice(Math.max(to - 1, 0), to + 1));
    const word = halved ? node.data.slice(0, to).search(/[^\s\u3040-\u9fff]+$/) : to;
    return [from, Math.max(from, word)];
  }

  // The first character of a text node whose box is so, by halves: text runs on from line to line.
  function firstOf(node, so) {
    let [low, high] = [0, node.data.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      let at = middle;
      let box = boxOf(node, at, at + 1);
      while (!box.width && at + 1 < high) box = boxOf(node, at += 1, at + 1);
      if (box.width && so(box)) high = middle;
      else low = at + 1;
    }
    return low;
  }

  // Whether something is to be seen between two characters that stand in different nodes without a blank: a gap between
  // them, or a line's end that no soft wrap made.
  function apart(before, node, offset, character) {
    const size = before.node.data.codePointAt(before.offset) > 0xffff ? 2 : 1;
    const last = before.node.data.substr(before.offset, size);
    if (CLOSING.test(character) || OPENING.test(last)) return false;
    const one = boxOf(before.node, before.offset, before.offset + size);
    const other = boxOf(node, offset, offset + character.length);
    if (!one.width || !other.width) return false;
    const near = WORDY.test(character) && WORDY.test(last) ? WORD_GAP : SIGN_GAP;
    const high = Math.max(one.height, other.height);
    const overlapped = Math.min(one.bottom, other.bottom) > Math.max(one.top, other.top);
    if (overlapped && Math.max(other.left - one.right, one.left - other.right) <= near * high) return false;
    return parted(before.node, node, one, other, near);
  }

  // The same of two pieces that do not touch as lines run from left to right: by the boxes that they stand in.
  function parted(first, second, one, other, near) {
    const upright = styleOf(holderOf(second)).writingMode.startsWith("horizontal");
    const [start, end, top, bottom] = upright ? ["left", "right", "top", "bottom"] : ["top", "bottom", "left", "right"];
    const high = Math.max(one[bottom] - one[top], other[bottom] - other[top]);
    const between = (each, next) => Math.max(next[start] - each[end], each[start] - next[end]);
    const [gap, overlap] = [between(one, other), Math.min(one[bottom], other[bottom]) - Math.max(one[top], other[top])];
    if (overlap > 0 && gap <= near * high) return false;
    const [left, right] = [outermost(first, second), outermost(second, first)];
    const inline = (each) => !each || INLINE.test(factsOf(each).display);
    if (overlap <= 0) return !inline(left) || !inline(right);
    if (gap > SIGN_GAP * high || !inline(left) || !inline(right)) return true;
    const edge = (each, place, bare) => (each && each.getClientRects().length ? [...each.getClientRects()].at(place) : bare);
    return Math.min(between(edge(left, -1, one), other), between(one, edge(right, 0, other))) > near * high;
  }

  const INLINE = /^(inline|contents|ruby.*)$/;
  const holderOf = (node) => node.parentElement || node.parentNode.host;

  // The outermost element around a node that does not hold the other one too; the first that is no inline box, if
  // there is one.
  function outermost(node, other) {
    let found = null;
    for (let each = holderOf(node); each && !each.contains(other); each = over(each)) {
      found = each;
      if (!INLINE.test(factsOf(each).display)) break;
    }
    return found;
  }

  // A large first letter that the rest of its word flows around.
  function dropCap(element, style) {
    if (element.childNodes.length !== 1 || !/^\P{L}?\p{L}\P{L}?$/u.test(element.textContent.slice(0, 9).trim())) return false;
    const parent = over(element);
    return Boolean(parent) && style.float !== "none" && Number.parseFloat(style.fontSize) >= 1.4 * Number.parseFloat(styleOf(parent).fontSize);
  }

  const TELLING = /[\p{L}\p{N}+\-−–%‰$€£¥￥°()]/u;

  // Whether a style sheet of this root puts in words or signs of its own.
  function generates(root) {
    const known = generating.get(root);
    if (known !== undefined) return known;
    const tells = (rules) => [...rules].some((rule) => {
      if (rule.selectorText && /:(before|after)/.test(rule.selectorText)) {
        const content = rule.style.content;
        return /attr\(|var\(|env\(/.test(content) || TELLING.test(content.replace(/counters?\([^)]*\)|[a-z]+-quote|none|normal/g, ""));
      }
      return Boolean(rule.cssRules && rule.cssRules.length && tells(rule.cssRules)) || Boolean(rule.styleSheet && unknown(rule.styleSheet));
    });
    // The rules of a sheet from another site are not shown to scripts: it may put in anything.
    const unknown = (sheet) => { try { return tells(sheet.cssRules); } catch { return true; } };
    const answer = [...(root.styleSheets || []), ...(root.adoptedStyleSheets || [])].some(unknown);
    generating.set(root, answer);
    return answer;
  }

  // What a style sheet puts before or after the words of an element, if it says something: a sign, "not".
  function generated(element, pseudo) {
    if (!generates(element.getRootNode())) return "";
    const style = getComputedStyle(element, pseudo);
    if (style.content === "none" || style.content === "normal" || style.display === "none" || style.visibility !== "visible") return "";
    if (Number(style.opacity) < 0.05 || Number.parseFloat(style.fontSize) === 0 || /icon|awesome|glyph|symbol/i.test(style.fontFamily)) return "";
    const text = [...style.content.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((match) => match[1].replace(/\\(.)/g, "$1")).join("");
    return TELLING.test(text) ? text : "";
  }

  const CELL = /^(cell|gridcell|columnheader|rowheader)$/;
  const FORMULA = { MFRAC: "/", MSUP: "^", MSUB: "_", MSUBSUP: " ", MUNDER: " ", MOVER: " ", MUNDEROVER: " ", MROOT: " " };
  const BLOCK = /^(block|flex|grid|list-item|table|table-row|table-caption|table-row-group|table-header-group|table-footer-group|flow-root)$/;

  // Walks the visible text below root; emit(node, offset, words) for each run of characters of one node that are
  // shown, with runs of collapsible white space given once, "\n" between blocks and "\t" between
  // cells, " " where something is to be seen between two words (node null: the run is no text of the page's). What is
  // struck through stands in "~~", cut-off text ends with "…". options.nested === false leaves nested tables
  // out, and options.leaveOut(element) what it says. options.readings: "" leaves out what stands over ruby, "rt" gives it, "rp" with its brackets.
  // options.markup hears of each element that is given (enter, told whether its letters only look different; leave), that is
  // not seen (unseen), and of details that are closed.
  function walk(root, emit, options = {}) {
    let pending = "";     // a separator that is due before the next character
    let space = true;     // whether the last thing given was white space
    let blank = null;     // where a space stands that is shown only if more follows on its line
    let raised = "";      // inside a superscript: "figures", or "note" for the mark of a footnote
    let bracket = false;  // whether the bracket of such a mark is open
    let before = null;    // the last character of the page's that was given
    let struck = "";      // inside text that is struck through: "due" until its first character, then "open"
    const { markup } = options;
    const due = (mark) => { if (mark === "\n" || !pending) pending = mark; };

    function give(node, offset, words) {
      if (!pending && !blank && !raised && node && before && before.node !== node && before.last
        && apart(before, node, offset, String.fromCodePoint(words.codePointAt(0)))) pending = " ";
      if (pending) {
        if (!first) emit(null, 0, pending);
        pending = "";
        space = true;
      } else if (blank) emit(blank.node, blank.offset, " ");
      blank = null;
      first = false;
      if (struck === "due") {
        emit(null, 0, "~~");
        struck = "open";
      }
      if (node) before = { node, offset: offset + words.length - (PAIR_END.test(words) ? 2 : 1), last: !raised };
      else if (before) before.last = false;
      emit(node, offset, words);
    }
    let first = true;

    function put(text) {
      for (const character of text) {
        if (/\s/.test(character)) due(" ");
        else give(null, 0, character);
        space = false;
      }
    }

    // 10<sup>2</sup> reads 10², and must not become 102. A letter or a linked figure after a number is no
    // exponent but a footnote's mark, and reads [a].
    function raisedAs(node) {
      const text = node.textContent.trim();
      if (!text || text.length > 24) return "";
      const words = before && before.node.data ? before.node.data.slice(Math.max(0, before.offset - 15), before.offset + 1) : "";
      const linked = node.querySelector(NOTE_LINK) || node.closest(NOTE_LINK) || /foot|note|cite|reference/i.test(`${node.className} ${node.id}`);
      if (MARKS.test(text)) {
        const figure = /\d$/.test(words);
        if (!/[a-z]/i.test(text)) {
          if (linked && figure) return "note";
        } else if (linked || (figure ? /^[a-g]\b/.test(text) && /\d{4}|\d[.,]\d+$/.test(words) : /^[abcfg]\b/.test(text) && /\p{Ll}{4}$/u.test(words))) return "note";
      }
      return RAISED.test(text) && [...text].some((each) => each in SUPERSCRIPT) ? "figures" : "";
    }

    function mark(node) {
      let offset = 0;
      for (const character of node.data) {
        const telling = /[\p{L}\p{N}]/u.test(character);
        if (telling !== bracket && (telling || bracket)) {
          give(null, 0, telling ? "[" : "]");
          bracket = telling;
        }
        if (telling) give(node, offset, character);
        offset += character.length;
      }
      space = false;
    }

    function textNode(node) {
      const parent = node.parentElement || (node.parentNode && node.parentNode.host);
      if (!parent || !node.data) return;
      if (textHidden(parent)) return;
      const [start, end] = /\S/.test(node.data) ? seenPart(node, parent) : [0, node.data.length];
      if (start >= end) return;
      if (raised === "note") { mark(node); return; }
      const mode = styleOf(parent).whiteSpaceCollapse || "collapse";
      const breaks = mode === "preserve-breaks";
      const keep = mode !== "collapse" && !breaks;
      const data = node.data.slice(0, end);
      const figures = raised === "figures";
      let waiting = -1;
      for (let i = figures ? data.length - data.trimStart().length : start; i < data.length; ) {
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
        const run = keep ? LINE : WORDS;
        run.lastIndex = i;
        const words = figures ? SUPERSCRIPT[character] || character : character === "\r" ? "\n" : run.exec(data)[0];
        give(node, i, words);
        space = false;
        i += figures ? size : words.length;
      }
      if (end < node.data.length) put("…");
      else if (waiting >= 0 && !pending) {
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

    // The parts of a formula that lie over or beside one another: their boxes touch, so a sign stands for what parts them.
    function formula(node, tag) {
      [...node.children].forEach((child, place) => {
        if (place) put(FORMULA[tag]);
        const [open, shut] = child.children.length > 1 && FORMULA[tag] !== " " ? ["(", ")"] : ["", ""];
        put(open);
        visit(child);
        put(shut);
      });
    }

    function element(node) {
      const tag = node.tagName.toUpperCase();
      if (tag === "BR") due("\n");
      if (tag === "RP" && options.readings === "rp") { for (const child of node.childNodes) visit(child); return; }
      if (SKIP.has(tag) || ((tag === "RT" || tag === "RTC") && !options.readings)) return;
      if (leftOut(node)) {
        if (markup) markup.unseen(node, tag);
        return;
      }
      if (options.nested === false && node !== root && tag === "TABLE") return;
      if (options.leaveOut && options.leaveOut(node)) return;
      const style = styleOf(node);
      const { display } = factsOf(node);
      const cap = BLOCK.test(display) && dropCap(node, style);
      const block = BLOCK.test(display) && !cap;
      if (block) due("\n");
      const strikes = !struck && style.textDecorationLine.includes("line-through");
      if (strikes) struck = "due";
      const around = raised;
      if (!raised && (tag === "SUP" || (display.startsWith("inline") && style.verticalAlign === "super"))) raised = raisedAs(node);
      if (markup) markup.enter(node, tag, cap || raised !== around);
      put(generated(node, "::before"));
      // The browser hides what a closed details holds, but says so only of elements, not of bare text.
      if (tag === "DETAILS" && !node.open) {
        const summary = [...node.children].find((child) => child.tagName === "SUMMARY");
        if (markup) markup.closed(node, summary);
        if (summary) visit(summary);
      } else if (tag in FORMULA) formula(node, tag);
      else for (const child of children(node)) visit(child);
      if (bracket && raised !== around) {
        give(null, 0, "]");
        bracket = false;
      }
      put(generated(node, "::after"));
      if (strikes) {
        if (struck === "open") emit(null, 0, "~~");
        if (before) before.last = false;
        struck = "";
      }
      raised = around;
      if (markup) markup.leave(node);
      if (block) due("\n");
      else if (display === "table-cell" || CELL.test(node.getAttribute("role"))) due("\t");
      else if (tag === "LI") due(" ");
    }

    function visit(node) {
      if (node.nodeType === Node.TEXT_NODE) textNode(node);
      else if (node.nodeType === Node.ELEMENT_NODE) element(node);
    }
    visit(root);
  }

  function textOf(root, options) {
    let text = "";
    walk(root, (node, offset, words) => { text += words; }, options);
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
      const style = styleOf(node);
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

  // Measures the page as a picture shows it: what ends has ended, and what moves for ever has not begun.
  function atRest(measure) {
    const endless = [];
    for (const each of document.getAnimations()) {
      const end = each.playState === "running" && each.effect ? each.effect.getComputedTiming().endTime : null;
      if (end === Infinity) endless.push([each, each.currentTime]);
      else if (Number.isFinite(end)) each.finish();
    }
    for (const [each] of endless) each.cancel();
    try {
      return measure();
    } finally {
      for (const [each, time] of endless) {
        each.play();
        each.currentTime = time;
      }
    }
  }

  // Gives a function that scrolls as it is told and resolves once element stands still, since listeners are only called
  // with the next frame: what does not move costs one frame a scroll, what need not be scrolled none.
  function scroller(element) {
    const boxes = [];
    for (let node = element; node; node = node.parentElement || node.getRootNode().host) boxes.push(node);
    const offsets = () => [window, ...boxes].map((box) => (box === window ? [box.scrollX, box.scrollY] : [box.scrollLeft, box.scrollTop])).join();
    const place = () => atRest(() => {
      const { x, y, width, height } = pageRect(element.getBoundingClientRect());
      return `${[x, y, width, height]};${offsets()}`;
    });
    const watched = window[Symbol.for("verifaible.watched")] || { targets: 0, scroll: false };
    const listens = watched.scroll || watched.targets || [window, document, ...boxes].some((each) => each.onscroll);
    return async (scroll) => {
      const before = offsets();
      scroll();
      const last = place();
      if (offsets() !== before) await standing(last, place, listens);
    };
  }

  // Scrolls element into view, also inside boxes that scroll by themselves (what is clipped away is not
  // seen), then the page back to its top, so that a place is always measured with the page scrolled alike: a page
  // may move its parts because it was scrolled. Where the element is there only in view, the page stays
  // there.
  async function bringIntoView(element) {
    const boxes = [];
    for (let node = element; node; node = node.parentElement || node.getRootNode().host) boxes.push(node);
    const scrolled = scroller(element);
    const intoView = () => scrollAsPerson(element);
    // In a frame the windows around it may have to be scrolled too.
    if (window === window.top && !window.scrollX && !window.scrollY && inView(element, boxes)) return;
    const words = element.textContent;
    await scrolled(intoView);
    const { scrollX: left, scrollY: top } = window;
    if (!left && !top) return;
    const here = () => element.isConnected && element.textContent === words && element.getClientRects().length;
    const found = here(); // else its row is drawn anew wherever the page goes
    await scrolled(() => window.scrollTo({ left: 0, top: 0, behavior: "instant" }));
    if (!found || !here()) await scrolled(() => window.scrollTo({ left, top, behavior: "instant" }));
  }

  // Scrolls what a person can scroll, and nothing else: a box that hides what it cuts off keeps its place, and so does
  // a page whose width is cut off.
  function scrollAsPerson(element, range = element) {
    const kept = [];
    for (let node = element; node; node = node.parentElement || node.getRootNode().host) {
      const { overflowX, overflowY } = styleOf(node);
      const [x, y] = [overflowX, overflowY].map((each) => each === "hidden" || each === "clip");
      if (node === document.documentElement || node === document.body) {
        if (x) kept.push([document.scrollingElement || node, window.scrollX, null]);
      } else if (x || y) kept.push([node, x ? node.scrollLeft : null, y ? node.scrollTop : null]);
    }
    element.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
    let box = range.getBoundingClientRect();
    // At an edge a column that stays in its place may stand over it.
    const over = element.getRootNode().elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
    if (over && !over.contains(element) && !element.contains(over)) {
      element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
      box = range.getBoundingClientRect();
    }
    if (box.bottom > window.innerHeight || box.top < 0) window.scrollBy({ top: box.top - window.innerHeight / 2, behavior: "instant" });
    for (const [node, left, top] of kept) {
      if (left !== null && node.scrollLeft !== left) node.scrollLeft = left;
      if (top !== null && node.scrollTop !== top) node.scrollTop = top;
    }
  }

  // Whether all of an element is in the window and in the boxes around it, so that nothing need be scrolled.
  function inView(element, boxes) {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const holds = (box) => left >= box.left && top >= box.top && right <= box.right && bottom <= box.bottom;
    return holds({ left: 0, top: 0, right: window.innerWidth, bottom: window.innerHeight }) && boxes.every((box) =>
      (box.scrollHeight <= box.clientHeight && box.scrollWidth <= box.clientWidth) || getComputedStyle(box).overflow === "visible" ||
      box === document.documentElement || box === document.body || holds(box.getBoundingClientRect()));
  }

  // The next frame as it is drawn. What is not shown draws none: turns of its thread stand for it, which take longer
  // on a busy machine, as frames do.
  const frame = () => new Promise((resolve) => {
    let [left, drawn] = [25, false];
    const turn = () => {
      left -= 1;
      if (!left) resolve();
      else if (!drawn) setTimeout(turn, 4);
    };
    requestAnimationFrame(() => {
      drawn = true;
      setTimeout(resolve, 0);
    });
    turn();
  });

  async function standing(last, place, listens) {
    const places = new Map([[last, 1]]);
    let moved = false;
    for (let all = 0, frames = 1; all < MOVING_FRAMES; all += 1, frames += 1) {
      await frame();
      const next = place();
      if (next !== last) {
        [last, moved, frames] = [next, true, 0];
        // A header that leaves the flow when the page is scrolled can move it back and forth for ever.
        places.set(next, (places.get(next) || 0) + 1);
        if (places.get(next) > MOST_RETURNS) return;
      } else if (!listens && !moved) return;
      else if (frames >= STANDING_FRAMES) return;
    }
  }

  // What was located last in this frame, so that a marker paints that, whatever has changed since.
  const located = {
    keep(found) { window[Symbol.for("verifaible.located")] = found; },
    get() { return window[Symbol.for("verifaible.located")] || {}; },
  };

  // Ranges that cover the characters [start, end) of the text that walk gives for body.
  function rangesOf(start, end, options) {
    const ranges = [];
    let position = 0;
    let current = null;
    walk(document.body, (node, offset, words) => {
      // Positions count code points, offsets code units.
      const plain = !/[\ud800-\udfff]/.test(words);
      const characters = plain ? words : [...words];
      const units = (count) => (plain ? count : characters.slice(0, count).join("").length);
      const [first, last] = [Math.max(start - position, 0), Math.min(end - position, characters.length)];
      position += characters.length;
      if (!node || first >= last) return;
      const [from, to] = [offset + units(first), offset + units(last)];
      if (current && current.node === node && current.to === from) current.to = to;
      else {
        current = { node, from, to };
        ranges.push(current);
      }
    }, options);
    return ranges.map(({ node, from, to }) => {
      const range = document.createRange();
      range.setStart(node, from);
      range.setEnd(node, to);
      return range;
    });
  }

  // Ranges that cover the words in an element, one a text node.
  function rangesIn(element) {
    const spans = new Map();
    walk(element, (node, offset, words) => {
      if (!node) return;
      const [from] = spans.get(node) || [offset];
      spans.set(node, [from, offset + words.length]);
    });
    return [...spans].map(([node, [from, to]]) => {
      const range = document.createRange();
      range.setStart(node, from);
      range.setEnd(node, Math.min(to, node.data.length));
      return range;
    });
  }

  // Whether no other window, animation or medium could do something to this page; what they do is not noted.
  const alone = () => !window.length && !window.opener && document.readyState === "complete"
    && !document.getAnimations().length
    && !document.querySelector("video, audio, object, embed, meta[http-equiv=refresh i]");
  // Whether nothing can wake a script of a live page before long (wakes.js).
  const asleep = (woke) => !woke.always && !woke.waits() && !woke.repeats.size && alone();

  return { alone, asleep, frame, visible, leftOut, cutOff, textShown, behind, walk, textOf, cssPath, resolve, pageRect, clipped, atRest, scrollAsPerson, scroller, bringIntoView, located, rangesOf, rangesIn };
}

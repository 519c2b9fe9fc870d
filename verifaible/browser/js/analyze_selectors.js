// Selectors that still find their element in another session, kept for the other scripts of an analysis.
// delivered: the ids that stand in the HTML as it was sent; what a script made up later is trusted less.
// Everything is looked up through open shadow roots, as the steps do.
(lib, { delivered }) => {
  const STATE = /(^|[-_])(active|selected|focus(ed|-visible|-within)?|hover|open(ed)?|show(n|ing)?|hide|hidden|visible|disabled|enabled|loading|loaded|checked|current|collapsed?|collapsing|expanded|on|off|in|out|fade|error|valid|invalid|dirty|touched|untouched|pristine|today|this|playing|enter|leave|ready|init(ialized)?|mounted|empty|filled|first|last|odd|even|animated?)$/i;
  const GENERIC = /^(btn|button|input|form|table|link|icon|item|text|col|row|box|container|wrap(per)?|clearfix|pull|float|d|m[trblxy]?|p[trblxy]?|w|h|flex|grid|mui|css|el|ant|layui)(-|$)/i;
  const TEST_NAMES = ["data-testid", "data-test-id", "data-test", "data-cy", "data-qa", "data-e2e"];
  const MOST_TEXT = 40;
  const MOST_WORDS = 5;
  const MOST_DEPTH = 8;
  // More elements than these of one name are not told apart by words or by what is around them.
  const MOST_ALIKE = 400;
  // After this long every further element gets its path: a page may have thousands.
  const SEARCH_MS = 1500;
  const inHtml = new Set(delivered);
  // Ids with a number count as the author's where those delivered count up from the first: tab1, tab2, tab3.
  const counters = new Map();
  for (const id of delivered) {
    const [, before, number, after] = /^(\D*)(\d+)(\D*)$/.exec(id) || [];
    if (number === undefined) continue;
    const key = `${before}#${after}`;
    counters.set(key, [...(counters.get(key) || []), Number(number)]);
  }
  const inOrder = (id) => {
    const list = inHtml.has(id) && counters.get(id.replace(/\d+/, "#"));
    return Boolean(list) && list.length > 1 && list[0] <= 1 && list.every((number, index) => index === 0 || number === list[index - 1] + 1);
  };

  // Letters that can be spoken, by the clusters with which English and pinyin syllables begin and end.
  const ONSET = /^(|[bcdfghjklmnpqrstvwxz]|bl|br|ch|cl|cr|dr|fl|fr|gh|gl|gr|gn|kl|kn|kr|ph|pl|pr|ps|rh|sc|sh|sk|sl|sm|sn|sp|st|sw|th|tr|tw|wh|wr|zh|sch|scr|shr|spl|spr|str|thr|ts|chr|phr)$/;
  const CODA = /^(|[bcdfgklmnprstvwxz]|bb|ck|cks|ct|cts|dd|dg|ds|ff|ft|fts|gg|gh|ght|gn|ks|ld|lds|lf|lk|ll|lls|lm|lp|ls|lt|lts|lv|mb|mm|mp|mps|ms|nc|nch|nd|nds|ng|ngs|ngth|nk|nks|nn|ns|nt|nts|ph|pp|ps|pt|rb|rc|rch|rd|rds|rf|rg|rk|rks|rl|rm|rms|rn|rns|rp|rr|rs|rst|rt|rts|rth|rv|sh|sk|sm|sp|ss|st|sts|tch|th|ths|ts|tt|wn|wl|xt|zz|ch|bs|gs|cc)$/;
  const COMMON = /^(btn|box|text|list|item|name|date|day|user|id|nav|tab|row|col|page|form|menu|main|top|left|right|search|table|data|info|view|link|type|code|num|key|img|icon|start|end|begin|time|year|month|week|price|city|area|select|input|field|query|submit|title|head|body|foot|card|chart|map|log|in|out|on|off|is|has|my|to|from|all|new|old|add|del|edit|save|show|hide|open|close|modal|panel|grid|cell|value|wrap|group|label|file|report|news|more|js|app|root|div|txt|tbl|ddl|lbl|lst|chk|rdo|hdr|url|api|bar|by|of|no|go|up|down|last|first|next|prev|min|max|sub|set|get)$/i;
  const spoken = (word) => {
    const clusters = word.split(/[aeiouy]+/);
    const inside = clusters.slice(1, -1);
    if (clusters.length === 1) return word.length <= 4;
    return ONSET.test(clusters[0]) && CODA.test(clusters.at(-1))
      && inside.every((cluster) => [...Array(cluster.length + 1).keys()].some((cut) => CODA.test(cluster.slice(0, cut)) && ONSET.test(cluster.slice(cut))));
  };
  const lettersNoise = (token) => {
    const humps = token.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) || [];
    if (humps.some((hump) => COMMON.test(hump))) return false;
    if (humps.length > 1 && token.length / humps.length < 4.2) return true;
    return humps.some((hump) => hump.length >= 5 && !spoken(hump.toLowerCase()));
  };

  // Tokens that nobody would choose: hashes, counters of a framework, time stamps, random letters.
  const noise = (token) => {
    if (/\d{4,}/.test(token) || /^(?=.*\d)[a-f0-9]{6,}$/i.test(token)) return true;
    if ((token.match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])/g) || []).length >= 2) return true;
    const humps = token.split(/(?=[A-Z])/);
    if (humps.length >= 3 && token.length / humps.length < 2.4 && /[a-z]/.test(token)) return true;
    if (/[bcdfghjklmnpqrstvwxz]{6,}/i.test(token)) return true;
    return /^[A-Za-z]+$/.test(token) && lettersNoise(token);
  };
  const FRAMEWORK = /:r\w*:|^(radix|headlessui|react-select|rc[_-]|mui-|el-id|ui-id|ember|ext-|yui|gwt-|cdk-|mat-|dp|select2-|jqx|dijit_|isc_|input-|field-|chakra-|mantine-|reach-|downshift-|a11y-|uid)[\w:-]*\d/i;
  const madeUp = (name) => FRAMEWORK.test(name) || !/^[\p{L}_][\p{L}\p{N}_:.-]*$/u.test(name) || /^(css|sc|jsx?|jss|svelte|radix|headlessui|emotion|tss|makeStyles|styled|data-v)[-_]?\w*\d|^(css|sc|jss|svelte|tss)-/i.test(name)
    || name.split(/[-_:.]+/).some(noise) || /__[A-Za-z0-9+]{5}$/.test(name);
  const counted = (name) => /\d/.test(name);
  const lastingClass = (name) => !madeUp(name) && !counted(name) && !STATE.test(name);

  const above = (node) => node.parentElement || (node.getRootNode().host || null);
  const roots = [];
  (function search(root) {
    roots.push(root);
    for (const element of root.querySelectorAll("*")) if (element.shadowRoot) search(element.shadowRoot);
  })(document);
  const known = new Map();
  const all = (selector) => {
    let found = known.get(selector);
    if (!found) {
      try { found = roots.flatMap((root) => [...root.querySelectorAll(selector)]); } catch { found = []; }
      known.set(selector, found);
    }
    return found;
  };
  const within = (element, outer) => {
    for (let node = above(element); node; node = above(node)) if (node.matches(outer)) return true;
    return false;
  };
  const only = (selector, element) => { const found = all(selector); return found.length === 1 && found[0] === element; };
  const onlyIn = (outer, selector, element) => {
    const found = all(selector);
    if (found.length > MOST_ALIKE || !found.includes(element)) return false;
    const inside = found.filter((each) => within(each, outer));
    return inside.length === 1 && inside[0] === element;
  };

  const quoted = (value) => `"${value.replace(/\\/g, "\\\\").replace(/"/g, '\\"')}"`;
  const idOf = (element) => "#" + CSS.escape(element.id);
  const plain = (value, most) => value && value.length <= most && value.trim().split(/\s+/).length <= MOST_WORDS && !/[\n\r\u200b-\u200f\u2028-\u202e\u2060-\u206f]/.test(value) && !value.split(/[\s/]+/).some((word) => /^[\w-]+$/.test(word) && word.split(/[-_]/).some(noise));

  // What an element is called, by how sure that name is to last; each list from the best.
  function namesOf(element) {
    const tag = element.tagName.toLowerCase();
    const sure = [];
    const likely = [];
    const weak = [];
    const { id } = element;
    if (id && !madeUp(id)) (counted(id) && !inOrder(id) ? [] : inHtml.has(id) ? sure : likely).push(idOf(element));
    for (const name of TEST_NAMES) {
      const value = element.getAttribute(name);
      if (value && plain(value, 80)) sure.push(`[${name}=${quoted(value)}]`);
    }
    const attribute = (name, most, list = sure) => {
      const value = element.getAttribute(name);
      if (!value || !plain(value, most)) return "";
      const selector = `${tag}[${name}=${quoted(value)}]`;
      (name !== "value" && name !== "type" && counted(value) ? weak : list).push(selector);
      return selector;
    };
    const named = attribute("name", 80);
    if (named && ["radio", "checkbox"].includes(element.type) && element.hasAttribute("value")) sure.push(`${named}[value=${quoted(element.getAttribute("value"))}]`);
    attribute("aria-label", MOST_TEXT);
    if (tag === "label") attribute("for", 60);
    attribute("placeholder", 60);
    if (tag === "a" && !/^(#|javascript:|$)/i.test(element.getAttribute("href") || "")) attribute("href", 90, likely);
    if (tag === "iframe") attribute("src", 90, likely);
    if (["submit", "button", "reset"].includes(element.type) && tag === "input") attribute("value", MOST_TEXT);
    attribute("title", MOST_TEXT, likely);
    for (const { name, value } of element.attributes) {
      if (/^data-/.test(name) && !TEST_NAMES.includes(name) && !/^data-(v-|react|reactroot|emotion|styled|state|highlighted|index|time|date|value|count|active|selected|id$)/.test(name)
        && value && value.length < 30 && plain(value, 30) && !counted(value) && !/^(true|false)$/.test(value)) likely.push(`[${name}=${quoted(value)}]`);
    }
    const classes = [...element.classList].filter(lastingClass).sort((a, b) => GENERIC.test(a) - GENERIC.test(b));
    for (const name of classes) likely.push("." + CSS.escape(name));
    if (classes.length > 1) likely.push(tag + classes.slice(0, 4).map((name) => "." + CSS.escape(name)).join(""));
    if (tag === "input" && element.type !== "text") likely.push(`input[type=${quoted(element.type)}]`);
    if (["submit", "reset"].includes(element.getAttribute("type")) && tag === "button") likely.push(`button[type=${quoted(element.type)}]`);
    if (element.getAttribute("role")) likely.push(`[role=${quoted(element.getAttribute("role"))}]`);
    likely.push(tag);
    return { sure, likely, weak };
  }
  const remembered = new Map();
  const names = (element) => {
    if (!remembered.has(element)) remembered.set(element, namesOf(element));
    return remembered.get(element);
  };

  const texts = new Map();
  // An element's text in one line; what is too long to name anything counts as none.
  const textIn = (element) => {
    if (!texts.has(element)) {
      const text = element.textContent;
      texts.set(element, text.length < 4000 ? text.replace(/[\u200b\u00ad]/g, "").replace(/\s+/g, " ").trim() : "");
    }
    return texts.get(element);
  };
  // A short wording without numbers: those change from day to day.
  function byText(element) {
    const tag = element.tagName.toLowerCase();
    if (!["a", "button", "summary", "label", "li", "span", "div", "td", "option", "p", "b", "i", "em", "strong"].includes(tag) && !tag.includes("-")) return "";
    const text = textIn(element);
    if (!text || text.length > MOST_TEXT || /\d/.test(text) || !/\p{L}/u.test(text)) return "";
    const wanted = text.toLowerCase();
    const bases = [tag, ...names(element).likely.filter((name) => name.startsWith("[role") || name.startsWith("."))].slice(0, 5);
    for (const base of bases) {
      const alike = all(base);
      if (alike.length > MOST_ALIKE) continue;
      const holding = alike.filter((each) => textIn(each).toLowerCase().includes(wanted));
      if (holding.length === 1 && holding[0] === element) return `${base}:has-text(${quoted(text)})`;
      // The exact text is looked for in the smallest element, so only where nothing is inside.
      if (element.childElementCount || element.shadowRoot) continue;
      const same = holding.filter((each) => !each.childElementCount && textIn(each) === text);
      if (same.length === 1 && same[0] === element && !holding.some((each) => each.childElementCount && textIn(each) === text)) return `${base}:text-is(${quoted(text)})`;
    }
    return "";
  }

  // The nearest named ancestors, outermost last.
  function placesOf(element) {
    const places = [];
    for (let node = above(element), depth = 0; node && depth < MOST_DEPTH; node = above(node), depth += 1) {
      if (node === document.body || node === document.documentElement) break;
      const { sure, likely } = names(node);
      places.push(...sure, ...likely.filter((name) => !/^[a-z]+$/.test(name) || /^(form|dialog|nav|main|header|footer|aside|table|fieldset)$/.test(name) || name.includes("-")));
    }
    return [...new Set(places)].slice(0, 40);
  }

  const anchors = new Map();
  const places = new Map();
  // Which of its parent's children of its tag an element is, counted from 1, and how many there are.
  function placeOf(element) {
    const parent = element.parentNode;
    if (!parent) return [1, 1];
    if (!places.has(parent)) {
      const counts = new Map();
      const known = new Map();
      for (const child of parent.children) {
        counts.set(child.tagName, (counts.get(child.tagName) || 0) + 1);
        known.set(child, counts.get(child.tagName));
      }
      places.set(parent, { counts, known });
    }
    const { counts, known } = places.get(parent);
    return [known.get(element) || 1, counts.get(element.tagName) || 1];
  }

  function pathOf(element) {
    const parts = [];
    for (let node = element; node; node = above(node)) {
      if (node !== element) {
        if (!anchors.has(node)) anchors.set(node, [...names(node).sure, ...names(node).likely].find((name) => only(name, node)) || "");
        const anchor = anchors.get(node);
        if (anchor) { parts.unshift(anchor); break; }
      }
      const tag = node.tagName.toLowerCase();
      const [place, count] = placeOf(node);
      parts.unshift(count > 1 ? `${CSS.escape(tag)}:nth-of-type(${place})` : CSS.escape(tag));
    }
    return parts.join(" > ");
  }

  const answers = new Map();
  function selectorOf(element) {
    if (!answers.has(element)) answers.set(element, choose(element));
    return answers.get(element);
  }
  let searched = 0;
  function choose(element) {
    if (searched > SEARCH_MS) return pathOf(element);
    const started = performance.now();
    try { return search(element); } finally { searched += performance.now() - started; }
  }
  function search(element) {
    const { sure, likely, weak } = names(element);
    const direct = [...sure, ...likely].find((name) => only(name, element));
    if (direct) return direct;
    const places = placesOf(element);
    const below = (list) => {
      for (const place of places) for (const name of list) if (onlyIn(place, name, element)) return `${place} ${name}`;
      return "";
    };
    const last = likely.at(-1);
    return below([...sure, ...likely.filter((name) => name !== last)]) || byText(element) || below([last])
      || weak.find((name) => only(name, element)) || below(weak) || pathOf(element);
  }

  window[Symbol.for("verifaible.selectors")] = { selectorOf, above };
}

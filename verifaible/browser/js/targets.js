// What the elements that a selector found are: a selector that finds only this one, the words on it, whether
// a reader sees it, and which of them do the same as the first ones (one inside the other, the same link).
(lib, elements) => {
  const MOST = 60;
  const ACTS = "a[href], button, summary, label, option, [onclick], [role=button], [role=link], [role=tab], [role=option], [role=menuitem]";
  const quoted = (value) => `"${value.replace(/["\\]/g, "\\$&")}"`;
  // Ids that a library numbers differ from load to load.
  const made = (id) => /\d{3,}|^[:_]|[0-9a-f]{8}|-\d+$/i.test(id);
  function selectorOf(element) {
    const root = element.getRootNode();
    const tag = element.tagName.toLowerCase();
    const one = (selector) => {
      try { return root.querySelectorAll(selector).length === 1; } catch { return false; }
    };
    const tried = [];
    if (element.id && !made(element.id)) tried.push(`#${CSS.escape(element.id)}`);
    for (const name of ["data-testid", "data-test", "name", "aria-label", "href", "value", "title"]) {
      const value = element.getAttribute(name);
      if (value && value.length <= 80) tried.push(`${tag}[${name}=${quoted(value)}]`);
    }
    const classes = [...element.classList].map((name) => `.${CSS.escape(name)}`);
    tried.push(...classes.map((name) => tag + name), tag + classes.join(""));
    const short = root === document && tried.find(one);
    return short || lib.cssPath(element).split(" >>> ").join(" ");
  }
  function wordsOf(element) {
    const field = element.matches("input, select, textarea");
    const label = field && element.labels && element.labels[0] ? lib.textOf(element.labels[0]) : "";
    const button = field && /^(button|submit|reset)$/.test(element.type) ? element.value : "";
    const words = label || button || (field ? "" : lib.textOf(element)) || element.getAttribute("aria-label")
      || element.getAttribute("placeholder") || element.getAttribute("title") || element.getAttribute("alt") || "";
    return words.replace(/\s+/g, " ").trim();
  }
  const acting = (element) => element.closest(ACTS) || element;
  const does = (element) => {
    const actor = acting(element);
    if (actor.tagName === "A" && actor.href && !/^javascript:|#$/i.test(actor.getAttribute("href"))) return `link ${actor.href} ${actor.target}`;
    const handler = actor.getAttribute("onclick");
    return handler ? `handler ${handler} ${/\bthis\b|event/.test(handler) ? lib.cssPath(actor) : ""}` : actor;
  };
  const groups = new Map();
  const leaders = [];
  const groupOf = (element) => {
    const around = leaders.find((other) => other.contains(element) || element.contains(other));
    const key = around ? does(around) : does(element);
    if (!groups.has(key)) {
      groups.set(key, groups.size);
      leaders.push(element);
    }
    return groups.get(key);
  };
  const list = Array.isArray(elements) ? elements : [elements];
  return {
    count: list.length,
    found: list.slice(0, MOST).map((element) => {
      const words = wordsOf(element);
      return {
        selector: selectorOf(element),
        text: words.length > 80 ? `${words.slice(0, 79)}…` : words,
        whole: element.textContent.replace(/\s+/g, " ").trim().slice(0, 300),
        visible: lib.visible(element) && element.getClientRects().length > 0 && getComputedStyle(element).visibility === "visible",
        group: groupOf(element),
      };
    }),
  };
}

// The elements of this frame that come nearest to what a step asked for and did not find, best first.
(lib, { wanted, kind, limit }) => {
  const KINDS = {
    click: "a[href], button, input, select, textarea, summary, label, [role], [onclick], [tabindex], li, td, th, span, div",
    type: "input, textarea, [contenteditable], [role=textbox], [role=combobox], [role=searchbox]",
    select: "select, [role=combobox], [role=listbox]",
    scroll: "*",
    wait: "[id], [class]",
  };
  const MOST = 5000;
  const ACTIVE = "a, button, input, select, textarea, summary, [role], [onclick], [tabindex]";
  const pairs = (text) => {
    const plain = text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ").trim();
    const found = new Map();
    for (let i = 0; i + 1 < plain.length || (i === 0 && plain); i += 1) {
      const pair = plain.slice(i, i + 2);
      found.set(pair, (found.get(pair) || 0) + 1);
    }
    return found;
  };
  const size = (found) => [...found.values()].reduce((sum, each) => sum + each, 0);
  const asked = pairs(wanted);
  const total = size(asked);
  const alike = (text) => {
    const other = pairs(text);
    let both = 0;
    for (const [pair, count] of other) both += Math.min(count, asked.get(pair) || 0);
    return both / (total + size(other) || 1);
  };
  const scored = [];
  (function search(root) {
    const all = root.querySelectorAll("*");
    for (const element of all) {
      if (element.shadowRoot) search(element.shadowRoot);
      if (scored.length >= MOST || !element.matches(KINDS[kind] || "*")) continue;
      if (kind === "scroll" && !(element.scrollHeight > element.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(element).overflowY))) continue;
      if (kind !== "select" && !(element.getClientRects().length && lib.visible(element))) continue;
      const own = element.children.length > 3 ? "" : element.textContent.slice(0, 120);
      const names = `${element.id} ${element.getAttribute("class") || ""} ${element.getAttribute("name") || ""}`;
      const said = `${own} ${element.getAttribute("aria-label") || ""} ${element.getAttribute("placeholder") || ""}`;
      const score = Math.max(alike(names), alike(said), alike(`${element.tagName} ${names}`));
      const active = element.matches(ACTIVE) || kind !== "click";
      if (score > 0 || active) scored.push({ element, score: score + (active ? 0.1 : 0) });
    }
  })(document);
  scored.sort((one, other) => other.score - one.score);
  const chosen = [];
  for (const { element } of scored) {
    if (chosen.length === limit) break;
    if (!chosen.some((other) => other !== element && (other.contains(element) || element.contains(other)))) chosen.push(element);
  }
  return chosen;
}

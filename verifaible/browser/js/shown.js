// The markup of what a reader can see of this frame, by the computed styles of the live page, through open
// shadow roots and slots; and what was left out, counted by channel. Changes nothing in the page.
(lib) => {
  const NEVER = /^(SCRIPT|STYLE|TEMPLATE|NOSCRIPT|HEAD|LINK|META|IFRAME|FRAME|OBJECT|EMBED|CANVAS|AUDIO|VIDEO|SVG|MATH|TEXTAREA|SELECT|DATALIST|INPUT)$/;
  const VOID = /^(BR|HR|IMG|WBR|COL|AREA)$/;
  const KEPT = ["href", "src", "colspan", "rowspan", "scope", "role", "type", "start", "id", "class", "lang", "datetime"];
  const LABELS = ["aria-label", "aria-description", "aria-placeholder", "aria-roledescription", "aria-valuetext", "summary"];
  const PLACES = /^(TD|TH|TR|TBODY|THEAD|TFOOT|CAPTION)$/;
  // Letters smaller than this cannot be read, in CSS pixels.
  const SMALLEST_PX = 2;
  const FAR_PX = 999;
  const told = /[\p{L}\p{N}]/u;
  const removed = {};
  const out = [];
  let hidden = 0;

  const count = (channel) => { removed[channel] = (removed[channel] || 0) + 1; };
  const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const quoted = (text) => escaped(text).replace(/"/g, "&quot;");
  const says = (element) => told.test(element.textContent || "");

  // Why a box that is not seen is not seen, as far as one can tell; the words are those of strip.py.
  function why(element) {
    const style = getComputedStyle(element);
    if (element.hasAttribute("hidden")) return "hidden attribute";
    if (style.display === "none" || style.contentVisibility === "hidden") return "display";
    if (lib.opacityOf(element) < 0.05 || /opacity\(0/.test(style.filter)) return "opacity";
    const box = element.getBoundingClientRect();
    if (style.clip !== "auto" || style.clipPath !== "none" || box.right + scrollX < 0 || box.bottom + scrollY < 0) return "off screen";
    return "zero size";
  }

  // What lib.visible leaves to others: boxes without room, or far off the window. Lenient on purpose there, since
  // what is not seen cannot be quoted.
  function farAway(element) {
    const style = getComputedStyle(element);
    if (!element.getClientRects().length || /^(contents|inline)$/.test(style.display)) return false;
    const box = element.getBoundingClientRect();
    if (box.bottom + scrollY < -FAR_PX || box.right + scrollX < 0) return true;
    const cuts = (way) => way === "hidden" || way === "clip";
    if (cuts(style.overflowY) && element.offsetHeight <= 1 || cuts(style.overflowX) && element.offsetWidth <= 1) return true;
    return box.width < 0.5 && element.offsetWidth > 1 || box.height < 0.5 && element.offsetHeight > 1;
  }

  // A negative margin makes a box wide: only its letters stand far off.
  function lettersAway(node, parent) {
    if (parent.getBoundingClientRect().left + scrollX > -FAR_PX) return false;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    return box.width > 0 && box.right + scrollX < 0;
  }

  function size(element) {
    const zoom = element.currentCSSZoom || 1;
    return Number.parseFloat(getComputedStyle(element).fontSize) * zoom;
  }

  function textChannel(parent, node) {
    const style = getComputedStyle(parent);
    if (style.visibility !== "visible") return "visibility";
    if (size(parent) < SMALLEST_PX) return "zero size";
    if (lettersAway(node, parent)) return "off screen";
    if (!lib.textShown(parent)) return Number.parseFloat(style.textIndent) < -FAR_PX ? "off screen" : "same colour";
    return "";
  }

  function text(node) {
    const parent = node.parentElement || (node.parentNode && node.parentNode.host);
    if (!parent) return;
    const channel = told.test(node.data) ? textChannel(parent, node) : "";
    if (!channel) { out.push(escaped(node.data)); return; }
    count(channel);
    hidden += node.data.trim().length;
    out.push(" ");
  }

  function attributes(element) {
    if (told.test(element.getAttribute("alt") || "")) count("alt text");
    if (told.test(element.getAttribute("title") || "")) count("title attribute");
    if (LABELS.some((name) => told.test(element.getAttribute(name) || ""))) count("aria-label");
    return KEPT.filter((name) => element.hasAttribute(name)).map((name) => ` ${name}="${quoted(element.getAttribute(name))}"`).join("");
  }

  function children(node) {
    if (node.shadowRoot) return node.shadowRoot.childNodes;
    if (node.tagName === "SLOT") {
      const assigned = node.assignedNodes();
      if (assigned.length) return assigned;
    }
    return node.childNodes;
  }

  const beyond = (element) => element.nodeType === Node.ELEMENT_NODE && (farAway(element) || !lib.visible(element))
    && ["off screen", "zero size"].includes(why(element));

  // A label for screen readers beside it says the same: then what they skip is what everybody else sees.
  const twin = (element) => [...(element.parentNode ? element.parentNode.children : [])].some((each) => each !== element && beyond(each));

  function element(node) {
    const tag = node.tagName.toUpperCase();
    if (NEVER.test(tag)) { never(node, tag); return; }
    const unseen = !lib.visible(node) || farAway(node);
    const skipped = (node.getAttribute("aria-hidden") || "").trim().toLowerCase() === "true" && !unseen && !twin(node);
    if (unseen || skipped) {
      if (says(node)) {
        count(unseen ? why(node) : "aria-hidden");
        hidden += unseen ? node.textContent.trim().length : 0;
      }
      if (getComputedStyle(node).display === "none" || !PLACES.test(tag)) return;
    }
    const name = node.shadowRoot || tag === "SLOT" ? "div" : tag.toLowerCase();
    out.push(`<${name}${attributes(node)}${tag === "DETAILS" || tag === "DIALOG" ? " open" : ""}>`);
    if (VOID.test(tag)) return;
    if (!unseen && !skipped) inside(node, tag);
    out.push(`</${name}>`);
  }

  function inside(node, tag) {
    if (tag === "DETAILS" && !node.open) {
      const summary = [...node.children].find((child) => child.tagName === "SUMMARY");
      if ([...node.childNodes].some((child) => child !== summary && told.test(child.textContent))) count("closed details");
      if (summary) visit(summary);
    } else for (const child of children(node)) visit(child);
  }

  function never(node, tag) {
    if (tag === "META" && told.test(node.content || "")) count("meta");
    if ((tag === "NOSCRIPT" || tag === "TEMPLATE") && told.test(node.innerHTML)) count(tag.toLowerCase());
    if (tag === "SCRIPT" && /ld\+json/.test(node.type)) count("meta");
    attributes(node);
  }

  function visit(node) {
    if (node.nodeType === Node.TEXT_NODE) text(node);
    else if (node.nodeType === Node.ELEMENT_NODE) element(node);
    else if (node.nodeType === Node.COMMENT_NODE && told.test(node.data)) count("comment");
  }

  for (const node of document.head ? document.head.children : []) never(node, node.tagName.toUpperCase());
  if (document.body && document.body.tagName === "BODY") for (const child of children(document.body)) visit(child);
  const dates = [...document.querySelectorAll('meta[content], script[type="application/ld+json"]')].map((node) => node.outerHTML).join("");
  const head = `<title>${escaped(document.title)}</title><base href="${quoted(document.baseURI)}">`;
  return {
    html: `<html lang="${quoted(document.documentElement.lang)}"><head>${head}${dates}</head><body>${out.join("")}</body></html>`,
    removed,
    hidden,
  };
}

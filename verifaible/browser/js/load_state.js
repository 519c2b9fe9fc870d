// How far this frame has come: what says or shows that it is loading, and places for content in which nothing
// stands.
(lib) => {
  const BUSY = /(^|[-_\s])(spinner|spin|loader|loading|skeleton|shimmer|placeholder-(glow|wave))([-_\s]|$)/i;
  const PLACE = /(^|[-_\s])(root|app|main|content|container|list|table|grid|data|results?|chart|view|mount|body)([-_\s]|$)/i;
  const LANDMARK = "nav, aside, footer, [role=navigation], [role=complementary], [role=contentinfo], [role=banner], [role=menu], [role=menubar]";
  if (!document.body) return { busy: [], empty: [] };
  const shown = (element) => lib.visible(element) && element.getClientRects().length > 0
    && element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const beside = (element) => element.closest(LANDMARK) || (element.closest("header") && !element.closest("article, main, [role=main]"));
  const busy = [];
  for (const element of document.querySelectorAll("[aria-busy=true], [role=progressbar], progress, [class]")) {
    if (busy.length >= 20) break;
    const said = element.getAttribute("aria-busy") === "true";
    const bar = (element.tagName === "PROGRESS" && element.position === -1)
      || (element.getAttribute("role") === "progressbar" && !element.hasAttribute("aria-valuenow"));
    const named = !/^(HTML|BODY|IMG|A|BUTTON|SCRIPT)$/.test(element.tagName) && BUSY.test(element.getAttribute("class") || "");
    if (!said && !bar && !named) continue;
    const box = element.getBoundingClientRect();
    if (!shown(element) || box.width < 8 || box.height < 4 || beside(element)) continue;
    if (named && !said && !bar && lib.textOf(element).length > 40) continue;
    busy.push(said ? "aria-busy" : lib.cssPath(element));
  }

  const empty = [];
  for (const element of document.querySelectorAll("div[id], main, section, tbody, ul, [class*=content i], [class*=list i]")) {
    if (empty.length >= 20) break;
    const place = /^(MAIN|TBODY|UL)$/.test(element.tagName) || PLACE.test(`${element.id} ${element.className}`);
    if (!place || element.querySelector("img, svg, canvas, video, iframe") || element.textContent.trim() || beside(element)) continue;
    if (getComputedStyle(element).display !== "none") empty.push(lib.cssPath(element));
  }
  // A table with heads over columns in which nothing stands.
  for (const table of document.querySelectorAll("table")) {
    if (table.querySelector("th") && !table.querySelector("td") && shown(table)) empty.push(lib.cssPath(table));
  }
  return { busy, empty };
}

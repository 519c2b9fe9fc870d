// The markup of what a reader can see of this frame, as lib.walk reads it, grids as tables; whether details that are closed
// hold words; and of tables that draw only the rows in view, how many are drawn, of how many. Changes nothing in the page.
(lib) => {
  const VOID = /^(BR|HR|IMG|WBR|COL|AREA)$/;
  // What ends a line where markup is read without a style.
  const LINES = /^(ADDRESS|ARTICLE|ASIDE|BLOCKQUOTE|BR|CAPTION|DD|DETAILS|DIALOG|DIV|DL|DT|FIELDSET|FIGCAPTION|FIGURE|FOOTER|FORM|H[1-6]|HEADER|HGROUP|HR|LEGEND|LI|MAIN|MENU|NAV|OL|P|PRE|SECTION|SUMMARY|TABLE|TBODY|TD|TFOOT|TH|THEAD|TR|UL)$/;
  const KEPT = ["href", "src", "colspan", "rowspan", "scope", "role", "type", "start", "id", "class", "lang", "datetime"];
  const PLACES = /^(TD|TH|TR|TBODY|THEAD|TFOOT|CAPTION)$/;
  const told = /[\p{L}\p{N}]/u;
  let closed = false;
  const out = [];
  const ends = new Map();
  let ended = true; // whether a tag has ended the line since the last words
  let cell = null;  // the cell of a grid that is being given: a tag of its own stands for its
  let drawn = false; // whether a grid is being given: the tags of tables in it are not
  let place = 0;    // where something between these and the next words stands outside of both

  const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const quoted = (text) => escaped(text).replace(/"/g, "&quot;");
  const says = (node) => told.test((node.nodeType === Node.ELEMENT_NODE ? node.textContent : node.data) || "");

  function attributes(element) {
    return KEPT.filter((name) => element.hasAttribute(name)).map((name) => ` ${name}="${quoted(element.getAttribute(name))}"`).join("");
  }

  function put(tag, name) {
    out.push(tag);
    if (LINES.test(name)) ended = true;
  }

  function nameOf(node, tag, bare) {
    if (bare || node === document.body || node === cell || node.namespaceURI !== "http://www.w3.org/1999/xhtml") return "";
    if (drawn && (tag === "TABLE" || PLACES.test(tag))) return "DIV";
    return node.shadowRoot || tag === "SLOT" || tag.includes("-") || /^(DEL|S|STRIKE)$/.test(tag) ? "SPAN" : tag;
  }

  const markup = {
    enter(node, tag, bare) {
      const kept = attributes(node);
      const name = nameOf(node, tag, bare);
      ends.set(node, VOID.test(tag) ? "" : name);
      if (name) put(`<${name.toLowerCase()}${kept}${/^(DETAILS|DIALOG)$/.test(name) ? " open" : ""}>`, name);
    },
    leave(node) {
      const name = ends.get(node);
      if (name) put(`</${name.toLowerCase()}>`, name);
      place = out.length;
    },
    unseen(node, tag) {
      if (!drawn && PLACES.test(tag) && getComputedStyle(node).display !== "none") {
        put(`<${tag.toLowerCase()}${attributes(node)}></${tag.toLowerCase()}>`, tag);
      }
    },
    closed(node, summary) {
      closed = closed || [...node.childNodes].some((child) => child !== summary && says(child));
    },
  };

  function give(node, offset, words) {
    if (words !== " " && (node || !/^[\n\t]$/.test(words))) out.push(escaped(words));
    else if (!ended) out.splice(place, 0, words === "\n" ? "<br>" : " ");
    if (node) ended = false;
    place = out.length;
  }

  // A grid as a table of its cells; what else stands in it comes before.
  function giveGrid(root) {
    const lines = [];
    const { rows } = lib.readTable(root, (row, cells) => lines.push(cells));
    if (drawn || !rows.length) return false;
    drawn = true;
    const own = new Set(lines.flat());
    lib.walk(root, give, { markup, leaveOut: (each) => own.has(each) || lib.isCell(each) });
    put("<table>", "TABLE");
    rows.forEach((row, index) => {
      put("<tr>", "TR");
      row.forEach(({ text, rowspan = 1, colspan = 1, header, scope }, at) => {
        const tag = header ? "th" : "td";
        put(`<${tag} rowspan="${rowspan}" colspan="${colspan}"${scope ? ` scope="${scope}"` : ""}>`, "TD");
        cell = lines[index][at];
        if (cell && text) lib.walk(cell, give, { markup });
        // A header may be read that is seen only with its column.
        if (ended && text) give(cell, 0, text);
        put(`</${tag}>`, "TD");
      });
      put("</tr>", "TR");
    });
    put("</table>", "TABLE");
    place = out.length;
    [cell, drawn] = [null, false];
    return true;
  }

  const tables = document.body ? lib.tableElements(true) : [];
  if (document.body && document.body.tagName === "BODY") {
    const grids = new Set(tables.filter(lib.isGrid));
    lib.walk(document.body, give, { markup, leaveOut: (each) => grids.has(each) && giveGrid(each) });
  }
  const partly = tables.map(lib.scrollBox).filter((box) => box && box.sparse && box.all > box.drawn);
  const dates = [...document.querySelectorAll('meta[content], script[type="application/ld+json"]')].map((node) => node.outerHTML).join("");
  const head = `<title>${escaped(document.title)}</title><base href="${quoted(document.baseURI)}">`;
  return {
    html: `<html lang="${quoted(document.documentElement.lang)}"><head>${head}${dates}</head><body>${out.join("")}</body></html>`,
    closed,
    partly: partly.map(({ drawn: seen, all }) => [seen, all]),
  };
}

// The heading before each table of this frame, by the table's CSS path: none where much text lies between.
(lib, { unmarked }) => {
  const MOST_BETWEEN = 800;
  const MOST = 200;
  const known = new Map();
  const headingsIn = (root) => {
    if (!known.has(root)) {
      const alone = (each) => {
        const whole = each.closest("p");
        return whole !== null && whole.textContent.trim() === each.textContent.trim();
      };
      known.set(root, [...root.querySelectorAll("h1, h2, h3, h4, h5, h6, [role=heading], p b, p strong")]
        .filter((each) => (/^(B|STRONG)$/.test(each.tagName) ? alone(each) : true))
        .filter((each) => each.textContent.trim() && each.textContent.length <= MOST && !each.closest("table")));
    }
    return known.get(root);
  };
  const headingOf = (table) => {
    // A grid that no markup tells of may have its heading in it.
    const own = table.tagName === "TABLE" ? null : table.querySelector("h1, h2, h3, h4, h5, h6, [role=heading]");
    if (own && !own.closest("td, th, [role=row]") && lib.visible(own)) return lib.textOf(own).toWellFormed();
    const before = headingsIn(table.getRootNode()).filter((each) =>
      each.compareDocumentPosition(table) === Node.DOCUMENT_POSITION_FOLLOWING && lib.visible(each));
    const last = before[before.length - 1];
    if (!last) return "";
    const between = document.createRange();
    between.setStartAfter(last);
    between.setEndBefore(table);
    return between.toString().trim().length <= MOST_BETWEEN ? lib.textOf(last).toWellFormed() : "";
  };
  return Object.fromEntries(lib.tableElements(unmarked).map((table) => [lib.cssPath(table), headingOf(table)]));
}

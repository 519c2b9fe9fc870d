// What a selector finds in this frame; an error text where it is no selector.
(lib, { selector }) => {
  let found;
  try { found = [...document.querySelectorAll(selector)]; } catch (error) { return { error: String(error.message), matches: [] }; }
  return {
    error: "",
    matches: found.slice(0, 20).map((element) => ({
      css_path: lib.cssPath(element),
      tag: element.tagName.toLowerCase(),
      visible: lib.visible(element) && element.getClientRects().length > 0,
      inner_tables: [...element.querySelectorAll("table, [role=table], [role=grid]")].map((table) => lib.cssPath(table)),
    })),
  };
}

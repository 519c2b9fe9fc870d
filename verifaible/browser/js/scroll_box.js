// The box in which the rows of a table scroll, as lib.scrollBox gives it.
(lib, { css_path }) => {
  const table = lib.resolve(css_path);
  const { drawn, all, ...box } = (table && lib.scrollBox(table)) || {};
  return box.height ? box : null;
}

// The paths of the tables that a selector names: itself, the tables inside it, or the one around it.
(lib, { selector }) => {
  const found = [];
  for (const element of document.querySelectorAll(selector)) {
    const table = element.closest('table,[role="table"],[role="grid"],[role="treegrid"]');
    const inside = [...element.querySelectorAll('table,[role="table"],[role="grid"],[role="treegrid"]')];
    found.push(...(element === table ? [element] : inside.length ? inside : table ? [table] : [element]));
  }
  return [...new Set(found.map(lib.cssPath))];
}

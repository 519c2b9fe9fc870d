// Scrolls the page, or the element that selector names; false where there is none.
(lib, { selector, by, end }) => {
  const element = selector ? document.querySelector(selector) : document.scrollingElement || document.documentElement;
  if (!element) return false;
  if (end) element.scrollTo({ top: end === "bottom" ? element.scrollHeight : 0, behavior: "instant" });
  else element.scrollBy({ top: by, behavior: "instant" });
  return true;
}

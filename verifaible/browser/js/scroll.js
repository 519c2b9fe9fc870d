// Scrolls an element (null: the page), and says from where to where and how far it could go.
(lib, { element, by, end }) => {
  const box = element || document.scrollingElement || document.documentElement;
  const from = box.scrollTop;
  if (end) box.scrollTo({ top: end === "bottom" ? box.scrollHeight : 0, behavior: "instant" });
  else box.scrollBy({ top: by, behavior: "instant" });
  return { from: Math.round(from), to: Math.round(box.scrollTop), most: Math.max(0, Math.round(box.scrollHeight - box.clientHeight)) };
}

// The text of this frame that a reader can see, and whether it has ruby, whose readings may be quoted or not.
(lib, options) => {
  if (!document.body) return { text: "", ruby: false };
  const parts = [];
  lib.walk(document.body, (node, offset, words) => parts.push(words), options || {});
  return { text: parts.join(""), ruby: document.querySelector("rt") !== null };
}

// The text of this frame that a reader can see.
(lib) => {
  if (!document.body) return "";
  const parts = [];
  lib.walk(document.body, (node, offset, character) => parts.push(character));
  return parts.join("");
}

// The text of this frame that a reader can see; whether it has ruby, whose readings may be quoted or not; its language;
// and the spans (in code points) whose letter case its style makes.
(lib, options) => {
  const language = document.documentElement.lang || "";
  if (!document.body) return { text: "", ruby: false, language, cased: [] };
  const parts = [];
  const cased = [];
  const known = new Map();
  const restyled = (element) => {
    if (!known.has(element)) {
      const { textTransform, fontVariantCaps } = getComputedStyle(element);
      known.set(element, (textTransform !== "none" && !/full/.test(textTransform)) || fontVariantCaps !== "normal");
    }
    return known.get(element);
  };
  let length = 0;
  lib.walk(document.body, (node, offset, words) => {
    parts.push(words);
    const size = /[\ud800-\udfff]/.test(words) ? [...words].length : words.length;
    const holder = node && (node.parentElement || node.parentNode.host);
    if (holder && restyled(holder)) {
      const last = cased[cased.length - 1];
      if (last && last[1] === length) last[1] += size;
      else cased.push([length, length + size]);
    }
    length += size;
  }, options || {});
  return { text: parts.join(""), ruby: document.querySelector("rt") !== null, language, cased };
}

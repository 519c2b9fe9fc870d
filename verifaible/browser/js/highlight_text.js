// Paints text with the CSS Custom Highlight API: no node of the page is touched. What was located before
// is painted as it was found then: the text before it may have changed since.
(lib, { start, end, readings, color }) => {
  const kept = lib.located.get();
  const same = kept.ranges && kept.start === start && kept.end === end && kept.readings === readings
    && kept.ranges.every((range) => range.startContainer.isConnected);
  const ranges = same ? kept.ranges : lib.rangesOf(start, end, { readings });
  if (!ranges.length) return false;
  CSS.highlights.set("verifaible", new Highlight(...ranges));
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`::highlight(verifaible) { background-color: ${color}; color: #111; }`);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  return true;
}

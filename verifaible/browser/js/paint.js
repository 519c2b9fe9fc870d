// Paints marks over the page, in closed layers above everything else. Fills are multiplied with what lies below
// them, as a marker's ink is: black letters stay black.
(lib, { marks }) => {
  const modal = document.querySelector("dialog:modal, :popover-open, :fullscreen") !== null;
  const layer = (blend) => {
    const host = document.createElement("div");
    host.style.cssText = "all:initial;position:absolute;left:0;top:0;width:0;height:0;margin:0;border:0;padding:0;" +
      `overflow:visible;z-index:2147483647;pointer-events:none;mix-blend-mode:${blend}`;
    const shadow = host.attachShadow({ mode: "closed" });
    document.documentElement.append(host);
    if (modal) { // nothing lies above a modal dialog but what was put there after it
      host.popover = "manual";
      host.showPopover();
    }
    // The layer's own containing block may be shifted; measure and undo it.
    const origin = host.getBoundingClientRect();
    return { shadow, left: -origin.left - window.scrollX, top: -origin.top - window.scrollY };
  };
  const layers = { multiply: layer("multiply"), normal: layer("normal") };
  for (const { x, y, width, height, fill, line, outset, dark } of marks) {
    const put = (blend, style) => {
      const { shadow, left, top } = layers[blend];
      const element = document.createElement("div");
      element.style.cssText = `position:absolute;box-sizing:border-box;left:${left + x - outset}px;top:${top + y - outset}px;` +
        `width:${width + 2 * outset}px;height:${height + 2 * outset}px;${style}`;
      shadow.append(element);
    };
    if (fill) put(dark ? "normal" : "multiply", dark ? `background:${fill};opacity:.35` : `background:${fill}`);
    // A light edge keeps the line apart from what is as dark as it.
    if (line) put("normal", `border:${line};box-shadow:0 0 0 1.5px rgba(255,255,255,.9)${dark ? ";border-color:#ffe066" : ""}`);
  }
  return marks.length > 0;
}

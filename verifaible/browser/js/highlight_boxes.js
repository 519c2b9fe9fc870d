// Paints boxes over the page (tables and images), in closed layers above everything else. Fills are
// multiplied with what lies below them, as a marker's ink is: black letters stay black.
(lib, { boxes }) => {
  const dark = ({ x, y, width, height }) => {
    const [cx, cy] = [x - window.scrollX + width / 2, y - window.scrollY + height / 2];
    const under = document.elementFromPoint(cx, cy);
    const ground = under && lib.behind(under);
    return Boolean(ground) && 0.3 * ground.color[0] + 0.6 * ground.color[1] + 0.1 * ground.color[2] < 110;
  };
  const shades = boxes.map(({ rect }) => dark(rect));
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
    host.style.marginLeft = `${-(origin.left + window.scrollX)}px`;
    host.style.marginTop = `${-(origin.top + window.scrollY)}px`;
    return shadow;
  };
  const layers = { multiply: layer("multiply"), normal: layer("normal") };
  boxes.forEach(({ rect, fill, line, outset }, index) => {
    const put = (blend, style) => {
      const box = document.createElement("div");
      box.style.cssText = `position:absolute;box-sizing:border-box;left:${rect.x - outset}px;top:${rect.y - outset}px;` +
        `width:${rect.width + 2 * outset}px;height:${rect.height + 2 * outset}px;${style}`;
      layers[blend].append(box);
    };
    if (fill) put(shades[index] ? "normal" : "multiply", shades[index] ? `background:${fill};opacity:.35` : `background:${fill}`);
    // A light edge keeps the line apart from what is as dark as it.
    if (line) put("normal", `border:${line};box-shadow:0 0 0 1.5px rgba(255,255,255,.9)${shades[index] ? `;border-color:${fill || "#ffe066"}` : ""}`);
  });
  return boxes.length > 0;
}

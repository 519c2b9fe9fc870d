// Paints boxes over the page (tables and images), in closed layers above everything else. Fills are
// multiplied with what lies below them, as a marker's ink is: black letters stay black. A box around
// cells that were located before (sources) is where they are now, and follows them.
(lib, { boxes }) => {
  const { table, places = new Map() } = lib.located.get();
  const around = ({ rects, sources }) => {
    const cells = sources.map((source) => (source.length ? places.get(source.join()) : table));
    const known = sources.length > 0 && cells.every((cell) => cell && cell.isConnected);
    const parts = known ? cells.map((cell) => lib.clipped(cell, cell.getBoundingClientRect())) : rects;
    const shown = parts.filter((part) => part.width > 0 && part.height > 0);
    const [x, y] = [Math.min(...shown.map((part) => part.x)), Math.min(...shown.map((part) => part.y))];
    const right = Math.max(...shown.map((part) => part.x + part.width));
    const bottom = Math.max(...shown.map((part) => part.y + part.height));
    return shown.length ? { x, y, width: right - x, height: bottom - y } : { x: 0, y: 0, width: 0, height: 0 };
  };
  const dark = ({ x, y, width, height }) => {
    const [cx, cy] = [x - window.scrollX + width / 2, y - window.scrollY + height / 2];
    const under = document.elementFromPoint(cx, cy);
    const ground = under && lib.behind(under);
    return Boolean(ground) && 0.3 * ground.color[0] + 0.6 * ground.color[1] + 0.1 * ground.color[2] < 110;
  };
  const shades = boxes.map((box) => dark(around(box)));
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
    return { host, shadow, left: 0, top: 0 };
  };
  const layers = { multiply: layer("multiply"), normal: layer("normal") };
  const painted = [];
  boxes.forEach((box, index) => {
    const { fill, line, outset } = box;
    const put = (blend, style) => {
      const element = document.createElement("div");
      element.style.cssText = `position:absolute;box-sizing:border-box;${style}`;
      layers[blend].shadow.append(element);
      painted.push({ box, element, outset, last: "" });
    };
    if (fill) put(shades[index] ? "normal" : "multiply", shades[index] ? `background:${fill};opacity:.35` : `background:${fill}`);
    // A light edge keeps the line apart from what is as dark as it.
    if (line) put("normal", `border:${line};box-shadow:0 0 0 1.5px rgba(255,255,255,.9)${shades[index] ? `;border-color:${fill || "#ffe066"}` : ""}`);
  });
  const lay = () => {
    for (const each of Object.values(layers)) {
      // The layer's own containing block may be shifted; measure and undo it.
      const origin = each.host.getBoundingClientRect();
      const [left, top] = [origin.left + window.scrollX, origin.top + window.scrollY];
      if (Math.abs(left) < 0.01 && Math.abs(top) < 0.01) continue;
      each.left -= left;
      each.top -= top;
      each.host.style.marginLeft = `${each.left}px`;
      each.host.style.marginTop = `${each.top}px`;
    }
    const rects = new Map(boxes.map((box) => [box, around(box)]));
    for (const each of painted) {
      const { x, y, width, height } = rects.get(each.box);
      const next = `${width > 0 ? "block" : "none"};left:${x - each.outset}px;top:${y - each.outset}px;` +
        `width:${width + 2 * each.outset}px;height:${height + 2 * each.outset}px`;
      if (next === each.last) continue;
      each.last = next;
      each.element.style.cssText = `${each.element.style.cssText};display:${next}`;
    }
  };
  lib.atRest(lay);
  const follow = () => requestAnimationFrame(() => { lib.atRest(lay); follow(); });
  if (boxes.some((box) => box.sources.length)) follow();
  return boxes.length > 0;
}

// Paints the caption and its time over the lower edge of the first screen, in a closed layer.
(lib, { text, time }) => {
  const layer = document.createElement("div");
  layer.style.cssText = "all:initial;position:absolute;left:0;top:0;z-index:2147483647;pointer-events:none";
  const bar = document.createElement("div");
  bar.style.cssText = `position:absolute;left:0;top:${window.innerHeight - 96}px;width:${window.innerWidth}px;` +
    "box-sizing:border-box;padding:18px 32px;background:rgba(17,17,17,.9);color:#ffe066;font:24px/1.4 sans-serif";
  bar.textContent = `${time}  ${text}`;
  layer.attachShadow({ mode: "closed" }).append(bar);
  document.documentElement.append(layer);
  return true;
}

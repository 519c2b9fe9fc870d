// Paints boxes over the page (tables and images), in a closed layer above everything else.
(lib, { boxes }) => {
  const layer = document.createElement("div");
  layer.style.cssText = "all:initial;position:absolute;left:0;top:0;width:0;height:0;z-index:2147483647;pointer-events:none";
  const shadow = layer.attachShadow({ mode: "closed" });
  for (const { rect, fill, line } of boxes) {
    const box = document.createElement("div");
    box.style.cssText = `position:absolute;box-sizing:border-box;left:${rect.x}px;top:${rect.y}px;` +
      `width:${rect.width}px;height:${rect.height}px;background:${fill};border:${line}`;
    shadow.append(box);
  }
  document.documentElement.append(layer);
  // The layer's own containing block may be shifted; measure and undo it.
  const origin = layer.getBoundingClientRect();
  layer.style.marginLeft = `${-(origin.left + window.scrollX)}px`;
  layer.style.marginTop = `${-(origin.top + window.scrollY)}px`;
  return boxes.length > 0;
}

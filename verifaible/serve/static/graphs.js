// Draws an entity's neighbours with Cytoscape.js; the list beside the drawing says the same without a script.
"use strict";

// Below this zoom names are too small: the drawing begins in its middle then, and the rest is dragged into view.
const READABLE = 0.75;
// No larger is what is drawn at first.
const NATURAL = 1.4;
// More lines than these are drawn pale and without names, which would cover each other.
const FEW = 60;

{
  const place = document.getElementById("drawing");
  const { nodes, lines } = JSON.parse(place.dataset.graph);
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  place.closest("section").hidden = false;

  const look = () => {
    const set = getComputedStyle(document.documentElement);
    const colour = (name) => set.getPropertyValue(`--${name}`).trim();
    return [
      { selector: "node", style: {
        label: "data(label)", "background-color": (node) => colour(node.data("tone")), color: colour("ink"), "font-size": 11,
        "text-wrap": "wrap", "text-max-width": 110, "text-valign": "bottom", "text-margin-y": 3, width: 18, height: 18,
        "text-background-color": colour("ground"), "text-background-opacity": 0.8, "min-zoomed-font-size": 7 } },
      { selector: "node[?middle]", style: {
        width: 34, height: 34, "font-size": 14, "font-weight": "bold", "border-width": 3, "border-color": colour("link"), "z-index": 9 } },
      { selector: "edge", style: {
        label: lines.length > FEW ? "" : "data(label)", opacity: lines.length > FEW ? 0.35 : 1, width: 1.2, "line-color": colour("theirs"), "target-arrow-color": colour("theirs"), "target-arrow-shape": "triangle",
        "arrow-scale": 0.8, "curve-style": "bezier", "font-size": 9, color: colour("soft"), "text-rotation": "autorotate",
        "text-background-color": colour("ground"), "text-background-opacity": 0.8, "min-zoomed-font-size": 8 } },
    ];
  };

  // Rings around the entity, each with room for as many names as it holds, and as wide as the place is.
  const spots = new Map([[nodes[0].id, { x: 0, y: 0 }]]);
  const [wide, high] = [Math.max(1, place.clientWidth / place.clientHeight), Math.max(1, place.clientHeight / place.clientWidth)];
  for (let ring = 1, next = 1; next < nodes.length; ring += 1) {
    const radius = 40 + 100 * ring;
    const room = Math.min(Math.floor((2 * Math.PI * radius * Math.sqrt(wide * high)) / 135), nodes.length - next);
    for (let spot = 0; spot < room; spot += 1, next += 1) {
      const angle = (2 * Math.PI * (spot + (ring % 2) / 2)) / room;
      spots.set(nodes[next].id, { x: wide * radius * Math.cos(angle), y: high * radius * Math.sin(angle) });
    }
  }

  const graph = cytoscape({
    container: place,
    elements: [...nodes, ...lines].map((data) => ({ data })),
    style: look(),
    layout: { name: "preset", positions: (node) => spots.get(node.id()), padding: 24 },
    // The wheel scrolls the page; the buttons zoom.
    userZoomingEnabled: false,
    boxSelectionEnabled: false,
    minZoom: 0.05,
    maxZoom: 4,
  });
  if (graph.zoom() < READABLE) {
    graph.zoom(READABLE);
    graph.center(graph.nodes("[?middle]"));
  } else if (graph.zoom() > NATURAL) {
    graph.zoom(NATURAL);
    graph.center();
  }
  dark.addEventListener("change", () => graph.style(look()));
  graph.on("tap", "node, edge", (event) => { window.location.href = event.target.data("href"); });
  graph.on("mouseover", "node, edge", () => { place.style.cursor = "pointer"; });
  graph.on("mouseout", "node, edge", () => { place.style.cursor = ""; });
  for (const button of document.querySelectorAll("[data-zoom]")) {
    button.addEventListener("click", () => {
      const by = Number(button.dataset.zoom);
      if (!by) { graph.fit(undefined, 24); return; }
      graph.zoom({ level: graph.zoom() * by, renderedPosition: { x: place.clientWidth / 2, y: place.clientHeight / 2 } });
    });
  }
}

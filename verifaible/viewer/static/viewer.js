// What the pages gain where scripts run; everything works without it.
"use strict";

// A check takes a while: the button says so, and is not pressed twice.
for (const button of document.querySelectorAll("button[data-busy]")) {
  button.form.addEventListener("submit", () => {
    const words = button.textContent;
    button.textContent = button.dataset.busy;
    button.setAttribute("aria-busy", "true");
    setTimeout(() => { button.disabled = true; }, 0);
    // A download leaves the page where it is: the button comes back.
    const back = () => {
      button.textContent = words;
      button.disabled = false;
      button.removeAttribute("aria-busy");
    };
    if ("download" in button.dataset) window.addEventListener("focus", back, { once: true });
    window.addEventListener("pageshow", back);
  });
}

// "/" goes to the search, as in many readers.
document.addEventListener("keydown", (event) => {
  const field = event.target.closest && event.target.closest("input, textarea, select");
  if (event.key !== "/" || field || event.ctrlKey || event.metaKey || event.altKey) return;
  const search = document.querySelector("header input[type=search]");
  if (search) { event.preventDefault(); search.focus(); search.select(); }
});

// A marker of an answer opens its evidence; the one that is shown is told to screen readers too.
document.addEventListener("click", (event) => {
  const marker = event.target.closest("a[target=evidence]");
  if (!marker) return;
  for (const other of document.querySelectorAll("a[target=evidence][aria-current]")) other.removeAttribute("aria-current");
  marker.setAttribute("aria-current", "true");
});

// The cited cell of a wide table is brought into view, which a narrow screen would not show.
for (const region of document.querySelectorAll(".wide")) {
  const cell = region.querySelector(".cell");
  if (cell) region.scrollLeft = cell.offsetLeft - (region.clientWidth - cell.offsetWidth) / 2;
}

// A page with a run under way is loaded anew now and then, unless it is in use.
if (document.querySelector(".live")) setInterval(() => {
  const used = document.activeElement !== document.body || document.querySelector("main input:checked") || String(getSelection());
  if (!used) location.reload();
}, 10_000);

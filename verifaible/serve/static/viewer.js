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

// A run under way shows how far it is; what it has done takes the place of what the page had, unless it is in use.
const underWay = document.querySelectorAll("[data-run]");
if (underWay.length) {
  const drawn = (html) => new DOMParser().parseFromString(html, "text/html"); // ours: words of others are escaped
  const renew = async (run, ended) => {
    const answer = await fetch(location.href);
    if (!answer.ok) return;
    const fresh = drawn(await answer.text());
    for (const old of document.querySelectorAll("[data-of]")) {
      if (old.dataset.of !== run) continue;
      const next = [...fresh.querySelectorAll("[data-of]")].find((each) => each.dataset.of === run && each.id === old.id);
      const held = old.contains(document.activeElement) || old.querySelector("input:checked");
      if (next && (ended || !held)) old.replaceWith(document.adoptNode(next));
    }
    if (ended) for (const live of document.querySelectorAll("[data-run]"))
      if (live.dataset.run === run) (live.closest("section") || live).remove();
  };
  const query = new URLSearchParams();
  const shown = new Map();
  for (const live of underWay) {
    query.append("run", live.dataset.run);
    shown.set(live.dataset.run, Number(live.dataset.done));
  }
  const source = new EventSource(`/progress?${query}`);
  const due = new Map();
  let renewed = Date.now();
  source.addEventListener("progress", ({ data }) => {
    const { run, done, html } = JSON.parse(data);
    for (const live of document.querySelectorAll("[data-run]")) {
      if (live.dataset.run !== run) continue;
      if (!live.contains(document.activeElement)) live.replaceWith(document.adoptNode(drawn(html).querySelector("[data-run]")));
    }
    if (done === shown.get(run)) return;
    shown.set(run, done);
    if (due.has(run)) return;
    due.set(run, setTimeout(() => { // not with each of many short trials
      due.delete(run);
      renewed = Date.now();
      renew(run, false);
    }, renewed + 5000 - Date.now()));
  });
  source.addEventListener("end", ({ data }) => {
    const { run, left } = JSON.parse(data);
    if (!left) source.close();
    clearTimeout(due.get(run));
    due.delete(run);
    renew(run, true);
  });
}

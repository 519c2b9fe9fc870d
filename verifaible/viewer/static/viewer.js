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
  const search = [...document.querySelectorAll("input[type=search]")].find((each) => each.checkVisibility());
  if (search) { event.preventDefault(); search.focus(); search.select(); }
});

// A marker or a number opens its evidence beside the answer; without scripts, on a page of its own.
{
  const side = document.querySelector(".reading #beside");
  let opener = null;
  const close = () => {
    if (!side.classList.contains("open")) return;
    side.classList.remove("open");
    if (opener) opener.focus();
  };
  const show = async (address) => {
    const answer = await fetch(address);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const found = page.querySelector("#beside") || page.querySelector("main");
    for (const heading of found.querySelectorAll("h1")) { // the page has its own
      const smaller = document.createElement("h2");
      smaller.append(...heading.childNodes);
      heading.replaceWith(smaller);
    }
    const button = document.createElement("button");
    button.type = "button";
    button.className = "close";
    button.textContent = "Close";
    button.addEventListener("click", close);
    side.replaceChildren(button, ...found.childNodes);
    side.classList.add("open");
    side.scrollTop = 0;
    const mark = side.querySelector("mark");
    if (mark) side.scrollTop = mark.offsetTop - side.clientHeight / 2;
  };
  if (side) {
    document.documentElement.classList.add("scripted");
    document.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
    document.addEventListener("click", (event) => {
      const link = event.target.closest("a[data-beside]");
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      if (!side.contains(link)) {
        opener = link;
        for (const other of document.querySelectorAll("[data-beside][aria-current]")) other.removeAttribute("aria-current");
        link.setAttribute("aria-current", "true");
      }
      show(link.href).catch(() => { location.href = link.href; });
    });
  }
}

// On a phone the links of the head are in one row, which shows where one is.
{
  const here = document.querySelector(".top nav [aria-current]");
  if (here) here.parentElement.scrollLeft = here.offsetLeft - 60;
}

// The cited cell of a wide table is brought into view, and the marked words of a text.
for (const region of document.querySelectorAll(".wide")) {
  const cell = region.querySelector(".cell");
  if (cell) region.scrollLeft = cell.offsetLeft - (region.clientWidth - cell.offsetWidth) / 2;
}
for (const region of document.querySelectorAll(".around-evidence")) {
  const mark = region.querySelector("mark");
  if (mark) region.scrollTop = mark.offsetTop - region.clientHeight / 2;
}

// A page with a run under way is loaded anew now and then, unless it is in use.
if (document.querySelector(".live")) setInterval(() => {
  const used = document.activeElement !== document.body || document.querySelector("main input:checked") || String(getSelection());
  if (!used) location.reload();
}, 10_000);

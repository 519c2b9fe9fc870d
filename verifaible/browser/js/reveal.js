// Scrolls once through this frame below start, and back, if something in it may wait for that. Resolves
// with whether it did (with no stops: whether it would, and whether a frame waits for that), how far it came (pixels),
// and whether anything was put in on the way.
async (lib, { start, stops }) => {
  const watched = window[Symbol.for("verifaible.watched")] || { targets: 0, scroll: false };
  const page = document.scrollingElement || document.documentElement;
  if (!page || !document.body) return { scrolled: false, bottom: start, changed: false };
  const below = (frame) => frame.getBoundingClientRect().top > window.innerHeight;
  const waiting = [...document.querySelectorAll("img[loading=lazy], iframe[loading=lazy]")]
    .some((each) => (each.tagName === "IMG" ? !each.complete : below(each)));
  const marked = document.querySelector("img[data-src], img[data-original], img[data-lazy], [class*=lazyload i]") !== null;
  const listens = watched.scroll || window.onscroll || document.onscroll || document.body.onscroll;
  const nothing = { scrolled: false, bottom: start, changed: false };
  if (!waiting && !marked && !watched.targets && !listens) return nothing;

  // The page itself, or the one box that scrolls in its place.
  const fills = (box) => box.clientHeight >= window.innerHeight / 2 && box.clientWidth >= window.innerWidth / 2
    && box.scrollHeight > box.clientHeight + 50 && /auto|scroll/.test(getComputedStyle(box).overflowY);
  const box = page.scrollHeight > window.innerHeight + 10 ? page : [...document.body.querySelectorAll("*")].find(fills);
  const height = box === page ? window.innerHeight : box ? box.clientHeight : 0;
  if (!box || start >= box.scrollHeight - height) return nothing;

  if (!stops) return { scrolled: true, frames: [...document.querySelectorAll("iframe[loading=lazy]")].some(below), bottom: start, changed: false };
  let changed = false;
  const observer = new MutationObserver(() => { changed = true; });
  observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ["src", "srcset"] });
  const [left, top] = [box.scrollLeft, box.scrollTop];
  const bottom = box.scrollHeight;
  const step = Math.max(height * 0.75, (bottom - start) / stops);
  for (let y = Math.max(start - height, 0) + step; ; y += step) {
    box.scrollTo({ top: y, behavior: "instant" });
    await lib.frame();
    if (y >= bottom - height) break;
  }
  // Listeners are often throttled: the last call comes a moment after the last scroll.
  if (listens) for (let frames = marked ? 15 : 4; frames > 0; frames -= 1) await lib.frame();
  box.scrollTo({ left, top, behavior: "instant" });
  await lib.frame();
  observer.disconnect();
  return { scrolled: true, bottom, changed: changed || waiting };
}

// The boxes of a document that a person can scroll, and scrolling them. Runs in a world of its own.
//
// list: each as { is_page, height, extent, top }, the largest first, the page itself last. to: scrolls one, by its number
// in the list, and waits for two frames; gives where it came to and how far it reaches now.
async function (act, ...given) {
  const STATE = "verifaible_boxes";
  const page = document.scrollingElement || document.documentElement;
  const frame = () => matchMedia("(scripting: none)").matches ? null : new Promise((done) => { requestAnimationFrame(() => setTimeout(done, 0)); setTimeout(done, 250); });
  if (act === "list") {
    const found = [];
    const walk = (root) => {
      for (const element of root.querySelectorAll("*")) {
        if (element.shadowRoot) walk(element.shadowRoot);
        if (element === page || element.scrollHeight <= element.clientHeight + 4 || element.clientHeight < 40 || element.clientWidth < 60) continue;
        if (/auto|scroll|overlay/.test(getComputedStyle(element).overflowY) && element.checkVisibility({ visibilityProperty: true })) found.push(element);
      }
    };
    walk(document);
    found.sort((one, other) => other.clientWidth * other.clientHeight - one.clientWidth * one.clientHeight);
    if (page && page.scrollHeight > innerHeight + 4) found.push(page);
    globalThis[STATE] = found;
    return found.map((box) => ({ is_page: box === page, height: box === page ? innerHeight : box.clientHeight, extent: box.scrollHeight, top: box.scrollTop }));
  }
  const [number, top] = given;
  const box = (globalThis[STATE] || [])[number];
  if (!box || !box.isConnected) return null;
  if (box !== page) box.scrollIntoView({ block: "nearest", behavior: "instant" });
  box.scrollTo({ top, behavior: "instant" });
  await frame();
  await frame();
  const height = box === page ? innerHeight : box.clientHeight;
  return { top: box.scrollTop, extent: box.scrollHeight, last: box.scrollTop + height >= box.scrollHeight - 1 };
}

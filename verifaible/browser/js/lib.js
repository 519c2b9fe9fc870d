// What the in-page scripts of verifaible share: whether an element can be operated, what it is called, and
// when the page is at rest. What a page says is read from the engine's snapshot. Nothing here changes the page.
() => {
  const SHOWN = { opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true };
  // Whether a reader can see an element: it is drawn, and not off the page to the left or above.
  const visible = (element) => {
    if (getComputedStyle(element).display === "contents") return [...element.children].some(visible);
    const box = element.getBoundingClientRect();
    return element.checkVisibility(SHOWN) && box.right + window.scrollX >= 0 && box.bottom + window.scrollY >= 0;
  };
  // The words that are seen on an element, on one line.
  const textOf = (element) => (element.checkVisibility() ? element.innerText ?? element.textContent : "").replace(/\s+/g, " ").trim();

  // A selector that finds exactly this element in its root; segments over shadow roots are
  // joined with " >>> ".
  function cssPath(element) {
    const root = element.getRootNode();
    const parts = [];
    let node = element;
    while (node && node.nodeType === Node.ELEMENT_NODE) {
      if (node.id && root.querySelectorAll("#" + CSS.escape(node.id)).length === 1) {
        parts.unshift("#" + CSS.escape(node.id));
        break;
      }
      const tag = node.tagName.toLowerCase();
      const siblings = node.parentNode ? [...node.parentNode.children] : [node];
      const same = siblings.filter((child) => child.tagName === node.tagName);
      const part = same.length > 1 ? `${tag}:nth-of-type(${same.indexOf(node) + 1})` : tag;
      if (node.parentElement) parts.unshift(part);
      // At the top of a shadow root nothing holds the path to the top but this.
      else parts.unshift(root.querySelector([part, ...parts].join(" > ")) === element ? part : `${part}:not(* > *)`);
      node = node.parentElement;
    }
    const path = parts.join(" > ");
    return root.host ? cssPath(root.host) + " >>> " + path : path;
  }

  // The next frame as it is drawn. What is not shown draws none: turns of its thread stand for it, which take longer
  // on a busy machine, as frames do.
  const frame = () => new Promise((resolve) => {
    let [left, drawn] = [25, false];
    const turn = () => {
      left -= 1;
      if (!left) resolve();
      else if (!drawn) setTimeout(turn, 4);
    };
    requestAnimationFrame(() => {
      drawn = true;
      setTimeout(resolve, 0);
    });
    turn();
  });

  // Whether no other window, animation or medium could do something to this page; what they do is not noted.
  const alone = () => !window.length && !window.opener && document.readyState === "complete"
    && !document.getAnimations().length
    && !document.querySelector("video, audio, object, embed, meta[http-equiv=refresh i]");
  // Whether nothing can wake a script of a live page before long (wakes.js).
  const asleep = (woke) => !woke.always && !woke.waits() && !woke.repeats.size && alone();

  return { asleep, frame, visible, textOf, cssPath };
}

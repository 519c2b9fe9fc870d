// Resolves once the page has not changed for quiet_ms, or after cap_ms; says which. A page that nothing can
// wake any more (see wakes.js) has to stand still for brief_ms only.
(lib, { quiet_ms, brief_ms, cap_ms }) => new Promise((resolve) => {
  const STEP_MS = 30;
  const woke = window[Symbol.for("verifaible.woke")];
  // What other windows, animations and media do is not noted.
  const asleep = () => woke && !woke.always && !woke.waits() && !window.length && !window.opener
    && document.readyState === "complete" && !document.getAnimations().length
    && !document.querySelector("video, audio, object, embed, meta[http-equiv=refresh i]");
  let timer = 0;
  let changed = performance.now();
  const observer = new MutationObserver(() => { changed = performance.now(); });
  const finish = (settled) => {
    clearTimeout(timer);
    clearTimeout(cap);
    observer.disconnect();
    resolve(settled);
  };
  const look = () => {
    const [since, patience] = asleep() ? [Math.max(changed, woke.at), Math.min(brief_ms, quiet_ms)] : [changed, quiet_ms];
    const left = since + patience - performance.now();
    if (left <= 0) finish(true);
    else timer = setTimeout(look, woke ? Math.min(left, STEP_MS) : left);
  };
  const cap = setTimeout(() => finish(false), cap_ms);
  observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  look();
})

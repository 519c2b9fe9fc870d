// Resolves once the page has not changed for quiet_ms (true), or after cap_ms (false). A page that nothing can
// wake any more ("asleep", see wakes.js) has to stand still for brief_ms only, which count from its last change but not
// from before elapsed_ms ago; and for still_ms, if nothing at all has happened in it since it last came to rest.
// Time in which a look was due and could not run is no quiet: no script of the page could run either. Nor is time in
// which the page knows of an answer that has not come: that it was asked for is told outside only some time after.
(lib, { quiet_ms, brief_ms, cap_ms, still_ms = brief_ms, elapsed_ms = 0 }) => new Promise((resolve) => {
  const STEP_MS = 30;
  // Time for the page to do what is already waiting to be done.
  const TURN_MS = 10;
  const began = performance.now();
  const woke = window[Symbol.for("verifaible.woke")];
  const asleep = () => woke && lib.asleep(woke);
  let timer = 0;
  let changed = 0;
  let due = began;
  let stalled = 0; // ms, since the last change
  const observer = new MutationObserver(() => {
    changed = performance.now();
    stalled = 0;
  });
  const finish = (settled) => {
    clearTimeout(timer);
    clearTimeout(cap);
    observer.disconnect();
    if (settled && woke) woke.rested = performance.now();
    resolve(settled && asleep() ? "asleep" : settled);
  };
  const unchanged = () => Math.max(changed, began) + quiet_ms + stalled - performance.now(); // ms until it is quiet
  const left = () => {
    if (!asleep()) return Math.max(unchanged(), woke && woke.loads() ? STEP_MS : 0);
    const last = Math.max(changed, woke.changed, woke.at);
    const patience = Math.min(last > woke.rested ? brief_ms : document.scripts.length ? still_ms : TURN_MS, quiet_ms);
    return Math.max(last + patience, began + Math.max(patience - elapsed_ms, TURN_MS)) - performance.now();
  };
  const look = () => {
    stalled += Math.max(performance.now() - Math.max(due, changed), 0);
    const rest = left();
    if (rest <= 0) {
      finish(true);
      return;
    }
    const pause = woke ? Math.min(rest, STEP_MS) : rest;
    due = performance.now() + pause;
    timer = setTimeout(look, pause);
  };
  const cap = setTimeout(() => finish(unchanged() <= 0), cap_ms);
  observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  look();
})

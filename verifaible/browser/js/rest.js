// Resolves once this frame of a page from an archive has done what it has to do: no timer of its own is due
// (offline.js) and for so many turns nothing has changed; turns are frames as they are drawn, or of a frame that
// may not be shown, tasks. False where it goes on for ever. A page that is not whole has asked for what stays open;
// one that is fresh has new time of its own.
async (lib, { turns, most, shown, whole, fresh }) => {
  const STILL_MS = 60; // of the page's time
  const clock = window[Symbol.for("verifaible.clock")] || { now: 0, waits: false, next: Infinity, begin() {} };
  let [moved, at, still] = [false, -Infinity, 0];
  const observer = new MutationObserver(() => { [moved, at] = [true, clock.now]; });
  observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  if (fresh) clock.begin();
  const turn = shown ? lib.frame : () => new Promise((resolve) => setTimeout(resolve, 16));
  for (let taken = 0; still < turns && taken < most; taken += clock.waits ? 0 : 1) {
    moved = false;
    await turn();
    still = moved || clock.waits || (whole && document.readyState !== "complete") ? 0 : still + 1;
  }
  observer.disconnect();
  return still >= turns && clock.next - at >= STILL_MS;
}

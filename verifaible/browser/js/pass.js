// After so many turns, gives this frame of a page from an archive so much of its own time (offline.js).
async (lib, { turns, ms }) => {
  for (let taken = 0; taken < turns; taken += 1) await lib.frame();
  const clock = window[Symbol.for("verifaible.clock")];
  if (clock) clock.pass(ms);
}

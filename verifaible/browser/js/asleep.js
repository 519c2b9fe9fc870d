// Whether nothing is left in this page that could wake one of its scripts (wakes.js, offline.js); what other windows,
// animations and media do is not noted.
async (lib) => {
  await lib.frame();
  const woke = window[Symbol.for("verifaible.woke")];
  const clock = window[Symbol.for("verifaible.clock")];
  return Boolean(woke ? lib.asleep(woke) && !woke.later.size : clock && clock.idle && lib.alone());
}

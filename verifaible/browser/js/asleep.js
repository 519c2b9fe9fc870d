// Whether nothing is left in this live page that could wake one of its scripts (wakes.js), however late; what other
// windows, animations and media do is not noted.
async (lib) => {
  await lib.frame();
  const woke = window[Symbol.for("verifaible.woke")];
  return Boolean(woke && lib.asleep(woke) && !woke.later.size);
}

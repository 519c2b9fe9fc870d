// Holds the page still for a picture: what ends has ended, and what moves for ever has not begun.
() => {
  for (const each of document.getAnimations()) {
    if (Number.isFinite(each.effect ? each.effect.getComputedTiming().endTime : 0)) each.finish();
    else each.cancel();
  }
}

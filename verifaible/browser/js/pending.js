// Whether a page that was answered with an error may still load another document by itself: "busy" while something
// that it began has not ended, "restless" where it may be woken at any time, else "done".
() => {
  const LONGEST_S = 15;
  const refresh = document.querySelector("meta[http-equiv=refresh i]");
  const woke = window[Symbol.for("verifaible.woke")];
  if (document.readyState !== "complete" || (refresh && parseFloat(refresh.content) <= LONGEST_S)) return "busy";
  if (!document.scripts.length || !woke) return "done";
  if (woke.waits() || woke.later.size) return "busy";
  return woke.always || woke.repeats.size || window.length ? "restless" : "done";
}

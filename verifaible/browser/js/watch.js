// Runs before the scripts of a page: notes whether they wait for something to be scrolled into view, and lets
// a document open only so many dialogs: each stops the page until it is answered.
() => {
  const MOST_DIALOGS = 30;
  let dialogs = 0;
  for (const [name, answer] of [["alert", undefined], ["confirm", true], ["prompt", null]]) {
    if (typeof globalThis[name] !== "function") continue;
    globalThis[name] = new Proxy(globalThis[name], {
      apply(native, self, given) {
        dialogs += 1;
        return dialogs > MOST_DIALOGS ? answer : Reflect.apply(native, self, given);
      },
    });
  }
  const watched = { targets: 0, scroll: false };
  Object.defineProperty(globalThis, Symbol.for("verifaible.watched"), { value: watched });
  const { observe } = IntersectionObserver.prototype;
  IntersectionObserver.prototype.observe = function (...given) {
    watched.targets += 1;
    return observe.apply(this, given);
  };
  const { addEventListener } = EventTarget.prototype;
  EventTarget.prototype.addEventListener = function (...given) {
    if (given[0] === "scroll") watched.scroll = true;
    return addEventListener.apply(this, given);
  };
}

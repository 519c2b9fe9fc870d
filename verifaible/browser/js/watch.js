// Runs before the scripts of a page: notes whether they wait for something to be scrolled into view.
() => {
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

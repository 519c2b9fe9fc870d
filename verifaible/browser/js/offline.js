// Runs before the scripts of a page from an archive. Says when short timers wait, which an archive that
// answers at once would leave behind; and gives an answer that was redirected its last address.
({ report, address }) => {
  const SHORTEST_MS = 20;
  const LONGEST_MS = 500;
  const FIRINGS = 4; // of an interval, until it counts as one that goes on for ever
  const { setTimeout: start, setInterval: repeat, clearTimeout: stop } = globalThis;
  Object.defineProperty(globalThis, Symbol.for("verifaible.timers"), { value: { setTimeout: start, clearTimeout: stop } });
  const waiting = new Set();
  let told = false;
  const tell = () => {
    if (told === waiting.size > 0 || typeof globalThis[report] !== "function") return;
    told = !told;
    globalThis[report](told);
  };
  const short = (callback, delay) => typeof callback === "function" && delay >= SHORTEST_MS && delay <= LONGEST_MS;
  globalThis.setTimeout = function setTimeout(callback, delay, ...given) {
    if (!short(callback, delay)) return start(callback, delay, ...given);
    const id = start(() => {
      waiting.delete(id);
      try {
        callback.apply(globalThis, given);
      } finally {
        tell();
      }
    }, delay);
    waiting.add(id);
    tell();
    return id;
  };
  globalThis.setInterval = function setInterval(callback, delay, ...given) {
    if (!short(callback, delay)) return repeat(callback, delay, ...given);
    let fired = 0;
    const id = repeat(() => {
      fired += 1;
      if (fired === FIRINGS) waiting.delete(id);
      try {
        callback.apply(globalThis, given);
      } finally {
        tell();
      }
    }, delay);
    waiting.add(id);
    tell();
    return id;
  };
  const cleared = (id) => {
    if (waiting.delete(id)) tell();
    stop(id);
  };
  globalThis.clearTimeout = function clearTimeout(id) { cleared(id) };
  globalThis.clearInterval = function clearInterval(id) { cleared(id) };

  const getter = (owner, name) => Object.getOwnPropertyDescriptor(owner.prototype, name).get;
  const define = (owner, name, get) => Object.defineProperty(owner.prototype, name, { configurable: true, enumerable: true, get });
  const [url, redirected, responseURL] = [getter(Response, "url"), getter(Response, "redirected"), getter(XMLHttpRequest, "responseURL")];
  define(Response, "url", function get() { return this.headers.get(address) || url.call(this) });
  define(Response, "redirected", function get() { return this.headers.has(address) || redirected.call(this) });
  define(XMLHttpRequest, "responseURL", function get() {
    const asked = responseURL.call(this);
    return (asked && this.getResponseHeader(address)) || asked;
  });
}

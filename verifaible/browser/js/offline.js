// Runs before the scripts of a page from an archive: its timers run by the page's own time, not by the machine's.
// An archive answers at once, so what is due soon is waited for (rest.js). What is due later stays until the page
// is given time by a step that waits: a busy machine, on which a page stays open for long, shows the same.
// An answer that was redirected is given its last address, and a synchronous request is named as one.
({ address, synchronous }) => {
  const SHORTEST_MS = 4; // of timers that set timers, in every browser
  const SOON_MS = 500;
  const BUDGET_MS = 2500; // of the page's time, from one rest to the next
  const FIRINGS = 4; // of an interval that change nothing, until it counts as one that goes on for ever
  const { setTimeout: start, setInterval: repeat, clearTimeout: stop } = globalThis;
  Object.defineProperty(globalThis, Symbol.for("verifaible.timers"), { value: { setTimeout: start, clearTimeout: stop } });
  const timers = new Map();
  const armed = new Set();
  let [now, given, horizon, last, changes] = [0, 0, BUDGET_MS, 1e6, 0];
  let observer = null;
  const changed = () => {
    changes += observer.takeRecords().length;
    return changes;
  };
  const soon = ({ due, delay }) => delay <= SOON_MS && due <= horizon;
  const runs = (timer) => timer.due <= Math.max(now, given) || (soon(timer) && timer.idle < FIRINGS);
  const arm = (timer) => {
    if (armed.has(timer) || !runs(timer)) return;
    armed.add(timer);
    timer.native = start(fire, Math.max(0, Math.min(timer.due - now, timer.delay)), timer);
  };
  const release = () => {
    if (timers.size > armed.size) timers.forEach(arm);
  };
  const fire = (timer) => {
    armed.delete(timer);
    now = Math.max(now, timer.due);
    if (timer.repeat) {
      timer.due = now + Math.max(timer.delay, SHORTEST_MS);
      timer.idle = changed() === timer.changes ? timer.idle + 1 : 0;
      timer.changes = changes;
    } else timers.delete(timer.id);
    try {
      timer.callback.apply(globalThis, timer.given);
    } finally {
      release();
    }
  };
  const set = (repeat, callback, delay, given) => {
    delay = Math.max(Math.trunc(Number(delay)) || 0, 0);
    if (repeat && !observer) {
      observer = new MutationObserver((records) => { changes += records.length; });
      observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    }
    last += 1;
    const timer = { id: last, callback, delay, given, repeat, due: now + Math.max(delay, SHORTEST_MS), idle: 0, changes };
    timers.set(timer.id, timer);
    arm(timer);
    return timer.id;
  };
  const cleared = (id) => {
    const timer = timers.get(Number(id));
    if (!timer) return stop(id);
    timers.delete(timer.id);
    armed.delete(timer);
    stop(timer.native);
  };
  globalThis.setTimeout = function setTimeout(callback, delay, ...given) {
    return typeof callback === "function" ? set(false, callback, delay, given) : start(callback, delay);
  };
  globalThis.setInterval = function setInterval(callback, delay, ...given) {
    return typeof callback === "function" ? set(true, callback, delay, given) : repeat(callback, delay);
  };
  globalThis.clearTimeout = function clearTimeout(id) { cleared(id) };
  globalThis.clearInterval = function clearInterval(id) { cleared(id) };
  // What waits although it is due soon: its budget is spent.
  const spent = () => [...timers.values()].filter((timer) => !armed.has(timer) && timer.delay <= SOON_MS && timer.idle < FIRINGS)
    .map(({ due }) => due);
  const clock = {
    get now() { return now },
    get waits() { return armed.size > 0 },
    get next() { return Math.min(...spent()) },
    begin() {
      horizon = now + (spent().length ? SOON_MS : BUDGET_MS);
      release();
    },
    pass(ms) {
      now = Math.max(now, given);
      given = now + ms;
      release();
    },
  };
  Object.defineProperty(globalThis, Symbol.for("verifaible.clock"), { value: clock });

  const { open, send } = XMLHttpRequest.prototype;
  const blocking = new WeakSet();
  XMLHttpRequest.prototype.open = function (method, url, ...rest) {
    blocking[rest.length && !rest[0] ? "add" : "delete"](this);
    return open.call(this, method, url, ...rest);
  };
  XMLHttpRequest.prototype.send = function (body) {
    if (blocking.has(this)) this.setRequestHeader(synchronous, "1");
    return send.call(this, body);
  };

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

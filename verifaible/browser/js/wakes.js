// Runs before the scripts of a live page: notes when it changed last, and what can still wake its scripts, so
// that a page in which nothing can is waited for only briefly. No page is waited for longer than LONGEST_MS.
() => {
  const LONGEST_MS = 2500;
  const LATER_MS = 15000; // of a check (checks.py), which is waited for longer
  const { setTimeout: start, setInterval: repeat, clearTimeout: stop } = globalThis;
  const { requestAnimationFrame: frame, cancelAnimationFrame: unframe } = globalThis;
  const waiting = new Set();
  const repeats = new Set();
  const later = new Set();
  const frames = new Set();
  const loading = new Map();
  let leaving = -Infinity;
  const loads = () => [...loading.values()].some((since) => performance.now() - since < LONGEST_MS);
  const woke = { at: 0, changed: performance.now(), rested: 0, always: false, later, repeats, loads,
    waits: () => waiting.size + frames.size > 0 || loads() || performance.now() - leaving < LONGEST_MS };
  const touch = () => { woke.at = performance.now(); };
  const ours = { setTimeout: start, clearTimeout: stop };
  Object.defineProperty(globalThis, Symbol.for("verifaible.timers"), { value: ours });
  Object.defineProperty(globalThis, Symbol.for("verifaible.woke"), { value: woke });

  // Proxies still say that they are native code, and have the same name and length.
  const wrap = (owner, name, apply) => {
    if (owner && typeof owner[name] === "function") owner[name] = new Proxy(owner[name], { apply });
  };
  const noted = (set, callback, holder, { once }) => function (...given) {
    woke.at = performance.now();
    if (once) set.delete(holder.id);
    return callback.apply(this, given);
  };
  const watched = (chosen, once) => (native, self, [callback, ...rest]) => {
    const set = chosen(rest[0]);
    if (typeof callback !== "function" || !set) return Reflect.apply(native, self, [callback, ...rest]);
    const holder = { id: 0 };
    holder.id = Reflect.apply(native, self, [noted(set, callback, holder, { once }), ...rest]);
    set.add(holder.id);
    return holder.id;
  };
  const soon = (delay) => !(Number(delay) > LONGEST_MS);
  const forget = (...sets) => (native, self, given) => {
    for (const set of sets) set.delete(given[0]);
    return Reflect.apply(native, self, given);
  };
  wrap(globalThis, "setTimeout", watched((delay) => (soon(delay) ? waiting : Number(delay) <= LATER_MS && later), true));
  wrap(globalThis, "setInterval", watched((delay) => soon(delay) && repeats, false));
  wrap(globalThis, "clearTimeout", forget(waiting, later, repeats));
  wrap(globalThis, "clearInterval", forget(waiting, later, repeats));
  wrap(globalThis, "requestAnimationFrame", watched(() => frames, true));
  wrap(globalThis, "cancelAnimationFrame", forget(frames));

  // What was asked for, and the reading of what came, is waited for until the page has been told.
  const begin = (token) => {
    loading.set(token, performance.now());
    return () => { if (loading.delete(token)) touch(); };
  };
  const promised = (native, self, given) => {
    const end = begin({});
    const promise = Reflect.apply(native, self, given);
    promise.then(end, end);
    return promise;
  };
  wrap(globalThis, "fetch", promised);
  for (const name of ["arrayBuffer", "blob", "formData", "json", "text"]) wrap(globalThis.Response.prototype, name, promised);
  const listen = EventTarget.prototype.addEventListener;
  wrap(XMLHttpRequest.prototype, "send", (native, self, given) => {
    const end = begin({});
    try {
      Reflect.apply(listen, self, ["loadend", end, { once: true }]);
      Reflect.apply(native, self, given);
    } catch (error) {
      end();
      throw error;
    }
  });

  // Scripts that a script has put in (JSONP) are async; one that never runs says neither that it came nor that it failed.
  const seen = new WeakSet();
  const added = (node) => {
    if (node.tagName !== "SCRIPT" || !node.src || !node.async || seen.has(node)) return;
    seen.add(node);
    const end = begin(node);
    for (const name of ["load", "error"]) Reflect.apply(listen, node, [name, end, { once: true }]);
  };
  const observer = new MutationObserver((records) => {
    woke.changed = performance.now();
    for (const { addedNodes } of records) for (const node of addedNodes) added(node);
  });
  // Not before the document is parsed: a record of each of its nodes would take longer than the parsing.
  const observe = () => {
    woke.changed = performance.now();
    // A document without any script rests as soon as it is parsed, until somebody does something to it.
    if (!document.scripts.length) woke.rested = woke.changed;
    observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  };
  if (document.readyState === "loading") Reflect.apply(listen, globalThis, ["DOMContentLoaded", observe, { capture: true, once: true }]);
  else observe();
  // A page that has begun to go elsewhere does not rest until it has gone, or has not after all.
  const going = ({ destination }) => {
    touch();
    leaving = destination.sameDocument ? leaving : performance.now();
  };
  const stays = () => { leaving = -Infinity; };
  if (globalThis.navigation) {
    Reflect.apply(listen, navigation, ["navigate", going]);
    for (const name of ["navigatesuccess", "navigateerror"]) Reflect.apply(listen, navigation, [name, stays]);
  }

  // Whoever uses one of these may be woken at any time.
  const always = { apply: (...given) => { woke.always = true; return Reflect.apply(...given); },
    construct: (...given) => { woke.always = true; return Reflect.construct(...given); } };
  for (const name of ["WebSocket", "EventSource", "Worker", "RTCPeerConnection", "WebTransport", "BroadcastChannel", "requestIdleCallback"]) {
    if (typeof globalThis[name] === "function") globalThis[name] = new Proxy(globalThis[name], always);
  }
  const methods = [[globalThis.IDBFactory, "open"], [globalThis.Scheduler, "postTask"], [globalThis.LockManager, "request"],
    [globalThis.Element, "animate"], [globalThis.CacheStorage, "open"], [globalThis.HTMLMediaElement, "play"]];
  for (const [owner, name] of methods) {
    if (owner) wrap(owner.prototype, name, always.apply);
  }
  // What no capture can hold is said on the console, to which whoever keeps the page listens (traffic.py).
  if (globalThis.SharedWorker) {
    globalThis.SharedWorker = new Proxy(SharedWorker, { construct: (native, given) => {
      console.debug("verifaible: a shared worker was started");
      return always.construct(native, given);
    } });
  }
  if (globalThis.SubtleCrypto) {
    wrap(SubtleCrypto.prototype, "generateKey", (native, self, given) => {
      console.debug("verifaible: a key was made");
      return Reflect.apply(native, self, given);
    });
  }
  for (const name of Object.getOwnPropertyNames(globalThis.WebAssembly || {})) wrap(globalThis.WebAssembly, name, always.apply);
}

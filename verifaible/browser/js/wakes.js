// Runs before the scripts of a live page: notes what can still wake them without a new request, so that a
// page in which nothing can is waited for only briefly. No page is waited for longer than LONGEST_MS.
() => {
  const LONGEST_MS = 2500;
  const { setTimeout: start, setInterval: repeat, clearTimeout: stop } = globalThis;
  const { requestAnimationFrame: frame, cancelAnimationFrame: unframe } = globalThis;
  const waiting = new Set();
  const frames = new Set();
  const woke = { at: 0, always: false, waits: () => waiting.size + frames.size > 0 };
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
  const watched = (set, once, short) => (native, self, [callback, ...rest]) => {
    if (typeof callback !== "function" || !short(rest[0])) return Reflect.apply(native, self, [callback, ...rest]);
    const holder = { id: 0 };
    holder.id = Reflect.apply(native, self, [noted(set, callback, holder, { once }), ...rest]);
    set.add(holder.id);
    return holder.id;
  };
  const soon = (delay) => !(Number(delay) > LONGEST_MS);
  const forget = (set) => (native, self, given) => {
    set.delete(given[0]);
    return Reflect.apply(native, self, given);
  };
  wrap(globalThis, "setTimeout", watched(waiting, true, soon));
  wrap(globalThis, "setInterval", watched(waiting, false, soon));
  wrap(globalThis, "clearTimeout", forget(waiting));
  wrap(globalThis, "clearInterval", forget(waiting));
  wrap(globalThis, "requestAnimationFrame", watched(frames, true, () => true));
  wrap(globalThis, "cancelAnimationFrame", forget(frames));

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
  for (const name of Object.getOwnPropertyNames(globalThis.WebAssembly || {})) wrap(globalThis.WebAssembly, name, always.apply);
}

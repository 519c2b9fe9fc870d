// Runs before the scripts of a page: what can be neither watched nor read is replaced by what can.
() => {
  // Proxies still say that they are native code, and have the same name and length.
  const { attachShadow } = Element.prototype;
  const open = (native, self, [init, ...rest]) => Reflect.apply(native, self, [init && { ...init, mode: "open" }, ...rest]);
  Element.prototype.attachShadow = new Proxy(attachShadow, { apply: open });

  // What a shared worker asks for can be neither watched nor answered from an archive; a worker's can. Those of the
  // page and its frames are one for each address and name, which the outermost document that may be asked keeps.
  if (!globalThis.SharedWorker) return;
  const workers = Symbol.for("verifaible.workers");
  const keeper = () => {
    let found = globalThis;
    try {
      while (found !== found.parent && found.parent.document) found = found.parent;
    } catch { /* of another origin */ }
    return found;
  };
  const connecting = "verifaible.connect";
  // Runs in the worker before its script, whose addresses are relative to its own.
  const before = (base, connect) => {
    const own = self.location;
    const absolute = (given) => (typeof given === "string" ? new URL(given, base).href : given);
    const wrap = (owner, name, at) => {
      const resolved = (given) => given.map((each, place) => (at(place) ? absolute(each) : each));
      if (owner[name]) owner[name] = new Proxy(owner[name], {
        apply: (native, it, given) => Reflect.apply(native, it, resolved(given)),
        construct: (native, given) => Reflect.construct(native, resolved(given)),
      });
    };
    const first = (place) => place === 0;
    for (const name of ["fetch", "Request", "EventSource", "WebSocket", "Worker"]) wrap(self, name, first);
    wrap(self, "importScripts", () => true);
    wrap(XMLHttpRequest.prototype, "open", (place) => place === 1);
    const address = new URL(base);
    const location = new Proxy(own, { get: (_, name) => (name === "toString" ? () => base : address[name]) });
    Object.defineProperty(self, "location", { value: location, configurable: true });
    let handler = null;
    Object.defineProperty(self, "onconnect", { get: () => handler, set: (given) => { handler = given; }, configurable: true });
    self.addEventListener("connect", (event) => typeof handler === "function" && handler.call(self, event));
    let waiting = [];
    const announce = (ports) => self.dispatchEvent(new MessageEvent("connect", { data: "", ports, source: ports[0] }));
    self.addEventListener("message", (event) => {
      if (event.data !== connect) return;
      event.stopImmediatePropagation();
      if (waiting) waiting.push(event.ports);
      else announce(event.ports);
    });
    return () => { const all = waiting; waiting = null; all.forEach(announce); };
  };
  const start = (owner, address, type, name) => {
    const load = type === "module" ? "await import" : "importScripts";
    const source = `const ready = (${before})(${JSON.stringify(address)}, ${JSON.stringify(connecting)});
      ${load}(${JSON.stringify(address)}); ready();`;
    return new owner.Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })), { type, name });
  };
  globalThis.SharedWorker = class SharedWorker extends EventTarget {
    constructor(given, options = {}) {
      super();
      const { name = "", type = "classic" } = typeof options === "string" ? { name: options } : options;
      const address = new URL(given, document.baseURI).href;
      const owner = keeper();
      const known = owner[workers] || (owner[workers] = new Map());
      const key = JSON.stringify([type, name, address]);
      if (!known.has(key)) known.set(key, start(owner, address, type, name));
      const worker = known.get(key);
      worker.addEventListener("error", () => {
        const event = new Event("error");
        if (this.dispatchEvent(event) && typeof this.onerror === "function") this.onerror(event);
      });
      const { port1, port2 } = new MessageChannel();
      this.port = port1;
      this.onerror = null;
      worker.postMessage(connecting, [port2]);
    }
  };
}

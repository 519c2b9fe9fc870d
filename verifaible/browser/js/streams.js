// Runs before the scripts of a page from an archive: server-sent events come message by message over a
// channel, so that they can wait for what the page does, and a connection that stayed open stays open.
(channel) => {
  const Socket = globalThis.WebSocket;
  const RETRY_MS = 3000; // of browsers, where the stream does not say
  const NAMES = { CONNECTING: 0, OPEN: 1, CLOSED: 2 };
  class EventSource extends EventTarget {
    #socket;
    #told;
    #handlers = {};
    constructor(url, options) {
      super();
      this.#told = { url: new URL(url, document.baseURI).href, readyState: NAMES.CONNECTING, withCredentials: Boolean(options?.withCredentials) };
      this.#connect();
    }
    get url() { return this.#told.url }
    get readyState() { return this.#told.readyState }
    get withCredentials() { return this.#told.withCredentials }
    #connect() {
      this.#socket = new Socket(channel + encodeURIComponent(this.url));
      this.#socket.onmessage = (message) => this.#take(JSON.parse(message.data));
    }
    #take(told) {
      if (this.readyState === NAMES.CLOSED) return;
      if (told.state === undefined) {
        const { origin } = new URL(this.url);
        this.dispatchEvent(new MessageEvent(told.event, { data: told.data, lastEventId: told.id, origin }));
        return;
      }
      this.#told.readyState = told.state;
      if (told.state === NAMES.CONNECTING) setTimeout(() => this.readyState !== NAMES.CLOSED && this.#connect(), RETRY_MS);
      this.dispatchEvent(new Event(told.state === NAMES.OPEN ? "open" : "error"));
    }
    close() {
      this.#told.readyState = NAMES.CLOSED;
      this.#socket.close();
    }
    handler(type, given) {
      if (given === undefined) return this.#handlers[type] ?? null;
      this.removeEventListener(type, this.#handlers[type]);
      this.#handlers[type] = typeof given === "function" ? given : null;
      this.addEventListener(type, this.#handlers[type]);
    }
  }
  const { handler } = EventSource.prototype;
  delete EventSource.prototype.handler;
  for (const type of ["open", "message", "error"]) {
    Object.defineProperty(EventSource.prototype, `on${type}`, {
      configurable: true,
      enumerable: true,
      get() { return handler.call(this, type) },
      set(given) { handler.call(this, type, given ?? null) },
    });
  }
  for (const [name, value] of Object.entries(NAMES)) {
    Object.defineProperty(EventSource, name, { value, enumerable: true });
    Object.defineProperty(EventSource.prototype, name, { value, enumerable: true });
  }
  globalThis.EventSource = EventSource;
}

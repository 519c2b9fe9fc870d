// One Python in a Web Worker: it loads, gives up every way out, runs one program, and is ended by the page.
import { loadPyodide } from "./pyodide.mjs";

const post = self.postMessage.bind(self);
const listen = self.addEventListener.bind(self);
const { memoryBytes, outputBytes } = await new Promise((told) => listen("message", (event) => told(event.data), { once: true }));

// Emscripten asks this method for more memory; a refusal is a MemoryError in Python.
const grow = WebAssembly.Memory.prototype.grow;
WebAssembly.Memory.prototype.grow = function (pages) {
  if (this.buffer.byteLength + pages * 65536 > memoryBytes) throw new RangeError("memory");
  return grow.call(this, pages);
};

// The same program gives the same result for ever: no clock and no chance.
let ticks = 0;
Date.now = () => 0;
const performance = { now: () => (ticks += 1), timeOrigin: 0 };
const crypto = { getRandomValues: (array) => array.fill(7) };
Object.defineProperties(self, { performance: { value: performance }, crypto: { value: crypto } });

const printed = [];
let room = outputBytes;
const write = (bytes) => {
  const part = bytes.slice(0, Math.max(0, room));
  room -= bytes.length;
  if (part.length) printed.push(part);
  return bytes.length;
};
const text = new TextDecoder();

const pyodide = await loadPyodide({
  indexURL: "/",
  jsglobals: Object.create(null),
  env: { PYTHONHASHSEED: "0", HOME: "/" },
  stdin: () => null,
});
pyodide.setStdout({ write });
pyodide.setStderr({ write });
const run = pyodide.runPython(await (await fetch("/inside.py")).text());

// Files would grow outside of Python's memory, and a socket is a file too: nothing new is made, or written.
const FS = pyodide.FS;
const open = FS.open;
const refused = () => { throw new FS.ErrnoError(69); };
FS.createNode = FS.truncate = FS.ftruncate = refused;
FS.open = (path, flags, mode) =>
  (typeof flags === "string" ? flags !== "r" : flags & 0o1103) ? refused() : open.call(FS, path, flags, mode);

// What a bare engine has stays; whatever the browser adds to it, to reach something or somebody, goes.
const engine = new Set(
  `Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol Date Promise RegExp
  Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError globalThis JSON Math Intl
  ArrayBuffer Uint8Array Int8Array Uint16Array Int16Array Uint32Array Int32Array Float32Array Float64Array
  Uint8ClampedArray BigUint64Array BigInt64Array DataView Map BigInt Set WeakMap WeakSet WeakRef Proxy Reflect
  FinalizationRegistry decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape isFinite isNaN
  WebAssembly TextDecoder TextEncoder performance crypto`.split(/\s+/),
);
const scope = self;
for (let owner = scope; owner && owner !== Object.prototype; owner = Object.getPrototypeOf(owner)) {
  for (const name of Object.getOwnPropertyNames(owner)) {
    if ((owner === scope && engine.has(name)) || name === "constructor") continue;
    if (!Reflect.deleteProperty(owner, name)) Reflect.defineProperty(owner, name, { value: undefined });
  }
}

// No way from a value to its class, and none to change what all values share; copies out of Python are counted.
let copied = 0;
const Typed = Object.getPrototypeOf(Uint8Array);
const { slice } = Typed.prototype;
Typed.prototype.slice = function (from = 0, to = this.length) {
  if ((copied += Math.max(0, to - from) * this.BYTES_PER_ELEMENT) > memoryBytes) throw new RangeError("memory");
  return slice.call(this, from, to);
};
const kinds = [async () => {}, function* () {}, async function* () {}, Typed].map(Object.getPrototypeOf);
const shared = [Typed.prototype, ...kinds, ...[...engine].map((name) => globalThis[name]?.prototype)];
for (const prototype of shared.filter((each) => each instanceof Object || each === Object.prototype)) {
  Reflect.deleteProperty(prototype, "constructor");
}
Reflect.deleteProperty(Object.prototype, "__proto__");
shared.forEach(Object.freeze);

const { stringify } = JSON;
listen("message", ({ data }) => {
  let said;
  try {
    said = `${run(data.code, data.inputs)}`;
  } catch (error) {
    said = stringify({ error: `${error?.name === "RangeError" ? "RecursionError" : "The interpreter stopped"}` });
  }
  let output = "";
  for (const part of printed) output += text.decode(part, { stream: true });
  post([data.nonce, said.slice(0, outputBytes), output, room < 0]);
});
post("ready");

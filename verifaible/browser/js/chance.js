// Runs before the scripts of a page: what they take from chance comes from a seed that is sealed with the
// capture, so that its replay makes the same choices. Each document has a sequence of its own.
(seed) => {
  let state = 2166136261;
  const word = (text) => {
    for (let place = 0; place < text.length; place += 1) state = Math.imul(state ^ text.charCodeAt(place), 16777619);
    return state >>> 0;
  };
  // sfc32 (PractRand), 128 bits of state.
  let [a, b, c, count] = [word(seed), word(location.href.split("?")[0]), word(self === top ? "" : name), 1];
  const next = () => {
    const sum = (((a + b) | 0) + count) | 0;
    count = (count + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum | 0;
    return sum >>> 0;
  };
  for (let turn = 0; turn < 15; turn += 1) next();
  // Proxies still say that they are native code, and have the same name and length.
  const wrap = (owner, name, apply) => {
    if (owner[name]) owner[name] = new Proxy(owner[name], { apply });
  };
  const fill = (array) => {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    for (let place = 0; place < bytes.length; place += 1) bytes[place] = next();
    return array;
  };
  wrap(Math, "random", () => ((next() >>> 5) * 67108864 + (next() >>> 6)) / 9007199254740992);
  // The native ones refuse what they have to refuse.
  wrap(Crypto.prototype, "getRandomValues", (native, self, given) => fill(Reflect.apply(native, self, given)));
  // A key cannot be made again: who listens to the console of a live page is told.
  const keyed = (native, self, given) => {
    console.debug("verifaible: a key was made");
    return Reflect.apply(native, self, given);
  };
  if (globalThis.SubtleCrypto) wrap(SubtleCrypto.prototype, "generateKey", keyed);
  wrap(Crypto.prototype, "randomUUID", (native, self, given) => {
    Reflect.apply(native, self, given);
    const bytes = fill(new Uint8Array(16));
    bytes[6] = (bytes[6] & 15) | 64;
    bytes[8] = (bytes[8] & 63) | 128;
    const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    return [8, 13, 18, 23].reduce((text, place) => `${text.slice(0, place)}-${text.slice(place)}`, hex);
  });
}

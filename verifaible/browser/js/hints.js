// Runs before the scripts of a sealed page that was captured in a whole Chromium: a replay in the headless shell
// names no brand that the page was not told of then.
() => {
  const data = globalThis.NavigatorUAData;
  if (!data) return;
  const known = (brands) => brands.filter(({ brand }) => brand !== "HeadlessChrome");
  const { get } = Object.getOwnPropertyDescriptor(data.prototype, "brands");
  Object.defineProperty(data.prototype, "brands", { configurable: true, enumerable: true, get() { return known(get.call(this)); } });
  for (const name of ["toJSON", "getHighEntropyValues"]) {
    const native = data.prototype[name];
    const told = (found) => {
      for (const key of ["brands", "fullVersionList"]) if (found[key]) found[key] = known(found[key]);
      return found;
    };
    data.prototype[name] = function (...given) {
      const found = native.apply(this, given);
      return found instanceof Promise ? found.then(told) : told(found);
    };
  }
}

// Starts the page's clock at the moment the page was recorded and lets it run from there, so that
// a page which asks for "today" asks for what the archive holds; performance.now() counts from there too.
(start) => {
  const Real = Date;
  const offset = start - Real.now();
  const now = () => Real.now() + offset;
  function Shifted(...parts) {
    if (!new.target) return new Real(now()).toString();
    return Reflect.construct(Real, parts.length ? parts : [now()], new.target === Shifted ? Real : new.target);
  }
  Shifted.prototype = Real.prototype;
  Shifted.now = now;
  Shifted.parse = Real.parse;
  Shifted.UTC = Real.UTC;
  Real.prototype.constructor = Shifted;
  Object.defineProperty(Shifted, "name", { value: "Date" });
  globalThis.Date = Shifted;
  const origin = performance.timeOrigin + offset;
  Object.defineProperty(Performance.prototype, "timeOrigin", { configurable: true, enumerable: true, get: () => origin });
}

// The source of a function, or of every method of an object; an empty string for anything else.
(lib, { read }) => {
  let value;
  try { value = read(); } catch { return ""; }
  const source = (method) => Function.prototype.toString.call(method);
  const own = (method) => typeof method === "function" && !/\{\s*\[native code\]\s*\}\s*$/.test(source(method));
  if (own(value)) return source(value);
  if (value === null || typeof value !== "object") return "";
  const proto = Object.getPrototypeOf(value);
  const keys = [...Object.getOwnPropertyNames(value), ...(proto && proto !== Object.prototype ? Object.getOwnPropertyNames(proto) : [])];
  const parts = [];
  for (const key of new Set(keys)) {
    try { if (key !== "constructor" && own(value[key])) parts.push(`${key}: ${source(value[key])}`); } catch { continue; }
  }
  return parts.join("\n\n");
}

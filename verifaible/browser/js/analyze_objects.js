// What the page's own scripts put into the global scope. Built-in globals are accessors, native
// functions or not enumerable; what a script declares is an enumerable value that is none of these.
// lexical: values of global let, const and class, which are no properties of window.
(lib, { lexical }) => {
  const LIBRARY = /^(\$|_|jQuery|Vue\w*|React\w*|angular|moment|dayjs|echarts|Highcharts|d3|axios|layui|layer|laydate|Swiper|require|define|requirejs|webpack\w*|__\w+|ga|gtag|gaplugins|google\w*|dataLayer|_hmt|_paq|Sentry|WebFont|Backbone|Ember|bootstrap|Handlebars|Mustache|template|CryptoJS|JSEncrypt|Zepto|seajs|wx|YT|ytcfg|flatpickr|Chart|Modernizr|html5|chrome|utag\w*|s_\w+|OneTrust\w*|regeneratorRuntime|\w*jsonp?Callback\w*|clarity|fbq|twq|Popper)$/i;
  // What a browser has itself, even where it was wrapped to watch or to replay the page.
  const BROWSERS = /^((set|clear)(Timeout|Interval)|(request|cancel)(AnimationFrame|IdleCallback)|queueMicrotask|fetch|XMLHttpRequest|WebSocket|EventSource|Date|Promise|Math|Response|Request|Headers|SharedWorker|Worker|performance|crypto|alert|confirm|prompt|open|print)$/;
  const TELLING = /^(get|set|query|search|load|show|change|page|list|data|go|fetch|request|submit|select|switch|update|render|draw|filter|init)/i;
  const MOST_MEMBERS = 25;

  const signature = (value) => {
    let source = "";
    try { source = Function.prototype.toString.call(value); } catch { return null; }
    if (/\{\s*\[native code\]\s*\}\s*$/.test(source)) return null;
    const head = /^(?:async\s+)?(?:function\b[^(]*|[\w$]*\s*)?\(([^)]*)\)/.exec(source) || /^(?:async\s+)?([\w$]+)\s*=>/.exec(source);
    return { parameters: head ? head[1].replace(/\s+/g, " ").trim() : "", source };
  };
  const brief = (value) => {
    if (typeof value === "string") return JSON.stringify(value.length > 60 ? value.slice(0, 60) + "…" : value);
    if (value === null || typeof value !== "object") return String(value);
    if (Array.isArray(value)) return `[${value.length} items]`;
    try {
      const plain = Object.entries(value).filter(([, inner]) => typeof inner !== "function").slice(0, 14)
        .map(([name, inner]) => `${name}: ${inner !== null && typeof inner === "object" ? (Array.isArray(inner) ? `[${inner.length} items]` : "{…}") : JSON.stringify(inner)}`);
      return `{${plain.join(", ")}}`.slice(0, 500);
    } catch { return "{…}"; }
  };

  const handlers = [...document.querySelectorAll("[onclick], [onchange], [onsubmit], a[href^='javascript:']")]
    .map((element) => ["onclick", "onchange", "onsubmit", "href"].map((name) => element.getAttribute(name) || "").join(" ")).join(" ");
  const mentioned = (name) => new RegExp(`(^|[^\\w$.])${name.replace(/\$/g, "\\$")}\\s*[.(]`).test(handlers);

  function describe(name, value) {
    const type = typeof value;
    if (type === "function") {
      const found = signature(value);
      if (!found) return null;
      const isClass = /^class\b/.test(found.source);
      const score = (TELLING.test(name) ? 6 : 2) + (mentioned(name) ? 12 : 0);
      return { name, kind: isClass ? "class" : "function", parameters: found.parameters, members: [], score };
    }
    if (type !== "object" || value === null) {
      if (type === "undefined" || value === null) return null;
      const text = brief(value);
      return { name, kind: "value", parameters: text, members: [], score: 1 };
    }
    const tag = Object.prototype.toString.call(value);
    if (tag === "[object Array]") return { name, kind: "array", parameters: `${value.length} items`, members: [], score: value.length ? 2 : 0 };
    if (tag !== "[object Object]" || value instanceof Node || value === window) return null;
    const members = [];
    let score = 0;
    let methods = 0;
    let keys = Object.getOwnPropertyNames(value);
    const proto = Object.getPrototypeOf(value);
    if (proto && proto !== Object.prototype) keys = keys.concat(Object.getOwnPropertyNames(proto).filter((key) => key !== "constructor"));
    for (const key of keys) {
      let member;
      try { member = value[key]; } catch { continue; }
      if (typeof member === "function") {
        const found = signature(member);
        if (!found) continue;
        methods += 1;
        if (TELLING.test(key)) score += 3;
        members.push({ name: key, text: `(${found.parameters})` });
      } else {
        if (/param|query|config|option|url|api|page|date/i.test(key)) score += 3;
        members.push({ name: key, text: ": " + brief(member) });
      }
    }
    score = Math.min(score, 24) + Math.min(methods, 6) + (mentioned(name) ? 12 : 0);
    if (methods > 60) score -= 15;
    const left = members.length - MOST_MEMBERS;
    return { name, kind: "object", parameters: left > 0 ? `${left} more members` : "", members: members.slice(0, MOST_MEMBERS), score };
  }

  const found = new Map();
  for (const name of Object.getOwnPropertyNames(window)) {
    if (/^\d+$/.test(name)) continue;
    const property = Object.getOwnPropertyDescriptor(window, name);
    if (!property || !property.enumerable || !("value" in property)) continue;
    found.set(name, property.value);
  }
  for (const [name, value] of Object.entries(lexical)) found.set(name, value);
  const objects = [];
  const libraries = [];
  for (const [name, value] of found) {
    if (/^__(playwright|pw|archive)/.test(name) || BROWSERS.test(name)) continue;
    const description = describe(name, value);
    if (!description) continue;
    if (LIBRARY.test(name)) { if (description.kind !== "value" && description.kind !== "array") libraries.push(name); } else objects.push(description);
  }
  objects.sort((a, b) => b.score - a.score);
  return { objects: objects.slice(0, 40), libraries: libraries.slice(0, 30) };
}

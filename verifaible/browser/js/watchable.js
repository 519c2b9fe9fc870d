// Runs before the scripts of a page: shadow roots are open, so that steps can find what is in them.
() => {
  // Proxies still say that they are native code, and have the same name and length.
  const { attachShadow } = Element.prototype;
  const open = (native, self, [init, ...rest]) => Reflect.apply(native, self, [init && { ...init, mode: "open" }, ...rest]);
  Element.prototype.attachShadow = new Proxy(attachShadow, { apply: open });
}

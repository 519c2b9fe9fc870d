// Resolves once the page has not changed for quiet_ms, or after cap_ms; says which.
(lib, { quiet_ms, cap_ms }) => new Promise((resolve) => {
  let timer = 0;
  const observer = new MutationObserver(() => restart());
  const finish = (settled) => {
    clearTimeout(timer);
    clearTimeout(cap);
    observer.disconnect();
    resolve(settled);
  };
  const restart = () => {
    clearTimeout(timer);
    timer = setTimeout(() => finish(true), quiet_ms);
  };
  const cap = setTimeout(() => finish(false), cap_ms);
  observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  restart();
})

// Whether everything inside the element has its place in it, so that nothing is cut off.
(lib, { selector }) => {
  const box = document.querySelector(selector);
  return box.scrollHeight <= box.clientHeight && box.scrollWidth <= box.clientWidth;
}

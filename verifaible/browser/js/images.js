// The images of this frame that a reader can see, with what they are called.
(lib) => [...document.querySelectorAll("img, svg, canvas, video, figure [role=img], [role=img]")]
  .filter((image) => lib.visible(image) && image.getClientRects().length)
  .map((image) => ({
    css_path: lib.cssPath(image),
    tag: image.tagName.toLowerCase(),
    alt: image.getAttribute("alt") || image.getAttribute("aria-label") || image.getAttribute("title") || "",
    src: image.currentSrc || image.src || image.poster || "",
    width: image.naturalWidth || Math.round(image.getBoundingClientRect().width),
    height: image.naturalHeight || Math.round(image.getBoundingClientRect().height),
    complete: image.tagName !== "IMG" || (image.complete && image.naturalWidth > 0),
    rect: lib.pageRect(image.getBoundingClientRect()),
  }))

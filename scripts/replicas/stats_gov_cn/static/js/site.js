(function () {
  "use strict";
  function all(selector) { return Array.prototype.slice.call(document.querySelectorAll(selector)); }

  function setSize(pixels) {
    all(".txt-content, .txt-content p, .txt-content span").forEach(function (node) {
      node.style.fontSize = pixels + "px";
    });
  }

  document.addEventListener("DOMContentLoaded", function () {
    var header = document.querySelector(".header");
    var share = document.querySelector(".hide-share");
    window.addEventListener("scroll", function () {
      if (header) { header.classList.toggle("shrunk", window.scrollY > 120); }
    });
    all("[data-font]").forEach(function (button) {
      button.addEventListener("click", function (event) {
        event.preventDefault();
        setSize(parseInt(button.getAttribute("data-font"), 10));
      });
    });
    all(".js-share").forEach(function (button) {
      button.addEventListener("click", function (event) {
        event.preventDefault();
        if (share) { share.style.display = share.style.display === "block" ? "none" : "block"; }
      });
    });
    all(".js-print").forEach(function (button) {
      button.addEventListener("click", function (event) { event.preventDefault(); window.print(); });
    });
    all(".to-top").forEach(function (button) {
      button.addEventListener("click", function () { window.scrollTo(0, 0); });
    });
  });
})();

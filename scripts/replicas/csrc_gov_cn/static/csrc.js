(function () {
  "use strict";
  function show(name) {
    document.querySelectorAll("[data-tab]").forEach(function (tab) {
      tab.classList.toggle("on", tab.getAttribute("data-tab") === name);
    });
    document.querySelectorAll(".panel").forEach(function (panel) {
      panel.classList.toggle("on", panel.id === name);
    });
  }
  document.addEventListener("DOMContentLoaded", function () {
    document.querySelectorAll("[data-tab]").forEach(function (tab) {
      tab.addEventListener("click", function (event) {
        event.preventDefault();
        show(tab.getAttribute("data-tab"));
      });
    });
  });
})();

document.querySelectorAll("[role=tablist]").forEach(function (list) {
  var tabs = Array.from(list.querySelectorAll("[role=tab]"));
  tabs.forEach(function (tab) {
    tab.addEventListener("click", function () {
      tabs.forEach(function (other) {
        other.setAttribute("aria-selected", String(other === tab));
        document.getElementById(other.getAttribute("aria-controls")).hidden = other !== tab;
      });
    });
  });
});
document.querySelectorAll(".acc button").forEach(function (button) {
  button.addEventListener("click", function () {
    var open = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!open));
    document.getElementById(button.getAttribute("aria-controls")).hidden = open;
  });
});

// The share box fills itself on the first click, so its links are absent from the source.
document.addEventListener("DOMContentLoaded", function () {
  var toggle = document.querySelector(".share-toggle");
  if (toggle) {
    var list = document.getElementById(toggle.getAttribute("aria-controls"));
    toggle.addEventListener("click", function () {
      if (!list.children.length) {
        ["Facebook", "X", "LinkedIn", "Email"].forEach(function (name) {
          var item = document.createElement("li");
          item.textContent = name;
          list.appendChild(item);
        });
      }
      list.hidden = !list.hidden;
      toggle.setAttribute("aria-expanded", String(!list.hidden));
    });
  }
  var menu = document.querySelector(".navbar-toggle");
  if (menu) {
    menu.addEventListener("click", function () {
      var primary = document.querySelector(".dropdown-primary");
      primary.style.display = primary.style.display === "block" ? "" : "block";
    });
  }
});

// Die Abteilungen kommen als HTML-Bausteine, zugeklappt.
(function () {
  var form = document.getElementById("auswahl");
  var box = document.getElementById("ergebnis");
  function load() {
    var query = new URLSearchParams(new FormData(form)).toString();
    return fetch("/qualitaet/fallzahlen/daten?" + query).then(function (answer) {
      return answer.text();
    }).then(function (html) {
      box.innerHTML = html;
      box.dataset.stand = form.standort.value + "-" + form.jahr.value;
    });
  }
  form.addEventListener("submit", function (event) {
    event.preventDefault();
    load();
  });
  box.addEventListener("click", function (event) {
    var button = event.target.closest("button[data-panel]");
    if (button) {
      var panel = document.getElementById(button.dataset.panel);
      panel.hidden = !panel.hidden;
      button.setAttribute("aria-expanded", String(!panel.hidden));
    }
  });
  load();
})();

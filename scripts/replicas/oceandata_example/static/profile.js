// Only the rows in view are in the document; two spacer rows keep the scroll bar right.
(function () {
  var ROW = 28, MORE = 6;
  var box = document.getElementById("viewport");
  var body = document.querySelector("#profile tbody");
  var rows = [];
  var drawn = "";
  function spacer(height) {
    var tr = document.createElement("tr");
    tr.className = "spacer";
    tr.setAttribute("aria-hidden", "true");
    tr.style.height = height + "px";
    return tr;
  }
  function draw() {
    var first = Math.max(0, Math.floor(box.scrollTop / ROW) - MORE);
    var last = Math.min(rows.length, Math.ceil((box.scrollTop + box.clientHeight) / ROW) + MORE);
    if (drawn === first + "-" + last) {
      return;
    }
    drawn = first + "-" + last;
    body.textContent = "";
    body.append(spacer(first * ROW));
    rows.slice(first, last).forEach(function (row, index) {
      var tr = document.createElement("tr");
      tr.setAttribute("aria-rowindex", String(first + index + 2));
      row.forEach(function (value, column) {
        var cell = document.createElement(column ? "td" : "th");
        if (!column) {
          cell.scope = "row";
        }
        cell.textContent = value;
        tr.append(cell);
      });
      body.append(tr);
    });
    body.append(spacer((rows.length - last) * ROW));
  }
  function load(direction) {
    document.querySelectorAll("[role=tab]").forEach(function (tab) {
      tab.setAttribute("aria-selected", String(tab.dataset.direction === direction));
    });
    return fetch("/api/v2/casts/PE-2024-07/38?direction=" + direction).then(function (answer) {
      return answer.json();
    }).then(function (data) {
      rows = data.rows;
      drawn = "";
      box.scrollTop = 0;
      draw();
      document.getElementById("state").textContent = (direction === "down" ? "Downcast" : "Upcast") + ", cast 38: " + rows.length + " bins of 5 dbar";
    });
  }
  box.addEventListener("scroll", draw);
  document.querySelectorAll("[role=tab]").forEach(function (tab) {
    tab.addEventListener("click", function () {
      load(tab.dataset.direction);
    });
  });
  load("down");
})();

// The chart's marks carry no figures; the data table is written when it is opened.
(function () {
  var layers = [{ name: "0-700 m", at: 1, colour: "#0a6ebd" }, { name: "0-2000 m", at: 2, colour: "#b3452c" }];
  var tip = document.getElementById("tip");
  var button = document.getElementById("as-table");
  var box = document.getElementById("data");
  function place(row, index, layer) {
    return [50 + index * 38, 300 - Number(row[layer.at]) * 1.3];
  }
  function chart(rows) {
    var parts = layers.map(function (layer) {
      var points = rows.map(function (row, index) { return place(row, index, layer); });
      return '<polyline fill="none" stroke="' + layer.colour + '" stroke-width="2" points="' + points.join(" ") + '"/>' +
        points.map(function (point, index) {
          return '<circle tabindex="0" cx="' + point[0] + '" cy="' + point[1] + '" r="5" fill="' + layer.colour + '" data-row="' + index + '" data-layer="' + layer.at + '"/>';
        }).join("");
    });
    document.getElementById("chart").innerHTML = '<svg viewBox="0 0 660 330" width="660" height="330">' +
      '<line x1="40" y1="300" x2="640" y2="300" stroke="#888"/>' +
      rows.map(function (row, index) {
        return '<text x="' + (50 + index * 38) + '" y="318" font-size="11" text-anchor="middle">' + row[0] + "</text>";
      }).join("") +
      '<text x="560" y="30" font-size="12" fill="#b3452c">0-2000 m</text><text x="560" y="150" font-size="12" fill="#0a6ebd">0-700 m</text>' + parts.join("") + "</svg>";
  }
  fetch("/api/v2/indicators/ohc").then(function (answer) { return answer.json(); }).then(function (data) {
    chart(data.rows);
    function show(event) {
      var mark = event.target;
      if (!mark.dataset || !mark.dataset.row) {
        tip.hidden = true;
        return;
      }
      var row = data.rows[Number(mark.dataset.row)];
      tip.textContent = row[0] + ", " + layers[Number(mark.dataset.layer) - 1].name + ": " + row[Number(mark.dataset.layer)] + " " + data.unit;
      tip.hidden = false;
    }
    document.getElementById("chart").addEventListener("mouseover", show);
    document.getElementById("chart").addEventListener("focusin", show);
    button.addEventListener("click", function () {
      var open = box.hidden;
      box.hidden = !open;
      button.setAttribute("aria-expanded", String(open));
      button.textContent = open ? "Hide data table" : "Show data table";
      box.innerHTML = "<table><caption>Ocean heat content anomaly (" + data.unit + ", relative to " + data.baseline + ')</caption><thead><tr><th scope="col">Year</th><th scope="col">0-700 m</th><th scope="col">0-2000 m</th><th scope="col">Uncertainty</th></tr></thead><tbody>' +
        data.rows.map(function (row) {
          return '<tr><th scope="row">' + row[0] + "</th><td>" + row.slice(1).join("</td><td>") + "</td></tr>";
        }).join("") + "</tbody></table>";
    });
  });
})();

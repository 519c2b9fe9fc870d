(function () {
  var units = {
    us: { length: "ft", perMetre: 3.28084, speed: "kn", perSpeed: 1.943844 },
    metric: { length: "m", perMetre: 1, speed: "m/s", perSpeed: 1 }
  };
  var box = document.getElementById("extremes");
  fetch("/api/v2/buoys/PB-4417/extremes").then(function (answer) { return answer.json(); }).then(function (data) {
    function draw() {
      var name = document.querySelector("input[name=units]:checked").value;
      var unit = units[name];
      var heads = ["Time (UTC)", "Significant wave height (" + unit.length + ")", "Maximum wave height (" + unit.length + ")", "Peak period (s)", "Wind gust (" + unit.speed + ")"];
      box.dataset.units = name;
      box.innerHTML = "<table><caption>Ten severest storms</caption><thead><tr>" + heads.map(function (head) { return '<th scope="col">' + head + "</th>"; }).join("") + "</tr></thead><tbody>" +
        data.rows.map(function (row) {
          var values = [row[1] * unit.perMetre, row[2] * unit.perMetre, row[3], row[4] * unit.perSpeed];
          return '<tr><th scope="row">' + row[0] + "</th>" + values.map(function (value) { return "<td>" + value.toFixed(1) + "</td>"; }).join("") + "</tr>";
        }).join("") + "</tbody></table>";
    }
    document.getElementById("units").addEventListener("change", draw);
    draw();
  });
})();

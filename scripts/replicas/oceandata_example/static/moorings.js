(function () {
  var form = document.getElementById("filter");
  var box = document.getElementById("result");
  function chosen(name) {
    return form.elements[name].selectedOptions[0].textContent;
  }
  form.addEventListener("submit", function (event) {
    event.preventDefault();
    var query = ["station", "variable", "depth", "statistic", "year"].map(function (name) {
      return name + "=" + encodeURIComponent(form.elements[name].value);
    }).join("&");
    var heading = chosen("statistic") + ", " + chosen("variable") + ", " + chosen("station") + ", " + chosen("depth") + ", " + chosen("year");
    fetch("/api/v2/timeseries?" + query).then(function (answer) {
      return answer.json();
    }).then(function (payload) {
      var rows = payload.data.map(function (row) {
        return '<tr><th scope="row">' + row.month + "</th><td>" + row.value + "</td><td>" + row.n + "</td></tr>";
      }).join("");
      box.innerHTML = "<table><caption>" + heading + '</caption><thead><tr><th scope="col">Month</th><th scope="col">' + chosen("statistic") + '</th><th scope="col">Records</th></tr></thead><tbody>' + rows + "</tbody></table>";
      box.dataset.query = query;
    });
  });
})();

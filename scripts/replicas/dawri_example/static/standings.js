(function () {
  "use strict";
  var season = document.getElementById("season"), round = document.getElementById("round");
  var place = document.getElementById("standings");
  function digits(value) {
    var text = String(Math.abs(value)).replace(/[0-9]/g, function (d) { return "٠١٢٣٤٥٦٧٨٩"[d]; });
    return (value < 0 ? "\u061c-" : "") + text;
  }
  function load() {
    place.textContent = "جارٍ التحميل…";
    place.removeAttribute("data-shown");
    fetch("/api/standings?season=" + season.value + "&round=" + round.value).then(function (answer) { return answer.json(); }).then(function (data) {
      var html = "<h2>الموسم " + season.selectedOptions[0].text + " – بعد الجولة " + digits(data.round) + "</h2><table><thead>" +
        "<tr><th rowspan=2>م</th><th rowspan=2>النادي</th><th colspan=4>المباريات</th><th colspan=3>الأهداف</th><th rowspan=2>النقاط</th></tr>" +
        "<tr><th>لعب</th><th>فاز</th><th>تعادل</th><th>خسر</th><th>له</th><th>عليه</th><th>الفارق</th></tr></thead><tbody>";
      data.rows.forEach(function (row) {
        var cells = row.slice(2, 8).concat(row[6] - row[7], row[8]);
        html += "<tr><td>" + digits(row[0]) + "</td><th scope=row>" + row[1] + "</th>" +
          cells.map(function (value) { return "<td>" + digits(value) + "</td>"; }).join("") + "</tr>";
      });
      place.innerHTML = html + "</tbody></table>";
      place.setAttribute("data-shown", data.season + "/" + data.round);
    });
  }
  season.addEventListener("change", load);
  round.addEventListener("change", load);
  load();
})();

(function () {
  "use strict";
  var form = document.getElementById("teiten-form");
  var result = document.getElementById("teiten-result");
  function cell(text) { return "<td>" + text + "</td>"; }
  function change(now, before) {
    var n = Number(now.replace(/,/g, "")), b = Number(before.replace(/,/g, ""));
    return n === b ? "→" : n > b ? "↑" : "↓";
  }
  function draw(data) {
    var sizes = Object.keys(data.teiten).map(function (kind) { return kind + "定点 " + data.teiten[kind]; });
    result.innerHTML =
      "<h2>" + data.nen + "第" + data.shu + "週（" + data.kikan + "）　" + data.hokensho + "</h2>" +
      "<p class=note>報告定点数：" + sizes.join("、") + "</p>" +
      "<table class=teiten><caption>定点把握対象疾病の報告状況</caption><thead>" +
      "<tr><th rowspan=2>疾病名</th><th colspan=2>今週（第" + data.shu + "週）</th><th colspan=2>前週</th><th rowspan=2>前週比</th></tr>" +
      "<tr><th>報告数（人）</th><th>定点当たり</th><th>報告数（人）</th><th>定点当たり</th></tr></thead><tbody>" +
      data.rows.map(function (row) {
        return "<tr><th scope=row>" + row[0] + "</th>" + row.slice(1).map(cell).join("") + cell(change(row[1], row[3])) + "</tr>";
      }).join("") + "</tbody></table>";
    result.setAttribute("data-shown", form.nen.value + "-" + form.shu.value + "-" + form.hoken.value);
  }
  function load() {
    result.innerHTML = "<p class=loading>読み込み中です…</p>";
    result.removeAttribute("data-shown");
    var request = new XMLHttpRequest();
    request.open("GET", "/kansen/api/teiten.json?nen=" + form.nen.value + "&shu=" + form.shu.value + "&hoken=" + form.hoken.value);
    request.onload = function () {
      if (request.status === 200) { draw(JSON.parse(request.responseText)); }
      else { result.innerHTML = "<p>この週の報告はまだ公表されていません。</p>"; }
    };
    request.send();
  }
  function weeks() {
    var last = Number(form.nen.selectedOptions[0].getAttribute("data-weeks"));
    var chosen = Math.min(Number(form.shu.value || last), last);
    form.shu.innerHTML = "";
    for (var week = last; week >= 1; week--) {
      form.shu.add(new Option("第" + week + "週", (week < 10 ? "0" : "") + week, false, week === chosen));
    }
  }
  form.nen.addEventListener("change", weeks);
  form.addEventListener("submit", function (event) { event.preventDefault(); load(); });
  weeks();
  load();
})();

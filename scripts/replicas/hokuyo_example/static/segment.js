(function () {
  var select = document.getElementById("fy");
  var box = document.getElementById("segment");
  function load() {
    box.removeAttribute("data-fy");
    return fetch("/ir/api/segment.json?fy=" + select.value).then(function (answer) {
      return answer.json();
    }).then(function (data) {
      box.innerHTML = "<h2>" + data.period + "（単位：" + data.unit + '）</h2><table class="tanshin"><caption>' + data.period + '</caption><thead><tr><th rowspan="2" scope="col">セグメント</th><th colspan="3" scope="colgroup">売上高</th><th rowspan="2" scope="col">セグメント利益又は損失（△）</th></tr><tr><th scope="col">外部顧客への売上高</th><th scope="col">セグメント間の内部売上高又は振替高</th><th scope="col">計</th></tr></thead><tbody>' +
        data.rows.map(function (row) {
          return '<tr><th scope="row">' + row[0] + "</th><td>" + row.slice(1).join("</td><td>") + "</td></tr>";
        }).join("") + "</tbody></table>";
      box.dataset.fy = select.value;
    });
  }
  select.addEventListener("change", load);
  load();
})();

/* 股票、基金成交概况：每日。页面先定义 overviewDayConfig（产品与指标），再载入本脚本 */
var overviewDay = {
  params: {
    sqlId: "COMMON_SSE_SJ_GPSJ_CJGK_MRGK_C",
    SEARCH_DATE: "",
    PRODUCT_CODE: overviewDayConfig.codes,
    type: "inParams"
  },
  init: function () {
    laydate({
      elem: ".js_date input",
      max: systemDate,
      done: function () { setTimeout(function () { overviewDay.setOverviewDayParams(); }, 300); }
    });
    SSE.onQuery(overviewDay.setOverviewDayParams);
    overviewDay.getOverviewDayList();
  },
  setOverviewDayParams: function () {
    overviewDay.params.SEARCH_DATE = document.querySelector(".js_date input").value;
    overviewDay.getOverviewDayList();
  },
  getOverviewDayList: function () {
    var box = document.querySelector(".js_overviewDay");
    var asked = overviewDay.params.SEARCH_DATE;
    SSE.load(box, "commonQuery.do", overviewDay.params, function (data) {
      var byCode = {};
      var rows = data.result || [];
      var date = rows.length ? SSE.dashed(rows[0].TRADE_DATE) : asked;
      var columns = overviewDayConfig.columns;
      rows.forEach(function (row) { byCode[row.PRODUCT_CODE] = row; });
      if (!asked) { document.querySelector(".js_date input").value = date; }
      box.querySelector(".js_dataDate").textContent = "数据日期：" + date;
      var html = "<thead><tr><th>单日情况</th>" + columns.map(function (c) { return "<th>" + c[1] + "</th>"; }).join("") + "</tr></thead>";
      html += rows.length ? "<tbody>" + overviewDayConfig.items.map(function (item) {
        return "<tr>" + SSE.cell(item[1], "mid") + columns.map(function (c) { return SSE.cell(byCode[c[0]][item[0]]); }).join("") + "</tr>";
      }).join("") + "</tbody>" : SSE.emptyRow(columns.length + 1);
      box.querySelector("table").innerHTML = html;
      box.setAttribute("data-date", date);
    });
  }
};
overviewDay.init();

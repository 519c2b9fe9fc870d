/* 债券成交概况：每日 */
var overviewDay = {
  params: {
    isPagination: true,
    "pageHelp.pageSize": 25,
    "pageHelp.pageNo": 1,
    "pageHelp.beginPage": 1,
    "pageHelp.cacheSize": 1,
    "pageHelp.endPage": 1,
    sqlId: "COMMON_SSEBOND_SCSJ_SCTJ_CJSJ_ZQLXCJTJ_CX_L",
    START_DATE: "",
    END_DATE: "",
    MAX_TRADE_DATE: "1"
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
    var date = document.querySelector(".js_date input").value;
    overviewDay.params.START_DATE = date;
    overviewDay.params.END_DATE = date;
    overviewDay.params.MAX_TRADE_DATE = date ? "" : "1";
    overviewDay.getOverviewDayList();
  },
  getOverviewDayList: function () {
    var box = document.querySelector(".js_overviewDay");
    var asked = overviewDay.params.START_DATE;
    SSE.load(box, "commonQuery.do", overviewDay.params, function (data) {
      var rows = data.result || [];
      var date = rows.length ? SSE.dashed(rows[0].TRADE_DATE) : asked;
      var html = "<thead><tr><th>债券类型</th><th>成交笔数</th><th>成交金额(万元)</th><th>加权平均价格(元)</th></tr></thead>";
      if (!asked) { document.querySelector(".js_date input").value = date; }
      box.querySelector(".js_dataDate").textContent = "数据日期：" + date;
      html += rows.length ? "<tbody>" + rows.map(function (row) {
        return "<tr>" + SSE.cell(SSE.escapeHtml(row.TYPE), "mid") + SSE.cell(SSE.thousands(row.VOLUME)) +
          SSE.cell(SSE.thousands(row.AMOUNT)) + SSE.cell(SSE.thousands(row.AVG_PRICE)) + "</tr>";
      }).join("") + "</tbody>" : SSE.emptyRow(4);
      box.querySelector("table").innerHTML = html;
      box.setAttribute("data-date", date);
    });
  }
};
overviewDay.init();

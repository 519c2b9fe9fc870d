/* 融资融券汇总数据：按信用交易日期区间查询，分页显示 */
var marginSum = {
  params: {
    isPagination: true,
    beginDate: "",
    endDate: "",
    tabType: "",
    stockCode: "",
    "pageHelp.pageSize": 10,
    "pageHelp.pageNo": 1,
    "pageHelp.beginPage": 1,
    "pageHelp.cacheSize": 1,
    "pageHelp.endPage": 1
  },
  init: function () {
    laydate({ elem: ".js_date .js_begin", max: systemDate });
    laydate({ elem: ".js_date .js_end", max: systemDate });
    SSE.onQuery(marginSum.setMarginSumParams);
    marginSum.getMarginSumList(1);
  },
  // 只填一端时按单日查询；两端颠倒时互换
  setMarginSumParams: function () {
    var begin = document.querySelector(".js_date .js_begin");
    var end = document.querySelector(".js_date .js_end");
    var ends = [begin.value || end.value, end.value || begin.value].sort();
    begin.value = ends[0];
    end.value = ends[1];
    marginSum.params.beginDate = ends[0].replace(/-/g, "");
    marginSum.params.endDate = ends[1].replace(/-/g, "");
    marginSum.getMarginSumList(1);
  },
  getMarginSumList: function (pageNo) {
    var box = document.querySelector(".js_marginSum");
    var params = marginSum.params;
    params["pageHelp.pageNo"] = params["pageHelp.beginPage"] = params["pageHelp.endPage"] = pageNo;
    SSE.load(box, "marketdata/tradedata/queryMargin.do", params, function (data) {
      var rows = data.pageHelp.data || [];
      var fields = ["rzye", "rzmre", "rqyl", "rqylje", "rqmcl", "rzrqjyzl"];
      var html = "<thead><tr><th>信用交易日期</th><th>融资余额(元)</th><th>融资买入额(元)</th><th>融券余量</th><th>融券余量金额(元)</th><th>融券卖出量</th><th>融资融券余额(元)</th></tr></thead>";
      var span = rows.length ? SSE.dashed(rows[rows.length - 1].opDate) + " 至 " + SSE.dashed(rows[0].opDate) : "-";
      if (rows.length === 1) { span = SSE.dashed(rows[0].opDate); }
      box.querySelector(".js_dataDate").textContent = "数据日期：" + span;
      html += rows.length ? "<tbody>" + rows.map(function (row) {
        return "<tr>" + SSE.cell(SSE.dashed(row.opDate), "mid") + fields.map(function (f) { return SSE.cell(SSE.thousands(row[f])); }).join("") + "</tr>";
      }).join("") + "</tbody>" : SSE.emptyRow(7);
      box.querySelector("table").innerHTML = html;
      box.setAttribute("data-date", span);
      SSE.pager(box.querySelector(".js_pager"), data.pageHelp.pageNo, data.pageHelp.pageCount, marginSum.getMarginSumList);
    });
  }
};
marginSum.init();

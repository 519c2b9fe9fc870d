/* 市值排名：主板，市价总值与流通市值各一表 */
var marketValue = {
  date: "",
  tables: [
    { box: ".js_totalValue", order: "TOTAL_VALUE_DESC", value: "TOTAL_VALUE", rate: "TOTAL_VALUE_RATE", name: "市价总值", share: "占总市值的比例(%)" },
    { box: ".js_negoValue", order: "NEGO_VALUE_DESC", value: "NEGO_VALUE", rate: "NEGO_VALUE_RATE", name: "流通市值", share: "占流通市值的比例(%)" }
  ],
  init: function () {
    laydate({
      elem: ".js_date input",
      max: systemDate,
      done: function () { setTimeout(function () { marketValue.setMarketValueParams(); }, 300); }
    });
    SSE.onQuery(marketValue.setMarketValueParams);
    marketValue.getMarketValueList();
  },
  setMarketValueParams: function () {
    marketValue.date = document.querySelector(".js_date input").value;
    marketValue.getMarketValueList();
  },
  getMarketValueList: function () {
    marketValue.tables.forEach(marketValue.getTable);
  },
  getTable: function (table) {
    var box = document.querySelector(table.box);
    var asked = marketValue.date;
    var params = { sqlId: "COMMON_SSE_SJ_SZPM_L", SEARCH_DATE: asked, LIST_BOARD: "1" };
    params[table.order] = "1";
    params.isPagination = true;
    params["pageHelp.pageSize"] = 10;
    params["pageHelp.pageNo"] = 1;
    params["pageHelp.beginPage"] = 1;
    params["pageHelp.cacheSize"] = 1;
    params["pageHelp.endPage"] = 1;
    SSE.load(box, "commonQuery.do", params, function (data) {
      var rows = data.result || [];
      var date = rows.length ? SSE.dashed(rows[0].TRADE_DATE) : asked;
      var html = '<thead><tr><th rowspan="2">名次</th><th colspan="2">股票</th><th rowspan="2">' + table.name +
        '(万元)</th><th rowspan="2">' + table.share + "</th></tr><tr><th>股票代码</th><th>股票简称</th></tr></thead>";
      if (!asked) { document.querySelector(".js_date input").value = date; }
      box.querySelector(".js_dataDate").textContent = "数据日期：" + date;
      html += rows.length ? "<tbody>" + rows.map(function (row) {
        return "<tr>" + SSE.cell(row.RN, "mid") + SSE.cell('<a href="/assortment/stock/list/info/company/index.shtml?COMPANY_CODE=' + row.SEC_CODE + '" target="_blank">' + row.SEC_CODE + "</a>", "mid") +
          SSE.cell(SSE.escapeHtml(row.SEC_NAME), "mid") + SSE.cell(SSE.thousands(row[table.value])) + SSE.cell(row[table.rate]) + "</tr>";
      }).join("") + "</tbody>" : SSE.emptyRow(5);
      box.querySelector("table").innerHTML = html;
      box.setAttribute("data-date", date);
    });
  }
};
marketValue.init();

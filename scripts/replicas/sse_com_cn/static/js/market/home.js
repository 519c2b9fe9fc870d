/* 首页：最近一个交易日的股票成交概况 */
var homeOverview = {
  params: { sqlId: "COMMON_SSE_SJ_GPSJ_CJGK_MRGK_C", SEARCH_DATE: "", PRODUCT_CODE: "01,02,03,11,17", type: "inParams" },
  init: function () {
    var box = document.querySelector(".js_homeOverview").parentNode;
    SSE.load(box, "commonQuery.do", homeOverview.params, function (data) {
      var row = data.result.filter(function (r) { return r.PRODUCT_CODE === "17"; })[0];
      box.querySelector(".js_homeDate").textContent = "数据日期：" + SSE.dashed(row.TRADE_DATE);
      box.querySelector("table").innerHTML = "<tbody><tr><th>挂牌数</th>" + SSE.cell(row.LIST_NUM) + "</tr><tr><th>市价总值（亿元）</th>" +
        SSE.cell(SSE.thousands(row.TOTAL_VALUE)) + "</tr><tr><th>成交金额（亿元）</th>" + SSE.cell(SSE.thousands(row.TRADE_AMT)) + "</tr></tbody>";
    });
  }
};
homeOverview.init();

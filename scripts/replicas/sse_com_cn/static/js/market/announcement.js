/* 上市公司公告：按代码、标题关键字、日期区间查询，每页 25 条 */
var announcement = {
  params: {
    isPagination: true,
    "pageHelp.pageSize": 25,
    "pageHelp.cacheSize": 1,
    START_DATE: "",
    END_DATE: "",
    SECURITY_CODE: "",
    TITLE: "",
    BULLETIN_TYPE: "",
    stockType: "",
    "pageHelp.pageNo": 1,
    "pageHelp.beginPage": 1,
    "pageHelp.endPage": 1
  },
  init: function () {
    var presets = document.querySelector(".js_presets");
    laydate({ elem: ".js_date .js_begin", max: systemDate, done: announcement.clearPreset });
    laydate({ elem: ".js_date .js_end", max: systemDate, done: announcement.clearPreset });
    presets.addEventListener("click", function (event) {
      var months = event.target.getAttribute("data-months");
      if (months) {
        announcement.setPreset(Number(months));
        announcement.setAnnouncementParams();
      }
    });
    SSE.onQuery(announcement.setAnnouncementParams);
    announcement.setPreset(3);
    announcement.setAnnouncementParams();
  },
  clearPreset: function () {
    document.querySelectorAll(".js_presets a").forEach(function (a) { a.classList.remove("active"); });
  },
  // 区间末日为系统日期，首日为若干个月前的同一日
  setPreset: function (months) {
    var part = systemDate.split("-").map(Number);
    var total = part[0] * 12 + part[1] - 1 - months;
    var month = (total % 12) + 1;
    announcement.clearPreset();
    document.querySelector('.js_presets [data-months="' + months + '"]').classList.add("active");
    document.querySelector(".js_date .js_begin").value = Math.floor(total / 12) + "-" + (month < 10 ? "0" : "") + month + systemDate.slice(7);
    document.querySelector(".js_date .js_end").value = systemDate;
  },
  // 代码框也接受简称；只填一端日期时按单日查询，两端颠倒时互换
  setAnnouncementParams: function () {
    var typed = document.querySelector("#inputCode").value.replace(/\s/g, "");
    var begin = document.querySelector(".js_date .js_begin");
    var end = document.querySelector(".js_date .js_end");
    var ends = [begin.value || end.value, end.value || begin.value].sort();
    var code = /^\d{6}$/.test(typed) || !typed ? typed : (companies.find(function (c) { return c[1] === typed; }) || [""])[0];
    if (typed && !code) {
      SSE.message("证券代码必须为6位数字或证券简称");
      return;
    }
    begin.value = ends[0];
    end.value = ends[1];
    announcement.params.SECURITY_CODE = code;
    announcement.params.TITLE = document.querySelector("#inputTitle").value.trim();
    announcement.params.START_DATE = ends[0];
    announcement.params.END_DATE = ends[1];
    announcement.getAnnouncementList(1);
  },
  link: function (row) {
    return '<a href="https://static.sse.com.cn' + row.URL + '" target="_blank" title="' + SSE.escapeHtml(row.TITLE) + '">' + SSE.escapeHtml(row.TITLE) + "</a>";
  },
  getAnnouncementList: function (pageNo) {
    var box = document.querySelector(".js_announcement");
    var params = announcement.params;
    params["pageHelp.pageNo"] = params["pageHelp.beginPage"] = params["pageHelp.endPage"] = pageNo;
    SSE.load(box, "security/stock/queryCompanyBulletinNew.do", params, function (data) {
      var groups = data.pageHelp.data || [];
      var html = "<thead><tr><th>公告日期</th><th>证券代码</th><th>证券简称</th><th>公告标题</th><th>公告类型</th></tr></thead>";
      box.querySelector(".js_total").textContent = "公告日期：" + params.START_DATE + " 至 " + params.END_DATE + "，共 " + data.pageHelp.total + " 条";
      html += groups.length ? "<tbody>" + groups.map(function (group) {
        var row = group[0];
        var more = group.slice(1).map(function (extra) { return '<span class="attach">附：' + announcement.link(extra) + "</span>"; }).join("");
        return "<tr>" + SSE.cell(row.SSEDATE, "mid") + SSE.cell(row.SECURITY_CODE, "mid") + SSE.cell(SSE.escapeHtml(row.SECURITY_NAME), "mid") +
          SSE.cell(announcement.link(row) + more, "title") + SSE.cell(SSE.escapeHtml(row.BULLETIN_TYPE_DESC), "mid") + "</tr>";
      }).join("") + "</tbody>" : SSE.emptyRow(5);
      box.querySelector("table").innerHTML = html;
      box.setAttribute("data-code", params.SECURITY_CODE);
      SSE.pager(box.querySelector(".js_pager"), data.pageHelp.pageNo, data.pageHelp.pageCount, announcement.getAnnouncementList);
    });
  }
};
announcement.init();

/* 公共脚本：JSONP 请求、遮罩、格式化、分页、提示 */
var SSE = (function (window, document) {
  "use strict";
  var QUERY_HOST = "https://query.sse.com.cn/";

  function encode(params) {
    return Object.keys(params)
      .map(function (name) { return encodeURIComponent(name) + "=" + encodeURIComponent(params[name]); })
      .join("&");
  }

  // 以 script 标签跨域取数；每次请求的回调名与时间戳都不同
  function jsonp(path, params, done, fail) {
    var name = "jsonpCallback" + Math.floor(Math.random() * 90000000 + 10000000);
    var script = document.createElement("script");
    function clean() {
      script.parentNode && script.parentNode.removeChild(script);
      delete window[name];
    }
    window[name] = function (data) { clean(); done(data); };
    script.async = true;
    script.onerror = function () { clean(); fail(); };
    script.src = QUERY_HOST + path + "?jsonCallBack=" + name + "&" + encode(params) + "&_=" + Date.now();
    document.head.appendChild(script);
  }

  // 同一区域只认最后一次请求的应答
  function load(box, path, params, render) {
    var turn = (box.sseTurn = (box.sseTurn || 0) + 1);
    mask(box, true);
    jsonp(path, params, function (data) {
      if (turn !== box.sseTurn) { return; }
      mask(box, false);
      render(data);
    }, function () {
      if (turn !== box.sseTurn) { return; }
      mask(box, false);
      box.removeAttribute("data-date");
      box.querySelector("table").innerHTML = emptyRow(1, "数据加载失败，请稍后再试");
    });
  }

  function mask(box, on) {
    var node = box.querySelector(".loading-mask");
    if (on && !node) {
      node = document.createElement("div");
      node.className = "loading-mask";
      node.textContent = "数据加载中";
      box.appendChild(node);
    } else if (!on && node) {
      node.parentNode.removeChild(node);
    }
  }

  function escapeHtml(text) {
    return String(text).replace(/[&<>"]/g, function (c) {
      return { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }[c];
    });
  }

  // 加千分位，小数部分原样保留；空值显示短横
  function thousands(value) {
    var text = String(value === null || value === undefined ? "" : value);
    if (text === "") { return "-"; }
    var parts = text.split(".");
    parts[0] = parts[0].replace(/\B(?=(\d{3})+(?!\d))/g, ",");
    return parts.join(".");
  }

  function dashed(day) {
    return day ? day.slice(0, 4) + "-" + day.slice(4, 6) + "-" + day.slice(6, 8) : "";
  }

  function emptyRow(columns, text) {
    return '<tbody><tr><td class="empty" colspan="' + columns + '">' + (text || "暂无数据") + "</td></tr></tbody>";
  }

  function cell(value, kind) {
    return '<td class="' + (kind || "num") + '">' + value + "</td>";
  }

  function message(text) {
    var node = document.createElement("div");
    node.className = "message";
    node.textContent = text;
    document.body.appendChild(node);
    setTimeout(function () { node.parentNode.removeChild(node); }, 2500);
  }

  function pager(node, pageNo, pageCount, go) {
    var html = "";
    function item(page, label, on) {
      html += on ? '<a href="javascript:;" data-page="' + page + '">' + label + "</a>" : '<span class="disabled">' + label + "</span>";
    }
    if (pageCount < 2) { node.innerHTML = ""; return; }
    item(pageNo - 1, "上一页", pageNo > 1);
    for (var page = 1; page <= pageCount; page += 1) {
      if (page === pageNo) { html += '<span class="current">' + page + "</span>"; } else { item(page, page, true); }
    }
    item(pageNo + 1, "下一页", pageNo < pageCount);
    node.innerHTML = html;
    node.onclick = function (event) {
      var page = event.target.getAttribute("data-page");
      if (page) { go(Number(page)); }
    };
  }

  function onQuery(handler) {
    var button = document.querySelector(".js_query");
    button.addEventListener("click", handler);
    document.querySelector(".query-bar").addEventListener("keydown", function (event) {
      if (event.key === "Enter") { handler(); }
    });
  }

  return {
    load: load, thousands: thousands, dashed: dashed, emptyRow: emptyRow, cell: cell,
    escapeHtml: escapeHtml, message: message, pager: pager, onQuery: onQuery
  };
})(window, document);

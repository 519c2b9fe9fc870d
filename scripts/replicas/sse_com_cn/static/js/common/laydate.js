/* 日期控件：点击输入框弹出日历，选中日期后写入输入框并触发 done 回调 */
var laydate = (function (document) {
  "use strict";
  var opened = null;
  var count = 0;

  function pad(n) { return n < 10 ? "0" + n : String(n); }
  function ymd(date) { return date.getFullYear() + "-" + pad(date.getMonth() + 1) + "-" + pad(date.getDate()); }
  function parse(text) {
    var m = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text || "");
    return m ? new Date(Number(m[1]), Number(m[2]) - 1, Number(m[3])) : null;
  }

  function close() {
    if (opened) { opened.remove(); opened = null; }
  }

  function days(view, chosen, options) {
    var html = "<table><thead><tr>" + "日一二三四五六".split("").map(function (d) { return "<th>" + d + "</th>"; }).join("") + "</tr></thead><tbody>";
    var day = new Date(view.getFullYear(), view.getMonth(), 1);
    day.setDate(1 - day.getDay());
    for (var row = 0; row < 6; row += 1) {
      html += "<tr>";
      for (var col = 0; col < 7; col += 1) {
        var name = [];
        var away = (day.getFullYear() - view.getFullYear()) * 12 + day.getMonth() - view.getMonth();
        if (away < 0) { name.push("laydate-day-prev"); }
        if (away > 0) { name.push("laydate-day-next"); }
        if (options.max && ymd(day) > options.max) { name.push("laydate-disabled"); }
        if (ymd(day) === chosen) { name.push("layui-this"); }
        html += '<td class="' + name.join(" ") + '" lay-ymd="' + day.getFullYear() + "-" + (day.getMonth() + 1) + "-" + day.getDate() + '">' + day.getDate() + "</td>";
        day.setDate(day.getDate() + 1);
      }
      html += "</tr>";
    }
    return html + "</tbody></table>";
  }

  function list(type, view) {
    var html = '<ul class="laydate-list laydate-' + type + '-list">';
    var year = view.getFullYear();
    var first = type === "year" ? year - 7 : 1;
    var last = type === "year" ? year + 7 : 12;
    for (var n = first; n <= last; n += 1) {
      var now = type === "year" ? n === year : n === view.getMonth() + 1;
      html += '<li lay-ym="' + n + '" lay-type="' + type + '"' + (now ? ' class="layui-this"' : "") + ">" + n + (type === "year" ? "年" : "月") + "</li>";
    }
    return html + "</ul>";
  }

  function open(input, options) {
    close();
    var view = parse(input.value) || parse(options.max) || new Date();
    view.setDate(1);
    var box = document.createElement("div");
    box.className = "layui-laydate layui-laydate1";
    box.id = "layui-laydate" + options.key;
    opened = box;

    function draw(picker) {
      var title = view.getFullYear() + "-" + (view.getMonth() + 1);
      box.innerHTML =
        '<div class="layui-laydate-main"><div class="layui-laydate-header">' +
        '<i class="laydate-icon laydate-prev-y" title="上一年">«</i><i class="laydate-icon laydate-prev-m" title="上个月">‹</i>' +
        '<div class="laydate-set-ym"><span lay-type="year" lay-ym="' + title + '">' + view.getFullYear() + "年</span>" +
        '<span lay-type="month" lay-ym="' + title + '">' + (view.getMonth() + 1) + "月</span></div>" +
        '<i class="laydate-icon laydate-next-m" title="下个月">›</i><i class="laydate-icon laydate-next-y" title="下一年">»</i></div>' +
        '<div class="layui-laydate-content">' + days(view, input.value, options) + (picker ? list(picker, view) : "") + "</div></div>" +
        '<div class="layui-laydate-footer"><span lay-type="confirm" class="laydate-btns-confirm">确定</span></div>';
    }

    function finish(value) {
      var date = parse(value);
      input.value = value;
      close();
      if (options.done) {
        options.done(value, date ? { year: date.getFullYear(), month: date.getMonth() + 1, date: date.getDate() } : {}, {});
      }
    }

    box.addEventListener("click", function (event) {
      var target = event.target;
      var steps = { "laydate-prev-y": -12, "laydate-prev-m": -1, "laydate-next-m": 1, "laydate-next-y": 12 };
      event.stopPropagation();
      if (target.tagName === "I") {
        view.setMonth(view.getMonth() + steps[target.classList[1]]);
        draw();
      } else if (target.tagName === "SPAN" && target.getAttribute("lay-type") === "confirm") {
        finish(input.value);
      } else if (target.tagName === "SPAN") {
        draw(target.getAttribute("lay-type"));
      } else if (target.tagName === "LI") {
        if (target.getAttribute("lay-type") === "year") { view.setFullYear(Number(target.getAttribute("lay-ym"))); } else { view.setMonth(Number(target.getAttribute("lay-ym")) - 1); }
        draw();
      } else if (target.tagName === "TD" && !target.classList.contains("laydate-disabled")) {
        finish(ymd(parse(target.getAttribute("lay-ymd"))));
      }
    });

    draw();
    var place = input.getBoundingClientRect();
    box.style.left = place.left + window.pageXOffset + "px";
    box.style.top = place.bottom + window.pageYOffset + 2 + "px";
    document.body.appendChild(box);
  }

  document.addEventListener("click", function (event) {
    if (opened && !event.target.closest(".js_date input")) { close(); }
  });

  // options: elem（选择器）、max（可选的最后一天）、done(value, date, endDate)
  return function (options) {
    var input = document.querySelector(options.elem);
    count += 1;
    options.key = count;
    input.addEventListener("click", function () { open(input, options); });
    return { elem: input, config: options };
  };
})(document);

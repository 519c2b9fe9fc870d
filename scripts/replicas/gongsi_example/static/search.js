// 검색 결과는 HTML 조각으로 받아 끼워 넣는다.
function goPage(page) {
  var form = document.getElementById("searchForm");
  var box = document.getElementById("listContents");
  form.currentPage.value = page;
  var body = new URLSearchParams(new FormData(form)).toString();
  box.setAttribute("aria-busy", "true");
  fetch(form.action, {
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: body
  }).then(function (answer) {
    return answer.text();
  }).then(function (html) {
    box.innerHTML = html;
    box.dataset.page = page;
    box.removeAttribute("aria-busy");
  });
}
goPage(1);

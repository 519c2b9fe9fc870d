// 목차를 누르면 본문 프레임의 주소를 바꾼다.
function viewDoc(rcpNo, eleId) {
  document.getElementById("ifrm").src = "/report/viewer.do?rcpNo=" + rcpNo + "&eleId=" + eleId;
}

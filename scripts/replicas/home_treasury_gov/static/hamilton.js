// A month is asked for under another parameter name than a year, so the form renames its field.
document.addEventListener("DOMContentLoaded", function () {
  var period = document.getElementById("edit-period");
  if (period) {
    period.form.addEventListener("submit", function () {
      period.name = /^\d{6}$/.test(period.value) ? "field_tdr_date_value_month" : "field_tdr_date_value";
    });
  }
  var button = document.querySelector(".usa-banner__button");
  button.addEventListener("click", function () {
    var box = document.getElementById(button.getAttribute("aria-controls"));
    box.hidden = !box.hidden;
    button.setAttribute("aria-expanded", String(!box.hidden));
  });
});

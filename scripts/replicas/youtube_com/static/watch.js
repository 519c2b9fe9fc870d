// The transcript is not in the page's source: the panel asks for the timed text when it is opened.
(function () {
  var player = window.ytInitialPlayerResponse;
  var expand = document.getElementById("expand");
  if (expand) {
    expand.addEventListener("click", function () {
      var closed = document.getElementById("description").classList.toggle("collapsed");
      expand.textContent = closed ? "...more" : "Show less";
      expand.setAttribute("aria-expanded", String(!closed));
    });
  }
  var show = document.getElementById("show-transcript");
  if (!show) {
    return;
  }
  var tracks = player.captions.playerCaptionsTracklistRenderer.captionTracks;
  var select = document.getElementById("track");
  tracks.forEach(function (track, index) {
    select.add(new Option(track.name.runs[0].text, String(index)));
  });
  function clock(seconds) {
    var whole = Math.floor(seconds);
    return Math.floor(whole / 60) + ":" + String(whole % 60).padStart(2, "0");
  }
  function decoded(text) {
    var area = document.createElement("textarea");
    area.innerHTML = text;
    return area.value;
  }
  function fill() {
    var list = document.getElementById("segments");
    list.textContent = "Loading…";
    return fetch(tracks[Number(select.value)].baseUrl).then(function (answer) {
      return answer.text();
    }).then(function (source) {
      var found = new DOMParser().parseFromString(source, "text/xml").querySelectorAll("text");
      list.textContent = "";
      found.forEach(function (line) {
        var row = document.createElement("div");
        row.className = "segment";
        row.dataset.start = line.getAttribute("start");
        var time = document.createElement("div");
        time.className = "segment-timestamp";
        time.textContent = clock(Number(row.dataset.start));
        var text = document.createElement("div");
        text.className = "segment-text";
        text.textContent = decoded(line.textContent).replace(/\n/g, " ");
        row.append(time, text);
        row.addEventListener("click", function () {
          document.querySelectorAll(".segment.active").forEach(function (other) {
            other.classList.remove("active");
          });
          row.classList.add("active");
          document.getElementById("position").textContent = time.textContent;
        });
        list.append(row);
      });
    });
  }
  show.addEventListener("click", function () {
    document.getElementById("transcript").hidden = false;
    fill();
  });
  select.addEventListener("change", fill);
})();

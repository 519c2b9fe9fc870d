"""The watch pages, searches, player answers and timed texts of the YouTube replica.

What a transcript reader asks for, in order: the watch page (for the API key), a POST to the
player service, and the ``baseUrl`` of a caption track.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus, urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from scripts.replicas.common import Exchange
from scripts.replicas.youtube_com.captions import generated_track, manual_track, timed_text

HERE = Path(__file__).parent
HOST = "https://www.youtube.com"
API_KEY = "replica-innertube-key_0001"
HTML = "text/html; charset=utf-8"
JSON = "application/json; charset=UTF-8"
# The client that youtube-transcript-api 1.2 gives itself out as; the body is matched by similarity.
CONTEXT = {"client": {"clientName": "ANDROID", "clientVersion": "20.10.38"}}
UNAVAILABLE = "This video is unavailable"
ASSETS = (
    ("/s/desktop/watch.css", "watch.css", "text/css"),
    ("/s/desktop/watch.js", "watch.js", "text/javascript"),
    ("/s/desktop/favicon.svg", "favicon.svg", "image/svg+xml"),
)


def _load(name: str) -> Any:
    return json.loads((HERE / "data" / name).read_text(encoding="utf-8"))


def _videos() -> list[dict[str, Any]]:
    videos: list[dict[str, Any]] = _load("videos.json")
    for video in videos:
        video["clock"] = f"{video['length_s'] // 60}:{video['length_s'] % 60:02d}"
    return videos


def _track_url(video_id: str, track: dict[str, str]) -> str:
    query = {"v": video_id, "caps": "asr"} if track["kind"] else {"v": video_id}
    query |= {"lang": track["lang"]}
    if track["kind"]:
        query["kind"] = track["kind"]
    return f"{HOST}/api/timedtext?{urlencode(query)}"


def _player(video: dict[str, Any], suffix: str) -> dict[str, Any]:
    """The player's answer; ``suffix`` goes behind every track's address (``&fmt=srv3`` or nothing)."""
    if video["status"] != "OK":
        return {"playabilityStatus": {"status": video["status"], "reason": UNAVAILABLE}}
    tracks = [
        {
            "baseUrl": _track_url(video["id"], track) + suffix,
            "name": {"runs": [{"text": track["name"]}]},
            "vssId": f"{'a' if track['kind'] else ''}.{track['lang']}",
            "languageCode": track["lang"],
            **({"kind": track["kind"]} if track["kind"] else {}),
            "isTranslatable": False,
        }
        for track in video["tracks"]
    ]
    answer: dict[str, Any] = {
        "playabilityStatus": {"status": "OK", "playableInEmbed": True},
        "videoDetails": {
            "videoId": video["id"],
            "title": video["title"],
            "lengthSeconds": str(video["length_s"]),
            "author": video["channel"],
            "shortDescription": video["description"],
        },
    }
    if tracks:
        answer["captions"] = {"playerCaptionsTracklistRenderer": {"captionTracks": tracks}}
    return answer


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _page(
    env: Environment, template: str, url: str, title: str, search_title: str, **values: Any
) -> Exchange:
    html = env.get_template(template).render(
        **({"page_title": title, "api_key": API_KEY, "query": ""} | values)
    )
    return Exchange(url, html.encode(), HTML, page_title=search_title)


def _watch(env: Environment, video: dict[str, Any], videos: Sequence[dict[str, Any]]) -> Iterator[Exchange]:
    listed = [other for other in videos if other["status"] == "OK" and other is not video]
    title = f"{video['title']} - YouTube" if video["status"] == "OK" else "YouTube"
    # "<" is written as an escape, so that no text can end the script.
    player = _compact(_player(video, "")).replace("<", "\\u003c")
    search_title = title if video["status"] == "OK" else ""
    url = f"{HOST}/watch?v={video['id']}"
    yield _page(env, "watch.html", url, title, search_title, v=video, others=listed, player=player)
    yield Exchange(
        f"{HOST}/youtubei/v1/player?key={API_KEY}",
        _compact(_player(video, "&fmt=srv3")).encode(),
        JSON,
        method="POST",
        request_body=json.dumps({"context": CONTEXT, "videoId": video["id"]}).encode(),
        request_content_type="application/json",
    )
    poster = env.get_template("poster.svg").render(v=video)
    yield Exchange(f"https://i.ytimg.com/vi/{video['id']}/poster.svg", poster.encode(), "image/svg+xml")


def _timed_texts(video: dict[str, Any]) -> Iterator[Exchange]:
    for track in video["tracks"]:
        lines = manual_track(video["captions"], track["lang"])
        if track["kind"] == "asr":
            lines = generated_track(lines)
        yield Exchange(_track_url(video["id"], track), timed_text(lines), "text/xml; charset=UTF-8")


def _lists(env: Environment, videos: Sequence[dict[str, Any]]) -> Iterator[Exchange]:
    playable = [video for video in videos if video["status"] == "OK"]
    yield _page(env, "list.html", f"{HOST}/", "YouTube", "YouTube", videos=playable)
    by_id = {video["id"]: video for video in videos}
    for query, ids in _load("queries.json").items():
        found = [by_id[video_id] for video_id in ids]
        # A form writes a space as "+", most programs as "%20".
        for text in (quote_plus(query), quote(query)):
            url = f"{HOST}/results?search_query={text}"
            yield _page(env, "list.html", url, f"{query} - YouTube", "", videos=found, query=query)


def exchanges() -> Iterator[Exchange]:
    """Every exchange of the replica, in a fixed order."""
    env = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    videos = _videos()
    for video in videos:
        yield from _watch(env, video, videos)
        yield from _timed_texts(video)
    yield from _lists(env, videos)
    for path, name, content_type in ASSETS:
        yield Exchange(HOST + path, (HERE / "static" / name).read_bytes(), content_type)

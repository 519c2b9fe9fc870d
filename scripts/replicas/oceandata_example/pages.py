"""The pages, data services, captions and pictures of www.oceandata.example."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from scripts.replicas.common import Exchange
from scripts.replicas.oceandata_example import series

HERE = Path(__file__).parent
ORIGIN = "https://www.oceandata.example"
HTML = "text/html; charset=utf-8"
JSON = "application/json"
DATASHEET = "/docs/datasheets/PL-CTD-19.pdf"
PAGES = (
    ("/", "home.html", "Pelagos Ocean Data Archive"),
    ("/cruises/PE-2024-07/casts/38", "profile.html", "Cruise PE-2024-07, CTD cast 38"),
    ("/moorings/explorer", "moorings.html", "Mooring time series explorer"),
    ("/indicators/ocean-heat-content", "indicator.html", "Ocean heat content"),
    ("/buoys/PB-4417/extremes", "buoy.html", "Wave buoy PB-4417: extremes"),
    ("/articles/pdr-12-0417", "article.html", "Volume transport through the Skerrin Channel, 2019-2023"),
    (
        "/articles/pdr-12-0417-c1",
        "correction.html",
        "Correction to: Volume transport through the Skerrin Channel",
    ),
    ("/lectures/overflow-waters", "lecture.html", "Lecture: Where cold water falls"),
    ("/instruments/PL-CTD-19", "instrument.html", "PL-CTD-19 profiler"),
)
ASSETS = (
    ("/assets/archive.css", "archive.css", "text/css"),
    ("/assets/profile.js", "profile.js", "text/javascript"),
    ("/assets/moorings.js", "moorings.js", "text/javascript"),
    ("/assets/indicator.js", "indicator.js", "text/javascript"),
    ("/assets/buoy.js", "buoy.js", "text/javascript"),
    ("/assets/wave.svg", "wave.svg", "image/svg+xml"),
    ("/assets/poster.svg", "poster.svg", "image/svg+xml"),
)


def exchanges() -> Iterator[Exchange]:
    """Every exchange but the data sheet, in a fixed order."""
    env = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    shared = {
        "stations": series.STATIONS,
        "variables": series.VARIABLES,
        "depths": series.DEPTHS,
        "statistics": series.STATISTICS,
        "years": series.YEARS,
        "datasheet": DATASHEET,
        "pages": PAGES,
    }
    for path, template, title in PAGES:
        html = env.get_template(template).render(title=title, **shared)
        yield Exchange(ORIGIN + path, html.encode(), HTML, page_title=f"{title} - Pelagos")
    yield from _services()
    lecture = json.loads((HERE / "data" / "lecture.json").read_text(encoding="utf-8"))
    for language in ("en", "de"):
        captions = web_vtt(lecture["first_s"], lecture[language])
        yield Exchange(f"{ORIGIN}/media/overflow-waters.{language}.vtt", captions, "text/vtt; charset=utf-8")
    for path, name, content_type in ASSETS:
        yield Exchange(ORIGIN + path, (HERE / "static" / name).read_bytes(), content_type)


def _services() -> Iterator[Exchange]:
    for cast in ("down", "up"):
        payload = {
            "cruise": "PE-2024-07",
            "cast": 38,
            "direction": cast,
            "columns": ["pressure_dbar", "depth_m", "temperature_degC", "salinity", "oxygen_umol_kg"],
            "rows": series.profile(cast),
        }
        yield _json(f"/api/v2/casts/PE-2024-07/38?direction={cast}", payload)
    for chosen in product(series.STATIONS, series.VARIABLES, series.DEPTHS, series.STATISTICS, series.YEARS):
        one = series.Series(*chosen)
        values = [
            {
                "month": f"{name} {one.year}",
                "value": one.value(month),
                "n": 4320 - abs(series.jitter(one.year, month, one.depth)) * 9,
            }
            for month, name in enumerate(series.MONTHS, 1)
        ]
        yield _json(f"/api/v2/timeseries?{one.query}", {"data": values})
    for name in ("heat", "buoy"):
        text = json.loads((HERE / "data" / f"{name}.json").read_text(encoding="utf-8"))
        yield _json({"heat": "/api/v2/indicators/ohc", "buoy": "/api/v2/buoys/PB-4417/extremes"}[name], text)


def _json(path: str, payload: Any) -> Exchange:
    return Exchange(ORIGIN + path, json.dumps(payload, ensure_ascii=False).encode(), JSON)


def web_vtt(first_s: int, lines: list[list[Any]]) -> bytes:
    """A WebVTT file of (seconds, text) pairs, one cue after the other."""
    blocks = ["WEBVTT\n"]
    start = first_s
    for number, (seconds, text) in enumerate(lines, 1):
        end = start + int(seconds)
        blocks.append(f"{number}\n{_clock(start)} --> {_clock(end)}\n{text}\n")
        start = end
    return "\n".join(blocks).encode()


def _clock(seconds: int) -> str:
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.000"

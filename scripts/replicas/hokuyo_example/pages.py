"""The pages and data services of www.hokuyo.example."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from scripts.replicas.common import Exchange
from scripts.replicas.hokuyo_example.notice import PATH as NOTICE

HERE = Path(__file__).parent
ORIGIN = "https://www.hokuyo.example"
HTML = "text/html; charset=utf-8"
PAGES = (
    ("/", "home.html", "北曜精密工業株式会社"),
    ("/ir/", "ir.html", "株主・投資家情報"),
    ("/ir/library/tanshin_2026_3q.html", "tanshin.html", "2026年3月期 第3四半期決算短信〔日本基準〕（連結）"),
    ("/ir/finance/segment.html", "segment.html", "セグメント情報"),
    ("/ir/library/", "library.html", "IRライブラリー"),
)
ASSETS = (
    ("/common/css/site.css", "site.css", "text/css"),
    ("/common/js/segment.js", "segment.js", "application/javascript; charset=utf-8"),
    ("/common/img/logo.svg", "logo.svg", "image/svg+xml"),
)


def exchanges() -> Iterator[Exchange]:
    """Every exchange but the PDF, in a fixed order."""
    env = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    tables = _data("results.json")
    segments = _data("segments.json")
    for path, template, title in PAGES:
        html = env.get_template(template).render(
            title=title, t=tables, years=list(segments["years"]), notice=NOTICE
        )
        yield Exchange(ORIGIN + path, html.encode(), HTML, page_title=f"{title}｜北曜精密工業")
    for year, rows in segments["years"].items():
        payload = {"period": year, "unit": "百万円", "rows": rows}
        body = json.dumps(payload, ensure_ascii=False).encode()
        yield Exchange(f"{ORIGIN}/ir/api/segment.json?fy={year[:4]}", body, "application/json; charset=utf-8")
    for path, name, content_type in ASSETS:
        yield Exchange(ORIGIN + path, (HERE / "static" / name).read_bytes(), content_type)


def _data(name: str) -> Any:
    return json.loads((HERE / "data" / name).read_text(encoding="utf-8"))

"""A synthetic replica of csrc.gov.cn: the introduction page, the home page and the list of local offices."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from scripts.replicas.common import Exchange, Site

ORIGIN = "https://www.csrc.gov.cn"
HERE = Path(__file__).parent
PAGES = (
    ("/csrc/c100002/common_zcnr.shtml", "introduction.html", "证监会介绍"),
    ("/csrc/c100005/common_zcnr.shtml", "offices.html", "派出机构"),
    ("/", "home.html", "中国证券监督管理委员会"),
)
STATIC_FILES = (
    ("csrc.css", "text/css"),
    ("csrc.js", "application/javascript"),
    ("logo.svg", "image/svg+xml"),
    ("wechat.png", "image/png"),
)


def offices() -> tuple[str, ...]:
    """Name the local offices: 31 provincial, 5 of cities with separate planning, 2 at the exchanges."""
    with (HERE / "data" / "offices.csv").open(encoding="utf-8", newline="") as file:
        return tuple(row["office"] for row in csv.DictReader(file))


def exchanges() -> Iterator[Exchange]:
    """Yield every page, style, script and image of the replica, in a fixed order."""
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    for url, template, title in PAGES:
        html = environment.get_template(template).render(offices=offices())
        yield Exchange(ORIGIN + url, html.encode(), "text/html;charset=UTF-8", page_title=title)
    for name, kind in STATIC_FILES:
        yield Exchange(f"{ORIGIN}/csrc/xhtml/{name}", (HERE / "static" / name).read_bytes(), kind)


SITE = Site(
    name="csrc.gov.cn",
    title="中国证监会（仿制）",
    description=(
        "Synthetic, hand-written replica of the introduction page of www.csrc.gov.cn for offline tests. "
        "Text and most figures are made up; not published by the commission."
    ),
    exchanges=exchanges,
)

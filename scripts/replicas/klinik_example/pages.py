"""The pages and fragments of www.klinik.example."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from scripts.replicas.common import Exchange

HERE = Path(__file__).parent
ORIGIN = "https://www.klinik.example"
HTML = "text/html; charset=utf-8"
PAGES = (
    ("/", "home.html", "Klinikverbund Ilmenaubogen"),
    ("/qualitaet/", "overview.html", "Qualitätsberichte"),
    ("/qualitaet/indikatoren-2024.html", "indicators.html", "Ergebnisse der Qualitätsindikatoren 2024"),
    ("/qualitaet/personal-2024.html", "staff.html", "Personalausstattung 2024"),
    ("/qualitaet/fallzahlen/", "cases.html", "Fallzahlen der Fachabteilungen"),
)
ASSETS = (
    ("/static/klinik.css", "klinik.css", "text/css"),
    ("/static/fallzahlen.js", "fallzahlen.js", "application/javascript; charset=utf-8"),
    ("/static/logo.svg", "logo.svg", "image/svg+xml"),
)


def exchanges() -> Iterator[Exchange]:
    """Every exchange, in a fixed order."""
    env = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    env.filters["zahl"] = lambda number: f"{number:,}".replace(",", ".")
    cases = _data("cases.json")
    for path, template, title in PAGES:
        html = env.get_template(template).render(
            title=title, indicators=_data("indicators.json"), staff=_data("staff.json"), cases=cases
        )
        yield Exchange(ORIGIN + path, html.encode(), HTML, page_title=f"{title} - Klinikverbund Ilmenaubogen")
    for site, name in cases["sites"].items():
        for year in cases["years"]:
            groups = cases["cases"][f"{site}-{year}"]
            html = env.get_template("fragment.html").render(
                site=name, year=year, groups=groups, departments=cases["departments"]
            )
            yield Exchange(
                f"{ORIGIN}/qualitaet/fallzahlen/daten?standort={site}&jahr={year}", html.encode(), HTML
            )
    for path, name, content_type in ASSETS:
        yield Exchange(ORIGIN + path, (HERE / "static" / name).read_bytes(), content_type)


def _data(name: str) -> Any:
    return json.loads((HERE / "data" / name).read_text(encoding="utf-8"))

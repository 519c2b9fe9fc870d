"""The pages of the Federal Reserve replica, from ``releases.json`` and ``calendar.json``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from scripts.replicas.common import Exchange
from scripts.replicas.federalreserve_gov.document import Part, release_pdf

HERE = Path(__file__).parent
HOST = "https://www.federalreserve.gov"
HTML = "text/html; charset=utf-8"
MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
STATEMENT_TITLE = "Federal Reserve issues FOMC statement"
NOTE_TITLE = "Decisions Regarding Monetary Policy Implementation"
ASSETS = (
    ("/resources/css/site.css", "site.css", "text/css"),
    ("/resources/js/site.js", "site.js", "text/javascript"),
    ("/images/seal.svg", "seal.svg", "image/svg+xml"),
)
NEWS = "/newsevents/pressreleases.htm"
CALENDAR = "/monetarypolicy/fomccalendars.htm"
MENU = (
    ("About the Fed", "#", (("Structure of the Federal Reserve System", "#"), ("The Fed Explained", "#"))),
    ("News & Events", NEWS, (("Press Releases", NEWS), ("Speeches", "#"), ("Testimony", "#"))),
    ("Monetary Policy", CALENDAR, (("Meeting calendars and information", CALENDAR), ("Policy Tools", "#"))),
    ("Supervision & Regulation", "#", (("Institution Supervision", "#"), ("Reporting Forms", "#"))),
    ("Payment Systems", "#", (("Regulations & Statutes", "#"), ("FedNow Service", "#"))),
    ("Economic Research", "#", (("FEDS Notes", "#"), ("Economists", "#"))),
    ("Data", "#", (("Data Download Program", "#"), ("Interest Rates (H.15)", "#"))),
)


def us_date(day: str) -> str:
    """``2024-01-31`` as the site writes it: ``January 31, 2024``."""
    value = date.fromisoformat(day)
    return f"{MONTHS[value.month - 1]} {value.day}, {value.year}"


def padded_date(day: str) -> str:
    """The same as the "Last Update" line writes it, with two digits: ``February 02, 2024``."""
    value = date.fromisoformat(day)
    return f"{MONTHS[value.month - 1]} {value.day:02d}, {value.year}"


def _environment() -> Environment:
    env = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    env.filters["us"] = us_date
    return env


def _load(name: str) -> Any:
    return json.loads((HERE / name).read_text(encoding="utf-8"))


def _releases() -> list[dict[str, Any]]:
    """Releases, oldest first, with the spellings of the day that addresses and lists use."""
    releases: list[dict[str, Any]] = _load("releases.json")
    for release in releases:
        day = date.fromisoformat(release["day"])
        release["compact"] = f"{day:%Y%m%d}"
        release["slash"] = f"{day.month}/{day.day}/{day.year}"
    return releases


def _page(
    env: Environment, template: str, path: str, page_title: str, last_update: str, **values: Any
) -> Exchange:
    section = "Monetary Policy" if path == CALENDAR else "News & Events" if "news" in path else ""
    crumbs = {"Monetary Policy": [("Monetary Policy", CALENDAR)]}.get(
        section, [("News & Events", NEWS), ("Press Releases", NEWS)] if section else []
    )
    html = env.get_template(template).render(
        page_title=page_title,
        last_update=padded_date(last_update),
        menu=MENU,
        section=section,
        crumbs=crumbs,
        **values,
    )
    return Exchange(HOST + path, html.encode(), HTML, page_title=page_title)


def _release(env: Environment, release: dict[str, Any]) -> Iterator[Exchange]:
    """The statement, the note, and the PDF that holds both."""
    parts: list[Part] = []
    for suffix, title, template in (
        ("a", STATEMENT_TITLE, "statement_body.html"),
        ("a1", NOTE_TITLE, "note_body.html"),
    ):
        body = env.get_template(template).render(r=release)
        path = f"/newsevents/pressreleases/monetary{release['compact']}{suffix}.htm"
        page_title = f"Federal Reserve Board - {title}"
        yield _page(
            env,
            "_article.html",
            path,
            page_title,
            release["last_update"],
            r=release,
            title=title,
            body=Markup(body),
        )
        parts.append(Part(title, body))
    released = f"For release at 2:00 p.m. {release['zone']}"
    day = us_date(release["day"])
    pdf = release_pdf(day, released, parts)
    path = f"/monetarypolicy/files/monetary{release['compact']}a1.pdf"
    yield Exchange(
        HOST + path, pdf, "application/pdf", page_title=f"FOMC statement and implementation note, {day} (PDF)"
    )


def exchanges() -> Iterator[Exchange]:
    """Every exchange of the replica, in a fixed order."""
    env = _environment()
    releases = _releases()
    newest_first = releases[::-1]
    for release in releases:
        yield from _release(env, release)
    years = _load("calendar.json")
    for meeting in (m for year in years for m in year["meetings"]):
        meeting["compact"] = meeting["day"].replace("-", "")
    yield _page(
        env,
        "calendar.html",
        CALENDAR,
        "The Fed - Meeting calendars and information",
        "2026-02-20",
        years=years,
    )
    listing = {"releases": newest_first, "intro": "", "home": False}
    yield _page(
        env,
        "list.html",
        NEWS,
        "Federal Reserve Board - Press Releases",
        "2026-02-27",
        heading="Press Releases",
        **listing,
    )
    home = listing | {"home": True, "intro": "Recent decisions of the Federal Open Market Committee."}
    yield _page(
        env, "list.html", "/", "Federal Reserve Board - Home", "2026-02-27", heading="News & Events", **home
    )
    for path, name, content_type in ASSETS:
        yield Exchange(HOST + path, (HERE / "static" / name).read_bytes(), content_type)

"""The pages and data files of the Treasury replica, from the ``rates_*.csv`` beside this module."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from scripts.replicas.common import Exchange

HERE = Path(__file__).parent
HOST = "https://home.treasury.gov"
RATES = "/resource-center/data-chart-center/interest-rates"
TEXT_VIEW = f"{RATES}/TextView"
LANDING = "/policy-issues/financing-the-government/interest-rate-statistics"
TYPE = "daily_treasury_yield_curve"
TITLE = "Daily Treasury Par Yield Curve Rates"
TRUE_FIGURES = "Replica. Figures as published by Treasury."
MADE_UP = "Replica. The figures of this year are made up and only a few days are listed."
TYPES = (
    (TYPE, TITLE),
    ("daily_treasury_bill_rates", "Daily Treasury Bill Rates"),
    ("daily_treasury_long_term_rate", "Daily Treasury Long-Term Rates"),
    ("daily_treasury_real_yield_curve", "Daily Treasury Par Real Yield Curve Rates"),
    ("daily_treasury_real_long_term", "Daily Treasury Real Long-Term Rates"),
)
PERIODS = (
    ("all", "All"),
    ("2026", "2026"),
    ("2025", "2025"),
    ("202602", "Feb 2026"),
    ("202601", "Jan 2026"),
)
FOOTER = (
    ("Bureaus", ("Bureau of the Fiscal Service", "Internal Revenue Service", "U.S. Mint")),
    (
        "Data",
        ("Treasury Coupon-Issues", "Treasury International Capital (TIC) System", "Daily Treasury Statement"),
    ),
    ("Additional Resources", ("Privacy Policy", "Accessibility", "Budget and Performance", "FOIA")),
)
ASSETS = (
    ("/themes/custom/hamilton/hamilton.css", "hamilton.css", "text/css"),
    ("/themes/custom/hamilton/hamilton.js", "hamilton.js", "text/javascript"),
    ("/themes/custom/hamilton/seal.svg", "seal.svg", "image/svg+xml"),
)


@dataclass(frozen=True)
class Column:
    """A column of the HTML table; ``css`` hides those of the other series, which share the table."""

    label: str
    slug: str
    css: str = ""


@dataclass(frozen=True)
class Cell:
    """A cell of the HTML table."""

    column: Column
    text: str


@dataclass(frozen=True)
class Day:
    """A day's row: the cells of the CSV in its order (percent, ``N/A`` for none), the date first."""

    values: tuple[str, ...]

    @property
    def iso(self) -> str:
        """The day as ``YYYY-MM-DD``."""
        month, day, year = self.values[0].split("/")
        return f"{year}-{month}-{day}"

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The row of the HTML table, with ``N/A`` in the columns of the other series."""
        hidden = ["N/A"] * len(OTHER_SERIES)
        return tuple(map(Cell, COLUMNS, [self.values[0], *hidden, *self.values[1:]]))

    @property
    def fields(self) -> tuple[tuple[str, str], ...]:
        """Elements of the XML feed; a rate that is not there has none, and 30 years stand twice."""
        pairs = [(name, v) for name, v in zip(XML_FIELDS, self.values[1:], strict=True) if v != "N/A"]
        return (*pairs, ("BC_30YEARDISPLAY", self.values[-1]))


@dataclass(frozen=True)
class Period:
    """A page of the table: the period as the address writes it, ``YYYY`` or ``YYYYMM``."""

    name: str
    days: tuple[Day, ...]
    figures: str

    @property
    def parameter(self) -> str:
        """The query parameter that names the period."""
        return "field_tdr_date_value_month" if len(self.name) == 6 else "field_tdr_date_value"

    @property
    def text_view(self) -> str:
        """Path and query of the HTML page."""
        return f"{TEXT_VIEW}?type={TYPE}&{self.parameter}={self.name}"

    @property
    def csv(self) -> str:
        """Path and query of the CSV; a year's has a bare ``page``, a month's an empty one."""
        if len(self.name) == 6:
            query = f"type={TYPE}&field_tdr_date_value_month={self.name}&page=&_format=csv"
            return f"{RATES}/daily-treasury-rates.csv/all/{self.name}?{query}"
        query = f"type={TYPE}&field_tdr_date_value={self.name}&page&_format=csv"
        return f"{RATES}/daily-treasury-rates.csv/{self.name}/all?{query}"

    def xml(self, view: str) -> str:
        """Path and query of the feed; ``view`` is ``xml`` or ``xmlview``."""
        return f"{RATES}/pages/{view}?data={TYPE}&{self.parameter}={self.name}"


def _slug(label: str) -> str:
    number, unit = label.split(" ")
    return f"field-bc-{number.replace('.', '-')}{'month' if unit.startswith('Mo') else 'year'}"


LABELS = [
    "1 Mo",
    "1.5 Month",
    "2 Mo",
    "3 Mo",
    "4 Mo",
    "6 Mo",
    "1 Yr",
    "2 Yr",
    "3 Yr",
    "5 Yr",
    "7 Yr",
    "10 Yr",
    "20 Yr",
    "30 Yr",
]
XML_FIELDS = tuple(_slug(label)[6:].upper().replace("-", "_") for label in LABELS)
OTHER_SERIES = (
    Column("20 YR", "field-lt-20year", "tdr-other-series"),
    Column("30 YR", "field-lt-30year", "tdr-other-series"),
    Column("Extrapolation Factor", "field-extrapolation-factor", "tdr-other-series"),
    *(
        Column(
            f"{weeks} WEEKS {kind}", f"field-b{weeks}-{kind.lower().replace(' ', '-')}", "tdr-other-series"
        )
        for weeks in (8, 17, 52)
        for kind in ("BANK DISCOUNT", "COUPON EQUIVALENT")
    ),
)
COLUMNS = (
    Column("Date", "field-tdr-date"),
    *OTHER_SERIES,
    *(Column(label, _slug(label)) for label in LABELS),
)
SIDE_MENU = (
    *((label, f"{TEXT_VIEW}?type={value}&field_tdr_date_value=2026") for value, label in TYPES),
    ("Interest Rate Statistics", LANDING),
)


def _days(name: str) -> tuple[Day, ...]:
    with (HERE / name).open(encoding="utf-8", newline="") as source:
        header, *rows = csv.reader(source)
    if header != ["Date", *LABELS]:
        raise ValueError(f"{name}: the columns must be Date, {', '.join(LABELS)}")
    return tuple(Day(tuple(row)) for row in rows)


def _periods() -> tuple[Period, ...]:
    days = _days("rates_2026.csv")
    return (
        Period("2026", days, TRUE_FIGURES),
        Period("202601", tuple(d for d in days if d.values[0].startswith("01/")), TRUE_FIGURES),
        Period("202602", tuple(d for d in days if d.values[0].startswith("02/")), TRUE_FIGURES),
        Period("2025", _days("rates_2025_synthetic.csv"), MADE_UP),
    )


def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )


def _html(env: Environment, template: str, path: str, title: str, **values: Any) -> Exchange:
    crumbs: Sequence[tuple[str, str]] = [("Data", LANDING), ("Interest Rate Statistics", LANDING)]
    html = env.get_template(template).render(
        page_title=title,
        crumbs=crumbs if path != "/" else [],
        side_menu=SIDE_MENU,
        footer=FOOTER,
        **({"figures": TRUE_FIGURES} | values),
    )
    search_title = f"{title} {values['period']}" if "period" in values else title
    return Exchange(HOST + path, html.encode(), "text/html; charset=utf-8", page_title=search_title)


def _period_exchanges(env: Environment, period: Period) -> Iterator[Exchange]:
    yield _html(
        env,
        "rates.html",
        period.text_view,
        TITLE,
        figures=period.figures,
        period=period.name,
        rows=period.days,
        columns=COLUMNS,
        types=TYPES,
        periods=PERIODS,
        text_view=TEXT_VIEW,
        csv_url=period.csv,
        xml_url=period.xml("xml"),
        xmlview_url=period.xml("xmlview"),
    )
    # The CSV lists the newest day first, the web table the oldest.
    lines = [["Date", *(f'"{label}"' for label in LABELS)]]
    lines += [[*d.values] for d in reversed(period.days)]
    text = "\n".join(",".join("" if v == "N/A" else v for v in line) for line in lines)
    yield Exchange(HOST + period.csv, text.encode(), "text/csv; charset=utf-8")
    for view in ("xml", "xmlview"):
        address = HOST + period.xml(view)
        feed = env.get_template("feed.xml").render(rows=period.days, feed_id=address)
        yield Exchange(address, feed.encode(), "text/xml; charset=utf-8")


def exchanges() -> Iterator[Exchange]:
    """Every exchange of the replica, in a fixed order."""
    env = _environment()
    periods = _periods()
    for period in periods:
        yield from _period_exchanges(env, period)
    links = [(f"{TITLE}, {period.name}", period.text_view) for period in periods]
    yield _html(env, "landing.html", LANDING, "Interest Rate Statistics", links=links)
    yield _html(env, "landing.html", "/", "U.S. Department of the Treasury", links=links)
    for path, name, content_type in ASSETS:
        yield Exchange(HOST + path, (HERE / "static" / name).read_bytes(), content_type)

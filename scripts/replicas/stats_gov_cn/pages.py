"""Turn ``data/`` and ``templates/`` into the exchanges of the stats.gov.cn replica."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TypeAlias

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from scripts.replicas.common import Exchange
from scripts.replicas.stats_gov_cn.charts import line_chart
from scripts.replicas.stats_gov_cn.sheets import (
    DATA,
    against_line,
    city_label,
    month_label,
    point_move,
    price_move,
    sheet,
)

ORIGIN = "https://www.stats.gov.cn"
STATIC = Path(__file__).parent / "static"
SECTIONS = {"sj/zxfb": "最新发布", "xxgk/jd/sjjd2020": "数据解读"}
PER_PAGE = 5
# Chromium and every browser read the label gb2312 as gb18030 (WHATWG Encoding Standard, 4.2 and 10.1).
CODECS = {"utf-8": "utf-8", "gb2312": "gb18030"}
STATIC_FILES = (
    ("css/site.css", "text/css"),
    ("js/site.js", "application/javascript"),
    ("images/logo.svg", "image/svg+xml"),
    ("images/qr.png", "image/png"),
)

Values: TypeAlias = Mapping[str, object]


@dataclass(frozen=True)
class Release:
    """One article: its address, its frame data, and the edition (a month, a ten-day period, a year)."""

    url: str
    template: str
    title: str
    published: str
    source: str
    section: str
    edition: str
    keywords: str
    charset: str = "utf-8"

    @property
    def docid(self) -> str:
        """The number in the file name, as the content management system gives it."""
        return self.url.rsplit("_", 1)[1].removesuffix(".html")


@dataclass(frozen=True)
class Product:
    """A row of the production-materials table, as printed."""

    name: str
    unit: str
    price: str
    change: str
    percent: str


def releases() -> tuple[Release, ...]:
    """Read ``data/pages.json``, newest first."""
    records = json.loads((DATA / "pages.json").read_text(encoding="utf-8"))
    return tuple(Release(**record) for record in records)


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals.update(
        price_move=price_move,
        point_move=point_move,
        against_line=against_line,
        month_label=month_label,
        city_label=city_label,
    )
    return environment


def _render(
    environment: Environment, template: str, url: str, title: str, values: Values, *, charset: str = "utf-8"
) -> Exchange:
    folder = url if url.endswith("/") else posixpath.dirname(url) + "/"

    def link(target: str) -> str:
        relative = posixpath.relpath(target, folder)
        return relative + "/" if target.endswith("/") else relative

    html = environment.get_template(template).render(link=link, charset=charset, **values)
    # No charset in the header: as on the real site, only the meta element declares it.
    return Exchange(ORIGIN + url, html.encode(CODECS[charset]), "text/html", page_title=title)


def _chart_name(release: Release) -> str:
    return f"W0{release.docid}0931{release.edition.replace('-', '')}.svg"


def _pmi(release: Release) -> Values:
    mfg, non = sheet("pmi_manufacturing"), sheet("pmi_nonmanufacturing")
    before = mfg.keys[mfg.keys.index(release.edition) - 1]
    year, month = release.edition.split("-")
    return {
        "mfg": mfg,
        "mfg_other": sheet("pmi_manufacturing_other"),
        "non": non,
        "non_other": sheet("pmi_nonmanufacturing_other"),
        "sectors": sheet("pmi_sectors"),
        "year": year,
        "mon": int(month),
        "previous": mfg.text(before, "pmi"),
        "previous_activity": non.text(before, "activity"),
        "chart_name": _chart_name(release),
        "components": (
            ("production", "生产"),
            ("new_orders", "新订单"),
            ("raw_stock", "原材料库存"),
            ("employment", "从业人员"),
            ("delivery", "供应商配送时间"),
        ),
        "non_components": (
            ("new_orders", "新订单"),
            ("input_prices", "投入品价格"),
            ("selling_prices", "销售价格"),
            ("employment", "从业人员"),
            ("expectation", "业务活动预期"),
        ),
        "last_values": [mfg.text(before, "pmi"), non.text(before, "activity")],
    }


def _materials(release: Release) -> Values:
    table = sheet("materials")
    first = table.columns.index(f"{release.edition}_price")
    categories = tuple(
        (name, tuple(Product(row[1], row[2], *row[first : first + 3]) for row in rows))
        for name, rows in groupby(table.rows, key=lambda row: row[0])
    )
    products = tuple(product for _, members in categories for product in members)
    named = {product.name.split("（")[0]: product for product in products}
    text = json.loads((DATA / "releases.json").read_text(encoding="utf-8"))["materials"][release.edition]
    return {
        "categories": categories,
        "period": text["period"],
        "other_period": text["other"],
        "other_percent": text["hidden_percent"],
        "up": sum(not product.change.startswith(("-", "0.0")) for product in products),
        "down": sum(product.change.startswith("-") for product in products),
        "flat": sum(product.change == "0.0" for product in products),
        "rebar": named["螺纹钢"],
        "wire": named["线材"],
        "hog": named["生猪"],
        "last_values": [text["hidden_percent"]],
    }


def _housing(_: Release) -> Values:
    cities = sheet("housing")
    moves = [value - 100 for value in cities.column("new_mom")]
    return {
        "cities": cities,
        "classes": sheet("housing_classes"),
        "pairs": tuple(zip(cities.keys[:35], cities.keys[35:], strict=True)),
        "counts": {
            "up": sum(m > 0 for m in moves),
            "down": sum(m < 0 for m in moves),
            "flat": sum(m == 0 for m in moves),
        },
        "last_values": ["91.1", "91.3"],
    }


def _cpi(_: Release) -> Values:
    return {"rows": sheet("cpi").rows, "last_values": ["0.8", "-0.3"]}


def _ppi(_: Release) -> Values:
    return {"rows": sheet("ppi").rows, "last_values": ["-1.9", "-3.5"]}


def _population(release: Release) -> Values:
    people, column = sheet("population"), f"y{release.edition}"
    total = people.number("total", column)
    text = json.loads((DATA / "releases.json").read_text(encoding="utf-8"))["population"][release.edition]
    shown = ("total", "urban", "rural", "male", "female", "young", "working", "old", "old65")
    return {
        "people": people,
        "column": column,
        "decrease": people.number("deaths", column) - people.number("births", column),
        "before_year": int(release.edition) - 1,
        "table": tuple(
            (
                people.text(key, "label"),
                people.text(key, column),
                f"{people.number(key, column) / total * 100:.2f}",
            )
            for key in shown
        ),
        "last_values": [text["before"]],
        **text,
    }


BUILDERS = {
    "pmi.html": _pmi,
    "materials.html": _materials,
    "housing.html": _housing,
    "cpi.html": _cpi,
    "ppi.html": _ppi,
    "population.html": _population,
}


def _articles(environment: Environment, pages: Sequence[Release]) -> Iterator[Exchange]:
    for page in pages:
        values = {
            "page": page,
            "section_name": SECTIONS[page.section],
            "related": [other for other in pages if other.section == page.section and other != page][:4],
            **BUILDERS[page.template](page),
        }
        yield _render(environment, page.template, page.url, page.title, values, charset=page.charset)
        if page.template == "pmi.html":
            mfg = sheet("pmi_manufacturing")
            rows = mfg.until(page.edition, 13)
            labels = [month_label(row[0], index == 0) for index, row in enumerate(rows)]
            chart = line_chart(
                "制造业PMI指数（经季节调整，%）", labels, [mfg.number(row[0], "pmi") for row in rows]
            )
            folder = posixpath.dirname(page.url)
            yield Exchange(f"{ORIGIN}{folder}/{_chart_name(page)}", chart, "image/svg+xml")


def _lists(environment: Environment, pages: Sequence[Release]) -> Iterator[Exchange]:
    sections = []
    for section, name in SECTIONS.items():
        base = f"/{section}/"
        entries = [page for page in pages if page.section == section]
        sections.append((name, base, entries[:6]))
        count = -(-len(entries) // PER_PAGE)
        for number in range(1, count + 1):
            url = base if number == 1 else f"{base}index_{number - 1}.html"
            values = {
                "name": name,
                "base": base,
                "entries": entries[(number - 1) * PER_PAGE : number * PER_PAGE],
                "total": len(entries),
                "numbers": range(1, count + 1),
                "current": number,
            }
            yield _render(environment, "list.html", url, f"{name} - 国家统计局", values)
    yield _render(environment, "home.html", "/", "国家统计局", {"sections": sections})


def exchanges() -> Iterator[Exchange]:
    """Yield every page, list, style, script and image of the replica, in a fixed order."""
    environment, pages = _environment(), releases()
    yield from _articles(environment, pages)
    yield from _lists(environment, pages)
    for path, kind in STATIC_FILES:
        url = f"{ORIGIN}/images/2023/{posixpath.basename(path)}"
        yield Exchange(url, (STATIC / path).read_bytes(), kind)

"""The HTML pages of the centre, its style sheet and scripts; the press release is in Shift_JIS."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from scripts.replicas.common import Exchange
from scripts.replicas.kenkou_example import annual, figures, surveillance
from scripts.replicas.kenkou_example.figures import HOST, RECORDED_AT, TOWNS, spread, vital_rows

HERE = Path(__file__).parent
FINAL, EARLY = "確定数", "概数"
_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".vtt": "text/vtt"}
#: Address, year, its era name, day of publication, whether the figures are final.
VITAL_TABLES = (
    ("/jinko/r5/kakutei/hyo3.html", 2023, "令和5年", "令和6年9月20日", True),
    ("/jinko/r5/gaisu/hyo3.html", 2023, "令和5年", "令和6年6月7日", False),
    ("/jinko/r4/kakutei/hyo3.html", 2022, "令和4年", "令和5年9月22日", True),
)
NEWS = (
    ("令和7年3月7日", "感染症発生動向調査（令和7年第9週）", "/kansen/teiten.html"),
    ("令和7年2月14日", "所長定例会見（動画）", "/kaiken/r070214.html"),
    ("令和6年12月25日", "健康統計年報（令和5年度版）を掲載しました", "/nenpo/"),
    ("令和6年9月20日", "令和5年人口動態統計（確定数）の概況", "/jinko/r5/kakutei/"),
    ("令和6年6月7日", "令和5年人口動態統計（概数） 第3表", "/jinko/r5/gaisu/hyo3.html"),
    ("令和6年4月26日", "医療施設調査（令和5年10月1日現在）", "/iryo/shisetsu.html"),
    ("令和5年9月22日", "令和4年人口動態統計（確定数） 第3表", "/jinko/r4/kakutei/hyo3.html"),
)


class _Pages:
    def __init__(self) -> None:
        self._environment = Environment(
            loader=FileSystemLoader(HERE / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
        )

    def page(
        self, path: str, template: str, title: str, *crumbs: str, charset: str = "utf-8", **values: Any
    ) -> Exchange:
        html = self._environment.get_template(template).render(
            title=title, crumbs=crumbs, charset=charset, **values
        )
        # Old servers name no charset: the page's own meta element is all a reader has.
        named = "text/html; charset=utf-8" if charset == "utf-8" else "text/html"
        return Exchange(
            HOST + path,
            html.encode("cp932" if charset == "Shift_JIS" else charset),
            named,
            page_title=f"{title}｜瑞穂県健康統計センター",
            recorded_at=RECORDED_AT,
        )


def _vital(pages: _Pages) -> Iterator[Exchange]:
    for path, year, era, published, final in VITAL_TABLES:
        kind = FINAL if final else EARLY
        links = [
            f'<a href="{other}">{name}（{FINAL if is_final else EARLY}）</a>'
            for other, _, name, _, is_final in VITAL_TABLES
            if other != path
        ]
        title = f"{era} 人口動態統計（{kind}） 第3表"
        yield pages.page(
            path, "vital.html", title, "人口動態", era,
            kind=kind, published=published, era=era, others="　".join(links),
            rows=vital_rows(year, final=final),
        )  # fmt: skip


def _release(pages: _Pages) -> Exchange:
    total, early = vital_rows(2023, final=True)[0], vital_rows(2023, final=False)[0]
    before = vital_rows(2022, final=True)[0]
    values = {
        "births": total.births,
        "births_early": early.births,
        "births_more": total.births - early.births,
        "births_before": before.births,
        "births_fall": before.births - total.births,
        "deaths": total.deaths,
        "deaths_early": early.deaths,
        "deaths_more": total.deaths - early.deaths,
        "deaths_before": before.deaths,
        "deaths_rise": total.deaths - before.deaths,
        "change": total.deaths - total.births,
    }
    return pages.page(
        "/jinko/r5/kakutei/", "release.html", "令和5年人口動態統計（確定数）の概況", "人口動態", "令和5年",
        charset="Shift_JIS", streak=21, **{name: f"{value:,}" for name, value in values.items()},
    )  # fmt: skip


def _causes(pages: _Pages) -> Exchange:
    rows = [(when, figures.cause_rates(year)) for year, when in figures.era_years()]
    population = sum(base for _, base, _, _ in TOWNS)

    def table(name: str, caption: str, unit: str, cells: list[list[str]]) -> dict[str, Any]:
        labelled = zip((when for when, _ in rows), cells, strict=True)
        eras = [
            (era, [(when.label, line) for when, line in group])
            for era, group in groupby(labelled, key=lambda pair: pair[0].era)
        ]
        return {"id": name, "caption": caption, "unit": unit, "eras": eras}

    deaths = [[f"{round(rate * population / 100_000):,}" for rate in rates] for _, rates in rows]
    shares = [[f"{rate:.1f}" for rate in rates] for _, rates in rows]
    return pages.page(
        "/shiin/nenji.html", "causes.html", "主な死因別死亡数・死亡率の年次推移", "死因",
        causes=[name for name, _, _ in figures.CAUSES],
        tables=[
            table("shibosu", "第1表　死因別死亡数、年次別", "単位：人", deaths),
            table("shiboritsu", "第2表　死因別死亡率（人口10万対）、年次別", "人口10万対", shares),
        ],
    )  # fmt: skip


def _clinics(pages: _Pages) -> Exchange:
    marks = {"立花市": "※1", "桐原市": "※2", "川上町": "※3", "御影村": "※4"}
    rows = []
    for name, population, _, _ in TOWNS:
        hospitals = max(0, round(population / 13_000 * spread(f"h{name}", 0.8, 1.2)))
        clinics = max(1, round(population / 1_270 * spread(f"c{name}", 0.88, 1.12)))
        clinics = 2 if name == "御影村" else clinics
        dentists = 4 if name == "川上町" else max(1, round(population / 1_900 * spread(f"s{name}", 0.9, 1.1)))
        beds = f"{hospitals * round(spread(f'k{name}', 110, 240)):,}" if hospitals else "-"
        rows.append(
            (
                name,
                marks.get(name, ""),
                (
                    f"{hospitals}" if hospitals else "-",
                    beds,
                    f"{clinics}",
                    f"{round(clinics * spread(f'y{name}', 0.04, 0.11))}",
                    f"{100_000 * clinics / population:.1f}",
                    f"{dentists}",
                ),
            )
        )
    kirihara = next(cells for name, _, cells in rows if name == "桐原市")
    return pages.page(
        "/iryo/shisetsu.html", "clinics.html", "医療施設調査（令和5年）", "医療施設",
        rows=rows, old_clinics=int(kirihara[2]) - 13, old_hospitals=int(kirihara[0]) - 1,
    )  # fmt: skip


def exchanges() -> Iterator[Exchange]:
    """Every page, then every file the pages load."""
    pages = _Pages()
    yield pages.page("/", "home.html", "瑞穂県の健康統計", news=NEWS)
    yield from _vital(pages)
    yield _release(pages)
    yield _causes(pages)
    yield pages.page(
        "/kansen/teiten.html", "teiten.html", "感染症発生動向調査（定点把握疾病）", "感染症",
        years=surveillance.YEARS, centres=surveillance.CENTRES,
    )  # fmt: skip
    yield _clinics(pages)
    yield pages.page("/nenpo/", "reports.html", "健康統計年報", "年報", reports=annual.REPORTS)
    yield pages.page("/kaiken/r070214.html", "press.html", "所長定例会見（令和7年2月14日）", "会見")
    for file in sorted((HERE / "static").iterdir()):
        folder = "kaiken" if file.suffix == ".vtt" else "static"
        content_type = f"{_TYPES[file.suffix]}; charset=utf-8"
        yield Exchange(
            f"{HOST}/{folder}/{file.name}", file.read_bytes(), content_type, recorded_at=RECORDED_AT
        )

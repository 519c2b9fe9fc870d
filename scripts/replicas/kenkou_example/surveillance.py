"""The weekly infectious disease reports, which the page asks for as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import exp

from scripts.replicas.common import Exchange
from scripts.replicas.kenkou_example.figures import HOST, RECORDED_AT, spread, week_days

#: Key in the address, name, and number of reporting clinics for influenza, paediatrics and eyes.
CENTRES = (
    ("ken", "県全体", (62, 39, 9)),
    ("chuo", "中央保健所", (22, 14, 3)),
    ("hokubu", "北部保健所", (15, 9, 2)),
    ("seibu", "西部保健所", (11, 7, 2)),
    ("nanbu", "南部保健所", (14, 9, 2)),
)
#: Year as the address writes it, its era name, and the number of weeks reported.
YEARS = (("2024", "令和6年", 10), ("2025", "令和7年", 9))
#: Disease, kind of clinic, cases a clinic reports at the peak, week of the peak, its breadth.
DISEASES = (
    ("インフルエンザ", 0, 31.0, 2.5, 4.0),
    ("新型コロナウイルス感染症", 0, 11.0, 5.0, 5.0),
    ("RSウイルス感染症", 1, 1.1, 9.0, 6.0),
    ("咽頭結膜熱", 1, 0.9, 1.0, 7.0),
    ("A群溶血性レンサ球菌咽頭炎", 1, 4.6, 6.0, 8.0),
    ("感染性胃腸炎", 1, 9.4, 7.0, 6.0),
    ("水痘", 1, 0.5, 4.0, 9.0),
    ("手足口病", 1, 0.7, 1.0, 5.0),
    ("突発性発しん", 1, 0.4, 6.0, 9.0),
    ("流行性角結膜炎", 2, 0.8, 5.0, 8.0),
)


def count(disease: str, year: str, week: int, key: str) -> int:
    """Cases of a week; the prefecture's are the sum of its centres'."""
    if key == "ken":
        return sum(count(disease, year, week, other) for other, _, _ in CENTRES[1:])
    kind, peak, at, breadth = next(entry[1:] for entry in DISEASES if entry[0] == disease)
    clinics = next(sizes[kind] for other, _, sizes in CENTRES if other == key)
    level = peak * exp(-(((week - at) / breadth) ** 2)) * (0.8 if year == "2024" else 1.0)
    return round(clinics * level * spread(f"{disease}{year}{week}{key}", 0.75, 1.25))


def report(year: str, week: int, key: str) -> dict[str, object]:
    """One week of one centre, with the week before."""
    _, name, sizes = next(entry for entry in CENTRES if entry[0] == key)
    rows = []
    for disease, kind, *_ in DISEASES:
        now = count(disease, year, week, key)
        before = count(disease, year, week - 1, key)
        rows.append(
            [disease, f"{now:,}", f"{now / sizes[kind]:.2f}", f"{before:,}", f"{before / sizes[kind]:.2f}"]
        )
    return {
        "nen": next(era for value, era, _ in YEARS if value == year),
        "shu": week,
        "kikan": week_days(int(year), week),
        "hokensho": name,
        "teiten": dict(zip(("インフルエンザ／COVID-19", "小児科", "眼科"), sizes, strict=True)),
        "rows": rows,
    }


def exchanges() -> Iterator[Exchange]:
    """Every answer of the service: each week of both years, of every centre."""
    for year, _, weeks in YEARS:
        for week in range(1, weeks + 1):
            for key, _, _ in CENTRES:
                body = json.dumps(report(year, week, key), ensure_ascii=False, separators=(",", ":"))
                yield Exchange(
                    f"{HOST}/kansen/api/teiten.json?nen={year}&shu={week:02d}&hoken={key}",
                    body.encode(),
                    "application/json; charset=utf-8",
                    recorded_at=RECORDED_AT,
                )

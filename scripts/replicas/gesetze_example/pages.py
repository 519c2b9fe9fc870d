"""The pages that are asked for by GET, and the files they load."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from scripts.replicas.common import Exchange
from scripts.replicas.gesetze_example import figures
from scripts.replicas.gesetze_example.figures import HOST, RECORDED_AT
from scripts.replicas.gesetze_example.rendering import HERE, html_exchange

_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


def exchanges() -> Iterator[Exchange]:
    """Every page, then every file the pages load."""
    yield html_exchange("/", "home.html", "Landesrecht und Rechtsprechung")
    yield html_exchange(
        "/gesetze/NmWoSchG/12", "statute.html", "§ 12 NmWoSchG: Anzeige, Genehmigung, Fristen"
    )
    yield html_exchange("/ratgeber/fristen", "deadlines.html", "Rechtsmittelfristen auf einen Blick")
    yield html_exchange(
        "/entscheidungen/olg-4-u-118-24", "judgment.html", "OLG Hafenstadt, Urteil vom 14.11.2024, 4 U 118/24"
    )
    now = figures.fee_rows(first=Decimal("51.50"), factor=Decimal("2.12"))
    before = figures.fee_rows(first=Decimal("49"), factor=Decimal("2"))
    tables = (
        ("2025", "Gebühren ab dem 1. Juni 2025", now),
        ("2021", "Gebühren vom 1. Januar 2021 bis zum 31. Mai 2025", before),
    )
    yield html_exchange(
        "/gesetze/NmRVG/anlage-2",
        "fees.html",
        "Anlage 2 NmRVG: Gebührentabelle",
        tables=tables,
        rates=figures.RATES,
    )
    rows = [
        (court, [figures.business(court, year).cells for year in (2024, 2023)])
        for court in figures.ADMINISTRATIVE_COURTS
    ]
    yield html_exchange(
        "/statistik/verwaltungsgerichte-2024.htm",
        "statistics.html",
        "Geschäftsentwicklung der Verwaltungsgerichte 2024",
        charset="ISO-8859-1",
        rows=rows,
    )
    for file in sorted((HERE / "static").iterdir()):
        yield Exchange(
            f"{HOST}/static/{file.name}",
            file.read_bytes(),
            f"{_TYPES[file.suffix]}; charset=utf-8",
            recorded_at=RECORDED_AT,
        )

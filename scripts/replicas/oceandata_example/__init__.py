"""Synthetic site of an ocean data archive: profile, moorings, chart, buoy, erratum, lecture, data sheet."""

from __future__ import annotations

from collections.abc import Iterator

from scripts.replicas.common import Exchange, Site
from scripts.replicas.oceandata_example import datasheet, pages


def _exchanges() -> Iterator[Exchange]:
    yield from pages.exchanges()
    yield datasheet.exchange()


SITE = Site(
    name="oceandata.example",
    title="Pelagos Ocean Data Archive (invented)",
    description=(
        "Synthetic site of an invented oceanographic data archive, built the way real ones are. "
        "Cruises, stations, instruments and every measurement are made up."
    ),
    exchanges=_exchanges,
)

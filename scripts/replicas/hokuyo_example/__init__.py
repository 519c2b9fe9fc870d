"""Synthetic investor relations site of a Japanese company: results, forecasts, segments, notice as PDF."""

from __future__ import annotations

from collections.abc import Iterator

from scripts.replicas.common import Exchange, Site
from scripts.replicas.hokuyo_example import notice, pages


def _exchanges() -> Iterator[Exchange]:
    yield from pages.exchanges()
    yield notice.exchange()


SITE = Site(
    name="hokuyo.example",
    title="北曜精密工業 IR情報（架空）",
    description=(
        "Synthetic investor relations site of an invented Japanese company, built the way real ones are. "
        "The company and every figure are made up."
    ),
    exchanges=_exchanges,
)

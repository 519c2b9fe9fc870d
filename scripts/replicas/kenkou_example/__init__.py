"""Synthetic site of an invented Japanese prefecture's centre for health statistics."""

from __future__ import annotations

from collections.abc import Iterator

from scripts.replicas.common import Exchange, Site
from scripts.replicas.kenkou_example import annual, pages, surveillance


def _exchanges() -> Iterator[Exchange]:
    yield from pages.exchanges()
    yield from surveillance.exchanges()
    yield from annual.exchanges()


SITE = Site(
    name="stats.kenkou-mizuho.example",
    title="瑞穂県健康統計センター（架空の機関）",
    description=(
        "Synthetic site of an institution that does not exist, in a prefecture that does not exist: vital "
        "statistics, infectious disease surveillance, an annual report as PDF, one page in Shift_JIS. Every "
        "figure is made up."
    ),
    exchanges=_exchanges,
)

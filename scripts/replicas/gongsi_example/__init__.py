"""Synthetic site of a Korean disclosure centre: list paged by POST, framed viewer, old EUC-KR page, PDF."""

from __future__ import annotations

from collections.abc import Iterator

from scripts.replicas.common import Exchange, Site
from scripts.replicas.gongsi_example import pages, report


def _exchanges() -> Iterator[Exchange]:
    yield from pages.exchanges()
    yield report.exchange()


SITE = Site(
    name="gongsi.example",
    title="기업공시정보센터 (가상)",
    description=(
        "Synthetic site of an invented Korean company disclosure centre, built the way real ones are. "
        "The centre, the companies and every figure are made up."
    ),
    exchanges=_exchanges,
)

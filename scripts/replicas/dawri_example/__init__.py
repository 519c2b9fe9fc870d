"""Synthetic site of an invented football federation, in Arabic."""

from __future__ import annotations

from collections.abc import Iterator

from scripts.replicas.common import Exchange, Site
from scripts.replicas.dawri_example import pages, services


def _exchanges() -> Iterator[Exchange]:
    yield from pages.exchanges()
    yield from services.exchanges()


SITE = Site(
    name="www.ittihad-wahat.example",
    title="اتحاد الواحات لكرة القدم (مؤسسة غير موجودة)",
    description=(
        "Synthetic site of a football federation that does not exist, written from right to left with "
        "Arabic-Indic digits: league tables, player statistics behind a POST form, attendance, a match "
        "report, decisions. Every club, person and figure is made up."
    ),
    exchanges=_exchanges,
)

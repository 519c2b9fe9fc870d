"""Synthetic site of an invented German state's law and court decisions."""

from __future__ import annotations

from collections.abc import Iterator

from scripts.replicas.common import Exchange, Site
from scripts.replicas.gesetze_example import gazette, pages, searching


def _exchanges() -> Iterator[Exchange]:
    yield from pages.exchanges()
    yield from searching.exchanges()
    yield from gazette.exchanges()


SITE = Site(
    name="recht.nordmark.example",
    title="Landesrecht Nordmark (Land, Gesetze und Gerichte gibt es nicht)",
    description=(
        "Synthetic site of a German state that does not exist: a statute with former versions in tabs, fee "
        "tables, a court decision with margin numbers, a search with post-backs, court statistics in "
        "ISO-8859-1, the law gazette as PDF. Every rule, case and figure is made up."
    ),
    exchanges=_exchanges,
)

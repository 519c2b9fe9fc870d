"""The values of a source as proofs use them."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Final, Protocol

from verifaible.factcheck.naming import Place
from verifaible.factcheck.stated import Place as Stated
from verifaible.factcheck.stated import SourceText, monies_in
from verifaible.factcheck.words import words_of
from verifaible.schema.analyst import Source
from verifaible.text.units import read_unit, unit_kind

#: Texts of sources that are kept read.
_KEPT: Final = 64


class ReadSource(Protocol):
    """A source and its whole text."""

    @property
    def source(self) -> Source:
        """What it is."""

    @property
    def text(self) -> str:
        """All of its file."""


class Places:
    """The values of a text."""

    def __init__(self, text: str) -> None:
        self._read = SourceText(text)

    @cached_property
    def tables(self) -> tuple[tuple[Place, ...], ...]:
        """The values of each table, in order."""
        return tuple(self._of_table(number) for number in range(len(self._read.tables)))

    @cached_property
    def _by_start(self) -> dict[int, Place]:
        return {place.start: place for table in self.tables for place in table}

    def at(self, start: int, end: int) -> Place | None:
        """The value in a range of the text; None where none stands there."""
        stated = self._read.at(start, end)
        if stated is None or stated.table is not None:
            return self._by_start.get(stated.start) if stated else None
        named = [each for each in monies_in(stated.name) if each != stated.unit]
        return replace(
            _plain(stated),
            sentence=words_of(stated.label),
            before=words_of(stated.before),
            beside=tuple((words, at) for at, words in stated.beside.items()),
            rate_of=named[0] if named and unit_kind(stated.unit) == "money" else "",
            denied=stated.denied,
        )

    def _of_table(self, number: int) -> tuple[Place, ...]:
        table = self._read.tables[number]
        peers: list[Place] = []
        for row in range(table.first, len(table.rows)):
            section = words_of(table.section(row))
            for column in table.figures(row):
                cell = table.rows[row][column]
                stated = self._read.at(cell.start, cell.end)
                if stated is not None:
                    head = " ".join(table.heads(row, column))
                    place = replace(
                        _plain(stated),
                        row=words_of(stated.label),
                        section=section,
                        column=words_of(head),
                        caption=words_of(table.caption),
                        label=stated.label,
                        head=head,
                        names=f"{stated.label} {head}",
                        table=number,
                        line=row,
                        rank=column,
                        peers=peers,
                    )
                    peers.append(place)
        return tuple(peers)


def _unit(name: str) -> str:
    return read_unit(name).name if name else ""


def _plain(stated: Stated) -> Place:
    return Place(
        stated.start,
        stated.end,
        stated.value,
        stated.shown,
        _unit(stated.unit),
        stated.currencies,
        stated.years,
    )


@lru_cache(maxsize=_KEPT)
def places_in(text: str) -> Places:
    """The values of a text, read once."""
    return Places(text)


def place_at(text: str, start: int, end: int) -> Place | None:
    """The value in a range of a text; None where none stands there."""
    return places_in(text).at(start, end)

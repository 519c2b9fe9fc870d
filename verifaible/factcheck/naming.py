"""Which values of a table the words of a claim name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from verifaible.factcheck.expression import ProofError
from verifaible.factcheck.places import Place
from verifaible.factcheck.words import TOTAL, WORD, YEAR, words_of, years_of


class Named:
    """The words of a claim, and which labels it names."""

    def __init__(self, claim: str) -> None:
        self.all = words_of(claim)
        self._claim = claim
        # a number between two words parts them
        self._line = [
            word
            for piece in claim.split()
            for word in (words_of(piece) or ([""] if re.search(r"\d", piece) else ()))
        ]

    def whole(self, label: frozenset[str]) -> bool:
        """Whether all words of a label stand together, with at most half as many others among them."""
        size = len(label) + (len(label) - 1) // 2
        starts = range(max(1, len(self._line) - size + 1))
        return label <= self.all and any(label <= set(self._line[at : at + size]) for at in starts)

    def better(
        self,
        other: frozenset[str],
        mine: frozenset[str],
        sections: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset()),
    ) -> bool:
        """Whether the claim names another label better: all words it shares with mine and more, or all of it.

        ``sections``: what the other stands under, and mine.
        """
        theirs, own = other & self.all, mine & self.all
        if theirs != own:
            whole = (self.whole(mine), self.whole(other))
            more = own < theirs and whole != (True, False)
            return more or (whole == (False, True) and len(own) <= len(theirs))
        left, kept = len(other - self.all), len(mine - self.all)
        if own and left != kept:
            return left < kept
        return (sections[1] & self.all) < (sections[0] & self.all)

    def check_rows(self, operands: Mapping[str, Place], everything: Mapping[str, Place]) -> None:
        """No other row of a table may be named better, and each that is named in full must be used.

        Args:
            operands: those whose rows the claim has to name.
            everything: all operands of the table.

        Raises:
            ProofError: it is otherwise.
        """
        used = {place.line for place in everything.values()}
        ranks = {place.rank for place in everything.values()}
        peers = next(iter(everything.values())).peers
        others = [each for each in peers if each.line not in used and each.rank in ranks]
        for name, place in operands.items():
            for other in others:
                alike = other.rank == place.rank and set(other.years) == set(place.years)
                if alike and self.better(other.row, place.row, (other.section, place.section)):
                    raise ProofError(
                        f"{name} is of the row {place.label!r}, and the claim names {other.label!r}. "
                        "Take the value of the row that the claim names."
                    )
        if len(operands) < len(everything):
            return  # a whole has all rows in it
        said = frozenset[str]().union(*(p.row | p.column | p.section for p in everything.values()))
        for other in others:
            if other.row - TOTAL and self.whole(other.row) and not other.row <= said:
                raise ProofError(
                    f"The claim names the row {other.label!r}, and no operand is of it. Take its value."
                )

    def check_columns(self, operands: Mapping[str, Place]) -> None:
        """No other column of the same years may be named better.

        Raises:
            ProofError: one is.
        """
        used = {place.rank for place in operands.values()}
        for name, place in operands.items():
            for other in place.peers:
                beside = other.line == place.line and other.rank not in used
                if (
                    beside
                    and set(other.years) == set(place.years)
                    and self.better(other.column, place.column)
                ):
                    raise ProofError(
                        f"{name} is of the column {place.head!r}, and the claim names {other.head!r}. "
                        "Take the value of the column that it names."
                    )

    def position(self, places: Sequence[Place], others: Sequence[Place]) -> int | None:
        """Where the claim first names places, by words or years that others do not have; None for nowhere."""

        def names(of: Sequence[Place]) -> frozenset[str]:
            return frozenset[str]().union(*(each.row | each.column | each.sentence for each in of))

        own = names(places) - names(others)
        years = {year for each in places for year in each.years} - {y for each in others for y in each.years}
        found = [match.start() for match in WORD.finditer(self._claim) if words_of(match[0]) & own]
        found = found or [m.start() for m in YEAR.finditer(self._claim) if set(years_of(m[0])) & years]
        return min(found, default=None)

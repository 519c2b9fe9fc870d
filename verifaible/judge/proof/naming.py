"""Whether operands are what a claim names: no other row, column or year of their table is named better."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from verifaible.judge.proof.expression import Node, ProofError, Shape
from verifaible.judge.proof.places import Place
from verifaible.judge.proof.tables import Table, words_of, years_of

#: Words that say how much of something, and not of what.
_TOTAL: Final = words_of("total sum all 合计 总计")
_MOVES: Final = ("difference", "change")


def check_names(claim: str, shape: Shape, parts: Sequence[Node], operands: Mapping[str, Place]) -> None:
    """Check the rows, columns and years of operands against the words of a claim.

    Raises:
        ProofError: an operand is of another row, column or year than the claim names.
    """
    words = Named(claim)
    wholes = set(parts[1].leaves()) if shape == "ratio" else set()
    _check_years(claim, shape, parts, operands)
    tables: dict[int, list[tuple[str, Place]]] = {}
    for name, place in operands.items():
        if place.table:
            tables.setdefault(id(place.table), []).append((name, place))
        elif not words.all & words_of(place.label):
            raise ProofError(f"The paragraph of {name} has no word of the claim. Quote one that says it.")
        if place.table and not (words.all | _TOTAL) & words_of(
            f"{place.name} {place.table.section(place.row)}"
        ):
            raise ProofError(
                f"Neither the row nor the column of {name} has a word of the claim. "
                "Take the value that it names."
            )
        else:
            _check_beside(name, place, words, {each.start for each in operands.values()})
    for found in tables.values():
        _check_rows(
            words,
            [each for each in found if each[0] not in wholes or words_of(each[1].label) - _TOTAL],
            found,
        )
        _check_columns(words, found)


def _check_beside(name: str, place: Place, words: Named, used: Collection[int]) -> None:
    """Whether the claim names another value of the sentence better, by the words that lead to it."""
    own = words_of(place.before) & words.all
    for start, before in place.beside.items():
        if words_of(place.before) and start not in used and own < (words_of(before) & words.all):
            raise ProofError(
                f"The claim says {before.strip()!r}, and {name} is another value of that sentence. "
                "Take that value."
            )


class Named:
    """The words of a claim, and which labels it names in one stretch."""

    def __init__(self, claim: str) -> None:
        self.all = words_of(claim)
        self._line = [word for piece in claim.split() for word in words_of(piece)]

    def whole(self, label: frozenset[str]) -> bool:
        """Whether all words of a label stand together, with at most half as many others among them."""
        size = len(label) + (len(label) - 1) // 2
        return label <= self.all and any(
            label <= set(self._line[at : at + size]) for at in range(max(1, len(self._line) - size + 1))
        )


def _check_rows(
    words: Named, operands: Sequence[tuple[str, Place]], everything: Sequence[tuple[str, Place]]
) -> None:
    table = everything[0][1].table
    assert table is not None
    used = {place.row for _, place in everything}
    columns = {place.column for _, place in everything}
    others = [
        row
        for row, cells in enumerate(table.rows)
        if row not in used and cells[0].text and columns & set(table.figures(row))
    ]
    for name, place in operands:
        for row in others:
            alike = place.column in table.figures(row) and set(table.years(row, place.column)) == set(
                place.years
            )
            if alike and better(words, _row(table, row), _row(table, place.row)):
                raise ProofError(
                    f"{name} is of the row {table.label(place.row)!r}, and the claim names "
                    f"{table.label(row)!r}. "
                    "Take the value of the row that the claim names."
                )
    if len(operands) == len(everything):  # a whole has all rows in it
        _check_all_named(words, everything, [(_row(table, row), table.label(row)) for row in others], "row")


def _check_columns(words: Named, operands: Sequence[tuple[str, Place]]) -> None:
    table = operands[0][1].table
    assert table is not None
    used = {place.column for _, place in operands}
    for name, place in operands:
        mine = " ".join(table.heads(place.row, place.column))
        for column in set(table.figures(place.row)) - used:
            other = " ".join(table.heads(place.row, column))
            alike = set(table.years(place.row, column)) == set(place.years)
            if alike and better(words, (words_of(other), frozenset()), (words_of(mine), frozenset())):
                raise ProofError(
                    f"{name} is of the column {mine!r}, and the claim names {other!r}. "
                    "Take the value of the column that it names."
                )


def _row(table: Table, row: int) -> tuple[frozenset[str], frozenset[str]]:
    return words_of(table.label(row)), words_of(table.section(row))


def better(
    words: Named, other: tuple[frozenset[str], frozenset[str]], mine: tuple[frozenset[str], frozenset[str]]
) -> bool:
    """Whether a claim names another label better: all words it shares with mine and more, or all of it."""
    theirs, own = other[0] & words.all, mine[0] & words.all
    if theirs != own:
        whole = (words.whole(mine[0]), words.whole(other[0]))
        return (own < theirs and whole != (True, False)) or (
            whole == (False, True) and len(own) <= len(theirs)
        )
    left, kept = len(other[0] - words.all), len(mine[0] - words.all)
    if own and left != kept:
        return left < kept
    return (mine[1] & words.all) < (other[1] & words.all)


def _check_all_named(
    words: Named,
    operands: Sequence[tuple[str, Place]],
    others: Iterable[tuple[tuple[frozenset[str], frozenset[str]], str]],
    what: str,
) -> None:
    """A row that the claim names in full, with a word that no operand's place has, must be used."""
    said = frozenset[str]()
    for _, place in operands:
        said |= words_of(place.name)
        if place.table:
            said |= words_of(place.table.section(place.row))
    for (label, _), text in others:
        if label - _TOTAL and words.whole(label) and not label <= said:
            raise ProofError(f"The claim names the {what} {text!r}, and no operand is of it. Take its value.")


def _check_years(claim: str, shape: Shape, parts: Sequence[Node], operands: Mapping[str, Place]) -> None:
    """The years of operands are those that the claim names; a change in one year is from the year before."""
    through = shape in ("sum", "mean", "extreme", "count")
    wanted = set(years_of(claim, through=through))
    found = {year for place in operands.values() for year in place.years}
    if not wanted:
        _check_all_years(shape, operands)
        return
    base = set(parts[1].leaves()) if shape in _MOVES and len(wanted) == 1 else set()
    for name, place in operands.items():
        if not place.years or wanted & set(place.years):
            continue
        if name in base and max(place.years) == min(wanted) - 1:
            continue
        years = " or ".join(map(str, sorted(wanted)))
        raise ProofError(
            f"{name} is of {place.years[0]}, and the claim says {years}. Take the value of that year."
        )
    there = {
        year
        for place in operands.values()
        if place.table
        for column in place.table.figures(place.row)
        for year in place.table.years(place.row, column)
    }
    if left := (wanted & there) - found:
        raise ProofError(
            f"The claim says {min(left)}, and no operand is of that year. Take the value of each year."
        )


def _check_all_years(shape: Shape, operands: Mapping[str, Place]) -> None:
    """An average or a sum of a row without years in the claim is of all of its years, each once."""
    rows = {(id(place.table), place.row) for place in operands.values()}
    place = next(iter(operands.values()))
    if shape != "mean" or len(rows) != 1 or place.table is None:
        return
    columns = {at for at in place.table.figures(place.row) if place.table.years(place.row, at)}
    if len(columns) > len(operands) > 1 and {each.column for each in operands.values()} < columns:
        raise ProofError(
            "The claim names no year, and the average leaves years of the row out. Take them all."
        )

"""Statistics of a questionnaire: means and deviations of ratings, counts of options (Coinvisor, section 4.2).

A CSV with a person a row. A column ``Group [item]`` holds ratings from 1 to 5; an empty cell or N/A is none.
A column of choices holds options with semicolons between them. Others are not read.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Final, TypeAlias

from verifaible.crypto.outputs import Report
from verifaible.errors import RunError
from verifaible.judge.table import read_text
from verifaible.reporting.tables import Cell, Column, Table, figure, plain, table_of, words
from verifaible.schema.base import Record

_RATED: Final = re.compile(r"(?P<group>.*\S)\s*\[(?P<item>[^\[\]]+)\]")
_RATINGS: Final = ("1", "2", "3", "4", "5")
_NONE: Final = ("", "n/a", "na")
#: A person's row: the line of the file that it begins in, and its cells by column.
_Row: TypeAlias = tuple[int, dict[str, str]]


class Ratings(Record):
    """Ratings of an item or of a group of items.

    Attributes:
        mean: None where nobody rated.
        deviation: of the sample (n - 1); None of fewer than two ratings.
        ratings: how many the figures rest on; a person gives a group one for each of its items.
    """

    name: str
    mean: float | None
    deviation: float | None
    ratings: int


class Option(Record):
    """An option of a question, and how many people chose it."""

    name: str
    count: int


class Choices(Record):
    """A question of options; ``people`` is everybody, those who chose none too."""

    name: str
    people: int
    options: tuple[Option, ...]


class Survey(Record):
    """What a questionnaire says.

    Attributes:
        groups: over all ratings of their items; ``items`` are these, by ``Group [item]``.
        overall: over all ratings of all groups.
        unread: columns that are neither ratings nor choices.
    """

    people: int
    groups: tuple[Ratings, ...]
    items: tuple[Ratings, ...]
    overall: Ratings
    choices: tuple[Choices, ...] = ()
    unread: tuple[str, ...] = ()


def read_survey(path: Path, *, choices: Sequence[str] = ()) -> Survey:
    """Read a questionnaire.

    Args:
        path: the CSV.
        choices: names of columns that hold options.

    Raises:
        RunError: the file cannot be read, has no such columns, or a cell is no rating; with line and column.
    """
    header, rows = _rows(path)
    if absent := [name for name in choices if name not in header]:
        raise RunError(f"{path} has no column {', '.join(absent)}. It has: {', '.join(header)[:300]}.")
    found = {name: match["group"] for name in header if (match := _RATED.fullmatch(name))}
    groups = {name: group for name, group in found.items() if name not in choices}
    if not groups and not choices:
        raise RunError(
            f"{path} has no column of ratings. Name them `Group [item]`, or give a column of "
            "options with --choices."
        )
    given = {
        name: [each for row in rows if (each := _rating(path, name, row)) is not None] for name in groups
    }
    return Survey(
        people=len(rows),
        groups=tuple(
            _ratings(group, (each for name in groups if groups[name] == group for each in given[name]))
            for group in dict.fromkeys(groups.values())
        ),
        items=tuple(_ratings(name, values) for name, values in given.items()),
        overall=_ratings("All ratings", (each for values in given.values() for each in values)),
        choices=tuple(_choices(name, rows) for name in choices),
        unread=tuple(name for name in header if name not in groups and name not in choices),
    )


def report(survey: Survey) -> Report:
    """The paper's tables: 2, groups; figure 6, their items; 3, the options of each question."""
    tables: list[Table] = []
    if survey.groups:
        tables.append(_rating_table("groups", "Ratings by group", (*survey.groups, survey.overall)))
        tables.append(_rating_table("items", "Ratings by item", survey.items))
    tables += [_choice_table(f"choices_{at}", each) for at, each in enumerate(survey.choices, 1)]
    return Report(
        title=f"Questionnaire, N = {survey.people}",
        tables=tuple(tables),
        figures=survey.model_dump(mode="json"),
    )


# --- reading


def _rows(path: Path) -> tuple[list[str], list[_Row]]:
    lines = csv.reader(io.StringIO(read_text(path).text.removeprefix("\ufeff"), newline=""), strict=True)
    rows: list[_Row] = []
    try:
        header = [name.strip() for name in next(lines, [])]
        if not header:
            raise RunError(f"{path} is empty. Give a CSV with a person a row.")
        twice = [name for name, times in Counter(header).items() if times > 1 and name]
        if twice:
            raise RunError(f"{path} has the column {twice[0]} twice. Rename one.")
        begin = lines.line_num + 1
        for cells in lines:
            if any(map(str.strip, cells)):
                if len(cells) != len(header):
                    raise RunError(
                        f"{path}, line {begin}: {len(cells)} cells in {len(header)} columns. Quote cells "
                        "that hold a comma."
                    )
                rows.append((begin, dict(zip(header, map(str.strip, cells), strict=True))))
            begin = lines.line_num + 1
    except csv.Error as error:
        raise RunError(
            f"{path}, line {lines.line_num}: {error}. Close the quote, or double one that is "
            "a part of the text."
        ) from error
    if not rows:
        raise RunError(f"{path} has no answer. Give a row for each person.")
    return header, rows


def _rating(path: Path, column: str, row: _Row) -> int | None:
    line, cells = row
    said = cells[column]
    if said in _RATINGS:
        return int(said)
    if said.casefold() in _NONE:
        return None
    raise RunError(
        f"{path}, line {line}, column {column}: {said[:40]!r} is no rating from 1 to 5. Correct it, leave "
        "the cell empty, or write N/A."
    )


def _ratings(name: str, values: Iterable[int]) -> Ratings:
    given = list(values)
    return Ratings(
        name=name,
        mean=fmean(given) if given else None,
        deviation=stdev(given) if len(given) > 1 else None,
        ratings=len(given),
    )


def _choices(name: str, rows: Sequence[_Row]) -> Choices:
    chosen: Counter[str] = Counter()
    for _, cells in rows:
        chosen.update({each.strip() for each in cells[name].split(";")} - {""})
    counted = sorted(chosen.items(), key=lambda pair: (-pair[1], pair[0]))
    options = tuple(Option(name=option, count=times) for option, times in counted)
    return Choices(name=name, people=len(rows), options=options)


# --- reporting


def _rating_table(name: str, title: str, ratings: Sequence[Ratings]) -> Table:
    columns: list[Column[Ratings, object]] = [
        Column("Rated", lambda one: words(one.name)),
        Column("Mean ± deviation", _mean),
    ]
    note = (
        "Means of all ratings from 1 to 5, standard deviations of the sample (n - 1); n counts ratings, of "
        "which a person gives one for each item."
    )
    return table_of(title, columns, ratings, name=name, note=note if name == "groups" else "")


def _mean(one: Ratings) -> Cell:
    if one.mean is None:
        return Cell(text=f"-, n={one.ratings}", state="nothing", n=one.ratings)
    spread = f" ± {one.deviation:.2f}" if one.deviation is not None else ""
    return Cell(
        text=f"{one.mean:.2f}{spread}, n={one.ratings:,}", state="figure", value=one.mean, n=one.ratings
    )


def _choice_table(name: str, question: Choices) -> Table:
    def share(one: Option) -> Cell:
        return figure(one.count / question.people, ".1f", share=True, n=one.count, of=question.people)

    columns: list[Column[Option, object]] = [
        Column("Option", lambda one: words(one.name)),
        Column("People", share),
    ]
    note = "Several options a person; shares of everybody."
    return table_of(plain(question.name), columns, question.options, name=name, note=note)

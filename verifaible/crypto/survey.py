"""Statistics of a questionnaire: means and deviations of ratings, counts of options (Coinvisor, section 4.2).

A CSV with a person a row. A column ``Group [item]`` holds ratings from 1 to 5; an empty cell or N/A is none.
A column of choices holds options with semicolons between them. Others are not read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Final

from verifaible.crypto.outputs import Report
from verifaible.crypto.tables import read_csv
from verifaible.errors import RunError
from verifaible.reporting.tables import Cell, Table, figure, plain, row, words
from verifaible.schema.base import Record

_RATED: Final = re.compile(r"(?P<group>.*\S)\s*\[(?P<item>[^\[\]]+)\]")
_NONE: Final = ("", "n/a", "na")


class Ratings(Record):
    """Ratings of an item or of a group of items; ``deviation`` is of the sample (n - 1).

    ``ratings`` is how many the figures rest on: a person gives a group one for each of its items.
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
    """What a questionnaire says: groups over all ratings of their items, the items, all; unread columns."""

    people: int
    groups: tuple[Ratings, ...]
    items: tuple[Ratings, ...]
    overall: Ratings
    choices: tuple[Choices, ...] = ()
    unread: tuple[str, ...] = ()


def read_survey(path: Path, *, choices: Sequence[str] = ()) -> Survey:
    """Read a questionnaire; ``choices`` names the columns that hold options.

    Raises:
        RunError: the file cannot be read, has no such columns, or a cell is no rating; with line and column.
    """
    header, rows = read_csv(path)
    if not rows:
        raise RunError(f"{path} has no answer. Give a row for each person.")
    if absent := [name for name in choices if name not in header]:
        raise RunError(f"{path} has no column {', '.join(absent)}. It has: {', '.join(header)[:300]}.")
    found = {name: match["group"] for name in header if (match := _RATED.fullmatch(name))}
    groups = {name: group for name, group in found.items() if name not in choices}
    if not groups and not choices:
        raise RunError(
            f"{path} has no column of ratings. Name them `Group [item]`, or give one of options with "
            "--choices."
        )
    given: dict[str, list[int]] = {name: [] for name in groups}
    for line, cells in rows:
        for name in groups:
            said = cells[name].strip()
            if said in ("1", "2", "3", "4", "5"):
                given[name].append(int(said))
            elif said.casefold() not in _NONE:
                raise RunError(
                    f"{path}, line {line}, column {name}: {said[:40]!r} is no rating from 1 to 5. "
                    "Correct it, leave the cell empty, or write N/A."
                )
    together = {
        group: [one for name in groups if groups[name] == group for one in given[name]]
        for group in groups.values()
    }
    return Survey(
        people=len(rows),
        groups=tuple(_ratings(*each) for each in together.items()),
        items=tuple(_ratings(*each) for each in given.items()),
        overall=_ratings("All ratings", [one for each in given.values() for one in each]),
        choices=tuple(_choices(name, [cells[name] for _, cells in rows]) for name in choices),
        unread=tuple(name for name in header if name not in groups and name not in choices),
    )


def _ratings(name: str, given: Sequence[int]) -> Ratings:
    return Ratings(
        name=name,
        mean=fmean(given) if given else None,
        deviation=stdev(given) if len(given) > 1 else None,
        ratings=len(given),
    )


def _choices(name: str, cells: Sequence[str]) -> Choices:
    chosen = Counter(
        option for cell in cells for option in {each.strip() for each in cell.split(";")} if option
    )
    counted = sorted(chosen.items(), key=lambda pair: (-pair[1], pair[0]))
    options = tuple(Option(name=option, count=times) for option, times in counted)
    return Choices(name=name, people=len(cells), options=options)


def report(survey: Survey) -> Report:
    """The paper's tables: 2, groups; figure 6, their items; 3, the options of each question."""
    note = (
        "Means of all ratings from 1 to 5, standard deviations of the sample (n - 1); n counts ratings, of "
        "which a person gives one for each item."
    )
    tables = []
    if survey.groups:
        parts = (
            ("groups", "group", (*survey.groups, survey.overall), note),
            ("items", "item", survey.items, ""),
        )
        tables = [
            Table(
                name=name,
                title=f"Ratings by {what}",
                columns=("Rated", "Mean ± deviation"),
                rows=tuple(row(words(each.name), _mean(each)) for each in rated),
                note=told,
            )
            for name, what, rated, told in parts
        ]
    tables += [
        Table(
            name=f"choices_{at}",
            title=plain(each.name),
            columns=("Option", "People"),
            rows=tuple(
                row(
                    words(one.name),
                    figure(one.count / each.people, ".1f", share=True, n=one.count, of=each.people),
                )
                for one in each.options
            ),
            note="Several options a person; shares of everybody.",
        )
        for at, each in enumerate(survey.choices, 1)
    ]
    return Report(
        title=f"Questionnaire, N = {survey.people}",
        tables=tuple(tables),
        figures=survey.model_dump(mode="json"),
    )


def _mean(one: Ratings) -> Cell:
    if one.mean is None:
        return Cell(text=f"-, n={one.ratings}", state="nothing", n=one.ratings)
    spread = f" ± {one.deviation:.2f}" if one.deviation is not None else ""
    return Cell(
        text=f"{one.mean:.2f}{spread}, n={one.ratings:,}", state="figure", value=one.mean, n=one.ratings
    )

"""Statistics of a questionnaire: means and deviations of ratings, counts of options (Coinvisor, section 4.2).

A CSV with a person a row. A column ``Group [item]`` holds ratings from 1 to 5; an empty cell or N/A is none.
A column of choices holds options with semicolons between them. Others are not read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, Final

from verifaible.crypto.runs import Report, read_csv
from verifaible.errors import RunError
from verifaible.reporting.tables import Cell, Table, figure, plain, row, words

_RATED: Final = re.compile(r"(?P<group>.*\S)\s*\[(?P<item>[^\[\]]+)\]")
_RATINGS: Final = {"1": 1, "2": 2, "3": 3, "4": 4, "5": 5}
_NONE: Final = ("", "n/a", "na")
_NOTE: Final = (
    "Means of all ratings from 1 to 5, standard deviations of the sample (n - 1); n counts ratings, of which "
    "a person gives one for each item."
)


def survey(path: Path, choices: Sequence[str] = ()) -> Report:
    """The paper's tables: 2, groups; figure 6, their items; 3, the options of each question.

    Args:
        path: the CSV.
        choices: names of columns that hold options.

    Raises:
        RunError: the file cannot be read, has no such columns, or a cell is no rating; with line and column.
    """
    header, rows = read_csv(path)
    if not rows:
        raise RunError(f"{path} has no answer. Give a row for each person.")
    if absent := [name for name in choices if name not in header]:
        raise RunError(f"{path} has no column {', '.join(absent)}. It has: {', '.join(header)[:300]}.")
    rated = {name: match for name in header if (match := _RATED.fullmatch(name)) and name not in choices}
    if not rated and not choices:
        raise RunError(
            f"{path} has no column of ratings. Name them `Group [item]`, or give one of options with "
            "--choices."
        )
    items = {name: list(_ratings(path, name, rows)) for name in rated}
    groups: dict[str, list[int]] = {}
    for name, given in items.items():
        groups.setdefault(rated[name]["group"], []).extend(given)
    overall = [one for given in items.values() for one in given]
    options = {name: _options(cells[name] for _, cells in rows) for name in choices}
    tables = [
        _means("groups", "Ratings by group", {**groups, "All ratings": overall}, _NOTE),
        _means("items", "Ratings by item", items),
    ]
    return Report(
        title=f"Questionnaire, N = {len(rows)}",
        tables=(
            *(tables if rated else ()),
            *(_shares(at, name, each, len(rows)) for at, (name, each) in enumerate(options.items(), 1)),
        ),
        figures={
            "people": len(rows),
            "groups": [_figures(*each) for each in groups.items()],
            "items": [_figures(*each) for each in items.items()],
            "overall": _figures("All ratings", overall),
            "choices": [
                {
                    "name": name,
                    "people": len(rows),
                    "options": [{"name": option, "count": times} for option, times in each],
                }
                for name, each in options.items()
            ],
            "unread": [name for name in header if name not in rated and name not in choices],
        },
    )


def _ratings(path: Path, column: str, rows: Iterable[tuple[int, Mapping[str, str]]]) -> Iterable[int]:
    for line, cells in rows:
        said = cells[column].strip()
        if said in _RATINGS:
            yield _RATINGS[said]
        elif said.casefold() not in _NONE:
            raise RunError(
                f"{path}, line {line}, column {column}: {said[:40]!r} is no rating from 1 to 5. Correct it, "
                "leave the cell empty, or write N/A."
            )


def _options(cells: Iterable[str]) -> list[tuple[str, int]]:
    """How many people chose each option, the most frequent first."""
    chosen = Counter(option for cell in cells for option in {each.strip() for each in cell.split(";")} - {""})
    return sorted(chosen.items(), key=lambda pair: (-pair[1], pair[0]))


def _figures(name: str, given: Sequence[int]) -> dict[str, Any]:
    return {
        "name": name,
        "mean": fmean(given) if given else None,
        "deviation": stdev(given) if len(given) > 1 else None,
        "ratings": len(given),
    }


def _means(name: str, title: str, rated: Mapping[str, Sequence[int]], note: str = "") -> Table:
    def cell(given: Sequence[int]) -> Cell:
        n = len(given)
        if not given:
            return Cell(text="-, n=0", state="nothing", n=0)
        spread = f" ± {stdev(given):.2f}" if n > 1 else ""
        return Cell(text=f"{fmean(given):.2f}{spread}, n={n:,}", state="figure", value=fmean(given), n=n)

    rows = tuple(row(words(each), cell(given)) for each, given in rated.items())
    return Table(name=name, title=title, columns=("Rated", "Mean ± deviation"), rows=rows, note=note)


def _shares(at: int, name: str, options: Sequence[tuple[str, int]], people: int) -> Table:
    return Table(
        name=f"choices_{at}",
        title=plain(name),
        columns=("Option", "People"),
        rows=tuple(
            row(words(option), figure(times / people, ".1f", share=True, n=times, of=people))
            for option, times in options
        ),
        note="Several options a person; shares of everybody.",
    )

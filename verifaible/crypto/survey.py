"""Statistics of a questionnaire: means and deviations of ratings, counts of options (Coinvisor, section 4.2).

A CSV with a person a row. A column ``Group [item]`` holds ratings from 1 to the end of the scale; an empty
cell or N/A is none. A column of choices holds options with a separator between them. Others are not read.
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
from verifaible.judge.inputs.decoding import read_text
from verifaible.reporting.charts import MAX_BARS, BarRow, Chart, bar_chart
from verifaible.reporting.tables import Cell, Column, Table, count, figure, plain, table_of, words
from verifaible.schema.base import Record
from verifaible.scoring.statistics import wilson_interval

_RATED: Final = re.compile(r"(?P<group>.*\S)\s*\[(?P<item>[^\[\]]+)\]")
_NONE: Final = frozenset({"", "n/a", "na"})
#: A person's row: the line of the file that it begins in, and its cells by column.
_Row: TypeAlias = tuple[int, dict[str, str]]


class Ratings(Record):
    """Ratings of an item or of a group of items.

    Attributes:
        mean: None where nobody rated.
        deviation: of the sample (n - 1); None of fewer than two ratings.
        ratings: how many the figures rest on; a person gives a group one for each of its items.
        people: who gave at least one.
        lacking: cells that are empty or N/A.
    """

    name: str
    mean: float | None
    deviation: float | None
    ratings: int
    people: int
    lacking: int


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
        scale: the highest rating.
        groups: over all ratings of their items; ``items`` are these, by ``Group [item]``.
        overall: over all ratings of all groups.
        unread: columns that are neither ratings nor choices.
    """

    people: int
    scale: int
    groups: tuple[Ratings, ...]
    items: tuple[Ratings, ...]
    overall: Ratings
    choices: tuple[Choices, ...] = ()
    unread: tuple[str, ...] = ()


def read_survey(path: Path, *, choices: Sequence[str] = (), scale: int = 5, separator: str = ";") -> Survey:
    """Read a questionnaire.

    Args:
        path: the CSV; its columns are separated by a comma, a semicolon or a tab.
        choices: names of columns that hold options.
        scale: the highest rating; the lowest is 1.
        separator: between the options of a cell.

    Raises:
        RunError: the file cannot be read, has no such columns, or a cell is no rating; with line and column.
    """
    header, rows = _rows(path)
    rated = {name: match["group"] for name in header if (match := _RATED.fullmatch(name))}
    absent = [name for name in choices if name not in header]
    if absent:
        raise RunError(f"{path} has no column {', '.join(absent)}. It has: {', '.join(header)[:300]}.")
    rated = {name: group for name, group in rated.items() if name not in choices}
    if not rated and not choices:
        raise RunError(
            f"{path} has no column of ratings. Name them `Group [item]`, or give a column of "
            "options with --choices."
        )
    values = _values(path, rows, tuple(rated), scale)
    members = {group: [name for name in rated if rated[name] == group] for group in rated.values()}
    return Survey(
        people=len(rows),
        scale=scale,
        groups=tuple(_ratings(group, [values[name] for name in names]) for group, names in members.items()),
        items=tuple(_ratings(name, [values[name]]) for names in members.values() for name in names),
        overall=_ratings("All ratings", list(values.values())),
        choices=tuple(_choices(name, rows, separator) for name in choices),
        unread=tuple(name for name in header if name not in rated and name not in choices),
    )


def report(survey: Survey) -> Report:
    """Its tables and bars, N beside every figure."""
    tables: list[Table] = []
    charts: dict[str, Chart] = {}
    if survey.groups:
        parts = [("groups", "Ratings by group", (*survey.groups, survey.overall))]
        for at, group in enumerate(survey.groups, 1):
            items = tuple(each for each in survey.items if _group(each) == group.name)
            parts.append((f"group_{at}", group.name, items))
        for name, title, ratings in parts:
            tables.append(_rating_table(name, title, ratings, survey.scale))
            charts[name] = _rating_chart(name, title, ratings, survey.scale)
    for at, question in enumerate(survey.choices, 1):
        name = f"choices_{at}"
        tables.append(_choice_table(name, question))
        charts[name] = _choice_chart(name, question)
    return Report(
        name="verifaible crypto survey",
        title=f"Questionnaire, N = {survey.people}",
        tables=tuple(tables),
        charts=charts,
        figures=survey.model_dump(mode="json"),
    )


# --- reading


def _rows(path: Path) -> tuple[list[str], list[_Row]]:
    text = read_text(path).text.removeprefix("\ufeff")
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
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
                        "that hold the separator."
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


def _delimiter(text: str) -> str:
    """What separates the columns: that which gives the first row the most of ratings, then of all."""

    def columns(delimiter: str) -> tuple[int, int]:
        header = next(csv.reader(io.StringIO(text[:20_000], newline=""), delimiter=delimiter), [])
        return sum(_RATED.fullmatch(name.strip()) is not None for name in header), len(header)

    return max((",", ";", "\t"), key=columns)


def _values(
    path: Path, rows: Sequence[_Row], names: Sequence[str], scale: int
) -> dict[str, list[int | None]]:
    """The ratings of each column, a value a person."""
    values: dict[str, list[int | None]] = {name: [] for name in names}
    faults = []
    for line, cells in rows:
        for name in names:
            said = cells[name]
            if said.isascii() and said.isdecimal() and len(said) <= 3 and 1 <= int(said) <= scale:
                values[name].append(int(said))
                continue
            values[name].append(None)
            if said.casefold() not in _NONE:
                faults.append(f"line {line}, column {name}: {said[:40]!r}")
    if faults:
        more = f" and {len(faults) - 1} more" if len(faults) > 1 else ""
        raise RunError(
            f"{path}, {faults[0]}{more}: no whole number from 1 to {scale}. Correct it, leave the cell empty "
            "or write N/A, or name the scale with --scale."
        )
    return values


def _ratings(name: str, columns: Sequence[Sequence[int | None]]) -> Ratings:
    given = [value for column in columns for value in column if value is not None]
    return Ratings(
        name=name,
        mean=fmean(given) if given else None,
        deviation=stdev(given) if len(given) > 1 else None,
        ratings=len(given),
        people=sum(any(value is not None for value in person) for person in zip(*columns, strict=True)),
        lacking=sum(map(len, columns)) - len(given),
    )


def _choices(name: str, rows: Sequence[_Row], separator: str) -> Choices:
    chosen: Counter[str] = Counter()
    for _, cells in rows:
        options = (each.strip() for each in cells[name].split(separator))
        chosen.update(dict.fromkeys((each for each in options if each), 1))
    counted = tuple(Option(name=option, count=times) for option, times in chosen.most_common())
    return Choices(name=name, people=len(rows), options=counted)


# --- reporting


def _group(item: Ratings) -> str:
    match = _RATED.fullmatch(item.name)
    return match["group"] if match else item.name


def _shown(one: Ratings) -> str:
    if one.mean is None:
        return f"-, n={one.ratings}"
    spread = f" ± {one.deviation:.2f}" if one.deviation is not None else ""
    return f"{one.mean:.2f}{spread}, n={one.ratings:,}"


def _label(one: Ratings, title: str) -> str:
    return plain(one.name.removeprefix(title).strip().removeprefix("[").removesuffix("]") or one.name)


def _rating_table(name: str, title: str, ratings: Sequence[Ratings], scale: int) -> Table:
    columns: list[Column[Ratings, object]] = [
        Column("Rated", lambda one: words(_label(one, title))),
        Column("Mean ± deviation", _mean),
        Column("People", lambda one: count(one.people)),
        Column("N/A or empty", lambda one: count(one.lacking)),
    ]
    note = (
        f"Means of all ratings from 1 to {scale}, standard deviations of the sample (n - 1); n counts "
        "ratings, of which a person gives one for each item."
    )
    return table_of(plain(title), columns, ratings, name=name, note=note if name == "groups" else "")


def _mean(one: Ratings) -> Cell:
    if one.mean is None:
        return Cell(text=_shown(one), state="nothing", n=one.ratings)
    return Cell(text=_shown(one), state="figure", value=one.mean, n=one.ratings)


def _rating_chart(name: str, title: str, ratings: Iterable[Ratings], scale: int) -> Chart:
    bars = []
    for one in [each for each in ratings if each.mean is not None][:MAX_BARS]:
        mean, spread = one.mean or 0.0, one.deviation
        ends = (max(1.0, mean - spread), min(float(scale), mean + spread)) if spread is not None else None
        bars.append(BarRow(_label(one, title), _shown(one), ((mean, "ours", ""),), ends))
    legend = (("ours", "mean, with its standard deviation up to the ends of the scale"),)
    return bar_chart(name, plain(title), f"points of {scale}", bars, scale, legend=legend)


def _choice_table(name: str, question: Choices) -> Table:
    def share(one: Option) -> Cell:
        ends = wilson_interval(one.count, question.people)
        return figure(one.count / question.people, ".1f", ends, share=True, n=one.count, of=question.people)

    columns: list[Column[Option, object]] = [
        Column("Option", lambda one: words(one.name)),
        Column("People", share),
    ]
    note = "Several options a person; shares of everybody, with 95 % intervals (Wilson)."
    return table_of(plain(question.name), columns, question.options, name=name, note=note)


def _choice_chart(name: str, question: Choices) -> Chart:
    bars = [
        BarRow(
            plain(one.name),
            f"{one.count}/{question.people}",
            ((100 * one.count / question.people, "ours", ""),),
        )
        for one in question.options[:MAX_BARS]
    ]
    return bar_chart(name, plain(question.name), "per cent of people", bars, 100)

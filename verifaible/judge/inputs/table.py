"""The CSV of the public benchmark: ``query``, ``tags``, ``<model>_response``, ``<model>_chat_id``.

Names count with their capital letters. A further column that begins with a model's name, and every column of
nobody's, is kept in the answer's ``columns``. A query that stands in several rows is kept as often as it is
there. Tables of one answer a row (``query``, ``response`` or ``answer``, mostly ``model``) are read, too. Of
two columns of one name the first counts; the other is kept with a number behind its name, and told.
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from verifaible.errors import RunError
from verifaible.judge.inputs.decoding import read_text
from verifaible.judge.inputs.fields import tags_of
from verifaible.schema.base import Record

QUERY: Final = "query"
TAGS: Final = "tags"
RESPONSE: Final = "_response"
CHAT_ID: Final = "_chat_id"
#: Columns that say when an answer was given, the surest first.
DATES: Final = ("answered_at", "date", "timestamp", "created_at", "time")
_DELIMITERS: Final = (",", ";", "\t", "|")
_ANSWERS: Final = ("response", "answer")


class Query(Record):
    """A query of the benchmark, and its row, from 1."""

    query: str
    tags: tuple[str, ...] = ()
    row: int


@dataclass(frozen=True, slots=True)
class Cell:
    """What a row says of one model's answer."""

    model: str
    response: str
    chat_id: str
    date: str
    columns: dict[str, str]


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table; ``damaged`` says that a part of it could not be decoded."""

    number: int
    query: str
    tags: tuple[str, ...]
    cells: tuple[Cell, ...]
    damaged: bool


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of a table with its models, in the order of the columns; ``twice`` are names of several."""

    rows: tuple[Row, ...] = field(repr=False)
    models: tuple[str, ...]
    sha256: str
    twice: tuple[str, ...] = ()


def read_queries(path: Path) -> tuple[Query, ...]:
    """The queries of a table, in order, with or without answers.

    Raises:
        RunError: it cannot be read, is empty, or has no column ``query``.
    """
    table = read_table(path)
    return tuple(Query(query=row.query, tags=row.tags, row=row.number) for row in table.rows if row.query)


def read_table(path: Path) -> Table:
    """A table; errors are those of :func:`read_queries`."""
    source = read_text(path)
    lines = list(_records(path, source.text))
    if not lines:
        raise RunError(f"{path} is empty. Give a CSV with the columns query, tags and <model>_response.")
    header = [name.strip().lstrip("\ufeff") for name in lines[0]]
    if QUERY not in header:
        raise RunError(
            f"{path} has no column {QUERY}; its first row is: {', '.join(header)[:300]}. Give the columns "
            "query and tags (in small letters), and <model>_response for each model."
        )
    models = _models(header)
    tall = any(name in header for name in _ANSWERS) and ("model" in header or not models)
    rows: list[Row] = []
    for number, line in enumerate(lines[1:], 1):
        if not any(value.strip() for value in line):
            continue
        named = _named(header, line)
        damaged = source.damaged and any("\ufffd" in value for value in line)
        cells = (_tall_cell(named),) if tall else tuple(_cell(named, model, models) for model in models)
        rows.append(Row(number, named.get(QUERY, ""), tags_of(named.get(TAGS, "")), cells, damaged))
    found = tuple(dict.fromkeys(cell.model for row in rows for cell in row.cells)) if tall else models
    twice = tuple(name for name in dict.fromkeys(header) if name and header.count(name) > 1)
    return Table(tuple(rows), found, source.sha256, twice)


def _records(path: Path, text: str) -> Iterator[list[str]]:
    delimiter = _delimiter(text)
    with _large_fields():
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=False)
        try:
            yield from reader
        except csv.Error as error:
            raise RunError(
                f"{path} is damaged at line {reader.line_num} ({error}). Export the table again as CSV."
            ) from error
    _refuse_open_quote(path, text, delimiter)


def _refuse_open_quote(path: Path, text: str, delimiter: str) -> None:
    """Refuse a quote that nothing closes: every row behind it would be a part of one answer."""
    with _large_fields():
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        last = 0
        try:
            for number, _ in enumerate(reader):
                last = number
        except csv.Error as error:
            if "unexpected end" in str(error):
                raise RunError(
                    f"{path}: a quote opens behind row {last} and is never closed. Close it, or double it "
                    "where it is a part of the text."
                ) from error


@contextmanager
def _large_fields() -> Iterator[None]:
    """Let fields be of any size: an answer may have megabytes."""
    before = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _delimiter(text: str) -> str:
    """What separates the columns: the one with which the first row has a column ``query``."""
    first = text[:20_000]
    for delimiter in _DELIMITERS:
        try:
            header = next(csv.reader(io.StringIO(first, newline=""), delimiter=delimiter), [])
        except csv.Error:
            continue
        if QUERY in [name.strip().lstrip("\ufeff") for name in header]:
            return delimiter
    return ","


def _named(header: Sequence[str], line: Sequence[str]) -> dict[str, str]:
    """The fields of a row by name. Of a row with too many the further ones keep a number for a name."""
    named: dict[str, str] = {}
    for at, value in enumerate(line):
        name = header[at] if at < len(header) and header[at] else f"column {at + 1}"
        while name in named:
            name = f"{name} ({at + 1})"
        named[name] = value
    return named


def _models(header: Sequence[str]) -> tuple[str, ...]:
    found = [
        name.removesuffix(suffix)
        for name in header
        for suffix in (RESPONSE, CHAT_ID)
        if name.endswith(suffix)
    ]
    return tuple(dict.fromkeys(name for name in found if name))


def _cell(named: dict[str, str], model: str, models: Sequence[str]) -> Cell:
    others = {
        f"{each}{suffix}"
        for each in models
        if each != model
        for suffix in (RESPONSE, CHAT_ID, *(f"_{name}" for name in DATES))
    }
    own = tuple(f"{model}_{name}" for name in DATES)
    columns = {
        name: value
        for name, value in named.items()
        if name not in (QUERY, TAGS, f"{model}{RESPONSE}") and name not in others
    }
    date = next((named[name] for name in (*own, *DATES) if named.get(name, "").strip()), "")
    return Cell(
        model, named.get(f"{model}{RESPONSE}", ""), named.get(f"{model}{CHAT_ID}", "").strip(), date, columns
    )


def _tall_cell(named: dict[str, str]) -> Cell:
    answer = next((name for name in _ANSWERS if name in named), "")
    columns = {name: value for name, value in named.items() if name not in (QUERY, TAGS, "model", answer)}
    date = next((named[name] for name in DATES if named.get(name, "").strip()), "")
    return Cell(
        named.get("model", ""), named.get(answer, ""), named.get("chat_id", "").strip(), date, columns
    )

"""The CSV of the public benchmark: ``query``, ``tags``, ``<model>_response``, ``<model>_chat_id``.

A column of nobody's is kept in the answer's ``columns``. Tables of one answer a row (``query``,
``response`` or ``answer``, mostly ``model``) are read, too. Names count with their capital letters; of two
columns of one name the first counts, and the other is kept with a number behind its name, and told.
"""

from __future__ import annotations

import ast
import csv
import hashlib
import io
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, Final

from verifaible.errors import RunError
from verifaible.extract.charset import decode_text
from verifaible.schema.base import Record
from verifaible.text.dates import find_dates

QUERY: Final = "query"
TAGS: Final = "tags"
#: What may be behind a model's name; of dates the surest first, and they may have no model before them.
_RESPONSE: Final = "_response"
_CHAT_ID: Final = "_chat_id"
DATES: Final = ("answered_at", "date", "timestamp", "created_at", "time", "finished_at")
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


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file as text; ``damaged`` says that what could not be decoded is U+FFFD in it."""

    text: str = field(repr=False)
    encoding: str
    damaged: bool
    sha256: str


def read_text(path: Path) -> TextFile:
    """A file as text.

    Raises:
        RunError: it is not there, is a folder, or cannot be read.
    """
    try:
        data = path.read_bytes()
    except IsADirectoryError as error:
        raise RunError(f"{path} is a folder. Name the file in it, or the folder of a run.") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise RunError(f"{path} cannot be read ({reason}). Check the name and its permissions.") from error
    found = decode_text(data)
    text = found.text.removeprefix("\ufeff")
    return TextFile(text, found.encoding, bool(found.replaced), hashlib.sha256(data).hexdigest())


def read_queries(path: Path) -> tuple[Query, ...]:
    """The queries of a table, in order, with or without answers.

    Raises:
        RunError: it cannot be read, is empty, or has no column ``query``.
    """
    rows = read_table(path).rows
    return tuple(Query(query=row.query, tags=row.tags, row=row.number) for row in rows if row.query)


def read_table(path: Path) -> Table:
    """A table; errors are those of :func:`read_queries`."""
    source = read_text(path)
    lines = list(_records(path, source.text))
    if not lines:
        raise RunError(f"{path} is empty. Give a CSV with the columns query, tags and <model>_response.")
    header = [name.strip() for name in lines[0]]
    if QUERY not in header:
        raise RunError(
            f"{path} has no column {QUERY}; its first row is: {', '.join(header)[:300]}. Give the columns "
            "query and tags (in small letters), and <model>_response for each model."
        )
    ends = (_RESPONSE, _CHAT_ID)
    named = (name.removesuffix(end) for name in header for end in ends if name.endswith(end))
    models = tuple(dict.fromkeys(name for name in named if name))
    tall = any(name in header for name in _ANSWERS) and ("model" in header or not models)
    rows: list[Row] = []
    for number, line in enumerate(lines[1:], 1):
        if not any(value.strip() for value in line):
            continue
        said = _named(header, line)
        damaged = source.damaged and any("\ufffd" in value for value in line)
        cells = (_tall_cell(said),) if tall else tuple(_cell(said, model, models) for model in models)
        rows.append(Row(number, said.get(QUERY, ""), tags_of(said.get(TAGS, "")), cells, damaged))
    found = tuple(dict.fromkeys(cell.model for row in rows for cell in row.cells)) if tall else models
    twice = tuple(name for name in dict.fromkeys(header) if name and header.count(name) > 1)
    return Table(tuple(rows), found, source.sha256, twice)


def _records(path: Path, text: str) -> Iterator[list[str]]:
    """The lines of a table; a quote that nothing closes is refused: all behind it would be one answer."""
    delimiter = next((each for each in ",;\t|" if QUERY in _header(text, each)), ",")
    with _large_fields():
        for strict in (True, False):
            reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=strict)
            last = 0
            try:
                for last, line in enumerate(reader):  # noqa: B007 - told below
                    if not strict:
                        yield line
            except csv.Error as error:
                if not strict:
                    message = (
                        f"{path} is damaged at line {reader.line_num} ({error}). Export it again as CSV."
                    )
                    raise RunError(message) from error
                if "unexpected end" in str(error):
                    raise RunError(
                        f"{path}: a quote opens behind row {last} and is never closed. Close it, or double "
                        "it where it is a part of the text."
                    ) from error


def _header(text: str, delimiter: str) -> list[str]:
    try:
        first = next(csv.reader(io.StringIO(text[:20_000], newline=""), delimiter=delimiter), [])
    except csv.Error:
        return []
    return [name.strip() for name in first]


@contextmanager
def _large_fields() -> Iterator[None]:
    """Let fields be of any size: an answer may have megabytes."""
    before = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _named(header: Sequence[str], line: Sequence[str]) -> dict[str, str]:
    """The fields of a row by name. Of a row with too many the further ones keep a number for a name."""
    named: dict[str, str] = {}
    for at, value in enumerate(line):
        name = header[at] if at < len(header) and header[at] else f"column {at + 1}"
        while name in named:
            name = f"{name} ({at + 1})"
        named[name] = value
    return named


def _cell(said: Mapping[str, str], model: str, models: Sequence[str]) -> Cell:
    ends = (_RESPONSE, _CHAT_ID, *(f"_{name}" for name in DATES))
    others = {f"{each}{end}" for each in models if each != model for end in ends}
    left = {QUERY, TAGS, f"{model}{_RESPONSE}", *others}
    dates = (*(f"{model}_{name}" for name in DATES), *DATES)
    return Cell(
        model,
        said.get(f"{model}{_RESPONSE}", ""),
        said.get(f"{model}{_CHAT_ID}", "").strip(),
        next((said[name] for name in dates if said.get(name, "").strip()), ""),
        {name: value for name, value in said.items() if name not in left},
    )


def _tall_cell(said: Mapping[str, str]) -> Cell:
    answer = next((name for name in _ANSWERS if name in said), "")
    return Cell(
        said.get("model", ""),
        said.get(answer, ""),
        said.get("chat_id", "").strip(),
        next((said[name] for name in DATES if said.get(name, "").strip()), ""),
        {name: value for name, value in said.items() if name not in (QUERY, TAGS, "model", answer)},
    )


# --- values of fields, in tables, records and traces


def tags_of(value: Any) -> tuple[str, ...]:
    """Tags, each once: a list, be it as Python or JSON writes it in a text, or one a line."""
    text = str(value or "").strip()
    if not isinstance(value, list) and text[:1] in ("[", "(", "{"):
        try:
            value = ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            value = None
    if isinstance(value, set):  # it has no order, and every run would have another
        value = sorted(map(str, value))
    several = map(str, value) if isinstance(value, list | tuple) else text.splitlines()
    return tuple(dict.fromkeys(each.strip() for each in several if each.strip()))


def moment_of(value: Any) -> datetime | None:
    """A time, in UTC where no zone is said: ISO 8601 (a day also as ``20251003``), an HTTP date, a number of
    seconds (or ms, µs, ns) since 1970, or one date in words. None for what is none: it stays in the columns.
    """
    text = str(value).strip()
    if isinstance(value, bool | None) or not 0 < len(text) <= 100:
        return None
    # of "5:00 PM" the reader of mails takes the hour and drops the rest
    by_mail = () if re.search(r"\d\s*[ap]\.?m\b", text, re.IGNORECASE) else (parsedate_to_datetime,)
    readers: tuple[Callable[[str], datetime | None], ...] = (_since_1970, _iso, *by_mail, _in_words)
    for read in readers:
        try:
            if (moment := read(text)) is not None:
                return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
    return None


def _since_1970(text: str) -> datetime | None:
    number = float(text)
    if len(text) == 8 and text.isdecimal():
        return None  # the digits of a day
    while number >= 1e11:
        number /= 1000
        if number > 1e17:
            raise OverflowError(text)
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=number) if number >= 1e8 else None


def _iso(text: str) -> datetime:
    return datetime.fromisoformat(text.removesuffix(" UTC").removesuffix(" GMT").replace(" +", "+"))


def _in_words(text: str) -> datetime | None:
    found = [each for each in find_dates(text) if each.precision == "day" and not each.ambiguous]
    day = found[0].readings[0] if len(found) == 1 else None
    if day is None or day.year is None or day.month is None or day.day is None:
        return None
    return datetime(day.year, day.month, day.day, tzinfo=UTC)

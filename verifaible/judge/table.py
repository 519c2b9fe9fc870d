"""The CSV of the public benchmark: ``query``, ``tags``, ``<model>_response``, ``<model>_chat_id``.

Tables of one answer a row (``query``, ``answer`` or ``response``, mostly ``model``) are read, too. Columns of
nobody's are kept in the answer's ``columns``; names count with their capital letters.
"""

from __future__ import annotations

import ast
import csv
import hashlib
import io
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from verifaible.errors import RunError
from verifaible.extract.charset import decode_text
from verifaible.schema.analyst import AnalystAnswer
from verifaible.text.dates import find_dates

#: What may be behind a model's name; of dates the surest first, and they may have no model before them.
_RESPONSE: Final = "_response"
_CHAT_ID: Final = "_chat_id"
DATES: Final = ("answered_at", "date", "timestamp", "created_at")
_ANSWERS: Final = ("response", "answer")
_DELIMITERS: Final = ",;\t"


@dataclass(frozen=True, slots=True)
class Cell:
    """What a row says of one model's answer; ``damaged``: a part of the row could not be decoded."""

    answer: AnalystAnswer
    chat_id: str
    row: int
    damaged: bool


@dataclass(frozen=True, slots=True)
class Table:
    """The answers of a table, row by row, with its models in the order of the columns."""

    cells: tuple[Cell, ...] = field(repr=False)
    models: tuple[str, ...]
    sha256: str


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


def read_table(path: Path) -> Table:
    """The answers of a table.

    Raises:
        RunError: it cannot be read, has no column ``query`` or no answers, or two columns of one name.
    """
    source = read_text(path)
    header, *lines = _lines(path, source.text)
    if "query" not in header:
        raise RunError(
            f"{path} has no column query; its first row is: {', '.join(header)[:300]}. Give the columns "
            "query and tags (in small letters), and <model>_response for each model."
        )
    if twice := sorted({name for name in header if name and header.count(name) > 1}):
        raise RunError(f"{path} has several columns called {', '.join(twice)}. Rename them.")
    ends = (_RESPONSE, _CHAT_ID)
    named = (name.removesuffix(end) for name in header for end in ends if name.endswith(end))
    models = tuple(dict.fromkeys(name for name in named if name))
    tall = any(name in header for name in _ANSWERS) and ("model" in header or not models)
    cells: list[Cell] = []
    for number, line in enumerate(lines, 1):
        names = [*header, *(f"column {at}" for at in range(len(header) + 1, len(line) + 1))]
        row = dict(zip(names, line, strict=False))
        damaged = source.damaged and any("\ufffd" in value for value in line)
        if any(value.strip() for value in line):
            cells += [Cell(*each, number, damaged) for each in _answers(row, () if tall else models)]
    found = tuple(dict.fromkeys(cell.answer.model for cell in cells)) if tall else models
    if not found:
        raise RunError(
            f"{path} has queries but no answers: there is no column <model>_response or <model>_chat_id. "
            "Give a table with answers, or one of query, model and answer."
        )
    return Table(tuple(cells), found, source.sha256)


def _answers(row: Mapping[str, str], models: Sequence[str]) -> Iterator[tuple[AnalystAnswer, str]]:
    """The answers of a row, each with the id of its chat; without models it is a row of one answer."""
    ends = (_RESPONSE, _CHAT_ID, *(f"_{name}" for name in DATES))
    ours = {"query", "tags"} | ({f"{model}{end}" for model in models for end in ends} or {"model", *_ANSWERS})
    for model in models or (row.get("model", ""),):
        begin = f"{model}_" if models else ""
        dates = (*(f"{begin}{name}" for name in DATES), *DATES)
        answers = (f"{model}{_RESPONSE}",) if models else _ANSWERS
        answer = AnalystAnswer(
            id="",
            origin="csv",
            model=model,
            query=row.get("query", ""),
            answer=next((row[name] for name in answers if name in row), ""),
            tags=tags_of(row.get("tags")),
            answered_at=moment_of(next((row[name] for name in dates if row.get(name)), "")),
            columns={name: value for name, value in row.items() if name not in ours},
        )
        yield answer, row.get(f"{begin}chat_id", "").strip()


def _lines(path: Path, text: str) -> list[list[str]]:
    """The lines of a table, the first one without blanks around its names."""
    head = text.partition("\n")[0]
    with _large_fields():
        reader = csv.reader(
            io.StringIO(text, newline=""), delimiter=max(_DELIMITERS, key=head.count), strict=True
        )
        try:
            lines = list(reader)
        except csv.Error as error:
            raise RunError(
                f"{path} is damaged at line {reader.line_num} ({error}): a quote may never be closed. Export "
                "it again as CSV."
            ) from error
    if not lines:
        raise RunError(f"{path} is empty. Give a CSV with the columns query, tags and <model>_response.")
    return [[name.strip() for name in lines[0]], *lines[1:]]


@contextmanager
def _large_fields() -> Iterator[None]:
    """Let fields be of any size: an answer may have megabytes."""
    before = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(before)


# --- values of fields, in tables, records and traces


def tags_of(value: Any) -> tuple[str, ...]:
    """Tags, each once: a list, be it as Python or JSON writes it in a text, or one a line."""
    text = str(value or "").strip()
    if not isinstance(value, list) and text[:1] in ("[", "("):
        try:
            value = ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            value = None
    several = map(str, value) if isinstance(value, list | tuple) else text.splitlines()
    return tuple(dict.fromkeys(each.strip() for each in several if each.strip()))


def moment_of(value: Any) -> datetime | None:
    """A time, in UTC where no zone is said: ISO 8601, a number of seconds (or ms, µs, ns) since 1970, or one
    day in words. None for what is none: it stays in the columns.
    """
    text = str(value).strip()
    if isinstance(value, bool | None) or not 0 < len(text) <= 100:
        return None
    try:
        return _since_1970(float(text)) if len(text) > 8 else datetime.fromisoformat(text).replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        pass
    try:
        moment = datetime.fromisoformat(text.removesuffix(" UTC").replace(" +", "+"))
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        found = [each for each in find_dates(text) if each.precision == "day" and not each.ambiguous]
    day = found[0].readings[0] if len(found) == 1 else None
    if day is None or day.year is None or day.month is None or day.day is None:
        return None
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def _since_1970(number: float) -> datetime | None:
    while 1e11 <= number < 1e20:
        number /= 1000
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=number) if 1e8 <= number < 1e11 else None

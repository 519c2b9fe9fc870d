"""Values of a provider's JSON: numbers in their own digits, their places, and tables of them for a model."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import Final, TypeAlias

from verifaible.errors import WrongContent
from verifaible.text.units import read_unit
from verifaible.tools.presenting import one_line

#: Most characters of data that one table shows the model; the capture has all of them.
SHOWN_CHARACTERS: Final = 6_000
#: A longer text in a cell is shortened for the model.
_CELL_CHARACTERS: Final = 160
#: A later time would be in the year 5138: numbers from here on are milliseconds.
_MILLISECONDS_FROM: Final = Decimal(10) ** 11
#: The unit of a value that is a time: it is shown as one, and is no data point.
TIME: Final = "time"


class Number(str):
    """A number of a JSON text in the digits it was sent in; no float comes between."""

    __slots__ = ()

    @property
    def decimal(self) -> Decimal:
        """Its value."""
        return Decimal(self)


#: What a JSON text holds; numbers are :class:`Number`.
Json: TypeAlias = "bool | str | Number | list[Json] | dict[str, Json] | None"
#: Keys and indexes from the root to a value.
Path: TypeAlias = tuple[str | int, ...]
#: A value with its own path.
Row: TypeAlias = tuple[Path, Json]


def parse(body: bytes, name: str) -> Json:
    """The data of an answer.

    Args:
        body: as it came.
        name: what an error calls it.

    Raises:
        WrongContent: it is not JSON (RFC 8259) in UTF-8.
    """

    def no_constant(text: str) -> Json:
        raise ValueError(f"{text} is no JSON")

    try:
        data: Json = json.loads(
            body.decode("utf-8-sig"), parse_int=Number, parse_float=Number, parse_constant=no_constant
        )
    except (ValueError, RecursionError) as error:
        raise WrongContent(
            f"{name} did not answer with JSON ({one_line(str(error), 120)}). Nothing of it was kept. Use "
            "another tool, or a page that says the same."
        ) from error
    return data


def surprise(name: str, what: str) -> WrongContent:
    """The error for an answer of another form than the provider documents."""
    return WrongContent(
        f"{name} answered in another form than it documents: {what}. Nothing of it was kept. Use another "
        "tool, or a page that says the same."
    )


def pointer(path: Path) -> str:
    """The JSON Pointer of a path (RFC 6901)."""
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in path)


@cache
def path_of(written: str) -> Path:
    """The path that a pointer means (``/data/0/usd``), or one below a row (``item/price``)."""
    return tuple(int(part) if part.isdigit() else part for part in written.split("/") if part)


def at(data: Json, path: Path) -> Json:
    """The value at a path; None where there is none."""
    for part in path:
        if isinstance(data, dict) and isinstance(part, str):
            data = data.get(part)
        elif isinstance(data, list) and isinstance(part, int) and -len(data) <= part < len(data):
            data = data[part]
        else:
            return None
    return data


def decimal_at(data: Json, path: Path = ()) -> Decimal | None:
    """The number at a path; None where there is no number."""
    value = at(data, path)
    if isinstance(value, str):  # a Number is one, too
        try:
            number = Decimal(value)
        except InvalidOperation:
            return None
        return number if number.is_finite() else None
    return None


def text_at(data: Json, path: Path) -> str:
    """The text at a path; empty where there is none."""
    value = at(data, path)
    return value if isinstance(value, str) else ""


def moment_at(data: Json, path: Path = ()) -> datetime | None:
    """The time at a path: ISO 8601, or seconds or milliseconds since 1970; None where there is none."""
    value = at(data, path)
    try:
        if isinstance(value, Number):
            seconds = value.decimal / 1000 if value.decimal >= _MILLISECONDS_FROM else value.decimal
            return datetime.fromtimestamp(float(seconds), UTC)
        if isinstance(value, str) and value:
            moment = datetime.fromisoformat(value)
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, ArithmeticError, OSError):
        pass
    return None


def rows_of(data: Json, path: Path, name: str) -> list[Row]:
    """The elements of the list at a path that are objects or lists, each with its own path.

    Raises:
        WrongContent: there is no list.
    """
    found = at(data, path)
    if not isinstance(found, list):
        raise surprise(name, f"no list at {pointer(path) or 'its root'}")
    return [((*path, place), row) for place, row in enumerate(found) if isinstance(row, dict | list)]


_WORD: Final = re.compile(r"\{(\w+)\}")


def filled(template: str, words: Mapping[str, str]) -> str:
    """A template with its ``{words}``; one that is not known stays as it is."""
    return _WORD.sub(lambda match: words.get(match[1], match[0]), template)


def known(template: str, words: Mapping[str, str]) -> bool:
    """Whether all words of a template are known."""
    return all(name in words for name in _WORD.findall(template))


@dataclass(frozen=True, slots=True)
class Field:
    """A value of each row of an answer, and what it is.

    Attributes:
        path: where it stands below the row, with ``{words}`` of the call; empty for the row itself.
        name: what it counts, in words (``volume_24h``); empty for what is no number.
        unit: its unit, with ``{words}`` of the call or keys of the row and a factor before it where it has
            one (``million USD``); ``time`` for a time.
    """

    path: str
    name: str = ""
    unit: str = ""

    def of(self, words: Mapping[str, str]) -> Field:
        """The same with the words of a call."""
        return replace(self, path=filled(self.path, words), unit=filled(self.unit, words))

    @property
    def head(self) -> str:
        """The head of its column: its place below the row and its unit."""
        shown = "UTC" if self.unit == TIME else "" if "{" in self.unit else self.unit
        return f"{self.path} ({shown})" if shown else self.path

    def cell(self, row: Json) -> str:
        """Its value as a model reads it."""
        value = at(row, path_of(self.path))
        if self.unit == TIME and (moment := moment_at(value)):
            return f"{moment:%Y-%m-%d %H:%M}"
        if value is None or value in ("", [], {}):
            return ""
        written = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        return one_line(written, _CELL_CHARACTERS).replace("|", "\\|")


def fields(lines: str) -> tuple[Field, ...]:
    """Fields from lines ``path name unit``; ``.`` is the row itself, and name and unit may lack."""
    rows = (line.split(None, 2) for line in lines.strip().splitlines())
    return tuple(Field("" if path == "." else path, *told) for path, *told in rows)


def in_one(value: Decimal, unit: str) -> tuple[Decimal, str]:
    """A value whose unit has a factor before it (``million USD``, ``100 per cent``) in the unit itself."""
    factor, _, one = unit.partition(" ")
    if factor.isdigit():
        return value * int(factor), one
    read = read_unit(unit) if one else None
    return (value * read.scale, read.name) if read and read.scale != 1 else (value, unit)


def table(rows: Sequence[Row], columns: Iterable[Field], *, of: int = 0) -> str:
    """Rows as Markdown, each led by its JSON Pointer, as many as fit.

    A column that no row has is left out. The pointer of a value is that of its row, a slash, and the head of
    its column.

    Args:
        rows: each with its path.
        columns: what is shown of them.
        of: how many rows the answer has in all, where that is more.
    """
    kept = [each for each in columns if any(at(row, path_of(each.path)) is not None for _, row in rows)]
    lines = [f"| row | {' | '.join(each.head for each in kept)} |", f"|{'---|' * (len(kept) + 1)}"]
    size = sum(map(len, lines))
    for path, row in rows:
        line = f"| {pointer(path)} | {' | '.join(each.cell(row) for each in kept)} |"
        size += len(line) + 1
        if size > SHOWN_CHARACTERS and len(lines) > 2:
            break
        lines.append(line)
    shown, total = len(lines) - 2, max(of, len(rows))
    if shown < total:
        lines.append(
            f"({shown} of {total} rows are shown; the source holds all. Narrow the call to see others.)"
        )
    return "\n".join(lines)


def facts(row: Row, shown: Iterable[Field]) -> str:
    """Values of one object, a line each: pointer, value, unit; what is missing is left out."""
    lines = []
    for each in shown:
        if value := each.cell(row[1]):
            unit = each.head.removeprefix(each.path)
            lines.append(f"{pointer((*row[0], *path_of(each.path)))}: {value}{unit}")
    return "\n".join(lines)

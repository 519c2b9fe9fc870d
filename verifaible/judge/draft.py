"""What every reader of an input makes, an answer with its sources, and how files and fields are read."""

from __future__ import annotations

import ast
import hashlib
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from verifaible.errors import RunError
from verifaible.evidence.sources import SourceDraft, SourceOrigin
from verifaible.extract.charset import decode_text
from verifaible.schema.analyst import AnalystAnswer, FaultCode, InputFault
from verifaible.text.dates import find_dates

#: Fields that say when an answer was given, the surest first.
DATES: Final = ("answered_at", "date", "timestamp", "created_at")


@dataclass(slots=True)
class Draft:
    """An answer as an input has it.

    Attributes:
        answer: it, without an id where the input gives none; ``sources_known``: the input says what the model
            had, be it nothing.
        origin: who gave the sources.
        sources: those that are not in the store yet.
        faults: what could not be used.
    """

    answer: AnalystAnswer
    origin: SourceOrigin
    sources: list[SourceDraft] = field(default_factory=list)
    faults: list[InputFault] = field(default_factory=list)

    def fault(self, code: FaultCode, message: str) -> None:
        """Note what could not be used."""
        self.faults.append(InputFault(code=code, message=message))

    def update(self, **fields: Any) -> None:
        """Change fields of the answer."""
        self.answer = self.answer.model_copy(update=fields)


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

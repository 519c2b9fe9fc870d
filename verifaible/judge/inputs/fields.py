"""Values of an input's fields: times, and tags."""

from __future__ import annotations

import ast
import re
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, Final

from verifaible.text.dates import find_dates

#: Units of times that are numbers, by the least number that is one: 1973 in each.
_EPOCHS: Final = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3), (1e8, 1.0))
#: A longer text is no time.
_LONGEST_TIME: Final = 100
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def moment_of(value: Any) -> datetime | None:
    """A time, in UTC where no zone is said: ISO 8601 (a day also as ``20251003``), an HTTP date, a number of
    seconds (or ms, µs, ns) since 1970, or one date in words. None for what is none: it stays in the
    input's columns.
    """
    if isinstance(value, bool) or value is None:
        return None
    text = str(value).strip()
    if not text or len(text) > _LONGEST_TIME:
        return None
    try:
        return _since_1970(float(text))
    except ValueError:
        pass
    # of "5:00 PM" the reader of mails takes the hour and drops the rest
    by_mail = () if re.search(r"\d\s*[ap]\.?m\b", text, re.IGNORECASE) else (parsedate_to_datetime,)
    for read in (_iso, *by_mail, _in_words):
        try:
            moment = read(text)
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
        if moment is not None:
            return _in_utc(moment)
    return None


def _in_utc(moment: datetime) -> datetime | None:
    try:
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except OverflowError:
        return None


def _since_1970(number: float) -> datetime | None:
    if 19_000_101 <= number <= 20_991_231 and number.is_integer():
        raise ValueError("digits of a day")
    for least, unit in _EPOCHS:
        if number >= least:
            try:
                return _EPOCH + timedelta(seconds=number / unit)
            except OverflowError:
                return None
    return None


def _iso(text: str) -> datetime:
    plain = text.removesuffix(" UTC").removesuffix(" GMT").replace(" +", "+")
    return datetime.fromisoformat(plain)


def _in_words(text: str) -> datetime | None:
    mentions = [
        mention for mention in find_dates(text) if mention.precision == "day" and not mention.ambiguous
    ]
    if len(mentions) != 1:
        return None
    value = mentions[0].readings[0]
    if value.year is None or value.month is None or value.day is None:
        return None
    return datetime(value.year, value.month, value.day, tzinfo=UTC)


def tags_of(text: str) -> tuple[str, ...]:
    """Tags: a list as Python or JSON writes it, or one a line."""
    text = text.strip()
    if text[:1] in ("[", "(", "{"):
        try:
            value = ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            value = None
        if isinstance(value, set):  # it has no order, and every run would have another
            value = sorted(map(str, value))
        if isinstance(value, list | tuple):
            return _each_once(str(each) for each in value)
    return _each_once(text.splitlines())


def tags_from(value: Any) -> tuple[str, ...]:
    """Tags of a JSON field: a list, or a text."""
    if isinstance(value, list):
        return _each_once(str(each) for each in value)
    return tags_of(str(value)) if value else ()


def _each_once(values: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each for value in values if (each := value.strip())))

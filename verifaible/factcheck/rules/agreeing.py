"""Whether a place of a source is about what a claim's value is about."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from verifaible.factcheck.numbers.beside import in_two_ways, shows_commas
from verifaible.factcheck.numbers.periods import days_of, find_periods, implies
from verifaible.factcheck.numbers.quantities import Likeness, Quantity, liken_as
from verifaible.factcheck.rules.lexicon import VOLATILE, metric_window
from verifaible.factcheck.plain_words import content_words
from verifaible.factcheck.rules.reading import Manner, Reading
from verifaible.factcheck.rules.wanted import Want, Wanted
from verifaible.schema.verdict import Passage
from verifaible.text.lists import parted

#: A source's date may lie so many days before the answer for a value that moves, and so many behind it.
_FRESH_DAYS: Final = (3, 1)
#: So many days more, where only a heading has the date.
_HEADING_DAYS: Final = 40
#: Of a passage that many code points are read for dates.
_MOST_QUOTE: Final = 2_000
#: Of a label that many code points are read for words.
_MOST_LABEL: Final = 200
#: Manners in which nothing is stated, and those that claim and place must share.
_NEVER: Final[frozenset[Manner]] = frozenset(("denied", "unclear", "question"))
_ALIKE: Final[frozenset[Manner]] = frozenset(("forecast", "earlier", "range"))
#: What is of no asset or protocol.
_OF_NO_ASSET: Final = frozenset(("policy_rate", "fear_greed"))
_DATE: Final = re.compile(r"(?:19|20)\d\d(?:-|\Z|\|)|Q[1-4]|H[12]|--\d")


def likeness(quantity: Quantity, reading: Reading) -> Likeness:
    """Whether a reading states a claim's number, leaves it open, or states another one."""
    alike = liken_as(quantity, reading.unit, reading.value, reading.digits, stated=reading.quantity)
    raw = reading.mention.raw if reading.mention and reading.kind != "json" else ""
    if alike != "open" and raw and in_two_ways(raw) and shows_commas(reading.text):
        return "open"  # "1.234" in a source with decimal commas
    return alike


def is_bound(reading: Reading, want: Want, wanted: Wanted, at: datetime | None) -> bool:
    """Whether a place is bound to what the claim says its value is of, in the direction that it says."""
    return wanted.named and is_about(reading, want, wanted, at) and _direction_agrees(reading, want)


def is_about(reading: Reading, want: Want, wanted: Wanted, at: datetime | None) -> bool:
    """Whether a place is bound to the subject, metric, period and manner of a claim's value."""
    return (
        _subjects_agree(reading, want, wanted)
        and metrics_agree(reading, want)
        and _manner_agrees(reading, want, named=is_row_of(reading, want, wanted))
        and _period_agrees(reading, want, at)
        and _words_agree(reading, want, wanted)
        and _providers_agree(reading, wanted)
    )


def _subjects_agree(reading: Reading, want: Want, wanted: Wanted) -> bool:
    """Whether a place is of the claim's subject, be that its own or lent by its context or the topic."""
    if reading.subjects != want.subjects:
        if by_host(reading, want):
            return wanted.bare
        lent = not wanted.own_subjects and _lent_agree(reading, want, wanted)
        return lent or is_row_of(reading, want, wanted)
    if wanted.own_subjects or not want.subjects or not wanted.proper:
        return True
    if want.metric and not reading.lent:
        return _is_common(reading, wanted)
    return wanted.proper_words <= (reading.words if _is_dated_row(reading) else reading.own)


def is_row_of(reading: Reading, want: Want, wanted: Wanted) -> bool:
    """Whether a cell of a table's row is the name that the claim has and the table of names has not."""
    if (
        reading.kind != "row"
        or wanted.own_subjects
        or wanted.bare
        or not want.metric
        or not wanted.proper_words
    ):
        return False
    return any(content_words(cell) == wanted.proper_words for cell in reading.cells)


def _is_dated_row(reading: Reading) -> bool:
    """Whether a date is all that names a row of a table."""
    named = any(re.search(r"[A-Za-z\u3400-\u9fff]{3,}", cell) for cell in reading.cells)
    return reading.kind == "row" and bool(reading.dated) and not named


def _lent_agree(reading: Reading, want: Want, wanted: Wanted) -> bool:
    """The same of a claim that names no asset, and a place of another one or of none.

    A place without one must have the claim's words, and no other name may stand over it; one with another
    may have it from a heading alone, and must have the claim's own name.
    """
    if not want.subjects:
        return reading.lent and wanted.proper and wanted.proper_words <= reading.own
    if reading.subjects or want.metric in _OF_NO_ASSET:
        return not reading.subjects
    if not (want.words | want.close) & reading.own or reading.foreign - wanted.allowed:
        return False
    return not (reading.named or wanted.proper) or _is_named(reading, wanted)


def by_host(reading: Reading, want: Want) -> bool:
    """Whether only the protocol of a place's product is the claim's subject: there may be other products."""
    return bool(reading.host) and reading.host == want.subjects != reading.subjects


def _is_common(reading: Reading, wanted: Wanted) -> bool:
    """Whether what looks like a name at the beginning of a claim is a word, as the place writes it."""
    first = wanted.first_word
    return bool(first) and reading.kind == "prose" and first.lower() in reading.where.quote.split()


def metrics_agree(reading: Reading, want: Want) -> bool:
    """Whether a place is of the claim's metric; a signed flow is one in or out by its sign."""
    if reading.metric == want.metric:
        return True
    if want.metric == "outflow":
        return reading.metric in ("flow", "inflow") and reading.value < 0
    return want.metric == "inflow" and reading.metric == "flow" and reading.value > 0


def _direction_agrees(reading: Reading, want: Want) -> bool:
    if "/change" in want.metric:
        return reading.signed or not want.quantity.signed
    if "earlier" in want.manner and want.dates and reading.dated:
        return True
    return not want.direction or reading.direction == want.direction


def _words_agree(reading: Reading, want: Want, wanted: Wanted) -> bool:
    """Whether the place has the words of the claim, and nothing beside the value that the claim has not."""
    here = reading.words | reading.close
    if reading.close - wanted.allowed or want.close - here:
        return False
    several = len(wanted.values) > 1
    if several and reading.close - want.around - wanted.about:
        return False
    if not want.subjects and not _is_named(reading, wanted):
        return False
    if not want.metric and not (want.words | want.close) & here and not (wanted.bare and want.windows):
        return False
    return several or not want.words - here - content_words(_title(reading))


def _title(reading: Reading) -> str:
    return f"{reading.source.title} {reading.source.url}"


def _providers_agree(reading: Reading, wanted: Wanted) -> bool:
    """Whether the place is of the provider of data that the claim names, if it names one."""
    if not wanted.providers:
        return True
    told = f"{_title(reading)} {' '.join(reading.labels)}".lower()
    names = (provider.lower() for provider in wanted.providers)
    return all(name in told or name.replace(" ", "") in told for name in names)


def _is_named(reading: Reading, wanted: Wanted) -> bool:
    """Whether a place is of the name that a claim has, where the table of names has it not."""
    if reading.named:
        return any(way <= wanted.allowed for way in reading.named)
    proper = wanted.proper_words
    if proper <= reading.own:
        return True
    for label in reading.labels:
        words = frozenset(word for word in content_words(label[:_MOST_LABEL]) if not word.isdigit())
        if words - reading.own:
            return proper <= words | reading.own
    return False


def _manner_agrees(reading: Reading, want: Want, *, named: bool = False) -> bool:
    """``named``: the claim's name is that of a row, so that other names in it leave nothing unclear."""
    both = (reading.manner - {"unclear"} if named else reading.manner) | want.manner
    if both & _NEVER:
        return False
    alike = _ALIKE - {"earlier"} if want.dates and reading.dated else _ALIKE
    return all((manner in reading.manner) == (manner in want.manner) for manner in alike & both)


def _period_agrees(reading: Reading, want: Want, at: datetime | None) -> bool:
    dates = frozenset(each for each in reading.moments if is_date(each))
    windows = reading.moments - dates
    if want.windows:
        if windows != want.windows:
            return False
    elif windows and windows != {metric_window(want.metric)}:
        return False
    if want.dates:
        return all(any(implies(each, date) for each in dates) for date in want.dates)
    return _undated_agrees(reading, want, dates, at)


def _undated_agrees(reading: Reading, want: Want, dates: frozenset[str], at: datetime | None) -> bool:
    """The same of a claim without a date of its own."""
    if want.over and dates and not any(_overlap(each, date) for each in dates for date in want.over):
        return False
    if want.metric.split("/")[0] not in VOLATILE or not dates:
        return True
    if reading.dated:
        return at is not None and all(is_fresh(each, at) for each in reading.dated)
    return at is None or all(is_fresh(each, at, slack=_HEADING_DAYS) for each in dates)


def in_its_time(wanted: Wanted, passages: Iterable[Passage], at: datetime | None) -> bool:
    """Whether places that state a claim without a date are of no other time than the labels over it."""
    if wanted.dates or not wanted.over:
        return True
    for passage in passages:
        dates = [each.value for each in find_periods(passage.quote[:_MOST_QUOTE], at) if each.dated]
        if dates and not any(_overlap(each, date) for each in dates for date in wanted.over):
            return False
    return True


def _overlap(one: str, other: str) -> bool:
    return implies(one, other) or implies(other, one)


def is_date(moment: str) -> bool:
    """Whether a moment of a reading is on the calendar, and not a window."""
    return _DATE.match(moment) is not None


def is_fresh(moment: str, at: datetime, *, slack: int = 0) -> bool:
    """Whether a date lies so near an answer that a value of that day may count as today's."""
    days = days_of(moment)
    if days is None:
        return False
    first = at.date() - timedelta(days=_FRESH_DAYS[0] + slack)
    last = at.date() + timedelta(days=_FRESH_DAYS[1])
    return days[0] <= last and days[1] >= first


def elsewhere(reading: Reading, want: Want) -> bool:
    """Whether a place is plainly of something else than the claim's value."""
    if "unclear" in reading.manner:
        return False
    if reading.subjects and want.subjects and not reading.subjects & want.subjects:
        return True
    one, other = reading.metric, want.metric
    if one and other and one != other and not _kin(one, other):
        return True
    windows = frozenset(each for each in reading.moments if not is_date(each))
    return bool(windows and want.windows and not windows & want.windows)


def _kin(one: str, other: str) -> bool:
    """Whether two metrics may be two words for one thing."""
    if ("/change" in one) != ("/change" in other):
        return False
    first, second = (set(re.split(r"[+/]", each)) - {"change"} for each in (one, other))
    if first & second:
        return True
    return any(first <= family and second <= family for family in _FAMILIES)


_FAMILIES: Final = tuple(
    frozenset(family.split())
    for family in parted(
        "supply circulating_supply total_supply max_supply|apy apr inflation|"
        "fees revenue earnings|users addresses holders|high ath resistance target|"
        "low atl support|valuation market_cap funding fdv|staked tvl|gas fee_rate fees"
    )
)

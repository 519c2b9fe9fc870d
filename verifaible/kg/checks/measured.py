"""Whether amount, unit and date of a triple are those of its words, and of the tags on them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Final

from verifaible.factcheck.words import words_of
from verifaible.kg.checks.around import AFTER, Around, Check, CheckVerdict, figures_in, scales_in
from verifaible.kg.filing import Filing
from verifaible.kg.triples import XBRL, Triple
from verifaible.kg.xbrl import Fact, Period
from verifaible.text.compare import compare
from verifaible.text.periods import find_periods
from verifaible.text.units import money_signs, unit_kind

#: What a check says, and why.
Said = tuple[Check, CheckVerdict, str]
_ONE: Final = Decimal(1)
_ANY_SCALE: Final = (Decimal(10**3), Decimal(10**6), Decimal(10**9))
_LETTER: Final = re.compile(r"[^\W\d_]")
_HUNDREDTH: Final = Decimal("0.01")
_NIL: Final = re.compile(r"[\W_]*\Z")
#: Words of a row or a head that say what is counted, that it is a price, and that it is a part.
_COUNTED: Final = re.compile(
    r"\b(?:shares?|units|awards|options|rights|outstanding|number of)\b", re.IGNORECASE
)
_SHARES: Final = re.compile(r"\b(?:shares|number of)\b", re.IGNORECASE)
_PER: Final = re.compile(r"\b(?:per|prices?|each|average|par)\b", re.IGNORECASE)
_PART: Final = re.compile(r"%|\bper ?cent|\brates?\b|\bratio", re.IGNORECASE)
#: A label with a date that its row is of; other dates in a label are of what it names ("notes due 2031").
_BALANCE: Final = re.compile(r"\b(?:balances?|as of|at|ended|ending)\b", re.IGNORECASE)
_OPENING: Final = re.compile(r"\b(?:beginning|opening|start|prior|previous|1)\b", re.IGNORECASE)
_SHORTER: Final = re.compile(r"\b(?:months?|quarters?|weeks?|days?|through|to date)\b", re.IGNORECASE)
#: An amount in a table with a scale is no less, and a price mostly is.
_SCALED: Final = 1000
_YEAR_DAYS: Final = 350
#: Rows of a table that may be its head.
_HEAD_ROWS: Final = 3
#: Words of a concept's name: ``NetIncomeLoss``.
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def measured(triple: Triple, around: Around) -> Iterator[Said]:
    """What amount, unit and date are, for a metric with a value; for another one, figures in its tail."""
    if triple.value is None:
        yield from _in_words(triple, around)
        return
    yield _amount(triple, around)
    yield _unit(triple, around)
    if triple.period:
        yield _date(triple, around)


def _amount(triple: Triple, around: Around) -> Said:
    """Whether the figure shown, in a scale that the text gives, is the value; its sign is not compared."""
    figure, size = around.figure, abs(triple.value or Decimal(0))
    if figure is None:
        nil = _NIL.match(around.pages.filing.text[around.start : around.end])
        if nil and size:
            return "amount", "wrong", "a dash stands there"
        return ("amount", "ok", "") if nil else ("amount", "open", "no figure stands there")
    shown = abs(figure.scaled_value)
    half = Decimal(1).scaleb(figure.places) * figure.scale / 2000  # a tag has the very digits that are shown
    if any(abs(size - shown * each) <= half * each for each in _factors(triple, around)):
        return "amount", "ok", ""
    if not around.cell and not _LETTER.search(around.sentence):
        return "amount", "open", "no words stand around the figure"
    unscaled = around.cell and figure.scale == 1 and not _scales_over(around)
    if unscaled and any(abs(size - shown * each) <= half * each for each in _ANY_SCALE):
        return "amount", "open", "no scale is found over the table"
    return "amount", "wrong", f"the text shows {figure.raw}"


def _factors(triple: Triple, around: Around) -> set[Decimal]:
    """What the figure may be multiplied by: 1, and in a table the scales that are declared over it."""
    told = {_ONE}
    if triple.unit == "pure":
        told.add(_HUNDREDTH)
    if around.cell and around.figure and around.figure.scale == 1:
        told |= _scales_over(around) or around.pages.scales
    return told


def _scales_over(around: Around) -> set[Decimal]:
    """The scales that are declared over a cell."""
    return set(scales_in(around.window.text[: around.start - around.window.start]))


def _is_scaled(triple: Triple, around: Around) -> bool:
    """Whether the value is more than what is shown, by a scale that stands over it or behind it."""
    figure = around.figure
    size = abs(triple.value or Decimal(0))
    return bool(
        figure and figure.scaled_value and (figure.scale != 1 or size >= abs(figure.scaled_value) * 1000)
    )


def _unit(triple: Triple, around: Around) -> Said:
    """Whether the text gives the unit; where it gives another and nothing of this one, it is wrong."""
    money, _, per = triple.unit.partition("/")
    if unit_kind(money) != "money" and triple.unit not in ("shares", "pure"):
        return "unit", "open", "a unit that is a tag's"
    if around.figure is None and around.cell is None:
        return "unit", "open", "no figure stands there"
    told, sure = _told(around)
    if money in told and unit_kind(money) == "money":
        return _priced(triple, around, per=bool(per))
    verdict: CheckVerdict = "ok" if triple.unit in told else "wrong"
    if verdict == "wrong" and (not told or (not sure and _may_be(triple.unit, triple, around, told))):
        verdict = "open"
    return "unit", verdict, "" if verdict == "ok" else f"the text tells {_either(told)}"


def _may_be(unit: str, triple: Triple, around: Around, told: set[str]) -> bool:
    """Whether the words around allow a unit that is not told at the figure itself."""
    near = around.near if told or not around.cell else f"{around.near} {' '.join(around.named)}"
    if unit == "shares":
        return bool(_COUNTED.search(near))
    if unit == "pure":
        return bool(_PART.search(near)) and not _is_scaled(triple, around)
    money = unit.partition("/")[0]
    return not told and money in around.pages.currencies


def _priced(triple: Triple, around: Around, *, per: bool) -> Said:
    """Of a price and an amount, both in money: a price is not scaled, and words say that it is one."""
    size = abs(triple.value or Decimal(0))
    scaled, priced = _is_scaled(triple, around), bool(_PER.search(around.near))
    if per and (scaled or not (size or priced)):
        return "unit", "wrong", "the text shows an amount, not a price"
    if not per and around.cell and around.pages.scales and 0 < size < _SCALED and priced:
        return "unit", "wrong", "the text shows a price, not an amount"
    return "unit", "ok", ""


def _either(told: set[str]) -> str:
    return " or ".join(sorted(told)[:2]) or "no unit"


def _told(around: Around) -> tuple[set[str], bool]:
    """The units that the text tells of a figure, and whether it tells them at the figure itself."""
    figure = around.figure
    if figure is not None and (figure.unit or figure.currencies):
        named = {"%": {"pure"}, "pp": {"pure"}, "share": {"shares"}, "shares": {"shares"}, "股": {"shares"}}
        return named.get(figure.unit, set(figure.currencies)), True
    if around.cell is None or _LETTER.search(around.row[around.cell[2]].text):
        return set(), False
    table, _, column = around.cell
    cells = around.row
    after = next((c.text for c in cells[column + 1 :] if c.text not in ("", cells[column].text)), "")
    beside = {"pure"} if after.startswith("%") else _money(cells[column - 1].text if column else "")
    if beside:
        return beside, True
    # where another column is headed by shares, this one has their amount
    elsewhere = _SHARES.search(_heads_of(around)) and not _SHARES.search(around.heads)
    if _SHARES.search(f"{around.label} {around.section}") and not (figures_in(around.label) or elsewhere):
        return {"shares"}, False
    columns = range(max(0, column - 1), column + 2)
    signs = [_money(cs[at].text) for cs in table.rows for at in columns if at < len(cs)]
    signs = signs if any(signs) else [_money(each.text) for cs in table.rows for each in cs]
    return set().union(*signs), False


def _money(text: str) -> set[str]:
    """The currencies that a cell begins with the sign of."""
    sign = text.lstrip("( ")[:1]
    return set(money_signs().get(sign, ())) if sign and not sign.isalnum() else set()


def _date(triple: Triple, around: Around) -> Said:
    """Whether the dates of the heads, or of the sentence, allow the period."""
    start, _, end = triple.period.rpartition("/")
    period = Period(date.fromisoformat(start) if start else None, date.fromisoformat(end))
    told = _dates_told(around)
    said = around.near if around.cell else around.sentence
    if not told:
        return _undated(period, around)
    if any(_fits(period, each, around, said) for each in told):
        return "date", "ok", ""
    if not around.in_table and period.end == around.pages.filing.period:
        return "date", "open", "the text tells other dates, and the report's year may be meant"
    return "date", "wrong", f"the text tells {' or '.join(dict.fromkeys(told))}"


def _undated(period: Period, around: Around) -> Said:
    """What is not dated is of the report's year; of another one only where the chunk names that.

    A month that is not named refutes nothing: it is not found.
    """
    end, report = period.end, around.pages.filing.period
    year = around.pages.year_end(end)
    named = {str(year), str(end.year)} & around.years
    if report and end - report > AFTER:
        return "date", "wrong", "the period lies after the report"
    if year != around.pages.year and not named:
        return "date", "wrong", f"nothing there is of {year or end.year}"
    return "date", "open", "the text tells no date"


def _dates_told(around: Around) -> list[str]:
    """The dates of a sentence; of a cell those of its row, its heads, its section, the balance below it."""
    if around.cell is None:
        return around.dates(around.sentence)
    label = around.label
    dated = _BALANCE.search(label) or not re.search(r"[^\W\d_]{3}", label)
    if dated and (found := around.dates(label)):
        return found
    if _is_date(label):
        return []  # a day of something else, such as a note's issue: the heads do not date its figures
    balance = next((each for each in around.below() if _BALANCE.search(each) and around.dates(each)), "")
    table, row, column = around.cell
    corner = " ".join(cells[0].text for cells in table.rows[: min(row, table.first)] if cells)
    texts = (around.heads if column else _heads_of(around), around.section, balance, table.caption, corner)
    return next((found for each in texts if (found := around.dates(each))), [])


def _is_date(label: str) -> bool:
    """Whether a label names a date and nothing else."""
    spans = [(each.start, each.end) for each in find_periods(label)]
    rest = "".join(sign for at, sign in enumerate(label) if not any(low <= at < high for low, high in spans))
    return bool(spans) and not re.search(r"[^\W\d_]{3}", rest)


def _heads_of(around: Around) -> str:
    """The first rows of the table, all columns of them, as far as they stand over the cell."""
    if around.cell is None:
        return ""
    table, row, _ = around.cell
    return " ".join(cell.text for cells in table.rows[: min(row, _HEAD_ROWS)] for cell in cells)


def _fits(period: Period, told: str, around: Around, said: str) -> bool:
    """Whether a date that the text tells is of a period."""
    end = period.end
    opening = period.start is None and bool(_OPENING.search(said))
    if re.fullmatch(r"\d{4}-\d\d-\d\d", told):
        day = date.fromisoformat(told)
        before = opening and around.pages.year_end(end) == (around.pages.year_end(day) or 0) - 1
        return abs(day - end) <= timedelta(days=1) or day == period.start == end or before
    if re.fullmatch(r"\d{4}", told):
        year = around.pages.year_end(end)
        if year is None:
            return str(end.year) == told and bool(_SHORTER.search(said))
        short = period.start is not None and period.days < _YEAR_DAYS
        names = {str(year), str(year + 1)} if opening else {str(year)}
        return told in names and not (short and not _SHORTER.search(said))
    return end.isoformat().startswith(told.rpartition("/")[2]) or not re.match(r"\d{4}-\d\d", told)


def _in_words(triple: Triple, around: Around) -> Iterator[Said]:
    """Figures and dates in the tail: each is compared with all of the sentence."""
    claimed, stated = figures_in(triple.tail), figures_in(around.sentence)
    for one in claimed:
        # A triple has the figure of its own sentence: that this is a rough one leaves no other open.
        likes = {compare(one, replace(each, about=False)) for each in stated}
        verdict: CheckVerdict = "ok" if "same" in likes else "open" if "open" in likes else "wrong"
        yield "amount", verdict, "" if verdict == "ok" else f"the text does not say {one.raw}"
    days, there = around.dates(triple.tail), around.dates(around.sentence)
    if days:
        fits = all(any(each.startswith(day) for each in there) for day in days)
        yield "date", "ok" if fits else "wrong", "" if fits else f"the text does not say {', '.join(days)}"


#: A value that is rounded differs from the tag's by no more than this share.
_ROUNDED: Final = Decimal("0.005")


def tags(triple: Triple, filing: Filing) -> Iterator[Said]:
    """A figure beside the tags on the words that it rests on; only for runs that were not shown the tags.

    A tag is the triple's if its value is; another tag of the same concept and period refutes it.
    """
    value = triple.value
    if value is None and triple.tail_type == "amount":
        value = next((each.scaled_value for each in figures_in(triple.tail)), None)
    if triple.by == XBRL or value is None:
        return
    beside = [fact for fact in filing.facts if fact.value is not None and _overlaps(fact, triple)]
    alike = [fact for fact in beside if _is_near(value, fact.value or Decimal(0))]
    if any(_is_of(fact, triple) for fact in alike):
        yield "tags", "ok", ""
    elif alike:
        fact = alike[0]
        yield "tags", "wrong", f"the tag there says {fact.value} {fact.unit} of {fact.period}"
    elif same := [fact for fact in beside if _is_of(fact, triple) and _is_named(fact, triple)]:
        yield "tags", "wrong", f"the tag {same[0].concept} there says {same[0].value}"
    else:
        yield "tags", "open", "no tag there is of this figure"


def _overlaps(fact: Fact, triple: Triple) -> bool:
    return any(start < triple.end and triple.start < end for start, end in fact.spans)


def _is_near(one: Decimal, other: Decimal) -> bool:
    return abs(abs(one) - abs(other)) <= abs(other) * _ROUNDED


def _is_of(fact: Fact, triple: Triple) -> bool:
    """Whether unit and period of a tag are the triple's, as far as this says them."""
    unit = triple.unit in ("", fact.unit)
    if not triple.period or fact.period is None:
        return unit
    end = date.fromisoformat(triple.period.rpartition("/")[2])
    return unit and (str(fact.period) == triple.period or fact.period.end == end)


def _is_named(fact: Fact, triple: Triple) -> bool:
    """Whether the tail names the concept of a tag."""
    words = words_of(triple.tail)
    return bool(words) and words <= words_of(_CAMEL.sub(" ", fact.concept.rpartition(":")[2]))

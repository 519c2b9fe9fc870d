"""Whether what a sentence says of a number contradicts what the data say that the number is."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Final

from verifaible.crypto.numbers.sentences import Spoken
from verifaible.judge.numbers.periods import find_periods, implies
from verifaible.judge.numbers.quantities import Quantity, liken_values, units_agree, units_may_agree
from verifaible.judge.rules.lexicon import Lexicon, find_metrics
from verifaible.judge.rules.plain_words import direction
from verifaible.old.units import read_unit, unit_kind


@dataclass(frozen=True, slots=True)
class Stated:
    """A value of the data, and what it is.

    Attributes:
        value: the value.
        asset: whose it is, as the table of names calls it; empty: the whole market's; None: not known.
        unit: as :class:`~verifaible.schema.data.Facets` have it; None: not known.
        field: what is counted.
        day: the day that it is of; None: not known.
        unit_asset: the asset in which another's value is told (the BTC of ETH/BTC).
    """

    value: Decimal
    asset: str | None
    unit: str | None
    field: Field
    day: date | None
    unit_asset: str | None = None


@dataclass(frozen=True, slots=True)
class Field:
    """A field's name, read as words.

    Attributes:
        words: the name with blanks, without its windows: ``transfer amount``.
        metrics: those of the table that it names; none for a field that the table does not have.
        windows: the periods in it: ``24h``.
    """

    words: str = ""
    metrics: frozenset[str] = frozenset()
    windows: frozenset[str] = frozenset()

    @property
    def told(self) -> str:
        """What it is called in a sentence."""
        return self.words or ", ".join(sorted(self.metrics)).replace("_", " ")

    def named_in(self, text: str) -> bool:
        """Whether a text in lower case has the name itself."""
        return bool(self.words) and re.search(rf"\b{re.escape(self.words)}\b", text) is not None

    @classmethod
    @lru_cache(4096)  # a table has one field in each of its rows
    def of(cls, name: str) -> Field:
        """A field by its name in the data."""
        words = name.replace("_", " ").replace("-", " ").strip().lower()
        periods = find_periods(words)
        bare = words
        for period in reversed(periods):
            bare = bare[: period.start] + bare[period.end :]
        return cls(
            words=" ".join(bare.split()),
            metrics=_metrics(words) | (_DRAWDOWN if words.endswith("drawdown") else frozenset()),
            windows=frozenset(period.value for period in periods if not period.dated),
        )


def asset_of(written: str, lexicon: Lexicon) -> str:
    """What the table of names calls an asset: a ticker, a name, or the first part of a market (BTCUSDT)."""
    if not written:
        return ""
    if known := lexicon.resolve(written, symbol=True) or lexicon.resolve(written):
        return known
    for end in range(len(written) - 1, 1, -1):
        quote = written[end:].lstrip("/-_")
        if quote and (read_unit(quote).currencies or lexicon.resolve(quote, symbol=True)):
            base = written[:end].rstrip("/-_")
            if known := lexicon.resolve(base, symbol=True):
                return known
    return written


#: A drawdown is the change from a high.
_DRAWDOWN: Final = frozenset(("ath", "high", "change"))
#: Of a range, and of the prices of a period.
_ENDS: Final = frozenset(("low", "high"))
#: What can be said of a number of any field.
_OF_ANY: Final = frozenset(("distance", "share"))
#: How far a value may be from a share in words ("a third"), and from one that is said to be about so.
_SHARES: Final = {False: Decimal("0.03"), True: Decimal("0.1")}
_DEFINITE: Final = re.compile(r"\bthe\s+\Z", re.IGNORECASE)
_GROUPED: Final = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:(?:,\d{3})+|(?:\.\d{3})+)(?![.,]?\d)")
#: "Up" that is no rise.
_GAVE_UP: Final = re.compile(r"\bg(?:ave|ives?|iven|iving) up\b", re.IGNORECASE)
#: It says of volume as well as of a price that something is traded.
_TRADED: Final = re.compile(r"\bchang(?:es?|ed|ing) hands\b(?! (?:at|for)\b)")
_CLAUSE: Final = re.compile(r"[,;.:(]")


def contradictions(spoken: Spoken, stated: Stated, fields: Collection[Field]) -> Iterator[str]:
    """A sentence for each way in which what is said of a number is not what the data say.

    What a sentence leaves unsaid contradicts nothing.

    Args:
        spoken: the number, and what is said of it.
        stated: the value that its mark leads to.
        fields: all fields of the answer's data: what else a sentence can name.
    """
    number = spoken.bound.quantity
    shown = number.mention.raw.strip()
    if _unit_differs(number, stated.unit):
        told = stated.unit or "a number without a unit"
        yield f"The data have {told} there, and the sentence says {shown}."
    elif not _value_same(spoken, stated):
        yield f"The data say {stated.value} there, which is not {shown} in the digits shown."
    elif _turned(spoken, stated):
        yield f"The data say {stated.value} there, and the sentence says the opposite."
    if _asset_differs(spoken, stated):
        subjects = ", ".join(each or "the whole market" for each in sorted(spoken.subjects))
        yield f"The value there is of {stated.asset or 'the whole market'}, and the sentence of {subjects}."
    if _field_differs(spoken, stated.field, fields):
        yield f"The value there is the {stated.field.told}, and the sentence says something else."
    if (
        stated.day
        and spoken.dates
        and not any(implies(stated.day.isoformat(), each) for each in spoken.dates)
    ):
        dates = ", ".join(sorted(spoken.dates))
        yield f"The value there is of {stated.day}, and the sentence says {dates}."


def _unit_differs(number: Quantity, told: str | None) -> bool:
    if told is None or not number.unit or (number.unit == "cent" and read_unit(told).currencies):
        return False
    if not told:  # points, times and what is counted are pure numbers
        return not units_agree(number.unit, "") and number.unit != "倍" and unit_kind(number.unit) != "count"
    unit = read_unit(told)
    name = unit.name or told
    if number.unit.casefold() == name.casefold() or units_agree(number.unit, name, basis=number.basis):
        return False
    if number.currencies and unit.currencies:
        return unit.name not in number.currencies
    return not units_may_agree(number.unit, name, currencies=(number.currencies, unit.currencies))


def _value_same(spoken: Spoken, stated: Stated) -> bool:
    """Whether a number is the value, in the digits shown and in one of the ways to read them."""
    alone = _without_sign(spoken, stated.field)
    value = abs(stated.value) if alone else stated.value
    for reading in _readings(spoken, stated):
        number = replace(reading, value=abs(reading.value)) if alone else reading
        if number.worded and abs(number.value - value) <= abs(value) * _SHARES[number.about]:
            return True
        if liken_values(number, value, Decimal(0)) == "same":
            return True
    return False


def _without_sign(spoken: Spoken, field: Field) -> bool:
    """Whether a number gives the size of a change alone, and a word, known or not, its direction."""
    if field.words.endswith("drawdown"):  # a fall by its name
        return True
    if "change" not in field.metrics or _signed(spoken) or "change" in _metrics(spoken.lead):
        return False
    return spoken.verb or bool(direction(spoken.before) or direction(spoken.lead))


def _signed(spoken: Spoken) -> bool:
    return spoken.bound.quantity.mention.sign_source in ("sign", "brackets")


def _readings(spoken: Spoken, stated: Stated) -> Iterator[Quantity]:
    """The ways to read a number: a sign between digits can part thousands or be that of decimals."""
    number = spoken.bound.quantity
    if number.limit and _DEFINITE.search(spoken.lead):  # "more than the 5 of another" is 5
        number = replace(number, limit="")
    if number.unit == "cent" and read_unit(stated.unit or "").currencies:
        number = replace(number, value=number.value / 100, half=number.half / 100)
    yield number
    digits = _GROUPED.search(number.mention.raw) if spoken.foreign else None
    if digits and number.mention.value:
        factor = abs(number.value / number.mention.value).copy_sign(number.value)
        whole, decimal = Decimal(re.sub(r"[.,]", "", digits[0])), digits[0].replace(",", ".")
        noughts = len(str(whole)) - len(str(whole).rstrip("0"))
        half = abs(factor) / 2  # noughts before a scale fill: "254.000 millones"
        half *= 10**noughts if number.mention.scale != 1 else 1
        mention = replace(number.mention, value=whole)
        yield replace(number, mention=mention, value=whole * factor, half=half)
        if decimal.count(".") == 1:
            yield replace(number, value=Decimal(decimal) * factor, half=abs(factor) / 2000)


def _turned(spoken: Spoken, stated: Stated) -> bool:
    """Whether a change is said to go the other way, in words that are known."""
    if "change" not in stated.field.metrics or _signed(spoken):
        return False
    lead, behind = (_GAVE_UP.sub("", text) for text in (spoken.lead, _CLAUSE.split(spoken.behind)[0]))
    told = direction(lead) or direction(behind)
    return bool(told) and told * stated.value < 0


def _asset_differs(spoken: Spoken, stated: Stated) -> bool:
    asset = stated.asset
    said = spoken.subjects - {stated.unit_asset}
    if asset is None or asset in spoken.subjects or not said:
        return False
    return bool(asset) or not spoken.lent


def _field_differs(spoken: Spoken, field: Field, fields: Collection[Field]) -> bool:
    """Whether the sentence names another field: by the table of metrics, or by the data's own names."""
    bound, lead, own = spoken.bound, spoken.lead.lower(), field.metrics - {"change"}
    around = f"{lead} {spoken.behind.lower()}"
    last = [each.value for each in find_metrics(lead) if each.value != "change"][-1:]
    if field.windows and bound.windows and not field.windows & bound.windows:
        return True
    if own & _ENDS and bound.quantity.told in _ENDS:
        return bound.quantity.told not in own
    if (" " in field.words and field.words in around) or (last and own.issuperset(last)):
        return False
    said, told = _said(spoken, fields), _metrics(around)
    if not field.metrics:  # the table has no word for it: the name in the data is all that there is
        named = bool(field.words) and field.words in around
        return not named and bool(told & said) and any(said & other.metrics for other in fields)
    if any(not _metrics(other.words) and other.named_in(lead) for other in fields if other != field):
        return True
    # "5% higher than" does not say what it is of; "and that of the other is $6" says it before
    open_ = not said or said & _OF_ANY or (not told and own & _metrics(spoken.before))
    changes = "/" in bound.metric
    other = own and not any(one == each or one.endswith(f"_{each}") for one in said for each in own)
    return not open_ and (changes != ("change" in field.metrics) or bool(other))


def _said(spoken: Spoken, fields: Collection[Field]) -> frozenset[str]:
    """The metrics that a sentence says a number to be of; none where it is not certain."""
    said = frozenset(filter(None, spoken.bound.metric.partition("/")[0].split("+")))
    before = _metrics(_TRADED.sub("", spoken.before + spoken.lead))
    if "price" in said and not before & {"price", "change"}:  # no word says so
        return frozenset()
    own = said & _metrics(f"{spoken.lead} {spoken.behind}")
    # what was said of a number before it, and what no number of the data is
    return said if own or any(said & other.metrics for other in fields) else frozenset()


def _metrics(text: str) -> frozenset[str]:
    return frozenset(metric.value for metric in find_metrics(text))

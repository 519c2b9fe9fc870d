"""Whether what a sentence says of a number contradicts what the data say that the number is."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Final

from verifaible.crypto.numbers.sentences import Spoken
from verifaible.judge.numbers.periods import find_periods, implies
from verifaible.judge.numbers.quantities import Quantity, liken_values, units_agree, units_may_agree
from verifaible.judge.rules.lexicon import Lexicon, find_metrics
from verifaible.text.units import read_unit, unit_kind


@dataclass(frozen=True, slots=True)
class Stated:
    """A value of the data, and what it is.

    Attributes:
        value: the value.
        asset: whose it is, as the table of names calls it; empty: the whole market's; None: not known.
        unit: as :class:`~verifaible.schema.data.Facets` have it; None: not known.
        field: what is counted.
        day: the day that it is of; None: not known.
    """

    value: Decimal
    asset: str | None
    unit: str | None
    field: Field
    day: date | None


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

    @classmethod
    def of(cls, name: str) -> Field:
        """A field by its name in the data."""
        words = name.replace("_", " ").replace("-", " ").strip().lower()
        periods = find_periods(words)
        bare = words
        for period in reversed(periods):
            bare = bare[: period.start] + bare[period.end :]
        return cls(
            words=" ".join(bare.split()),
            metrics=_metrics(words),
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


#: Of a range, and of the prices of a period.
_ENDS: Final = frozenset(("low", "high"))


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
    elif not _value_same(number, stated):
        yield f"The data say {stated.value} there, which is not {shown} in the digits shown."
    if _asset_differs(spoken, stated.asset):
        subjects = ", ".join(sorted(spoken.subjects))
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
    if told is None or not number.unit:
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


def _value_same(number: Quantity, stated: Stated) -> bool:
    value = stated.value
    if stated.field.words.endswith("drawdown"):  # a fall by its name, with a sign or without
        value = value.copy_sign(number.value)
    return liken_values(number, value, Decimal(0)) == "same"


def _asset_differs(spoken: Spoken, asset: str | None) -> bool:
    if asset is None or not spoken.subjects:
        return False
    return asset not in spoken.subjects if asset else not spoken.lent


def _field_differs(spoken: Spoken, field: Field, fields: Collection[Field]) -> bool:
    """Whether the sentence names another field: by the table of metrics, or by the data's own names."""
    bound, lead = spoken.bound, spoken.lead.lower()
    if field.windows and bound.windows and not field.windows & bound.windows:
        return True
    if " " in field.words and field.words in lead:  # a name of several words that the data have for it
        return False
    base, _, change = bound.metric.partition("/")
    said = frozenset(filter(None, base.split("+")))
    told = _metrics(lead)
    if not field.metrics:  # the table has no word for it: the name in the data is all that there is
        named = bool(field.words) and field.words in lead
        return not named and bool(told & said) and any(said & other.metrics for other in fields)
    own = field.metrics - {"change"}
    if own & _ENDS and bound.quantity.told in _ENDS:
        return bound.quantity.told not in own
    if any(not other.metrics and other.words and other.words in lead for other in fields):
        return True
    # "5% higher than" does not say what it is of; "and that of the other is $6" says it before
    open_ = not said or "distance" in said or (not told and own & _metrics(spoken.before))
    return not open_ and (bool(change) != ("change" in field.metrics) or bool(own and not own & said))


def _metrics(text: str) -> frozenset[str]:
    return frozenset(metric.value for metric in find_metrics(text))

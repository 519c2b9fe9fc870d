"""A judge's quotes, found again in the sources by us: a verdict without words behind it does not count."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from pydantic import Field

from verifaible.judge.proof.plain_text import PlainText
from verifaible.llm.structured import BadReply, Form
from verifaible.old.numbers import NumberMention, find_numbers
from verifaible.old.units import unit_kind
from verifaible.schema.analyst import Source
from verifaible.schema.verdict import Passage

#: A quote of more characters shows no place; it is a page.
LONGEST: Final = 1_500
_LABEL: Final = re.compile(r"\W*(?:source\s+)?(S\d{1,4})\W*", re.I)
_SUBSTANCE: Final = re.compile(r"\d|[^\W\d_]{3}|[\u3400-\u9fff\uac00-\ud7a3]{2}")
_YEARS: Final = range(1900, 2100)
#: A whole number up to this without a unit may be a part of a name, a window or a rank: Layer 2, RSI (14).
_SMALL: Final = 100


class QuoteForm(Form):
    """Words of a source, copied exactly."""

    source: str = Field(description="Label of the source, such as S1.")
    quote: str = Field(description="Words of that source, copied character by character, without omissions.")


@dataclass(frozen=True, slots=True)
class Found:
    """A source, its text, and every place of a quote in it: first code point and one past the last."""

    source: Source
    text: str
    spans: Sequence[tuple[int, int]]

    def passage(self, span: tuple[int, int]) -> Passage:
        """One of the places, in the source's own words."""
        return Passage.of(self.source, self.text, *span)


def located(quote: str, label: str, named: Mapping[str, tuple[Source, str]]) -> Passage:
    """Where a quote stands in the source of that label, to the byte; of several places the first.

    Raises:
        BadReply: as :func:`places_of`.
    """
    found = places_of(quote, label, named)
    return found.passage(found.spans[0])


def places_of(quote: str, label: str, named: Mapping[str, tuple[Source, str]]) -> Found:
    """Every place of a quote in the source of that label.

    Letter case, blanks and typographic quotes may differ; the passage has the source's own words.

    Raises:
        BadReply: no such source, no such words in it, or too few or too many to show a place.
    """
    found = _LABEL.fullmatch(label.strip())
    key = found[1].upper() if found else label.strip()
    if key not in named:
        raise BadReply("content", f"There is no source {label.strip()[:40]!r}; there are {len(named)}.")
    source, text = named[key]
    if not _SUBSTANCE.search(quote):
        raise BadReply("content", f"The quote {quote[:40]!r} from {key} is too short to show anything.")
    if len(quote) > LONGEST:
        raise BadReply("content", f"The quote from {key} has {len(quote)} characters, more than {LONGEST}.")
    spans = PlainText.of(text).places(quote)
    if not spans:
        raise BadReply("content", f"The quote is not in the source {key}: {quote[:120]!r}.")
    return Found(source, text, spans)


def passages_of(quotes: Sequence[QuoteForm], named: Mapping[str, tuple[Source, str]]) -> tuple[Passage, ...]:
    """The passages of several quotes, each once.

    Raises:
        BadReply: one of them is not where it should be.
    """
    return tuple(dict.fromkeys(located(each.quote, each.source, named) for each in quotes))


def unsupported(claim: str, passages: Sequence[Passage]) -> str:
    """The first number of a claim that no passage has, as the claim writes it; empty where they have all.

    A number is there if one of equal value is, rounded to the digits that the claim shows; a number without
    scale or unit, as tables and APIs have them, may differ by powers of ten. Periods and years, and small
    whole numbers without a unit if there are others, need not be there.
    """
    wanted = [each for each in find_numbers(claim) if each.role in ("value", "range")]
    wanted = [each for each in wanted if not _is_period(each)]
    strong = [each for each in wanted if not _is_weak(each)]
    found = (number for passage in passages for number in find_numbers(passage.quote))
    there = [number for number in found if number.role != "marker"]
    for mention in strong:
        if not any(_same(mention, other) for other in there):
            return mention.raw
    if not strong and wanted and not any(_same(mention, other) for mention in wanted for other in there):
        return wanted[0].raw
    return ""


def _is_period(mention: NumberMention) -> bool:
    if unit_kind(mention.unit) == "time":
        return True
    return not mention.unit and mention.scale == 1 and mention.raw.isdecimal() and int(mention.raw) in _YEARS


def _is_weak(mention: NumberMention) -> bool:
    whole = mention.value == mention.value.to_integral_value()
    return whole and not mention.unit and mention.scale == 1 and abs(mention.value) <= _SMALL


def _same(wanted: NumberMention, found: NumberMention) -> bool:
    kinds = {unit_kind(wanted.unit), unit_kind(found.unit)}
    if wanted.unit and found.unit and wanted.unit != found.unit and kinds != {"count"}:
        return False
    if _turned(wanted, found):
        return False
    half = _half_unit(wanted)
    if abs(abs(wanted.scaled_value) - abs(found.scaled_value)) <= half:
        return True
    if found.unit or found.scale != 1 or not found.value or not wanted.value:
        return False
    shift = wanted.scaled_value.adjusted() - found.value.adjusted()
    nearest = (shift - 1, shift, shift + 1)
    return any(abs(abs(wanted.scaled_value) - abs(found.value).scaleb(power)) <= half for power in nearest)


def _turned(wanted: NumberMention, found: NumberMention) -> bool:
    """Whether one is a rise and the other a fall; "down 5 %" may rest on a drawdown of 5."""
    if found.scaled_value < 0 < wanted.scaled_value:
        return found.sign_source != "brackets"
    return wanted.scaled_value < 0 < found.scaled_value and wanted.sign_source == "sign"


def _half_unit(mention: NumberMention) -> Decimal:
    """Half a unit of the last digit shown, scaled; the zeros at the end of a whole number are digits too."""
    exponent = mention.value.as_tuple().exponent
    places = exponent if isinstance(exponent, int) else 0
    return Decimal(1).scaleb(min(places, 0)) * mention.scale / 2

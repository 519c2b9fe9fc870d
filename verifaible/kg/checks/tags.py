"""Whether metrics that were read without the tags agree with them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Final

from verifaible.judge.numbers.quantities import quantities
from verifaible.judge.proof.tables import words_of
from verifaible.judge.rules.plain_words import key_words
from verifaible.kg.checks.measured import Said
from verifaible.kg.filing import Fact, Filing
from verifaible.kg.triples import Triple

#: A value that is rounded differs from the tag's by no more than this share.
_ROUNDED: Final = Decimal("0.005")


def tags(triple: Triple, filing: Filing) -> Iterator[Said]:
    """A figure beside the tags on the words that it rests on; only for runs that were not shown the tags.

    A tag is the triple's if its value is; another tag of the same concept and period refutes it.
    """
    value = triple.value
    if value is None and triple.tail_type == "amount":
        value = next((each.value for each in quantities(triple.tail)), None)
    if triple.by == "xbrl" or value is None:
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
    return bool(words) and words <= words_of(key_words(fact.concept.rpartition(":")[2]))

"""What the rules say of a claim: it stands in a source, is refuted by one, or a judge must say.

A claim is ``exact`` where, for each of its values, one place of a source (a sentence, a row, a JSON value
with its keys) is bound to the same subject, metric and period and states the value in its unit. It is
``refuted`` where such places state another value and none states the claimed one, or where its value stands
nowhere. Whatever is less plain is ``undecided``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise
from typing import Final

from verifaible.factcheck.derivation import derive
from verifaible.factcheck.numbers.quantities import Likeness, Quantity, units_agree
from verifaible.factcheck.rules.agreeing import by_host, elsewhere, in_its_time, is_about, is_bound, likeness
from verifaible.factcheck.rules.lexicon import find_metrics
from verifaible.factcheck.rules.library import Library
from verifaible.factcheck.rules.literal import same_cell, verbatim
from verifaible.factcheck.rules.placing.placed import placed
from verifaible.factcheck.plain_words import content_words
from verifaible.factcheck.rules.reading import Manner, Reading
from verifaible.factcheck.rules.wanted import Want, Wanted
from verifaible.factcheck.verdicts import finding_of
from verifaible.schema.analyst import Claim
from verifaible.schema.judged import Finding, RuleVerdict
from verifaible.schema.verdict import Passage
from verifaible.text.lists import has_any, parted
from verifaible.text.qualifiers import rises

#: A longer text is no claim, in code points; reading it takes time with its square.
_LONGEST_CLAIM: Final = 4_000
#: Passages shown for a claim.
_MOST_PASSAGES: Final = 6
#: Two places that differ by no more than this share do not contradict each other.
_SAME: Final = Decimal("0.01")
#: A sum told in this scale is the price of nothing, unless it is called one.
_NO_PRICE: Final = 1_000_000
#: Manners of a claim of which a place cannot be said to state the contrary, and of a place that says little.
_UNTOLD: Final[frozenset[Manner]] = frozenset(("denied", "unclear", "question"))
#: Words that put several values together: none of them refutes what they make.
_SUMMED: Final = re.compile(
    r"\b(?:combined|together|in total|altogether|on average|in aggregate)\b|合计|总计|共计|总共|平均",
    re.IGNORECASE,
)
#: What a sentence has in which a ratio can stand.
_RATIO: Final = parted("%|％|per|pct|point|bp|basis|‰|百分|千分|基点|pp|prozent|٪|percent")
_LOOSE: Final[frozenset[Manner]] = frozenset(("limit", "approximate"))


def decide(
    claim: Claim, library: Library, *, only: Collection[str] | None = None, whole: bool = False
) -> Finding:
    """What the rules say of a claim.

    Args:
        claim: the claim.
        library: the sources of its answer.
        only: ids of the sources that count; None: all.
        whole: these are all that the claim rests on, and all of each was read: a figure that none of them
            has is then refuted.

    Returns:
        the finding; of ``exact`` with the places that state it, of ``refuted`` with what a source says
        instead (``said`` empty: no source has the value), else ``undecided`` with what is missing.
    """
    if not claim.factual or len(claim.text) > _LONGEST_CLAIM:
        return _open("An opinion is not checked against sources, nor what is too long to be one claim.")
    pages = library.pages(only)
    if not pages or not claim.text.strip():
        return _open("There is no source to check it against.")
    wanted = Wanted(claim, library.lexicon, at=library.at, topic=library.topic)
    found = _found(claim, wanted, library, only)
    if found.verdict == "exact" and not in_its_time(wanted, found.passages, library.at):
        return _open("A source states it, but of another time than the heading over the claim says.")
    if found.verdict != "undecided":
        return found
    otherwise = placed(claim, pages, library.places(only))
    return otherwise if otherwise is not None and (otherwise.said or whole) else found


def _found(claim: Claim, wanted: Wanted, library: Library, only: Collection[str] | None) -> Finding:
    if quoted := verbatim(wanted, library.pages(only)):
        return quoted
    if not wanted.values:
        return _open("It states no value that rules could look for.")
    results = [_value(want, wanted, library, only) for want in wanted.values]
    if all(result.verdict == "exact" for result in results):
        found = _exact(wanted, results)
    else:
        found = _worst(results)
    if found.verdict == "exact":
        return found
    verdict = derive(claim, library.pages(only))
    return finding_of(verdict) if verdict else found


def _worst(results: Sequence[_Result]) -> Finding:
    """What one value that no source states says of its claim: a refutation before anything else."""
    order = ("refuted", "undecided", "exact")
    worst = min(results, key=lambda result: order.index(result.verdict))
    return Finding(verdict=worst.verdict, passages=worst.passages, said=worst.said, reason=worst.reason)


@dataclass(frozen=True, slots=True)
class _Result:
    """What was found for one value; ``said``: what another place says of the same."""

    verdict: RuleVerdict
    reason: str
    readings: tuple[Reading, ...] = ()
    said: str = ""

    @property
    def passages(self) -> tuple[Passage, ...]:
        return tuple(dict.fromkeys(reading.where for reading in self.readings[:_MOST_PASSAGES]))


def _open(reason: str) -> Finding:
    return Finding(verdict="undecided", reason=reason)


def _exact(wanted: Wanted, results: Sequence[_Result]) -> Finding:
    """The finding where each value stands in a source: if what else the claim says stands there too."""
    have = frozenset().union(*(reading.words for result in results for reading in result.readings))
    have |= frozenset().union(*(reading.close for result in results for reading in result.readings))
    titles = " ".join(f"{r.source.title} {r.source.url}" for result in results for r in result.readings)
    left = wanted.words - have - content_words(titles)
    if left:
        listed = ", ".join(sorted(left)[:4])
        return _open(f"The values stand in a source, but not what the claim says of them: {listed}.")
    if _goes_astray(wanted.values):
        return _open("The values stand in a source, but do not go the way that the claim says.")
    if any("range" in want.manner for want in wanted.values) and not _same_places(results, wanted):
        return _open("Both ends of the range stand in a source, but not as one range.")
    passages = tuple(dict.fromkeys(passage for result in results for passage in result.passages[:1]))
    other = next((result.said for result in results if result.said), "")
    reason = "A source states it, with its subject, metric and unit."
    if other:
        reason = f"A source states it; another place says: {other}"
    return Finding(verdict="exact", passages=passages, reason=reason)


def _goes_astray(values: Sequence[Want]) -> bool:
    """Whether something that rose "from" a value ends below it, or the other way round."""
    return any(
        "earlier" in first.manner and (second.quantity.value - first.quantity.value) * first.direction < 0
        for first, second in pairwise(values)
    )


def _same_places(results: Sequence[_Result], wanted: Wanted) -> bool:
    """Whether the ends of ranges stand in one place each."""
    ends = [result for result, want in zip(results, wanted.values, strict=True) if "range" in want.manner]
    pairs = zip(ends[::2], ends[1::2], strict=False)
    return all(
        {(r.source.id, r.place) for r in first.readings} & {(r.source.id, r.place) for r in second.readings}
        for first, second in pairs
    )


def _value(want: Want, wanted: Wanted, library: Library, only: Collection[str] | None) -> _Result:
    """What the sources say of one value of a claim."""
    raw = want.quantity.mention.raw
    alike = _alike(want, library, only)
    bound = [
        reading
        for reading, likeness_ in alike
        if likeness_ == "same" and is_bound(reading, want, wanted, library.at)
    ]
    others = _stated_otherwise(want, wanted, library, only) if wanted.named else []
    hosted = [reading for reading in others if by_host(reading, want)]
    others = [reading for reading in others if reading not in hosted]
    if hosted and all(by_host(reading, want) for reading in bound):
        bound = []
    bound = [each for each in bound if not _is_scaled(each, want, library)]
    bound = bound or list(same_cell(wanted.claim, want, library, only))
    if bound:
        return _Result("exact", "", tuple(bound[:_MOST_PASSAGES]), _shown(others[0]) if others else "")
    possible = [reading for reading, _ in alike if not elsewhere(reading, want)]
    reason, shown = "", possible
    if want.manner & _UNTOLD:
        reason = f"What the claim says of {raw} cannot be told by rule."
    elif possible:
        reason = f"{raw} stands in a source, but not plainly as what the claim says."
    elif others and not _SUMMED.search(wanted.text):
        return _contradicted(want, others)
    elif alike:
        reason, shown = f"{raw} stands in a source for something else.", [reading for reading, _ in alike]
    return _Result("undecided", reason or f"No source states {raw}; it may be worked out.", tuple(shown[:3]))


def _is_scaled(reading: Reading, want: Want, library: Library) -> bool:
    """Whether a table's head or caption makes thousands of a cell that the claim gives as it is shown."""
    if reading.kind != "row" or want.quantity.mention.scale != 1:
        return False
    scale = library.page_of(reading).scale_at(reading.start, reading.end)
    return (
        scale != 1
        and abs(want.quantity.value * scale - reading.value) > want.quantity.half * scale
        and (abs(want.quantity.value - reading.value) <= want.quantity.half)
    )


def _alike(want: Want, library: Library, only: Collection[str] | None) -> list[tuple[Reading, Likeness]]:
    """The values of the sources that are, or could be, that of the claim."""
    quantity = want.quantity
    if quantity.limit:
        tolerance = abs(quantity.value) / 2
    elif quantity.about:
        tolerance = max(quantity.half, abs(quantity.value) / 10)
    else:
        tolerance = max(quantity.half * 2, quantity.loose)
    readings = library.near(quantity.value, tolerance, None, only)
    if quantity.unit in ("%", "pp"):
        readings = [each for each in readings if each.kind != "prose" or has_any(_line(each), _RATIO)]
    found = [(reading, likeness(quantity, reading)) for reading in readings]
    if want.metric == "outflow":  # a table of flows has it with a minus
        out = replace(quantity, value=-quantity.value)
        found += [
            (reading, likeness(out, reading))
            for reading in library.near(-quantity.value, tolerance, quantity.unit, only)
            if reading.metric in ("flow", "inflow", "")
        ]
    if quantity.value and not quantity.signed:
        turned = library.near(-quantity.value, quantity.half, quantity.unit, only)
        found += [(reading, "open") for reading in turned]
    return [(reading, alike) for reading, alike in found if alike != "other"]


def _line(reading: Reading) -> str:
    return reading.text[slice(*reading.place)].lower()


def _stated_otherwise(
    want: Want, wanted: Wanted, library: Library, only: Collection[str] | None
) -> list[Reading]:
    """Places bound to the same subject, metric, period and unit that state another value."""
    base = want.metric.split("/")[0].split("+")[-1]
    if base in ("", "share"):
        return _otherwise_by_words(want, wanted, library, only)
    if not want.subjects:
        return []
    if base == "price" and want.quantity.mention.scale >= _NO_PRICE and not _told_price(wanted):
        return []
    candidates = library.labelled([*want.subjects, base], only)
    if not candidates:  # its metric may be told by the address of the source alone
        candidates = library.labelled(list(want.subjects), only)
    return _of_another_value(candidates, want, wanted, library)


def _of_another_value(
    candidates: Iterable[Reading], want: Want, wanted: Wanted, library: Library
) -> list[Reading]:
    return [
        reading
        for reading in candidates
        if units_agree(want.quantity.unit, reading.unit)
        and not reading.manner & _LOOSE
        and likeness(_told_as(want, reading), reading) == "other"
        and not _same_size(want, reading)
        and is_about(reading, want, wanted, library.at)
    ]


def _otherwise_by_words(
    want: Want, wanted: Wanted, library: Library, only: Collection[str] | None
) -> list[Reading]:
    """The same for a claim whose words, or whose row and column, say what it is of."""
    if not (want.close or (wanted.bare and want.windows)):
        return []
    own = wanted.own_subjects or (want.subjects if wanted.bare else frozenset())
    candidates = (
        reading
        for reading in library.stated_with(want.close, own, only)
        if (reading.kind == "row" or want.close <= reading.close) and _told_alike(want, wanted, reading)
    )
    return _of_another_value(candidates, want, wanted, library)


def _told_alike(want: Want, wanted: Wanted, reading: Reading) -> bool:
    """Whether both numbers are told as a rise ("increased $2 million"), or neither."""
    first, last = reading.place
    theirs = rises(reading.text[first : reading.start], reading.text[reading.end : last])
    return theirs == rises(wanted.text[: want.quantity.start], wanted.text[want.quantity.end :])


def _same_size(want: Want, reading: Reading) -> bool:
    """Whether only a word such as "lost" makes one of two equal values less than nothing.

    Of a change, or of money in or out, that word is what is said.
    """
    if "/change" in want.metric or want.metric in ("inflow", "outflow", "flow"):
        return False
    told = reading.mention.sign_source if reading.mention is not None else ""
    if "word" not in (want.quantity.mention.sign_source, told):
        return False
    return abs(abs(want.quantity.value) - abs(reading.value)) <= want.quantity.half


def _told_price(wanted: Wanted) -> bool:
    """Whether a claim or its context says that it is of a price."""
    texts = (wanted.text, *wanted.claim.context)
    return any(metric.value == "price" for text in texts for metric in find_metrics(text))


def _told_as(want: Want, reading: Reading) -> Quantity:
    """The number of a claim with the sign that a place gives it: money out is less than nothing."""
    if want.metric == "outflow" and reading.metric in ("flow", "inflow"):
        return replace(want.quantity, value=-want.quantity.value)
    return want.quantity


def _contradicted(want: Want, others: Sequence[Reading]) -> _Result:
    """A refutation, or a conflict of the sources that neither refutes nor supports."""
    first = others[0]
    for reading in others[1:]:
        if not _agree_on(first, reading):
            said = f"“{_shown(first)}” and “{_shown(reading)}”"
            return _Result("undecided", f"Sources disagree: {said}.", (first, reading))
    said = _shown(first)
    return _Result(
        "refuted",
        f"The claim says {want.quantity.mention.raw}; a source says {first.passage.quote}.",
        tuple(others[:3]),
        said,
    )


def _agree_on(one: Reading, other: Reading) -> bool:
    gap = abs(one.value - other.value)
    return gap <= max(one.digits, other.digits) or gap <= abs(one.value) * _SAME


def _shown(reading: Reading) -> str:
    words = reading.where.quote
    if reading.kind == "json":
        keys = reading.pointer or "/".join(reading.labels[:2])
        return f"{keys}: {words}" if len(words) < 200 else words[:200]
    return " ".join(words.split())

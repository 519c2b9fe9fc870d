"""Proofs found by search: a claim that names rows and columns is recomputed from them.

Each number of a claim must be explained: it is the result of a proof that the checker accepts, and no other
operands that the words fit give another one. A claim is contradicted where it names one set of operands and
one operation, the checker finds nothing amiss but the value, and no other place has the claimed one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Final

from verifaible.factcheck.asked import masked
from verifaible.factcheck.expression import ProofError, Shape
from verifaible.factcheck.goals import Goal, goals_of
from verifaible.factcheck.places import Place, ReadSource
from verifaible.factcheck.plain_words import content_words, direction
from verifaible.factcheck.proof import MOVES, prove, said_of
from verifaible.factcheck.proposals import Proposal, Sheet, sheets_of
from verifaible.factcheck.result import PERCENT, Proven, WrongValue, scale_said
from verifaible.factcheck.words import WORD, words_of, years_of
from verifaible.schema.analyst import Claim
from verifaible.schema.verdict import Derivation, Passage, Verdict
from verifaible.text.periods import find_periods
from verifaible.text.quantity import Quantity

#: A claim is a sentence; in longer texts names of rows stand by chance.
_LONGEST: Final = 500
_MOST_NUMBERS: Final = 6
#: What is denied, rumoured, or to come, no table proves.
_UNSURE: Final = re.compile(
    r"\b(?:not|never|no longer|without|neither|nor|cannot|fail(?:s|ed)? to|rumou?r\w*|allegedly|denie[sd]"
    r"|will|would|could|(?-i:may)|might|expect\w*|forecast\w*|projected|predict\w*|if)\b|n['’]t\b"
    r"|没有|并未|并非|不是|未能|从未|否认|预计|预测|将",
    re.IGNORECASE,
)
_SUMMED: Final = re.compile(
    r"\b(?:combin\w*|together|altogether|sum of|in total|a total of|aggregate\w*|cumulative\w*|add\w* up"
    r"|totall?(?:ed|ing))\b|合计|总计|共|之和",
    re.I,
)
_JOINED: Final = re.compile(r"\b(?:combin\w*|together|altogether|sum of)\b", re.I)
#: A comparison or a factor, which no proof here shows.
_EXTREME: Final = re.compile(
    r"\b(?:(?:high|low|larg|small|bigg|great)est|most|least|double\w*|doubling|tripl\w+|halv\w+|twice)\b",
    re.I,
)
#: Words that narrow what a value is of: a row without them is of something else.
_NARROW: Final = words_of(
    "net gross adjusted realized unrealized median minimum maximum peak cumulative annualized institutional "
    "retail basic diluted domestic foreign deferred current noncurrent short long weekly monthly daily "
    "quarterly original initial former previous excluding including"
)
_SHARED: Final = re.compile(
    r"(?:%|per ?cent|percentage) of\b|\b(?:share|proportion|fraction|account\w*|represent\w*|constitut\w*)\b",
    re.I,
)
#: A share is of no more per cent.
_WHOLE: Final = 100
#: A value that is called rough is wrong only where it misses by more than this share.
_ROUGH: Final = Decimal("0.1")
#: Values that differ by more than this factor are of other things, or of another scale.
_FAR: Final = 100
#: The part of a claim's words that the names of its operands have, at the least.
_NAMED: Final = 0.4
_PROPER: Final = re.compile(r"(?<=[\w,;:)] )[A-Z][\w&]+")


def derive(claim: Claim, sources: Sequence[ReadSource]) -> Verdict | None:
    """What proofs over the tables of sources say of a claim; None where they leave it open.

    ``supported``: its numbers stand in the rows and columns that it names; ``derived``: they follow from
    such; ``contradicted``: one that it names plainly is another.
    """
    text = claim.text
    if len(text) > _LONGEST or _UNSURE.search(text):
        return None
    goals = goals_of(text)
    if not 0 < len(goals) <= _MOST_NUMBERS:
        return None
    sheets = [sheet for source in sources if _has_names(source, text) for sheet in sheets_of(source)]
    held = [_proof_of(goal, sheets) for goal in goals]
    found = [each for each in held if each is not None]
    if len(found) == len(goals):
        return _holds(found) if _says_no_more(text, goals, found) else None
    if len(goals) - len(found) > 1:
        return None
    goal = goals[held.index(None)]
    wrong = _wrong(goal, sheets)
    return _differs_from(goal, wrong) if wrong is not None else None


def _has_names(source: ReadSource, text: str) -> bool:
    """Whether a source has every name that a claim has: its tables are of nobody else."""
    names = words_of(" ".join(_PROPER.findall(text)))
    first = WORD.match(text)
    if first and re.match(r"\w+['’]s\b", text):  # whose it is
        names |= words_of(first[0])
    return names <= _vocabulary(source.text)


@lru_cache(maxsize=64)
def _vocabulary(text: str) -> frozenset[str]:
    return words_of(text)


# --- proofs that hold


@dataclass(frozen=True, slots=True)
class _Outcome:
    """A proposal that the checker accepts, or of which only the value differs (``fault``)."""

    sheet: Sheet
    proposal: Proposal
    proven: Proven
    fault: WrongValue | None = None

    def passages(self) -> dict[str, Passage]:
        """Where the operands stand."""
        source = self.sheet.source
        places = self.proposal.places.items()
        return {name: Passage.of(source.source, source.text, each.start, each.end) for name, each in places}

    def lines(self) -> tuple[Passage, ...]:
        """The rows that they stand in."""
        source, text = self.sheet.source.source, self.sheet.source.text
        places = self.proposal.places.values()
        spans = ((text.rfind("\n", 0, each.start) + 1, text.find("\n", each.end)) for each in places)
        rows = (Passage.of(source, text, low, high if high >= 0 else len(text)) for low, high in spans)
        return tuple(dict.fromkeys(rows))

    def derivation(self) -> Derivation | None:
        """Its calculation; None of a value that stands there."""
        proposal = self.proposal
        if proposal.shape == "value":
            return None
        return self.proven.derivation(proposal.expression, proposal.places, self.passages())


def _checked(sheet: Sheet, proposal: Proposal, text: str) -> _Outcome | None:
    """What the checker says of a proposal; None where it refuses more than the value."""
    try:
        return _Outcome(sheet, proposal, prove(text, proposal.expression, proposal.places))
    except WrongValue as fault:
        return _Outcome(sheet, proposal, fault.proven, fault)
    except ProofError:
        return None


def _proof_of(goal: Goal, sheets: Iterable[Sheet]) -> _Outcome | None:
    """The simplest proof of a number, where no other operands that the claim may name give another one."""
    found: list[_Outcome] = []
    half = Decimal("0.5").scaleb(min(goal.number.places, 0))
    for sheet in sheets:
        for text in dict.fromkeys((goal.own, goal.text)):
            every = [
                each
                for each in sheet.proposals(text)
                if len(each.places) in (goal.of or {len(each.places)}) and _is_said(each, goal, text)
            ]
            for each in every:
                if not _alike(each.value, goal.number.value, half):
                    continue
                outcome = _checked(sheet, each, text)
                if outcome and outcome.fault is None and not _has_rival(outcome, every, text, goal.number):
                    found.append(outcome)
    return min(found, key=lambda each: len(each.proposal.places), default=None)


def _alike(value: Decimal, target: Decimal, half: Decimal) -> bool:
    """Whether two values have the same digits, in any scale and with any sign."""
    if not value or not target:
        return abs(value - target) <= half
    power = round((abs(target) / abs(value)).log10())
    return abs(abs(value).scaleb(power) - abs(target)) <= half


def _is_said(proposal: Proposal, goal: Goal, text: str) -> bool:
    """Whether the claim's words say such an operation of a number."""
    shape, places, number = proposal.shape, proposal.places.values(), goal.number
    if shape not in ("change", "ratio") and not _is_scale_told(number, text, places):
        return False
    if shape != "value" and not number.value:
        return False  # too many calculations give nought
    said = said_of(text, places)
    moved = bool(said & MOVES) and not goal.is_level
    match shape:
        case "value":
            own = any(_SUMMED.search(place.names) for place in places)
            joined = _JOINED.search(text) and not own
            return not (moved or "mean" in said or _EXTREME.search(text) or joined)
        case "sum":
            return bool(_SUMMED.search(text))
        case "ratio":
            return number.unit != "%" or abs(number.value) <= _WHOLE
    return moved or shape == "mean"


def _is_scale_told(number: Quantity, text: str, places: Iterable[Place]) -> bool:
    """Whether a number has its scale, or its operands have none but what they show."""
    told = number.scale != 1 or scale_said(text) != 1 or number.unit in PERCENT
    return told or abs(number.value) >= 1_000_000 or all(place.value == place.shown for place in places)


def _has_rival(outcome: _Outcome, every: Sequence[Proposal], text: str, number: Quantity) -> bool:
    """Whether the claim's words fit other operands of the same operation just as well."""
    places = outcome.proposal.places.values()
    if not all(_is_sign_told(place, text) for place in places) or not _is_narrow(
        places, text, _vocabulary(outcome.sheet.source.text)
    ):
        return True
    # in the other order a change is told by the other sign, or the other direction
    directed = len({place.years for place in places}) > 1 or number.value < 0
    directed = directed or bool(said_of(text, places) & {"up", "down"})
    return any(
        each.shape == outcome.proposal.shape
        and each is not outcome.proposal
        and (directed or each.starts != outcome.proposal.starts)
        and (rival := _checked(outcome.sheet, each, text)) is not None
        and rival.fault is not None
        for each in every
    )


#: A row of two words, of which the one in brackets is for values below nothing: "provided by (used in)".
_TWO_WAYS: Final = re.compile(r"(?P<plain>[^\W\d]+)(?: [^\W\d]+)? \((?P<minus>[^\W\d][^()\d]*)\)")


def _is_sign_told(place: Place, text: str) -> bool:
    """Whether a claim says which of the two words of a row it means, where it has two."""
    ways = _TWO_WAYS.search(place.label)
    if ways is None or not words_of(ways["minus"]):
        return True
    claim = words_of(text)
    plain, minus = words_of(ways["plain"]) <= claim, bool(words_of(ways["minus"]) & claim)
    return plain != minus and (place.value < 0) == minus


def _is_narrow(places: Collection[Place], text: str, vocabulary: frozenset[str]) -> bool:
    """Whether a claim has no narrowing word and no window of time that the names of its operands have not."""
    names = frozenset[str]().union(*(each.row | each.section | each.column for each in places))
    if any(not said_of(word, ()) for word in (words_of(text) & _NARROW) - names):
        return False
    claim = words_of(text)
    if len(places) == 1:
        (one,) = places
        others = frozenset[str]().union(*(each.row | each.column for each in one.peers))
        if claim & others - names - one.caption:
            return False  # it names another row or column as well
        if one.row - claim and claim - names - one.caption - vocabulary:
            return False  # a row that it names in part, and a word that the source has nowhere
    told, over = _windows(text), _windows(" ; ".join(f"{each.label} ; {each.head}" for each in places))
    return told <= over


def _windows(text: str) -> frozenset[str]:
    return frozenset(each.name for each in find_periods(text) if not each.dated)


def _says_no_more(text: str, goals: Sequence[Goal], outcomes: Sequence[_Outcome]) -> bool:
    """Whether nothing is said that the places do not show: no other words, and no direction."""
    if any(each.proposal.shape != "value" for each in outcomes):
        return True
    places = [next(iter(each.proposal.places.values())) for each in outcomes]
    if not _is_labelled(text, places):
        return False
    ways = set(said_of(text, places)) & {"up", "down"}
    if (told := direction(text)) and not said_of(text, places) & MOVES:
        ways = {"up" if told > 0 else "down"}
    way = 1 if "up" in ways else -1
    if len(outcomes) == 1 and ways:
        return _goes(places[0], way)
    if len(outcomes) != 2 or len(ways) != 1:
        return not ways
    order = sorted(
        zip(goals, places, strict=True),
        key=lambda pair: (not pair[0].number.earlier, max(pair[1].years, default=0)),
    )
    return (order[1][0].number.scaled_value - order[0][0].number.scaled_value) * way > 0


def _is_labelled(text: str, places: Sequence[Place]) -> bool:
    """Whether all words of a claim stand in the rows, columns and captions of its values, but for names."""
    labels = " ".join(f"{each.names} {' '.join(each.section | each.caption)}" for each in places)
    names = content_words(" ".join(_PROPER.findall(text)))
    return not content_words(masked(text, None)) - content_words(labels) - names


def _goes(place: Place, way: int) -> bool:
    """Whether a value differs that way from the one of the year before it, where there is one."""
    before = (
        each
        for each in place.peers
        if each.line == place.line and each.years and place.years and max(each.years) == max(place.years) - 1
    )
    return any((place.shown - each.shown) * way > 0 for each in before)


def _holds(outcomes: Sequence[_Outcome]) -> Verdict:
    lines = tuple(dict.fromkeys(line for each in outcomes for line in each.lines()))
    made = next((made for each in outcomes if (made := each.derivation())), None)
    return Verdict(
        outcome="derived" if made else "supported",
        decided_by="derivation",
        passages=lines,
        derivation=made,
        reason="It follows from values that a table states."
        if made
        else "A table states it, by its row and column.",
    )


# --- numbers that differ


def _wrong(goal: Goal, sheets: Sequence[Sheet]) -> _Outcome | None:
    """The one proof of a number of which only the value differs."""
    if goal.number.limit or _EXTREME.search(goal.text):
        return None
    found: dict[Decimal, _Outcome] = {}
    for sheet in sheets:
        for proposal in sheet.proposals(goal.own):
            places = proposal.places.values()
            percent = any(each.unit == "%" for each in places)
            if proposal.shape != _intended(goal, said_of(goal.own, places), of_percent=percent):
                continue
            outcome = _checked(sheet, proposal, goal.own)
            if outcome is not None and outcome.fault is None:
                return None
            if outcome is not None:
                found.setdefault(abs(outcome.proven.result), outcome)
    if len(found) != 1:
        return None
    (outcome,) = found.values()
    is_wrong = _is_far(goal, outcome) and _is_plain(goal, outcome)
    return outcome if is_wrong and not _elsewhere(goal, sheets) else None


def _intended(goal: Goal, said: frozenset[str], *, of_percent: bool) -> Shape | None:
    """The one operation that the claim's words say of a number."""
    percent = goal.number.unit == "%"
    if goal.number.unit == "times":
        return "ratio"
    if "mean" in said:
        return "mean"
    if said & MOVES and not goal.is_level:
        return "difference" if not percent else None if of_percent else "change"
    if percent and not of_percent:
        return "ratio" if _SHARED.search(goal.text) else None
    return "sum" if _JOINED.search(goal.text) else "value"


def _is_far(goal: Goal, outcome: _Outcome) -> bool:
    """Whether a value differs in more than scale, rounding or an untold sign."""
    fault, number, shape = outcome.fault, goal.number, outcome.proposal.shape
    result = outcome.proven.result
    size, told = abs(result), abs(number.scaled_value)
    if fault is None or fault.differs == "scale" or size > told * _FAR or size * _FAR < told:
        return False
    moved = shape in ("change", "difference")
    if fault.differs == "sign":  # a loss that grows becomes less
        places = outcome.proposal.places.values()
        told_way = bool(said_of(goal.text, places) & {"up", "down"})
        return moved and told_way and all(place.value >= 0 for place in places)
    no_share = shape == "ratio" and number.unit == "%" and size > _WHOLE
    # of what with what is compared, a row does not say
    compared = moved and re.search(r"\bthan\b", goal.text) and len(years_of(goal.text)) < 2
    step = Decimal(1).scaleb(min(number.places, 0))
    if no_share or compared or _alike(result, number.value, step):
        return False
    return not (number.about or number.limit) or abs(size - told) > told * _ROUGH


def _is_plain(goal: Goal, outcome: _Outcome) -> bool:
    """Whether the claim names the operands in full, and nothing else of their table."""
    claim = words_of(goal.own)
    years = set(years_of(goal.own, through=True))
    names = over = frozenset[str]()
    for place in outcome.proposal.places.values():
        beside = {
            each.rank
            for each in place.peers
            if each.line == place.line and set(each.years) == set(place.years)
        }
        if len(beside) > 1 and not place.column & claim:
            return False
        if place.row - claim or not (place.row | place.column) & claim or bool(place.years) != bool(years):
            return False
        names |= place.row | place.column | place.section
        over |= place.caption
    claim = words_of(f"{goal.own[: goal.number.start]} {goal.own[goal.number.end :]}")
    claim = frozenset(word for word in claim if not said_of(word, ()))
    return not (claim & outcome.sheet.words) - names - over and len(claim & names) > _NAMED * len(claim)


def _elsewhere(goal: Goal, sheets: Iterable[Sheet]) -> bool:
    """Whether a sentence that the claim may mean as well has its value."""
    claim = words_of(goal.own)
    digits = re.search(r"\d[\d,.]*\d|\d", goal.number.raw)
    for text in {sheet.source.text for sheet in sheets}:
        lines = (line for line in text.split("\n") if line.count("|") < 2)
        if any(digits and digits[0] in line and words_of(line) & claim for line in lines):
            return True
    return False


def _differs_from(goal: Goal, wrong: _Outcome) -> Verdict:
    passages, lines = wrong.passages(), wrong.lines()
    derivation = wrong.derivation()
    told = f"a source says {next(iter(passages.values())).quote}"
    if derivation is not None:
        stated = f"{wrong.proven.result:,.4f}".rstrip("0").rstrip(".")
        other_way = wrong.fault is not None and wrong.fault.differs == "sign"
        told = f"the sources give {stated}" + (", the other way" if other_way else "")
    return Verdict(
        outcome="contradicted",
        decided_by="derivation",
        passages=lines,
        derivation=derivation,
        said=" … ".join(" ".join(line.quote.split()) for line in lines),
        reason=f"The claim says {goal.number.raw}; {told}.",
    )

"""Numbers of a claim that are wrong: one set of operands is named, and only the value differs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from verifaible.judge.numbers.periods import find_periods
from verifaible.judge.proof.checking import Checked, check_proof, derivation_of, said_of
from verifaible.judge.proof.expression import ProofError, Shape
from verifaible.judge.proof.places import Place
from verifaible.judge.proof.tables import words_of, years_of
from verifaible.judge.proof.values import ValueFault
from verifaible.judge.rules.lexicon import find_metrics
from verifaible.judge.rules.page import Page
from verifaible.judge.rules.plain_words import QUALIFYING, content_words
from verifaible.judge.rules.proposals import MOVES, Goal, Proposal, Sheet, alike, half_of
from verifaible.schema.judged import Finding
from verifaible.schema.verdict import Passage
from verifaible.text.qualifiers import is_about, limit_of


@dataclass(frozen=True, slots=True)
class Outcome:
    """A proposal that the checker accepts, or of which only the value differs (``fault``)."""

    page: Page
    proposal: Proposal
    checked: Checked | None = None
    fault: ValueFault | None = None

    def passages(self) -> dict[str, Passage]:
        """Where the operands stand."""
        source, text = self.page.source, self.page.text
        places = self.proposal.places.items()
        return {name: Passage.of(source, text, place.start, place.end) for name, place in places}

    def lines(self) -> tuple[Passage, ...]:
        """The rows that they stand in."""
        source, text = self.page.source, self.page.text
        places = self.proposal.places.values()
        spans = ((text.rfind("\n", 0, each.start) + 1, text.find("\n", each.end)) for each in places)
        rows = (Passage.of(source, text, low, high if high >= 0 else len(text)) for low, high in spans)
        return tuple(dict.fromkeys(rows))


def checked(page: Page, proposal: Proposal, text: str) -> Outcome | None:
    """What the checker says of a proposal; None where it refuses more than the value."""
    try:
        return Outcome(page, proposal, checked=check_proof(text, proposal.expression, proposal.places))
    except ValueFault as fault:
        return Outcome(page, proposal, fault=fault)
    except ProofError:
        return None


#: A row of two words, of which the one in brackets is for values below nothing: "provided by (used in)".
_TWO_WAYS: Final = re.compile(r"(?P<plain>[^\W\d]+)(?: [^\W\d]+)? \((?P<minus>[^\W\d][^()\d]*)\)")


def is_sign_told(place: Place, text: str) -> bool:
    """Whether a claim says which of the two words of a row it means, where it has two."""
    ways = _TWO_WAYS.search(place.label)
    if ways is None or not words_of(ways["minus"]):
        return True
    claim = words_of(text)
    plain_, minus = words_of(ways["plain"]) <= claim, bool(words_of(ways["minus"]) & claim)
    return plain_ != minus and (place.value < 0) == minus


def narrowed_alike(places: Iterable[Place], text: str) -> bool:
    """Whether a claim has no metric, window or narrowing word that the names of its operands have not."""
    names = " ; ".join(
        f"{place.name} ; {place.table.section(place.row)} ; {place.table.caption}"
        for place in places
        if place.table
    )
    narrowing = (content_words(text) & QUALIFYING) - content_words(names)
    if any(not said_of(word, ()) for word in narrowing):
        return False
    told, named = ({metric.value for metric in find_metrics(words)} - {"change"} for words in (text, names))
    if told - named and named:
        return False
    spans, over = ({each.value for each in find_periods(words) if not each.dated} for words in (text, names))
    return spans <= over


def supported(held: Sequence[Outcome]) -> Finding:
    """The finding of a claim whose numbers all have a proof."""
    made = [each for each in held if each.proposal.shape != "value"]
    lines = tuple(dict.fromkeys(line for each in held for line in each.lines()))
    if not made:
        return Finding(verdict="exact", passages=lines, reason="A table states it, by its row and column.")
    first = made[0]
    assert first.checked is not None
    proof = first.proposal
    derivation = derivation_of(first.checked, proof.expression, proof.places, first.passages())
    reason = "It follows from values that a table states."
    return Finding(verdict="derived", passages=lines, derivation=derivation, reason=reason)


def refuted(goal: Goal, wrong: Outcome) -> Finding:
    """The finding of a claim of which one number has a proof that gives another value."""
    assert wrong.fault is not None
    passages, claimed = wrong.passages(), goal.number.raw
    lines = wrong.lines()
    said = " … ".join(" ".join(line.quote.split()) for line in lines)
    derivation, told = None, f"a source says {next(iter(passages.values())).quote}"
    if wrong.proposal.shape != "value":
        stated = f"{wrong.fault.result:,.4f}".rstrip("0").rstrip(".")
        told = f"the sources give {stated}" + (", the other way" if wrong.fault.differs == "sign" else "")
        checked = Checked(wrong.fault.result, goal.number.unit, wrong.proposal.shape, goal.number)
        derivation = derivation_of(checked, wrong.proposal.expression, wrong.proposal.places, passages)
    reason = f"The claim says {claimed}; {told}."
    return Finding(verdict="refuted", passages=lines, derivation=derivation, said=said, reason=reason)


#: Words that say a comparison or a factor, which no proof here shows.
EXTREME: Final = re.compile(
    r"\b(?:(?:high|low|larg|small|bigg|great)est|most|least|double\w*|doubling|tripl\w+|halv\w+|twice)\b",
    re.I,
)
#: A share is of no more per cent.
WHOLE: Final = 100
_SHARED: Final = re.compile(
    r"(?:%|per ?cent|percentage) of\b|\b(?:share|proportion|fraction|account\w*|represent\w*|constitut\w*)\b",
    re.I,
)
#: A value that is called rough is wrong only where it misses by more than this share.
_ROUGH: Final = Decimal("0.1")
#: Values that differ by more than this factor are of other things, or of another scale.
_FAR: Final = 100
#: The part of a claim's words that the names of its operands have, at the least.
_NAMED: Final = 0.4
_COMPARED: Final = re.compile(r"\bthan\b", re.I)
_TIMES: Final = "倍"


def is_joined(text: str) -> bool:
    """Whether a claim puts values together."""
    return bool(re.search(r"\b(?:combin\w*|together|altogether|sum of)\b", text, re.I))


def _intended(goal: Goal, said: frozenset[str], of_percent: bool) -> Shape | None:
    """The one operation that the claim's words say of a number."""
    percent = goal.number.unit == "%"
    if goal.number.unit == _TIMES:
        return "ratio"
    if "mean" in said:
        return "mean"
    if said & MOVES and not goal.is_level:
        if percent:
            return None if of_percent else "change"
        return "difference"
    if percent and not of_percent:
        return "ratio" if _SHARED.search(goal.text) else None
    return "sum" if is_joined(goal.text) else "value"


def wrong_outcome(goal: Goal, sheets: Sequence[tuple[Page, Sheet]]) -> Outcome | None:
    """The one proof of a number of which only the value differs."""
    if goal.number.bound or EXTREME.search(goal.text):
        return None
    found: dict[Decimal, Outcome] = {}
    for page, sheet in sheets:
        text = goal.own
        for proposal in sheet.proposals(text):
            places = list(proposal.places.values())
            said = said_of(text, places)
            if proposal.shape != _intended(goal, said, any(each.unit == "%" for each in places)):
                continue
            outcome = checked(page, proposal, text)
            if outcome is not None and outcome.fault is None:
                return None
            if outcome is not None and outcome.fault is not None:
                found.setdefault(abs(outcome.fault.result), outcome)
    if len(found) != 1:
        return None
    (outcome,) = found.values()
    sheet = next(
        sheet for _, sheet in sheets if any(each in sheet.cells for each in outcome.proposal.places.values())
    )
    is_wrong = _differs(goal, outcome) and _is_plain(goal, outcome, sheet)
    return outcome if is_wrong and not _elsewhere(goal, sheets) else None


def _differs(goal: Goal, outcome: Outcome) -> bool:
    """Whether a value differs in more than scale, rounding or an untold sign."""
    fault, number, shape = outcome.fault, goal.number, outcome.proposal.shape
    assert fault is not None
    size, told = abs(fault.result), abs(number.scaled_value)
    if fault.differs == "scale" or size > told * _FAR or size * _FAR < told:
        return False
    moved = shape in ("change", "difference")
    if fault.differs == "sign":
        return moved and bool(said_of(goal.text, outcome.proposal.places.values()) & {"up", "down"})
    no_share = shape == "ratio" and number.unit == "%" and size > WHOLE
    # of what with what is compared, a row does not say
    compared = moved and _COMPARED.search(goal.text) is not None and len(years_of(goal.text)) < 2
    if no_share or compared or alike(fault.result, number.value, half_of(number) * 2):
        return False
    before, behind = goal.text[: number.start], goal.text[number.end :]
    rough = limit_of(before, behind) or is_about(before, behind)
    return not rough or abs(size - told) > told * _ROUGH


def _is_plain(goal: Goal, outcome: Outcome, sheet: Sheet) -> bool:
    """Whether the claim names the operands in full, and nothing else of their table."""
    claim = words_of(goal.own)
    years = set(years_of(goal.own, through=True))
    names = over = frozenset[str]()
    for place in outcome.proposal.places.values():
        assert place.table is not None
        label, head = words_of(place.label), words_of(place.name) - words_of(place.label)
        beside = [
            column
            for column in place.table.figures(place.row)
            if set(place.table.years(place.row, column)) == set(place.years)
        ]
        if len(beside) > 1 and not head & claim:
            return False
        if label - claim or not (label or words_of(place.name) & claim) or bool(place.years) != bool(years):
            return False
        names |= words_of(f"{place.name} {place.table.section(place.row)}")
        over |= words_of(place.table.caption)
    claim = words_of(f"{goal.own[: goal.number.start]} {goal.own[goal.number.end :]}")
    claim = frozenset(word for word in claim if not said_of(word, ()))
    return not (claim & sheet.words) - names - over and len(claim & names) > _NAMED * len(claim)


def _elsewhere(goal: Goal, sheets: Iterable[tuple[Page, Sheet]]) -> bool:
    """Whether a sentence that the claim may mean as well has its value."""
    claim = words_of(goal.own)
    digits = re.search(r"\d[\d,.]*\d|\d", goal.number.raw)
    for page in dict.fromkeys(page for page, _ in sheets):
        lines = (line for line in page.text.split("\n") if line.count("|") < 2)
        if any(digits and digits[0] in line and words_of(line) & claim for line in lines):
            return True
    return False

"""What the checker says of a proposal, and the findings that are made of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from verifaible.judge.numbers.periods import find_periods
from verifaible.judge.proof.checking import Checked, check_proof, said_of
from verifaible.judge.proof.expression import ProofError
from verifaible.judge.proof.finding import derivation_of
from verifaible.judge.proof.places import Place
from verifaible.judge.proof.tables import words_of, years_of
from verifaible.judge.proof.values import ValueFault
from verifaible.judge.rules.goals import Goal
from verifaible.judge.rules.lexicon import find_metrics
from verifaible.judge.rules.page import Page
from verifaible.judge.rules.plain_words import QUALIFYING, content_words
from verifaible.judge.rules.proposals import Proposal, Sheet, proposals
from verifaible.schema.judged import Finding, Passage


@dataclass(frozen=True, slots=True)
class Outcome:
    """A proposal that the checker accepts, or of which only the value differs (``fault``)."""

    page: Page
    proposal: Proposal
    checked: Checked | None = None
    fault: ValueFault | None = None

    def passages(self) -> dict[str, Passage]:
        """Where the operands stand."""
        return {
            name: _passage(self.page, place.start, place.end) for name, place in self.proposal.places.items()
        }

    def lines(self) -> tuple[Passage, ...]:
        """The rows that they stand in."""
        return tuple(dict.fromkeys(_line(self.page, place) for place in self.proposal.places.values()))


def proposed(sheet: Sheet, text: str) -> Iterator[Proposal]:
    """The proofs over one table that a claim may have."""
    return proposals(sheet.named(text), years_of(text, through=True))


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
    derivation = derivation_of(
        first.checked, first.proposal.expression, first.proposal.places, first.passages()
    )
    return Finding(
        verdict="derived",
        passages=lines,
        derivation=derivation,
        reason="It follows from values that a table states.",
    )


def refuted(goal: Goal, wrong: Outcome) -> Finding:
    """The finding of a claim of which one number has a proof that gives another value."""
    assert wrong.fault is not None
    passages, claimed = wrong.passages(), goal.number.raw
    lines = wrong.lines()
    said = " … ".join(" ".join(line.quote.split()) for line in lines)
    if wrong.proposal.shape == "value":
        stated = next(iter(passages.values())).quote
        reason = f"The claim says {claimed}; a source says {stated}."
        return Finding(verdict="refuted", passages=lines, said=said, reason=reason)
    stated = f"{wrong.fault.result:,.4f}".rstrip("0").rstrip(".")
    if wrong.fault.differs == "sign":
        stated += ", the other way"
    checked = Checked(wrong.fault.result, goal.number.unit, wrong.proposal.shape, goal.number)
    derivation = derivation_of(checked, wrong.proposal.expression, wrong.proposal.places, passages)
    return Finding(
        verdict="refuted",
        passages=lines,
        derivation=derivation,
        said=said,
        reason=f"The claim says {claimed}; the sources give {stated}.",
    )


def _passage(page: Page, start: int, end: int) -> Passage:
    return Passage.of(page.source, page.text, start, end)


def _line(page: Page, place: Place) -> Passage:
    low, high = page.text.rfind("\n", 0, place.start) + 1, page.text.find("\n", place.end)
    return _passage(page, low, high if high >= 0 else len(page.text))

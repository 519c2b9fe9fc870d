"""What proofs over the tables of sources say of a claim: that it holds, or that only its value differs.

Each number of a claim must be explained: it is the result of a proof that the checker accepts, and no other
operands that the words fit give another one. A number is wrong where the claim names one set of operands and
one operation, the checker finds nothing amiss but the value, and no other place has the claimed one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from verifaible.judge.proof.checking import said_of
from verifaible.judge.proof.places import Place, scale_said
from verifaible.judge.rules.library import Library
from verifaible.judge.rules.page import Page
from verifaible.judge.rules.plain_words import content_words, denial
from verifaible.judge.rules.proposals import MOVES, Goal, Proposal, Sheet, alike, goals_of, half_of
from verifaible.judge.rules.wanted import Wanted
from verifaible.judge.rules.wrong import (
    EXTREME,
    WHOLE,
    Outcome,
    checked,
    is_joined,
    is_sign_told,
    narrowed_alike,
    refuted,
    supported,
    wrong_outcome,
)
from verifaible.old.numbers import NumberMention
from verifaible.schema.judged import Finding

#: A claim is a sentence; in longer texts names of rows stand by chance.
_LONGEST: Final = 500
_MOST_NUMBERS: Final = 6
_MODAL: Final = re.compile(
    r"\b(?:will|would|could|(?-i:may)|might|expect\w*|forecast\w*|projected|predict\w*|if)\b", re.I
)
_SUMMED: Final = re.compile(
    r"\b(?:combin\w*|together|altogether|sum of|in total|a total of|aggregate\w*|cumulative\w*|add\w* up"
    r"|totall?(?:ed|ing))\b|合计|总计|共|之和",
    re.I,
)


def proved(wanted: Wanted, library: Library, only: Collection[str] | None = None) -> Finding | None:
    """The finding of proofs over the tables of sources; None where they say nothing of the claim."""
    text = wanted.text
    if len(text) > _LONGEST or denial(text) or _MODAL.search(text):
        return None
    goals = goals_of(text)
    if not 0 < len(goals) <= _MOST_NUMBERS:
        return None
    pages = [page for page in library.pages(only) if page.sheets and _has_names(page, wanted)]
    sheets = [(page, sheet) for page in pages for sheet in page.sheets]
    held = [_held(goal, sheets) for goal in goals]
    if all(held):
        return supported([each for each in held if each]) if _says_no_more(text, goals, held) else None
    if sum(each is None for each in held) > 1:
        return None
    goal = goals[held.index(None)]
    wrong = wrong_outcome(goal, sheets)
    return refuted(goal, wrong) if wrong else None


def _has_names(page: Page, wanted: Wanted) -> bool:
    """Whether a source has every name that a claim has: its tables are of nobody else."""
    return wanted.proper_words <= page.vocabulary and all(
        any(content_words(alias) <= page.vocabulary for alias in wanted.aliases(name))
        for name in wanted.own_subjects
    )


def _held(goal: Goal, sheets: Iterable[tuple[Page, Sheet]]) -> Outcome | None:
    """The simplest proof of a number, where no other operands that the claim may name give another one."""
    found: list[Outcome] = []
    for page, sheet in sheets:
        for text in dict.fromkeys((goal.own, goal.text)):
            every = [
                each
                for each in sheet.proposals(text)
                if len(each.places) in (goal.of or {len(each.places)}) and _shape_said(each, goal, text)
            ]
            right = [
                outcome
                for proposal in every
                if alike(proposal.value, goal.number.value, half_of(goal.number))
                and (outcome := checked(page, proposal, text)) is not None
                and outcome.checked is not None
            ]
            found += [each for each in right if not _has_rival(each, every, text, goal.number)]
    return min(found, key=lambda each: len(each.proposal.places), default=None)


def _has_rival(outcome: Outcome, every: Sequence[Proposal], text: str, number: NumberMention) -> bool:
    """Whether the claim's words fit other operands of the same operation just as well."""
    if not all(is_sign_told(place, text) for place in outcome.proposal.places.values()):
        return True
    if not narrowed_alike(outcome.proposal.places.values(), text):
        return True
    places = outcome.proposal.places.values()
    own = {place.start for place in places}
    # in the other order a change is told by the other sign, or the other direction
    directed = len({place.years for place in places}) > 1 or number.value < 0
    directed = directed or bool(said_of(text, places) & {"up", "down"})
    return any(
        each.shape == outcome.proposal.shape
        and (directed or {place.start for place in each.places.values()} != own)
        and each is not outcome.proposal
        and (rival := checked(outcome.page, each, text)) is not None
        and rival.fault is not None
        for each in every
    )


def _shape_said(proposal: Proposal, goal: Goal, text: str) -> bool:
    """Whether the claim's words say such an operation of a number."""
    shape, places, number = proposal.shape, proposal.places.values(), goal.number
    if shape not in ("change", "ratio") and not _is_scale_told(goal, text, places):
        return False
    if shape != "value" and not number.value:
        return False  # too many calculations give nought
    said = said_of(text, places)
    moved = bool(said & MOVES) and not goal.is_level
    if shape == "value":
        own = any(_SUMMED.search(place.name) for place in places)
        return not (moved or "mean" in said or EXTREME.search(text) or (is_joined(text) and not own))
    if shape == "sum":
        return bool(_SUMMED.search(text))
    if shape == "ratio":
        return number.unit != "%" or abs(number.value) <= WHOLE
    return moved or shape == "mean"


def _is_scale_told(goal: Goal, text: str, places: Iterable[Place]) -> bool:
    """Whether a number has its scale, or its operands have none but what they show."""
    number = goal.number
    told = number.scale != 1 or scale_said(text) != 1 or number.unit in ("%", "pp", "bp")
    return told or abs(number.value) >= 1000000 or all(place.value == place.shown for place in places)


def _says_no_more(text: str, goals: Sequence[Goal], held: Sequence[Outcome | None]) -> bool:
    """Whether no direction is said that the numbers do not show: "sales rose to 5"."""
    outcomes = [each for each in held if each]
    if any(each.proposal.shape != "value" for each in outcomes):
        return True
    said = said_of(text, [place for each in outcomes for place in each.proposal.places.values()])
    if len(outcomes) == 1 and said & {"up", "down"}:
        (place,) = outcomes[0].proposal.places.values()
        return _goes(place, 1 if "up" in said else -1)
    if len(outcomes) != 2 or len(said & {"up", "down"}) != 1:
        return not said & {"up", "down"}
    early, late = sorted(zip(goals, outcomes, strict=True), key=lambda pair: _order(*pair))
    moved = late[0].number.scaled_value - early[0].number.scaled_value
    return moved * (1 if "up" in said else -1) > 0


def _order(goal: Goal, outcome: Outcome) -> tuple[bool, int]:
    """What sorts a value before the one that it became."""
    years = [year for place in outcome.proposal.places.values() for year in place.years]
    return not goal.number.earlier, max(years, default=0)


def _goes(place: Place, way: int) -> bool:
    """Whether a cell differs that way from the one of the year before it, where there is one."""
    if place.table is None or not place.years:
        return False
    for column in place.table.figures(place.row):
        before = place.table.years(place.row, column)
        cell = place.table.rows[place.row][column].number
        if cell and before and max(before) == max(place.years) - 1:
            return (place.shown - cell.value) * way > 0
    return False

"""The two protocols for a whole answer: four scores from 1 to 10, and seven kinds of errors.

All parts of an answer are asked for in one question, so that their votes share a call; what it took is
counted with the first part only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Annotated, Any, Final, Literal, TypeAlias, cast

from pydantic import Field, WithJsonSchema, create_model

from verifaible.judge.asking.asking import Judge
from verifaible.judge.asking.replies import Form
from verifaible.judge.asking.showing import bounded, orders, show_sources, when
from verifaible.judge.asking.votes import Asked, Item, Taken, tally
from verifaible.judge.protocols.subject import CLOSING, Subject, number_of_options, seed, system_of
from verifaible.schema.chat import Usage
from verifaible.schema.judged import DIMENSIONS, ERROR_CATEGORIES, Dimension, ErrorCategory, Score, Vote

_Abstain: TypeAlias = Literal["abstain"]
_Points = Annotated[int, Field(ge=1, le=10), WithJsonSchema({"type": "integer", "enum": list(range(1, 11))})]
_Presence = Annotated[int, Field(ge=0, le=1), WithJsonSchema({"type": "integer", "enum": [0, 1]})]


class ScoreForm(Form):
    """A score from 1 to 10, then its reason."""

    score: _Points | _Abstain
    reason: str


class PresenceForm(Form):
    """Whether an error is there, then the reason."""

    present: _Presence | _Abstain
    reason: str


def _form_of(name: str, parts: Sequence[str], part: type[Form]) -> type[Form]:
    fields: dict[str, Any] = {each: (part, ...) for each in parts}
    return create_model(name, __base__=Form, **fields)


RubricForm: Final = _form_of("RubricForm", DIMENSIONS, ScoreForm)
TaxonomyForm: Final = _form_of("TaxonomyForm", ERROR_CATEGORIES, PresenceForm)


@dataclass(frozen=True, slots=True)
class _Verdict:
    value: int | None
    reason: str


_Verdicts: TypeAlias = Mapping[str, _Verdict]


@dataclass(frozen=True, slots=True)
class _Check:
    name: Literal["rubric", "taxonomy"]
    form: type[Form]
    parts: tuple[str, ...]


_RUBRIC: Final = _Check("rubric", RubricForm, DIMENSIONS)
_TAXONOMY: Final = _Check("taxonomy", TaxonomyForm, ERROR_CATEGORIES)


async def rubric_scores(judge: Judge, subject: Subject) -> dict[Dimension, Score]:
    """The four scores of an answer: of each the mean over the repeats that gave one.

    Where as many repeats abstain as give a score, the score is ``abstain``.

    Raises:
        RunError: the replies cannot be kept.
    """
    scores = await _scores(judge, subject, _RUBRIC, _mean)
    return cast("dict[Dimension, Score]", scores)


async def taxonomy_scores(judge: Judge, subject: Subject) -> dict[ErrorCategory, Score]:
    """The seven categories of an answer, 0 or 1: of each what most repeats say, else ``abstain``.

    Raises:
        RunError: the replies cannot be kept.
    """
    scores = await _scores(judge, subject, _TAXONOMY, _majority)
    return cast("dict[ErrorCategory, Score]", scores)


async def _scores(
    judge: Judge, subject: Subject, check: _Check, joined: Callable[[Sequence[Asked[_Verdict]]], Score]
) -> dict[str, Score]:
    why = judge.barred(subject.answer.model)
    if not subject.answer.answer.strip():
        why = why or "The answer is empty."
    if why:
        return dict.fromkeys(check.parts, Score(outcome="not_judged", reason=f"not judged: {why}"))
    drawn = seed(check.name, subject.answer.query, subject.answer.answer)
    count = len(subject.pairs)
    asked = await judge.ask_all(
        [
            _item(subject, check, order, options)
            for order, options in zip(
                orders(count, judge.repeats, drawn),
                orders(number_of_options(check.name), judge.repeats, f"{drawn}/options"),
                strict=True,
            )
        ]
    )
    first = check.parts[0]
    return {part: joined([_part(each, part, pays=part == first) for each in asked]) for part in check.parts}


def _item(
    subject: Subject, check: _Check, order: Sequence[int], options: Sequence[int]
) -> Item[Form, _Verdicts]:
    answer = subject.answer
    shown = show_sources(subject.pairs, order, f"{answer.query}\n{answer.answer}")
    note = shown.note or ("" if shown.parts else "What its author had been given is not known.")
    parts = (subject.query(), subject.whole(), *shown.parts)
    return Item(
        protocol=check.name,
        system=system_of(check.name, options),
        user="\n\n".join(text for text in (when(answer), bounded(parts), note, CLOSING) if text),
        form=check.form,
        take=lambda form: _taken(form, check),
    )


def _taken(form: Form, check: _Check) -> Taken[_Verdicts]:
    verdicts: dict[str, _Verdict] = {}
    for part in check.parts:
        filled = getattr(form, part)
        said = filled.score if isinstance(filled, ScoreForm) else filled.present
        verdicts[part] = _Verdict(said if isinstance(said, int) else None, " ".join(filled.reason.split()))
    longest = max((verdict.reason for verdict in verdicts.values()), key=lambda reason: len(reason.split()))
    return Taken("decided", check.name, longest, verdicts)


def _part(asked: Asked[_Verdicts], part: str, *, pays: bool) -> Asked[_Verdict]:
    """One part of a reply as a vote of its own."""
    vote = asked.vote if pays else asked.vote.model_copy(update={"usage": Usage()})
    if asked.taken is None:
        return Asked(vote)
    verdict = asked.taken.data[part]
    outcome: Literal["decided", "abstain"] = "abstain" if verdict.value is None else "decided"
    value = "" if verdict.value is None else str(verdict.value)
    voted: Vote = vote.model_copy(update={"outcome": outcome, "value": value, "reason": verdict.reason})
    return Asked(voted, Taken(outcome, value, verdict.reason, verdict, asked.taken.notes))


def _majority(asked: Sequence[Asked[_Verdict]]) -> Score:
    found = tally(asked)
    value = float(found.value) if found.outcome == "decided" else None
    return Score(
        outcome=found.outcome, value=value, reason=found.reason, votes=tuple(each.vote for each in asked)
    )


def _mean(asked: Sequence[Asked[_Verdict]]) -> Score:
    votes = tuple(each.vote for each in asked)
    given = [
        each.taken.data for each in asked if each.taken is not None and each.taken.data.value is not None
    ]
    abstained = sum(vote.outcome == "abstain" for vote in votes)
    if not given or abstained >= len(given):
        found = tally(asked)
        outcome = "abstain" if found.outcome == "decided" else found.outcome
        return Score(outcome=outcome, reason=found.reason, votes=votes)
    mean = fmean(each.value for each in given if each.value is not None)
    # the reason that goes with the score nearest to the mean
    nearest = min(given, key=lambda each: abs((each.value or 0) - mean))
    return Score(outcome="decided", value=mean, reason=nearest.reason, votes=votes)

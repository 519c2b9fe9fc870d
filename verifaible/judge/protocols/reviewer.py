"""A judge with its protocols, as a run of judging asks it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Annotated, Any, Final, Literal, TypeAlias, cast

from pydantic import Field, WithJsonSchema, create_model

from verifaible.claims.llm_split import ClaimsForm, ClaimsRead, checked_claims
from verifaible.factcheck.library import Library
from verifaible.judge.protocols.claim_checks import citation_row, hallucination_row
from verifaible.judge.protocols.subject import (
    CLOSING,
    Subject,
    number_of_options,
    prompt,
    seed,
    subject_of,
    system_of,
)
from verifaible.llm.prompting import MASK, Part, bounded, orders, show_sources, when
from verifaible.llm.structured import Form
from verifaible.llm.voting import Asked, Item, Judge, Taken, tally
from verifaible.schema.analyst import AnalystAnswer, Claim
from verifaible.schema.chat import Usage
from verifaible.schema.judged import (
    DIMENSIONS,
    ERROR_CATEGORIES,
    CitationRow,
    Dimension,
    ErrorCategory,
    HallucinationRow,
    Score,
    Vote,
)

#: Characters of an answer that are split at once: the claims of more may not fit into one reply.
PART_CHARACTERS: Final = 8_000


@dataclass(frozen=True, slots=True)
class Split:
    """An answer's claims, and a vote for each part of it; a failed one left its part to the rules."""

    read: ClaimsRead
    votes: tuple[Vote, ...]


async def split_claims(judge: Judge, subject: Subject) -> Split:
    """Let a judge split an answer into claims.

    Which judge splits it says nothing of its worth, so a judge of the same family may.

    Raises:
        RunError: the replies cannot be kept.
    """
    parts = list(_parts(subject.blind(subject.answer.answer)))
    asked = await asyncio.gather(*(judge.ask(_item(subject, part)) for part in parts))
    given = [
        # a claim about a masked name is looked up as it stands, not found, told, and left to the rules
        claim.model_copy(update={"quote": claim.text}) if MASK in claim.text else claim
        for each in asked
        if each.taken is not None
        for claim in each.taken.data.claims
    ]
    read = checked_claims(subject.answer, ClaimsForm(claims=given))
    return Split(read, tuple(each.vote for each in asked))


def _item(subject: Subject, part: str) -> Item[ClaimsForm, ClaimsForm]:
    return Item(
        protocol="claims",
        system=prompt("claims.md"),
        user="\n\n".join((bounded((subject.query(), Part("the answer", part))), CLOSING)),
        form=ClaimsForm,
        take=lambda form: Taken("decided", f"{len(form.claims)} claims", "", form),
    )


def _parts(text: str) -> Iterator[str]:
    """Pieces of a text that end at a blank line, a line or a blank."""
    start = 0
    while start < len(text):
        end = start + PART_CHARACTERS
        if end < len(text):
            cuts = (text.rfind(mark, start + PART_CHARACTERS // 2, end) for mark in ("\n\n", "\n", " "))
            end = next((cut for cut in cuts if cut > start), end)
        if text[start:end].strip():
            yield text[start:end]
        start = end


class JudgeReviewer:
    """One judge for all protocols.

    Args:
        judge: who is asked; closed by who opened it.
        models: the names of all models of the run, which are masked in what the judge reads.

    Attributes:
        splits: what became of splitting each answer, by its id: the claims, and what was not taken.
    """

    def __init__(self, judge: Judge, models: Collection[str]) -> None:
        self.judge = judge
        self._models = tuple(models)
        self.splits: dict[str, Split] = {}
        self._subjects: dict[str, tuple[Library, Subject]] = {}

    async def claims(self, answer: AnalystAnswer) -> tuple[Claim, ...]:
        """The claims of an answer; those of the rules where the judge gave none that can be used."""
        subject = subject_of(answer, Library(()), self._models)
        split = self.splits[answer.id] = await split_claims(self.judge, subject)
        return split.read.claims

    async def citation(self, claim: Claim, answer: AnalystAnswer, library: Library) -> CitationRow:
        """The citation check of a claim that cites sources."""
        return await citation_row(self.judge, claim, self._subject(answer, library))

    async def hallucination(self, claim: Claim, answer: AnalystAnswer, library: Library) -> HallucinationRow:
        """The hallucination check of a claim."""
        return await hallucination_row(self.judge, claim, self._subject(answer, library))

    async def rubric(self, answer: AnalystAnswer, library: Library) -> dict[Dimension, Score]:
        """The four scores of an answer."""
        return await rubric_scores(self.judge, self._subject(answer, library))

    async def taxonomy(self, answer: AnalystAnswer, library: Library) -> dict[ErrorCategory, Score]:
        """The seven categories of an answer."""
        return await taxonomy_scores(self.judge, self._subject(answer, library))

    def _subject(self, answer: AnalystAnswer, library: Library) -> Subject:
        """The subject of an answer; kept while its claims come one after the other."""
        kept = self._subjects.get(answer.id)
        if kept is None or kept[0] is not library:
            while len(self._subjects) >= _KEPT:
                self._subjects.pop(next(iter(self._subjects)))
            kept = self._subjects[answer.id] = (library, subject_of(answer, library, self._models))
        return kept[1]


#: Answers whose subjects are kept; a run has a few under way.
_KEPT = 32


# The two protocols for a whole answer: four scores from 1 to 10, and seven kinds of errors.
#
# All parts of an answer are asked for in one question, so that their votes share a call; what it took is
# counted with the first part only.

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
            _part_item(subject, check, order, options)
            for order, options in zip(
                orders(count, judge.repeats, drawn),
                orders(number_of_options(check.name), judge.repeats, f"{drawn}/options"),
                strict=True,
            )
        ]
    )
    first = check.parts[0]
    return {part: joined([_part(each, part, pays=part == first) for each in asked]) for part in check.parts}


def _part_item(
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

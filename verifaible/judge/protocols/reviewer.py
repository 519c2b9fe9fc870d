"""A judge with its protocols, as a run of judging asks it."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from verifaible.judge.asking.asking import Judge
from verifaible.judge.asking.showing import MASK, Part, bounded
from verifaible.judge.asking.votes import Item, Taken, prompt
from verifaible.judge.claims.reply import ClaimsForm, ClaimsRead, checked_claims
from verifaible.judge.protocols.claim_checks import citation_row, hallucination_row
from verifaible.judge.protocols.ranking import ranks
from verifaible.judge.protocols.subject import CLOSING, Subject, subject_of
from verifaible.judge.protocols.whole import rubric_scores, taxonomy_scores
from verifaible.judge.rules.library import Library
from verifaible.schema.analyst import AnalystAnswer, Claim
from verifaible.schema.judged import (
    CitationRow,
    Dimension,
    ErrorCategory,
    HallucinationRow,
    RankRow,
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

    async def ranking(self, answers: Sequence[AnalystAnswer]) -> dict[str, RankRow]:
        """The places of answers to one query, by their ids."""
        return await ranks(self.judge, [subject_of(answer, Library(()), self._models) for answer in answers])

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

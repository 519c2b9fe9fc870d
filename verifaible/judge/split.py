"""Letting a judge model split an answer into claims, part by part; what it cannot is left to the rules."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from verifaible.claims.llm_split import ClaimsForm, ClaimsRead, checked_claims
from verifaible.factcheck.llm_judge import CLOSING
from verifaible.judge.rubric import Subject, prompt
from verifaible.llm.prompting import MASK, Part, bounded, masked
from verifaible.llm.voting import Item, Judge, Taken
from verifaible.schema.judged import Vote

#: Characters of an answer that are split at once: the claims of more may not fit into one reply.
PART_CHARACTERS: Final = 8_000


@dataclass(frozen=True, slots=True)
class Split:
    """An answer's claims, and a vote for each part of it; a failed one left its part to the rules."""

    read: ClaimsRead
    votes: tuple[Vote, ...]

    def note(self, answer: str) -> str:
        """What the judge could not split of an answer, or said that is not in it; empty where nothing is."""
        told = []
        undone = [vote for vote in self.votes if vote.outcome != "decided"]
        if undone:
            why = next((each for vote in undone if (each := vote.fault or vote.reason)), "no usable reply")
            told.append(f"{len(undone)} of {len(self.votes)} parts were split by rules ({why}).")
        if faults := self.read.faults:
            told.append(
                f"{len(faults)} of the judge's claims were not taken as given "
                f"(the first: {faults[0].message}); "
                f"{self.read.filled} claims come from the rules."
            )
        return f"Claims of {answer}: {' '.join(told)}" if told else ""


async def split_claims(judge: Judge, subject: Subject) -> Split:
    """Let a judge split an answer into claims.

    Which judge splits it says nothing of its worth, so a judge of the same family may.

    Raises:
        RunError: the replies cannot be kept.
    """
    parts = list(_parts(masked(subject.answer.answer, subject.names)))
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

"""How models take triples out of a chunk: in one call, in two, or with a critic.

A reply that cannot be used ends a chunk as failed; it is never a chunk without triples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from verifaible.kg.extract.questions import ChunkText, Correction, FormT, Mode, Questions, Remark, T
from verifaible.kg.triples import Triple
from verifaible.llm.voting import Item, Judge
from verifaible.schema.chat import Usage


class ChunkFailed(Exception):
    """A step got no usable reply; the message names the step and says why.

    Attributes:
        asked: whether a model was asked, or a limit of cost or a rejected key ended that before.
        usage: what was used until then.
    """

    def __init__(self, message: str, *, asked: bool, usage: Usage) -> None:
        self.asked = asked
        self.usage = usage
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Extracted:
    """What came of a chunk.

    Attributes:
        usage: tokens and cost of the replies, those that were kept from before included.
        rounds: corrections that a critic asked for.
        settled: whether the critic had nothing more to say; True in modes without one.
    """

    triples: tuple[Triple, ...]
    usage: Usage
    rounds: int = 0
    settled: bool = True


class _Steps:
    """Questions about a chunk, one after the other, and what they used together."""

    def __init__(self, judge: Judge, questions: Questions, text: ChunkText) -> None:
        self.judge = judge
        self.questions = questions
        self.text = text
        self.usage = Usage()

    async def ask(self, item: Item[FormT, T], judge: Judge | None = None) -> T:
        asked = await (judge or self.judge).ask(item)
        self.usage += asked.vote.usage
        if asked.taken is None:
            why = asked.vote.fault or asked.vote.reason
            raise ChunkFailed(
                f"{item.protocol}: {why}", asked=asked.vote.outcome == "failed", usage=self.usage
            )
        return asked.taken.data

    async def correct(self, triples: Sequence[Triple], remarks: Sequence[Remark]) -> Correction:
        if not remarks:
            return Correction(tuple(triples))
        return await self.ask(self.questions.correction(self.text, triples, remarks))


async def extract_chunk(
    mode: Mode,
    judge: Judge,
    questions: Questions,
    text: ChunkText,
    *,
    normaliser: Judge | None = None,
    max_rounds: int = 3,
) -> Extracted:
    """Take triples out of one chunk.

    Args:
        mode: ``single``: one call extracts in the words of the ontology; ``multi``: a second brings what the
            first extracted freely to them; ``reflection``: a critic's remarks are corrected, until there
            are none.
        judge: the model that is asked.
        questions: what it is asked.
        text: the chunk.
        normaliser: the model of the second call of ``multi``; default the same.
        max_rounds: corrections of ``reflection`` at most.

    Raises:
        ChunkFailed: a step got no usable reply.
        RunError: the replies cannot be kept.
    """
    steps = _Steps(judge, questions, text)
    triples = await steps.ask(questions.extraction(text, free=mode == "multi"))
    if mode == "multi" and triples:
        triples = await steps.ask(questions.normalisation(text, triples), normaliser)
    rounds, settled = 0, mode != "reflection"
    while not settled and rounds < max_rounds:
        remarks = await steps.ask(questions.critique(text, triples))
        triples = (await steps.correct(triples, remarks)).triples
        settled = not remarks
        rounds += not settled
    return Extracted(triples, steps.usage, rounds, settled)


async def improve_chunk(
    judge: Judge,
    questions: Questions,
    text: ChunkText,
    triples: Sequence[Triple],
    *,
    remarks: Sequence[Sequence[str]],
    missing: Sequence[str] = (),
) -> tuple[Correction, Usage]:
    """Have the triples of a chunk corrected by what was said of them.

    Args:
        judge: the model that corrects.
        questions: what it is asked.
        text: the chunk.
        triples: all of the chunk.
        remarks: of each triple, in the same order; empty where it is to stay as it is.
        missing: what was said of the whole set: facts that no triple has.

    Returns:
        The correction with all triples of the chunk, and what the replies used. Without a remark nobody is
        asked.

    Raises:
        ChunkFailed: there was no usable reply.
        RunError: the replies cannot be kept.
    """
    said = [Remark(number, each) for number, of in enumerate(remarks, 1) for each in of]
    steps = _Steps(judge, questions, text)
    return await steps.correct(triples, [*said, *(Remark(0, each) for each in missing)]), steps.usage

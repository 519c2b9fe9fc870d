"""Judging the triples of a folder.

Every reply is kept in the folder, and all questions are gone through from there: so a kill loses the calls
under way alone, what failed at the endpoint is asked again, and what a judge said is never paid twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

from verifaible.errors import ConfigError
from verifaible.kg.folder import Extraction, GraphFolder, write_records
from verifaible.kg.judging.protocol import MOST_TRIPLES, Question, Said, item_of
from verifaible.kg.triples import COVERAGE, CRITERIA, XBRL, ChunkVerdict, Triple, TripleVerdict
from verifaible.llm.voting import Asked, Judge
from verifaible.runs.folder import held


def kin(judge: Judge, runs: Sequence[Extraction]) -> list[str]:
    """What a reader must know of the judge and those whose triples it judges.

    Raises:
        ConfigError: it is of the family of one of them.
    """
    makers = sorted({triple.by for run in runs for triple in run.triples} - {XBRL})
    for maker in makers:
        if why := judge.barred(maker):
            raise ConfigError(f"{judge.name} cannot judge what {maker} extracted. {why}")
    return [doubt for maker in makers if (doubt := judge.doubts(maker))]


def questions_of(folder: GraphFolder, run: Extraction) -> Iterator[Question]:
    """The questions about each chunk that an extraction went through.

    They depend on the chunk and its triples alone, so that a later start asks the same. A chunk whose
    extraction failed is asked about by nobody: that it has no triples is not the extractor's.
    """
    name, text, chunks = folder.ingested.name, folder.filing().text, folder.chunks()
    by_chunk: dict[str, list[Triple]] = {}
    for triple in run.triples:
        by_chunk.setdefault(triple.chunk, []).append(triple)
    went = run.covered(chunks)
    for chunk in (each for each in chunks if went.get(each.id) == ""):
        those = tuple(by_chunk.get(chunk.id, ()))
        batches = [those[at : at + MOST_TRIPLES] for at in range(0, len(those), MOST_TRIPLES)]
        for criterion in (*CRITERIA, COVERAGE):
            for batch in [those] if criterion == COVERAGE else batches:
                yield Question(
                    criterion=criterion,
                    chunk=chunk.id,
                    start=chunk.start,
                    text=text[chunk.start : chunk.end],
                    context=chunk.context,
                    filer=name,
                    triples=batch,
                )


async def judge_extraction(folder: GraphFolder, run: Extraction, judge: Judge) -> str:
    """Judge the triples of an extraction; verdicts of other judges stay beside those of this one.

    Returns:
        Why some were not asked at all (the limit of cost, a key that is refused), or why nothing was judged;
        empty where all is well.

    Raises:
        ConfigError: no filing was taken in.
        RunError: the folder cannot be written, or another process writes it.
    """
    with held(run.path):
        asked = list(questions_of(folder, run))
        answers = await asyncio.gather(*(judge.ask(item_of(each)) for each in asked))
        triples = [each for each in run.verdicts.read() if each.judge != judge.name]
        chunks = [each for each in run.coverage.read() if each.judge != judge.name]
        for question, answer in zip(asked, answers, strict=True):
            for of, said in _verdicts(question, answer):
                told: dict[str, object] = {
                    "judge": judge.name,
                    "verdict": said.verdict,
                    "reason": said.reason,
                }
                told |= {"warnings": said.warnings, "failed": said.failed}
                if question.criterion == COVERAGE:
                    chunks.append(ChunkVerdict.model_validate({"chunk": of, **told}))
                    continue
                start, end = (question.start + each if said.span[1] else 0 for each in said.span)
                told |= {"triple": of, "criterion": question.criterion, "start": start, "end": end}
                triples.append(TripleVerdict.model_validate(told))
        write_records(run.verdicts.path, triples)
        write_records(run.coverage.path, chunks)
    return _left(answers)


def _verdicts(question: Question, answer: Asked[tuple[Said, ...]]) -> Iterator[tuple[str, Said]]:
    """What a reply says of each triple, or of the chunk, by its id; nothing where nobody was asked."""
    if answer.vote.outcome == "not_judged":
        return
    said = answer.taken.data if answer.taken else (Said(failed=answer.vote.fault),) * len(question.ids)
    yield from zip(question.ids, said, strict=True)


def _left(answers: Sequence[Asked[tuple[Said, ...]]]) -> str:
    unasked = [each.vote.reason for each in answers if each.vote.outcome == "not_judged"]
    if unasked or not answers or any(each.taken for each in answers):
        return next(iter(unasked), "")
    return (
        f"Nothing was judged: each of the {len(answers):,} replies failed. The first: {answers[0].vote.fault}"
    )

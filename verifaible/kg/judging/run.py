"""Judging the triples of a folder: lines that a kill leaves whole, and what each question cost."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from verifaible.config import Settings
from verifaible.errors import ConfigError
from verifaible.kg.folder import Extraction, GraphFolder, write_records
from verifaible.kg.judging.protocol import (
    COVERAGE,
    IDENTITY,
    MOST_TRIPLES,
    Question,
    Said,
    ScriptedJudge,
    item_of,
)
from verifaible.kg.triples import CRITERIA, NO_RESULT, SCRIPTED, XBRL, ChunkVerdict, Triple, TripleVerdict
from verifaible.llm.opening import open_model
from verifaible.llm.replies import replies_of
from verifaible.llm.voting import Asked, Judge
from verifaible.reporting.tables import Column, Table, count, table_of
from verifaible.runs.folder import held
from verifaible.runs.lines import Lines
from verifaible.schema.base import Record
from verifaible.schema.chat import Usage

#: Replies of models, in the folder of a graph.
REPLIES: Final = ".replies"
_ASKED: Final = "judging.jsonl"


class AskedQuestion(Record):
    """A line of ``judging.jsonl``: a question, and what its replies cost.

    Attributes:
        call: the name of its reply in the cache.
        failed: why no reply could be used; empty where one could.
    """

    criterion: str
    chunk: str
    judge: str
    call: str = ""
    usage: Usage = Usage()
    failed: str = ""


def open_judge(
    name: str,
    folder: GraphFolder,
    settings: Settings,
    *,
    concurrency: int = 4,
    max_cost_usd: float | None = None,
) -> Judge:
    """The judge of that name at temperature 0; its replies are kept in the folder.

    Raises:
        UnknownModel, MissingKey, ConfigError: it cannot be asked.
    """
    scripted = name == SCRIPTED
    return Judge(
        ScriptedJudge() if scripted else open_model(name, settings, temperature=0.0).client,
        replies_of(settings, folder.path / REPLIES),
        name=name,
        identity=IDENTITY if scripted else None,
        concurrency=concurrency,
        max_cost_usd=max_cost_usd,
    )


def kin(judge: Judge, runs: Sequence[Extraction]) -> list[str]:
    """What a reader must know of the judge and those whose triples it judges.

    Raises:
        ConfigError: it is of the family of one of them.
    """
    makers = {triple.by for run in runs for triple in run.triples.read()} - {XBRL}
    if judge.name == SCRIPTED:
        return []
    for maker in sorted(makers):
        if why := judge.barred(maker):
            raise ConfigError(f"{judge.name} cannot judge what {maker} extracted. {why}")
    return [doubt for maker in sorted(makers) if (doubt := judge.doubts(maker))]


def questions_of(
    folder: GraphFolder, triples: Sequence[Triple], criteria: Sequence[str]
) -> Iterator[Question]:
    """The questions of each chunk; they depend on its triples alone, so that a later run asks the same."""
    ingested, filing = folder.ingested, folder.filing()
    by_chunk: dict[str, list[Triple]] = {}
    for triple in triples:
        by_chunk.setdefault(triple.chunk, []).append(triple)
    for chunk in folder.chunks():
        those = tuple(by_chunk.get(chunk.id, ()))
        batches = [those[at : at + MOST_TRIPLES] for at in range(0, len(those), MOST_TRIPLES)]
        for criterion in criteria:
            for batch in [those] if criterion == COVERAGE else batches:
                yield Question(
                    criterion=criterion,
                    chunk=chunk.id,
                    start=chunk.start,
                    text=filing.text[chunk.start : chunk.end],
                    context=chunk.context,
                    filer=ingested.name,
                    source=ingested.source,
                    triples=batch,
                )


async def judge_extraction(
    folder: GraphFolder,
    run: Extraction,
    judge: Judge,
    criteria: Sequence[str] = (*CRITERIA, COVERAGE),
) -> str:
    """Judge the triples of an extraction that have no verdict of this judge yet.

    Lines are written in the order of the questions, whichever is answered first; of what a kill leaves
    unwritten, the replies are kept. What failed is asked again; a reply that is kept says the same again.

    Returns:
        Why some were not asked at all (the limit of cost, a key that is refused); empty where all were.

    Raises:
        ConfigError: no filing was taken in.
        RunError: the folder cannot be written, or another process runs into it.
    """
    with held(run.path):
        done = _kept(run, judge.name, criteria)
        asked = Lines(run.path / _ASKED, AskedQuestion)
        left: list[str] = []

        def keep(question: Question, answer: Asked[tuple[Said, ...]]) -> None:
            vote = answer.vote
            if vote.outcome == "not_judged":
                left.append(vote.reason)
                return
            asked.add(
                AskedQuestion(
                    criterion=question.criterion,
                    chunk=question.chunk,
                    judge=judge.name,
                    call=vote.call,
                    usage=vote.usage,
                    failed=vote.fault,
                )
            )
            said = answer.taken.data if answer.taken else (Said(failed=vote.fault),) * question.items
            for key, each in zip(_keys(question), said, strict=True):
                if key not in done:
                    _add(run, judge.name, question, key[1], each)

        async def ask(question: Question) -> Asked[tuple[Said, ...]]:
            return await judge.ask(item_of(question))

        todo = [
            question
            for question in questions_of(folder, run.triples.read(), criteria)
            if not done.issuperset(_keys(question))
        ]
        asking = [asyncio.ensure_future(ask(question)) for question in todo]
        try:
            for question, answer in zip(todo, asking, strict=True):
                keep(question, await answer)
        finally:
            for each in asking:
                each.cancel()
            await asyncio.gather(*asking, return_exceptions=True)
    return next(iter(left), "")


def _keys(question: Question) -> list[tuple[str, str]]:
    """What a reply gives a verdict of: the criterion, and the id of the triple or of the chunk."""
    things = [question.chunk] if question.criterion == COVERAGE else [each.id for each in question.triples]
    return [(question.criterion, thing) for thing in things]


def _kept(run: Extraction, judge: str, criteria: Sequence[str]) -> set[tuple[str, str]]:
    """What has a verdict of a judge; lines of what failed are taken out, to be written anew."""
    verdicts = [((each.criterion, each.triple), each) for each in run.verdicts.read()]
    coverage = [((COVERAGE, each.chunk), each) for each in run.coverage.read()]
    found = set[tuple[str, str]]()
    for path, pairs in ((run.verdicts.path, verdicts), (run.coverage.path, coverage)):
        own = [(key, each) for key, each in pairs if each.judge == judge and key[0] in criteria]
        out = {key for key, each in own if each.verdict is None}
        found |= {key for key, _ in own} - out
        if out:
            write_records(path, (each for key, each in pairs if each.judge != judge or key not in out))
    return found


def _add(run: Extraction, judge: str, question: Question, of: str, said: Said) -> None:
    told = {
        "judge": judge,
        "verdict": said.verdict,
        "reason": said.reason,
        "warnings": said.warnings,
        "failed": said.failed,
    }
    if question.criterion == COVERAGE:
        run.coverage.add(ChunkVerdict.model_validate({"chunk": of, **told}))
        return
    start, end = (question.start + each if said.span[1] else 0 for each in said.span)
    told |= {"triple": of, "criterion": question.criterion, "start": start, "end": end}
    run.verdicts.add(TripleVerdict.model_validate(told))


def spent(runs: Sequence[Extraction], judge: str) -> Usage:
    """What the replies behind the verdicts of a judge have cost, in this run and earlier ones."""
    lines = (each for run in runs for each in Lines(run.path / _ASKED, AskedQuestion).read())
    # a kept reply that was read again is the same in all three; one that was asked for anew is not
    replies = {(each.call, each.failed, each.usage) for each in lines if each.judge == judge}
    return sum((usage for _, _, usage in replies), Usage())


def verdict_table(runs: Sequence[Extraction], judge: str) -> Table:
    """How many verdicts of each kind a judge gave, and how many replies failed."""
    numbers = Counter[tuple[str, object]]()
    for run in runs:
        numbers.update((each.criterion, each.verdict) for each in run.verdicts.read() if each.judge == judge)
        numbers.update((COVERAGE, each.verdict) for each in run.coverage.read() if each.judge == judge)

    def column(heading: str, *verdicts: object) -> Column[str, str]:
        return Column(heading, lambda name: count(sum(numbers[name, verdict] for verdict in verdicts)))

    columns: list[Column[str, str]] = [
        Column("criterion", lambda name: name),
        column("1 or good", 1, "good"),
        column("partial", "partial"),
        column("0 or bad", 0, "bad"),
        column("failed", None),
    ]
    return table_of(
        f"Verdicts of {judge}",
        columns,
        [name for name in (*CRITERIA, COVERAGE) if any(key[0] == name for key in numbers)],
        name="kg_verdicts",
        note=NO_RESULT if judge == SCRIPTED else "",
    )

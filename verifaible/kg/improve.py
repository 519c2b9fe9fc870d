"""The feedback loop: what a judge warned of goes back to extraction, and is judged again.

Before and after are compared on the chunks that were corrected, triple by triple and chunk by chunk.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from verifaible.config import Settings
from verifaible.errors import RunError
from verifaible.judge.asking.asking import Judge
from verifaible.kg.chunks import Chunk
from verifaible.kg.extract.modes import ChunkFailed, improve_chunk
from verifaible.kg.extract.questions import ChunkText, Questions
from verifaible.kg.folder import Extraction, GraphFolder, write_records
from verifaible.kg.judging.run import REPLIES, judge_extraction, kin, open_judge
from verifaible.kg.ontology import read_ontology
from verifaible.kg.report.judged import (
    SEED,
    CoveragePoints,
    Judged,
    JudgedChunk,
    JudgedTriple,
    average_of,
    coverage_of,
    read_judged,
)
from verifaible.kg.report.tables import average_cell
from verifaible.kg.triples import (
    CRITERIA,
    NO_RESULT,
    SCRIPTED,
    ChunkVerdict,
    Criterion,
    Triple,
    TripleVerdict,
)
from verifaible.llm.opening import open_model
from verifaible.reporting.tables import Cell, Row, Table, count, figure, row, words
from verifaible.runs.replies import replies_of
from verifaible.scoring.paired import compare_paired, mcnemar_p_value

#: Corrects the triples of a chunk: the chunk, its triples, the remarks on each (none where it stays), and
#: what the whole set lacks. It gives all triples of the chunk, a corrected one with the id of the one that it
#: replaces, or raises :class:`NotCorrected`.
Correct: TypeAlias = Callable[
    [Chunk, Sequence[Triple], Sequence[Sequence[str]], Sequence[str]], Awaitable[Sequence[Triple]]
]
#: Judges those triples and chunks of an extraction that have no verdict yet.
JudgeAgain: TypeAlias = Callable[[Extraction], Awaitable[None]]
_COLUMNS: Final = (
    *("Before", "After", "Pairs", "Mended", "Broken", "McNemar p"),
    *("Chunks", "Difference by chunk"),
)


class NotCorrected(Exception):
    """There was no usable correction of a chunk; its triples stay, and it is not compared."""


@dataclass(frozen=True, slots=True)
class Improved:
    """What came of a round of feedback.

    Attributes:
        run: the extraction with the corrections; all other triples are in it as they were.
        sent: chunks that went back.
        failed: those that were not corrected, and why.
        replaced, added, dropped: triples.
        table: before and after on the chunks that were corrected.
    """

    run: Extraction
    sent: int
    failed: Mapping[str, str]
    replaced: int
    added: int
    dropped: int
    table: Table

    def line(self) -> str:
        """What was done, in a sentence."""
        why = f" ({'; '.join(sorted(set(self.failed.values())))})" if self.failed else ""
        told = f"{self.sent:,} chunks went back, {len(self.failed):,} were not corrected{why}"
        changed = f"{self.replaced:,} triples replaced, {self.added:,} added, {self.dropped:,} dropped"
        return f"{told}; {changed}. {self.run.path}"


async def improve(
    folder: GraphFolder,
    run: Extraction,
    judge: str,
    *,
    correct: Correct,
    judge_again: JudgeAgain,
    into: str = "",
    points: CoveragePoints | None = None,
) -> Improved:
    """Send back what a judge gave a 0 or a warning, and compare.

    Args:
        folder: of the filing.
        run: the extraction that was judged; it stays as it is.
        judge: whose verdicts go back.
        correct: the extractor.
        judge_again: the same judge.
        into: the name of the new extraction; by default the old one's with ``-improved``. What it held goes.
        points: what coverage counts.

    Raises:
        ConfigError: the judge said nothing of it.
        RunError: a file is damaged or cannot be written.
    """
    before = _judged(folder, run, judge)
    triples: dict[str, list[JudgedTriple]] = {}
    for each in before.triples:
        triples.setdefault(each.triple.chunk, []).append(each)
    back: dict[str, tuple[Chunk, list[list[str]], list[str]]] = {}
    for chunk in before.chunks:
        remarks = [_remarks(each) for each in triples.get(chunk.chunk.id, ())]
        missing = _missing(chunk)
        if missing or any(remarks):
            back[chunk.chunk.id] = chunk.chunk, remarks, missing
    failed: dict[str, str] = {}
    given: dict[str, Sequence[Triple]] = {}

    async def send(chunk: Chunk, remarks: list[list[str]], missing: list[str]) -> None:
        try:
            given[chunk.id] = await correct(
                chunk, [each.triple for each in triples.get(chunk.id, ())], remarks, missing
            )
        except NotCorrected as error:
            failed[chunk.id] = str(error)

    await asyncio.gather(*(send(*each) for each in back.values()))
    after = folder.run(into or f"{run.name}-improved")
    _write(after, before, triples, given)
    await judge_again(after)
    then = _judged(folder, after, judge)
    pairs = _pairs(before.triples, then.triples, given)
    old = [each for name in given for each in triples.get(name, ())]
    return Improved(
        run=after,
        sent=len(back),
        failed=failed,
        replaced=sum(_words(one.triple) != _words(two.triple) for one, two in pairs),
        added=sum(len(each) for each in given.values()) - len(pairs),
        dropped=len(old) - len(pairs),
        table=_table(before, then, given, pairs, points or CoveragePoints()),
    )


def improve_by_model(
    settings: Settings,
    folder: GraphFolder,
    name: str,
    *,
    model: str,
    judge_name: str,
    points: CoveragePoints | None = None,
    **asking: Any,
) -> Improved:
    """Let a model correct what a judge warned of, and the judge judge it again.

    Args:
        settings: base URL, key, and the person's own models.
        folder: of the filing.
        name: of the extraction.
        model: corrects.
        judge_name: whose verdicts go back, and who judges again.
        points: what coverage counts.
        asking: ``concurrency``, ``max_cost_usd`` and what else :func:`open_judge` takes.

    Raises:
        ConfigError: there is no such extraction, nobody judged it, or the judge may not judge it.
        UnknownModel, MissingKey: a model cannot be asked.
        RunError: the folder cannot be read or written, a chunk was not judged again, or another process runs.
    """
    (run,) = folder.runs([name])
    filing, into = folder.filing(), f"{run.name}-improved"
    questions = Questions(read_ontology(), into, model)

    async def through() -> Improved:
        judge = open_judge(judge_name, folder, settings, **asking)
        client = open_model(model, settings, temperature=0.0).client
        corrector = Judge(client, replies_of(settings, folder.path / REPLIES), name=model, **asking)

        async def correct(
            chunk: Chunk, triples: Sequence[Triple], remarks: Sequence[Sequence[str]], missing: Sequence[str]
        ) -> Sequence[Triple]:
            text = ChunkText.of(chunk, filing)
            try:
                corrected, _ = await improve_chunk(
                    corrector, questions, text, triples, remarks=remarks, missing=missing
                )
            except ChunkFailed as error:
                raise NotCorrected(str(error)) from error
            return corrected.triples

        async def judge_again(after: Extraction) -> None:
            kin(judge, [after])
            if left := await judge_extraction(folder, after, judge):
                raise RunError(f"Not all of {after.name} was judged again: {left}")

        try:
            return await improve(
                folder, run, judge_name, correct=correct, judge_again=judge_again, into=into, points=points
            )
        finally:
            await judge.aclose()
            await corrector.aclose()

    return asyncio.run(through())


def _judged(folder: GraphFolder, run: Extraction, judge: str) -> Judged:
    (found,) = read_judged([folder], [run.name], [judge])
    return found


def _remarks(triple: JudgedTriple) -> list[str]:
    return [
        _remark(criterion, verdict)
        for criterion, verdict in triple.verdicts.items()
        if verdict.verdict == 0 or verdict.warnings
    ]


def _missing(chunk: JudgedChunk) -> list[str]:
    verdict = chunk.verdict
    if verdict is None or verdict.verdict is None or (verdict.verdict == "good" and not verdict.warnings):
        return []
    return [_remark("comprehensiveness", verdict)]


def _remark(criterion: str, verdict: TripleVerdict | ChunkVerdict) -> str:
    tags = f": {', '.join(verdict.warnings)}" if verdict.warnings else ""
    return f"{criterion} {verdict.verdict}{tags}. {verdict.reason}".strip()


def _write(
    run: Extraction,
    before: Judged,
    triples: Mapping[str, Sequence[JudgedTriple]],
    given: Mapping[str, Sequence[Triple]],
) -> None:
    """The new extraction, with the verdicts on chunks that did not change."""
    order = dict.fromkeys([*triples, *given])
    run.replace(
        [one for name in order for one in given.get(name, [each.triple for each in triples.get(name, ())])]
    )
    kept = [each for each in before.triples if each.triple.chunk not in given]
    write_records(run.verdicts.path, [line for each in kept for line in each.verdicts.values()])
    told = [each.verdict for each in before.chunks if each.verdict and each.chunk.id not in given]
    write_records(run.coverage.path, told)


def _words(triple: Triple) -> tuple[str, ...]:
    named = (triple.head, triple.relation, triple.tail)
    return triple.chunk, *(" ".join(each.split()).casefold() for each in named)


def _pairs(
    before: Sequence[JudgedTriple], after: Sequence[JudgedTriple], given: Mapping[str, Sequence[Triple]]
) -> list[tuple[JudgedTriple, JudgedTriple]]:
    """The triples of corrected chunks that are on both sides, by their ids, else by their words."""
    left = [each for each in before if each.triple.chunk in given]
    right = [each for each in after if each.triple.chunk in given]
    found: list[tuple[JudgedTriple, JudgedTriple]] = []
    for key in (lambda triple: (triple.chunk, triple.id), _words):
        there = {key(each.triple): each for each in reversed(right)}
        for each in left:
            if other := there.pop(key(each.triple), None):
                found.append((each, other))
        left = [each for each in left if not any(each is one for one, _ in found)]
        right = [each for each in right if not any(each is two for _, two in found)]
    return found


def _table(
    before: Judged,
    after: Judged,
    given: Mapping[str, Sequence[Triple]],
    pairs: Sequence[tuple[JudgedTriple, JudgedTriple]],
    points: CoveragePoints,
) -> Table:
    chunks = [[each for each in side.chunks if each.chunk.id in given] for side in (before, after)]
    one, two = (coverage_of(each, points, intervals=False) for each in chunks)
    covered = [
        {each.chunk.id: [value] for each in side if (value := _points(each, points)) is not None}
        for side in chunks
    ]
    dashes = (words("-") for _ in range(4))
    rows = [
        row(
            "Comprehensiveness",
            average_cell(one),
            average_cell(two),
            *dashes,
            *_difference(*covered, scale=1),
        )
    ]
    sides = [[each for each in side.triples if each.triple.chunk in given] for side in (before, after)]
    rows += [_criterion(criterion, sides[0], sides[1], pairs) for criterion in CRITERIA]
    scripted = f": {NO_RESULT}" if before.judge == SCRIPTED else ""
    return Table(
        name="improved",
        title=f"Before and after, on the {len(given)} chunks that were corrected{scripted}",
        columns=("Criterion", *_COLUMNS),
        rows=tuple(rows),
        note="Pairs are triples on both sides with a verdict on both, by id or by words; mended went from 0 "
        "to 1, broken from 1 to 0. Differences are after less before, in points of per cent, means of chunks "
        "with a verdict on both sides; in brackets 95 % intervals (bootstrap over chunks).",
    )


def _criterion(
    criterion: Criterion,
    before: Sequence[JudgedTriple],
    after: Sequence[JudgedTriple],
    pairs: Sequence[tuple[JudgedTriple, JudgedTriple]],
) -> Row:
    both = [(one.told(criterion).value, two.told(criterion).value) for one, two in pairs]
    known = [pair for pair in both if None not in pair]
    mended, broken = known.count((0, 1)), known.count((1, 0))
    p_value = figure(mcnemar_p_value(mended, broken), ".3f") if known else words("-")
    by_chunk: list[dict[str, list[int]]] = []
    for side in (before, after):
        values: dict[str, list[int]] = {}
        for each in side:
            if (value := each.told(criterion).value) is not None:
                values.setdefault(each.triple.chunk, []).append(int(value))
        by_chunk.append(values)
    return row(
        criterion.capitalize(),
        average_cell(average_of(before, criterion, intervals=False)),
        average_cell(average_of(after, criterion, intervals=False)),
        *map(count, (len(known), mended, broken)),
        p_value,
        *_difference(*by_chunk, scale=100),
    )


def _points(chunk: JudgedChunk, points: CoveragePoints) -> int | None:
    value = chunk.told(points).value
    return None if value is None else round(100 * value)


def _difference(
    before: Mapping[str, Sequence[int]], after: Mapping[str, Sequence[int]], *, scale: int
) -> tuple[Cell, Cell]:
    """How many chunks have a verdict on both sides, and the mean of their differences in per cent."""
    if not before.keys() & after.keys():
        return count(0), words("-")
    found = compare_paired(after, before, SEED)
    ends = (found.low * scale, found.high * scale)
    return count(found.cases), figure(found.mean_difference * scale, "+.2f", ends, to=" to ", n=found.cases)

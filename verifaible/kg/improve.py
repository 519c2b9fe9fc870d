"""The feedback loop: what a judge warned of goes back to extraction, and is judged again.

The corrected extraction stands beside the one before it, and ``verifaible kg report`` compares the two.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from verifaible.config import Settings
from verifaible.errors import RunError
from verifaible.kg.chunks import Chunk
from verifaible.kg.extract.modes import ChunkFailed, improve_chunk
from verifaible.kg.extract.questions import ChunkText, Questions
from verifaible.kg.folder import Extraction, GraphFolder, write_records
from verifaible.kg.judging.run import REPLIES, judge_extraction, kin, open_judge
from verifaible.kg.ontology import read_ontology
from verifaible.kg.report.judged import Judged, JudgedChunk, JudgedTriple, read_judged
from verifaible.kg.triples import ChunkVerdict, Triple, TripleVerdict
from verifaible.llm.opening import open_model
from verifaible.llm.replies import replies_of
from verifaible.llm.voting import Judge

#: Corrects the triples of a chunk: the chunk, its triples, the remarks on each (none where it stays), and
#: what the whole set lacks. It gives all triples of the chunk, a corrected one with the id of the one that it
#: replaces, or raises :class:`NotCorrected`.
Correct: TypeAlias = Callable[
    [Chunk, Sequence[Triple], Sequence[Sequence[str]], Sequence[str]], Awaitable[Sequence[Triple]]
]
#: Judges those triples and chunks of an extraction that have no verdict yet.
JudgeAgain: TypeAlias = Callable[[Extraction], Awaitable[None]]


class NotCorrected(Exception):
    """There was no usable correction of a chunk; its triples stay."""


@dataclass(frozen=True, slots=True)
class Improved:
    """What came of a round of feedback.

    Attributes:
        run: the extraction with the corrections; all other triples are in it as they were.
        sent: chunks that went back.
        failed: those that were not corrected, and why.
        replaced, added, dropped: triples, by their ids.
    """

    run: Extraction
    sent: int
    failed: Mapping[str, str]
    replaced: int
    added: int
    dropped: int

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
) -> Improved:
    """Send back what a judge gave a 0 or a warning, into an extraction with ``-improved`` in its name.

    Args:
        folder: of the filing.
        run: the extraction that was judged; it stays as it is.
        judge: whose verdicts go back.
        correct: the extractor.
        judge_again: the same judge.

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
    after = folder.run(_name(run))
    _write(after, before, triples, given)
    await judge_again(after)
    old = {each.triple.id: each.triple for name in given for each in triples.get(name, ())}
    new = {each.id: each for name in given for each in given[name]}
    return Improved(
        run=after,
        sent=len(back),
        failed=failed,
        replaced=sum(_said(old[name]) != _said(new[name]) for name in old.keys() & new.keys()),
        added=len(new.keys() - old.keys()),
        dropped=len(old.keys() - new.keys()),
    )


def improve_by_model(
    settings: Settings,
    folder: GraphFolder,
    name: str,
    *,
    model: str,
    judge_name: str,
    **asking: Any,
) -> Improved:
    """Let a model correct what a judge warned of, and the judge judge it again.

    Args:
        settings: base URL, key, and the person's own models.
        folder: of the filing.
        name: of the extraction.
        model: corrects.
        judge_name: whose verdicts go back, and who judges again.
        asking: ``concurrency`` and ``max_cost_usd``, as :func:`open_judge` takes them.

    Raises:
        ConfigError: there is no such extraction, nobody judged it, or the judge may not judge it.
        UnknownModel, MissingKey: a model cannot be asked.
        RunError: the folder cannot be read or written, a chunk was not judged again, or another process runs.
    """
    (run,) = folder.runs([name])
    filing = folder.filing()
    questions = Questions(read_ontology(), _name(run), model)

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
            return await improve(folder, run, judge_name, correct=correct, judge_again=judge_again)
        finally:
            await judge.aclose()
            await corrector.aclose()

    return asyncio.run(through())


def _name(run: Extraction) -> str:
    return f"{run.name}-improved"


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


def _said(triple: Triple) -> tuple[str, str, str]:
    return triple.head, triple.relation, triple.tail

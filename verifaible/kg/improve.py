"""The feedback loop: what a judge warned of goes back to extraction, and is judged again.

The corrected extraction stands beside the one before it, and ``verifaible kg report`` compares the two.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from verifaible.errors import ConfigError
from verifaible.kg.extraction import ChunkFailed, ChunkSteps
from verifaible.kg.extraction_prompts import ChunkText, Questions, Remark
from verifaible.kg.folder import Extraction, GraphFolder, write_records
from verifaible.kg.judging.run import judge_extraction, kin
from verifaible.kg.ontology import read_ontology
from verifaible.kg.triples import COVERAGE, ChunkVerdict, TripleVerdict
from verifaible.llm.voting import Judge


@dataclass(frozen=True, slots=True)
class Improved:
    """What came of a round of feedback.

    Attributes:
        run: the extraction with the corrections; all other triples are in it as they were.
        sent: chunks that went back.
        failed: those that were not corrected, and why; their triples stay.
        left: why not all of it was judged again; empty where it was.
    """

    run: Extraction
    sent: int
    failed: Mapping[str, str]
    left: str

    def line(self) -> str:
        """What was done, in a sentence."""
        why = f" ({'; '.join(sorted(set(self.failed.values())))})" if self.failed else ""
        return (
            f"{self.sent:,} chunks went back, {len(self.failed):,} were not corrected{why}. {self.run.path}"
        )


async def improve(folder: GraphFolder, run: Extraction, corrector: Judge, judge: Judge) -> Improved:
    """Send back what a judge gave a 0 or a warning, into an extraction with ``-improved`` in its name.

    Args:
        folder: of the filing.
        run: the extraction that was judged; it stays as it is.
        corrector: the model that corrects.
        judge: whose verdicts go back, and who judges again; it answers what did not change from its replies.

    Raises:
        ConfigError: the judge said nothing of it, or may not judge what the corrector says.
        RunError: a file is damaged or cannot be written.
    """
    remarks, before = _remarks(run, judge.name), run.triples.read()
    if not any(each.judge == judge.name for each in (*run.verdicts, *run.coverage)):
        raise ConfigError(
            f"{judge.name} said nothing of {run.name}. Judge it first, with "
            f"`verifaible kg evaluate {folder.path} --judge {judge.name}`."
        )
    after = folder.run(f"{run.name}-improved")
    questions, filing = Questions(read_ontology(), after.name, corrector.name), folder.filing()
    triples = {chunk.id: [each for each in before if each.chunk == chunk.id] for chunk in folder.chunks()}
    failed: dict[str, str] = {}

    async def correct(text: ChunkText) -> None:
        name = text.chunk.id
        ids = {each.id: number for number, each in enumerate(triples[name], 1)}
        said = [Remark(ids.get(of, 0), why) for of, why in remarks if of in ids or of == name]
        try:
            triples[name] = [*await ChunkSteps(corrector, questions, text).correct(triples[name], said)]
        except ChunkFailed as error:
            failed[name] = str(error)

    back = {of for of, _ in remarks}
    texts = [
        ChunkText.of(each, filing)
        for each in folder.chunks()
        if each.id in back or back & {triple.id for triple in triples[each.id]}
    ]
    await asyncio.gather(*map(correct, texts))
    after.replace([each for those in triples.values() for each in those])
    if run.asked.path.exists():
        write_records(after.asked.path, run.asked)
    kin(judge, [after])
    return Improved(after, len(texts), failed, await judge_extraction(folder, after, judge))


def _remarks(run: Extraction, judge: str) -> list[tuple[str, str]]:
    """What was said of triples, and of chunks that lack facts, by their ids."""
    found: list[tuple[str, str]] = []
    for each in run.verdicts:
        if each.judge == judge and (each.verdict == 0 or each.warnings):
            found.append((each.triple, _remark(each.criterion, each)))
    for chunk in run.coverage:
        if chunk.judge == judge and chunk.verdict and (chunk.verdict != "good" or chunk.warnings):
            found.append((chunk.chunk, _remark(COVERAGE, chunk)))
    return found


def _remark(criterion: str, verdict: TripleVerdict | ChunkVerdict) -> str:
    tags = f": {', '.join(verdict.warnings)}" if verdict.warnings else ""
    return f"{criterion} {verdict.verdict}{tags}. {verdict.reason}".strip()

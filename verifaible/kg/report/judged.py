"""Extractions as judges saw them, read from the folders of graphs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from verifaible.errors import ConfigError
from verifaible.kg.chunks import Chunk
from verifaible.kg.folder import Extraction, GraphFolder
from verifaible.kg.report.averages import Average, CoveragePoints, Told, average
from verifaible.kg.report.published import MODES
from verifaible.kg.triples import Triple
from verifaible.kg.verdicts import ChunkVerdict, Criterion, TripleVerdict


@dataclass(frozen=True, slots=True)
class JudgedTriple:
    """A triple, where it is from, and its verdicts."""

    filing: str
    item: str
    triple: Triple
    verdicts: dict[Criterion, TripleVerdict]

    def told(self, criterion: Criterion) -> Told:
        """What was said of it by one criterion."""
        said = self.verdicts.get(criterion)
        if said is None:
            return Told(self.filing, self.triple.chunk)
        return Told(self.filing, self.triple.chunk, said.verdict, failed=said.verdict is None)


@dataclass(frozen=True, slots=True)
class JudgedChunk:
    """A chunk and the verdict on its coverage, if there is one; ``triples`` are how many it gave."""

    filing: str
    chunk: Chunk
    triples: int
    verdict: ChunkVerdict | None

    def told(self, points: CoveragePoints) -> Told:
        """What was said of its coverage."""
        if self.verdict is None:
            return Told(self.filing, self.chunk.id)
        value = self.verdict.verdict
        return Told(self.filing, self.chunk.id, points.of(value) if value else None, failed=value is None)


@dataclass(frozen=True, slots=True)
class Judged:
    """The extractions of one name over all filings, as one judge saw them.

    Attributes:
        run: the extraction's name.
        judge: who said it; empty where nobody did.
        filings: that have it.
        stray: verdicts of triples or chunks that are not there; they count for nothing.
    """

    run: str
    judge: str
    triples: list[JudgedTriple] = field(default_factory=list)
    chunks: list[JudgedChunk] = field(default_factory=list)
    filings: list[str] = field(default_factory=list)
    stray: int = 0


def average_of(triples: Sequence[JudgedTriple], criterion: Criterion, *, intervals: bool = True) -> Average:
    """The micro-average of a criterion."""
    return average([each.told(criterion) for each in triples], intervals=intervals)


def coverage_of(chunks: Sequence[JudgedChunk], points: CoveragePoints, *, intervals: bool = True) -> Average:
    """The macro-average of coverage, as a share."""
    told = [each.told(points) for each in chunks]
    return average(told, worst=points.of("bad"), best=points.of("good"), intervals=intervals)


def read_judged(
    folders: Sequence[GraphFolder], runs: Sequence[str] = (), judges: Sequence[str] = ()
) -> list[Judged]:
    """Each extraction with each judge's verdicts, over all the filings that have it.

    Args:
        folders: each holds a filing; one that is named twice counts once.
        runs: names of extractions; all where none is named.
        judges: all where none is named.

    Raises:
        ConfigError: no folder has an extraction, or one of that name, or verdicts of that judge.
        RunError: a file is damaged.
    """
    unique = {folder.path.resolve(): folder for folder in folders}.values()
    held = {folder.path: {run.name: run for run in folder.runs()} for folder in unique}
    names = sorted({name for found in held.values() for name in found}, key=_place)
    if unknown := [name for name in runs if name not in names]:
        raise ConfigError(f"No extraction {', '.join(unknown)} there, but {', '.join(names) or 'none'}.")
    if not names:
        raise ConfigError("There is no extraction. Extract triples with `verifaible kg extract FOLDER`.")
    seen: dict[tuple[str, str], Judged] = {}
    known: set[str] = set()
    for name in runs or names:
        found = {folder: held[folder.path][name] for folder in unique if name in held[folder.path]}
        said = {folder.path: (run.verdicts.read(), run.coverage.read()) for folder, run in found.items()}
        who = dict.fromkeys(each.judge for pair in said.values() for lines in pair for each in lines)
        known |= who.keys()
        for judge in [each for each in who if not judges or each in judges] or [""]:
            parts = [_read(folder, run, judge, *said[folder.path]) for folder, run in found.items()]
            seen[name, judge] = Judged(
                run=name,
                judge=judge,
                triples=[each for part in parts for each in part.triples],
                chunks=[each for part in parts for each in part.chunks],
                filings=[each for part in parts for each in part.filings],
                stray=sum(part.stray for part in parts),
            )
    if unknown := [judge for judge in judges if judge not in known]:
        raise ConfigError(
            f"No verdicts of {', '.join(unknown)} there, but of {', '.join(sorted(known)) or 'nobody'}. "
            "Judge with `verifaible kg judge FOLDER --judge NAME`."
        )
    return list(seen.values())


def _place(name: str) -> tuple[int, str]:
    """The paper's modes in its order, then all others."""
    mode = name.partition("-")[0]
    return (list(MODES).index(mode) if mode in MODES else len(MODES)), name


def _read(
    folder: GraphFolder,
    run: Extraction,
    judge: str,
    verdicts: Sequence[TripleVerdict],
    coverage: Sequence[ChunkVerdict],
) -> Judged:
    """One filing's; of two lines on the same the later counts, since what failed may be asked again."""
    filing = str(folder.path)
    by_triple: dict[str, dict[Criterion, TripleVerdict]] = {}
    for each in verdicts:
        if each.judge == judge:
            by_triple.setdefault(each.triple, {})[each.criterion] = each
    by_chunk = {each.chunk: each for each in coverage if each.judge == judge}
    chunks = {chunk.id: chunk for chunk in folder.chunks()}
    triples = run.triples.read()
    counts = Counter(triple.chunk for triple in triples)
    ids = {triple.id for triple in triples}
    return Judged(
        run=run.name,
        judge=judge,
        triples=[
            JudgedTriple(
                filing,
                chunks[triple.chunk].item if triple.chunk in chunks else "",
                triple,
                by_triple.get(triple.id, {}),
            )
            for triple in triples
        ],
        chunks=[
            JudgedChunk(filing, chunk, counts[name], by_chunk.get(name)) for name, chunk in chunks.items()
        ],
        filings=[filing],
        stray=sum(len(said) for name, said in by_triple.items() if name not in ids)
        + sum(name not in chunks for name in by_chunk),
    )

"""Extractions as judges saw them, read from the folders of graphs, and the averages of what they said.

The averages are those of FinReflectKG - EvalBench (section 2); what failed is left out, counted and bounded.
Its published figures (table 1) stand beside ours, always marked as published: they were not measured here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import log2
from typing import Final

from verifaible.errors import ConfigError
from verifaible.kg.chunks import Chunk
from verifaible.kg.folder import Extraction, GraphFolder
from verifaible.kg.triples import ChunkVerdict, Coverage, Criterion, Triple, TripleVerdict
from verifaible.stats import clustered_mean_interval

#: Of everything that is drawn at random here, so that the same verdicts give the same tables.
SEED: Final = 20261005


@dataclass(frozen=True, slots=True)
class Told:
    """What a judge said of one triple or one chunk.

    Attributes:
        filing, chunk: where it is from.
        value: from 0 to 1; None where there is no verdict.
        failed: the judge was asked, and gave no verdict.
    """

    filing: str
    chunk: str
    value: float | None = None
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Average:
    """A mean of verdicts.

    Attributes:
        value: None where there is no verdict.
        interval: of 95 %; None where nothing varies between clusters, or there is only one.
        decided, failed, all: verdicts, failures, and all that should have a verdict.
        least, most: the mean if every failure were the worst verdict, or the best; None where none
            was asked for.
    """

    value: float | None
    interval: tuple[float, float] | None
    decided: int
    failed: int
    all: int
    least: float | None
    most: float | None

    @property
    def not_judged(self) -> int:
        """How many nobody was asked about."""
        return self.all - self.decided - self.failed


@dataclass(frozen=True, slots=True)
class CoveragePoints:
    """What good, partial and bad coverage count, in per cent. The paper prints per cent, and no mapping."""

    good: int = 100
    partial: int = 50
    bad: int = 0

    @classmethod
    def parse(cls, text: str) -> CoveragePoints:
        """Read ``100,50,0``.

        Raises:
            ConfigError: it is not three whole numbers from 100 down to 0.
        """
        try:
            good, partial, bad = map(int, text.split(","))
        except ValueError:
            good, partial, bad = 0, 0, 1
        if not 100 >= good >= partial >= bad >= 0:
            raise ConfigError(
                f"--coverage-points {text}: give the per cent of good, partial and bad coverage, three whole "
                "numbers from 100 down to 0, such as 100,50,0."
            )
        return cls(good, partial, bad)

    def of(self, verdict: Coverage) -> float:
        """What a verdict counts, from 0 to 1."""
        return {"good": self.good, "partial": self.partial, "bad": self.bad}[verdict] / 100

    def __str__(self) -> str:
        return f"{self.good}, {self.partial}, {self.bad}"


def average(
    told: Sequence[Told], *, worst: float = 0.0, best: float = 1.0, intervals: bool = True
) -> Average:
    """The mean of all verdicts: micro-averaged of triples, macro-averaged of chunks.

    The interval is a percentile bootstrap over filings; of one filing alone, over its chunks.

    Args:
        told: of every triple or chunk, those without a verdict too.
        worst, best: what a failure can have been.
        intervals: whether one is wanted.
    """
    values = [each.value for each in told if each.value is not None]
    failed = sum(each.failed for each in told)
    asked = len(values) + failed
    return Average(
        value=sum(values) / len(values) if values else None,
        interval=_interval(told) if intervals else None,
        decided=len(values),
        failed=failed,
        all=len(told),
        least=(sum(values) + worst * failed) / asked if asked else None,
        most=(sum(values) + best * failed) / asked if asked else None,
    )


def _interval(told: Sequence[Told]) -> tuple[float, float] | None:
    by_chunk = len({each.filing for each in told}) == 1
    clusters: dict[str, list[float]] = {}
    for each in told:
        if each.value is not None:
            clusters.setdefault(each.chunk if by_chunk else each.filing, []).append(each.value)
    if len(clusters) < 2:
        return None
    low, high = clustered_mean_interval(list(clusters.values()), SEED)
    # that nothing varies among a few does not make the mean certain
    return (low, high) if low < high else None


def entropy_bits(counts: Iterable[int]) -> float:
    """The Shannon entropy of a distribution, in bits; 0 of none.

    Source: C. E. Shannon, A Mathematical Theory of Communication (1948), section 6.
    """
    known = [count for count in counts if count]
    total = sum(known)
    return max(0.0, -sum(count / total * log2(count / total) for count in known)) if known else 0.0


SOURCE: Final = (
    "published: FinReflectKG - EvalBench (arXiv 2510.05710), table 1: 10-K filings of S&P 100 companies for "
    "fiscal year 2024, judged by Qwen3-32B; how its comprehensiveness becomes per cent is not given"
)
#: The paper's columns, by the mode that the name of an extraction of ours begins with.
MODES: Final = {"single": "Single pass", "multi": "Multi pass", "reflection": "Reflection"}
#: Per cent, by criterion in the order of the paper's rows.
FIGURES: Final = {
    "comprehensiveness": ("62.60", "62.41", "72.01"),
    "faithfulness": ("87.25", "78.73", "83.40"),
    "precision": ("56.06", "58.01", "59.49"),
    "relevance": ("91.46", "82.64", "92.52"),
}


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

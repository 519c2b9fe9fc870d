"""The averages of FinReflectKG - EvalBench (section 2), with what failed left out, counted and bounded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log2
from typing import Final

from verifaible.errors import ConfigError
from verifaible.kg.verdicts import Coverage
from verifaible.scoring.statistics import clustered_mean_interval

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

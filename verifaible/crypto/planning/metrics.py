"""Precision, recall and F1 of planned tool calls, and what trivial callers reach: pure functions."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from statistics import fmean
from typing import Final

from verifaible.crypto.planning.caller import Call, Prompt, System
from verifaible.schema.base import Record
from verifaible.stats import BOOTSTRAP_RESAMPLES

#: Precision and recall of one prompt.
_NOTHING: Final = (0.0, 0.0)


class Means(Record):
    """Means over prompts; F1 is of the two means, not the mean of F1 (paper, section 4.1)."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """Harmonic mean of the two; 0 where both are."""
        return f1_of(self.precision, self.recall)


class Estimate(Record):
    """A figure with its 95 % interval (percentile bootstrap over prompts)."""

    value: float
    low: float
    high: float


class Measured(Record):
    """How well a system planned.

    Attributes:
        names: by the set of tool names of each prompt, as the paper counts.
        f1: of ``names``, with its interval.
        with_arguments: the same over the set of calls, each a name with its arguments: equal as JSON values,
            and an argument that was left out differs from one that was given.
        exact: prompts whose set of names is the annotated one.
        idle: prompts that need no tool; ``rightly_idle`` of them got none.
        wrongly_idle: prompts that need a tool and got none.
        tools: different tools called over all prompts.
        failed: prompts without a plan; they score 0 and stay in every count.
        baseline: a trivial caller of ours.
    """

    name: str
    prompts: int
    names: Means
    f1: Estimate
    with_arguments: Means
    exact: int
    idle: int
    rightly_idle: int
    wrongly_idle: int
    tools: int
    failed: int
    baseline: bool = False


def f1_of(precision: float, recall: float) -> float:
    """The harmonic mean; 0 where both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def overlap(called: Collection[str], needed: Collection[str]) -> tuple[float, float]:
    """Precision and recall of one prompt, from 0 to 1.

    Both are 1 where nothing was needed and nothing called, and 0 where only one of the two is empty.

    Args:
        called: what the caller chose.
        needed: what the annotation has.
    """
    called, needed = set(called), set(needed)
    if not called or not needed:
        return (1.0, 1.0) if not called and not needed else _NOTHING
    hits = len(called & needed)
    return hits / len(called), hits / len(needed)


def measured(prompts: Sequence[Prompt], system: System, *, seed: int = 0) -> Measured:
    """Measure a system.

    Args:
        prompts: with the calls that they need; at least one.
        system: what it called.
        seed: for the interval.
    """
    made = [(system.calls.get(each.prompt), each.tool_call) for each in prompts]
    sets = [(_names(called), _names(needed)) for called, needed in made if called is not None]
    rows = _rows(prompts, system, _name)
    low, high = _interval(rows, lambda means: f1_of(means[0], means[1]), seed)
    names = _means(rows)
    return Measured(
        name=system.name,
        prompts=len(prompts),
        names=names,
        f1=Estimate(value=names.f1, low=low, high=high),
        with_arguments=_means(_rows(prompts, system, lambda call: call.key)),
        exact=sum(called == needed for called, needed in sets),
        idle=sum(not needed for _, needed in made),
        rightly_idle=sum(not called and not needed for called, needed in sets),
        wrongly_idle=sum(not called and bool(needed) for called, needed in sets),
        tools=sum(len(called) for called, _ in sets),
        failed=len(made) - len(sets),
        baseline=system.baseline,
    )


def baselines(prompts: Sequence[Prompt]) -> tuple[System, ...]:
    """Callers that do not read the prompt: what a score has to beat.

    They are made with the annotation in sight: the tools that at least half of the prompts need, the most
    common set, and none.
    """
    needed = [_names(each.tool_call) for each in prompts]
    times = Counter(name for each in needed for name in each)
    common = frozenset(name for name, count in times.items() if 2 * count >= len(prompts))
    usual = Counter(needed).most_common(1)[0][0]
    constant = {f"always the {len(common)} common tools": common, "always the most common set": usual}
    return tuple(
        System(
            name=name,
            calls={each.prompt: tuple(Call(name=tool) for tool in sorted(chosen)) for each in prompts},
            baseline=True,
        )
        for name, chosen in ({**constant, "never": frozenset[str]()}).items()
    )


def _names(calls: Sequence[Call]) -> frozenset[str]:
    return frozenset(map(_name, calls))


def _name(call: Call) -> str:
    return call.name


def _rows(prompts: Sequence[Prompt], system: System, key: Callable[[Call], str]) -> list[tuple[float, float]]:
    rows = []
    for each in prompts:
        called = system.calls.get(each.prompt)
        rows.append(_NOTHING if called is None else overlap({*map(key, called)}, {*map(key, each.tool_call)}))
    return rows


def _means(rows: Sequence[tuple[float, float]]) -> Means:
    return Means(precision=fmean(row[0] for row in rows), recall=fmean(row[1] for row in rows))


def _interval(
    rows: Sequence[tuple[float, ...]], figure: Callable[[Sequence[float]], float], seed: int
) -> tuple[float, float]:
    """The 95 % percentile bootstrap interval of a figure of the columns' means.

    Source: B. Efron, R. J. Tibshirani, An Introduction to the Bootstrap, chapter 13.
    """
    draw = random.Random(seed)  # noqa: S311 - resampling, not secrecy
    drawn = sorted(
        figure([sum(each) / len(rows) for each in zip(*draw.choices(rows, k=len(rows)), strict=True)])
        for _ in range(BOOTSTRAP_RESAMPLES)
    )
    return drawn[int(0.025 * len(drawn))], drawn[len(drawn) - 1 - int(0.025 * len(drawn))]

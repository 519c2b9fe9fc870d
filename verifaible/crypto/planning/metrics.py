"""Precision, recall and F1 of planned tool calls, what trivial callers reach, and the tables of both."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from hashlib import sha256
from statistics import fmean
from typing import Final

from verifaible.crypto.outputs import Report
from verifaible.crypto.planning.caller import Call, Prompt, System
from verifaible.reporting.tables import PUBLISHED, Cell, Column, count, figure, plain, table_of, words
from verifaible.schema.base import Record
from verifaible.stats import BOOTSTRAP_RESAMPLES, wilson_interval


class PublishedRow(Record):
    """A row of table 1 as printed: recall, precision, F1."""

    name: str
    figures: tuple[str, str, str]


PUBLISHED_ROWS: Final = (
    PublishedRow(name="Base", figures=("0.277", "0.844", "0.417")),
    PublishedRow(name="RL-tuned", figures=("0.390", "0.819", "0.528")),
)
#: Of the 500 public prompts, as :func:`prompts_sha256` has it.
PUBLISHED_SHA256: Final = "b1c40cb4432ff0d5570176500e09b5c3c1087d4297412f6f623cc06e9b8c8ceb"
SOURCE: Final = (
    f"Rows marked “{PUBLISHED}” are copied from table 1 of the Coinvisor paper; they were not measured here."
)


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
    failed: int
    baseline: bool = False


def f1_of(precision: float, recall: float) -> float:
    """The harmonic mean; 0 where both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def overlap(called: Collection[str], needed: Collection[str]) -> tuple[float, float]:
    """Precision and recall of one prompt, from 0 to 1.

    Both are 1 where nothing was needed and nothing called, and 0 where only one of the two is empty.
    """
    called, needed = set(called), set(needed)
    if not called or not needed:
        return (1.0, 1.0) if not called and not needed else (0.0, 0.0)
    hits = len(called & needed)
    return hits / len(called), hits / len(needed)


def measured(prompts: Sequence[Prompt], system: System) -> Measured:
    """Measure a system on prompts with the calls that they need; at least one."""
    made = [(system.calls.get(each.prompt), each.tool_call) for each in prompts]

    def rows(key: Callable[[Call], str]) -> list[tuple[float, float]]:
        return [
            (0.0, 0.0) if called is None else overlap({*map(key, called)}, {*map(key, needed)})
            for called, needed in made
        ]

    by_name = rows(_name)
    names = _means(by_name)
    sets = [(_names(called), _names(needed)) for called, needed in made if called is not None]
    low, high = _interval(by_name)
    return Measured(
        name=system.name,
        prompts=len(prompts),
        names=names,
        f1=Estimate(value=names.f1, low=low, high=high),
        with_arguments=_means(rows(lambda call: call.key)),
        exact=sum(called == needed for called, needed in sets),
        idle=sum(not needed for _, needed in made),
        rightly_idle=sum(not called and not needed for called, needed in sets),
        wrongly_idle=sum(not called and bool(needed) for called, needed in sets),
        failed=len(made) - len(sets),
        baseline=system.baseline,
    )


def baselines(prompts: Sequence[Prompt]) -> tuple[System, System]:
    """Callers that do not read the prompt: what a score has to beat.

    One calls the tools that at least half of the prompts need, so it is made with the annotation in sight;
    the other never calls any.
    """
    times = Counter(name for each in prompts for name in _names(each.tool_call))
    common = tuple(Call(name=name) for name, at in sorted(times.items()) if 2 * at >= len(prompts))
    every = [each.prompt for each in prompts]
    return (
        System(f"always the {len(common)} common tools", dict.fromkeys(every, common), baseline=True),
        System("never", dict.fromkeys(every, ()), baseline=True),
    )


def _name(call: Call) -> str:
    return call.name


def _names(calls: Sequence[Call]) -> frozenset[str]:
    return frozenset(map(_name, calls))


def _means(rows: Sequence[tuple[float, float]]) -> Means:
    return Means(precision=fmean(row[0] for row in rows), recall=fmean(row[1] for row in rows))


def _interval(rows: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The 95 % percentile bootstrap interval of the F1 of the means, always drawn alike.

    Source: B. Efron, R. J. Tibshirani, An Introduction to the Bootstrap, chapter 13.
    """
    draw = random.Random(0)  # noqa: S311 - resampling, not secrecy
    drawn = sorted(
        f1_of(*(sum(each) / len(rows) for each in zip(*draw.choices(rows, k=len(rows)), strict=True)))
        for _ in range(BOOTSTRAP_RESAMPLES)
    )
    return drawn[int(0.025 * len(drawn))], drawn[len(drawn) - 1 - int(0.025 * len(drawn))]


# --- reporting


def prompts_sha256(prompts: Iterable[Prompt]) -> str:
    """SHA-256 over the prompts, sorted, a line each."""
    return sha256("\n".join(sorted(each.prompt for each in prompts)).encode()).hexdigest()


def report(prompts: Sequence[Prompt], systems: Sequence[System], *, published: bool) -> Report:
    """Systems with different names beside the trivial callers, and the paper's rows where asked for."""
    ours = [measured(prompts, each) for each in systems]
    trivial = [measured(prompts, each) for each in baselines(prompts)]

    def score(heading: str, at: int) -> Column[Measured, PublishedRow]:
        return Column(heading, lambda one: _score(one, at), lambda each: each.figures[at])

    columns: list[Column[Measured, PublishedRow]] = [
        Column(
            "Caller",
            lambda one: f"{plain(one.name)}{' (trivial)' if one.baseline else ''}",
            lambda each: f"{each.name} ({PUBLISHED})",
        ),
        score("Recall", 0),
        score("Precision", 1),
        score("F1", 2),
        Column("F1 with arguments", lambda one: figure(one.with_arguments.f1, ".3f", n=one.prompts)),
        Column("Exact set", lambda one: _share(one.exact, one.prompts)),
        Column("None needed, none called", lambda one: _share(one.rightly_idle, one.idle)),
        Column("Some needed, none called", lambda one: _share(one.wrongly_idle, one.prompts - one.idle)),
        Column("No plan", lambda one: count(one.failed, one.prompts)),
    ]
    table = table_of(
        "Tools by name",
        columns,
        [*ours, *trivial],
        PUBLISHED_ROWS if published else (),
        name="scores",
        note="Means over prompts of the set of tool names; F1 is of the two means, with its 95 % interval. "
        "Nothing needed and nothing called counts 1, only one of the two counts 0. With arguments, a call is "
        "its name and its arguments as JSON values; one that is left out differs from one that is given. The "
        "trivial callers are chosen with the annotation in sight.",
        source=SOURCE if published else "",
    )
    return Report(
        title=f"Tool planning, {len(prompts)} prompts",
        warnings=tuple(_warnings(prompts, ours, trivial, published=published)),
        tables=(table,),
        figures={
            "systems": [each.model_dump(mode="json") for each in ours],
            "baselines": [each.model_dump(mode="json") for each in trivial],
        },
    )


def _warnings(
    prompts: Sequence[Prompt], ours: Sequence[Measured], trivial: Sequence[Measured], *, published: bool
) -> Iterable[str]:
    for each in ours:
        if each.failed:
            name = plain(each.name)
            yield f"{name}: {each.failed} prompts have no plan; they count 0. --resume asks them again."
    best = max(trivial, key=lambda one: one.names.f1)
    if below := [plain(each.name) for each in ours if each.names.f1 < best.names.f1]:
        yield f"A caller that does not read the prompt ({best.name}) has a higher F1 than {', '.join(below)}."
    if published and prompts_sha256(prompts) != PUBLISHED_SHA256:
        yield "The published rows were measured on other prompts than these."


def _score(one: Measured, at: int) -> Cell:
    if at == 2:
        return figure(one.f1.value, ".3f", (one.f1.low, one.f1.high), n=one.prompts)
    return figure((one.names.recall, one.names.precision)[at], ".3f", n=one.prompts)


def _share(part: int, of: int) -> Cell:
    if not of:
        return words("-")
    return figure(part / of, ".1f", wilson_interval(part, of), share=True, n=part, of=of)

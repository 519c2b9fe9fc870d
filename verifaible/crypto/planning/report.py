"""What a measurement of tool planning says: its tables, its chart, and the published rows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any, Final

from verifaible.crypto.outputs import Report
from verifaible.crypto.planning.caller import Prompt, System
from verifaible.crypto.planning.metrics import (
    Compared,
    Estimate,
    Measured,
    baselines,
    compared,
    measured,
)
from verifaible.reporting.charts import MAX_BARS, BarRow, bar_chart
from verifaible.reporting.tables import (
    PUBLISHED,
    Cell,
    Column,
    Table,
    count,
    figure,
    plain,
    row,
    table_of,
    words,
)
from verifaible.schema.base import Record
from verifaible.scoring.statistics import wilson_interval

SOURCE: Final = (
    f"Rows marked “{PUBLISHED}” are copied from table 1 of the Coinvisor paper; they were not measured here."
)


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


def prompts_sha256(prompts: Iterable[Prompt]) -> str:
    """SHA-256 over the prompts, sorted, a line each."""
    return hashlib.sha256("\n".join(sorted(each.prompt for each in prompts)).encode()).hexdigest()


def report(prompts: Sequence[Prompt], systems: Sequence[System], *, published: bool, seed: int) -> Report:
    """Measure systems on prompts, beside the trivial callers.

    Args:
        prompts: with the calls that they need.
        systems: with different names.
        published: show the rows of the paper, too.
        seed: for what is drawn.
    """
    ours = [measured(prompts, each, seed=seed) for each in systems]
    trivial = [measured(prompts, each, seed=seed) for each in baselines(prompts)]
    pairs = [compared(prompts, one, two, seed=seed) for one, two in combinations(systems, 2)]
    tables = [_scores([*ours, *trivial], published=published), _arguments(ours), _idle([*ours, *trivial])]
    tables += [_tools(prompts, systems), *([_pairs(pairs)] if pairs else []), *_usage(ours)]
    return Report(
        name="verifaible crypto plan",
        title=f"Tool planning, {len(prompts)} prompts",
        warnings=tuple(_warnings(prompts, ours, trivial, published=published)),
        tables=tuple(tables),
        charts={
            "scores": bar_chart(
                "f1",
                "F1 of tool names",
                "F1 times 100",
                [_bar(each) for each in [*ours, *trivial][:MAX_BARS]],
                100,
                legend=(("ours", "measured"), ("soft", "trivial caller")),
            )
        },
        figures=_figures(ours, trivial, pairs),
    )


def _figures(
    ours: Sequence[Measured], trivial: Sequence[Measured], pairs: Sequence[Compared]
) -> dict[str, Any]:
    def told(one: Measured) -> dict[str, Any]:
        return one.model_dump(mode="json")

    return {
        "systems": [told(each) for each in ours],
        "baselines": [told(each) for each in trivial],
        "compared": [each.model_dump(mode="json") for each in pairs],
    }


def _warnings(
    prompts: Sequence[Prompt], ours: Sequence[Measured], trivial: Sequence[Measured], *, published: bool
) -> Iterable[str]:
    for each in ours:
        if each.failed:
            name = plain(each.name)
            yield f"{name}: {each.failed} prompts have no plan; they count 0. --resume asks them again."
    best = max(trivial, key=lambda one: one.names.f1)
    below = [plain(each.name) for each in ours if each.names.f1 < best.names.f1]
    if below:
        yield f"A caller that does not read the prompt ({best.name}) has a higher F1 than {', '.join(below)}."
    if published and prompts_sha256(prompts) != PUBLISHED_SHA256:
        yield "The published rows were measured on other prompts than these."


def _scores(ours: Sequence[Measured], *, published: bool) -> Table:
    def mean(at: int) -> Column[Measured, PublishedRow]:
        heading = ("Recall", "Precision", "F1")[at]
        return Column(heading, lambda one: _score(one, at), lambda each: each.figures[at])

    columns: list[Column[Measured, PublishedRow]] = [
        Column("Caller", _name, lambda each: f"{each.name} ({PUBLISHED})"),
        mean(0),
        mean(1),
        mean(2),
        Column("Exact set", lambda one: _share(one.exact, one.prompts)),
        Column("Tools a prompt", lambda one: figure(one.tools / one.prompts, n=one.prompts)),
        Column("No plan", lambda one: count(one.failed, one.prompts)),
    ]
    return table_of(
        "Tools by name",
        columns,
        ours,
        PUBLISHED_ROWS if published else (),
        name="scores",
        note="Means over prompts of the set of tool names; F1 is of the two means, with its 95 % interval. "
        "Nothing needed and nothing called counts 1, only one of the two counts 0. The trivial callers are "
        "chosen with the annotation in sight.",
        source=SOURCE if published else "",
    )


def _score(one: Measured, at: int) -> Cell:
    if at == 2:
        return figure(one.f1.value, ".3f", (one.f1.low, one.f1.high), n=one.prompts)
    return figure((one.names.recall, one.names.precision)[at], ".3f", n=one.prompts)


def _arguments(ours: Sequence[Measured]) -> Table:
    def of(heading: str, value: str) -> Column[Measured, object]:
        return Column(heading, lambda one: figure(getattr(one.with_arguments, value), ".3f", n=one.prompts))

    return table_of(
        "Tools with their arguments",
        [Column("Caller", _name), of("Recall", "recall"), of("Precision", "precision"), of("F1", "f1")],
        ours,
        name="arguments",
        note="The same over calls, each a name with its arguments: equal as JSON values in any order; an "
        "argument that is left out differs from one that is given, be it its default.",
    )


def _idle(ours: Sequence[Measured]) -> Table:
    columns: list[Column[Measured, object]] = [
        Column("Caller", _name),
        Column("None needed, none called", lambda one: _share(one.rightly_idle, one.idle)),
        Column("Some needed, none called", lambda one: _share(one.wrongly_idle, one.prompts - one.idle)),
    ]
    return table_of("Abstention", columns, ours, name="abstention")


def _tools(prompts: Sequence[Prompt], systems: Sequence[System]) -> Table:
    """How often each tool was needed, and of each system how often it was called, and rightly."""
    needed = [({each.name for each in prompt.tool_call}, prompt.prompt) for prompt in prompts]
    called = [
        {prompt: {each.name for each in made or ()} for prompt, made in system.calls.items()}
        for system in systems
    ]
    names = dict.fromkeys(sorted({name for tools, _ in needed for name in tools}))
    names |= dict.fromkeys(sorted({name for made in called for tools in made.values() for name in tools}))
    rows = []
    for name in names:
        cells = [words(name), count(sum(name in tools for tools, _ in needed))]
        for made in called:
            total = sum(name in tools for tools in made.values())
            right = sum(name in tools and name in made[prompt] for tools, prompt in needed)
            cells.append(Cell(text=f"{right}/{total}", state="figure", value=right, n=total))
        rows.append(row(*cells))
    return Table(
        name="tools",
        title="Each tool",
        columns=("Tool", "Needed", *(plain(each.name) for each in systems)),
        rows=tuple(rows),
        note="Prompts that need the tool; of each caller, prompts where it was called and needed, of those "
        "where it was called.",
    )


def _pairs(pairs: Sequence[Compared]) -> Table:
    def of(heading: str, value: str) -> Column[Compared, object]:
        return Column(heading, lambda one: _difference(getattr(one, value)))

    return table_of(
        "Compared",
        [
            Column("Callers", lambda one: f"{plain(one.first)} less {plain(one.second)}"),
            of("Recall", "recall"),
            of("Precision", "precision"),
            of("F1", "f1"),
        ],
        pairs,
        name="compared",
        note="Differences on the same prompts with 95 % intervals of the paired bootstrap over prompts.",
    )


def _difference(each: Estimate) -> Cell:
    return figure(each.value, "+.3f", (each.low, each.high), to=" to ")


def _usage(ours: Sequence[Measured]) -> list[Table]:
    asked = [each for each in ours if each.usage.input_tokens or each.usage.output_tokens]
    if not asked:
        return []
    columns: list[Column[Measured, object]] = [
        Column("Caller", _name),
        Column("Input tokens", lambda one: count(one.usage.input_tokens)),
        Column("Output tokens", lambda one: count(one.usage.output_tokens)),
        Column(
            "US dollars",
            lambda one: (
                "-" if one.usage.cost_usd is None else figure(one.usage.cost_usd, ".4f", n=one.prompts)
            ),
        ),
    ]
    return [table_of("Usage", columns, asked, name="usage", note="Of every attempt, failed ones too.")]


def _name(one: Measured) -> str:
    return f"{plain(one.name)} (trivial)" if one.baseline else plain(one.name)


def _share(part: int, of: int) -> Cell:
    return (
        figure(part / of, ".1f", wilson_interval(part, of), share=True, n=part, of=of) if of else words("-")
    )


def _bar(one: Measured) -> BarRow:
    ends = (100 * one.f1.low, 100 * one.f1.high)
    return BarRow(
        plain(one.name),
        f"{one.f1.value:.3f}",
        ((100 * one.f1.value, "soft" if one.baseline else "ours", ""),),
        ends,
    )

"""What a measurement of tool planning says: its tables, and the published rows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Final

from verifaible.crypto.outputs import Report
from verifaible.crypto.planning.caller import Prompt, System
from verifaible.crypto.planning.metrics import Measured, baselines, measured
from verifaible.reporting.tables import (
    PUBLISHED,
    Cell,
    Column,
    Table,
    count,
    figure,
    plain,
    table_of,
    words,
)
from verifaible.schema.base import Record
from verifaible.stats import wilson_interval

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
    tables = (_scores([*ours, *trivial], published=published), _arguments(ours), _idle([*ours, *trivial]))
    return Report(
        title=f"Tool planning, {len(prompts)} prompts",
        warnings=tuple(_warnings(prompts, ours, trivial, published=published)),
        tables=tables,
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


def _name(one: Measured) -> str:
    return f"{plain(one.name)} (trivial)" if one.baseline else plain(one.name)


def _share(part: int, of: int) -> Cell:
    return (
        figure(part / of, ".1f", wilson_interval(part, of), share=True, n=part, of=of) if of else words("-")
    )

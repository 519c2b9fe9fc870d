"""What ``verifaible kg judge`` and ``verifaible kg bias`` do: from their options to a printed table."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from verifaible.config import Settings
from verifaible.errors import ConfigError
from verifaible.judge.asking.asking import Judge
from verifaible.judge.cli import show_tables
from verifaible.kg.folder import Extraction, GraphFolder
from verifaible.kg.judging.bias import bias_table, flips_of, sampled
from verifaible.kg.judging.protocol import COVERAGE
from verifaible.kg.judging.run import judge_extraction, kin, open_judge, questions_of, spent, verdict_table
from verifaible.kg.triples import CRITERIA, NO_RESULT, SCRIPTED
from verifaible.schema.chat import Usage


def judge_folder(
    settings: Settings,
    *,
    folder: Path,
    judge_name: str,
    names: Sequence[str],
    criteria: Sequence[str],
    as_json: bool,
    **options: Any,
) -> str:
    """Judge the extractions of a folder and print what was said of them.

    Returns:
        Why some were not asked; empty where all were.

    Raises:
        UserError: there is nothing to judge, or nobody who can.
    """
    graph = GraphFolder(folder)
    runs = _runs(graph, names)

    async def judged() -> str:
        judge = _opened(judge_name, graph, settings, **options)
        try:
            notes = kin(judge, runs)
            left = [
                await judge_extraction(graph, run, judge, criteria or (*CRITERIA, COVERAGE)) for run in runs
            ]
        finally:
            await judge.aclose()
        for note in notes:
            click.echo(note, err=True)
        return next(filter(None, left), "")

    left = asyncio.run(judged())
    nowhere = sum(not each.chunk for run in runs for each in run.triples.read())
    told = [f"{nowhere:,} triples rest on no chunk and are not judged."] if nowhere else []
    show_tables(
        [verdict_table(runs, judge_name)],
        as_json=as_json,
        told=[*told, _told(judge_name, spent(runs, judge_name))],
    )
    return left


def measure_bias(
    settings: Settings,
    *,
    folder: Path,
    judge_name: str,
    names: Sequence[str],
    sample: int | None,
    seed: int,
    as_json: bool,
    **options: Any,
) -> None:
    """Measure the bias of a judge on the extractions of a folder and print the table.

    Raises:
        UserError: there is nothing to judge, or nobody who can.
    """
    graph = GraphFolder(folder)
    runs = _runs(graph, names)
    criteria = (*CRITERIA, COVERAGE)
    questions = [
        question
        for run in runs
        for question in sampled(list(questions_of(graph, run.triples.read(), criteria)), sample, seed)
    ]

    async def measured() -> None:
        judge = _opened(judge_name, graph, settings, **options)
        try:
            notes = kin(judge, runs)
            flips = await flips_of(judge, questions, seed)
        finally:
            await judge.aclose()
        table = bias_table(flips, judge_name, len({each.chunk for each in questions}))
        show_tables([table], as_json=as_json, told=[*notes, _told(judge_name, judge.spending.usage)])

    asyncio.run(measured())


def _runs(graph: GraphFolder, names: Sequence[str]) -> list[Extraction]:
    runs = graph.runs(names)
    if not any(run.triples.read() for run in runs):
        raise ConfigError(f"{graph.path} has no triples. Extract some with `verifaible kg extract FOLDER`.")
    return runs


def _opened(name: str, graph: GraphFolder, settings: Settings, **options: Any) -> Judge:
    return open_judge(
        name,
        graph,
        settings,
        concurrency=options["concurrency"],
        max_cost_usd=options["max_cost"],
    )


def _told(judge: str, usage: Usage) -> str:
    """What a reader must know of the judge: what it cost, or that it is none."""
    if judge == SCRIPTED:
        return f"{NO_RESULT.capitalize()}."
    cost = "nobody says what they cost" if usage.cost_usd is None else f"{usage.cost_usd:.4f} US dollars"
    return f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out; {cost}."

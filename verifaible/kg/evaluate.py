"""The paper's evaluation in one go: extract in each mode, judge, measure the judges, tabulate.

Everything is kept in the folders of the graphs, so that the same evaluation again costs nothing, and one
with more filings, chunks or judges pays for what is new.

Source: FinReflectKG - EvalBench (arXiv:2510.05710), table 1 and its human evaluation.
"""

from __future__ import annotations

import asyncio
import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

from verifaible.config import Settings
from verifaible.errors import ConfigError
from verifaible.kg.chunks import Chunk
from verifaible.kg.extraction import Options, extract_by_model
from verifaible.kg.folder import Extraction, GraphFolder
from verifaible.kg.judging.bias import Flip, bias_table, flips_of, sampled
from verifaible.kg.judging.run import judge_extraction, kin, open_judge, questions_of
from verifaible.kg.report import POINTS, Report, read_report
from verifaible.kg.triples import CRITERIA
from verifaible.llm.catalogue import Api
from verifaible.llm.voting import Judge
from verifaible.reporting.csv_files import Sheet, unescaped
from verifaible.reporting.tables import Table, count, figure, row, words
from verifaible.runs.lines import usable

_IDS: Final = ("filing", "run", "triple")
#: Triples of a sheet at most.
_SHEET: Final = 100
_SHOWN: Final = ("head", "relation", "tail", "quote")


@dataclass(frozen=True, slots=True)
class Plan:
    """What is evaluated, and how.

    Attributes:
        modes: ways of extraction by a model; none: the extractions that there are already.
        chunks: of each filing, drawn by the seed from those with prose or tables; None: all.
        judges: names of models.
        bias: chunks of each extraction on which each judge's flips are measured; 0: none.
    """

    judges: Sequence[str]
    modes: Sequence[Options] = ()
    chunks: int | None = None
    bias: int = 0
    seed: int = 0
    concurrency: int = 4
    max_cost_usd: float | None = None
    api: Api | None = None
    points: Sequence[int] = POINTS


@dataclass(frozen=True, slots=True)
class Sheets:
    """Files of people's labels: one to be written, one that was filled in."""

    sheet: Path | None = None
    labels: Path | None = None


@dataclass(slots=True)
class Evaluated:
    """What came of it.

    Attributes:
        runs: names of the extractions that were judged.
        notes: what a reader must know.
        faults: what failed or was not asked; with any of them the evaluation is not whole.
        flips: by judge.
    """

    runs: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    flips: dict[str, list[Flip]] = field(default_factory=dict)


def evaluate(
    settings: Settings, folders: Sequence[GraphFolder], plan: Plan, sheets: Sheets
) -> tuple[Evaluated, Report]:
    """Extract, judge, measure and tabulate.

    Raises:
        ConfigError: there is nothing to judge, an extraction was begun with another setup, a judge is of the
            family of a model that extracted, or the labels cannot be read.
        UnknownModel, MissingKey: a model cannot be asked.
        RunError: a folder cannot be read or written.
    """
    made = _extracted(settings, folders, plan)
    asyncio.run(_judged(settings, folders, plan, made))
    report = read_report(folders, runs=made.runs, judges=plan.judges, points=plan.points)
    tables = [bias_table(flips, judge) for judge, flips in made.flips.items() if flips]
    if sheets.sheet:
        number = write_sheet(sheets.sheet, folders, made.runs, plan.seed)
        made.notes.append(
            f"{number:,} triples for people to judge, with 1 or 0 in three columns: {sheets.sheet}"
        )
    if sheets.labels:
        tables += [agreement_table(sheets.labels, folders, judge) for judge in plan.judges]
    return made, Report(report.title, report.warnings, (*report.tables, *tables))


def _extracted(settings: Settings, folders: Sequence[GraphFolder], plan: Plan) -> Evaluated:
    made = Evaluated()
    for folder in folders:
        drawn = {each.id for each in _drawn(folder.chunks(), plan)}
        for options in plan.modes:
            came = extract_by_model(settings, options, folder, drawn)
            made.notes.append(came.line())
            made.faults += [
                f"{folder.path}: {chunk}: {why}" for chunk, why in {**came.failed, **came.not_asked}.items()
            ]
    named = [each.name for each in plan.modes]
    runs = named or [run.name for folder in folders for run in folder.runs()]
    made.runs = list(dict.fromkeys(runs))
    if not any(run.triples.read() for folder in folders for run in _runs(folder, made)):
        raise ConfigError(
            "There are no triples to judge. Name a model that extracts them with --model, or extract some "
            "with `verifaible kg extract FOLDER`."
        )
    return made


async def _judged(settings: Settings, folders: Sequence[GraphFolder], plan: Plan, made: Evaluated) -> None:
    for name in plan.judges:
        made.flips[name] = []
        for folder in folders:
            judge = open_judge(
                name,
                folder,
                settings,
                concurrency=plan.concurrency,
                max_cost_usd=plan.max_cost_usd,
                api=plan.api,
            )
            try:
                await _judge(folder, judge, plan, made)
            finally:
                await judge.aclose()
    made.notes = list(dict.fromkeys(made.notes))


async def _judge(folder: GraphFolder, judge: Judge, plan: Plan, made: Evaluated) -> None:
    runs = _runs(folder, made)
    made.notes += kin(judge, runs)
    for run in runs:
        if left := await judge_extraction(folder, run, judge):
            made.faults.append(f"{run.path}: {left}")
        elif plan.bias:
            asked = sampled(list(questions_of(folder, run)), plan.bias, plan.seed)
            made.flips[judge.name] += await flips_of(judge, asked, plan.seed)


def _runs(folder: GraphFolder, made: Evaluated) -> list[Extraction]:
    return [run for run in folder.runs() if run.name in made.runs]


def _drawn(chunks: Sequence[Chunk], plan: Plan) -> Sequence[Chunk]:
    if plan.chunks is None or plan.chunks >= len(chunks):
        return chunks
    return Random(plan.seed).sample(chunks, plan.chunks)  # noqa: S311 - a sample, not secrecy


# --- people


def write_sheet(path: Path, folders: Sequence[GraphFolder], runs: Sequence[str], seed: int) -> int:
    """Write a CSV of triples for a person to judge, without any verdict.

    Args:
        path: the file; the columns ``faithfulness``, ``precision`` and ``relevance`` are for 1 or 0.
        folders, runs: where the triples are.
        seed: the same seed, the same triples.

    Returns:
        How many there are.

    Raises:
        RunError: it cannot be written.
    """
    found = [
        (str(folder.path), run.name, triple)
        for folder in folders
        for run in folder.runs()
        if run.name in runs
        for triple in run.triples
        if not triple.ungrounded
    ]
    drawn = Random(seed).sample(found, min(_SHEET, len(found)))  # noqa: S311 - a sample, not secrecy
    with usable(path):
        sheet = Sheet(path, (*_IDS, *_SHOWN, *CRITERIA))
        for filing, name, triple in drawn:
            sheet.add((filing, name, triple.id, *(getattr(triple, each) for each in _SHOWN), *("",) * 3))
        sheet.save()
    return len(drawn)


def agreement_table(path: Path, folders: Sequence[GraphFolder], judge: str) -> Table:
    """How a judge agrees with the people who filled a sheet: Cohen's kappa by criterion.

    Raises:
        ConfigError: it is no sheet, or has another verdict than 1 and 0.
    """
    said: dict[tuple[str, ...], int | None] = {
        (str(folder.path), run.name, each.triple, each.criterion): each.verdict
        for folder in folders
        for run in folder.runs()
        for each in run.verdicts
        if each.judge == judge
    }
    pairs: dict[str, list[tuple[int, int]]] = {each: [] for each in CRITERIA}
    for key, criterion, verdict in _labels(path):
        theirs = said.get((*key, criterion))
        if theirs is not None:
            pairs[criterion].append((verdict, theirs))
    rows = [
        row(
            criterion.capitalize(),
            count(len(both)),
            words("-") if not both else figure(sum(a == b for a, b in both) / len(both), ".1f", share=True),
            words("-") if (kappa := cohen_kappa(both)) is None else figure(kappa),
        )
        for criterion, both in pairs.items()
    ]
    return Table(
        name="agreement",
        title=f"Agreement of {judge} with people",
        columns=("Criterion", "Triples", "Same verdict", "Cohen's kappa"),
        rows=tuple(rows),
        note="Triples that both judged. No kappa where both always say the same one verdict.",
    )


def _labels(path: Path) -> Iterator[tuple[tuple[str, str, str], str, int]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ConfigError(f"{path} cannot be read ({error}). Give the sheet that --sheet wrote.") from error
    if not rows or not {*_IDS, *CRITERIA} <= rows[0].keys():
        raise ConfigError(f"{path} is no sheet with labels. Give the one that --sheet wrote, filled in.")
    for number, each in enumerate(rows, 2):
        for criterion in CRITERIA:
            if verdict := (each[criterion] or "").strip():
                if verdict not in ("0", "1"):
                    raise ConfigError(f"{path}, line {number}: {criterion} is {verdict!r}. Write 1 or 0.")
                filing, run, triple = (unescaped(each[name]) for name in _IDS)
                yield (filing, run, triple), criterion, int(verdict)


def cohen_kappa(pairs: Sequence[tuple[int, int]]) -> float | None:
    """Cohen's kappa of verdicts of 0 and 1; None where there are none, or both always say the same one.

    Source: J. Cohen, A Coefficient of Agreement for Nominal Scales (1960).
    """
    if not pairs:
        return None
    one, two = (sum(each) / len(pairs) for each in zip(*pairs, strict=True))
    chance = one * two + (1 - one) * (1 - two)
    return None if chance == 1 else (sum(a == b for a, b in pairs) / len(pairs) - chance) / (1 - chance)

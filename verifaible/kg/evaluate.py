"""The paper's evaluation in one go: extract in each mode, judge, measure the judges, tabulate.

Everything is kept in the folders of the graphs, so that the same evaluation again costs nothing, and one
with more filings, chunks or judges pays for what is new.

Source: FinReflectKG - EvalBench (arXiv:2510.05710), table 1 and its human evaluation.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

from verifaible.errors import ConfigError
from verifaible.kg.extraction import Models, Options, extract_by_model
from verifaible.kg.folder import GraphFolder
from verifaible.kg.judging.bias import Flip, bias_table, flips_of, sampled
from verifaible.kg.judging.run import judge_extraction, kin, questions_of
from verifaible.kg.report import Report, read_report
from verifaible.kg.triples import CRITERIA
from verifaible.reporting.csv_files import Sheet, unescaped
from verifaible.reporting.tables import Table, count, figure, row, words
from verifaible.runs.lines import usable

_IDS: Final = ("filing", "run", "triple")
#: Triples of a sheet at most.
_SHEET: Final = 100
_SHOWN: Final = ("head", "relation", "tail", "quote")


@dataclass(frozen=True, slots=True)
class Plan:
    """What is evaluated.

    Attributes:
        judges: names of models.
        model: the model that extracts; empty: the extractions that there are already are judged.
        modes: ways in which it extracts.
        chunks: of each filing, drawn by the seed; None: all.
        bias: chunks of each extraction on which each judge's flips are measured; 0: none.
        sheet: a file that triples are written to, for people to judge.
        labels: such a file that people filled in.
    """

    judges: Sequence[str]
    model: str = ""
    modes: Sequence[Options] = ()
    chunks: int | None = None
    bias: int = 0
    seed: int = 0
    sheet: Path | None = None
    labels: Path | None = None


@dataclass(slots=True)
class Evaluated:
    """What came of it.

    Attributes:
        notes: what a reader must know.
        faults: what failed or was not asked; with any of them the evaluation is not whole.
    """

    report: Report
    notes: Sequence[str]
    faults: Sequence[str]


async def evaluate(models: Models, folders: Sequence[GraphFolder], plan: Plan) -> Evaluated:
    """Extract, judge, measure and tabulate.

    Raises:
        ConfigError: there is nothing to judge, a judge is of the family of a model that extracted, or the
            labels cannot be read.
        UnknownModel, MissingKey: a model cannot be asked.
        RunError: a folder cannot be read or written.
    """
    notes, faults, runs = await _extracted(models, folders, plan)
    tables = []
    for judge in plan.judges:
        flips: list[Flip] = []
        for folder in folders:
            async with models.open(judge, folder) as asked:
                own = [run for run in folder.runs() if run.name in runs]
                notes += kin(asked, own)
                for run in own:
                    if left := await judge_extraction(folder, run, asked):
                        faults.append(f"{run.path}: {left}")
                    elif plan.bias:
                        questions = sampled(list(questions_of(folder, run)), plan.bias, plan.seed)
                        flips += await flips_of(asked, questions, plan.seed)
        tables += [bias_table(flips, judge)] if flips else []
        tables += [agreement_table(plan.labels, folders, judge)] if plan.labels else []
    held = [run for folder in folders for run in folder.runs() if run.name in runs]
    said = {each.judge for run in held for each in (*run.verdicts, *run.coverage)}
    report = read_report(folders, runs=runs, judges=[each for each in plan.judges if each in said])
    if plan.sheet:
        number = write_sheet(plan.sheet, folders, runs, plan.seed)
        notes.append(f"{number:,} triples for people to judge, with 1 or 0 in three columns: {plan.sheet}")
    report = Report(report.title, report.warnings, (*report.tables, *tables))
    return Evaluated(report, list(dict.fromkeys(notes)), faults)


async def _extracted(
    models: Models, folders: Sequence[GraphFolder], plan: Plan
) -> tuple[list[str], list[str], list[str]]:
    """Notes, faults, and the names of the extractions."""
    notes: list[str] = []
    faults: list[str] = []
    named: list[str] = []
    for folder in folders if plan.model else ():
        chunks = [each.id for each in folder.chunks()]
        if plan.chunks is not None and plan.chunks < len(chunks):
            chunks = Random(plan.seed).sample(chunks, plan.chunks)  # noqa: S311 - a sample, not secrecy
        async with models.open(plan.model, folder) as model:
            for options in plan.modes:
                came = await extract_by_model(model, options, folder, chunks)
                notes.append(came.line())
                faults += [f"{folder.path}: {chunk}: {why}" for chunk, why in came.lacking.items()]
                named.append(came.run.name)
    held = [run for folder in folders for run in folder.runs() if not named or run.name in named]
    if not faults and not any(run.triples.read() for run in held):
        raise ConfigError(
            "There are no triples to judge. Name a model that extracts them with --model, or extract some "
            "with `verifaible kg extract FOLDER`."
        )
    return notes, faults, list(dict.fromkeys(named or [run.name for run in held]))


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

"""The report of graphs: what its tables are and what a reader must know first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from verifaible.kg.folder import GraphFolder
from verifaible.kg.ontology import Ontology, read_ontology
from verifaible.kg.report.averages import CoveragePoints
from verifaible.kg.report.judged import Judged, read_judged
from verifaible.kg.report.published import MODES
from verifaible.kg.report.tables import (
    criteria_table,
    failures_table,
    items_table,
    ontology_table,
    relations_table,
    warnings_table,
)
from verifaible.kg.verdicts import NO_RESULT, SCRIPTED
from verifaible.reporting.tables import Table


@dataclass(frozen=True, slots=True)
class Report:
    """Tables, and what a reader must know before them."""

    title: str
    warnings: tuple[str, ...]
    tables: tuple[Table, ...]


def read_report(
    folders: Sequence[GraphFolder],
    *,
    runs: Sequence[str] = (),
    judges: Sequence[str] = (),
    points: CoveragePoints | None = None,
    published: bool = False,
    ontology: Ontology | None = None,
) -> Report:
    """The report of some graphs.

    Args:
        folders: one a filing.
        runs, judges: only these; all where none is named.
        points: what coverage counts, by default 100, 50 and 0 per cent.
        published: put the paper's own figures beside the criteria, if a model judged an extraction of one of
            the paper's modes.
        ontology: whose use is counted; by default the one that is shipped.

    Raises:
        ConfigError: there is no extraction, or none of that name, or no verdict of that judge.
        RunError: a file is damaged.
    """
    points = points or CoveragePoints()
    found = read_judged(folders, runs, judges)
    judged = [each for each in found if each.judge]
    asked = any(each.judge != SCRIPTED and each.run.partition("-")[0] in MODES for each in judged)
    tables = [ontology_table(found, ontology or read_ontology())]
    if judged:
        tables = [
            criteria_table(judged, points, published=published and asked),
            failures_table(judged, points),
            *tables,
        ]
    tables += [relations_table(found), items_table(found, points)]
    if judged:
        tables.append(warnings_table(judged))
    if scripted := sum(each.judge == SCRIPTED for each in judged):
        said = NO_RESULT if scripted == len(judged) else f"of the judge scripted: {NO_RESULT}"
        tables = [
            each if each.name == "ontology" else each.model_copy(update={"title": f"{each.title}: {said}"})
            for each in tables
        ]
    warnings = _warnings(found)
    if published and not asked:
        warnings.append(
            "--published: the paper's figures are of single, multi and reflection extraction, judged by a "
            "model. None of these is here, so they are left out."
        )
    filings = len({name for each in found for name in each.filings})
    title = f"Triples of {filings} filing{'' if filings == 1 else 's'}"
    return Report(title, tuple(warnings), tuple(tables))


def _warnings(found: Sequence[Judged]) -> list[str]:
    told = []
    filings = len({name for each in found for name in each.filings})
    if any(each.judge == SCRIPTED for each in found):
        told.append(f"Figures of the scripted judge: {NO_RESULT}. No model was asked.")
    if unjudged := [each.run for each in found if not each.judge]:
        told.append(f"Not judged: {', '.join(unjudged)}. Judge them with `verifaible kg judge FOLDER`.")
    if stray := sum(each.stray for each in found):
        verdicts = (
            "1 verdict is of a triple or chunk"
            if stray == 1
            else f"{stray:,} verdicts are of triples or chunks"
        )
        told.append(
            f"{verdicts} that the folder does not hold, and counted nowhere. Judge again what changed."
        )
    for each in found:
        if len(each.filings) < filings:
            told.append(f"{each.run} is of {len(each.filings)} of the {filings} filings: its text is less.")
    return list(dict.fromkeys(told))

"""The averages of what judges said of a graph's triples, as tables: the paper's table 1 and what explains it.

The averages are those of FinReflectKG - EvalBench (section 2); what failed is left out, counted and bounded.
Its published figures (table 1) stand beside ours, always marked as published: they were not measured here.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import click

from verifaible.errors import ConfigError
from verifaible.kg.folder import Extraction, GraphFolder
from verifaible.kg.ontology import read_ontology
from verifaible.kg.triples import COVERAGE, CRITERIA, Coverage, Triple
from verifaible.reporting.pages import render
from verifaible.reporting.tables import Cell, Row, Table, count, figure, markdown_page, printed, row, words
from verifaible.runs.lines import write_whole
from verifaible.stats import clustered_mean_interval

#: Of everything that is drawn at random here, so that the same verdicts give the same tables.
SEED: Final = 20261005
#: The criteria in the order of the paper's rows, and its figures in per cent by mode of extraction.
PUBLISHED: Final = {
    COVERAGE: ("62.60", "62.41", "72.01"),
    "faithfulness": ("87.25", "78.73", "83.40"),
    "precision": ("56.06", "58.01", "59.49"),
    "relevance": ("91.46", "82.64", "92.52"),
}
#: The paper's columns, by the mode that the name of an extraction of ours begins with.
MODES: Final = {"single": "Single pass", "multi": "Multi pass", "reflection": "Reflection"}
SOURCE: Final = (
    "published: FinReflectKG - EvalBench (arXiv 2510.05710), table 1: 10-K filings of S&P 100 companies for "
    "fiscal year 2024, judged by Qwen3-32B; how its comprehensiveness becomes per cent is not given"
)
#: What coverage counts. The paper prints per cent, and no mapping.
_POINTS: Final[Mapping[Coverage, float]] = {"good": 1.0, "partial": 0.5, "bad": 0.0}
_FORMS: Final = (".html", ".md", ".json")


@dataclass(frozen=True, slots=True)
class Told:
    """What a judge said of one triple or one chunk.

    Attributes:
        filing, chunk: where it is from.
        value: from 0 to 1; None where there is no verdict.
        failed: somebody was asked, and gave no verdict or no triples.
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
        least, most: the mean if every failure were a 0 (bad), or a 1 (good); None where none
            was asked for.
    """

    value: float | None
    interval: tuple[float, float] | None
    decided: int
    failed: int
    all: int
    least: float | None
    most: float | None


def average(told: Sequence[Told]) -> Average:
    """The mean of all verdicts: micro-averaged of triples, macro-averaged of chunks.

    The interval is a percentile bootstrap over filings; of one filing alone, over its chunks.

    Args:
        told: of every triple or chunk, those without a verdict too.
    """
    values = [each.value for each in told if each.value is not None]
    failed = sum(each.failed for each in told)
    asked = len(values) + failed
    return Average(
        value=sum(values) / len(values) if values else None,
        interval=_interval(told),
        decided=len(values),
        failed=failed,
        all=len(told),
        least=sum(values) / asked if asked else None,
        most=(sum(values) + failed) / asked if asked else None,
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


@dataclass(slots=True)
class Judged:
    """The extractions of one name over all filings, as one judge saw them.

    Attributes:
        run: the extraction's name.
        judge: who said it; empty where nobody did.
        filings: that have it.
        chunks: that it went through, in all filings.
        triples: of all filings.
        told: of each criterion, what was said of each triple or chunk.
        tags: how often each warning was given, by criterion; ``passed``: with a 1, or good.
    """

    run: str
    judge: str
    filings: list[str] = field(default_factory=list)
    chunks: int = 0
    triples: list[Triple] = field(default_factory=list)
    told: dict[str, list[Told]] = field(default_factory=lambda: {each: [] for each in PUBLISHED})
    tags: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, folder: GraphFolder, run: Extraction) -> None:
        """Take in a filing's; of two lines on the same the later counts."""
        filing, triples = str(folder.path), run.triples.read()
        went = run.covered(folder.chunks())
        self.filings.append(filing)
        self.chunks += len(went)
        self.triples += triples
        of_triples = {
            (each.criterion, each.triple): each for each in run.verdicts if each.judge == self.judge
        }
        of_chunks = {each.chunk: each for each in run.coverage if each.judge == self.judge}
        for criterion in CRITERIA:
            for triple in triples:
                said = of_triples.get((criterion, triple.id))
                value, failed = (said.verdict, said.verdict is None) if said else (None, False)
                self.told[criterion].append(Told(filing, triple.chunk, value, failed))
                if said:
                    self._tag(criterion, said.warnings, passed=said.verdict == 1)
        for chunk, fault in went.items():
            covered = of_chunks.get(chunk)
            share = _POINTS[covered.verdict] if covered and covered.verdict else None
            failed = bool(fault) or (covered is not None and covered.verdict is None)
            self.told[COVERAGE].append(Told(filing, chunk, share, failed))
            if covered:
                self._tag(COVERAGE, covered.warnings, passed=covered.verdict == "good")

    def _tag(self, criterion: str, warnings: Iterable[str], *, passed: bool) -> None:
        for tag in dict.fromkeys(warnings):
            self.tags.setdefault(tag, Counter()).update([criterion, *(["passed"] if passed else [])])


def read_judged(
    folders: Sequence[GraphFolder],
    runs: Sequence[str] = (),
    judges: Sequence[str] = (),
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
    held = [(folder, run) for folder in unique for run in folder.runs()]
    names = sorted({run.name for _, run in held}, key=_place)
    if unknown := [name for name in runs if name not in names]:
        raise ConfigError(f"No extraction {', '.join(unknown)} there, but {', '.join(names) or 'none'}.")
    if not names:
        raise ConfigError("There is no extraction. Extract triples with `verifaible kg extract FOLDER`.")
    seen: list[Judged] = []
    known: set[str] = set()
    for name in runs or names:
        found = [(folder, run) for folder, run in held if run.name == name]
        who = dict.fromkeys(line.judge for _, run in found for line in (*run.verdicts, *run.coverage))
        known |= who.keys()
        for judge in [each for each in who if not judges or each in judges] or [""]:
            seen.append(Judged(name, judge))
            for folder, run in found:
                seen[-1].add(folder, run)
    if unknown := [judge for judge in judges if judge not in known]:
        raise ConfigError(
            f"No verdicts of {', '.join(unknown)} there, but of {', '.join(sorted(known)) or 'nobody'}. "
            "Judge with `verifaible kg evaluate FOLDER --judge NAME`."
        )
    return seen


def _place(name: str) -> tuple[int, str]:
    """The paper's modes in its order, then all others."""
    mode = name.partition("-")[0]
    return (list(MODES).index(mode) if mode in MODES else len(MODES)), name


# --- tables


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
) -> Report:
    """The report of some graphs; the paper's figures stand beside its modes of extraction.

    Args:
        folders: one a filing.
        runs, judges: as :func:`read_judged` takes them.

    Raises:
        ConfigError: there is no extraction, or none of that name, or no verdict of that judge.
        RunError: a file is damaged.
    """
    found = read_judged(folders, runs, judges)
    judged = [each for each in found if each.judge]
    tables = [_extractions(found)]
    if judged:
        tables = [_criteria(judged), _failures(judged), *tables, _tags(judged)]
    filings = len({name for each in found for name in each.filings})
    title = f"Triples of {filings} filing{'' if filings == 1 else 's'}"
    return Report(title, tuple(_warnings(found)), tuple(tables))


def _warnings(found: Sequence[Judged]) -> list[str]:
    told = []
    filings = len({name for each in found for name in each.filings})
    if unjudged := [each.run for each in found if not each.judge]:
        told.append(f"Not judged: {', '.join(unjudged)}. Judge them with `verifaible kg evaluate FOLDER`.")
    for each in found:
        if len(each.filings) < filings:
            told.append(f"{each.run} is of {len(each.filings)} of the {filings} filings: its text is less.")
    return list(dict.fromkeys(told))


def _name(judged: Judged, among: Sequence[Judged]) -> str:
    """The extraction's name, with the judge's where there are several."""
    several = len({each.judge for each in among}) > 1 and judged.judge
    return words(f"{judged.run}, {judged.judge}" if several else judged.run).text


def _averages(judged: Judged) -> list[Average]:
    """The criteria in the order of the paper's table 1."""
    return [average(told) for told in judged.told.values()]


def _criteria(judged: Sequence[Judged]) -> Table:
    """The paper's table 1: a row a criterion, a column an extraction."""
    published = any(each.run.partition("-")[0] in MODES for each in judged)
    columns = [_averages(each) for each in judged]
    rows = [
        row(
            name.capitalize(),
            *(_average_cell(column[at]) for column in columns),
            *(map(printed, theirs) if published else ()),
        )
        for at, (name, theirs) in enumerate(PUBLISHED.items())
    ]
    several = {len(each.filings) > 1 for each in judged}
    clusters = (
        "filing" if several == {True} else "chunk" if several == {False} else "filing (chunk where one)"
    )
    return Table(
        name="criteria",
        title="Criteria (table 1)",
        columns=(
            "Criterion",
            *(_name(each, judged) for each in judged),
            *(f"{each} (published)" for each in MODES.values() if published),
        ),
        rows=tuple(rows),
        note="Per cent. Faithfulness, precision and relevance are micro-averaged over triples, "
        "comprehensiveness macro-averaged over chunks; good, partial and bad count "
        "100, 50 and 0 (our setting, the paper gives none). Behind the "
        "comma: verdicts of all; a verdict that failed or is not there is in no figure. In brackets: 95 % "
        f"bootstrap intervals, resampled by {clusters}; none where nothing varies.",
        source=SOURCE if published else "",
    )


def _average_cell(found: Average) -> Cell:
    """A share with the verdicts that it rests on, or why there is none."""
    if found.value is not None:
        return figure(found.value, ".2f", found.interval, share=True, n=found.decided, of=found.all)
    failed = f"failed: {found.failed:,} of {found.all:,}"
    return Cell(
        text=failed if found.failed else "not judged" if found.all else "-",
        state="nothing",
        n=0,
        of=found.all,
    )


def _failures(judged: Sequence[Judged]) -> Table:
    """What failed, and what it could change."""

    def end(share: float | None) -> Cell:
        return words("-") if share is None else figure(share, ".2f", share=True)

    rows = [
        row(
            _name(each, judged),
            name.capitalize(),
            count(found.failed),
            count(found.all - found.decided - found.failed),
            end(found.least),
            end(found.most),
        )
        for each in judged
        for name, found in zip(PUBLISHED, _averages(each), strict=True)
    ]
    return Table(
        name="failures",
        title="Failed verdicts, and what they could change",
        columns=("Extraction", "Criterion", "Failed", "Not judged", "All failed were 0", "All failed were 1"),
        rows=tuple(rows),
        note="The criteria if every failed verdict had been 0 (bad), or 1 (good). A chunk whose extraction "
        "failed counts among the failures of comprehensiveness.",
    )


def _extractions(found: Sequence[Judged]) -> Table:
    """What each extraction gave, and what of it the shipped ontology lacks."""
    ontology = read_ontology()

    def of(judged: Judged) -> Row:
        lacking = sum(
            not {each.head_type, each.tail_type} <= ontology.types.keys()
            or each.relation not in ontology.relations
            for each in judged.triples
        )
        ungrounded = sum(bool(each.ungrounded) for each in judged.triples)
        numbers = (len(judged.filings), judged.chunks, len(judged.triples), ungrounded, lacking)
        return row(words(judged.run), *map(count, numbers))

    return Table(
        name="extractions",
        title="Extractions",
        columns=("Extraction", "Filings", "Chunks", "Triples", "Ungrounded", "Not in the ontology"),
        rows=tuple(map(of, {each.run: each for each in found}.values())),
        note="Ungrounded triples rest on no words of the filing. Not in the ontology: those with a type or a "
        "relation that it lacks.",
    )


def _tags(judged: Sequence[Judged]) -> Table:
    """Each extraction by warning tag, the most frequent first."""
    shown = (*CRITERIA, COVERAGE, "passed")
    rows = [
        row(_name(each, judged), words(tag), *(count(counts[name]) for name in shown))
        for each in judged
        for tag, counts in sorted(
            each.tags.items(), key=lambda pair: (pair[1]["passed"] - pair[1].total(), pair[0])
        )
    ]
    return Table(
        name="warnings",
        title="By warning",
        columns=("Extraction", "Warning", *map(str.capitalize, shown[:-1]), "Of these 1 or good"),
        rows=tuple(rows),
        note="Verdicts with the tag, by criterion; a verdict may have several.",
    )


# --- where it is shown


def show(report: Report, *, as_json: bool = False) -> None:
    """Print a report, as tables or as JSON, in which shares are from 0 to 1."""
    if as_json:
        click.echo(json.dumps(_as_json(report), ensure_ascii=False, indent=1))
        return
    tables = (each.as_text() + (f"{each.source}\n" if each.source else "") for each in report.tables)
    click.echo("\n".join([*report.warnings, "", *tables]))


def _as_json(report: Report) -> dict[str, Any]:
    tables = [each.as_json() for each in report.tables]
    return {"title": report.title, "warnings": list(report.warnings), "tables": tables}


def write_report(report: Report, path: Path) -> None:
    """Write a report as JSON, Markdown or HTML, by the ending of its name.

    Raises:
        ConfigError: it has another ending.
        RunError: it cannot be written.
    """
    form = path.suffix.lower()
    if form not in _FORMS:
        raise ConfigError(f"--output {path}: unknown ending. Use {', '.join(_FORMS)}.")
    if form == ".json":
        text = json.dumps(_as_json(report), ensure_ascii=False, indent=1) + "\n"
    elif form == ".md":
        source = next((each.source for each in report.tables if each.source), "")
        text = markdown_page(report.title, (), report.warnings, report.tables, source=source)
    else:
        text = render("graph_report.html", css="", packages=("verifaible.kg",), report=report)
    write_whole(path, text)

"""What people and judge say of the same things, in tables."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import fmean
from typing import Final, TypeVar

from verifaible.judge.annotations import STATUSES, Annotation, Annotations, read_annotations
from verifaible.judge.folder import JudgeFolder
from verifaible.judge.report import published
from verifaible.judge.report.agreement import (
    Level,
    cohen_kappa,
    found_of,
    krippendorff_alpha,
    quadratic_kappa,
    resampled,
)
from verifaible.judge.report.cells import SEED
from verifaible.judge.report.metrics import Verdict, verdict_of
from verifaible.judge.report.prediction import FEWEST, Interval, estimate_mean
from verifaible.judge.report.results import LABELS, Gathering, Results, joined
from verifaible.reporting.tables import Cell, Column, Table, count, figure, printed, row, table_of, words
from verifaible.schema.judged import DIMENSIONS, ERROR_CATEGORIES

_TITLES: Final = {**LABELS, "citations": "Citation check", "hallucination": "Hallucination check"}
_HOW: Final = (
    "Each annotator's word is held against the judge's; what the judge did not decide is left out, and "
    "counted. Intervals: 95 %, bootstrap over answers."
)
ItemT = TypeVar("ItemT")
#: An answer, and a claim where the kind is about claims.
_Thing = tuple[str, str]
_Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class _Ratings:
    """What was said of one kind: the judge's word on each thing, and people's."""

    kind: str
    judge: Mapping[_Thing, str]
    people: tuple[Annotation, ...]

    @property
    def things(self) -> dict[_Thing, list[str]]:
        """What people say of each thing."""
        found: dict[_Thing, list[str]] = {}
        for each in self.people:
            found.setdefault((each.answer, each.claim), []).append(each.value)
        return found

    @property
    def title(self) -> str:
        """What readers know the kind by."""
        return _TITLES[self.kind]

    def pairs(self) -> list[list[_Pair]]:
        """People's word and the judge's on the same thing, those of one answer together."""
        groups: dict[str, list[_Pair]] = {}
        for each in self.people:
            said = self.judge.get((each.answer, each.claim))
            if said is not None:
                groups.setdefault(each.answer, []).append((each.value, said))
        return list(groups.values())

    def numbers(self) -> list[list[tuple[float, float]]]:
        """The same, of scores."""
        return [[(float(one), float(two)) for one, two in pairs] for pairs in self.pairs()]

    def units(self) -> list[list[list[str]]]:
        """What people say of each thing, those of one answer together; for agreement among people."""
        groups: dict[str, list[list[str]]] = {}
        for (answer, _), said in self.things.items():
            groups.setdefault(answer, []).append(said)
        return list(groups.values())


def agreement_of(folder: JudgeFolder, annotations: Annotations | None = None) -> tuple[Table, ...]:
    """How well the judge agrees with people, people with each other, and what both together say of the means.

    Args:
        folder: the judged answers.
        annotations: what people say; by default what ``annotations.csv`` of the folder holds.

    Returns:
        The tables of what was annotated; faults of the annotations are the last one, where there are any.

    Raises:
        RunError: the folder or its annotations cannot be read.
    """
    said = read_annotations(folder) if annotations is None else annotations
    results, ratings = _ratings(folder, said.rows)
    made = [
        _scores_table([each for each in ratings if each.kind in DIMENSIONS]),
        _claims_table([each for each in ratings if each.kind in STATUSES]),
        _statuses_table([each for each in ratings if each.kind in STATUSES]),
        _taxonomy_table([each for each in ratings if each.kind in ERROR_CATEGORIES]),
        _means_table(results, ratings),
        _faults_table(said),
    ]
    return tuple(table for table in made if table.rows)


def _ratings(folder: JudgeFolder, rows: Sequence[Annotation]) -> tuple[Results, tuple[_Ratings, ...]]:
    gathering = Gathering(folder.info)
    judge: dict[str, dict[_Thing, str]] = {}

    def keep(kind: str, answer: str, claim: str, row: Verdict | None) -> None:
        if (verdict := verdict_of(row)) is not None:
            judge.setdefault(kind, {})[answer, claim] = str(verdict)

    for judged, claims in joined(folder):
        gathering.add(judged, claims)
        answer = judged.answer.id
        for name, score in (*judged.rubric.items(), *judged.taxonomy.items()):
            keep(name, answer, "", score)
        for each in claims:
            keep("citations", answer, each.claim.id, each.citations)
            keep("hallucination", answer, each.claim.id, each.hallucination)
    kinds = dict.fromkeys(each.kind for each in rows)
    order = [kind for kind in _TITLES if kind in kinds]
    ratings = tuple(
        _Ratings(kind, judge.get(kind, {}), tuple(each for each in rows if each.kind == kind))
        for kind in order
    )
    return gathering.results(), ratings


# --- tables


_Column = Column[_Ratings, None]


def _amounts(things: str, undecided: str) -> tuple[_Column, _Column, _Column]:
    """How much both spoke of; the headings of the first and the last column."""

    def pairs(each: _Ratings) -> int:
        return sum(map(len, each.pairs()))

    return (
        Column(things, lambda each: count(len(each.things))),
        Column("Pairs", lambda each: count(pairs(each))),
        Column(undecided, lambda each: count(len(each.people) - pairs(each))),
    )


def _mean_apart(each: _Ratings, apart: Callable[[float, float], float], form: str = ".2f") -> str:
    found = [apart(one, two) for pairs in each.numbers() for one, two in pairs]
    return f"{fmean(found):{form}}" if found else "-"


def _scores_table(ratings: Sequence[_Ratings]) -> Table:
    kappas = {str(name): str(value) for name, value in published.KAPPA.items()}
    columns: tuple[_Column, ...] = (
        Column("Dimension", lambda each: each.title),
        *_amounts("Answers", "Judge did not decide"),
        Column("Kappa, quadratic", lambda each: _statistic(each.numbers(), quadratic_kappa)),
        Column("Apart, points", lambda each: _mean_apart(each, lambda one, two: abs(one - two))),
        Column("Judge less people", lambda each: _mean_apart(each, lambda one, two: two - one, "+.2f")),
        Column("Alpha of people, ordinal", lambda each: _alpha(each, "ordinal")),
        Column("Alpha of people, interval", lambda each: _alpha(each, "interval")),
        Column("Kappa (published)", lambda each: printed(kappas[each.kind])),
    )
    return table_of(
        "Rubric: judge and people",
        columns,
        ratings,
        name="agreement_scores",
        note=_HOW,
        source=published.SOURCE,
    )


def _claims_table(ratings: Sequence[_Ratings]) -> Table:
    columns: tuple[_Column, ...] = (
        Column("Check", lambda each: each.title),
        *_amounts("Claims", "Not decided"),
        Column("The same", lambda each: _statistic(each.pairs(), _accuracy)),
        Column("Kappa", lambda each: _statistic(each.pairs(), cohen_kappa)),
        Column("Alpha of people, nominal", lambda each: _alpha(each, "nominal")),
    )
    note = f"The judge here is whoever decided a claim, the rules among them. {_HOW}"
    return table_of("Claims: judge and people", columns, ratings, name="agreement_claims", note=note)


def _statuses_table(ratings: Sequence[_Ratings]) -> Table:
    rows = []
    for each in ratings:
        pairs = [pair for group in each.pairs() for pair in group]
        for status in STATUSES[each.kind]:
            if any(status in pair for pair in pairs):
                found = [(one == status, two == status) for one, two in pairs]
                rows.append(row(f"{each.title}: {status}", *_found_cells(found)))
    return Table(
        name="agreement_statuses",
        title="Claims: each verdict",
        columns=("Verdict", "Pairs", "People say so", "Accuracy", "Never said", "Precision", "Recall"),
        rows=tuple(rows),
        note=("People's word is the truth here. Never said: the accuracy of a judge that never says it."),
    )


def _taxonomy_table(ratings: Sequence[_Ratings]) -> Table:
    rows = []
    every: list[tuple[bool, bool]] = []
    for each in ratings:
        groups = [[(one >= 0.5, two >= 0.5) for one, two in pairs] for pairs in each.numbers()]
        flat = [pair for pairs in groups for pair in pairs]
        every += flat
        kappa = _statistic(groups, cohen_kappa)
        rows.append(row(each.title, *_found_cells(flat), kappa, _alpha(each, "nominal")))
    if rows:
        rows.append(row("All", *_found_cells(every), "-", "-"))
        theirs = (
            printed(f"{published.TAXONOMY_ACCURACY} %"),
            printed(f"{published.all_zero_accuracy():.2f} %"),
        )
        rows.append(row("Paper (published)", "-", "-", *theirs, *"----", published=True))
    return Table(
        name="agreement_taxonomy",
        title="Kinds of error: judge and people",
        columns=(
            *("Kind of error", "Pairs", "Present", "Accuracy", "Always no", "Precision", "Recall", "Kappa"),
            "Alpha of people",
        ),
        rows=tuple(rows),
        note=(
            "Always no: the accuracy of a judge that never finds an error; an accuracy is worth what it is "
            "above it. The paper prints its accuracy alone; what always no reaches is from its own table "
            f"9. {_HOW}"
        ),
        source=published.SOURCE,
    )


def _means_table(results: Results, ratings: Sequence[_Ratings]) -> Table:
    """Means in people's terms: people's alone, and people's with the judge's."""
    rows = []
    scored = [each for each in ratings if each.kind not in STATUSES]
    for model, each in product(results.models, scored):
        people = each.things
        both: list[tuple[float, float]] = []
        alone: list[float] = []
        for answer in results.of(model):
            thing = (answer.id, "")
            if thing in each.judge and thing in people:
                both.append((fmean(map(float, people[thing])), float(each.judge[thing])))
            elif thing in each.judge:
                alone.append(float(each.judge[thing]))
        found = estimate_mean(both, alone)
        if found is None:
            continue
        n, best = found.labelled, found.narrower
        rows.append(
            row(
                words(model),
                each.title,
                count(n),
                count(found.unlabelled),
                f"{fmean([*(two for _, two in both), *alone]):.2f}",
                _interval_cell(found.classical, n),
                _interval_cell(found.powered, n) if found.powered else "-",
                f"{found.tuning:.2f}",
                _interval_cell(best, n, f", {best.method}"),
            )
        )
    return Table(
        name="means",
        title="Means in people's terms",
        columns=(
            *("Model", "Of", "Labelled", "Judge alone", "Judge's mean", "People (classical)"),
            *("People and judge", "Weight of the judge", "Narrower"),
        ),
        rows=tuple(rows),
        note=(
            "What people would say of all answers, from those they labelled; right only if these were drawn "
            "at random. People and judge: prediction-powered (Angelopoulos et al., 2023), the weight by "
            f"PPI++. Several annotators count as their mean; fewer than {FEWEST} labels give no row, and "
            "labels that are all alike no interval."
        ),
    )


def _faults_table(said: Annotations) -> Table:
    return Table(
        name="annotation_faults",
        title="Annotations that cannot be used",
        columns=("Line", "Fault", "What to do"),
        rows=tuple(
            row(str(each.line), each.code.replace("_", " "), words(each.message)) for each in said.faults
        ),
    )


# --- cells


def _found_cells(pairs: Sequence[tuple[bool, bool]]) -> tuple[Cell, ...]:
    found = found_of(pairs)
    shares = (found.accuracy, found.all_zero, found.precision, found.recall)
    cells = ("-" if share is None else figure(share, ".1f", share=True) for share in shares)
    return row(count(found.n), count(found.present, found.n), *cells).cells


def _statistic(groups: Sequence[Sequence[ItemT]], statistic: Callable[[list[ItemT]], float | None]) -> Cell:
    value = statistic([item for group in groups for item in group])
    n = sum(map(len, groups))
    if value is None:
        return Cell(text="not defined" if n else "-", state="nothing", n=n)
    return figure(value, ".3f", resampled(groups, statistic, SEED), within=".2f", to=" to ", n=n)


def _alpha(each: _Ratings, level: Level) -> Cell:
    """Agreement among people; a dash where no two of them spoke of the same thing."""
    if not any(len(said) > 1 for said in each.things.values()):
        return words("-")
    if level == "nominal":
        return _statistic(each.units(), lambda units: krippendorff_alpha(units, level))
    numbers = [[[float(value) for value in said] for said in group] for group in each.units()]
    return _statistic(numbers, lambda units: krippendorff_alpha(units, level))


def _accuracy(pairs: Sequence[tuple[Hashable, Hashable]]) -> float | None:
    return fmean(one == two for one, two in pairs) if pairs else None


def _interval_cell(interval: Interval, n: int, method: str = "") -> Cell:
    ends = None if interval.low is None or interval.high is None else (interval.low, interval.high)
    return figure(interval.mean, ".2f", ends, to=" to ", n=n, more=method)

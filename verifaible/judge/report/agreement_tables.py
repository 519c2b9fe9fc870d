"""What people and judge say of the same things, in tables."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final, TypeVar

from verifaible.judge.annotations import STATUSES, Annotation, Annotations, read_annotations
from verifaible.judge.folder import JudgeFolder
from verifaible.judge.report import published
from verifaible.judge.report.agreement import cohen_kappa, found_of, quadratic_kappa
from verifaible.judge.report.metrics import Verdict, verdict_of
from verifaible.judge.report.results import LABELS, joined
from verifaible.reporting.tables import Cell, Column, Table, count, figure, printed, row, table_of, words
from verifaible.schema.judged import DIMENSIONS, ERROR_CATEGORIES

_TITLES: Final = {**LABELS, "citations": "Citation check", "hallucination": "Hallucination check"}
_HOW: Final = (
    "Each annotator's word is held against the judge's; what the judge did not decide is left out, and "
    "counted."
)
ItemT = TypeVar("ItemT")
#: An answer, and a claim where the kind is about claims.
_Thing = tuple[str, str]


@dataclass(frozen=True, slots=True)
class _Ratings:
    """What was said of one kind: the judge's word on each thing, and people's."""

    kind: str
    judge: Mapping[_Thing, str]
    people: tuple[Annotation, ...]

    @property
    def things(self) -> int:
        """How many things people speak of."""
        return len({(each.answer, each.claim) for each in self.people})

    @property
    def title(self) -> str:
        """What readers know the kind by."""
        return _TITLES[self.kind]

    def pairs(self) -> list[tuple[str, str]]:
        """People's word and the judge's on the same thing."""
        said = ((each.value, self.judge.get((each.answer, each.claim))) for each in self.people)
        return [(people, judge) for people, judge in said if judge is not None]

    def numbers(self) -> list[tuple[float, float]]:
        """The same, of scores."""
        return [(float(one), float(two)) for one, two in self.pairs()]


def agreement_of(folder: JudgeFolder, annotations: Annotations | None = None) -> tuple[Table, ...]:
    """How well the judge agrees with people.

    Args:
        folder: the judged answers.
        annotations: what people say; by default what ``annotations.csv`` of the folder holds.

    Returns:
        The tables of what was annotated; faults of the annotations are the last one, where there are any.

    Raises:
        RunError: the folder or its annotations cannot be read.
    """
    said = read_annotations(folder) if annotations is None else annotations
    ratings = _ratings(folder, said.rows)
    made = [
        _scores_table([each for each in ratings if each.kind in DIMENSIONS]),
        _claims_table([each for each in ratings if each.kind in STATUSES]),
        _statuses_table([each for each in ratings if each.kind in STATUSES]),
        _taxonomy_table([each for each in ratings if each.kind in ERROR_CATEGORIES]),
        _faults_table(said),
    ]
    return tuple(table for table in made if table.rows)


def _ratings(folder: JudgeFolder, rows: Sequence[Annotation]) -> tuple[_Ratings, ...]:
    judge: dict[str, dict[_Thing, str]] = {}

    def keep(kind: str, answer: str, claim: str, row: Verdict | None) -> None:
        if (verdict := verdict_of(row)) is not None:
            judge.setdefault(kind, {})[answer, claim] = str(verdict)

    for judged, claims in joined(folder):
        answer = judged.answer.id
        for name, score in (*judged.rubric.items(), *judged.taxonomy.items()):
            keep(name, answer, "", score)
        for each in claims:
            keep("citations", answer, each.claim.id, each.citations)
            keep("hallucination", answer, each.claim.id, each.hallucination)
    kinds = dict.fromkeys(each.kind for each in rows)
    order = [kind for kind in _TITLES if kind in kinds]
    return tuple(
        _Ratings(kind, judge.get(kind, {}), tuple(each for each in rows if each.kind == kind))
        for kind in order
    )


# --- tables


_Column = Column[_Ratings, None]


def _amounts(things: str, undecided: str) -> tuple[_Column, _Column, _Column]:
    """How much both spoke of; the headings of the first and the last column."""
    return (
        Column(things, lambda each: count(each.things)),
        Column("Pairs", lambda each: count(len(each.pairs()))),
        Column(undecided, lambda each: count(len(each.people) - len(each.pairs()))),
    )


def _mean_apart(each: _Ratings, apart: Callable[[float, float], float], form: str = ".2f") -> str:
    found = [apart(one, two) for one, two in each.numbers()]
    return f"{fmean(found):{form}}" if found else "-"


def _scores_table(ratings: Sequence[_Ratings]) -> Table:
    kappas = {str(name): str(value) for name, value in published.KAPPA.items()}
    columns: tuple[_Column, ...] = (
        Column("Dimension", lambda each: each.title),
        *_amounts("Answers", "Judge did not decide"),
        Column("Kappa, quadratic", lambda each: _statistic(each.numbers(), quadratic_kappa)),
        Column("Apart, points", lambda each: _mean_apart(each, lambda one, two: abs(one - two))),
        Column("Judge less people", lambda each: _mean_apart(each, lambda one, two: two - one, "+.2f")),
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
    )
    note = f"The judge here is whoever decided a claim, the rules among them. {_HOW}"
    return table_of("Claims: judge and people", columns, ratings, name="agreement_claims", note=note)


def _statuses_table(ratings: Sequence[_Ratings]) -> Table:
    rows = []
    for each in ratings:
        pairs = each.pairs()
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
        pairs = [(one >= 0.5, two >= 0.5) for one, two in each.numbers()]
        every += pairs
        rows.append(row(each.title, *_found_cells(pairs), _statistic(pairs, cohen_kappa)))
    if rows:
        rows.append(row("All", *_found_cells(every), "-"))
        theirs = (
            printed(f"{published.TAXONOMY_ACCURACY} %"),
            printed(f"{published.all_zero_accuracy():.2f} %"),
        )
        rows.append(row("Paper (published)", "-", "-", *theirs, *"---", published=True))
    return Table(
        name="agreement_taxonomy",
        title="Kinds of error: judge and people",
        columns=(
            *("Kind of error", "Pairs", "Present", "Accuracy", "Always no", "Precision", "Recall", "Kappa"),
        ),
        rows=tuple(rows),
        note=(
            "Always no: the accuracy of a judge that never finds an error; an accuracy is worth what it is "
            "above it. The paper prints its accuracy alone; what always no reaches is from its own table "
            f"9. {_HOW}"
        ),
        source=published.SOURCE,
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


def _statistic(pairs: Sequence[ItemT], statistic: Callable[[Sequence[ItemT]], float | None]) -> Cell:
    value, n = statistic(pairs), len(pairs)
    if value is None:
        return Cell(text="not defined" if n else "-", state="nothing", n=n)
    return figure(value, ".3f", n=n)


def _accuracy(pairs: Sequence[tuple[Hashable, Hashable]]) -> float | None:
    return fmean(one == two for one, two in pairs) if pairs else None

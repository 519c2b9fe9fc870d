"""How well the judge agrees with people: kappas, and how well errors are found, in tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final, TypeVar

from verifaible.judge import published
from verifaible.judge.annotations import STATUSES, VALUES, Annotation
from verifaible.judge.folder import JudgeFolder
from verifaible.judge.metrics import Judgement, verdict_of
from verifaible.judge.results import LABELS, joined
from verifaible.reporting.tables import Cell, Column, Table, count, figure, printed, row, table_of
from verifaible.schema.judged import DIMENSIONS, ERROR_CATEGORIES

_TITLES: Final = {**LABELS, "citations": "Citation check", "hallucination": "Hallucination check"}
_HOW: Final = (
    "Each annotator's word is held against the judge's; what the judge did not decide is left out, and "
    "counted."
)
PairT = TypeVar("PairT")


def cohen_kappa(pairs: Sequence[tuple[Hashable, Hashable]]) -> float | None:
    """Cohen's kappa of two raters who put the same things into classes.

    Source: J. Cohen, A Coefficient of Agreement for Nominal Scales (1960).

    Returns:
        From -1 to 1; None where it is not defined: no pairs, or both always say the same one class.
    """
    first, second = Counter(one for one, _ in pairs), Counter(two for _, two in pairs)
    n = len(pairs)
    chance = sum(first[name] * second[name] for name in first) / n**2 if n else 1
    return None if chance == 1 else (sum(one == two for one, two in pairs) / n - chance) / (1 - chance)


def quadratic_kappa(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Cohen's kappa weighted by the squared distance of two scores, which need not be whole numbers.

    Source: J. Cohen, Weighted Kappa (1968), with the weights of J. L. Fleiss, J. Cohen, The Equivalence of
    Weighted Kappa and the Intraclass Correlation Coefficient (1973).

    Returns:
        At most 1; None where it is not defined: no pairs, or both always give the same one score.
    """
    if len({score for pair in pairs for score in pair}) < 2:
        return None
    seen = fmean((one - two) ** 2 for one, two in pairs)
    means = fmean(one for one, _ in pairs), fmean(two for _, two in pairs)
    spread = fmean((one - means[0]) ** 2 + (two - means[1]) ** 2 for one, two in pairs)
    return 1 - seen / (spread + (means[0] - means[1]) ** 2)


@dataclass(frozen=True, slots=True)
class _Ratings:
    """What was said of one kind: people's words, and the judge's on the same answer, or answer and claim."""

    kind: str
    people: tuple[Annotation, ...]
    judge: Mapping[tuple[str, str], str]

    @property
    def title(self) -> str:
        """What readers know the kind by."""
        return _TITLES[self.kind]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """People's word and the judge's on the same thing."""
        said = ((each.value, self.judge.get((each.answer, each.claim))) for each in self.people)
        return [(people, judge) for people, judge in said if judge is not None]

    @property
    def numbers(self) -> list[tuple[float, float]]:
        """The same, of scores."""
        return [(float(one), float(two)) for one, two in self.pairs]


def agreement_of(folder: JudgeFolder, said: Sequence[Annotation]) -> tuple[Table, ...]:
    """How well the judge agrees with people.

    Args:
        folder: the judged answers.
        said: what people say of them.

    Returns:
        The tables of what was annotated.

    Raises:
        RunError: the folder cannot be read.
    """
    ratings = _ratings(folder, said)
    made = [
        _scores_table([each for each in ratings if each.kind in DIMENSIONS]),
        _claims_table([each for each in ratings if each.kind in STATUSES]),
        _taxonomy_table([each for each in ratings if each.kind in ERROR_CATEGORIES]),
    ]
    return tuple(table for table in made if table.rows)


def _ratings(folder: JudgeFolder, rows: Sequence[Annotation]) -> list[_Ratings]:
    judge: dict[str, dict[tuple[str, str], str]] = {kind: {} for kind in VALUES}
    for judged, claims in joined(folder):
        found: list[tuple[str, str, Judgement | None]] = []
        found += [(name, "", score) for name, score in judged.rubric.items()]
        found += [(name, "", score) for name, score in judged.taxonomy.items()]
        found += [("citations", each.claim.id, each.citations) for each in claims]
        found += [("hallucination", each.claim.id, each.hallucination) for each in claims]
        for kind, claim, judgement in found:
            if (verdict := verdict_of(judgement)) is not None:
                judge[kind][judged.answer.id, claim] = str(verdict)
    by_kind = {kind: tuple(each for each in rows if each.kind == kind) for kind in _TITLES}
    return [_Ratings(kind, people, judge[kind]) for kind, people in by_kind.items() if people]


_Column = Column[_Ratings, None]


def _amounts(things: str) -> tuple[_Column, ...]:
    """How much people spoke of, and of how much of it the judge said something."""
    return (
        Column(things, lambda each: count(len({(it.answer, it.claim) for it in each.people}))),
        Column("Pairs", lambda each: count(len(each.pairs))),
        Column("Not decided", lambda each: count(len(each.people) - len(each.pairs))),
    )


def _scores_table(ratings: Sequence[_Ratings]) -> Table:
    """Table 5 of the paper."""
    kappas = {str(name): str(value) for name, value in published.KAPPA.items()}
    columns: tuple[_Column, ...] = (
        Column("Dimension", lambda each: each.title),
        *_amounts("Answers"),
        Column("Kappa, quadratic", lambda each: _statistic(each.numbers, quadratic_kappa)),
        Column("Kappa (published)", lambda each: printed(kappas[each.kind])),
    )
    title, source = "Rubric: judge and people (table 5)", published.SOURCE
    return table_of(title, columns, ratings, name="agreement_scores", note=_HOW, source=source)


def _claims_table(ratings: Sequence[_Ratings]) -> Table:
    columns: tuple[_Column, ...] = (
        Column("Check", lambda each: each.title),
        *_amounts("Claims"),
        Column("The same", lambda each: _statistic(each.pairs, _accuracy)),
        Column("Kappa", lambda each: _statistic(each.pairs, cohen_kappa)),
    )
    note = f"The judge here is whoever decided a claim, the rules among them. {_HOW}"
    return table_of("Claims: judge and people", columns, ratings, name="agreement_claims", note=note)


def _taxonomy_table(ratings: Sequence[_Ratings]) -> Table:
    rows, every = [], []
    for each in ratings:
        pairs = [(one >= 0.5, two >= 0.5) for one, two in each.numbers]
        every += pairs
        rows.append(row(each.title, *_found(pairs), _statistic(pairs, cohen_kappa)))
    if rows:
        rows.append(row("All", *_found(every), _statistic(every, cohen_kappa)))
        theirs = (f"{published.TAXONOMY_ACCURACY} %", f"{published.all_zero_accuracy():.2f} %")
        rows.append(row("Paper (published)", "-", *map(printed, theirs), "-", published=True))
    return Table(
        name="agreement_taxonomy",
        title="Kinds of error: judge and people",
        columns=("Kind of error", "Pairs", "Accuracy", "Always no", "Kappa"),
        rows=tuple(rows),
        note=(
            "Always no: the accuracy of a judge that never finds one; an accuracy is worth what it is above "
            "it. The paper prints its accuracy alone; what always no reaches is from its own table "
            f"9. {_HOW}"
        ),
        source=published.SOURCE,
    )


def _found(pairs: Sequence[tuple[bool, bool]]) -> tuple[Cell, ...]:
    """How often people and the judge agree on a yes or no, and how often people say no."""
    same, no = sum(one == two for one, two in pairs), sum(not one for one, _ in pairs)
    cells = (figure(part / len(pairs), ".1f", share=True) if pairs else "-" for part in (same, no))
    return row(count(len(pairs)), *cells).cells


def _statistic(pairs: Sequence[PairT], statistic: Callable[[Sequence[PairT]], float | None]) -> Cell:
    value, n = statistic(pairs), len(pairs)
    if value is None:
        return Cell(text="not defined" if n else "-", state="nothing", n=n)
    return figure(value, ".3f", n=n)


def _accuracy(pairs: Sequence[tuple[Hashable, Hashable]]) -> float | None:
    return fmean(one == two for one, two in pairs) if pairs else None

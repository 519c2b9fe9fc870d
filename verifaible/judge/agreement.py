"""How well the judge agrees with people: kappas, and how well errors are found, in tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final, TypeVar

from verifaible.judge import published
from verifaible.judge.annotations import STATUSES, Annotation
from verifaible.judge.folder import JudgeFolder
from verifaible.judge.metrics import verdict_of
from verifaible.judge.results import LABELS, joined
from verifaible.reporting.tables import Cell, Column, Row, Table, count, figure, printed, row, table_of
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
    """What was said of one kind: how often, of how many things, and people's word beside the judge's."""

    kind: str
    things: int
    said: int
    pairs: tuple[tuple[str, str], ...]

    @property
    def numbers(self) -> list[tuple[float, float]]:
        """The pairs, of scores."""
        return [(float(one), float(two)) for one, two in self.pairs]

    @property
    def present(self) -> list[tuple[bool, bool]]:
        """The pairs, of a kind of error: whether it is there."""
        return [(one >= 0.5, two >= 0.5) for one, two in self.numbers]


_Column = Column[_Ratings, None]


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
    judge = _verdicts(folder)
    found: dict[str, _Ratings] = {}
    for kind in _TITLES:
        people = [each for each in said if each.kind == kind]
        both = [(each.value, judge.get((kind, each.answer, each.claim))) for each in people]
        things = len({(each.answer, each.claim) for each in people})
        pairs = tuple((one, two) for one, two in both if two is not None)
        found[kind] = _Ratings(kind, things, len(people), pairs)

    def of(kinds: Sequence[str]) -> list[_Ratings]:
        return [found[kind] for kind in kinds if found[kind].said]

    tables = (_scores(of(DIMENSIONS)), _claims(of(tuple(STATUSES))), _taxonomy(of(ERROR_CATEGORIES)))
    return tuple(table for table in tables if table.rows)


def _verdicts(folder: JudgeFolder) -> dict[tuple[str, str, str], str]:
    """What the judge decided, by kind, answer and claim."""
    found: dict[tuple[str, str, str], str] = {}
    for judged, claims in joined(folder):
        of = judged.answer.id
        every = [(name, "", score) for name, score in (*judged.rubric.items(), *judged.taxonomy.items())]
        rows = [("citations", each.claim.id, each.citations) for each in claims]
        others = [("hallucination", each.claim.id, each.hallucination) for each in claims]
        for kind, claim, judgement in (*every, *rows, *others):
            if (verdict := verdict_of(judgement)) is not None:
                found[kind, of, claim] = str(verdict)
    return found


def _amounts(first: str, things: str) -> tuple[_Column, ...]:
    """The kind, how much people spoke of, and of how much of it the judge said something."""
    return (
        Column(first, lambda each: _TITLES[each.kind]),
        Column(things, lambda each: count(each.things)),
        Column("Pairs", lambda each: count(len(each.pairs))),
        Column("Not decided", lambda each: count(each.said - len(each.pairs))),
    )


def _scores(ratings: Sequence[_Ratings]) -> Table:
    """Table 5 of the paper."""
    kappas = {str(name): str(value) for name, value in published.KAPPA.items()}
    columns: tuple[_Column, ...] = (
        *_amounts("Dimension", "Answers"),
        Column("Kappa, quadratic", lambda each: _statistic(each.numbers, quadratic_kappa)),
        Column("Kappa (published)", lambda each: printed(kappas[each.kind])),
    )
    title, source = "Rubric: judge and people (table 5)", published.SOURCE
    return table_of(title, columns, ratings, name="agreement_scores", note=_HOW, source=source)


def _claims(ratings: Sequence[_Ratings]) -> Table:
    columns: tuple[_Column, ...] = (
        *_amounts("Check", "Claims"),
        Column("The same", lambda each: _statistic(each.pairs, _accuracy)),
        Column("Kappa", lambda each: _statistic(each.pairs, cohen_kappa)),
    )
    note = f"The judge here is whoever decided a claim, the rules among them. {_HOW}"
    return table_of("Claims: judge and people", columns, ratings, name="agreement_claims", note=note)


def _taxonomy(ratings: Sequence[_Ratings]) -> Table:
    def line(title: str, pairs: Sequence[tuple[bool, bool]]) -> Row:
        same, no = sum(one == two for one, two in pairs), sum(not one for one, _ in pairs)
        cells = (figure(part / len(pairs), ".1f", share=True) if pairs else "-" for part in (same, no))
        return row(title, count(len(pairs)), *cells, _statistic(pairs, cohen_kappa))

    rows = [line(_TITLES[each.kind], each.present) for each in ratings]
    if rows:
        rows.append(line("All", [pair for each in ratings for pair in each.present]))
        theirs = (f"{published.TAXONOMY_ACCURACY} %", f"{published.all_zero_accuracy():.2f} %")
        rows.append(row("Paper (published)", "-", *map(printed, theirs), "-", published=True))
    note = (
        "Always no: the accuracy of a judge that never finds one; an accuracy is worth what it is above it. "
        f"The paper prints its accuracy alone; what always no reaches is from its own table 9. {_HOW}"
    )
    return Table(
        name="agreement_taxonomy",
        title="Kinds of error: judge and people",
        columns=("Kind of error", "Pairs", "Accuracy", "Always no", "Kappa"),
        rows=tuple(rows),
        note=note,
        source=published.SOURCE,
    )


def _statistic(pairs: Sequence[PairT], statistic: Callable[[Sequence[PairT]], float | None]) -> Cell:
    value, n = statistic(pairs), len(pairs)
    if value is None:
        return Cell(text="not defined" if n else "-", state="nothing", n=n)
    return figure(value, ".3f", n=n)


def _accuracy(pairs: Sequence[tuple[Hashable, Hashable]]) -> float | None:
    return fmean(one == two for one, two in pairs) if pairs else None

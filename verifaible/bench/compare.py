"""Two models, or one model in two runs, on the same cases: how they differ, and whether by chance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from verifaible.bench import published
from verifaible.bench.metrics import SEED, grouped
from verifaible.bench.pool import Difference, RunData, differing
from verifaible.errors import RunError
from verifaible.reporting.tables import Column, Table, plain, table_of
from verifaible.schema.base import Record
from verifaible.scoring.paired import Paired, compare_paired, mcnemar_p_value

#: Instead of a run: a model of the published report, such as ``published:glm-5``.
PUBLISHED_PREFIX: Final = "published:"
#: How the second's side of a case looks from the first's: it passes where the other did not, or fails.
Flip: TypeAlias = Literal["", "gained", "lost"]
#: What each trial of each case reached, of 100.
Points: TypeAlias = Mapping[str, Sequence[int]]


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two; ``verified`` is None for published figures, which have no such score."""

    label: str
    scores: Points
    verified: Points | None
    cases: Mapping[str, str]


class CaseDifference(Record):
    """A case: the mean score of each side, and whether its pass or its verified score flipped.

    A side passes a case if at least half of its trials do. ``verified_*`` is None where it is not known.
    """

    case: str
    first: float
    second: float
    first_verified: float | None
    second_verified: float | None
    passes: Flip
    verified: Flip


class Measure(Record):
    """The second side less the first, in points a case (a rate: per cent).

    ``mcnemar`` is the p-value of McNemar's exact test, where each side has one trial of each case.
    """

    name: str
    paired: Paired
    mcnemar: float | None = None


class Comparison(Record):
    """Two sides on the cases that both have in the same text.

    ``left_out`` are cases that only one has, or of which the texts differ.
    """

    first: str
    second: str
    measures: tuple[Measure, ...]
    cases: tuple[CaseDifference, ...]
    left_out: tuple[str, ...]
    differences: tuple[Difference, ...] = ()

    @property
    def flipped(self) -> tuple[CaseDifference, ...]:
        """The cases whose pass or verified score is another."""
        return tuple(each for each in self.cases if each.passes or each.verified)


# --- who is meant


def compare_runs(
    names: Sequence[str],
    models: Sequence[str],
    read: Callable[[Sequence[str]], list[RunData]],
    *,
    published: bool = False,
) -> Comparison:
    """Compare what somebody names: one run with two models, two runs, or a run and published figures.

    Args:
        names: one or two runs; ``published:glm-5`` stands for the figures of a published model.
        models: which models, where that is not clear.
        read: reads runs by their names.
        published: compare with published figures of other cases, too.

    Raises:
        RunError: it is not clear which two are meant, or they have no case in common.
    """
    given = [name for name in names if not name.startswith(PUBLISHED_PREFIX)]
    data = read(given)
    if len(given) == len(names):
        return compare(*sides(data, models), data)
    if not data:
        raise RunError("Compare with a run: both sides are published figures.")
    if not (published or data[0].info.beside_published):
        raise RunError(
            "The published models answered other questions than this run. Run the public set"
            " (--cases testset.json), or give --published to compare anyway."
        )
    ours = side(data[0], models)
    first, second = (ours if name in given else published_side(name) for name in names)
    return compare(first, second, data)


def published_side(name: str) -> Side:
    """A model of the published report.

    Raises:
        RunError: no such model.
    """
    short = name.removeprefix(PUBLISHED_PREFIX)
    for model in published.MODELS:
        if short.casefold() in (model.name.casefold(), model.short_name.casefold()):
            scores = {case: [score] for case, score in published.published_scores(model.name).items()}
            return Side(f"{model.name} (published)", scores, None, {})
    known = ", ".join(f"{PUBLISHED_PREFIX}{model.short_name}" for model in published.MODELS)
    raise RunError(f"{name} was not published. There are: {known}.")


def sides(runs: Sequence[RunData], models: Sequence[str]) -> tuple[Side, Side]:
    """The two sides of one or two runs.

    Args:
        runs: one run with two models, or two runs.
        models: which models are meant, where that is not clear: two, or one that both runs have.

    Raises:
        RunError: it is not clear which two are meant; names the models.
    """
    if len(runs) == 1:
        there = _models(runs[0])
        chosen = tuple(models) or there
        if len(chosen) != 2:
            raise RunError(
                f"{runs[0].info.id} has {len(there)} models ({', '.join(map(plain, there))}). "
                "Name two with --model, or give two runs."
            )
        return _side(runs[0], chosen[0]), _side(runs[0], chosen[1])
    first, second = runs
    here, there = _models(first), _models(second)
    shared = [model for model in here if model in there]
    if models:
        one, two = models[0], models[-1]
    elif len(here) == len(there) == 1:
        one, two = here[0], there[0]
    elif len(shared) == 1:
        one = two = shared[0]
    else:
        raise RunError(
            f"{first.info.id} has {', '.join(map(plain, here))}, {second.info.id} has "
            f"{', '.join(map(plain, there))}. Name one of each with --model, the first run's first."
        )
    names = (one, two) if one != two else (f"{one} @ {first.info.id}", f"{two} @ {second.info.id}")
    return _side(first, one, names[0]), _side(second, two, names[1])


def side(run: RunData, models: Sequence[str]) -> Side:
    """A run as one side, for a comparison with published figures.

    Raises:
        RunError: it has several models, and none or several were named.
    """
    there = tuple(models) or _models(run)
    if len(there) != 1:
        raise RunError(
            f"Which model of {run.info.id}? Name one with --model: {', '.join(map(plain, there))}."
        )
    return _side(run, there[0])


def _models(run: RunData) -> tuple[str, ...]:
    return tuple(dict.fromkeys(result.model for result in run.results))


def _side(run: RunData, model: str, label: str = "") -> Side:
    results = [result for result in run.results if result.model == model]
    if not results:
        raise RunError(
            f"{run.info.id} has no trial of {model}. It has: {', '.join(map(plain, _models(run)))}."
        )
    trials = grouped(results, lambda each: each.case)
    scores = {case: [each.score for each in of] for case, of in trials.items()}
    verified = {case: [100 * each.verified for each in of] for case, of in trials.items()}
    return Side(label or model, scores, verified, run.info.cases)


# --- how they differ


def compare(first: Side, second: Side, runs: Sequence[RunData] = ()) -> Comparison:
    """Compare two sides on the cases that both have.

    Raises:
        RunError: they have no case in common.
    """

    def is_same(case: str) -> bool:
        """Whether both have it, in texts whose digests agree; published cases have none."""
        one, two = first.cases.get(case), second.cases.get(case)
        return case in first.scores and case in second.scores and (one is None or two is None or one == two)

    cases = tuple(dict.fromkeys((*first.scores, *second.scores)))
    same = tuple(filter(is_same, cases))
    if not same:
        raise RunError(
            f"{plain(first.label)} and {plain(second.label)} have no case in common that has the same text."
        )
    one, two = _only(first.scores, same), _only(second.scores, same)
    measures = [
        Measure(name="score", paired=compare_paired(two, one, SEED)),
        Measure(
            name="pass",
            paired=compare_paired(_passes(two), _passes(one), SEED),
            mcnemar=mcnemar(one, two),
        ),
    ]
    if first.verified is not None and second.verified is not None:
        here, there = _only(first.verified, same), _only(second.verified, same)
        paired = compare_paired(there, here, SEED)
        measures.append(Measure(name="verified", paired=paired, mcnemar=mcnemar(here, there)))
    return Comparison(
        first=plain(first.label),
        second=plain(second.label),
        measures=tuple(measures),
        cases=tuple(_case(case, first, second) for case in same),
        left_out=tuple(case for case in cases if case not in same),
        differences=tuple(differing(runs)) if len(runs) > 1 else (),
    )


def mcnemar(first: Points, second: Points) -> float | None:
    """The p-value of passes on the common cases; None where a case has several trials, and so no single
    outcome."""
    common = [case for case in first if case in second]
    if any(len(first[case]) != 1 or len(second[case]) != 1 for case in common):
        return None
    passed = [(first[case][0] > 0, second[case][0] > 0) for case in common]
    return mcnemar_p_value(
        sum(one and not two for one, two in passed), sum(two and not one for one, two in passed)
    )


def _only(known: Points, cases: Sequence[str]) -> dict[str, Sequence[int]]:
    return {case: known[case] for case in cases}


def _passes(known: Points) -> dict[str, list[int]]:
    return {case: [100 * (score > 0) for score in scores] for case, scores in known.items()}


def _case(case: str, first: Side, second: Side) -> CaseDifference:
    def mean(known: Points | None) -> float | None:
        return None if known is None else sum(known[case]) / len(known[case])

    def half(scores: Sequence[int]) -> bool:
        return 2 * sum(score > 0 for score in scores) >= len(scores)

    def flip(before: bool, after: bool) -> Flip:
        return "" if before == after else "gained" if after else "lost"

    one, two = mean(first.verified), mean(second.verified)
    return CaseDifference(
        case=case,
        first=mean(first.scores) or 0.0,
        second=mean(second.scores) or 0.0,
        first_verified=one,
        second_verified=two,
        passes=flip(half(first.scores[case]), half(second.scores[case])),
        verified="" if one is None or two is None else flip(one >= 50, two >= 50),
    )


def comparison_tables(found: Comparison) -> list[Table]:
    """The measures, and the cases that differ."""

    def flips(each: CaseDifference) -> str:
        both = (("pass", each.passes), ("verified", each.verified))
        return ", ".join(f"{name} {flip}" for name, flip in both if flip)

    def per_cent(share: float | None) -> str:
        return "-" if share is None else f"{share:.0f} %"

    measures: tuple[Column[Measure, None], ...] = (
        Column("Measure", lambda each: each.name),
        Column("Difference", lambda each: f"{each.paired.mean_difference:+.1f}"),
        Column("95 % interval", lambda each: f"{each.paired.low:+.1f} to {each.paired.high:+.1f}"),
        Column(
            "Better / worse / equal",
            lambda each: f"{each.paired.better} / {each.paired.worse} / {each.paired.equal}",
        ),
        Column("p", lambda each: f"{each.paired.p_value:.3g}"),
        Column("p, McNemar", lambda each: "-" if each.mcnemar is None else f"{each.mcnemar:.3g}"),
    )
    cases: tuple[Column[CaseDifference, None], ...] = (
        Column("Case", lambda each: plain(each.case)),
        Column("First", lambda each: f"{each.first:.1f}"),
        Column("Second", lambda each: f"{each.second:.1f}"),
        Column("Difference", lambda each: f"{each.second - each.first:+.1f}"),
        Column(
            "Verified", lambda each: f"{per_cent(each.first_verified)} → {per_cent(each.second_verified)}"
        ),
        Column("Flipped", flips),
    )
    drawn = "" if all(each.paired.exact for each in found.measures) else ", drawn 20,000 times"
    left_out = f" Left out: {', '.join(map(plain, found.left_out))}." if found.left_out else ""
    note = (
        f"{len(found.cases)} cases that both have; differences are the second less the first, a mean "
        f"over cases (pass and verified: per cent). p: two-sided sign-flip test case by case{drawn}; "
        f"McNemar's exact test where each case has one trial.{left_out}"
    )
    differ = [each for each in found.cases if each.first != each.second or each in found.flipped]
    return [
        table_of(f"{found.second} against {found.first}", measures, found.measures, note=note),
        table_of("Cases that differ", cases, differ, note="" if differ else "None."),
    ]

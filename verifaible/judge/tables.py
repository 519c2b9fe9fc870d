"""The tables of a report: those of the paper for any set of models, and what has to stand beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

from verifaible.judge import published
from verifaible.judge.folder import JudgeFolder
from verifaible.judge.metrics import CheckMetrics, Share
from verifaible.judge.results import LABELS, AnswerResult, Results, ScoreName, read_results, score_outcomes
from verifaible.reporting.outcomes import (
    Outcomes,
    bounds_cell,
    mean_cell,
    nothing,
    proportion_cell,
    share_cell,
)
from verifaible.reporting.tables import (
    Cell,
    Column,
    Row,
    Table,
    coloured,
    count,
    plain,
    printed,
    row,
    table_of,
    words,
)
from verifaible.schema.judged import DIMENSIONS, ERROR_CATEGORIES, PROTOCOLS, Dimension, Protocol

#: A column of what was judged of each model.
ModelColumn: TypeAlias = Column[str, published.PublishedModel]
_HOW: Final = (
    "Behind the comma: judged of all. Ranges in brackets are 95 % intervals (Student's, over clusters); what "
    "was not judged, or failed, is in no figure."
)


def tables_of(folder: JudgeFolder) -> tuple[Table, ...]:
    """Every table of a folder, read and computed.

    Raises:
        RunError: it holds no run, or is damaged.
    """
    return all_tables(read_results(folder))


@lru_cache(maxsize=1)  # the page, the Markdown and the JSON of a folder draw the same ones
def all_tables(results: Results) -> tuple[Table, ...]:
    """Every table of a folder, in order; the paper's figures only beside answers to its own queries."""
    known = published.were_asked(each.answer.query for each in results.answers)
    theirs = published.MODELS if known else ()
    return (
        _coverage(results),
        _hallucination(results, theirs),
        _citations(results, theirs),
        _rubric(results, theirs),
        _taxonomy(results, theirs),
        _heat_map(results),
    )


_Theirs: TypeAlias = Sequence[published.PublishedModel]


def _coverage(results: Results) -> Table:
    """What was judged, by whom, and what was not."""
    answers = results.answers

    def line(protocol: Protocol) -> Row:
        rules = 0
        if protocol == "rubric":
            found = score_outcomes(answers, *DIMENSIONS)
        elif protocol == "taxonomy":
            found = score_outcomes(answers, *ERROR_CATEGORIES)
        else:
            checks = [each.citations if protocol == "citations" else each.hallucination for each in answers]
            found, rules = _all(checks), sum(check.by_rules for check in checks)
        compared, of = found.decided, found.all
        if protocol == "citations":  # what has no mark is compared with nothing
            compared = sum(each.citations.share.decided for each in answers)
            of = sum(each.citations.share.of for each in answers)
        counts = (found.all, rules, found.decided - rules, found.failed, found.abstain, found.not_judged)
        share = f"{compared / of * 100:.1f} %, {compared:,}/{of:,}" if of else "-"
        return row(protocol, *map(count, counts), share)

    head = ("Protocol", "Items", "By rules", "By the judge", "Failed", "Abstained", "Not judged", "Coverage")
    return Table(
        name="coverage",
        title="What was judged",
        columns=head,
        rows=tuple(line(each) for each in PROTOCOLS if each in results.info.protocols),
        note=(
            "Items are claims (citations, hallucination) or scores (rubric, taxonomy). "
            "Failed: no usable reply came. Abstained: the judge would not say, or its repeats do not agree. "
            "None of these three columns is in any figure below. Coverage: what was judged of all; of "
            "citations, marked claims that were compared with their sources, of all marked claims."
        ),
    )


def _hallucination(results: Results, theirs: _Theirs) -> Table:
    """Table 7: the parts of the claims that are exact, derived and fabricated."""
    told = results.unjudged("hallucination")
    checks = {model: [each.hallucination for each in results.of(model)] for model in results.models}

    def part(heading: str, of: Callable[[CheckMetrics], int], at: int | None = None) -> ModelColumn:
        def ours(model: str) -> Cell:
            counts = [(of(check), check.outcomes.decided) for check in checks[model]]
            return share_cell(counts, _all(checks[model]), told)

        return Column(heading, ours, None if at is None else lambda model: f"{model.claims[at]} %")

    def bounds(model: str) -> Cell:
        good = sum(each.supported for each in checks[model])
        return bounds_cell(good, _all(checks[model]), told)

    columns: tuple[ModelColumn, ...] = (
        part("Exact", lambda check: check.counts["exact"], 0),
        part("Derived", lambda check: check.counts["derivable"], 1),
        part("Fabricated", lambda check: check.outcomes.decided - check.supported, 2),
        part("Of these contradicted", lambda check: check.counts["contradiction"]),
        Column("Verified, bounds", bounds),
    )
    note = (
        "Shares of the factual claims; intervals over answers, not claims. Fabricated: in no source, "
        "or contradicted by one. Bounds: the verified share if every undecided claim were wrong, and if "
        "all were right."
    )
    title = "Claims and their sources (table 7)"
    return _by_model(results, theirs, title, columns, name="hallucination", note=note)


def _citations(results: Results, theirs: _Theirs) -> Table:
    """Table 8: citation preciseness as the paper defines it, our precision and completeness beside it."""
    told = results.unjudged("citations")
    checks = {model: [each.citations for each in results.of(model)] for model in results.models}

    def preciseness(model: str) -> Cell:
        counts = [(check.cited_factual, check.factual) for check in checks[model]]
        return share_cell(counts, Outcomes(decided=sum(of for _, of in counts)), "nothing to judge")

    def precision(model: str) -> Cell:
        outcomes = _marked(check.share for check in checks[model])
        if not outcomes.decided:
            return nothing(_all(checks[model]) if outcomes.all else Outcomes(), told)
        counts = [(check.supported, check.share.decided) for check in checks[model]]
        return share_cell(counts, outcomes, told)

    def completeness(model: str) -> Cell:
        shares = [check.completeness for check in checks[model]]
        known = [[100 * share] for share in shares if share is not None]
        if not known:
            return nothing(_all(checks[model]), told)
        outcomes = Outcomes(decided=len(known), not_judged=len(shares) - len(known))
        return mean_cell(known, outcomes, "", digits=1)

    columns: tuple[ModelColumn, ...] = (
        Column("Preciseness", preciseness, lambda model: f"{model.preciseness} %"),
        Column("Precision", precision),
        Column("Completeness, %", completeness),
    )
    note = (
        "Preciseness, as section 6.1 of the paper defines it: factual claims with a mark, whether or not "
        "it is right; no judge is needed. Precision: marked claims that their sources support, of those "
        "decided. Completeness: marked claims of those that need a mark, the mean over the answers of "
        "which it can be said. Intervals over answers, not over claims."
    )
    return _by_model(results, theirs, "Citations (table 8)", columns, name="citations", note=note)


def _marked(shares: Iterable[Share]) -> Outcomes:
    counts = [(share.decided, share.of) for share in shares]
    decided = sum(each for each, _ in counts)
    return Outcomes(decided=decided, not_judged=sum(of for _, of in counts) - decided)


def _rubric(results: Results, theirs: _Theirs) -> Table:
    """Table 4: the mean of each dimension."""

    def column(at: int, name: Dimension) -> ModelColumn:
        def ours(model: str) -> Cell:
            answers = results.of(model)
            values = _by_query(answers, lambda each: each.value(name))
            return mean_cell(values, score_outcomes(answers, name), results.unjudged("rubric"))

        return Column(LABELS[name], ours, lambda model: str(model.rubric[at]))

    columns = [column(at, name) for at, name in enumerate(DIMENSIONS)]
    note = (
        "Points from 1 to 10; intervals over queries. The public scripts count each failure of their "
        "judge as 1 point."
    )
    return _by_model(results, theirs, "Rubric (table 4)", columns, name="rubric", note=note)


def _taxonomy(results: Results, theirs: _Theirs) -> Table:
    """Table 9: the proportion of answers with each kind of error; models are the columns, as printed."""
    told = results.unjudged("taxonomy")

    def share(model: str, name: ScoreName) -> Cell:
        answers = results.of(model)
        present = sum((each.value(name) or 0) >= 0.5 for each in answers)
        return proportion_cell(present, score_outcomes(answers, name), told)

    rows = [
        row(
            LABELS[name],
            *(share(model, name) for model in results.models),
            *(printed(str(model.errors[at])) for model in theirs),
        )
        for at, name in enumerate(ERROR_CATEGORIES)
    ]
    models = (*map(plain, results.models), *(f"{model.name} (published)" for model in theirs))
    return Table(
        name="taxonomy",
        title="Kinds of error (table 9)",
        columns=("Kind of error", *models),
        rows=tuple(rows),
        note=(
            "Share of answers with the error; Wilson intervals. The published columns are proportions from 0 "
            "to 1; the public scripts count each failure of their judge as all seven errors."
        ),
        source=published.SOURCE if theirs else "",
    )


def _heat_map(results: Results) -> Table:
    """Figure 3: the mean of the four dimensions for each model and tag."""

    def mean(answers: Sequence[AnswerResult]) -> Cell:
        if not answers:
            return words("-")
        known = _by_query(answers, lambda each: each.mean_score)
        number = sum(map(len, known))
        outcomes = Outcomes(decided=number, not_judged=len(answers) - number)
        lacking = score_outcomes(answers, *DIMENSIONS)
        return mean_cell(known, outcomes if known else lacking, results.unjudged("rubric"))

    tags = sorted({tag for each in results.answers for tag in each.answer.tags})
    rows = []
    for model in results.models:
        answers = results.of(model)
        groups = [[each for each in answers if tag in each.answer.tags] for tag in tags]
        rows.append(row(words(model), *map(mean, (*groups, answers))))
    return Table(
        name="heat_map",
        title="Model and tag (figure 3)",
        columns=("Model", *map(plain, tags), "All"),
        rows=coloured(rows),
        note=(
            "Mean of the four dimensions over the answers of which all four were judged. Colours run from "
            "the lowest to the highest figure of this table."
        ),
    )


def _by_model(
    results: Results,
    theirs: _Theirs,
    title: str,
    columns: Sequence[ModelColumn],
    *,
    name: str,
    note: str,
) -> Table:
    """A table with a row for each model, the published ones below."""
    first: ModelColumn = Column("Model", words, lambda each: f"{each.name} (published)")
    source = published.SOURCE if theirs else ""
    models = (results.models, theirs)
    return table_of(title, (first, *columns), *models, name=name, note=f"{note} {_HOW}", source=source)


def _by_query(
    answers: Sequence[AnswerResult], value: Callable[[AnswerResult], float | None]
) -> list[list[float]]:
    """The values that are known, those of one query together: they are not independent."""
    groups: dict[str, list[float]] = {}
    for each in answers:
        if (known := value(each)) is not None:
            groups.setdefault(each.answer.query, []).append(known)
    return list(groups.values())


def _all(checks: Sequence[CheckMetrics]) -> Outcomes:
    return sum((check.outcomes for check in checks), Outcomes())

"""The tables of a report: those of the paper for any set of models, and what has to stand beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from verifaible.judge.folder import JudgeFolder
from verifaible.judge.report.cells import (
    ModelColumn,
    bounds_cell,
    claims_cell,
    mean_cell,
    model_table,
    nothing,
    span_cell,
)
from verifaible.judge.report.metrics import CitationMetrics, HallucinationMetrics, Outcomes
from verifaible.judge.report.published import PublishedModel
from verifaible.judge.report.results import AnswerResult, Results, protocol_outcomes, read_results
from verifaible.judge.report.score_tables import (
    heat_map,
    rubric_table,
    taxonomy_table,
)
from verifaible.reporting.tables import Cell, Column, Row, Table, count, plain, row, table_of, words
from verifaible.schema.judged import PROTOCOLS, Protocol

CITATION_LABELS: Final = ("correct", "partially correct", "incorrect", "undetermined", "no claims")
HALLUCINATION_LABELS: Final = ("factual", "partially factual", "hallucinated", "undetermined", "no claims")


def tables_of(folder: JudgeFolder) -> tuple[Table, ...]:
    """Every table of a folder, read and reckoned.

    Raises:
        RunError: it holds no run, or is damaged.
    """
    return all_tables(read_results(folder))


def all_tables(results: Results) -> tuple[Table, ...]:
    """Every table of a folder, in order."""
    return (
        coverage_table(results),
        hallucination_table(results),
        citation_table(results),
        labels_table(results),
        rubric_table(results),
        taxonomy_table(results),
        heat_map(results),
        answers_table(results),
    )


def coverage_table(results: Results) -> Table:
    """What was judged, by whom, and what was not."""

    def line(protocol: Protocol) -> Row:
        found = protocol_outcomes(results.answers, protocol)
        checks: list[CitationMetrics | HallucinationMetrics] = []
        compared, of = found.decided, found.all
        if protocol == "citations":  # what has no mark is compared with nothing
            checks += [each.citations for each in results.answers]
            compared = sum(each.citations.precision.decided for each in results.answers)
            of = sum(each.citations.precision.of for each in results.answers)
        elif protocol == "hallucination":
            checks += [each.hallucination for each in results.answers]
        rules = sum(each.by_rules for each in checks)
        counts = (found.all, rules, found.decided - rules, found.failed, found.abstain, found.not_judged)
        share = f"{compared / of * 100:.1f} %, {compared:,}/{of:,}" if of else "-"
        return row(protocol, *map(count, counts), share)

    return Table(
        name="coverage",
        title="What was judged",
        columns=(
            *("Protocol", "Items", "By rules", "By the judge", "Failed", "Abstained"),
            *("Not judged", "Coverage"),
        ),
        rows=tuple(line(each) for each in PROTOCOLS if each in results.info.protocols),
        note=(
            "Items are claims (citations, hallucination) or scores (rubric, taxonomy). "
            "Failed: no usable reply came. Abstained: the judge would not say, or its repeats do not agree. "
            "None of these three columns is in any figure below. Coverage: what was judged of all; of "
            "citations, marked claims that were compared with their sources, of all marked claims."
        ),
    )


def hallucination_table(results: Results) -> Table:
    """Table 7: the parts of the claims that are exact, derived and fabricated."""
    told = results.unjudged("hallucination")

    def part(heading: str, of: Callable[[HallucinationMetrics], int], at: int | None = None) -> ModelColumn:
        def ours(model: str) -> Cell:
            checks = [each.hallucination for each in results.of(model)]
            counts = [(of(check), check.outcomes.decided) for check in checks]
            return claims_cell(counts, _every(checks), told)

        return Column(heading, ours, None if at is None else lambda model: f"{model.claims[at]} %")

    def bounds(model: str) -> Cell:
        checks = [each.hallucination for each in results.of(model)]
        return bounds_cell(sum(each.exact + each.derivable for each in checks), _every(checks), told)

    wrong = ", ".join(f"{each.name} {100 + each.off_by} %" for each in results.published if not each.adds_up)
    doubt = f" Published rows that do not add up to 100 % by more than rounding: {wrong}." if wrong else ""
    return model_table(
        results,
        "Claims and their sources (table 7)",
        (
            part("Exact", lambda check: check.exact, 0),
            part("Derived", lambda check: check.derivable, 1),
            part("Fabricated", lambda check: check.unverified, 2),
            part("Of these contradicted", lambda check: check.contradiction),
            Column("Verified, bounds", bounds),
        ),
        name="hallucination",
        note=(
            "Shares of the factual claims; intervals over answers, not claims. Fabricated: in no source, "
            "or contradicted by one. Bounds: the verified share if every undecided claim were wrong, and if "
            f"all were right.{doubt}"
        ),
    )


def citation_table(results: Results) -> Table:
    """Table 8: citation preciseness as the paper defines it, our precision and completeness beside it."""
    told = results.unjudged("citations")
    checks = {model: [each.citations for each in results.of(model)] for model in results.models}

    def preciseness(model: str) -> Cell:
        counts = [(check.cited_factual, check.factual) for check in checks[model]]
        return claims_cell(counts, Outcomes(decided=sum(of for _, of in counts)), "nothing to judge")

    def cited(model: str) -> tuple[list[tuple[int, int]], Outcomes]:
        good = [(check.direct + check.derivable, check.incorrect) for check in checks[model]]
        counts = [(right, right + wrong) for right, wrong in good]
        undecided = sum(check.undecided_cited for check in checks[model])
        return counts, Outcomes(decided=sum(of for _, of in counts), not_judged=undecided)

    def precision(model: str) -> Cell:
        counts, outcomes = cited(model)
        if outcomes.decided:
            return claims_cell(counts, outcomes, told)
        return nothing(_every(checks[model]) if outcomes.all else Outcomes(), told)

    def bounds(model: str) -> Cell:
        counts, outcomes = cited(model)
        return bounds_cell(sum(good for good, _ in counts), outcomes, told)

    def completeness(model: str) -> Cell:
        shares = [check.completeness.value for check in checks[model]]
        known = [[100 * share] for share in shares if share is not None]
        if not known:
            return nothing(_every(checks[model]), told)
        outcomes = Outcomes(decided=len(known), not_judged=len(shares) - len(known))
        return mean_cell(known, outcomes, "", digits=1)

    return model_table(
        results,
        "Citations (table 8)",
        (
            Column("Preciseness", preciseness, lambda model: f"{model.preciseness} %"),
            Column("Precision", precision),
            Column("Precision, bounds", bounds),
            Column("Completeness, %", completeness),
        ),
        name="citations",
        note=(
            "Preciseness, as section 6.1 of the paper defines it: factual claims with a mark, whether or not "
            "it is right; no judge is needed. Precision: marked claims that their sources support, of those "
            "decided. Completeness: marked claims of those that need a mark, the mean over the answers of "
            "which it can be said. Intervals over answers, not over claims."
        ),
    )


def labels_table(results: Results) -> Table:
    """How many answers have which label."""
    rows = []
    for model in results.models:
        answers = results.of(model)
        cited = [str(each.citations.label) for each in answers]
        verified = [str(each.hallucination.label) for each in answers]
        for name, found, labels, told in (
            ("citations", cited, CITATION_LABELS, results.unjudged("citations")),
            ("hallucination", verified, HALLUCINATION_LABELS, results.unjudged("hallucination")),
        ):
            none = found.count("not judged")
            last = words(f"{none} ({told})") if none else count(0, len(found))
            if none == len(found):
                last = Cell(text=last.text, state="nothing", n=0, of=none)
            counts = [count(found.count(label), len(found)) for label in labels]
            rows.append(row(f"{plain(model)}: {name}", *counts, last))
    return Table(
        name="labels",
        title="Labels of answers",
        columns=(
            *("Model and check", "Correct / factual", "Partially", "Incorrect / hallucinated"),
            *("Undetermined", "No claims", "Not judged"),
        ),
        rows=tuple(rows),
        note=(
            "By the rules of the paper's appendices C and D. Citations: correct is 100 % precision and "
            "completeness; incorrect is 50 % or less of either. Hallucination: factual is all claims "
            "verified, hallucinated more unverified than verified; exactly half is partially factual. "
            "Undetermined: the undecided claims could change the label."
        ),
    )


def answers_table(results: Results) -> Table:
    """A line for each answer."""
    found, cited = results.unjudged("hallucination"), results.unjudged("citations")
    columns: tuple[Column[AnswerResult, PublishedModel], ...] = (
        Column("Query", lambda each: words(_short(each.query))),
        Column("Model", lambda each: words(each.model)),
        Column("Claims", lambda each: count(each.claims, each.claims)),
        Column("Verified", lambda each: span_cell(each.hallucination.verified, found)),
        Column("Label", lambda each: each.hallucination.label),
        Column("Citation precision", lambda each: span_cell(each.citations.precision, cited)),
        Column("Label of citations", lambda each: each.citations.label),
    )
    note = "Ranges here are bounds: every undecided claim wrong, and every one right."
    return table_of("Answers", columns, results.answers, name="answers", note=note)


def _every(checks: Sequence[CitationMetrics] | Sequence[HallucinationMetrics]) -> Outcomes:
    return sum((check.outcomes for check in checks), Outcomes())


def _short(text: str, most: int = 90) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"

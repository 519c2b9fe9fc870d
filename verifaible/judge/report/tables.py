"""The tables of a report: those of the paper for any set of models, and what has to stand beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from verifaible.judge.folder import JudgeFolder
from verifaible.judge.report import published
from verifaible.judge.report.cells import (
    Cell,
    Row,
    Table,
    beside_published,
    claims_cell,
    count,
    mean_cell,
    nothing,
    words,
)
from verifaible.judge.report.metrics import Outcomes, Share
from verifaible.judge.report.results import Results, protocol_outcomes, read_results
from verifaible.judge.report.score_tables import (
    heat_map,
    place_table,
    ranking_table,
    rubric_table,
    tag_rankings,
    taxonomy_table,
)
from verifaible.reporting.tables import plain
from verifaible.schema.judged import PROTOCOLS

CITATION_LABELS: Final = ("correct", "partially correct", "incorrect", "undetermined", "no claims")
HALLUCINATION_LABELS: Final = (
    "factual",
    "partially factual",
    "hallucinated",
    "undetermined",
    "no claims",
)


def tables_of(folder: JudgeFolder) -> tuple[Table, ...]:
    """Every table of a folder, read and reckoned.

    Raises:
        RunError: it holds no run, or is damaged.
    """
    return all_tables(read_results(folder))


def all_tables(results: Results) -> tuple[Table, ...]:
    """Every table of a folder, in order."""
    made = [
        coverage_table(results),
        hallucination_table(results),
        citation_table(results),
        labels_table(results),
        rubric_table(results),
        taxonomy_table(results),
        heat_map(results),
    ]
    if "ranking" in results.info.protocols:
        made.append(ranking_table(results))
        places = place_table(results)
        made += [places] if places.rows else []
    if results.tags and {"ranking", "rubric"} & set(results.info.protocols):
        made.append(tag_rankings(results))
    made.append(answers_table(results))
    return tuple(made)


def coverage_table(results: Results) -> Table:
    """What was judged, by whom, and what was not."""
    rows = []
    for protocol in PROTOCOLS:
        if protocol not in results.info.protocols:
            continue
        counts = protocol_outcomes(results.answers, protocol)
        rules = sum(
            {"citations": each.citations.by_rules, "hallucination": each.hallucination.by_rules}.get(
                protocol, 0
            )
            for each in results.answers
        )
        compared, of = counts.decided, counts.all
        if protocol == "citations":  # what has no mark is compared with nothing
            compared = sum(each.citations.precision.decided for each in results.answers)
            of = sum(each.citations.precision.of for each in results.answers)
        share = f"{compared / of * 100:.1f} %, {compared:,}/{of:,}" if of else "-"
        figures = (
            counts.all,
            rules,
            counts.decided - rules,
            counts.failed,
            counts.abstain,
            counts.not_judged,
        )
        rows.append(Row(cells=(words(protocol), *map(count, figures), words(share))))
    return Table(
        name="coverage",
        title="What was judged",
        columns=(
            "Protocol",
            "Items",
            "By rules",
            "By the judge",
            "Failed",
            "Abstained",
            "Not judged",
            "Coverage",
        ),
        rows=tuple(rows),
        note=(
            "Items are claims (citations, hallucination), scores (rubric, taxonomy) or places (ranking). "
            "Failed: no usable reply came. Abstained: the judge would not say, or its repeats do not agree. "
            "None of these three columns is in any figure below. Coverage: what was judged of all; of "
            "citations, marked claims that were compared with their sources, of all marked claims."
        ),
    )


def hallucination_table(results: Results) -> Table:
    """Table 7: the parts of the claims that are exact, derived and fabricated."""

    def row(model: str) -> Row:
        checks = [each.hallucination for each in results.of(model)]
        outcomes = _sum([check.outcomes for check in checks])
        parts = (
            [(check.exact, check.outcomes.decided) for check in checks],
            [(check.derivable, check.outcomes.decided) for check in checks],
            [(check.unverified, check.outcomes.decided) for check in checks],
            [(check.contradiction, check.outcomes.decided) for check in checks],
        )
        cells = [claims_cell(part, outcomes, results.unjudged("hallucination")) for part in parts]
        good = sum(check.exact + check.derivable for check in checks)
        return Row(cells=(words(model), *cells, _bounds(good, outcomes, results.unjudged("hallucination"))))

    def theirs(model: published.PublishedModel) -> tuple[str, ...]:
        return (*(f"{part} %" for part in model.claims), "-", "-")

    wrong = ", ".join(
        f"{model.name} {100 + model.off_by} %" for model in results.published if not model.adds_up
    )
    doubt = f" Published rows that do not add up to 100 % by more than rounding: {wrong}." if wrong else ""
    return beside_published(
        ("Model", "Exact", "Derived", "Fabricated", "Of these contradicted", "Verified, bounds"),
        [row(model) for model in results.models],
        theirs,
        beside=results.published,
        name="hallucination",
        title="Claims and their sources (table 7)",
        note=(
            "Shares of the factual claims; intervals over answers, not claims. Fabricated: in no source, "
            "or contradicted by one. Bounds: the verified share if every undecided claim were wrong, and if "
            f"all were right.{doubt}"
        ),
    )


def citation_table(results: Results) -> Table:
    """Table 8: citation preciseness as the paper defines it, our precision and completeness beside it."""

    def row(model: str) -> Row:
        checks = [each.citations for each in results.of(model)]
        factual = sum(check.factual for check in checks)
        marked = claims_cell(
            [(check.cited_factual, check.factual) for check in checks],
            Outcomes(decided=factual),
            "nothing to judge",
        )
        good = [check.direct + check.derivable for check in checks]
        decided = [each + check.incorrect for each, check in zip(good, checks, strict=True)]
        cited = Outcomes(decided=sum(decided), not_judged=sum(check.undecided_cited for check in checks))
        every = _sum([check.outcomes for check in checks])
        told = results.unjudged("citations")
        precise = (
            claims_cell(list(zip(good, decided, strict=True)), cited, told)
            if cited.decided
            else nothing(every if cited.all else Outcomes(), told)
        )
        known = [check for check in checks if check.completeness.value is not None]
        complete = (
            mean_cell(
                [[100 * (check.completeness.value or 0.0)] for check in known],
                Outcomes(decided=len(known), not_judged=len(checks) - len(known)),
                "",
                digits=1,
            )
            if known
            else nothing(every, told)
        )
        return Row(cells=(words(model), marked, precise, _bounds(sum(good), cited, told), complete))

    return beside_published(
        ("Model", "Preciseness", "Precision", "Precision, bounds", "Completeness, %"),
        [row(model) for model in results.models],
        lambda model: (f"{model.preciseness} %", "-", "-", "-"),
        beside=results.published,
        name="citations",
        title="Citations (table 8)",
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
            counts = [count(found.count(label), len(found)) for label in labels]
            none = found.count("not judged")
            last = words(f"{none} ({told})") if none else count(0, len(found))
            if none == len(found):
                last = Cell(text=last.text, state="nothing", n=0, of=none)
            rows.append(Row(cells=(words(f"{plain(model)}: {name}"), *counts, last)))
    return Table(
        name="labels",
        title="Labels of answers",
        columns=(
            "Model and check",
            "Correct / factual",
            "Partially",
            "Incorrect / hallucinated",
            "Undetermined",
            "No claims",
            "Not judged",
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
    rows = []
    for each in results.answers:
        verified, cited = each.hallucination.verified, each.citations.precision
        rows.append(
            Row(
                cells=(
                    words(_short(each.query)),
                    words(each.model),
                    count(each.claims, each.claims),
                    _span(verified, results.unjudged("hallucination")),
                    words(each.hallucination.label),
                    _span(cited, results.unjudged("citations")),
                    words(each.citations.label),
                )
            )
        )
    return Table(
        name="answers",
        title="Answers",
        columns=("Query", "Model", "Claims", "Verified", "Label", "Citation precision", "Label of citations"),
        rows=tuple(rows),
        note="Ranges here are bounds: every undecided claim wrong, and every one right.",
    )


# --- pieces


def _bounds(good: int, outcomes: Outcomes, told: str) -> Cell:
    """A share if all that is undecided went against it, and if all went for it."""
    if not outcomes.all:
        return words("-")
    low, high = good / outcomes.all, (good + outcomes.undecided) / outcomes.all
    text = f"{low * 100:.1f} %" if low == high else f"{low * 100:.1f}-{high * 100:.1f} %"
    if not outcomes.decided:
        return Cell(text=told, state="nothing", low=low, high=high, n=0, of=outcomes.all)
    return Cell(text=text, state="figure", low=low, high=high, n=outcomes.decided, of=outcomes.all)


def _span(share: Share, told: str) -> Cell:
    value, low, high, n, of = share.value, share.low, share.high, share.decided, share.of
    if low is None or high is None:
        return words("-")
    if value is None:
        return Cell(text=told, state="nothing", low=low, high=high, n=0, of=of)
    shown = "" if low == high else f" ({low * 100:.0f}-{high * 100:.0f})"
    return Cell(
        text=f"{value * 100:.0f} %{shown}, {n:,}/{of:,}",
        state="figure",
        value=value,
        low=low,
        high=high,
        n=n,
        of=of,
    )


def _sum(outcomes: Sequence[Outcomes]) -> Outcomes:
    return sum(outcomes, Outcomes())


def _short(text: str, most: int = 90) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"

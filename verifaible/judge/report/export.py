"""What users of the public scripts know, as CSV: a file for each of their sheets, with its columns.

Columns of ours stand behind theirs. What was not judged says so in its cell, and is never a number. Names of
columns are those of ``script.py``, ``citation_hallucination_check.py`` and ``run_error_taxonomy.py`` of
sentient-agi/CryptoAnalystBench; their ranks are not judged here, and have no columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path
from statistics import fmean, pstdev, pvariance, quantiles
from typing import Final

from verifaible.judge.report.claim_export import ClaimExport, outcome_words, total_words
from verifaible.judge.report.claim_views import rounded, row_words
from verifaible.judge.report.metrics import Outcomes
from verifaible.judge.report.results import (
    LABELS,
    AnswerResult,
    Results,
    decided_value,
    rubric_outcomes,
    taxonomy_outcomes,
)
from verifaible.judge.report.score_tables import present_cell
from verifaible.reporting.csv_files import Sheet, Value
from verifaible.runs.lines import usable
from verifaible.schema.judged import (
    DIMENSIONS,
    ERROR_CATEGORIES,
    Dimension,
    JudgedAnswer,
    JudgedClaim,
    JudgeInfo,
    Score,
)

EVALUATION: Final = "evaluation.csv"
STATISTICS: Final = "evaluation_statistics.csv"
TAGS: Final = "evaluation_tags.csv"
ERRORS: Final = "evaluation_errors.csv"
TAXONOMY: Final = "error_taxonomy.csv"
PROPORTIONS: Final = "error_taxonomy_proportions.csv"
#: Scores up to this one are low, in the public scripts.
LOW_SCORE: Final = 8
_COUNTS: Final = ("judged", "failed", "abstained", "not_judged", "coverage")
_CAPITAL_COUNTS: Final = tuple(name.capitalize() for name in _COUNTS)
_STATISTICS: Final = (
    *("Model", "Metric", "Mean", "Std", "Variance", "Min", "Max", "Median", "Q25", "Q75", "Count"),
    *_CAPITAL_COUNTS,
)
_ERRORS: Final = (
    *("Model", "Metric", "Error Type", "Description", "Occurrence Count", "Total Low Scores"),
    *("Total Queries", "Severity", "Example Queries", "Example Issues", *_CAPITAL_COUNTS),
)
_DESCRIPTIONS: Final = dict(
    zip(
        ERROR_CATEGORIES,
        (
            "What is said is out of date, or does not say when it holds.",
            "The answer contradicts itself.",
            "Sources disagree, and the answer neither settles nor mentions it.",
            "Facts stand side by side, and nothing is made of them.",
            "Mechanisms, assumptions or risks that a reader needs are missing.",
            "A strong claim about the future without its uncertainty.",
            "Only a part of the question is answered, or another question.",
        ),
        strict=True,
    )
)


class Export:
    """Writes the CSV files of a folder, answer by answer; only those of the run's protocols.

    Args:
        folder: where they go.
        info: what the run was made of.

    Raises:
        RunError: one cannot be written.
    """

    def __init__(self, folder: Path, info: JudgeInfo) -> None:
        self._folder = folder
        self._protocols = frozenset(info.protocols)
        with usable(folder):
            checked = self._protocols & {"citations", "hallucination"}
            self._claims = ClaimExport(folder, info) if checked else None

    def add(self, judged: JudgedAnswer, result: AnswerResult, claims: Sequence[JudgedClaim]) -> None:
        """Take an answer with its claims, in the order of the input.

        Raises:
            RunError: a file cannot be written.
        """
        if self._claims is not None:
            with usable(self._folder):
                self._claims.add(judged, result, claims)

    def finish(self, results: Results) -> tuple[Path, ...]:
        """Write the files.

        Raises:
            RunError: one cannot be written.
        """
        made: list[Path] = []
        with usable(self._folder):
            if "rubric" in self._protocols:
                made += (write(self._folder, results) for write in (_evaluation, _statistics, _tags, _errors))
            if self._claims is not None:
                made += self._claims.save()
            if "taxonomy" in self._protocols:
                made += (write(self._folder, results) for write in (_taxonomy, _proportions))
        return tuple(made)


def _evaluation(folder: Path, results: Results) -> Path:
    """Scores of each answer with their reasons, and what the input had."""
    scores = [name for each in DIMENSIONS for name in (each, f"{each}_reasoning")]
    fixed = ["query", "model", *scores, "tags"]
    given = dict.fromkeys(name for each in results.answers for name in each.judged.answer.columns)
    responses = [f"{model}_response" for model in results.models]
    originals = [name for name in dict.fromkeys((*given, *responses)) if name not in fixed]
    answers: dict[str, dict[str, str]] = {}
    for each in results.answers:
        answers.setdefault(each.query, {}).setdefault(f"{each.model}_response", each.judged.answer.answer)
    ours = ["answer_id", "answered_at", *_COUNTS]
    sheet = Sheet(folder / EVALUATION, [*fixed, *originals, *(f"verifaible_{name}" for name in ours)])
    for each in results.answers:
        said = each.judged
        total = sum((rubric_outcomes((each,), name) for name in DIMENSIONS), Outcomes())
        known = answers[each.query] | said.answer.columns
        at = said.answer.answered_at
        sheet.add(
            [
                *(each.query, each.model),
                *_scores([said.rubric.get(name) for name in DIMENSIONS], results.unjudged("rubric")),
                _tags_of(each),
                *(known.get(name, "") for name in originals),
                *(each.id, at.isoformat() if at else "", *outcome_words(total)),
            ]
        )
    return sheet.save()


def _statistics(folder: Path, results: Results) -> Path:
    """Population variance and linear quantiles, as in the public script."""
    sheet = Sheet(folder / STATISTICS, _STATISTICS)
    for model in results.models:
        answers = results.of(model)
        for name in DIMENSIONS:
            values = _values(answers, name)
            outcomes = rubric_outcomes(answers, name)
            figures: list[Value] = [total_words(outcomes, results.unjudged("rubric"))] * 8
            if values:
                low, middle, high = quartiles(values)
                spread = (fmean(values), pstdev(values), pvariance(values))
                figures = [round(each, 2) for each in spread]
                figures += [rounded(min(values)), rounded(max(values))]
                figures += [round(each, 2) for each in (middle, low, high)]
            title = " ".join(word.capitalize() for word in name.split("_"))
            sheet.add([model, title, *figures, len(values), *outcome_words(outcomes)])
    return sheet.save()


def quartiles(values: Sequence[float]) -> Sequence[float]:
    """The three quartiles, linear between neighbours (numpy's default)."""
    return quantiles(values, n=4, method="inclusive") if len(values) > 1 else [values[0]] * 3


def _tags(folder: Path, results: Results) -> Path:
    """Average scores of each model for each tag."""
    columns = ["tag", "model", *(f"avg_{name}" for name in DIMENSIONS), "total_queries", *_COUNTS]
    sheet = Sheet(folder / TAGS, columns)
    for tag, model in product(results.tags, results.models):
        answers = [each for each in results.of(model) if tag in each.tags]
        if not answers:
            continue
        row: list[Value] = [tag, model]
        total = Outcomes()
        for name in DIMENSIONS:
            values, outcomes = _values(answers, name), rubric_outcomes(answers, name)
            missing = total_words(outcomes, results.unjudged("rubric"))
            row.append(round(fmean(values), 3) if values else missing)
            total += outcomes
        sheet.add([*row, len(answers), *outcome_words(total)])
    return sheet.save()


def _errors(folder: Path, results: Results) -> Path:
    """The public script lets its judge invent clusters of errors; ours are counted from the taxonomy."""
    sheet = Sheet(folder / ERRORS, _ERRORS)
    told = results.unjudged("taxonomy")
    for model in results.models:
        answers = results.of(model)
        scored = [each for each in answers if any(_values((each,), name) for name in DIMENSIONS)]
        low = sum(
            any(value <= LOW_SCORE for name in DIMENSIONS for value in _values((each,), name))
            for each in scored
        )
        for name in ERROR_CATEGORIES:
            outcomes = taxonomy_outcomes(answers, name)
            present = [
                each for each in answers if (decided_value(each.judged.taxonomy.get(name)) or 0) >= 0.5
            ]
            reasons = [each.judged.taxonomy[name].reason for each in present[:3]]
            sheet.add(
                [
                    *(model, "Error Taxonomy", LABELS[name], _DESCRIPTIONS[name]),
                    len(present) if outcomes.decided else total_words(outcomes, told),
                    low if scored else results.unjudged("rubric"),
                    *(len(answers), "not judged", "; ".join(each.query for each in present[:3])),
                    *("; ".join(reasons), *outcome_words(outcomes)),
                ]
            )
    return sheet.save()


def _taxonomy(folder: Path, results: Results) -> Path:
    """The seven categories of each answer with their reasons."""
    columns = [name for each in ERROR_CATEGORIES for name in (each, f"{each}_reasoning")]
    sheet = Sheet(folder / TAXONOMY, ["query", "tags", *columns, "model", "answer_id", *_COUNTS])
    for each in results.answers:
        scores = _scores(
            [each.judged.taxonomy.get(name) for name in ERROR_CATEGORIES], results.unjudged("taxonomy")
        )
        total = sum((taxonomy_outcomes((each,), name) for name in ERROR_CATEGORIES), Outcomes())
        sheet.add([each.query, _tags_of(each), *scores, each.model, each.id, *outcome_words(total)])
    return sheet.save()


def _proportions(folder: Path, results: Results) -> Path:
    """Over all answers first, as the public script has it; then model by model, where there are several."""
    ours = ("Model", "Low 95 %", "High 95 %", *_CAPITAL_COUNTS)
    sheet = Sheet(folder / PROPORTIONS, ["Metric", "Proportion present", "Count present", *ours])
    groups = [("all", results.answers)] if len(results.models) != 1 else []
    groups += [(model, results.of(model)) for model in results.models]
    for model, answers in groups:
        for name in ERROR_CATEGORIES:
            outcomes = taxonomy_outcomes(answers, name)
            cell = present_cell(answers, name, results.unjudged("taxonomy"))
            if cell.value is None:
                figures: list[Value] = [cell.text, cell.text, model, cell.text, cell.text]
            else:
                figures = [cell.value, round(cell.value * outcomes.decided), model, cell.low, cell.high]
            sheet.add([name, *figures, *outcome_words(outcomes)])
    return sheet.save()


# --- pieces


def _values(answers: Sequence[AnswerResult], name: Dimension) -> list[float]:
    values = [decided_value(each.judged.rubric.get(name)) for each in answers]
    return [value for value in values if value is not None]


def _scores(scores: Iterable[Score | None], unjudged: str) -> list[Value]:
    """Each score, and the reason that was given for it."""
    return [cell for each in scores for cell in (row_words(each, unjudged), each.reason if each else "")]


def _tags_of(each: AnswerResult) -> str:
    """The tags as the input had them."""
    return each.judged.answer.columns.get("tags") or "\n".join(each.tags)

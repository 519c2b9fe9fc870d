"""Several runs and the published figures in one table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from verifaible.bench.report.data import RunData, differing
from verifaible.bench.report.markdown import as_json, findings
from verifaible.bench.report.tables import Findings, score_tables
from verifaible.bench.report.usage import same_cases, usage_tables
from verifaible.errors import RunError
from verifaible.reporting.tables import Table
from verifaible.scoring import published

#: Of the tables of a report, those that rank.
_RANKING = frozenset(
    {
        "Leaderboard",
        "Verified score",
        "Which places can be told apart",
        "Errors of the machine and the endpoint",
        "Cost",
    }
)


def leaderboard(runs: Sequence[RunData], *, anyway: bool = False, published: bool = False) -> Findings:
    """Merge runs.

    Args:
        runs: one or several.
        anyway: merge also what is not comparable; it is then named in the report.
        published: show the published models beside other cases too.

    Raises:
        RunError: the runs have other cases or another gate; names which.
    """
    if len({run.info.id for run in runs}) == len(runs):
        grave = [each.message for each in differing(runs) if each.grave]
        if grave and not anyway:
            raise RunError(
                "These runs are not comparable:\n"
                + "\n".join(f"  {message}" for message in grave)
                + "\nRun the same cases with the same gate, or merge them all the same with --anyway: the "
                "differences are then part of the table."
            )
    return findings(runs, published=published)


def leaderboard_tables(found: Findings) -> list[Table]:
    """The ranking, what it rests on, and the published figures on the same cases."""
    beside = same_cases(found)
    tables = [table for table in (*score_tables(found), *usage_tables(found)) if table.title in _RANKING]
    return tables + ([beside] if beside else [])


def leaderboard_json(found: Findings) -> dict[str, Any]:
    """One entry a model, ours and the published, best average first."""
    whole = as_json(found)
    entries = [
        {
            "model": one.model,
            "source": "measured",
            "rank": [place.low, place.high] if (place := found.place(one.model)) else None,
            "tier": place.tier if place else None,
            **one.model_dump(
                mode="json",
                include={"trials", "cases", "total", "average", "passed", "full", "verified", "errors"}
                | {"rankable", "average_low", "average_high", "cost_usd", "input_tokens", "output_tokens"},
            ),
        }
        for one in found.summaries
    ]
    entries += [
        {
            "model": each.name,
            "source": "published",
            "rank": None,
            "tier": None,
            "trials": 21,
            "cases": 21,
            "total": each.printed_total,
            "average": each.printed_average,
            "passed": {"count": each.printed_passed, "of": 21},
            "full": {"count": each.printed_full, "of": 21},
            "verified": None,
            "errors": None,
            "input_tokens": each.input_tokens,
            "output_tokens": each.output_tokens,
        }
        for each in found.published
    ]
    entries.sort(key=lambda entry: -float(str(entry["average"])))
    return {
        **{name: whole[name] for name in ("runs", "comparable", "differences", "warnings", "ranking")},
        "published_source": published.SOURCE,
        "entries": entries,
    }

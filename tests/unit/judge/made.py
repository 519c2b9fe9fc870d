"""Judged answers and claims made by hand, and folders of them."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, get_args

from verifaible.judge.annotations import COLUMNS, FILE
from verifaible.judge.folder import JudgeFolder
from verifaible.schema.analyst import AnalystAnswer, Claim, Coverage, Source, SpanIds
from verifaible.schema.chat import Usage
from verifaible.schema.judged import (
    DIMENSIONS,
    ERROR_CATEGORIES,
    PROTOCOLS,
    CitationRow,
    CitationStatus,
    HallucinationRow,
    HallucinationStatus,
    JudgedAnswer,
    JudgedClaim,
    JudgeInfo,
    Score,
    Vote,
)
from verifaible.schema.verdict import Derivation, Operand, Passage, Verdict

MOMENT = datetime(2025, 11, 20, 9, 30, tzinfo=UTC)
CAPTURE = "ab" * 32
_CITATIONS = get_args(CitationStatus)
_HALLUCINATIONS = get_args(HallucinationStatus)

Item = tuple[JudgedAnswer, Sequence[JudgedClaim]]


def passage(quote: str = "TVL is $4.9B", **changes: Any) -> Passage:
    fields = {
        "source": "src_1",
        "capture": CAPTURE,
        "file": "evidence/source.txt",
        "start": 10,
        "quote": quote,
    }
    fields |= {"end": 10 + len(quote)}
    return Passage.model_validate(fields | changes)


def derived() -> Verdict:
    operands = tuple(
        Operand(name=name, value=Decimal(value), unit="USD", passage=passage(f"{name} {value}"))
        for name, value in (("TVL before", "4.0"), ("TVL now", "4.9"))
    )
    return Verdict(
        outcome="derived",
        passages=tuple(each.passage for each in operands),
        derivation=Derivation(
            operation="percent_change", operands=operands, result=Decimal("22.5"), unit="%"
        ),
        reason="4.9 is 22.5 % more than 4.0.",
    )


def claim(
    answer: str,
    number: int,
    citations: str | None = None,
    hallucination: str | None = None,
    *,
    cites: Sequence[str] = ("src_1",),
    by: str = "judge",
    finding: Verdict | None = None,
    anywhere: Verdict | None = None,
    reason: str = "",
    **changes: Any,
) -> JudgedClaim:
    """A judged claim; a check is given by its status, or by its outcome where it has none."""
    fields: dict[str, Any] = {
        "id": f"c{number}",
        "start": 20 * number,
        "end": 20 * number + 12,
        "text": f"Value {number} is {number}.",
        "kind": "number",
        "cites": tuple(cites),
    }
    return JudgedClaim(
        answer=answer,
        claim=Claim.model_validate(fields | changes),
        finding=finding,
        anywhere=anywhere,
        citations=CitationRow.model_validate(_row(citations, _CITATIONS, by, finding, reason))
        if citations
        else None,
        hallucination=HallucinationRow.model_validate(
            _row(hallucination, _HALLUCINATIONS, by, anywhere, reason)
        )
        if hallucination
        else None,
    )


def _row(
    given: str, statuses: Sequence[str], by: str, finding: Verdict | None, reason: str
) -> dict[str, Any]:
    decided = given in statuses
    fault = (
        () if decided or given != "failed" else (Vote(outcome="failed", fault="half a JSON").model_dump(),)
    )
    return {
        "outcome": "decided" if decided else given,
        "status": given if decided else None,
        "by": by if decided else "",
        "finding": finding,
        "reason": reason,
        "votes": fault,
    }


def score(value: float | str, reason: str = "Because.") -> Score:
    """A decided score, or one with another outcome."""
    if isinstance(value, str):
        vote = (Vote(outcome="failed", fault="prose instead of JSON"),) if value == "failed" else ()
        return Score.model_validate({"outcome": value, "votes": vote})
    return Score(outcome="decided", value=value, reason=reason)


def answer(
    model: str = "m1",
    query: str = "Why is TVL up?",
    claims: Iterable[JudgedClaim] = (),
    *,
    rubric: Sequence[float | str] = (),
    errors: Sequence[float | str] = (),
    number: int | None = None,
    **changes: Any,
) -> Item:
    """A judged answer with its claims, whose ids are made to fit."""
    name = f"{model}:{query}" + (f":{number}" if number is not None else "")
    fields: dict[str, Any] = {
        "id": name,
        "origin": "csv",
        "model": model,
        "query": query,
        "tags": ("DeFi",),
        "answer": "TVL rose to $4.9B, 22.5 % more than in October. " * 3,
        "answered_at": MOMENT,
        "sources": (
            Source(id="src_1", kind="page", url="https://example.com/tvl", title="TVL", capture=CAPTURE),
        ),
        "sources_known": True,
        "span": SpanIds(session_id="s", trace_id="t", span_id="p", span_name="Cyrpto Final Response"),
    }
    made = tuple(each.model_copy(update={"answer": name}) for each in claims)
    judged = JudgedAnswer(
        answer=AnalystAnswer.model_validate(fields | changes),
        coverage=Coverage(sentences=max(1, len(made)), covered=len(made)),
        claims=len(made),
        rubric={key: score(value) for key, value in zip(DIMENSIONS, rubric, strict=False)},
        taxonomy={key: score(value) for key, value in zip(ERROR_CATEGORIES, errors, strict=False)},
    )
    return judged, made


def claims(spec: Mapping[str, int] | Sequence[str], **changes: Any) -> list[JudgedClaim]:
    """Claims by a list of ``citations/hallucination`` pairs; ``-`` for no row; ``missing`` cites nothing."""
    pairs = list(spec) if not isinstance(spec, Mapping) else [k for k, n in spec.items() for _ in range(n)]
    made = []
    for number, pair in enumerate(pairs, 1):
        cited, _, found = pair.partition("/")
        bare = cited in ("missing", "not_needed") or cited.startswith("bare ")
        made.append(
            claim(
                "",
                number,
                None if cited in ("", "-") else cited.removeprefix("bare "),
                None if found in ("", "-") else found,
                cites=() if bare else ("src_1",),
                **changes,
            )
        )
    return made


def info(**changes: Any) -> JudgeInfo:
    fields: dict[str, Any] = {
        "id": "20251120T093000Z-answers",
        "started_at": MOMENT,
        "finished_at": MOMENT,
        "version": "0",
        "input": "answers.csv",
        "protocols": PROTOCOLS,
        "judge": "judge-1",
        "usage": Usage(input_tokens=1000, output_tokens=50, cost_usd=0.25),
        "calls": 12,
        "cached_calls": 4,
    }
    return JudgeInfo.model_validate(fields | changes)


def folder(path: Path, items: Iterable[Item], **changes: Any) -> JudgeFolder:
    """A finished folder."""
    path.mkdir(parents=True, exist_ok=True)
    made = JudgeFolder(path)
    made.write_info(info(**changes))
    for judged, rows in items:
        for row in rows:
            made.add_claim(row)
        made.add_answer(judged)
    return made


def annotate(judged: JudgeFolder, **row: str) -> None:
    """Add a line to the sheet in a folder."""
    path = judged.path / FILE
    begun = path.is_file()
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="")
        if not begun:
            writer.writeheader()
        writer.writerow(row)

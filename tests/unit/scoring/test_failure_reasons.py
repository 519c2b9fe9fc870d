"""Why a trial did not get everything: made-up trials, and the failures that the seed publishes.

Of each failure in the seed's Appendix B, what it tells is made into a trial: the value and the date that
were returned, the rounds, the cited type. What it does not tell is filled in as such trials go.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.kit import suites
from verifaible.schema.case import Case
from verifaible.schema.run import AgentOutcome, FailureReason, ToolEvent, TrialCitation, VerifiedScore
from verifaible.scoring.failure_reasons import FAILURES, name_failure
from verifaible.scoring.gate import facts_of
from verifaible.scoring.match import expectation, match_answer

CASES = Path(__file__).resolve().parents[3] / "cases"


def case_of(name: str) -> Case:
    return Case.model_validate(json.loads((CASES / f"{name}.json").read_text(encoding="utf-8")))


def outcome(given: dict[str, Any]) -> dict[str, Any]:
    """What a row says of a trial, as ``named`` takes it."""
    read = {**given}
    if "events" in given:
        read["events"] = tuple(each for event in given["events"] for each in events(**event))
    if "citations" in given:
        read["citations"] = tuple(cited(number, **each) for number, each in enumerate(given["citations"], 1))
    if "reasons" in given:
        read["reasons"] = tuple(given["reasons"])
    return read


def events(
    name: str, result: str = "", error_code: str = "", arguments: Any = None, times: int = 1
) -> tuple[ToolEvent, ...]:
    sent = json.dumps(arguments or {})
    return times * (ToolEvent(round=1, name=name, arguments=sent, result=result, error_code=error_code),)


def cited(number: int, evidence_type: str, text: str = "") -> TrialCitation:
    fields = {"number": number, "id": f"c{number}", "source_url": "https://x.test/"}
    return TrialCitation.model_validate({**fields, "evidence_type": evidence_type, "text": text})


def named(
    case: Case, answer: str, *, reasons: tuple[str, ...] = ("Something is not right.",), **outcome: Any
) -> FailureReason:
    done = AgentOutcome(answer=answer, **outcome)
    facts = facts_of(case, answer, done.citations)
    verdict = VerifiedScore(passed=not reasons, reasons=reasons)
    stated = match_answer(answer, expectation(case), question=case.question).stated
    return name_failure(case, done, facts, verdict, stated)


def test_what_got_everything_has_no_reason() -> None:
    case = case_of("cn_dynamic_001")
    assert named(case, "61 笔[@v:1]", reasons=(), citations=(cited(1, "table", "61"),)) == ""


@pytest.mark.parametrize("row", suites.load("failure_reasons"), ids=lambda row: row.id)
def test_the_reason_of_a_failure(row: suites.Row) -> None:
    given = row.input
    said = named(case_of(given["case"]), given["answer"], **outcome(given["outcome"]))
    assert said == row.expect["reason"]


def test_every_reason_has_words() -> None:
    assert {row.expect["reason"] for row in suites.load("failure_reasons")} == set(FAILURES)

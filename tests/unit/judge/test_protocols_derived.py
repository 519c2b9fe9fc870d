"""A judge's calculations: every operand in its quote, and the result by us."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.servers.judge_server import JudgeServer, verdict
from tests.unit.judge.asked import claim, source, subject
from tests.unit.llm.judges import judging
from verifaible.judge.claim_checks import judged_row
from verifaible.schema.judged import CitationRow

TEXT = (
    "HYPE costs $36.36. A month ago it cost $34.50. Circulating supply: 270.8M HYPE of 999.8M in total.\n"
    "Aave holds $12.5B and Lido $8.1B in deposits. Fees were 25 bp, then fell 5 bp.\n"
    'Loss (3.5) in Q1, profit 7.0 in Q2. {"volume": 579960000, "cap": 9857283441}\n'
    "24小时成交额5.8亿美元，总市值98.6亿美元。\n"
)
PAGE = source("src_1", TEXT)


def derivable(expression: str, *operands: str, line: int = 0, **fields: Any) -> dict[str, Any]:
    given = [
        {"name": name, "source": "S1", "line": line, "cell": 0, "quote": quote}
        for name, quote in zip("abcd", operands, strict=False)
    ]
    return verdict("derivable", expression=expression, operands=given, **fields)


async def cited(text: str, reply: dict[str, Any], folder: Path) -> CitationRow:
    with JudgeServer(lambda question: reply) as server:
        async with judging(server, folder) as judge:
            return await judged_row(CitationRow, judge, claim(text), subject(text, [PAGE]))


RIGHT: tuple[tuple[str, dict[str, Any], str, str], ...] = (
    ("HYPE rose 5.4 % in a month", derivable("(b - a) / a", "it cost $34.50", "HYPE costs $36.36"), "percent_change", "5.39"),
    ("About 27% of the supply circulates", derivable("a / b", "270.8M HYPE", "999.8M in total"), "share", "27.08"),
    ("Aave and Lido hold $20.6B together", derivable("a + b", "Aave holds $12.5B", "Lido $8.1B"), "sum", "20600000000"),
    ("Aave holds $4.4B more than Lido", derivable("a - b", "Aave holds $12.5B", "Lido $8.1B"), "difference", "4400000000"),
    ("The volume of HYPE is 5.9% of its cap", derivable("a / b", '"volume": 579960000', '"cap": 9857283441'), "share", "5.88"),
    ("Market cap is $9.85B at $36.36 and a supply of 270.8M HYPE", derivable("a * b", "HYPE costs $36.36", "270.8M HYPE"), "product", "9846"),
    ("成交额约占市值的5.9%", derivable("a / b", "成交额5.8亿美元", "总市值98.6亿美元"), "share", "5.88"),
)  # fmt: skip


@pytest.mark.parametrize(("text", "reply", "operation", "result"), RIGHT)
async def test_a_calculation_that_holds_is_kept_with_its_operands(
    text: str, reply: dict[str, Any], operation: str, result: str, tmp_path: Path
) -> None:
    row = await cited(text, reply, tmp_path)
    assert (row.outcome, row.status, row.reason) == ("decided", "derivable", "As it says.")
    assert row.finding is not None
    assert row.finding.outcome == "derived"
    derivation = row.finding.derivation
    assert derivation is not None
    assert (derivation.operation, derivation.expression) == (operation, reply["expression"])
    assert str(derivation.result).replace(".", "").startswith(result.replace(".", ""))
    for operand in derivation.operands:
        place = operand.passage
        assert TEXT[place.start : place.end] == place.quote
    assert row.finding.passages


SUM = ("Aave holds $12.5B", "Lido $8.1B")
RISE = ("it cost $34.50", "HYPE costs $36.36")
WRONG: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("Aave and Lido hold $20.7B together", derivable("a + b", *SUM), "another value"),
    ("Aave and Lido hold $20.6M together", derivable("a + b", *SUM), "the scale differs"),
    ("Aave and Lido hold 20.6% together", derivable("a + b", *SUM), "per cent"),
    ("Aave and Lido hold $20.6B together", derivable("a * b", *SUM), "neither is a rate"),
    ("Aave and Lido hold $20.6B together", derivable("a + b", SUM[0], "Lido $8.1M"), "not in the source"),
    ("Aave and Lido hold $20.6B together", derivable("a + b", SUM[0], "A month ago"), "There is no value"),
    ("Aave and Lido hold $20.6B together", derivable("a + c", *SUM), "names 'c'"),
    ("Aave and Lido hold $20.6B together", derivable("a +", *SUM), "cannot be read"),
    ("Aave and Lido hold $20.6B together", derivable("a + 8100000000", *SUM), "without a place"),
    ("Aave and Lido hold $20.6B together", derivable("a + b"), "without an expression and its operands"),
    ("Aave and Lido hold $20.6B together", derivable("", *SUM), "without an expression and its operands"),
    ("Aave and Lido hold an average of $20.6B", derivable("a + b", *SUM), "says an average"),
    ("Aave and Lido hold $10.3B together", derivable("mean(a, b)", *SUM), "The expression is an average"),
    ("HYPE fell 5.4% in a month", derivable("(b - a) / a", *RISE), "direction differs"),
    ("HYPE rose 5.1% in a month", derivable("(b - a) / b", *RISE), "divided by another value"),
    ("HYPE rose 5.4% to $40.10", derivable("(b - a) / a", *RISE), "do not have the '$40.10'"),
)  # fmt: skip


@pytest.mark.parametrize(("text", "reply", "fault"), WRONG)
async def test_a_calculation_that_does_not_hold_is_a_failed_vote(
    text: str, reply: dict[str, Any], fault: str, tmp_path: Path
) -> None:
    row = await cited(text, reply, tmp_path)
    assert (row.outcome, row.status, row.finding) == ("failed", None, None)
    assert fault in row.reason


async def test_two_operands_of_one_name_are_refused(tmp_path: Path) -> None:
    reply = derivable("a + a", *SUM)
    reply["operands"][1]["name"] = "a"
    row = await cited("Aave and Lido hold $20.6B together", reply, tmp_path)
    assert row.outcome == "failed" and "Two operands are called 'a'" in row.reason


async def test_a_judge_is_asked_once_more_with_the_objection(tmp_path: Path) -> None:
    replies = [derivable("(b - a) / b", *RISE), derivable("(b - a) / a", *RISE)]
    with JudgeServer(lambda question: replies[question.number]) as server:
        async with judging(server, tmp_path) as judge:
            row = await judged_row(
                CitationRow, judge, claim("HYPE rose 5.4% in a month"), subject("HYPE rose 5.4%", [PAGE])
            )
    assert row.status == "derivable"
    assert "divided by another value" in server.questions[1].parts["objection"]
    assert "[2] Aave holds $12.5B" in server.questions[0].user


async def test_a_value_that_stands_twice_is_told_apart_by_its_line(tmp_path: Path) -> None:
    twice = "Deposits in 2023: $5M.\nDeposits in 2024: $5M.\nDeposits in 2025: $6M.\n"
    text = "Deposits rose 20% from 2024 to 2025"

    async def row(line: int) -> CitationRow:
        reply = derivable("(b - a) / a", "$5M", "$6M")
        reply["operands"][0]["line"] = line
        with JudgeServer(lambda question: reply) as server:
            async with judging(server, tmp_path / str(line)) as judge:
                return await judged_row(
                    CitationRow, judge, claim(text), subject(text, [source("src_1", twice)])
                )

    found = await row(2)
    assert found.status == "derivable" and found.finding is not None and found.finding.derivation is not None
    assert found.finding.derivation.operands[0].passage.start == twice.index("$5M", 30)
    assert "stands 2 times" in (await row(0)).reason
    assert "is of 2023" in (await row(1)).reason

"""A judge's calculations: every operand in its quote, and the result by us."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.servers.judge_server import JudgeServer, verdict
from tests.unit.judge.asked import claim, judging, source, subject
from verifaible.judge.protocols.claim_checks import citation_row
from verifaible.schema.judged import CitationRow

TEXT = (
    "HYPE costs $36.36. A month ago it cost $34.50. Circulating supply: 270.8M HYPE of 999.8M in total.\n"
    "Aave holds $12.5B and Lido $8.1B in deposits. Fees were 25 bp, then fell 5 bp.\n"
    'Loss (3.5) in Q1, profit 7.0 in Q2. {"volume": 579960000, "cap": 9857283441}\n'
    "24小时成交额5.8亿美元，总市值98.6亿美元。\n"
)
PAGE = source("src_1", TEXT)


def derivable(operation: str, *operands: tuple[str, str], **fields: Any) -> dict[str, Any]:
    given = [
        {"name": f"operand {number}", "value": value, "source": "S1", "quote": quote}
        for number, (value, quote) in enumerate(operands, 1)
    ]
    return verdict("derivable", operation=operation, operands=given, **fields)


async def cited(text: str, reply: dict[str, Any], folder: Path) -> CitationRow:
    with JudgeServer(lambda question: reply) as server:
        async with judging(server, folder) as judge:
            return await citation_row(judge, claim(text), subject(text, [PAGE]))


RIGHT: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("HYPE rose 5.4 % in a month", derivable("percent_change", ("34.50", "it cost $34.50"), ("36.36", "HYPE costs $36.36")), "5.39"),
    ("About 27% of the supply circulates", derivable("share", ("270.8M", "270.8M HYPE"), ("999.8M", "270.8M HYPE of 999.8M in total")), "27.08"),
    ("27.1% of the supply circulates", derivable("share", ("270.8", "270.8M HYPE of 999.8M"), ("999.8", "of 999.8M in total")), "27.08"),
    ("Aave and Lido hold $20.6B together", derivable("sum", ("12500000000", "Aave holds $12.5B"), ("8.1B", "Lido $8.1B")), "20600000000"),
    ("Aave holds $4.4B more than Lido", derivable("difference", ("12.5B", "Aave holds $12.5B"), ("8.1B", "Lido $8.1B")), "4400000000"),
    ("HYPE trades 5.9% of its market cap a day", derivable("share", ("579960000", '"volume": 579960000'), ("9857283441", '"cap": 9857283441')), "5.88"),
    ("Market cap is $9.85B at $36.36 and 270.8M HYPE", derivable("product", ("36.36", "HYPE costs $36.36"), ("270800000", "270.8M HYPE")), "9846"),
    ("成交额约占市值的5.9%", derivable("share", ("580000000", "成交额5.8亿美元"), ("9860000000", "总市值98.6亿美元")), "5.88"),
)  # fmt: skip


@pytest.mark.parametrize(("text", "reply", "result"), RIGHT)
async def test_a_calculation_that_holds_is_kept_with_its_operands(
    text: str, reply: dict[str, Any], result: str, tmp_path: Path
) -> None:
    row = await cited(text, reply, tmp_path)
    assert (row.outcome, row.status, row.reason) == ("decided", "derivable", "As it says.")
    assert row.finding is not None
    assert row.finding.verdict == "derived"
    derivation = row.finding.derivation
    assert derivation is not None
    assert derivation.operation == reply["operation"]
    assert str(derivation.result).replace(".", "").startswith(result.replace(".", ""))
    for operand in derivation.operands:
        place = operand.passage
        assert TEXT[place.start : place.end] == place.quote
    assert row.finding.passages


SUM = (("12.5B", "Aave holds $12.5B"), ("8.1B", "Lido $8.1B"))
WRONG: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("Aave and Lido hold $20.7B together", derivable("sum", *SUM), "the claim does not say so"),
    ("Aave and Lido hold $20.6M together", derivable("sum", *SUM), "the claim does not say so"),
    ("Aave and Lido hold 20.6% together", derivable("sum", *SUM), "the claim does not say so"),
    ("Aave and Lido hold $20.6B together", derivable("product", *SUM), "There is no product"),
    ("Aave and Lido hold $20.6B together", derivable("sum", SUM[0], ("8.1B", "Lido $8.1M")), "not in the source"),
    ("Aave and Lido hold $20.6B together", derivable("sum", SUM[0], ("8.1B", "Aave holds $12.5B")), "does not stand in the words"),
    ("Aave and Lido hold $20.6B together", derivable("sum", SUM[0], ("8.1B", "A month ago")), "does not stand in the words"),
    ("Aave and Lido hold $20.6B together", derivable("sum", SUM[0], ("about", "Lido $8.1B")), "is no number"),
    ("Aave and Lido hold $20.6B together", derivable("sum", SUM[0], ("", "Lido $8.1B")), "is no number"),
    ("Aave and Lido hold $20.6B together", derivable("sum"), "without an operation and its operands"),
    ("Aave and Lido hold $20.6B together", derivable("none", *SUM), "without an operation and its operands"),
    ("Aave and Lido hold $20.6B together", derivable("median", *SUM), "form"),
    ("HYPE fell 5.4% in a month", derivable("percent_change", ("34.50", "it cost $34.50"), ("36.36", "HYPE costs $36.36")), "the claim does not say so"),
    ("HYPE rose 5.4% in a month", derivable("percent_change", ("36.36", "HYPE costs $36.36"), ("34.50", "it cost $34.50")), "the claim does not say so"),
    ("HYPE rose 5.4% to $40.10", derivable("percent_change", ("34.50", "it cost $34.50"), ("36.36", "HYPE costs $36.36")), "do not have the '$40.10'"),
    ("HYPE is 1.05 times what it cost", derivable("ratio", ("36.36", "HYPE costs $36.36")), "takes"),
    ("HYPE is at 5 USD a percent", derivable("sum", ("36.36", "HYPE costs $36.36"), ("270.8M", "270.8M HYPE")), "There is no sum"),
)  # fmt: skip


@pytest.mark.parametrize(("text", "reply", "fault"), WRONG)
async def test_a_calculation_that_does_not_hold_is_a_failed_vote(
    text: str, reply: dict[str, Any], fault: str, tmp_path: Path
) -> None:
    row = await cited(text, reply, tmp_path)
    assert (row.outcome, row.status, row.finding) == ("failed", None, None)
    assert fault in row.reason


async def test_values_are_those_of_the_source_not_of_the_judge(tmp_path: Path) -> None:
    reply = derivable("sum", ("12.5", "Aave holds $12.5B"), ("8.1", "Lido $8.1B"))
    row = await cited("Aave and Lido hold $20.6B together", reply, tmp_path)
    assert row.finding is not None
    assert row.finding.derivation is not None
    assert [each.value for each in row.finding.derivation.operands] == [
        Decimal("12500000000.0"),
        Decimal("8100000000.0"),
    ]

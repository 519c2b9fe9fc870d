"""Claims over tables: proofs found by search, and what they say of a claim."""

from __future__ import annotations

import pytest

from tests.unit.factcheck.test_proof import ReadText, claimed
from verifaible.factcheck.derivation import derive
from verifaible.schema.analyst import Source
from verifaible.schema.verdict import Verdict

TABLE = """Lowland Mills sells flour. Sales by region follow (in thousands):

|  | Year ended May 31, |  |
| --- | --- | --- |
|  | 2024 | 2023 |
| Northern region | $1,250 | $1,000 |
| Southern region | 318 | 424 |
| Other | 52 | 37 |
| Total sales | 1,620 | 1,461 |
| Net cash provided by (used in) investing activities | (96) | 41 |
"""


def derived(text: str, *tables: str) -> Verdict | None:
    sources = [
        ReadText(Source(id=f"s{number}", kind="page", capture="0" * 64), table)
        for number, table in enumerate(tables or (TABLE,))
    ]
    return derive(claimed(text), sources)


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("The northern region had sales of $1.25 million in 2024", "supported"),
        ("Total sales were $1,461 thousand in 2023", "supported"),
        ("Sales of the northern region grew 25% from 2023 to 2024", "derived"),
        ("Southern region sales fell by $106 thousand in 2024", "derived"),
        ("The northern region accounted for 77% of total sales in 2024", "derived"),
        ("The northern region averaged $1.125 million in 2023 and 2024", "derived"),
        # wrong: digit, year, row, direction, calculation
        ("The northern region had sales of $1.35 million in 2024", "contradicted"),
        ("Total sales were $1,461 thousand in 2024", "contradicted"),
        ("Southern region sales were $1,250 thousand in 2024", "contradicted"),
        ("Sales of the northern region fell 25% from 2023 to 2024", "contradicted"),
        ("Sales of the northern region grew 35% from 2023 to 2024", "contradicted"),
        # neither: scale, rounding, no year, another sense, another name, a sign that is not told
        ("The northern region had sales of $1.25 billion in 2024", None),
        ("The northern region had sales of $1.24 million in 2024", None),
        ("Total sales were $1,461 thousand", None),
        ("The northern region combined made $1,250 thousand in 2024", None),
        ("Highmoor's northern region had sales of $1.25 million in 2024", None),
        ("Investing activities took $96 thousand of net cash in 2024", None),
        ("The northern region will sell $1.35 million in 2024", None),
        ("The northern region did not have sales of $1.35 million in 2024", None),
        ("Sales of the northern region were roughly $1.32 million in 2024", None),
    ],
)
def test_a_claim_over_a_table_is_decided_by_what_it_names(text: str, outcome: str | None) -> None:
    verdict = derived(text)
    assert (verdict.outcome if verdict else None) == outcome


def test_a_derivation_shows_its_operands_and_its_rows() -> None:
    verdict = derived("Sales of the northern region grew 25% from 2023 to 2024")
    assert verdict is not None and verdict.derivation is not None
    assert [operand.passage.quote for operand in verdict.derivation.operands] == ["$1,000", "$1,250"]
    assert [passage.quote for passage in verdict.passages] == ["| Northern region | $1,250 | $1,000 |"]
    assert all(TABLE[each.start : each.end] == each.quote for each in verdict.grounds)


def test_a_contradiction_says_both_values() -> None:
    verdict = derived("Total sales were $1,461 thousand in 2024")
    assert verdict is not None
    assert verdict.reason == "The claim says $1,461 thousand; a source says 1,620."
    assert verdict.said == "| Total sales | 1,620 | 1,461 |"


def test_of_two_tables_that_name_the_same_one_may_have_the_figure() -> None:
    other = TABLE.replace("1,250", "1,350").replace("1,620", "1,720")
    text = "The northern region had sales of $1.35 million in 2024"
    verdict = derived(text, TABLE, other)
    assert verdict is None or verdict.outcome == "supported"

"""Claims over tables: proofs that the rules propose, and what they say of a claim."""

from __future__ import annotations

import pytest

from tests.unit.judge.rules.made import claim, library
from verifaible.judge.rules.decide import decide

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


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("The northern region had sales of $1.25 million in 2024", "exact"),
        ("Total sales were $1,461 thousand in 2023", "exact"),
        ("Sales of the northern region grew 25% from 2023 to 2024", "derived"),
        ("Southern region sales fell by $106 thousand in 2024", "derived"),
        ("The northern region accounted for 77% of total sales in 2024", "derived"),
        ("The northern region averaged $1.125 million in 2023 and 2024", "derived"),
        # wrong: digit, year, row, direction, calculation
        ("The northern region had sales of $1.35 million in 2024", "refuted"),
        ("The northern region had sales of $1.24 million in 2024", "refuted"),
        ("Total sales were $1,461 thousand in 2024", "refuted"),
        ("Southern region sales were $1,250 thousand in 2024", "refuted"),
        ("Sales of the northern region fell 25% from 2023 to 2024", "refuted"),
        ("Sales of the northern region grew 35% from 2023 to 2024", "refuted"),
        # neither: scale, rounding, no year, another sense, another name, a sign that is not told
        ("The northern region had sales of $1.25 billion in 2024", "undecided"),
        ("Total sales were $1,461 thousand", "undecided"),
        ("The northern region combined made $1,250 thousand in 2024", "undecided"),
        ("Highmoor's northern region had sales of $1.25 million in 2024", "undecided"),
        ("Investing activities took $96 thousand of net cash in 2024", "undecided"),
        ("The northern region will sell $1.35 million in 2024", "undecided"),
        ("Sales of the northern region were roughly $1.32 million in 2024", "undecided"),
    ],
)
def test_a_claim_over_a_table_is_decided_by_what_it_names(text: str, verdict: str) -> None:
    finding = decide(claim(text), library([TABLE]), whole=True)
    assert finding.verdict == verdict, finding.reason


def test_only_a_source_read_whole_can_lack_a_figure() -> None:
    text = "The northern region had sales of $1.24 million in 2024"
    assert decide(claim(text), library([TABLE]), whole=True).verdict == "refuted"
    assert decide(claim(text), library([TABLE])).verdict == "undecided"


def test_a_derivation_shows_its_operands_and_its_rows() -> None:
    finding = decide(claim("Sales of the northern region grew 25% from 2023 to 2024"), library([TABLE]))
    assert finding.derivation is not None
    assert [operand.passage.quote for operand in finding.derivation.operands] == ["$1,000", "$1,250"]
    assert [passage.quote for passage in finding.passages] == ["| Northern region | $1,250 | $1,000 |"]
    assert all(TABLE[each.start : each.end] == each.quote for each in finding.passages)


def test_a_refutation_says_both_values() -> None:
    finding = decide(claim("Total sales were $1,461 thousand in 2024"), library([TABLE]))
    assert finding.reason == "The claim says $1,461 thousand; a source says 1,620."
    assert finding.said == "| Total sales | 1,620 | 1,461 |"


def test_of_two_tables_that_name_the_same_one_may_have_the_figure() -> None:
    other = TABLE.replace("1,250", "1,350").replace("1,620", "1,720")
    in_one, in_none = (
        claim(f"The northern region had sales of ${value} million in 2024") for value in ("1.35", "1.45")
    )
    assert [decide(each, library([TABLE])).verdict for each in (in_one, in_none)] == ["refuted", "refuted"]
    assert decide(in_one, library([TABLE, other])).verdict != "refuted"
    assert decide(in_none, library([TABLE, other])).verdict == "refuted"

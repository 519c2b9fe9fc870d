"""Proofs that hold, and each way in which one does not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifaible.factcheck.expression import ProofError
from verifaible.factcheck.proof import Proof, check_proof, places_of, prove
from verifaible.schema.analyst import Claim, Source
from verifaible.schema.verdict import Derivation, Passage
from verifaible.text.quantity import Quantity


@dataclass(frozen=True)
class ReadText:
    """A source and its text."""

    source: Source
    text: str


TEXT = """The table gives the sales of the Lowland group by region ($ in thousands, except per share).

|  | Year ended May 31, |  |  |
| --- | --- | --- | --- |
|  | 2024 | 2023 | 2022 |
| Sales: |  |  |  |
| Northern region | $1,200 | $1,000 | $900 |
| Southern region | 300 | 400 | 350 |
| Total sales | 1,500 | 1,400 | 1,250 |
| Operating loss | (30) | (50) | (20) |
| Gross margin | 40% | 35% | 30% |
| Earnings per share | 1.25 | 1.10 | 1.00 |

Headcount in the years 2023 and 2024 was 410 and 450, respectively.
Oakbridge holds €250 million. One euro costs $1.16. Losses were not $9 million. Ashford lends $5 million and Bexley owes $7 million.
Settling takes 36 hours. The fees are $96 thousand.
"""
SOURCE = ReadText(Source(id="s", kind="page", capture="0" * 64), TEXT)


def at(words: str, value: str) -> Passage:
    """The value behind some words of the text."""
    start = TEXT.index(value, TEXT.index(words))
    return Passage.of(SOURCE.source, TEXT, start, start + len(value))


A = {
    "n24": at("Northern", "1,200"),
    "n23": at("Northern", "1,000"),
    "n22": at("Northern", "900"),
    "s24": at("Southern", "300"),
    "s23": at("Southern", "400"),
    "t24": at("Total sales", "1,500"),
    "t23": at("Total sales", "1,400"),
    "l24": at("Operating", "30"),
    "l23": at("Operating", "50"),
    "m24": at("Gross", "40%"),
    "m23": at("Gross", "35%"),
    "e24": at("Earnings", "1.25"),
    "h23": at("Headcount", "410"),
    "h24": at("Headcount", "450"),
    "euro": at("Oakbridge", "€250 million"),
    "rate": at("One euro", "$1.16"),
    "denied": at("Losses", "$9 million"),
    "ashford": at("Ashford", "$5 million"),
    "bexley": at("Bexley", "$7 million"),
    "hours": at("Settling", "36 hours"),
    "fees": at("fees", "$96 thousand"),
}


def claimed(text: str) -> Claim:
    return Claim(id="c1", start=0, end=len(text), text=text, kind="number")


def checked(text: str, expression: str, operands: Mapping[str, Passage] = A) -> Derivation:
    return check_proof(claimed(text), Proof(expression, operands), [SOURCE])


HOLDING: Final = [
    ("Sales of the northern region in 2024 were $1.2 million.", "n24"),
    ("Northern sales rose 20% from 2023 to 2024.", "(n24 - n23) / n23"),
    ("Northern sales rose by 20 percent in 2024.", "n24 / n23 - 1"),
    ("Southern sales fell 25% from 2023 to 2024.", "(s24 - s23) / s23"),
    ("Southern sales decreased by $100 thousand from 2023 to 2024.", "s23 - s24"),
    ("The change in the southern region from 2023 to 2024 was -100 thousand.", "s24 - s23"),
    ("The northern region averaged $1,033 thousand a year from 2022 to 2024.", "mean(n24, n23, n22)"),
    ("The average of the northern region from 2022 to 2024 was $1.033 million.", "(n24 + n23 + n22) / 3"),
    ("Northern sales in 2023 and 2024 were $2.2 million in total.", "n23 + n24"),
    ("The northern region was 80% of total sales in 2024.", "n24 / t24"),
    ("80% of total sales in 2024 were of the northern region.", "n24 / t24"),
    ("The gross margin rose by 5 percentage points from 2023 to 2024.", "m24 - m23"),
    ("The operating loss in 2024 was -30 thousand.", "l24"),
    ("Earnings per share were $1.25 in 2024.", "e24"),
    ("Headcount rose by 40 from 2023 to 2024.", "h24 - h23"),
    ("Oakbridge holds $290 million.", "euro * rate"),
    ("What Ashford lends and Bexley owes is $12 million together.", "ashford + bexley"),
    ("Settling takes 1.5 days.", "hours"),
    ("The highest sales of the northern region were $1.2 million.", "max(n24, n23, n22)"),
]


@pytest.mark.parametrize(("claim", "expression"), HOLDING)
def test_a_proof_that_holds(claim: str, expression: str) -> None:
    found = checked(claim, expression)
    assert found.expression == expression
    for operand in found.operands:
        assert TEXT[operand.passage.start : operand.passage.end] == operand.passage.quote


@pytest.mark.parametrize(
    ("claim", "expression", "said"),
    [
        ("Sales of the southern region in 2024 were $1.2 million.", "n24", "'Southern region'"),
        ("Sales of the northern region in 2024 were $1 million.", "n23", "is of 2023"),
        ("Northern sales rose 33% from 2022 to 2024.", "(n24 - n23) / n23", "is of 2023"),
        ("The average of the northern region from 2022 to 2024 was $1.1 million.", "mean(n24, n23)", "2022"),
        (
            "The average of the northern region in 2023 and 2024 was $2.2 million.",
            "n23 + n24",
            "says an average",
        ),
        ("Northern sales in 2023 and 2024 were $1.1 million.", "mean(n23, n24)", "does not say so"),
        ("Northern sales rose 20% from 2023 to 2024.", "n24 / n23", "says a change"),
        ("Northern sales fell 20% from 2023 to 2024.", "(n24 - n23) / n23", "direction"),
        ("Northern sales rose 16.7% from 2023 to 2024.", "(n24 - n23) / n24", "divided by another value"),
        ("The change in northern sales from 2023 to 2024 was -$200 thousand.", "n23 - n24", "earlier value"),
        ("The change in northern sales from 2023 to 2024 was -$200 thousand.", "n24 - n23", "sign"),
        ("Northern sales rose by $200 million from 2023 to 2024.", "n24 - n23", "scale"),
        ("Northern sales rose by $210 thousand from 2023 to 2024.", "n24 - n23", "another value"),
        ("Northern sales rose by €200 thousand from 2023 to 2024.", "n24 - n23", "units must agree"),
        ("Northern sales rose by 200% from 2023 to 2024.", "n24 - n23", "per cent"),
        ("The gross margin rose by 14 percentage points from 2023 to 2024.", "(m24 - m23) / m23", "per cent"),
        ("The gross margin rose by 5% from 2023 to 2024.", "m24 - m23", "percentage points"),
        ("The northern region was 125% of total sales in 2024.", "t24 / n24", "more than its whole"),
        ("Headcount in 2024 was 410.", "h23", "is of 2023"),
        ("Losses were $9 million.", "denied", "denies"),
        ("Bexley owes $5 million.", "ashford", "another value of that sentence"),
        ("Oakbridge holds $250 million.", "euro", "units must agree"),
        ("Oakbridge holds €290 million.", "euro * rate", "units must agree"),
        ("Oakbridge holds fees of $24 million.", "euro * fees", "neither is a rate"),
        ("Northern sales in 2024 were $1.3 million.", "n24 + 100000", "without a place"),
        ("Northern sales in 2024 were $240 thousand.", "n24 / 5", "Divide by their number"),
        ("Northern sales in 2024 were $1.2 million.", "n24.real", "cannot be read"),
        ("Northern sales in 2024 were $1.2 million.", "x", "no operand"),
        ("Northern sales in 2024 were $1.2 million.", "5", "has no operand"),
        ("The northern region was 1% of total sales in 2024.", "n24 / (t24 - t24)", "divides by nothing"),
    ],
)
def test_a_proof_that_does_not_hold_says_why(claim: str, expression: str, said: str) -> None:
    with pytest.raises(ProofError, match=said):
        checked(claim, expression)


@pytest.mark.parametrize(
    "expression", ["(" * 3000, "a" * 2001, "9**9**9", "a if a else a", "a[0]", "f(n24)", ""]
)
def test_what_is_no_expression_is_refused(expression: str) -> None:
    with pytest.raises(ProofError):
        checked("Northern sales in 2024 were $1.2 million.", expression)


def test_the_operands_have_the_scale_and_unit_of_their_heads() -> None:
    found = checked("Northern sales rose 20% from 2023 to 2024.", "(n24 - n23) / n23")
    assert (found.operation, found.result, found.unit) == ("percent_change", Decimal(20), "%")
    assert [f"{each.value:.0f} {each.unit}" for each in found.operands] == ["1000000 USD", "1200000 USD"]
    assert checked("The operating loss in 2024 was -30 thousand.", "l24").operands[0].value == -30_000


@pytest.mark.parametrize(
    ("change", "said"),
    [("quote", "does not stand"), ("start", "does not stand"), ("source", "does not stand")],
)
def test_an_operand_that_does_not_stand_there_is_refused(change: str, said: str) -> None:
    other = {"quote": "1,300", "start": A["n24"].start - 1, "source": "t"}[change]
    operands = {"n24": A["n24"].model_copy(update={change: other})}
    with pytest.raises(ProofError, match=said):
        checked("Sales of the northern region in 2024 were $1.2 million.", "n24", operands)


def test_a_head_is_no_value() -> None:
    with pytest.raises(ProofError, match="no value"):
        checked("Sales of the northern region in 2024 were $1.2 million.", "n", {"n": at("| 2024 |", "2024")})


@given(at=st.integers(0, 3), digit=st.integers(0, 9), case=st.sampled_from(HOLDING))
def test_a_changed_digit_never_proves(at: int, digit: int, case: tuple[str, str]) -> None:
    claim, expression = case
    number = checked_number(claim, expression)
    digits = [place for place in range(number.start, number.end) if claim[place].isdecimal()]
    place = digits[at % len(digits)]
    changed = f"{claim[:place]}{digit}{claim[place + 1 :]}"
    if changed != claim:
        with pytest.raises(ProofError):
            checked(changed, expression)


def checked_number(claim: str, expression: str) -> Quantity:
    """The number of a claim that a proof of it gives."""
    return prove(claim, expression, places_of(Proof(expression, A), [SOURCE])).claimed

"""Derivations as annual reports, quote services and fact sheets are told of: each true claim, and a false one."""

from __future__ import annotations

import pytest

from verifaible.judge.rules.derive import derive
from verifaible.judge.rules.library import Library
from verifaible.schema.analyst import Claim, Source

_TABLE = """(in thousands)

|  | 2019 | 2018 |
|---|---|---|
| Revenue | $ 112,300 | $ 100,000 |
| Cost of revenue | 61,200 | 55,100 |
| Total assets | 240,500 | 221,100 |
| Total current assets | 90,500 | 81,100 |
| Inventories | 20,400 | 18,300 |
| Interest expense | (4,210) | (3,980) |
"""
_QUOTE = (
    '{"symbol": "KLD", "longName": "Kelder Group", "currency": "USD", "operatingCashflow": 4200000, '
    '"totalRevenue": 21000000, "grossProfits": 9030000, "regularMarketPrice": 46.0, "bookValue": 23.0, '
    '"fullTimeEmployees": 120}'
)
_SHEET = """Kelder Q2 2025 highlights

- Active users: 1.32 million (Q2 2024: 1.10 million)
- Churn: 2.1% (Q2 2024: 2.6%)
- Gross bookings: $88.0M (Q1 2025: $80.0M)
- Orders: 4.4 million
"""


def _library(text: str) -> Library:
    given = {"id": "s1", "kind": "page", "title": "figures", "capture": "0" * 64, "url": ""}
    return Library([(Source.model_validate(given), text)])


def _verdict(text: str, claim: str) -> str:
    finding = derive(Claim(id="c1", start=0, end=len(claim), text=claim, kind="number"), _library(text))
    return finding.verdict if finding else ""


@pytest.mark.parametrize(
    ("text", "claim", "right", "wrong"),
    [
        (_TABLE, "The percentage change in revenue from 2018 to 2019 was {}.", "12.3%", "13.3%"),
        (_TABLE, "Average total assets over 2018 and 2019 was {}.", "$230.8 million", "$85.8 million"),
        (_TABLE, "The difference between revenue and cost of revenue in 2019 was {}.", "$51.1 million", "$44.9 million"),
        (_TABLE, "Total current assets as a percentage of total assets in 2019 was {}.", "37.6%", "36.7%"),
        (_TABLE, "The change in inventories between 2018 and 2019 was {}.", "$2.1 million", "-$2.1 million"),
        (_TABLE, "Interest expense grew {} in 2019.", "5.8%", "5.5%"),
        (_TABLE, "Revenue in 2019 was {} that of 2018.", "1.12 times", "1.11 times"),
        (_TABLE, "Inventories made up {} of total current assets in 2019.", "22.5%", "8.5%"),
        (_QUOTE, "Kelder Group's gross margin, gross profits over total revenue, is {}.", "43.0%", "20.0%"),
        (_QUOTE, "Kelder's revenue per employee is {}.", "$175,000", "$75,250"),
        (_QUOTE, "KLD's price is {} its book value.", "2.0 times", "3.0 times"),
        (_QUOTE, "Operating cash flow is {} of Kelder's total revenue.", "20%", "43%"),
        (_SHEET, "Active users rose {} year over year to 1.32 million.", "20.0%", "16.7%"),
        (_SHEET, "Gross bookings grew {} from the previous quarter.", "10.0%", "9.1%"),
        (_SHEET, "Gross bookings per order were {}.", "$20.0", "$18.2"),
    ],
)  # fmt: skip
def test_a_named_calculation_is_derived_and_another_result_is_not(
    text: str, claim: str, right: str, wrong: str
) -> None:
    assert _verdict(text, claim.format(right)) == "derived"
    assert _verdict(text, claim.format(wrong)) != "derived"


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        (_TABLE, "Revenue from services rose 12.3% from 2018 to 2019."),
        (_TABLE, "Revenue rose 12.3% from 2017 to 2018."),
        (_QUOTE, "Corvid's revenue per employee is $175,000."),
        (_SHEET, "Active users rose 20.0% from the previous quarter."),
    ],
)
def test_what_no_source_names_is_not_derived(text: str, claim: str) -> None:
    assert _verdict(text, claim) != "derived"

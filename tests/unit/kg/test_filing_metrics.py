"""Figures of tables read without tags: value, scale, unit and period, each kind by a table of its own."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.unit.kg.test_filing import DEMO, REAL
from verifaible.kg.chunks import chunks_of
from verifaible.kg.extract.tables import table_triples
from verifaible.kg.filing import read_filing
from verifaible.kg.metrics import Metric, MetricReader

COVER = "<p>FORM 10-K</p><p>For the fiscal year ended {end}</p><p>Orla Mills, Inc.</p><p>(Exact name of registrant)</p>"


def read(
    table: str, over: str = "", end: str = "December 31, 2024", text: str = ""
) -> dict[str, list[Metric]]:
    """The metrics of a table written as rows of cells parted by ``|``, by the name of their row."""
    rows = "".join(
        "<tr>" + "".join(f"<td>{cell.strip()}</td>" for cell in line.split("|")) + "</tr>"
        for line in table.strip().splitlines()
    )
    body = f"{COVER.format(end=end)}{text}<p>{over}</p><table>{rows}</table>"
    found: dict[str, list[Metric]] = {}
    for metric in MetricReader(read_filing(body.encode())).cells():
        found.setdefault(metric.name, []).append(metric)
    return found


def told(metric: Metric) -> tuple[Decimal, str, str]:
    return metric.value, metric.unit, str(metric.period)


def test_an_income_statement_has_spans_money_shares_and_what_is_per_share() -> None:
    found = read(
        """
        | Year Ended December 31, | Year Ended December 31,
        | 2024 | 2023
        Revenue | $ | 714 | $ | 602
        Interest expense | | (31) | | (29)
        Other income (expense), net | | (4) | | 6
        Basic earnings per share | $ | 2.97 | $ | 1.21
        Weighted average shares used in computing earnings per share | | 240 | | 246
        """.replace("        | Year", " | | Year").replace("        | 2024 |", " | | 2024 | |"),
        over="(In millions, except per share data)",
    )
    year = "2024-01-01/2024-12-31"
    assert told(found["Revenue"][0]) == (Decimal(714_000_000), "USD", year)
    assert told(found["Interest expense"][0]) == (Decimal(31_000_000), "USD", year)
    assert told(found["Other income (expense), net"][0]) == (Decimal(-4_000_000), "USD", year)
    assert told(found["Basic earnings per share"][0]) == (Decimal("2.97"), "USD/shares", year)
    shares = "Weighted average shares used in computing earnings per share"
    assert told(found[shares][0]) == (Decimal(240_000_000), "shares", year)
    assert str(found["Revenue"][1].period) == "2023-01-01/2023-12-31"


def test_a_balance_sheet_is_of_a_moment() -> None:
    found = read(
        " | December 31, 2024 | December 31, 2023\nInventories | 12 | 11\nRetained earnings | (7) | 3",
        over="(in thousands)",
    )
    assert told(found["Inventories"][1]) == (Decimal(11_000), "USD", "2023-12-31")
    assert told(found["Retained earnings"][0]) == (Decimal(-7_000), "USD", "2024-12-31")


def test_a_year_of_weeks_ends_where_its_dates_tell_and_may_be_named_after_the_one_before() -> None:
    text = (
        "<p>"
        + "In fiscal 2023 and fiscal 2024 we grew. " * 3
        + "The years to January 29, 2023 and January 28, 2024 had 52 weeks.</p>"
    )
    found = read(
        " | Fiscal 2024 | Fiscal 2023\nNet sales | 714 | 602", "in millions", "February 2, 2025", text
    )
    assert [str(each.period) for each in found["Net sales"]] == [
        "2024-01-29/2025-02-02",
        "2023-01-30/2024-01-28",
    ]


def test_balances_and_what_happened_between_them() -> None:
    found = read(
        "Millions | Common Shares | Retained Earnings\nBalance at January 1, 2024 | 60 | 500\nNet income | - | 80\n"
        "Shares repurchased | (2) | (40)\nBalance at December 31, 2024 | 58 | 540"
    )
    assert told(found["Balance at January 1, 2024"][0]) == (Decimal(60_000_000), "shares", "2023-12-31")
    assert told(found["Net income"][0]) == (Decimal(80_000_000), "USD", "2024-01-01/2024-12-31")
    assert told(found["Shares repurchased"][1]) == (Decimal(40_000_000), "USD", "2024-01-01/2024-12-31")
    assert told(found["Balance at December 31, 2024"][1]) == (Decimal(540_000_000), "USD", "2024-12-31")


def test_cash_at_the_beginning_is_of_the_end_of_the_year_before() -> None:
    found = read(
        " | 2024 | 2023\nNet cash provided | 5 | 4\nCash at beginning of year | 9 | 5\nCash at end of year | 14 | 9",
        over="Statements of cash flows (in millions), years ended December 31,",
    )
    periods = [str(found[name][0].period) for name in found]
    assert periods == ["2024-01-01/2024-12-31", "2023-12-31", "2024-12-31"]


def test_percentages_are_ratios_and_a_rate_in_a_name_is_none() -> None:
    found = read(
        " | 2024\nStatutory rate | 21.0 | %\n3.50% Notes due 2050 | 1,500\nDiscount rate | 4.5",
        over="in millions",
    )
    assert told(found["Statutory rate"][0])[:2] == (Decimal("0.21"), "pure")
    assert told(found["3.50% Notes due 2050"][0])[:2] == (Decimal(1_500_000_000), "USD")
    assert told(found["Discount rate"][0])[:2] == (Decimal("0.045"), "pure")


def test_what_is_due_later_is_known_at_the_end_of_the_year() -> None:
    found = read(
        "2025 | 31\n2026 | 30\nThereafter | 77", over="Maturities of debt at December 31, 2024 (in millions):"
    )
    assert {str(each.period) for row in found.values() for each in row} == {"2024-12-31"}


def test_a_quarter_is_a_part_of_a_year() -> None:
    found = read(
        " | Three Months Ended | Three Months Ended\n | March 31, 2024 | June 30, 2024\nRevenue | 31 | 33"
    )
    assert [str(each.period) for each in found["Revenue"]] == [
        "2024-01-01/2024-03-31",
        "2024-04-01/2024-06-30",
    ]


def test_what_a_column_takes_away_is_not_negative_and_a_loss_is() -> None:
    found = read(
        " | Gross Carrying Amount | Accumulated Amortization\nTrade names | 120 | (86)\nNet loss | (5) | -",
        over="Intangible assets at December 31, 2024 (in millions):",
    )
    assert [each.value for each in found["Trade names"]] == [120_000_000, 86_000_000]
    assert found["Net loss"][0].value == -5_000_000


def test_numbers_among_the_words_of_a_cell() -> None:
    label = "Common stock, $0.001 per share; 80,000 shares authorized"
    body = (
        f"{COVER.format(end='December 31, 2024')}<p>Balance Sheets (in millions, except par value)</p><table>"
        f"<tr><td></td><td>December 31, 2024</td></tr><tr><td>{label}</td><td>24</td></tr></table>"
    )
    filing = read_filing(body.encode())
    reader = MetricReader(filing)

    def at(words: str) -> Metric:
        start = filing.text.index(words)
        metric = reader.at(start, start + len(words))
        assert metric is not None
        return metric

    assert told(at("0.001")) == (Decimal("0.001"), "USD/shares", "2024-12-31")
    assert told(at("80,000")) == (Decimal(80_000_000_000), "shares", "2024-12-31")
    assert reader.at(0, 4) is None


def test_a_filing_that_tells_no_year_has_no_metrics() -> None:
    filing = read_filing(b"<p>Words.</p><table><tr><td>Revenue</td><td>714</td></tr></table>")
    assert list(MetricReader(filing).cells()) == []


def test_a_triple_rests_on_its_cell() -> None:
    filing = read_filing(DEMO)
    chunks = {chunk.id: chunk for chunk in chunks_of(filing)}
    triples = table_triples(filing, list(chunks.values()))
    assert len({each.id for each in triples}) == len(triples) > 10
    for each in triples:
        assert filing.text[each.start : each.end] == each.quote
        assert chunks[each.chunk].start <= each.start < each.end <= chunks[each.chunk].end
        assert (each.relation, each.by, bool(each.period)) == ("reports", "tables", True)
    agreed = {(fact.spans[0], fact.value, fact.unit) for fact in filing.facts if fact.numeric and fact.spans}
    read_ = {((each.start, each.end), each.value, each.unit) for each in triples}
    assert len(agreed & read_) >= 20


@pytest.mark.skipif(not REAL.is_dir(), reason="the filings are not here")
def test_the_figures_do_not_fall() -> None:
    """A filing that was developed on; the published figures are of all ten: docs/kg-filings.md."""
    from scripts.filings.cells import compare

    found = compare(REAL / "unp-10-k-2025-02-07.html")
    assert len(found) == 1010
    assert sum(each.all_right for each in found) >= 0.84 * len(found)

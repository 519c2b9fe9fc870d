"""Filings: their text, their facts, their items, their chunks."""

from __future__ import annotations

import itertools
from datetime import date
from decimal import Decimal
from importlib import resources

import pytest

from tests.kit.marks import nightly
from tests.kit.public import PUBLIC, needs_public
from verifaible.errors import WrongContent
from verifaible.extract.html import html_document
from verifaible.extract.markdown import document_markdown
from verifaible.kg.chunks import MOST, chunks_of, count_tokens, shown
from verifaible.kg.filing import Filing, read_filing
from verifaible.kg.xbrl import Fact, closed

REAL = PUBLIC / "filings"
DEMO = resources.files("verifaible.kg").joinpath("demo", "brennock-10-k-2024.html").read_bytes()


@pytest.fixture(scope="module")
def filing() -> Filing:
    return read_filing(DEMO)


def of(filing: Filing, concept: str) -> list[Fact]:
    return [fact for fact in filing.facts if fact.concept == concept]


def words(filing: Filing, fact: Fact) -> list[str]:
    return [filing.text[start:end] for start, end in fact.spans]


def test_the_text_is_the_one_that_every_page_is_read_as(filing: Filing) -> None:
    read = document_markdown(html_document(closed(DEMO.decode()), "about:blank")).text
    # beside a mark a title of a table is not told as one
    assert filing.text.replace("**", "") == read.replace("**", "").replace("\u00a0", " ")


def test_a_fact_stands_where_its_element_is_with_scale_unit_and_period(filing: Filing) -> None:
    prose, _, cell, *_ = of(filing, "us-gaap:Revenues")
    assert (words(filing, prose), words(filing, cell)) == (["$714.3"], ["714.3"])
    assert prose.value == cell.value == Decimal(714_300_000)
    assert prose.spans < cell.spans
    assert prose.period is not None
    assert (prose.unit, str(prose.period), prose.period.days) == ("USD", "2024-01-01/2024-12-31", 366)
    pumps = next(fact for fact in of(filing, "us-gaap:Revenues") if fact.members)
    assert pumps.members == (("us-gaap:StatementBusinessSegmentsAxis", "brn:PumpsMember"),)
    share = of(filing, "us-gaap:EarningsPerShareDiluted")[0]
    assert (share.value, share.unit) == (Decimal("1.05"), "USD/shares")


def test_a_dash_that_stands_for_nothing_is_shown_and_has_no_value(filing: Filing) -> None:
    nil, told = of(filing, "us-gaap:GoodwillImpairmentLoss")
    assert (nil.nil, nil.value, words(filing, nil)) == (True, None, ["—"])
    assert told.value == Decimal(3_200_000)


def test_what_is_hidden_is_shown_nowhere(filing: Filing) -> None:
    (flag,) = of(filing, "dei:AmendmentFlag")
    assert (flag.spans, flag.words) == ((), "false")


def test_a_fact_that_goes_on_elsewhere_has_each_piece() -> None:
    body = (
        "<p><ix:nonNumeric name='x:Note' contextRef='c' continuedAt='n1'>It begins here.</ix:nonNumeric></p>"
        "<p>Page 7</p><p><ix:continuation id='n1'>It ends <b>there</b>.</ix:continuation></p>"
    )
    filing = read_filing(body.encode())
    assert words(filing, filing.facts[0]) == ["It begins here.", "It ends there."]


def test_an_empty_element_takes_nothing_in() -> None:
    body = "<p>A<ix:nonFraction name='x:A' contextRef='c' xsi:nil='true'/> and <b>more</b></p>"
    filing = read_filing(body.encode())
    assert (filing.text, filing.facts[0].spans) == ("A and more", ())


def test_items_and_parts_are_found_by_their_headings_and_not_in_the_contents(filing: Filing) -> None:
    told = [(section.part, section.item, section.title) for section in filing.sections]
    assert told[:6] == [
        ("", "", ""),
        ("I", "1", "Business"),
        ("I", "1A", "Risk Factors"),
        ("I", "2", "Properties"),
        ("I", "3", "Legal Proceedings"),
        ("II", "5", "Market for Registrant's Common Equity"),
    ]
    assert "Item 1. Business" in filing.text[filing.sections[1].start :][:30]
    assert (filing.name, filing.period) == ("Brennock Water Technologies, Inc.", date(2024, 12, 31))


def test_an_item_whose_title_stands_below_it_or_in_a_table_is_found() -> None:
    body = "<h1>x</h1><p>PART II</p><p>Item 5.</p><p>Market</p><p>Words.</p><p>Item 7. Discussion</p><p>More.</p>"
    filing = read_filing(body.encode())
    assert [(each.item, each.title) for each in filing.sections[1:]] == [("5", "Market"), ("7", "Discussion")]


@pytest.mark.parametrize("body", [b"", b"<html><body><div style='display:none'>x</div></body></html>"])
def test_what_has_no_words_is_no_filing(body: bytes) -> None:
    with pytest.raises(WrongContent, match="Give the 10-K as HTML"):
        read_filing(body)


def assert_partition(filing: Filing) -> None:
    chunks = chunks_of(filing)
    assert (chunks[0].start, chunks[-1].end) == (0, len(filing.text))
    assert all(one.end == other.start for one, other in itertools.pairwise(chunks))
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    assert all(chunk.tokens <= MOST for chunk in chunks)
    assert chunks == chunks_of(filing)


def test_chunks_partition_the_text(filing: Filing) -> None:
    assert_partition(filing)


def test_a_long_table_is_cut_between_rows_and_its_head_is_context() -> None:
    rows = "".join(f"<tr><td>Line {n}</td><td>{n * 1000}</td><td>{n * 2000}</td></tr>" for n in range(200))
    body = f"<p>Item 7. Discussion</p><table><tr><th>Line</th><th>2024</th><th>2023</th></tr>{rows}</table>"
    filing = read_filing(f"<p>x</p>{body}".encode())
    assert_partition(filing)
    later = chunks_of(filing)[3:]
    assert later
    assert all("| Line | 2024 | 2023 |" in chunk.context for chunk in later)
    assert all(filing.text[chunk.start : chunk.end].startswith("| Line ") for chunk in later)


def test_a_list_stays_whole() -> None:
    filler = "".join(
        f"<p>Sentence {n} says a few words more about the works and their pumps.</p>" for n in range(28)
    )
    listed = "<ul>" + "".join(f"<li>risk number {n} of many that there are</li>" for n in range(12)) + "</ul>"
    filing = read_filing(f"<p>x</p><p>Item 1A. Risk Factors</p>{filler}{listed}{filler}".encode())
    assert_partition(filing)
    holding = [chunk for chunk in chunks_of(filing) if "risk number" in filing.text[chunk.start : chunk.end]]
    assert len(holding) == 1


def test_a_cell_that_spans_columns_is_counted_once() -> None:
    row = "| Net sales | Net sales | Net sales |  |  | 714 | 714 |"
    assert shown(row) == "| Net sales | 714 |"
    assert count_tokens(row) == count_tokens("| Net sales | 714 |")


@needs_public("filings")
@pytest.mark.parametrize(
    "name",
    [
        "ibm-10-k-2025-02-25",
        *map(
            nightly,
            ("amzn-10-k-2025-02-07", "wfc-10-k-2025-02-25", "wmt-10-k-2025-03-14", "nvda-10-k-2025-02-26"),
        ),
    ],
)
def test_real_filings(name: str) -> None:
    filing = read_filing((REAL / f"{name}.html").read_bytes())
    assert_partition(filing)
    assert {"1", "1A", "7", "7A", "8", "15"} <= {section.item for section in filing.sections}
    shown_ = [fact for fact in filing.facts if fact.numeric and fact.spans]
    assert all(fact.nil or fact.value is not None for fact in shown_)
    for fact in shown_:  # the digits that are tagged are the digits that stand there
        assert "".join(filter(str.isdigit, words(filing, fact)[0])) == "".join(
            filter(str.isdigit, fact.words)
        )

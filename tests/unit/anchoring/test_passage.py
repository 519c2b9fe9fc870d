from __future__ import annotations

import pytest

from verifaible.old.anchoring.passage import find_passage

PAGES = (
    "Annual report\nThe committee gave out much infor-\nmation on its long-\nterm plans. Net income was\n"
    "$4,120 million in fiscal 2024,\nup 3.5 per-\ncent. The merger was not\napproved. "
    "A total of 1,234\nshares",
    "were sold on 12 May 2024.\n公司2024年度实现营业收入人民\n币1,741.44亿元，同比增\n"
    "长15.66%。董事会未批准\n该议案，",
    "并决定于2025年6月1日前重\n新提交。\nNotes\nNet income was $4,120 million in fiscal 2024, as said.",
)


@pytest.mark.parametrize(
    ("quote", "page", "text"),
    [
        ("gave out much information on its", 1, "gave out much infor-\nmation on its"),
        ("its long-term plans", 1, "its long-\nterm plans"),
        ("information on its long-term plans", 1, "infor-\nmation on its long-\nterm plans"),
        ("up 3.5 percent", 1, "up 3.5 per-\ncent"),
        ("income was $4,120 million in fiscal 2024, up", 1, "income was\n$4,120 million in fiscal 2024,\nup"),
        ("1,234 shares were sold on 12 May 2024", 1, "1,234\nshares\nwere sold on 12 May 2024"),
        ("实现营业收入人民币1,741.44亿元", 2, "实现营业收入人民\n币1,741.44亿元"),
        ("同比增长15.66%", 2, "同比增\n长15.66%"),
        ("董事会未批准该议案", 2, "董事会未批准\n该议案"),
        (
            "未批准该议案，并决定于2025年6月1日前重新提交",
            2,
            "未批准\n该议案，\n并决定于2025年6月1日前重\n新提交",
        ),
        ("2025年6月1日前重新提交", 3, "2025年6月1日前重\n新提交"),
    ],
)
@pytest.mark.parametrize("cited", [None, 1, 2, 3])
def test_passages_are_found_on_their_page_whichever_was_cited(
    quote: str, page: int, text: str, cited: int | None
) -> None:
    match = find_passage(PAGES, quote, page_number=cited)
    assert (match.status, match.page_number, match.text) == ("verified", page, text)
    assert PAGES[page - 1][match.match.start : match.match.end] == match.match.text


def test_a_passage_over_a_page_end_has_two_parts() -> None:
    match = find_passage(PAGES, "A total of 1,234 shares were sold")
    assert match.match.text == "A total of 1,234\nshares"
    assert match.continued is not None
    assert PAGES[1][match.continued.start : match.continued.end] == "were sold"


@pytest.mark.parametrize(
    "quote",
    [
        "up 3.6 percent",
        "$4,121 million in fiscal 2024, up",
        "The merger was approved",
        "实现营业收入人民币1,741.45亿元",
        "实现营业收入人民币1,741.44万元",
        "同比增长-15.66%",
        "董事会批准该议案",
        "1,235 shares were sold on 12 May 2024",
        "sold on 12 May 2025",
        "234 shares were sold",
        "its longterm plans for ever",
    ],
)
def test_near_misses_in_a_pdf_are_never_exact(quote: str) -> None:
    assert find_passage(PAGES, quote).status in ("changed", "gone", "ambiguous")


def test_a_lost_hyphen_inside_a_line_is_no_line_end() -> None:
    assert find_passage(("a re-signed contract",), "resigned contract").status == "changed"
    assert find_passage(("a re-\nsigned contract",), "resigned contract").status == "verified"


def test_repeats_on_two_pages_need_a_page_number() -> None:
    quote = "Net income was $4,120 million"
    unclear = find_passage(PAGES, quote)
    assert (unclear.status, unclear.page_number, unclear.match.occurrences) == ("ambiguous", 0, 2)
    assert [text.split(":")[0] for text in unclear.match.candidates] == ["page 1", "page 3"]
    assert find_passage(PAGES, quote, page_number=3).page_number == 3
    assert find_passage(PAGES, quote, page_number=1).page_number == 1


def test_context_tells_pages_apart() -> None:
    match = find_passage(PAGES, "Net income was $4,120 million", near="Notes")
    assert (match.status, match.page_number) == ("verified", 3)


def test_changed_text_stays_on_the_cited_page() -> None:
    match = find_passage(PAGES, "Net income was $4,130 million in fiscal 2024", page_number=3)
    assert (match.status, match.page_number) == ("changed", 3)


@pytest.mark.parametrize("pages", [(), ("",), ("", "\n")])
def test_a_pdf_without_text_has_nothing(pages: tuple[str, ...]) -> None:
    match = find_passage(pages, "text", page_number=1)
    assert (match.status, match.page_number) == ("gone", 0)


@pytest.mark.parametrize("cited", [0, -1, 99])
def test_a_page_that_does_not_exist_is_no_obstacle(cited: int) -> None:
    assert find_passage(PAGES, "sold on 12 May 2024", page_number=cited).page_number == 2


@pytest.mark.parametrize(
    ("foot", "head"),
    [
        ("\n1 Measured at Harn.\n44", ""),
        ("\n¹ See the minutes of 1990, and Holm.\n  The appeal was dismissed.\n88", "Chapter 5\n"),
        ("\n* From 2024: 45 crowns.", ""),
        ("\nFigure 3. Output, in kilotonnes\n7", ""),
        ("\n资料来源：某局。", "第五章 水文\n"),
    ],
)
def test_notes_captions_and_titles_between_two_pages_are_passed_over(foot: str, head: str) -> None:
    pages = (f"The river fell to 1.2 metres, its lowest{foot}", f"{head}level since 1976, and ships stopped.")
    found = find_passage(pages, "its lowest level since 1976")
    assert (found.status, found.page_number, found.match.text) == ("verified", 1, "its lowest")
    assert found.continued is not None
    assert pages[1][found.continued.start : found.continued.end] == "level since 1976"
    assert find_passage(pages, "its lowest level since 1979").status != "verified"
    assert find_passage(pages, "its highest level since 1976").status != "verified"


def test_a_sentence_of_the_body_is_no_note() -> None:
    pages = ("It fell to its lowest\nThe fish died in great numbers.", "level since 1976.")
    assert find_passage(pages, "its lowest level since 1976").status == "gone"

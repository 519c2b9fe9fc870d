"""Overlap, similarity, blocked pages, and finding evidence again: no browser needed."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import unquote

import pytest

from tests.kit.snapshots import page_of
from tests.unit.evidence.pages import page, pdf, table
from verifaible.anchoring.evidence import Found
from verifaible.errors import AnchorAmbiguous, AnchorNotFound
from verifaible.evidence.blocked import why_blocked
from verifaible.evidence.material import page_files, page_from_files
from verifaible.evidence.place import overlap, place, text_similarity
from verifaible.evidence.refusal import refusal
from verifaible.schema.anchor import AnchorRequest, Rect


def rect(x: float, y: float, width: float, height: float) -> Rect:
    return Rect(x=x, y=y, width=width, height=height)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ([rect(0, 0, 10, 10)], [rect(0, 0, 10, 10)], 1.0),
        ([rect(0, 0, 10, 10)], [rect(5, 0, 10, 10)], 0.3333),
        ([rect(0, 0, 10, 10)], [rect(10, 0, 10, 10)], 0.0),
        ([rect(0, 0, 10, 10), rect(0, 20, 10, 10)], [rect(0, 0, 10, 10)], 0.5),
        ([rect(0, 0, 10, 10)], [], 0.0),
        ([], [], 0.0),
        ([rect(0, 0, 0, 0)], [rect(0, 0, 0, 0)], 0.0),
    ],
)
def test_overlap(old: list[Rect], new: list[Rect], expected: float) -> None:
    assert overlap(old, new) == expected
    assert overlap(new, old) == expected


def test_similarity() -> None:
    assert text_similarity("The rate", "THE  RATE") == 1.0
    assert text_similarity("5.33", "5.38") < 0.99
    assert text_similarity("rate", "") == 0.0


@pytest.mark.parametrize(
    ("title", "text", "reason"),
    [
        ("", "   ", "an empty page"),
        ("Just a moment...", "example.org", "a captcha or bot check"),
        ("", "请完成验证", "a captcha or bot check"),
        ("", "请登录", "a login page"),
        ("", "You must sign in to view this page", "a login page"),
        ("404 Not Found", "nginx", "an error page"),
        ("", "您访问的页面不存在", "an error page"),
        ("", "We value your privacy. Accept all", "a consent page"),
        ("Statistics", "Prices rose by 0.3%.", ""),
        ("", "How a captcha works. " + "Words of an article. " * 100, ""),
    ],
)
def test_blocked_pages(title: str, text: str, reason: str) -> None:
    assert why_blocked(page(text, title=title)) == reason


def test_a_page_of_images_only_is_not_empty() -> None:
    assert why_blocked(page("", picture=1)) == ""


def test_material_comes_back_from_its_files() -> None:
    markup = "<p>first \U0001f600</p><p>third 郑　　州</p><table><tr><td rowspan=2>a<td>b<tr><td>c</table>"
    material = replace(
        page_of(markup, title="T"), selected=((0, "table"),), scrolled=(("", 0.0), ("div > p", 120.0))
    )
    found = page_from_files(page_files(material))
    assert found.document == material.document
    assert (found.selected, found.scrolled) == (material.selected, material.scrolled)
    assert found.document.text == "first \U0001f600\nthird 郑　　州\na\nb\nc"


def test_a_quote_in_a_later_frame() -> None:
    material = page("outer words", "the rate was 5.33%")
    found = place(material, AnchorRequest(quote="the rate was 5.33%"))
    assert found.verdict == "verified"
    assert found.anchor is not None
    assert found.anchor.frame_path == ("#f1",)
    assert found.anchor.text_fragment == "http://a.test/page#:~:text=the%20rate%20was%205.33%25"


def test_a_quote_does_not_reach_over_two_frames() -> None:
    found = place(
        page("Today the rate was", "5.33% in all"), AnchorRequest(quote="the rate was 5.33% in all")
    )
    assert found.verdict != "verified"


def test_a_dash_in_a_text_fragment_is_escaped() -> None:
    found = place(page("from 2024-25 on, the rate"), AnchorRequest(quote="2024-25 on, the"))
    assert found.anchor is not None
    assert found.anchor.text_fragment.endswith("text=2024%2D25%20on%2C%20the")


@pytest.mark.parametrize(
    ("quote", "directive"),
    [
        (
            "the committee that was led by Michelle decided in the last week of the month that the federal funds "
            "rate of the previous quarter should stay where it is",
            "the committee that was led by Michelle decided in the last,"
            "funds rate of the previous quarter should stay where it is",
        ),
        (
            "今年二月上海写字楼空置率为百分之五，较上月下降；租金水平总体保持稳定，市场成交面积有所回升，多数区域的供应量与上年同期"
            "大体相当，核心商务区的需求仍然旺盛，企业搬迁和扩租成为主要来源，预计今后几个月空置率将继续下降，部分新项目推迟入市，租金有望企稳。",
            "今年二月上海写字楼空置率为百分之五，较上月下降；租金水平总体保持稳定，市场成交面积有所回升,"
            "核心商务区的需求仍然旺盛，企业搬迁和扩租成为主要来源，预计今后几个月空置率将继续下降，部分新项目推迟入市，租金有望企稳。",
        ),
    ],
)
def test_a_long_quote_is_linked_by_whole_words(quote: str, directive: str) -> None:
    found = place(page(f"Before it: {quote} and so on."), AnchorRequest(quote=quote))
    assert found.anchor is not None
    assert unquote(found.anchor.text_fragment) == f"http://a.test/page#:~:text={directive}"


def titled(caption: str = "", heading: str = "", value: str = "5.33", path: str = "") -> str:
    above = f"<h2>{heading}</h2>" if heading else ""
    return above + table((("City", "Rate"), ("Shanghai", value)), caption=caption, path=path)


CELL = AnchorRequest(evidence_type="table", row=("Shanghai",), column=("Rate",))


@pytest.mark.parametrize("field", ["caption", "heading"])
@pytest.mark.parametrize(
    ("old", "new", "verdict", "shown"),
    [
        ("Rates 2024", "Rates 2024", "verified", ()),
        ("Rates 2024", " RATES  ２０２４", "verified", ()),
        ("Rates 2024", "Rates 2025", "changed", ("2024", "2025")),
        ("Rates in January", "Rates in February", "changed", ("January", "February")),
        ("Rates, first quarter", "Rates, second quarter", "changed", ("first", "second")),
        ("Output (million)", "Output (billion)", "changed", ("million", "billion")),
        ("Rate, %", "Rate, ‰", "changed", ("%", "‰")),
        ("2026年1月空置率", "2026年2月空置率", "changed", ("1", "2")),
        ("上半年空置率", "下半年空置率", "changed", ("上", "下")),
        ("Rates for offices", "Rates for dwellings", "changed", ("offices", "dwellings")),
        ("Rates for offices", "What tenants pay", "moved", ()),
        ("Rates, shown at 10:31", "Rates, shown at 11:02", "changed", ("10:31", "11:02")),
        ("Rates 2024", "", "moved", ()),
        ("", "Rates 2024", "moved", ()),
    ],
)
def test_a_table_that_took_the_place_of_the_cited_one(
    field: str, old: str, new: str, verdict: str, shown: tuple[str, ...]
) -> None:
    anchor = place(page("", markup=titled(**{field: old})), CELL).anchor
    assert anchor is not None and anchor.table is not None
    assert getattr(anchor.table, field) == old
    found = place(page("", markup=titled(**{field: new})), CELL, anchor)
    assert (found.verdict, found.text) == (verdict, "5.33")
    assert tuple(token.text.strip() for token in found.difference if token.op != "same") == shown


@pytest.mark.parametrize("value", ["5.33", "6.01"])
def test_a_table_is_followed_by_its_title(value: str) -> None:
    anchor = place(page("", markup=titled("Rates 2024", path="a")), CELL).anchor
    new = titled("Rates 2025", value=value, path="a")
    found = place(page("", markup=new + titled("Rates 2024", path="b")), CELL, anchor)
    assert (found.verdict, found.text) == ("moved", "5.33")
    assert found.anchor is not None
    assert found.anchor.css_path == "#b"


def test_a_passage_that_moved_to_another_page() -> None:
    first = pdf("The rate was 5.33% in May.", "Other.")
    request = AnchorRequest(evidence_type="pdf", quote="The rate was 5.33%", page_number=1)
    anchor = place(first, request).anchor
    assert anchor is not None
    later = pdf("Other.", "The rate was 5.33% in May.")
    assert place(first, request, anchor).verdict == "verified"
    assert place(later, request, anchor).verdict == "moved"


def test_refusals_say_what_to_do() -> None:
    nothing = refusal(Found("gone", nearest="the rate was 5.33%"), AnchorRequest(quote="x"), "http://a.test/")
    assert isinstance(nothing, AnchorNotFound)
    assert (nothing.nearest, "give steps" in str(nothing)) == ("the rate was 5.33%", True)
    many = refusal(Found("ambiguous", candidates=("one", "two")), AnchorRequest(quote="x"), "http://a.test/")
    assert isinstance(many, AnchorAmbiguous)
    assert many.candidates == ("one", "two")
    long = refusal(Found("gone", nearest="word " * 200), AnchorRequest(quote="x"), "http://a.test/")
    assert len(str(long)) < 700

"""Overlap, similarity, blocked pages, and finding evidence again: no browser needed."""

from __future__ import annotations

from urllib.parse import unquote

import pytest

from verifaible.browser.reading import FrameTable, FrameText, Image, PageText
from verifaible.errors import AnchorAmbiguous, AnchorNotFound
from verifaible.evidence.check.replay import overlap, text_similarity
from verifaible.evidence.observing.blocked import why_blocked
from verifaible.evidence.observing.links import text_link
from verifaible.evidence.observing.material import PageMaterial, PdfMaterial, page_files, page_from_files
from verifaible.evidence.observing.places import Placement, place
from verifaible.evidence.observing.refusal import refusal
from verifaible.schema.anchor import AnchorRequest, Rect
from verifaible.schema.table import RawCell, RawTable


def page(*texts: str, title: str = "", tables: tuple[FrameTable, ...] = (), images: int = 0) -> PageMaterial:
    frames, start = [], 0
    for index, text in enumerate(texts):
        path = (f"#f{index}",) if index else ()
        frames.append(FrameText(path=path, url="http://a.test/", start=start, text=text))
        start += len(text) + 3
    picture = Image(
        css_path="img", tag="img", alt="", src="", width=1, height=1, complete=True,
        rect=Rect(x=0, y=0, width=1, height=1),
    )  # fmt: skip
    return PageMaterial(
        url="http://a.test/page#part",
        title=title,
        page=PageText(frames=tuple(frames)),
        tables=tables,
        images=(picture,) * images,
    )


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
    assert why_blocked(page("", images=1)) == ""


def test_material_comes_back_from_its_files() -> None:
    table = FrameTable(
        frame_path=("#f1",), table=RawTable(rows=((RawCell(text="a", rowspan=2),),), css_path="table")
    )
    material = page("first \U0001f600", "", "third 郑　　州", title="T", tables=(table,), images=2)
    assert page_from_files(page_files(material)) == material


def test_a_quote_in_a_later_frame() -> None:
    material = page("outer words", "the rate was 5.33%")
    found = place(material, AnchorRequest(quote="the rate was 5.33%"))
    assert found.verdict == "verified"
    assert found.anchor is not None
    assert found.anchor.frame_path == ("#f1",)
    assert found.anchor.text_fragment == "http://a.test/page#:~:text=the%20rate%20was%205.33%25"


def test_a_quote_does_not_reach_over_two_frames() -> None:
    found = place(page("the rate was", "5.33% in all"), AnchorRequest(quote="the rate was 5.33% in all"))
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
    assert found.anchor.text_fragment == text_link("http://a.test/page", quote)


def titled(caption: str = "", heading: str = "", value: str = "5.33", path: str = "table") -> FrameTable:
    rows = (("City", "Rate"), ("Shanghai", value))
    cells = tuple(
        tuple(RawCell(text=text, header=not index) for text in row) for index, row in enumerate(rows)
    )
    return FrameTable(
        frame_path=(), table=RawTable(rows=cells, caption=caption, css_path=path), heading=heading
    )


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
        ("2026年1月空置率", "2026年2月空置率", "changed", ("2026年1月", "2026年2月")),
        ("上半年空置率", "下半年空置率", "changed", ("上", "下")),
        ("Rates for offices", "Rates for dwellings", "moved", ()),
        ("Rates, shown at 10:31", "Rates, shown at 11:02", "verified", ()),
        ("Rates 2024", "", "verified", ()),
        ("", "Rates 2024", "verified", ()),
    ],
)
def test_a_table_that_took_the_place_of_the_cited_one(
    field: str, old: str, new: str, verdict: str, shown: tuple[str, ...]
) -> None:
    anchor = place(page("t", tables=(titled(**{field: old}),)), CELL).anchor
    assert anchor is not None and anchor.table is not None
    assert getattr(anchor.table, field) == old
    found = place(page("t", tables=(titled(**{field: new}),)), CELL, anchor)
    assert (found.verdict, found.found) == (verdict, "5.33")
    assert tuple(token.text.strip() for token in found.difference if token.op != "same") == shown


@pytest.mark.parametrize("value", ["5.33", "6.01"])
def test_a_table_is_followed_by_its_title(value: str) -> None:
    anchor = place(page("t", tables=(titled("Rates 2024", path="#a"),)), CELL).anchor
    new = titled("Rates 2025", value=value, path="#a")
    found = place(page("t", tables=(new, titled("Rates 2024", path="#b"))), CELL, anchor)
    assert (found.verdict, found.found) == ("moved", "5.33")
    assert found.anchor is not None
    assert found.anchor.css_path == "#b"


def test_a_passage_that_moved_to_another_page() -> None:
    first = PdfMaterial(url="http://a.test/f.pdf", pages=("The rate was 5.33% in May.", "Other"))
    request = AnchorRequest(evidence_type="pdf", quote="The rate was 5.33%", page_number=1)
    anchor = place(first, request).anchor
    assert anchor is not None
    later = PdfMaterial(url="http://a.test/f.pdf", pages=("Other", "The rate was 5.33% in May."))
    assert place(first, request, anchor).verdict == "verified"
    assert place(later, request, anchor).verdict == "moved"


def test_refusals_say_what_to_do() -> None:
    nothing = refusal(
        Placement("gone", nearest="the rate was 5.33%"), AnchorRequest(quote="x"), "http://a.test/"
    )
    assert isinstance(nothing, AnchorNotFound)
    assert (nothing.nearest, "give steps" in str(nothing)) == ("the rate was 5.33%", True)
    many = refusal(
        Placement("ambiguous", candidates=("one", "two")), AnchorRequest(quote="x"), "http://a.test/"
    )
    assert isinstance(many, AnchorAmbiguous)
    assert many.candidates == ("one", "two")
    long = refusal(Placement("gone", nearest="word " * 200), AnchorRequest(quote="x"), "http://a.test/")
    assert len(str(long)) < 700

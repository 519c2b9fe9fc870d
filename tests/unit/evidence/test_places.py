"""Overlap, similarity, blocked pages, and finding evidence again: no browser needed."""

from __future__ import annotations

import pytest

from verifaible.browser.reading import FrameTable, FrameText, Image, PageText
from verifaible.errors import AnchorAmbiguous, AnchorNotFound
from verifaible.evidence.blocked import why_blocked
from verifaible.evidence.material import PageMaterial, PdfMaterial, page_files, page_from_files
from verifaible.evidence.places import Placement, place
from verifaible.evidence.refusal import refusal
from verifaible.evidence.replay import overlap, text_similarity
from verifaible.schema.citation import AnchorRequest, Rect
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
    assert (nothing.nearest, "action_steps" in str(nothing)) == ("the rate was 5.33%", True)
    many = refusal(
        Placement("ambiguous", candidates=("one", "two")), AnchorRequest(quote="x"), "http://a.test/"
    )
    assert isinstance(many, AnchorAmbiguous)
    assert many.candidates == ("one", "two")
    long = refusal(Placement("gone", nearest="word " * 200), AnchorRequest(quote="x"), "http://a.test/")
    assert len(str(long)) < 700

"""PDF pages: text whose every character has a place, whatever the rotation."""

from __future__ import annotations

import pymupdf
import pytest

from verifaible.errors import BadArguments, WrongContent
from verifaible.old.extract.pdf import PdfDocument
from verifaible.schema.anchor import Rect


def pdf(rotation: int = 0, **options: object) -> bytes:
    document = pymupdf.open()
    page = document.new_page(width=400, height=600)
    page.insert_text((72, 72), "国家统计局公布居民", fontname="china-s")
    page.insert_text((72, 90), "消费价格上涨0.2%", fontname="china-s")
    page.insert_text((72, 140), "second office line")
    page.set_rotation(rotation)
    document.new_page()
    document.set_metadata({"title": "公报"})
    document.set_toc([[1, "第一章", 1], [2, "节", 2]])
    data: bytes = document.tobytes(**options)
    return data


def test_text_title_outline_and_pages() -> None:
    with PdfDocument(pdf()) as document:
        assert document.page_text(1) == "国家统计局公布居民\n消费价格上涨0.2%\nsecond office line\n"
        assert document.page_text(2) == ""
        assert (document.page_count, document.title, document.has_text) == (2, "公报", True)
        assert [(item.level, item.text, item.page_number) for item in document.outline] == [
            (1, "第一章", 1),
            (2, "节", 2),
        ]


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_rectangles_follow_the_rotation(rotation: int) -> None:
    with PdfDocument(pdf()) as plain, PdfDocument(pdf(rotation)) as turned:
        text = turned.page_text(1)
        start = text.index("居民")
        end = text.index("价格")
        upright, rects = plain.rects(1, start, end), turned.rects(1, start, end)
        width, height = turned.page_size(1)

    assert text[start:end] == "居民\n消费"
    assert len(upright) == len(rects) == 2, "one rectangle a line, across the break of a Chinese word"
    assert (width, height) == ((400, 600) if rotation in {0, 180} else (600, 400))
    for before, after in zip(upright, rects, strict=True):
        corner = {
            0: (before.x, before.y),
            90: (600 - before.y - before.height, before.x),
            180: (400 - before.x - before.width, 600 - before.y - before.height),
            270: (before.y, 400 - before.x - before.width),
        }[rotation]
        assert (after.x, after.y) == pytest.approx(corner, abs=0.01)


def test_every_code_point_has_a_box() -> None:
    with PdfDocument(pdf()) as document:
        text = document.page_text(1)
        for index, character in enumerate(text):
            boxes = document.rects(1, index, index + 1)
            assert len(boxes) == (0 if character.isspace() else 1)
        assert document.rects(1, 5, 5) == ()


def test_a_picture_shows_the_highlight_and_leaves_the_document_alone() -> None:
    data = pdf()
    with PdfDocument(data) as document:
        clean = document.render(1, scale=1)
        rect = document.rects(1, 0, 3)[0]
        marked = document.render(1, scale=1, highlight=(rect,))
        assert document.render(1, scale=1) == clean

    def pixel(png: bytes, x: float, y: float) -> tuple[int, int, int]:
        red, green, blue = pymupdf.Pixmap(png).pixel(round(x), round(y))
        return red, green, blue

    inside = (rect.x + 1, rect.y + 1)
    assert pymupdf.Pixmap(clean).width == 400
    assert pixel(clean, *inside) == (255, 255, 255)
    red, green, blue = pixel(marked, *inside)
    assert red > 230
    assert green > 200
    assert blue < 120
    assert pixel(marked, 300, 300) == (255, 255, 255)


def test_the_scale_is_pixels_a_point_up_to_a_limit() -> None:
    with PdfDocument(pdf()) as document:
        assert pymupdf.Pixmap(document.render(1)).height == 1200
        assert pymupdf.Pixmap(document.render(1, scale=1000)).height <= 8000


def test_a_scan_has_no_text() -> None:
    document = pymupdf.open()
    document.new_page().draw_rect(pymupdf.Rect(10, 10, 50, 50), fill=(0, 0, 0))
    with PdfDocument(document.tobytes()) as opened:
        assert opened.has_text is False
        assert opened.rects(1, 0, 10) == ()


@pytest.mark.parametrize("number", [0, 3, -1])
def test_a_page_that_does_not_exist_is_named(number: int) -> None:
    with PdfDocument(pdf()) as document, pytest.raises(BadArguments, match=r"pages 1 to 2"):
        document.page_text(number)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not a PDF"),
        (b"<html>%PD</html>", "not a PDF"),
        (b"%PDF-1.7\n garbage", "damaged"),
        (pdf(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="x", owner_pw="y"), "password"),
    ],
)
def test_unusable_documents_are_told_apart(data: bytes, message: str) -> None:
    with pytest.raises(WrongContent, match=message):
        PdfDocument(data)


def test_closing_twice_is_harmless() -> None:
    document = PdfDocument(pdf())
    document.close()
    document.close()


def test_rects_are_records() -> None:
    with PdfDocument(pdf()) as document:
        assert all(isinstance(rect, Rect) for rect in document.rects(1, 0, 20))

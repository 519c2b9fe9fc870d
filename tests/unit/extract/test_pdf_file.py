"""PDF files: what is refused, where words are, and which of them nobody sees."""

from __future__ import annotations

import io
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import process_time
from typing import Any

import pymupdf
import pytest
from PIL import Image

from verifaible.errors import BadArguments, WrongContent
from verifaible.extract.pdf import MAX_RENDER_PIXELS, PdfFile, pdf_document

LINE = "The vacancy rate was 5.33 in May."
AT, OVER = (72, 100), pymupdf.Rect(60, 80, 300, 110)
BLACK, WHITE = (0, 0, 0), (1, 1, 1)


def file(draw: Callable[[Any], object], rotation: int = 0, **options: object) -> bytes:
    made = pymupdf.open()
    page = made.new_page(width=400, height=600)
    draw(page)
    page.set_rotation(rotation)
    data: bytes = made.tobytes(**options)
    return data


def line(page: Any, **options: object) -> object:
    return page.insert_text(AT, LINE, **options)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "not a PDF"),
        (b"<html>%PD</html>", "not a PDF"),
        (b"%PDF-1.7\n garbage", "damaged"),
        (file(line, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="x", owner_pw="y"), "password"),
    ],
)
def test_unusable_files_are_told_apart(body: bytes, message: str) -> None:
    with pytest.raises(WrongContent, match=message):
        pdf_document(body)


def test_one_thread_at_a_time_has_files_open() -> None:
    body = file(line)
    with ThreadPoolExecutor(1) as others:
        with PdfFile(body) as held:
            waiting = others.submit(pdf_document, body)
            with pytest.raises(TimeoutError):
                waiting.result(0.2)
            assert pdf_document(body).text == held.document.text  # the same thread may open another
        assert waiting.result(60).text == held.document.text
        with pytest.raises(WrongContent):
            PdfFile(b"%PDF-1.7 nothing")
        assert others.submit(pdf_document, body).result(60).text


def test_a_page_that_does_not_exist_is_named() -> None:
    with PdfFile(file(line)) as opened, pytest.raises(BadArguments, match="pages 1 to 1"):
        opened.picture(2)


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_boxes_follow_the_rotation(rotation: int) -> None:
    (upright,) = pdf_document(file(line)).blocks[0].boxes
    (turned,) = pdf_document(file(line, rotation)).blocks[0].boxes
    x, y, width, height = upright.x, upright.y, upright.width, upright.height
    corner = {
        0: (x, y, width, height),
        90: (600 - y - height, x, height, width),
        180: (400 - x - width, 600 - y - height, width, height),
        270: (y, 400 - x - width, height, width),
    }[rotation]
    assert (turned.x, turned.y, turned.width, turned.height) == pytest.approx(corner, abs=0.01)
    assert (upright.start, upright.end) == (0, len(LINE))


def test_what_lies_beyond_the_crop_box_is_not_read() -> None:
    def draw(page: Any) -> None:
        line(page)
        page.insert_text((72, 400), "Not shown.")
        page.set_cropbox(pymupdf.Rect(50, 50, 350, 300))

    document = pdf_document(file(draw))
    assert [block.text for block in document.blocks] == [LINE]
    assert document.blocks[0].boxes[0].x == pytest.approx(72 - 50, abs=0.5)


def test_the_painted_words_are_read_and_not_what_is_said_to_replace_them() -> None:
    made = pymupdf.open()
    page = made.new_page(width=400, height=300)
    line(page)
    (content,) = page.get_contents()
    painted = made.xref_stream(content)
    made.update_stream(
        content, b"/Span <</ActualText (The vacancy rate was 1.33)>> BDC\n" + painted + b"\nEMC"
    )
    assert [block.text for block in pdf_document(made.tobytes()).blocks] == [LINE]


def test_a_picture_has_so_many_pixels_a_point_up_to_a_limit() -> None:
    with PdfFile(file(line)) as opened:
        assert pymupdf.Pixmap(opened.picture(1)).height == 1200
        assert pymupdf.Pixmap(opened.picture(1, (50, 50, 150, 100), scale=3)).width == 300
        assert pymupdf.Pixmap(opened.picture(1, scale=1000)).height <= MAX_RENDER_PIXELS


def _scan(ink: tuple[int, int, int] = (0, 0, 0), alpha: int = 255) -> bytes:
    picture = Image.new("RGBA", (800, 100), (255, 255, 255, alpha))
    for at in range(20, 780, 8):
        picture.paste((*ink, alpha), (at, 20, at + 4, 80))
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()


def over(page: Any, picture: bytes) -> object:
    return page.insert_image(OVER, stream=picture, keep_proportion=False)


def on(fill: tuple[float, float, float], **options: object) -> Callable[[Any], object]:
    """A line on a bar of a colour."""
    return lambda page: (page.draw_rect(OVER, color=fill, fill=fill), line(page, **options))


def under(fill: tuple[float, float, float], **options: object) -> Callable[[Any], object]:
    """A line under a bar of a colour."""
    return lambda page: (line(page, **options), page.draw_rect(OVER, color=fill, fill=fill))


SEEN: dict[str, Callable[[Any], object]] = {
    "black on white": line,
    "red": lambda page: line(page, color=(0.8, 0, 0)),
    "blue": lambda page: line(page, color=(0, 0, 0.8)),
    "light grey": lambda page: line(page, color=(0.7, 0.7, 0.7)),
    "yellow on black": on(BLACK, color=(1, 1, 0)),
    "white on black": on(BLACK, color=WHITE),
    "white on blue": on((0, 0, 0.6), color=WHITE),
    "black on yellow": on((1, 1, 0)),
    "grey on grey": on((0.5, 0.5, 0.5), color=(0.8, 0.8, 0.8)),
    "six points": lambda page: line(page, fontsize=6),
    "four points": lambda page: line(page, fontsize=4.5),
    "large": lambda page: line(page, fontsize=20),
    "bold": lambda page: line(page, fontname="hebo"),
    "serif": lambda page: line(page, fontname="tiro"),
    "outlined": lambda page: line(page, render_mode=1, fontsize=16),
    "sideways": lambda page: page.insert_text((100, 400), LINE, rotate=90),
    "half transparent": lambda page: line(page, fill_opacity=0.5),
    "underlined": lambda page: (line(page), page.draw_line((72, 102), (220, 102))),
    "the text layer of a scan": lambda page: (over(page, _scan()), line(page, render_mode=3)),
}
HIDDEN: dict[str, Callable[[Any], object]] = {
    "white on white": lambda page: line(page, color=WHITE),
    "nearly white": lambda page: line(page, color=(0.985, 0.985, 0.985)),
    "black on black": on(BLACK),
    "blue on the same blue": on((0, 0, 0.6), color=(0, 0, 0.6)),
    "never drawn": lambda page: line(page, render_mode=3),
    "transparent": lambda page: line(page, fill_opacity=0),
    "two points": lambda page: line(page, fontsize=2),
    "a hairline": lambda page: line(page, fontsize=0.5),
    "under a black bar": under(BLACK),
    "under a white bar": under(WHITE),
    "under a yellow bar": under((1, 1, 0)),
    "white under a black bar": under(BLACK, color=WHITE),
    "under a scan": lambda page: (line(page), over(page, _scan())),
    "under a plain picture": lambda page: (line(page), over(page, _scan(ink=(255, 255, 255)))),
    "beyond the page": lambda page: page.insert_text((72, 640), LINE),
    "left of the page": lambda page: page.insert_text((-300, 100), LINE),
    "outlined in white": lambda page: line(page, render_mode=1, color=WHITE),
    "clipped away": lambda page: line(page, render_mode=7),
    "white and large": lambda page: line(page, color=WHITE, fontsize=18),
}


def is_seen(body: bytes) -> bool:
    """Whether the line can be read in the document, and all of it is seen."""
    with PdfFile(body) as opened:
        for at, block in enumerate(opened.document.blocks):
            if LINE in block.text:
                start = block.text.index(LINE)
                return not opened.hidden_words(at, start, start + len(LINE))
    return False


@pytest.mark.parametrize("rotation", [0, 90])
@pytest.mark.parametrize("draw", SEEN.values(), ids=SEEN)
def test_words_that_are_drawn(draw: Callable[[Any], object], rotation: int) -> None:
    assert is_seen(file(draw, rotation))


@pytest.mark.parametrize("draw", HIDDEN.values(), ids=HIDDEN)
def test_words_that_nobody_sees(draw: Callable[[Any], object]) -> None:
    assert not is_seen(file(draw))


def test_the_text_layer_of_a_scan_is_told() -> None:
    with PdfFile(file(SEEN["the text layer of a scan"])) as scan, PdfFile(file(line)) as plain:
        assert scan.is_scanned(0, 0, len(LINE))
        assert not plain.is_scanned(0, 0, len(LINE))


def test_only_the_words_asked_for_are_looked_at() -> None:
    def draw(page: Any) -> None:
        page.insert_text(AT, "seen here")
        page.insert_text((72, 112), "and not seen", color=WHITE)

    with PdfFile(file(draw)) as opened:
        (block,) = opened.document.blocks
        assert opened.hidden_words(0, 0, len("seen here")) == ()
        assert opened.hidden_words(0, 0, len(block.text)) == ("and", "not", "seen")


def test_struck_out_words_are_marked() -> None:
    def draw(page: Any) -> None:
        line(page)
        page.insert_text((72, 130), "Pets are welcome.")
        page.draw_line((72, 97), (150, 97))
        page.add_strikeout_annot(page.search_for("Pets are welcome."))

    marked = [
        block.text[mark.start : mark.end]
        for block in pdf_document(file(draw)).blocks
        for mark in block.marks
        if mark.kind == "struck"
    ]
    assert "".join(marked).replace(" ", "") == "Thevacancyrat" + "Petsarewelcome."


@pytest.mark.parametrize("rotation", [0, 90])
def test_a_strikeout_over_a_line_end_leaves_the_rest_of_both_lines(rotation: int) -> None:
    def draw(page: Any) -> None:
        page.insert_text((72, 100), "The rent is due in May. Pets are")
        page.insert_text((72, 114), "welcome here. The landlord keeps the key.")
        page.add_strikeout_annot([*page.search_for("Pets are"), *page.search_for("welcome here.")])

    (block,) = pdf_document(file(draw, rotation)).blocks
    struck = [block.text[mark.start : mark.end] for mark in block.marks if mark.kind == "struck"]
    assert struck == ["Pets", "are", "welcome", "here."]


def test_hundreds_of_strikeouts_cost_little_beside_the_reading_of_the_letters() -> None:
    def draw(page: Any) -> None:
        page.set_mediabox(pymupdf.Rect(0, 0, 600, 1300))
        for at in range(200):
            page.insert_text((20, 20 + 6.2 * at), "abcdefghi " * 18, fontsize=5)
            for left in (20, 120):
                page.add_strikeout_annot(pymupdf.Rect(left, 15 + 6.2 * at, left + 40, 21 + 6.2 * at))

    body = file(draw)
    with pymupdf.open(stream=body) as opened:
        start = process_time()
        opened[0].get_text("rawdict")
        plain = process_time() - start
    start = process_time()
    marks = [mark for block in pdf_document(body).blocks for mark in block.marks if mark.kind == "struck"]
    assert process_time() - start < 20 * plain
    assert len(marks) >= 400


def test_thousands_of_scattered_names_are_all_read() -> None:
    made = pymupdf.open()
    page = made.new_page(width=2000, height=2000)
    writer = pymupdf.TextWriter(page.rect)
    names = [f"name{at}" for at in range(2000)]
    for at, name in enumerate(names):
        writer.append((at * 7919 % 1900, 20 + at * 104729 % 1900), name, fontsize=6)
    writer.write_text(page)
    text = pdf_document(made.tobytes()).text.replace(" ", "")
    assert sum(name in text for name in names) >= 0.9 * len(names)  # where two overlap, neither can be read

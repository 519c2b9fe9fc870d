"""Which words of a PDF's page a reader sees, and whether they are read in a row."""

from __future__ import annotations

import io
from collections.abc import Callable

import pymupdf
import pytest
from PIL import Image

from verifaible.old.extract.pdf import PdfDocument

LINE = "the vacancy rate was 5.33"
RED = (0.8, 0.0, 0.0)


def document(draw: Callable[[pymupdf.Page], object], rotation: int = 0) -> PdfDocument:
    made = pymupdf.open()
    page = made.new_page(width=400, height=300)
    draw(page)
    page.set_rotation(rotation)
    return PdfDocument(made.tobytes())


def hidden(opened: PdfDocument, words: str = LINE) -> tuple[str, ...]:
    with opened:
        start = opened.page_text(1).index(words)
        return opened.hidden_words(1, start, start + len(words))


def _scan() -> bytes:
    picture = Image.new("RGB", (800, 100), (255, 255, 255))
    for at in range(20, 780, 8):
        picture.paste((0, 0, 0), (at, 20, at + 4, 80))
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()


AT = (72, 100)
OVER = pymupdf.Rect(60, 80, 300, 110)


@pytest.mark.parametrize(
    "draw",
    [
        pytest.param(lambda page: page.insert_text(AT, LINE), id="black on white"),
        pytest.param(lambda page: page.insert_text(AT, LINE, color=RED), id="red"),
        pytest.param(lambda page: page.insert_text(AT, LINE, fontsize=6), id="small"),
        pytest.param(
            lambda page: (page.draw_rect(OVER, fill=(0, 0, 0)), page.insert_text(AT, LINE, color=(1, 1, 1))),
            id="white on black",
        ),
        pytest.param(
            lambda page: (
                page.insert_image(OVER, stream=_scan(), keep_proportion=False),
                page.insert_text(AT, LINE, render_mode=3),
            ),
            id="the text layer of a scan",
        ),
    ],
)
@pytest.mark.parametrize("rotation", [0, 90])
def test_words_that_are_drawn(draw: Callable[[pymupdf.Page], object], rotation: int) -> None:
    assert hidden(document(draw, rotation)) == ()


@pytest.mark.parametrize(
    ("picture", "render_mode", "scanned"), [(True, 3, True), (True, 0, False), (False, 0, False)]
)
def test_the_text_layer_of_a_scan_is_told(picture: bool, render_mode: int, scanned: bool) -> None:
    def draw(page: pymupdf.Page) -> None:
        if picture:
            page.insert_image(OVER, stream=_scan(), keep_proportion=False)
        page.insert_text(AT, LINE, render_mode=render_mode)

    with document(draw) as opened:
        start = opened.page_text(1).index(LINE)
        assert opened.scanned(1, start, start + len(LINE)) is scanned


@pytest.mark.parametrize(
    "draw",
    [
        pytest.param(lambda page: page.insert_text(AT, LINE, color=(1, 1, 1)), id="white on white"),
        pytest.param(lambda page: page.insert_text(AT, LINE, render_mode=3), id="never drawn"),
        pytest.param(lambda page: page.insert_text(AT, LINE, fontsize=1.5), id="tiny"),
        pytest.param(
            lambda page: (page.insert_text(AT, LINE), page.draw_rect(OVER, fill=(0, 0, 0))), id="a bar"
        ),
        pytest.param(
            lambda page: (
                page.insert_text(AT, LINE),
                page.insert_image(OVER, stream=_scan(), keep_proportion=False),
            ),
            id="under a picture",
        ),
    ],
)
def test_words_that_nobody_sees(draw: Callable[[pymupdf.Page], object]) -> None:
    assert hidden(document(draw)) == tuple(LINE.split())


def test_only_the_words_asked_for_are_looked_at() -> None:
    def draw(page: pymupdf.Page) -> None:
        page.insert_text(AT, "seen here")
        page.insert_text((72, 130), "not seen", color=(1, 1, 1))

    with document(draw) as opened:
        text = opened.page_text(1)
        start = text.index("seen here")
        assert opened.hidden_words(1, start, start + len("seen here")) == ()
        assert opened.hidden_words(1, start, len(text)) == ("not", "seen")


def test_lines_below_one_another_are_read_on_and_far_ones_are_not() -> None:
    def draw(page: pymupdf.Page) -> None:
        page.insert_text((72, 100), "the rate was")
        page.insert_text((72, 115), "5.33 in May")
        page.insert_text((72, 250), "and not so")

    with document(draw) as opened:
        text = opened.page_text(1)
        assert opened.apart(1, 0, text.index("and")) is None
        assert opened.apart(1, 0, len(text)) == ("May", "and")


def test_the_row_of_a_table_is_read_over_its_gaps() -> None:
    def draw(page: pymupdf.Page) -> None:
        for x, word in ((72, "Rate"), (200, "5.33"), (330, "5.38")):
            page.insert_text((x, 100), word)

    with document(draw) as opened:
        assert opened.page_text(1).split() == ["Rate", "5.33", "5.38"]
        assert opened.apart(1, 0, len(opened.page_text(1))) is None


def test_the_painted_words_are_read_and_not_what_is_said_to_replace_them() -> None:
    made = pymupdf.open()
    page = made.new_page(width=400, height=300)
    page.insert_text(AT, LINE)
    (content,) = page.get_contents()
    painted = made.xref_stream(content)
    made.update_stream(
        content, b"/Span <</ActualText (the vacancy rate was 1.33)>> BDC\n" + painted + b"\nEMC"
    )
    with PdfDocument(made.tobytes()) as opened:
        assert opened.page_text(1) == f"{LINE}\n"

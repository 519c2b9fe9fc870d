"""Whether words are drawn, judged by pixels."""

from __future__ import annotations

import io

import pytest
from PIL import Image, ImageDraw, ImageFilter

from verifaible.extract.ink import LEAST_CONTRAST, InkSheet, inked

WHITE, BLACK = (255, 255, 255), (0, 0, 0)
BOX = (10.0, 10.0, 80.0, 16.0)


def picture(
    ink: tuple[int, int, int] | None,
    ground: tuple[int, int, int] = WHITE,
    *,
    strokes: int = 12,
    blur: float = 0,
) -> Image.Image:
    """A word as upright strokes in :data:`BOX`."""
    made = Image.new("RGB", (120, 40), ground)
    if ink is not None:
        draw = ImageDraw.Draw(made)
        for n in range(strokes):
            draw.line((12 + 6 * n, 12, 13 + 6 * n, 23), fill=ink, width=2)
    return made.filter(ImageFilter.GaussianBlur(blur)) if blur else made


def png(image: Image.Image) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def seen(shown: Image.Image, without: Image.Image, after: Image.Image | None = None) -> bool:
    (told,) = inked((png(shown), png(without), png(after or shown)), [[BOX]])
    return told


@pytest.mark.parametrize(
    ("ink", "ground"),
    [
        (BLACK, WHITE),
        (WHITE, BLACK),
        ((150, 150, 150), WHITE),
        ((200, 0, 0), (0, 0, 120)),
        ((255, 255, 255 - 2 * LEAST_CONTRAST), WHITE),
    ],
)
def test_words_that_differ_from_their_ground_are_seen(
    ink: tuple[int, int, int], ground: tuple[int, int, int]
) -> None:
    assert seen(picture(ink, ground), picture(None, ground))


@pytest.mark.parametrize(
    ("shown", "without"),
    [
        pytest.param(picture(None), picture(None), id="nothing drawn"),
        pytest.param(picture((250, 250, 250)), picture(None), id="hardly another colour"),
        pytest.param(picture(BLACK, strokes=1), picture(None), id="a sliver of it"),
        pytest.param(picture(BLACK, blur=9), picture(None), id="blurred"),
        pytest.param(picture(BLACK), picture(BLACK), id="covered alike"),
    ],
)
def test_words_of_which_nothing_is_missing_are_not(shown: Image.Image, without: Image.Image) -> None:
    assert not seen(shown, without)


def test_what_moves_by_itself_is_no_ink() -> None:
    assert not seen(picture(BLACK), picture(None), picture(None))  # it blinks
    assert seen(picture(BLACK), picture(None), picture((0, 90, 0)))  # its colour changes


def test_words_that_are_too_low_are_not_read() -> None:
    pictures = (png(picture(BLACK)), png(picture(None)), png(picture(BLACK)))
    assert inked(pictures, [[(10, 12, 80, 4)], [(10, 12, 80, 6)], [(0, 0, 0, 0)], []]) == [
        False, True, False, False,
    ]  # fmt: skip


def test_a_word_on_two_lines_has_two_boxes() -> None:
    pictures = (png(picture(BLACK)), png(picture(None)), png(picture(BLACK)))
    halves = [(10.0, 10.0, 40.0, 16.0), (50.0, 10.0, 40.0, 16.0)]
    assert inked(pictures, [halves]) == [True]


def sheet(ink: tuple[int, int, int] | None, ground: tuple[int, int, int] = WHITE) -> InkSheet:
    return InkSheet(png(picture(ink, ground)), 1.0)


#: A letter for each stroke of the picture: left, top, right, bottom.
LETTERS = [(11.0 + 6 * n, 10.0, 16.0 + 6 * n, 26.0) for n in range(12)]


@pytest.mark.parametrize(
    ("ink", "ground", "shown"),
    [(BLACK, WHITE, True), (WHITE, BLACK, True), (None, WHITE, False), (None, BLACK, False),
     ((250, 250, 250), WHITE, False)],
)  # fmt: skip
def test_letters_of_a_pdf_have_ink(
    ink: tuple[int, int, int] | None, ground: tuple[int, int, int], shown: bool
) -> None:
    assert sheet(ink, ground).shows(LETTERS) is shown


def test_nearly_all_letters_of_a_word_must_have_ink() -> None:
    blank = [(95.0, 10.0, 100.0, 26.0)]
    assert sheet(BLACK).shows(LETTERS[:8] + blank)
    assert not sheet(BLACK).shows(LETTERS[:3] + blank)


@pytest.mark.parametrize(
    "box", [(11.0, 12.0, 13.0, 15.0), (-50.0, 10.0, -40.0, 26.0), (500.0, 10.0, 510.0, 26.0)]
)
def test_letters_that_are_tiny_or_off_the_page_are_not_seen(box: tuple[float, float, float, float]) -> None:
    assert not sheet(BLACK).shows([box])

"""Whether the eye reads on from one piece to the next."""

from __future__ import annotations

import pytest

from verifaible.old.extract.flow import Piece, gap
from verifaible.schema.anchor import Rect


def piece(
    text: str, x: float, y: float, width: float = 40, height: float = 10, *, joined: bool = False,
    block: int = 0, vertical: bool = False,
) -> Piece:  # fmt: skip
    rect = Rect(x=x, y=y, width=width, height=height)
    return Piece(text, rect, rect, joined, block, vertical)


FIRST = piece("one", 100, 100)


@pytest.mark.parametrize(
    "after",
    [
        pytest.param(piece("two", 145, 100), id="beside it"),
        pytest.param(piece("two", 175, 100), id="after a wide blank"),
        pytest.param(piece("two", 140, 100, joined=True), id="joined to it"),
        pytest.param(piece("two", 145, 103), id="a little lower"),
        pytest.param(piece("two", 145, 96, height=18), id="larger letters"),
        pytest.param(piece("²", 140, 94, width=5, height=6, joined=True), id="raised"),
        pytest.param(piece("two", 40, 114), id="the line below"),
        pytest.param(piece("two", 100, 135), id="a paragraph's gap"),
        pytest.param(piece("two", 40, 150, block=1), id="the block below"),
        pytest.param(piece("two", 400, 20), id="the next column"),
        pytest.param(piece("two", 160, 120, block=1), id="a definition under its term"),
    ],
)
def test_the_eye_reads_on(after: Piece) -> None:
    assert gap([FIRST, after]) is None


@pytest.mark.parametrize(
    "after",
    [
        pytest.param(piece("two", 300, 100), id="far to the right"),
        pytest.param(piece("two", 160, 100, joined=True), id="joined, and apart"),
        pytest.param(piece("two", 40, 200), id="far below"),
        pytest.param(piece("two", 40, 200, block=1), id="a block far below"),
        pytest.param(piece("two", 40, 60, block=1), id="a block above"),
        pytest.param(piece("two", 400, 20, block=1), id="the top of another block"),
        pytest.param(piece("two", 40, 114, joined=True, block=1), id="half a word in another block"),
        pytest.param(piece("two", 110, 100), id="on top of it"),
        pytest.param(piece("two", 55, 100), id="to the left, though its letters run to the right"),
        pytest.param(piece("two", 260, 114, block=1), id="a cell of the row below"),
    ],
)
def test_the_eye_does_not(after: Piece) -> None:
    assert gap([FIRST, after]) == ("one", "two")


@pytest.mark.parametrize(("x", "apart"), [(55, False), (145, True)])
def test_the_eye_reads_hebrew_to_the_left(x: float, apart: bool) -> None:
    assert (gap([piece("אחת", 100, 100), piece("שתיים", x, 100)]) is not None) is apart


@pytest.mark.parametrize("x", [55, 145])
def test_where_scripts_meet_the_eye_reads_either_way(x: float) -> None:
    assert gap([piece("אחת", 100, 100), piece("two", x, 100)]) is None


def test_the_first_gap_of_several_is_named() -> None:
    pieces = [FIRST, piece("two", 145, 100), piece("three", 500, 100), piece("four", 800, 300)]
    assert gap(pieces) == ("two", "three")
    assert gap([]) is None
    assert gap([FIRST]) is None


def test_vertical_lines_run_down_and_then_to_the_left() -> None:
    one = piece("甲", 300, 100, 12, 40, vertical=True)
    assert gap([one, piece("乙", 300, 142, 12, 40, vertical=True)]) is None
    assert gap([one, piece("乙", 284, 60, 12, 40, vertical=True)]) is None
    assert gap([one, piece("乙", 300, 400, 12, 40, vertical=True)]) == ("甲", "乙")


def test_the_cells_of_a_row_of_a_pdf_are_read_over_any_gap() -> None:
    far = piece("5.33", 400, 100)
    assert gap([FIRST, far]) == ("one", "5.33")
    assert gap([FIRST, far], rows=True) is None
    assert gap([FIRST, piece("5.33", 400, 160)], rows=True) == ("one", "5.33")
    assert gap([far, FIRST], rows=True) == ("5.33", "one")

"""A cell must be drawn beside the others of its row and below or above those of its column."""

from __future__ import annotations

import pytest

from verifaible.errors import AnchorNotFound
from verifaible.evidence.observing.observe import _require_lined_up
from verifaible.schema.anchor import Rect

CITED = Rect(x=100, y=50, width=40, height=20)
ROW, COLUMN = (1, 0), (0, 1)


def lined_up(in_row: Rect | None, in_column: Rect | None) -> None:
    leading = [(rect, at) for rect, at in ((in_row, ROW), (in_column, COLUMN)) if rect is not None]
    _require_lined_up([(CITED, (1, 1))], leading, {(1, 1), ROW})


@pytest.mark.parametrize(
    ("in_row", "in_column"),
    [
        pytest.param(Rect(x=0, y=50, width=90, height=20), Rect(x=100, y=0, width=40, height=20), id="grid"),
        pytest.param(Rect(x=0, y=0, width=90, height=300), None, id="a row header over several rows"),
        pytest.param(None, Rect(x=0, y=0, width=400, height=20), id="a header over several columns"),
        pytest.param(Rect(x=300, y=65, width=40, height=20), None, id="a little lower"),
        pytest.param(None, None, id="alone"),
    ],
)
def test_cells_in_line(in_row: Rect | None, in_column: Rect | None) -> None:
    lined_up(in_row, in_column)


@pytest.mark.parametrize(
    ("in_row", "in_column"),
    [
        pytest.param(Rect(x=0, y=90, width=90, height=20), None, id="the row is drawn lower"),
        pytest.param(Rect(x=0, y=0, width=90, height=50), None, id="it ends where the cell begins"),
        pytest.param(None, Rect(x=200, y=0, width=40, height=20), id="the header is over another column"),
        pytest.param(None, Rect(x=0, y=0, width=100, height=20), id="it ends left of the cell"),
    ],
)
def test_cells_that_are_drawn_elsewhere(in_row: Rect | None, in_column: Rect | None) -> None:
    with pytest.raises(AnchorNotFound, match="elsewhere than its markup"):
        lined_up(in_row, in_column)

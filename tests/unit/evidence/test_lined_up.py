"""A cell must be drawn beside the others of its row and below or above those of its column."""

from __future__ import annotations

import pytest

from verifaible.errors import AnchorNotFound
from verifaible.evidence.mark import _require_lined_up
from verifaible.extract.document import Box, Cell


def rect(x: float, y: float, width: float, height: float) -> Box:
    return Box(0, 0, x, y, width, height)


def lined_up(in_row: Box | None, in_column: Box | None) -> None:
    leading = [Cell("Oslo", 1, 0, box=in_row), Cell("Rate", 0, 1, box=in_column)]
    _require_lined_up([Cell("5.33", 1, 1, box=rect(100, 50, 40, 20))], leading)


@pytest.mark.parametrize(
    ("in_row", "in_column"),
    [
        pytest.param(rect(0, 50, 90, 20), rect(100, 0, 40, 20), id="grid"),
        pytest.param(rect(0, 0, 90, 300), None, id="a row header over several rows"),
        pytest.param(None, rect(0, 0, 400, 20), id="a header over several columns"),
        pytest.param(rect(300, 65, 40, 20), None, id="a little lower"),
        pytest.param(None, None, id="alone"),
    ],
)
def test_cells_in_line(in_row: Box | None, in_column: Box | None) -> None:
    lined_up(in_row, in_column)


@pytest.mark.parametrize(
    ("in_row", "in_column"),
    [
        pytest.param(rect(0, 90, 90, 20), None, id="the row is drawn lower"),
        pytest.param(rect(0, 0, 90, 50), None, id="it ends where the cell begins"),
        pytest.param(None, rect(200, 0, 40, 20), id="the header is over another column"),
        pytest.param(None, rect(0, 0, 100, 20), id="it ends left of the cell"),
    ],
)
def test_cells_that_are_drawn_elsewhere(in_row: Box | None, in_column: Box | None) -> None:
    with pytest.raises(AnchorNotFound, match="elsewhere than its markup"):
        lined_up(in_row, in_column)

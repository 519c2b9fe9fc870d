"""The rows of docs/accuracy.md that come from docs/benchmarks.md."""

from __future__ import annotations

import pytest

from scripts.accuracy import speeds


def test_every_row_is_read_from_the_published_tables() -> None:
    found = {
        name: (goal, measured)
        for name, goal, measured in speeds.rows(speeds.PAGE.read_text(encoding="utf-8"))
    }
    assert len(found) == 10
    page = speeds.PAGE.read_text(encoding="utf-8")
    for _, measured in found.values():
        figure = measured.split(" to ")[0].removesuffix(" x").removesuffix("/s")
        assert f"| {figure} |" in page, measured


def test_a_table_that_is_gone_is_named() -> None:
    page = speeds.PAGE.read_text(encoding="utf-8").replace("## Size of a capture\n", "## Sizes\n")
    with pytest.raises(LookupError, match="'Size of a capture'"):
        speeds.rows(page)

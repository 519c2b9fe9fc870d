"""CSV files: what a cell holds comes back, and nothing of it is run."""

from __future__ import annotations

import csv
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from verifaible.reporting.csv_files import Sheet, escaped, unescaped


@given(st.text())
def test_what_is_escaped_is_not_run_and_comes_back(text: str) -> None:
    assert not escaped(text).startswith(("=", "+", "-", "@", "\t", "\r"))
    assert unescaped(escaped(text)) == text


@given(
    st.lists(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), min_size=2, max_size=2))
)
def test_every_cell_is_there(rows: list[list[str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        sheet = Sheet(Path(folder) / "x.csv", ["one", "=two"])
        for row in rows:
            sheet.add(row)
        path = sheet.save()
        assert [each.name for each in Path(folder).iterdir()] == ["x.csv"]
        with path.open(encoding="utf-8", newline="") as file:
            head, *read = csv.reader(file)
    assert head == ["one", "'=two"]
    assert [[unescaped(cell) for cell in row] for row in read] == rows


def test_a_file_is_not_there_before_it_is_whole_and_takes_half_a_character(tmp_path: Path) -> None:
    sheet = Sheet(tmp_path / "x.csv", ["a", "b", "c"])
    sheet.add(["\ud800", 1.5, None])
    assert not (tmp_path / "x.csv").exists()
    assert sheet.save().read_text(encoding="utf-8").splitlines() == ["a,b,c", "?,1.5,"]

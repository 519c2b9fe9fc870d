"""What a cell of a workbook can hold, and a sheet without rows."""

from __future__ import annotations

from pathlib import Path

import openpyxl
from hypothesis import given
from hypothesis import strategies as st

from verifaible.reporting.workbook import MAX_CHARACTERS, Book, writable


@given(st.text(st.characters()), st.integers(0, 3))
def test_a_cell_holds_what_it_can(text: str, times: int) -> None:
    made = writable(text * 10**times)
    assert len(made) + sum(each > "\uffff" for each in made) <= MAX_CHARACTERS
    made.encode()


def test_a_sheet_of_nothing_has_its_heading(tmp_path: Path) -> None:
    book = Book(tmp_path / "x.xlsx")
    book.sheet("A", ["=one", "two"])
    sheet = openpyxl.load_workbook(book.save())["A"]
    assert [cell.value for cell in next(iter(sheet.rows))] == ["=one", "two"]

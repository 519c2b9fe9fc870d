"""The sentence belongs to the quote, the heads and the row to the cell: all of it is sealed and shown."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from tests.kit.snapshots import page_of
from tests.unit.evidence.pages import page, pdf, table, video
from tests.unit.evidence.samples import add
from verifaible.config import Settings
from verifaible.evidence.cite import Collected
from verifaible.evidence.material import Material
from verifaible.evidence.place import place
from verifaible.evidence.refusal import refusal
from verifaible.evidence.shown import as_json, told
from verifaible.evidence.verify import verify
from verifaible.schema.anchor import AnchorRequest
from verifaible.schema.check import Check
from verifaible.schema.citation import Citation
from verifaible.store.store import Store
from verifaible.tools.cite import _confirmation

DENIED = "The minister denied that the plant will close in 2027."
QUOTE = "the plant will close in 2027"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(Settings(home=tmp_path))


def cited(store: Store, quote: str = QUOTE, body: str = f"Before it. {DENIED} And after it.") -> Citation:
    """A citation of a part of a sentence."""
    return add(store, "It closes", quote=quote, body=body)


def test_a_quote_is_kept_with_its_sentence(store: Store) -> None:
    anchor = cited(store).anchor
    assert (anchor.evidence, anchor.around) == (DENIED, ("The minister denied that ", "."))
    assert (anchor.shown.text, anchor.shown.words) == (DENIED, ((25, 53),))
    assert told(anchor) == "The minister denied that ⟦the plant will close in 2027⟧."
    assert as_json(anchor) == {
        "shown": DENIED,
        "words": [(25, 53)],
        "sentence": DENIED,
        "in_sentence": 25,
        "row_cells": [],
    }


def test_a_check_compares_the_sentence(store: Store) -> None:
    made = cited(store, body="Before it. We hear the plant will close in 2027. After.")
    for text, verdict in (
        ("Before it. We hear the plant will close in 2027. After.", "verified"),
        ("Before it. We never hear the plant will close in 2027. After.", "changed"),
    ):
        assert place(page(text), made.request, made.anchor).verdict == verdict


def test_a_caption_in_another_sentence_is_changed() -> None:
    request = AnchorRequest(evidence_type="video", quote="the plant will close")
    before = video("Good evening.", "We hear that", "the plant will close.")
    anchor = place(before, request).anchor
    assert anchor is not None and place(before, request, anchor).verdict == "verified"
    assert anchor.shown.text == "We hear that the plant will close."
    assert anchor.shown.words == ((13, 33),)
    assert (
        place(video("Good evening.", "Nobody says that", "the plant will close."), request, anchor).verdict
        == "changed"
    )


def test_a_passage_over_a_page_end_has_its_sentence() -> None:
    pages = (
        "Some words of the report.\nThe board of the company has denied, as it did a year ago,\n"
        "that at the end of the month the net assets of it stood at",
        "EUR 5 million in all, and that it was told of it in May. More.",
    )
    request = AnchorRequest(evidence_type="pdf", quote="net assets of it stood at EUR 5 million")
    found = place(pdf(*pages), request)
    assert found.anchor is not None and found.verdict == "verified"
    assert "denied, as it did a year ago" in found.anchor.shown.text
    assert found.anchor.shown.text.endswith("told of it in May.")


def test_a_quote_that_is_not_there_is_refused_with_the_whole_sentence_that_is() -> None:
    long = f"{'In the long run of many years, ' * 30}the minister denied that the plant will close."
    request = AnchorRequest(quote="denied that the plant will open")
    said = str(refusal(place(page(f"One. {long} Two."), request), request, "http://a.test"))
    assert long in said


@pytest.mark.parametrize(
    ("text", "verdict"),
    [("The rate\nwas 5.33%.", "verified"), ("Nobody said the rate\nwas 5.33%. Two.", "changed")],
)
def test_parts_of_two_blocks_are_no_sentence(text: str, verdict: str) -> None:
    assert place(page(text), AnchorRequest(quote="the rate was 5.33%")).verdict == verdict


# --- cells


def rates(caption: str = "", *rows: tuple[str, ...]) -> Material:
    return page_of(table(rows, caption=caption))


CELL = AnchorRequest(evidence_type="table", row=("Shanghai",), column=("Rate",))
ROWS = (("City", "Rate", "Area"), ("Shanghai", "5.33", "12"), ("Beijing", "4.01", "9"))


def test_the_row_of_a_cell_is_sealed_and_never_compared() -> None:
    anchor = place(rates("", *ROWS), CELL).anchor
    assert anchor is not None and anchor.table is not None
    assert anchor.table.row_cells == (("Area", "12"),)
    assert told(anchor) == "City: Shanghai | Rate: ⟦5.33⟧ | Area: 12"
    other = (ROWS[0], ("Shanghai", "5.33", "77"), ROWS[2])
    assert place(rates("", *other), CELL, anchor).verdict == "verified"


def test_the_row_of_a_cell_is_bounded() -> None:
    wide = tuple(("City", "Rate", *(f"c{n}" for n in range(90)))), ("Shanghai", "5.33", *map(str, range(90)))
    long = ("City", "Rate", "Note"), ("Shanghai", "5.33", "x" * 5000)
    for rows, count in ((wide, 60), (long, 0)):
        anchor = place(rates("", *rows), CELL).anchor
        assert anchor is not None and anchor.table is not None
        assert len(anchor.table.row_cells) == count


@pytest.mark.parametrize(
    ("heads", "verdict"),
    [
        ((("City", "Rate 2024", "Area"),), "verified"),
        ((("City", "Rate 2024 ▲", "Area"),), "verified"),
        ((("City", "Rate 2025", "Area"),), "changed"),
        ((("City", "Rate 2024, new", "Area"),), "changed"),
        ((("City", "Rate 2024", "Area"), ("", "%", "km²")), "changed"),
    ],
)
def test_headers_and_units_are_compared(heads: tuple[tuple[str, ...], ...], verdict: str) -> None:
    before = rates("", ("City", "Rate 2024", "Area"), *ROWS[1:])
    anchor = place(before, CELL).anchor
    found = place(rates("", *heads, *ROWS[1:]), CELL, anchor, before)
    assert (found.verdict, found.text) == (verdict, "5.33")


def test_another_unit_row_is_changed() -> None:
    def in_units(unit: str) -> Material:
        return rates("", ROWS[0], ("", unit, "km²"), *ROWS[1:])

    before = in_units("$ million")
    anchor = place(before, CELL).anchor
    assert anchor is not None and anchor.table is not None
    assert anchor.table.column_path == ("Rate", "$ million")
    assert anchor.shown.text == "City: Shanghai | Rate › $ million: 5.33 | Area › km²: 12"
    found = place(in_units("$ thousand"), CELL, anchor, before)
    assert (found.verdict, found.text) == ("changed", "5.33")


@pytest.mark.parametrize(
    ("row", "column", "kinds", "shown", "words"),
    [
        (
            ("Shanghai",),
            ("Rate",),
            ["heading", "caption", "column_head", "row_head"],
            "Cities\nTable 1\nCity: Shanghai | Rate: 5.33 | Area: 12",
            "5.33",
        ),
        (
            ("Shanghai",),
            (),
            ["heading", "caption", "column_head", "column_head", "row_head", "column_head"],
            "Cities\nTable 1\nCity: Shanghai | Rate: 5.33 | Area: 12",
            "Shanghai|5.33|12",
        ),
        (
            (),
            ("Rate",),
            ["heading", "caption", "column_head", "row_head", "row_head"],
            "Cities\nTable 1\nCity: Shanghai | Rate: 5.33 | Area: 12\nCity: Beijing | Rate: 4.01 | Area: 9",
            "5.33|4.01",
        ),
    ],
    ids=["cell", "row", "column"],
)
def test_cells_are_shown_below_what_governs_them(
    row: tuple[str, ...], column: tuple[str, ...], kinds: list[str], shown: str, words: str
) -> None:
    request = CELL.model_copy(update={"row": row, "column": column})
    material = page_of("<h2>Cities</h2>" + table(ROWS, caption="Table 1"))
    anchor = place(material, request).anchor
    assert anchor is not None
    assert [each.kind for each in anchor.structure] == kinds
    assert anchor.shown.text == shown
    assert "|".join(anchor.shown.text[start:end] for start, end in anchor.shown.words) == words
    assert anchor.evidence == anchor.text


def test_a_row_is_shown_below_the_heads_that_are_not_in_it() -> None:
    markup = (
        "<table><tr><th>City<th>Rate<tr><th colspan=2>Asia<tr><td>Shanghai<td>5.33"
        "<tr><th colspan=2>Europe<tr><td>Oslo<td>4.01</table>"
    )
    request = CELL.model_copy(update={"row": ("Europe", "Oslo"), "column": ()})
    anchor = place(page_of(markup), request).anchor
    assert anchor is not None and anchor.table is not None
    assert anchor.table.row_path == ("Europe", "Oslo")
    assert anchor.shown.text == "Europe | City: Oslo | Rate: 4.01"


def test_a_table_of_headers_alone_has_no_cell() -> None:
    assert place(rates("", ROWS[0]), CELL).verdict == "gone"


# --- doors


def test_the_tool_shows_the_sentence_and_the_row(store: Store) -> None:
    made = add(store, quote="The rate was 5.33%", body="One. The rate was 5.33% in February. Two.")
    checked = cast(Check, None)
    said = _confirmation(1, Collected(made, checked))
    assert "between ⟦ and ⟧. The sentence reads:\n⟦The rate was 5.33%⟧ in February.\n" in said
    anchor = place(rates("", *ROWS), CELL).anchor
    assert "City: Shanghai | Rate: ⟦5.33⟧ | Area: 12\n" in _confirmation(
        1, Collected(made.model_copy(update={"anchor": anchor}), checked)
    )


def test_a_quote_that_its_sentence_denies_is_shown_with_all_of_it(store: Store) -> None:
    made = cited(store)
    assert verify(made, store).check.verdict == "verified"
    said = _confirmation(1, Collected(made, cast(Check, None)))
    assert "The minister denied that ⟦the plant will close in 2027⟧." in said
    assert made.anchor.shown.text == DENIED

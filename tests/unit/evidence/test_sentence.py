"""The sentence belongs to the quote, the heads and the row to the cell: all of it is sealed and shown."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from tests.unit.evidence.samples import add
from tests.unit.evidence.test_places import page
from verifaible.answers.check import check
from verifaible.answers.stored import StoredEvidence
from verifaible.bench.reverify import evidence_of
from verifaible.browser.reading import FrameTable
from verifaible.config import Settings
from verifaible.evidence.check.verify import verify
from verifaible.evidence.make.collect import Collected
from verifaible.evidence.observing.material import PdfMaterial, VideoMaterial
from verifaible.evidence.observing.places import place
from verifaible.evidence.observing.refusal import refusal
from verifaible.evidence.observing.sentence import as_json, told
from verifaible.schema.anchor import AnchorRequest
from verifaible.schema.check import Check
from verifaible.schema.citation import Citation
from verifaible.schema.run import TrialCitation
from verifaible.schema.table import RawCell, RawTable
from verifaible.schema.transcript import Caption, Transcript
from verifaible.store.store import Store
from verifaible.tools.cite import _confirmation

DENIED = "The minister denied that the plant will close in 2027."
QUOTE = "the plant will close in 2027"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(Settings(home=tmp_path))


def cited(store: Store, quote: str = QUOTE, body: str = f"Before it. {DENIED} And after it.") -> Citation:
    """A citation of a part of a sentence, whether or not it would be refused."""
    return add(store, "It closes", quote=quote, body=body)


def test_a_quote_is_kept_with_its_sentence(store: Store) -> None:
    anchor = cited(store).anchor
    assert (anchor.evidence, anchor.around) == (DENIED, ("The minister denied that ", "."))
    assert (anchor.shown.text, anchor.shown.words) == (DENIED, ((25, 53),))
    assert told(anchor) == "The minister denied that ⟦the plant will close in 2027⟧."
    assert as_json(anchor) == {"sentence": DENIED, "in_sentence": 25, "row_cells": []}


def test_a_check_compares_the_sentence(store: Store) -> None:
    made = cited(store, body="Before it. We hear the plant will close in 2027. After.")
    for text, verdict in (
        ("Before it. We hear the plant will close in 2027. After.", "verified"),
        ("Before it. We never hear the plant will close in 2027. After.", "changed"),
    ):
        assert place(page(text), made.request, made.anchor).verdict == verdict


def test_a_caption_in_another_sentence_is_changed() -> None:
    def said(*lines: str) -> VideoMaterial:
        captions = tuple(Caption(start_s=n, duration_s=1, text=line) for n, line in enumerate(lines))
        transcript = Transcript(video_id="v", title="", language="en", generated=False, captions=captions)
        return VideoMaterial(url="http://a.test/v", title="", transcript=transcript)

    request = AnchorRequest(evidence_type="video", quote="the plant will close")
    before = said("Good evening.", "We hear that", "the plant will close.")
    anchor = place(before, request).anchor
    assert anchor is not None and place(before, request, anchor).verdict == "verified"
    assert anchor.shown.text == "We hear that\nthe plant will close."
    assert anchor.shown.words == ((13, 33),)
    assert (
        place(said("Good evening.", "Nobody says that", "the plant will close."), request, anchor).verdict
        == "changed"
    )


def test_a_passage_over_a_page_end_has_its_sentence() -> None:
    pages = ("Some words.\nThe board denied that net assets\nstood at", "EUR 5 million in May. More.")
    request = AnchorRequest(evidence_type="pdf", quote="net assets stood at EUR 5 million")
    found = place(PdfMaterial(url="http://a.test/f.pdf", pages=pages), request)
    assert found.anchor is not None and found.anchor.around == ("The board denied that ", " in May.")
    assert found.verdict == "changed"
    assert "The board denied that net assets stood at EUR 5 million in May." in str(
        refusal(found, request, "http://a.test/f.pdf")
    )


def test_a_refused_part_shows_the_whole_sentence() -> None:
    long = f"{'In the long run of many years, ' * 30}the minister denied that the plant will close."
    request = AnchorRequest(quote="the plant will close")
    assert long in str(refusal(place(page(f"One. {long} Two."), request), request, "http://a.test"))


@pytest.mark.parametrize(
    ("text", "verdict"),
    [("The rate\nwas 5.33%.", "verified"), ("Nobody said the rate\nwas 5.33%. Two.", "changed")],
)
def test_parts_of_two_blocks_are_no_sentence(text: str, verdict: str) -> None:
    assert place(page(text), AnchorRequest(quote="the rate was 5.33%")).verdict == verdict


# --- cells


def rates(caption: str = "", *rows: tuple[str, ...]) -> FrameTable:
    cells = tuple(tuple(RawCell(text=text, header=not n) for text in row) for n, row in enumerate(rows))
    return FrameTable(frame_path=(), table=RawTable(rows=cells, caption=caption, css_path="table"))


CELL = AnchorRequest(evidence_type="table", row=("Shanghai",), column=("Rate",))
ROWS = (("City", "Rate", "Area"), ("Shanghai", "5.33", "12"), ("Beijing", "4.01", "9"))


def test_the_row_of_a_cell_is_sealed_and_never_compared() -> None:
    anchor = place(page("t", tables=(rates("", *ROWS),)), CELL).anchor
    assert anchor is not None and anchor.table is not None
    assert anchor.table.row_cells == (("Area", "12"),)
    assert told(anchor) == "5.33\nThe rest of its row:\n  Area: 12"
    other = (ROWS[0], ("Shanghai", "5.33", "77"), ROWS[2])
    assert place(page("t", tables=(rates("", *other),)), CELL, anchor).verdict == "verified"


def test_the_row_of_a_cell_is_bounded() -> None:
    wide = tuple(("City", "Rate", *(f"c{n}" for n in range(90)))), ("Shanghai", "5.33", *map(str, range(90)))
    long = ("City", "Rate", "Note"), ("Shanghai", "5.33", "x" * 5000)
    for rows, count in ((wide, 60), (long, 0)):
        anchor = place(page("t", tables=(rates("", *rows),)), CELL).anchor
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
    before = page("t", tables=(rates("", ("City", "Rate 2024", "Area"), *ROWS[1:]),))
    anchor = place(before, CELL).anchor
    found = place(page("t", tables=(rates("", *heads, *ROWS[1:]),)), CELL, anchor, before)
    assert (found.verdict, found.found) == (verdict, "5.33")


def test_another_unit_row_is_changed() -> None:
    def in_units(unit: str) -> FrameTable:
        return rates("", ROWS[0], ("", unit, "km²"), *ROWS[1:])

    before = page("t", tables=(in_units("$ million"),))
    anchor = place(before, CELL).anchor
    assert anchor is not None and anchor.table is not None
    assert anchor.table.column_path == ("Rate", "$ million")
    assert anchor.shown.text == "Rate\n$ million\nShanghai\n5.33"
    found = place(page("t", tables=(in_units("$ thousand"),)), CELL, anchor, before)
    assert (found.verdict, found.found) == ("changed", "5.33")


@pytest.mark.parametrize(
    ("row", "column", "kinds", "shown", "words"),
    [
        (
            ("Shanghai",),
            ("Rate",),
            ["heading", "caption", "column_head", "row_head"],
            "Cities\nTable 1\nRate\nShanghai\n5.33",
            "5.33",
        ),
        (
            ("Shanghai",),
            (),
            ["heading", "caption"],
            "Cities\nTable 1\nShanghai\t5.33\t12",
            "Shanghai\t5.33\t12",
        ),
        (
            (),
            ("Rate",),
            ["heading", "caption", "column_head"],
            "Cities\nTable 1\nRate\n5.33\n4.01",
            "5.33\n4.01",
        ),
    ],
    ids=["cell", "row", "column"],
)
def test_cells_are_shown_below_what_governs_them(
    row: tuple[str, ...], column: tuple[str, ...], kinds: list[str], shown: str, words: str
) -> None:
    request = CELL.model_copy(update={"row": row, "column": column})
    table = rates("Table 1", *ROWS).model_copy(update={"heading": "Cities"})
    anchor = place(page("t", tables=(table,)), request).anchor
    assert anchor is not None
    assert [each.kind for each in anchor.structure] == kinds
    assert anchor.shown.text == shown
    assert [anchor.shown.text[start:end] for start, end in anchor.shown.words] == [words]
    assert anchor.evidence == anchor.text == words


def test_a_row_is_shown_below_the_heads_that_are_not_in_it() -> None:
    cells = (
        (RawCell(text="City", header=True), RawCell(text="Rate", header=True)),
        (RawCell(text="Asia", header=True, colspan=2),),
        (RawCell(text="Shanghai"), RawCell(text="5.33")),
        (RawCell(text="Europe", header=True, colspan=2),),
        (RawCell(text="Oslo"), RawCell(text="4.01")),
    )
    table = FrameTable(frame_path=(), table=RawTable(rows=cells, css_path="table"))
    request = CELL.model_copy(update={"row": ("Europe", "Oslo"), "column": ()})
    anchor = place(page("t", tables=(table,)), request).anchor
    assert anchor is not None and anchor.table is not None
    assert anchor.table.row_path == ("Europe", "Oslo")
    assert anchor.shown.text == "Europe\nOslo\t4.01"


def test_a_table_of_headers_alone_has_no_cell() -> None:
    assert place(page("t", tables=(rates("", ROWS[0]),)), CELL).verdict == "gone"


# --- doors


def test_the_tool_shows_the_sentence_and_the_row(store: Store) -> None:
    made = add(store, quote="The rate was 5.33%", body="One. The rate was 5.33% in February. Two.")
    checked = cast(Check, None)
    said = _confirmation(1, Collected(made, checked))
    assert "in its sentence, between ⟦ and ⟧:\n⟦The rate was 5.33%⟧ in February.\n" in said
    anchor = place(page("t", tables=(rates("", *ROWS),)), CELL).anchor
    assert "The rest of its row:\n  Area: 12" in _confirmation(
        1, Collected(made.model_copy(update={"anchor": anchor}), checked)
    )


def test_a_quote_that_its_sentence_denies_carries_nothing(store: Store) -> None:
    made = cited(store)
    again = verify(made, store)
    assert (again.check.verdict, again.left_out) == ("verified", "denied")
    (facts,) = evidence_of(
        [TrialCitation(number=1, id=made.id, evidence_type="text", source_url="", text="")], store
    )
    assert facts.left_out == "denied"
    source = StoredEvidence(store, {"1": made.id})
    text = f"The plant will close in 2027 [@v:1]. The plant will close [@v:1]. {DENIED[:-1]} [@v:1]."
    assert [each.state for each in check(text, source).sentences] == ["broken", "broken", "supported"]

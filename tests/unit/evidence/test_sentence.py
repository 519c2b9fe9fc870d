"""The sentence belongs to the quote, and the row to the cell: what was sealed without takes it from its bytes."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from tests.unit.evidence.samples import add, material
from tests.unit.evidence.test_places import page
from verifaible.answers.check import check
from verifaible.answers.stored import StoredEvidence
from verifaible.archive.reader import WaczReader
from verifaible.bench.reverify import evidence_of
from verifaible.browser.reading import FrameTable
from verifaible.config import Settings
from verifaible.evidence.check.verify import verify
from verifaible.evidence.make.collect import Collected
from verifaible.evidence.observing.material import PdfMaterial, VideoMaterial
from verifaible.evidence.observing.places import place
from verifaible.evidence.observing.refusal import refusal
from verifaible.evidence.observing.sentence import anchor_of, as_json, sealed_anchor, told
from verifaible.schema.check import Check
from verifaible.schema.citation import Anchor, AnchorRequest, Citation, TimeSpan
from verifaible.schema.run import TrialCitation
from verifaible.schema.table import RawCell, RawTable
from verifaible.schema.transcript import Caption, Transcript
from verifaible.store.sealed import capture_file
from verifaible.store.store import Store
from verifaible.tools.cite import _confirmation

DENIED = "The minister denied that the plant will close in 2027."
QUOTE = "the plant will close in 2027"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(Settings(home=tmp_path))


def add_old(store: Store, quote: str = QUOTE, body: str = f"Before it. {DENIED} And after it.") -> Citation:
    """A citation as it was made before sentences were kept and reservations refused."""
    given = material(store, "It closes", quote=quote, body=body)
    anchor = given["draft"].anchor.model_copy(update={"sentence": "", "in_sentence": 0})
    return store.add(**{**given, "draft": given["draft"].model_copy(update={"anchor": anchor})})


def test_an_old_citation_has_the_sentence_of_its_sealed_text(store: Store) -> None:
    old, new = add_old(store), add(store, quote=DENIED, body=f"Before it. {DENIED} And after it.")
    anchor = anchor_of(old, store)
    assert (anchor.sentence, anchor.around) == (DENIED, ("The minister denied that ", "."))
    assert anchor.model_copy(update={"sentence": "", "in_sentence": 0}) == old.anchor
    assert anchor_of(new, store) is new.anchor
    assert told(anchor) == "The minister denied that ⟦the plant will close in 2027⟧."
    assert as_json(anchor) == {"sentence": DENIED, "in_sentence": 25, "row_cells": []}


def test_an_old_citation_without_its_capture_says_so(store: Store) -> None:
    old = add_old(store)
    store.files.folder.joinpath(capture_file(old.capture.sha256)).unlink()  # type: ignore[attr-defined]
    assert anchor_of(old, store) == old.anchor
    assert "sealed before sentences" in told(old.anchor)
    assert as_json(old.anchor)["sentence"] is None


class Sealed:
    """A capture with these files."""

    def __init__(self, **files: bytes) -> None:
        self._files = {f"evidence/{name.replace('_', '.')}": data for name, data in files.items()}

    def read(self, path: str) -> bytes:
        return self._files[path]


@pytest.mark.parametrize(
    ("files", "anchor"),
    [
        (
            {"pages_json": PdfMaterial(url="http://a.test", pages=("x", DENIED)).model_dump_json().encode()},
            Anchor(evidence_type="pdf", text=QUOTE, start=25, end=53, page_number=2),
        ),
        (
            {
                "transcript_json": VideoMaterial(
                    url="http://a.test", title="",
                    transcript=Transcript(
                        video_id="v", title="", language="en", generated=False,
                        captions=(
                            Caption(start_s=0, duration_s=1, text="The minister denied that"),
                            Caption(start_s=1, duration_s=1, text="the plant will close in 2027."),
                        ),
                    ),
                ).model_dump_json().encode()
            },
            Anchor(evidence_type="video", text=QUOTE, time=TimeSpan(start_s=1, end_s=2)),
        ),
    ],
    ids=["pdf", "video"],
)  # fmt: skip
def test_the_sealed_pages_and_captions_tell_it(files: dict[str, bytes], anchor: Anchor) -> None:
    citation = cast(Citation, SimpleNamespace(anchor=anchor))
    found = sealed_anchor(citation, cast(WaczReader, Sealed(**files)))
    assert " ".join(found.sentence.split()) == DENIED
    # offsets that do not fit the sealed text tell nothing
    if anchor.start is not None:
        wrong = cast(Citation, SimpleNamespace(anchor=anchor.model_copy(update={"start": 3})))
        assert sealed_anchor(wrong, cast(WaczReader, Sealed(**files))).around is None


def test_a_check_of_an_old_citation_compares_the_sentence(store: Store) -> None:
    old = add_old(
        store, "the plant will close in 2027", "Before it. We hear the plant will close in 2027. After."
    )
    sealed = anchor_of(old, store)
    for text, verdict in (
        ("Before it. We hear the plant will close in 2027. After.", "verified"),
        ("Before it. We never hear the plant will close in 2027. After.", "changed"),
    ):
        assert place(page(text), old.request, sealed).verdict == verdict


def test_a_caption_in_another_sentence_is_changed() -> None:
    def said(*lines: str) -> VideoMaterial:
        captions = tuple(Caption(start_s=n, duration_s=1, text=line) for n, line in enumerate(lines))
        transcript = Transcript(video_id="v", title="", language="en", generated=False, captions=captions)
        return VideoMaterial(url="http://a.test/v", title="", transcript=transcript)

    request = AnchorRequest(evidence_type="video", quote="the plant will close")
    before = said("Good evening.", "We hear that", "the plant will close.")
    anchor = place(before, request).anchor
    assert anchor is not None and place(before, request, anchor).verdict == "verified"
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
    found = place(page("t", tables=(in_units("$ thousand"),)), CELL, anchor, before)
    assert (found.verdict, found.found) == ("changed", "5.33")


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
    old = add_old(store)
    again = verify(old, store)
    assert (again.check.verdict, again.left_out) == ("verified", "denied")
    assert again.anchor is not None and again.anchor.sentence == DENIED
    (facts,) = evidence_of(
        [TrialCitation(number=1, id=old.id, evidence_type="text", source_url="", text="")], store
    )
    assert facts.left_out == "denied" and facts.citation.anchor.sentence == DENIED
    source = StoredEvidence(store, {"1": old.id})
    text = f"The plant will close in 2027 [@v:1]. The plant will close [@v:1]. {DENIED[:-1]} [@v:1]."
    assert [each.state for each in check(text, source).sentences] == ["broken", "broken", "supported"]
    assert source.citations[old.id].anchor.sentence == DENIED

"""Drawn PDFs: what stands together on the page is one text, and nothing else is."""

from __future__ import annotations

import unicodedata
from itertools import product
from time import process_time
from typing import Any

import pytest

from tests.kit.drawn_pdf import drawn
from tests.kit.suites import ROOT, Row, files, load
from verifaible.extract.document import Block, Document
from verifaible.extract.pdf import pdf_document
from verifaible.extract.pdf_lines import Glyph, lines


def folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text.replace("\u00ad", "")).split())


def is_whole(document: Document, text: str) -> bool:
    """Whether a text is a run of whole sentences of one block."""
    for block in document.blocks:
        starts = {low for low, _ in block.sentences}
        ends = {high for _, high in block.sentences}
        if any(folded(block.text[low:high]) == text for low in starts for high in ends if low < high):
            return True
    return False


def rows_of(document: Document) -> list[list[str]]:
    found: dict[tuple[int, int], list[Block]] = {}
    for block in document.blocks:
        for step in block.rows:
            found.setdefault((step.container, step.row), []).append(block)
    return [[folded(block.text) for block in row] for row in found.values()]


def faults(row: dict[str, Any], document: Document) -> list[str]:
    """What is not as a row expects, a line each."""
    expect, texts = row, [folded(block.text) for block in document.blocks]
    found = [
        f"not whole: {text!r}" for text in expect.get("whole", ()) if not is_whole(document, folded(text))
    ]
    found += [f"joined: {text!r}" for text in expect.get("apart", ()) if any(text in each for each in texts)]
    found += [
        f"no block: {text!r}" for text in expect.get("blocks", ()) if not any(text in each for each in texts)
    ]
    cells = [[cell for cell in line if cell] for line in expect.get("rows", ())]
    found += [f"no row: {line!r}" for line in cells if line not in rows_of(document)]
    for kind, text in expect.get("marks", ()):
        marked = [b.text[m.start : m.end] for b in document.blocks for m in b.marks if m.kind == kind]
        found += [] if text in marked else [f"not {kind}: {text!r}"]
    for text, kind in expect.get("kinds", ()):
        kinds = [block.kind for block in document.blocks if folded(block.text) == text]
        found += [] if kinds == [kind] else [f"no {kind}: {text!r}"]
    return found


@pytest.mark.parametrize("row", load("pdf_reading"), ids=lambda row: row.id)
def test_what_stands_together_is_read_together(row: Row) -> None:
    assert faults(row.expect, pdf_document(drawn(row.input["pages"]))) == []


#: Rows of the passages whose words stand only there, by the marks and line ends that a Document keeps as such:
#: footnote marks that are left out, a number over a line's end, sentences of two columns' paragraphs.
_BY_LOCATING = {
    "letters/footnote-marks-left-out",
    "hyphenation/number-over-a-line-end",
    "columns/three-middle-to-right",
}
_PASSAGES = [row for row in load("passages") if "page" in row.expect and row.id not in _BY_LOCATING]


def stands(document: Document, quote: str) -> bool:
    """Whether a quote stands in a block or a row, blanks and hyphens aside."""
    bare = "".join(folded(quote).replace("-", "").replace("’", "'").casefold().split())
    texts = [folded(block.text) for block in document.blocks] + ["".join(row) for row in rows_of(document)]
    return any(bare in "".join(text.replace("-", "").replace("’", "'").casefold().split()) for text in texts)


@pytest.mark.parametrize("row", _PASSAGES, ids=lambda row: row.id)
def test_passages_stand_in_one_block_or_row(row: Row) -> None:
    assert stands(pdf_document((ROOT / row.input["file"]).read_bytes()), row.input["quote"])


def _document(name: str) -> Document:
    (row,) = [row for row in load("pdf_reading") if row.id == name]
    return pdf_document(drawn(row.input["pages"]))


def test_a_block_over_a_page_end_keeps_its_boxes_by_page() -> None:
    (block,) = [
        each for each in _document("notes/over-a-page-end").blocks if each.text.startswith("The trust")
    ]
    assert block.page_number == 1
    on_first = [block.text[box.start : box.end] for box in block.boxes if box.page == 0]
    on_second = [block.text[box.start : box.end] for box in block.boxes if box.page == 2]
    assert len(on_first) + len(on_second) == len(block.boxes)
    assert on_first[0].startswith("The trust")
    assert on_second[0].startswith("basin")
    starts = {low for low, _ in block.sentences}
    assert starts <= {box.start for box in block.boxes}, "a sentence begins a box of its own"


def test_notes_items_and_headings_govern() -> None:
    notes = _document("notes/two-notes").blocks
    (body,) = [block for block in notes if block.text.startswith("A mill")]
    cited = [notes[each.block].text for each in body.governors if each.kind == "footnote"]
    assert [text[1:6] for text in map(folded, cited)] == [" Book", " The "] or [
        text[:5] for text in cited
    ] == ["1Book", "2The "]
    listed = _document("columns/list").blocks
    items = [block for block in listed if block.kind == "item"]
    assert [block.item for block in items] == [(1, 3), (2, 3), (3, 3)]
    assert {listed[each.block].text for block in items for each in block.governors} == {
        "The slip may be used by:"
    }
    columns = _document("columns/uneven-baselines").blocks
    assert [columns[each.block].kind for block in columns[1:] for each in block.governors] == ["heading"] * 2


def _is_sound(document: Document, at: int) -> bool:
    """Whether a block keeps what its record promises."""
    block = document.blocks[at]
    inked = {place for place, char in enumerate(block.text) if not char.isspace()}
    said = {place for low, high in block.sentences for place in range(low, high)}
    drawn_ = {place for box in block.boxes for place in range(box.start, box.end)}
    starts = [mark.start for mark in block.marks]
    return (
        bool(inked)
        and inked <= said
        and inked <= drawn_
        and list(block.sentences) == sorted(block.sentences)
        and starts == sorted(starts)
        and all(0 <= mark.start < mark.end <= len(block.text) for mark in block.marks)
        and all(0 <= each.block < len(document.blocks) and each.block != at for each in block.governors)
    )


@pytest.mark.parametrize("name", ["passages", "traps/pdfs"])
def test_every_block_keeps_what_its_record_promises(name: str) -> None:
    for path in files(name):
        document = pdf_document(path.read_bytes())
        assert [at for at in range(len(document.blocks)) if not _is_sound(document, at)] == [], path.name


def _texts(*draw: Any) -> list[str]:
    return [folded(block.text) for block in pdf_document(drawn([{"draw": list(draw)}])).blocks]


def test_a_large_letter_begins_only_the_line_beside_its_top() -> None:
    large = [60, 100, "A", {"size": 24}]
    first, second = [80, 84, "nybody may moor at the quay"], [80, 97, "who has paid for the lamps."]
    assert _texts(large, first, second) == ["Anybody may moor at the quay who has paid for the lamps."]
    far = [80, 400, "$5.3 million was spent on the harbour."]
    assert _texts(large, far) == ["A", "$5.3 million was spent on the harbour."]


@pytest.mark.parametrize("size", [5, 10, 60])
def test_accents_join_their_letters_at_every_size(size: float) -> None:
    u, mark = [60, 100, "u", {"size": size}], [60 + 0.1 * size, 100 - 0.1 * size, "¨", {"size": size}]
    assert _texts(mark, u, [60 + 0.56 * size, 100, "ber", {"size": size}]) == ["über"]


def test_a_column_does_not_go_on_under_a_title_across_both() -> None:
    full = [
        "The board of the harbour met in",
        "May and agreed with the town on",
        "the lamps that the long quay has",
    ]
    title, under = "What the nets tell of the sea", "Nets are mended in the loft behind the church."
    texts = _texts(
        [40, 60, "Rye was ground in the mill at the lock in May.", {"width": 150}],
        *([220, 60 + 12 * at, line] for at, line in enumerate(full)),
        [90, 200, title, {"size": 20}],
        [40, 240, under, {"width": 150}],
        [220, 240, "Twine is spun here. It is sold in the town on every market day.", {"width": 150}],
    )
    assert texts.index(" ".join(full)) < texts.index(title) < texts.index(under)


def test_a_paragraph_begins_at_an_indent_behind_a_full_line_that_ends_a_sentence() -> None:
    first = [
        "The slip is kept free of ice from the first frost",
        "on, and the lamps on the quay are lit in the dusk.",
    ]
    second = ["Visitors leave their boots at the door of the", "house and hang up the key."]
    draw = [[60, 80, first[0]], [60, 92, first[1]], [72, 104, second[0]], [60, 116, second[1]]]
    assert _texts(*draw) == [" ".join(first), " ".join(second)]


def _accented(columns: int, rows: int) -> list[Glyph]:
    """Letters far apart, each with an accent that is painted for itself."""
    found = []
    for x, y in product(range(0, 12 * columns, 12), range(0, 12 * rows, 12)):
        found += [Glyph(text, x, x + 5, y, 8, (x, y, x + 5, y + 8)) for text in "u¨"]
    return found


def test_accents_and_single_letters_are_joined_in_linear_time() -> None:
    def seconds(columns: int, rows: int) -> float:
        glyphs = _accented(columns, rows)
        start = process_time()
        assert "".join(line.text for line in lines(glyphs)).count("ü") == columns * rows
        return process_time() - start

    few = min(seconds(20, 50) for _ in range(3))
    assert seconds(20, 400) < 24 * few, "eight times the letters take about eight times as long, not 64 times"

"""What belongs to cited words: the sentence they stand in, and of a cell the rest of its row.

Both are sealed with a citation. For one that was sealed before they were kept, they are read out of its own
sealed bytes here, for whoever shows it and for every check.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from verifaible.anchoring.tables.locate import locate, rest_of_row
from verifaible.errors import Said, StoreError
from verifaible.evidence.observing.material import PdfMaterial, VideoMaterial, page_from_files
from verifaible.schema.citation import Anchor, Citation
from verifaible.schema.transcript import Transcript
from verifaible.text.sentences import sentence_span

if TYPE_CHECKING:
    from verifaible.archive.reader import WaczReader
    from verifaible.store.store import Store


def in_sentence(anchor: Anchor, text: str, paragraphs: Sequence[int] = ()) -> Anchor:
    """The anchor of a text or a PDF with the sentence of its words in ``text``, in which offsets count.

    ``paragraphs`` are where a PDF's begin, as far as that is known.
    """
    assert anchor.start is not None
    span, lines = (anchor.start, anchor.start + len(anchor.text)), anchor.evidence_type == "pdf"
    start, end = sentence_span(text, *span, lines=lines, paragraphs=paragraphs)
    return anchor.model_copy(update={"sentence": text[start:end], "in_sentence": anchor.start - start})


def in_lines(anchor: Anchor, transcript: Transcript) -> Anchor:
    """The anchor of captions with the sentence of its words, as far as the lines beside them have it."""
    assert anchor.time is not None
    captions, words = transcript.captions, anchor.text
    ends = (each.start_s + each.duration_s for each in captions)
    first = next((number for number, end in enumerate(ends) if end > anchor.time.start_s), 0)
    lines = words.count("\n") + 1
    text = "\n".join(each.text for each in captions[max(0, first - 1) : first + lines + 1])
    at = text.find(words)
    if at < 0:
        return anchor.model_copy(update={"sentence": words, "in_sentence": 0})
    start, end = sentence_span(text, at, at + len(words), lines=True)
    return anchor.model_copy(update={"sentence": text[start:end], "in_sentence": at - start})


def told(anchor: Anchor) -> str:
    """The cited words as text: marked in their sentence, or with the rest of their row below them."""
    if anchor.table is not None and anchor.table.row_cells:
        rest = "\n".join(
            f"  {name}: {text}" if name else f"  {text}" for name, text in anchor.table.row_cells
        )
        return f"{anchor.text}\nThe rest of its row:\n{rest}"
    if anchor.around is not None:
        before, behind = anchor.around
        return f"{before}⟦{anchor.text}⟧{behind}" if before or behind else anchor.text
    if anchor.table is not None or anchor.image is not None:
        return anchor.text
    return f"{anchor.text}\n(sealed before sentences were kept, and the capture does not tell this one)"


def where(anchor: Anchor, names: Mapping[str, str] | None = None) -> str:
    """In words, what an anchor highlights; ``names`` are those of :class:`verifaible.errors.Said`."""
    table = anchor.table
    if table is not None:
        row, column = " › ".join(table.row_path), " › ".join(table.column_path)
        if table.mode == "crosshair" and len(table.cells) > 1:
            return f"{len(table.cells)} cells, at rows “{row}” and columns “{column}”,"
        named = {
            "crosshair": f"the cell at row “{row}”, column “{column}”",
            "row": f"the row “{row}”",
            "column": f"the column “{column}”",
            "table": Said("the whole table ({arg[row]} and {arg[column]} would point at a value)", names),
        }
        return named[table.mode]
    if anchor.time is not None:
        return f"the captions from {anchor.time.start_s:.1f} to {anchor.time.end_s:.1f} s"
    if anchor.page_number is not None:
        scan = " (text layer of a scan: compare it with the picture)" if anchor.scanned else ""
        return f"the passage on page {anchor.page_number}{scan}"
    return "the image" if anchor.image is not None else "the passage"


def as_json(anchor: Anchor) -> dict[str, Any]:
    """The same for programs: ``sentence`` is None where it is not known, and for cells and images."""
    known = anchor.around is not None
    return {
        "sentence": anchor.sentence if known else None,
        "in_sentence": anchor.in_sentence if known else None,
        "row_cells": list(anchor.table.row_cells) if anchor.table is not None else [],
    }


def anchor_of(citation: Citation, store: Store) -> Anchor:
    """The anchor of a citation with its sentence or its row; without where the capture cannot tell it."""
    if _is_whole(citation.anchor):
        return citation.anchor
    try:
        with store.open_capture(citation) as reader:
            return sealed_anchor(citation, reader)
    except StoreError:
        return citation.anchor


def sealed_anchor(citation: Citation, reader: WaczReader) -> Anchor:
    """The same where the capture is open."""
    anchor = citation.anchor
    if _is_whole(anchor):
        return anchor
    try:
        return _completed(citation, reader)
    except (StoreError, ValueError, IndexError):
        return anchor


def _is_whole(anchor: Anchor) -> bool:
    if anchor.table is not None:
        return anchor.table.mode != "crosshair" or bool(anchor.table.row_cells)
    return bool(anchor.sentence) or anchor.evidence_type == "image"


def _completed(citation: Citation, reader: WaczReader) -> Anchor:
    anchor = citation.anchor
    if anchor.table is not None:
        return _with_row(citation, reader)
    if anchor.time is not None:
        material = VideoMaterial.model_validate_json(reader.read("evidence/transcript.json"))
        return in_lines(anchor, material.transcript)
    if anchor.page_number is not None:
        pages = PdfMaterial.model_validate_json(reader.read("evidence/pages.json")).pages
        text = pages[anchor.page_number - 1]
    else:
        text = reader.read("evidence/text.txt").decode()
    start = anchor.start
    stands = start is not None and text[start : start + len(anchor.text)] == anchor.text
    return in_sentence(anchor, text) if stands else anchor


def _with_row(citation: Citation, reader: WaczReader) -> Anchor:
    """The anchor of a cell with its headers as they are read today, and the rest of its row."""
    anchor, request = citation.anchor, citation.request
    assert anchor.table is not None
    files = {name: reader.read(f"evidence/{name}") for name in ("text.txt", "page.json", "table.json")}
    material = page_from_files(files)
    for where, grid in zip(material.tables, material.grids, strict=True):
        if where.table.css_path != anchor.css_path or where.frame_path != anchor.frame_path:
            continue
        found = locate(grid, request.row, request.column)
        if found.anchor is not None and found.anchor.cells == anchor.table.cells:
            row_cells = rest_of_row(grid, found.anchor)
            table = found.anchor.model_copy(update={"heading": where.heading, "row_cells": row_cells})
            return anchor.model_copy(update={"table": table})
    return anchor

"""A citation in words: its evidence with the words asked for marked, and where that stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verifaible.anchoring.evidence import text_link
from verifaible.errors import Said
from verifaible.reporting.pages import is_link
from verifaible.schema.anchor import Anchor, TableAnchor
from verifaible.schema.citation import Citation


def told(anchor: Anchor) -> str:
    """What a reader has to be shown: the evidence under what governs it, the words between ⟦ and ⟧."""
    text = anchor.in_full.marked
    cells = anchor.table.row_cells if anchor.table is not None else ()
    if any(said and said not in anchor.shown.text for _, said in cells):  # a long row is not shown whole
        rest = " | ".join(f"{name}: {said}" if name else said for name, said in cells)
        text = f"{text}\nThe rest of its row: {rest}"
    return text


def reading(anchor: Anchor, names: Mapping[str, str] | None = None) -> str:
    """The same for a model: what is highlighted, and how all of it reads if that is part of a sentence.

    ``names`` are those of :class:`verifaible.errors.Said`.
    """
    shown = told(anchor)
    marked = ", between ⟦ and ⟧" if shown != anchor.text else ""
    reads = ". The sentence reads" if any(anchor.around) else ""
    whole = anchor.table is not None and anchor.table.mode == "table"
    hint = Said(" ({arg[row]} and {arg[column]} would point at a value)", names) if whole else ""
    return f"Highlighted {where(anchor)}{hint}{marked}{reads}:\n{shown}"


def where(anchor: Anchor) -> str:
    """In words, what an anchor highlights."""
    table = anchor.table
    if table is not None:
        row, column = _paths(table)
        if table.mode == "crosshair" and len(table.cells) > 1:
            return f"{len(table.cells)} cells, at rows “{row}” and columns “{column}”"
        return {
            "crosshair": f"the cell at row “{row}”, column “{column}”",
            "row": f"the row “{row}”",
            "column": f"the column “{column}”",
            "table": "the whole table",
        }[table.mode]
    if anchor.time is not None:
        start, end = anchor.time.start_s, anchor.time.end_s
        return f"the captions from {clock(start)} to {clock(end)} ({start:.1f} to {end:.1f} s)"
    if anchor.page_number is not None:
        return f"the passage on page {anchor.page_number}{_scan(anchor)}"
    if anchor.image is not None:
        return "the image"
    return f"the passage{' in a frame of the page' if anchor.frame_path else ''}"


def place_of(anchor: Anchor) -> str:
    """Where the evidence stands in its source, as a line of a report says it."""
    if anchor.page_number is not None:
        return f"Page {anchor.page_number} of the PDF{_scan(anchor)}"
    said = where(anchor)
    return said[:1].upper() + said[1:]


def _scan(anchor: Anchor) -> str:
    return " (text layer of a scan: compare it with the picture)" if anchor.scanned else ""


def clock(seconds: float) -> str:
    """A time in a video: ``4:07``, ``1:02:09``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def as_json(anchor: Anchor) -> dict[str, Any]:
    """The same for programs: ``shown`` is all a reader has to be shown, ``words`` where the words asked for
    stand in it; ``sentence`` is None for cells and images.
    """
    cut = anchor.table is None and anchor.image is None
    return {
        "shown": anchor.in_full.text,
        "words": list(anchor.in_full.words),
        "sentence": anchor.evidence if cut else None,
        "in_sentence": anchor.in_evidence if cut else None,
        "row_cells": list(anchor.table.row_cells) if anchor.table is not None else [],
    }


def link_of(citation: Citation) -> str:
    """Where the evidence stands on the web, as an http or https address; empty if it has none."""
    source = citation.document_url or citation.final_url
    if not is_link(source):
        return ""
    if citation.evidence_type == "text":
        return text_link(source, citation.anchor.text)
    kept = citation.anchor.text_fragment
    return kept if is_link(kept) else source


def _paths(table: TableAnchor) -> tuple[str, str]:
    return " › ".join(table.row_path), " › ".join(table.column_path)

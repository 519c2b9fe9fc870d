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
    """The same for a model: what is highlighted, and how all of it reads if that is part of a sentence."""
    shown = told(anchor)
    marked = ", between ⟦ and ⟧" if shown != anchor.text else ""
    reads = ". The sentence reads" if any(anchor.around) else ""
    return f"Highlighted {where(anchor, names)}{marked}{reads}:\n{shown}"


def where(anchor: Anchor, names: Mapping[str, str] | None = None) -> str:
    """In words, what an anchor highlights; ``names`` are those of :class:`verifaible.errors.Said`."""
    table = anchor.table
    if table is not None:
        row, column = _paths(table)
        if table.mode == "crosshair" and len(table.cells) > 1:
            return f"{len(table.cells)} cells, at rows “{row}” and columns “{column}”"
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


def place_of(anchor: Anchor) -> str:
    """Where the evidence stands in its source, as a line of a report says it."""
    if anchor.page_number is not None:
        scan = ", text layer of a scan" if anchor.scanned else ""
        return f"Page {anchor.page_number} of the PDF{scan}"
    if anchor.time is not None:
        return f"Captions from {clock(anchor.time.start_s)} to {clock(anchor.time.end_s)}"
    if anchor.table is not None:
        row, column = _paths(anchor.table)
        return {
            "crosshair": f"Table cell: row “{row}”, column “{column}”",
            "row": f"Table row “{row}”",
            "column": f"Table column “{column}”",
            "table": "Whole table",
        }[anchor.table.mode]
    if anchor.image is not None:
        return f"Image{f' “{anchor.image.alt}”' if anchor.image.alt else ''}"
    return "Text of the page" + (" (in a frame)" if anchor.frame_path else "")


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

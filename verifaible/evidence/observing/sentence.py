"""Cited words in words: marked in their sentence, with the rest of their row, and where they stand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verifaible.errors import Said
from verifaible.schema.anchor import Anchor


def told(anchor: Anchor) -> str:
    """What a reader has to be shown: the evidence under what governs it, the words asked for marked."""
    text = anchor.shown.text or anchor.text
    for start, end in reversed(anchor.shown.words):
        if (start, end) != (0, len(text)):
            text = f"{text[:start]}⟦{text[start:end]}⟧{text[end:]}"
    cells = anchor.table.row_cells if anchor.table is not None else ()
    if any(said and said not in anchor.shown.text for _, said in cells):  # a long row is not shown whole
        rest = " | ".join(f"{name}: {said}" if name else said for name, said in cells)
        text = f"{text}\nThe rest of its row: {rest}"
    return text


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
    """The same for programs: ``sentence`` is None for cells and images."""
    cut = anchor.table is None and anchor.image is None
    return {
        "sentence": anchor.evidence if cut else None,
        "in_sentence": anchor.in_evidence if cut else None,
        "row_cells": list(anchor.table.row_cells) if anchor.table is not None else [],
    }

"""What belongs to cited words: the sentence they stand in, and of a cell its heads and its row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from verifaible.errors import Said
from verifaible.old.text.sentences import sentence_span
from verifaible.schema.anchor import Anchor, Shown, Structure, TableAnchor
from verifaible.schema.transcript import Transcript


def in_sentence(anchor: Anchor, text: str, paragraphs: Sequence[int] = ()) -> Anchor:
    """The anchor of a text or a PDF with the sentence of its words in ``text``, in which offsets count.

    ``paragraphs`` are where a PDF's begin, as far as that is known.
    """
    assert anchor.start is not None
    span, lines = (anchor.start, anchor.start + len(anchor.text)), anchor.evidence_type == "pdf"
    start, end = sentence_span(text, *span, lines=lines, paragraphs=paragraphs)
    return _with_evidence(anchor, text[start:end], anchor.start - start)


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
        return whole(anchor)
    start, end = sentence_span(text, at, at + len(words), lines=True)
    return _with_evidence(anchor, text[start:end], at - start)


def whole(anchor: Anchor) -> Anchor:
    """The anchor of cells, governed by their heads, or of an image: evidence as they are."""
    structure = tuple(_heads(anchor.table, anchor.text)) if anchor.table is not None else ()
    return _with_evidence(anchor, anchor.text, 0, structure)


def _heads(table: TableAnchor, text: str) -> Iterator[Structure]:
    if table.heading.strip():
        yield Structure(kind="heading", text=table.heading)
    if table.caption.strip():
        yield Structure(kind="caption", text=table.caption)
    yield from (Structure(kind="column_head", text=head) for head in table.column_path if head.strip())
    own = text.replace("\n", "\t").split("\t") if table.mode == "row" else ()  # a row has its name in it
    yield from (
        Structure(kind="row_head", text=head) for head in table.row_path if head.strip() and head not in own
    )


def _with_evidence(anchor: Anchor, evidence: str, at: int, structure: tuple[Structure, ...] = ()) -> Anchor:
    above = "".join(f"{each.text}\n" for each in structure)
    start = len(above) + at
    shown = Shown(text=above + evidence, words=((start, start + len(anchor.text)),) if anchor.text else ())
    return anchor.model_copy(
        update={"evidence": evidence, "in_evidence": at, "structure": structure, "shown": shown}
    )


def told(anchor: Anchor) -> str:
    """The cited words as text: marked in their sentence, or with the rest of their row below them."""
    if anchor.table is not None and anchor.table.row_cells:
        rest = "\n".join(
            f"  {name}: {text}" if name else f"  {text}" for name, text in anchor.table.row_cells
        )
        return f"{anchor.text}\nThe rest of its row:\n{rest}"
    before, behind = anchor.around
    return f"{before}⟦{anchor.text}⟧{behind}" if before or behind else anchor.text


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

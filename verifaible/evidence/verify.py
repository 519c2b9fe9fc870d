"""Verifying a citation without a browser: hashes, signature, and the anchor in the sealed evidence."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic

from verifaible.anchoring.headers import find_headers
from verifaible.archive.reader import WaczReader
from verifaible.errors import IntegrityError, StoreError
from verifaible.evidence.material import Material, PageMaterial, PdfMaterial, VideoMaterial, page_from_files
from verifaible.evidence.places import place
from verifaible.evidence.replay import overlap, passage_rects, text_similarity
from verifaible.evidence.store import Store
from verifaible.schema.base import Record
from verifaible.schema.citation import Anchor, Check, Citation, TableMode, Verdict
from verifaible.schema.table import Grid


class Verified(Record):
    """A check without a browser, and what a reader could see on the captured page.

    ``visible_text`` is all of it. ``headers`` are the labels among which the citation chose in the cited
    table: its header path joined with blanks, then, each after a tab, the other texts that name a
    row. Both are empty unless the evidence was verified.
    """

    check: Check
    visible_text: str = ""
    headers: tuple[str, ...] = ()


def verify(citation: Citation, store: Store) -> Verified:
    """Re-hash a citation's capture and find its anchor again in the sealed evidence.

    The bytes must be those that were sealed, the WACZ must be whole and signed by this store's
    key, the anchor in it the citation's own, and the evidence where the anchor says. A PDF is
    read again from its own bytes.
    """
    started = monotonic()
    seen = _seen(citation, store)
    check = Check(
        citation_id=citation.id,
        at=datetime.now(UTC),
        kind="rehash",
        verdict=seen.verdict,
        message=seen.message,
        found=seen.found,
        text_similarity=seen.similarity,
        overlap=seen.overlap,
        duration_s=round(monotonic() - started, 3),
    )
    if seen.verdict != "verified" or seen.material is None:
        return Verified(check=check)
    headers = _labels(seen.material, seen.table, citation.anchor)
    return Verified(check=check, visible_text=seen.material.visible_text, headers=headers)


@dataclass(frozen=True, slots=True)
class _Seen:
    """What was seen; ``table`` is the index of the cited table in the material, -1 for none."""

    verdict: Verdict
    message: str
    found: str = ""
    similarity: float | None = None
    overlap: float | None = None
    material: Material | None = None
    table: int = -1


def _seen(citation: Citation, store: Store) -> _Seen:
    try:
        with store.open_capture(citation) as reader:
            faults = reader.verify(public_key=store.signer.public_key)
            if faults:
                return _Seen("error", f"The capture is not whole: {'; '.join(faults)}.")
            sealed = Anchor.model_validate_json(reader.read("evidence/anchor.json"))
            if sealed != citation.anchor:
                return _Seen("error", "The anchor in the capture is not the citation's.")
            material = read_material(citation, reader)
            placement = place(material, citation.request, citation.anchor)
            again = None
            if isinstance(material, PdfMaterial) and placement.anchor is not None:
                again = overlap(
                    citation.anchor.rects,
                    passage_rects(reader.read("evidence/source.pdf"), placement.anchor),
                )
    except (IntegrityError, StoreError, ValueError) as error:
        return _Seen("error", str(error))
    message = (
        "The bytes are those that were sealed, and the evidence stands in them."
        if placement.verdict == "verified"
        else f"The bytes are those that were sealed, but the evidence is {placement.verdict} in them."
    )
    return _Seen(
        verdict=placement.verdict,
        message=message,
        found=placement.found,
        similarity=text_similarity(citation.anchor.text, placement.found),
        overlap=again,
        material=material,
        table=placement.table,
    )


def _labels(material: Material, table: int, anchor: Anchor) -> tuple[str, ...]:
    if not isinstance(material, PageMaterial) or table < 0 or anchor.table is None:
        return ()
    return header_labels(material.grids[table], anchor.table.mode)


def header_labels(grid: Grid, mode: TableMode = "crosshair") -> tuple[str, ...]:
    """The labels among which a citation of a table has chosen, each once.

    A whole row names its row and shows every column, so its columns are no choice. A label is the
    header path joined with blanks (a year that only an earlier row shows included), then, each
    after a tab, the other texts that name the row.
    """
    headers = find_headers(grid)
    labels = ["\t".join((" ".join((*row.implied, *row.path)), *row.keys)) for row in headers.rows]
    if mode != "row":
        labels += [" ".join(column.path) for column in headers.columns]
    return tuple(dict.fromkeys(label for label in labels if label.strip()))


def read_material(citation: Citation, reader: WaczReader) -> Material:
    """What a capture holds of the page, the PDF (from its own bytes) or the captions."""
    kind = citation.evidence_type
    if kind == "video":
        return VideoMaterial.model_validate_json(reader.read("evidence/transcript.json"))
    if kind == "pdf":
        return _pdf_material(citation, reader)
    names = ("text.txt", "page.json", "table.json")
    material: PageMaterial = page_from_files({name: reader.read(f"evidence/{name}") for name in names})
    return material


def _pdf_material(citation: Citation, reader: WaczReader) -> PdfMaterial:
    from verifaible.browser.traffic import Document
    from verifaible.evidence.observe import read_pdf

    body = reader.read("evidence/source.pdf")
    return read_pdf(Document(citation.document_url, "application/pdf", body))

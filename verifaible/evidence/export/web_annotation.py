"""A citation as annotation tools take it: a W3C Web Annotation whose links lead into the export.

The sealed ``citation.jsonld`` says the same with the store's own names, byte for byte as the store holds it.
"""

from __future__ import annotations

import json

from verifaible.evidence.export import bundle
from verifaible.evidence.export.report_table import ShownTable
from verifaible.evidence.store.annotation import canonical
from verifaible.schema.citation import Anchor, Citation

#: Characters of the cells beside a cited one, as many as an anchor of text has around its words.
_CONTEXT = 64


def web_annotation(citation: Citation, sealed: bytes, table: ShownTable | None, *, capture: bool) -> bytes:
    """The annotation of an export, as canonical JSON.

    Args:
        citation: the citation.
        sealed: its own annotation.
        table: the cited table as shown, for the words beside a cell.
        capture: whether the capture is in the export.
    """
    found, anchor = json.loads(sealed), citation.anchor
    del found["verifaible"]
    found |= {"id": bundle.ANNOTATION, "canonical": found["id"], "via": bundle.CITATION}
    if remark := citation.capture.remark:  # that it is a replica, say
        found["body"] = [
            found["body"],
            {"type": "TextualBody", "value": remark, "purpose": "commenting"},
        ]
    target = found["target"]
    del target["state"]["cached"]
    if capture:
        target["state"]["cached"] = bundle.CAPTURE
    if anchor.table is not None:
        before, behind = _beside(anchor, table)
        quote = {"type": "TextQuoteSelector", "exact": anchor.text, "prefix": before, "suffix": behind}
        target["selector"].append(quote)
    return canonical(found)


def _beside(anchor: Anchor, table: ShownTable | None) -> tuple[str, str]:
    """The words of the row before the first cited cell, and of the row behind the last one."""
    rows = [row for row in table.rows if any(cell.mark == "cell" for cell in row)] if table else []
    if anchor.table is None or not rows or len(rows) < len({row for row, _ in anchor.table.cells}):
        return "", ""
    first = next(at for at, cell in enumerate(rows[0]) if cell.mark == "cell")
    last = max(at for at, cell in enumerate(rows[-1]) if cell.mark == "cell")
    before = " ".join(cell.text for cell in rows[0][:first] if cell.text)
    behind = " ".join(cell.text for cell in rows[-1][last + 1 :] if cell.text)
    return before[-_CONTEXT:], behind[:_CONTEXT]

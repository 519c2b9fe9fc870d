"""A passage of a PDF as the PDF draws it: where it stands, and whether a reader sees it."""

from __future__ import annotations

from dataclasses import dataclass

from verifaible.anchoring.evidence import Found
from verifaible.errors import ToolError
from verifaible.evidence.observing.refusal import hidden
from verifaible.schema.anchor import Rect


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of a PDF as it is drawn.

    Attributes:
        rects: its rectangles on the page where it begins, in points.
        hidden: words of it that nobody sees.
        scanned: whether it is the text layer of a scan.
    """

    rects: tuple[Rect, ...]
    hidden: tuple[str, ...] = ()
    scanned: bool = False

    def fault(self, url: str) -> ToolError | None:
        """Why it cannot be cited, or None."""
        return hidden(self.hidden, url) if self.hidden else None


def passage(body: bytes, found: Found) -> Passage:
    """The words that were found in a PDF, as it draws them."""
    from verifaible.extract.pdf import PdfFile

    with PdfFile(body) as pdf:
        blocks = pdf.document.blocks
        words = [(each.block, each.start, each.end) for each in (*found.words, *found.between)]
        unseen = tuple(word for place in words for word in pdf.hidden_words(*place))
        number = found.anchor.page_number if found.anchor is not None else None
        rects = tuple(
            part.rect
            for block, start, end in words
            for part in blocks[block].drawn(start, end)
            if number is None or part.page == number
        )
        return Passage(rects, unseen, any(pdf.is_scanned(*place) for place in words))

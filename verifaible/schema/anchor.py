"""An anchor: what was asked for, where it stands, and what a reader has to be shown with it."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal, NamedTuple, TypeAlias

from pydantic import Field

from verifaible.schema.base import EvidenceType, Record


class Rect(Record):
    """A rectangle from the top left of the document: CSS pixels of the page, points in a PDF."""

    x: float
    y: float
    width: float
    height: float


Pixels: TypeAlias = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class AnchorRequest(Record):
    """What somebody asked to have anchored, whatever the evidence type.

    ``quote`` is the exact words (text, pdf, video); ``near`` a short text in or beside the
    quote that tells repeated quotes apart. ``row`` and ``column`` name table headers: one
    text, or several (a header path from outer to inner, or several rows or columns).
    ``at_s`` is a second of a video; ``page_number`` counts from 1.
    """

    evidence_type: EvidenceType = "text"
    quote: str = ""
    near: str = ""
    row: tuple[str, ...] = ()
    column: tuple[str, ...] = ()
    selector: str = Field("", description="CSS selector of the table or the image.")
    alt: str = ""
    position: tuple[Pixels, Pixels] | None = Field(
        None, description="A point on the image: x and y in CSS pixels from the top left of the document."
    )
    page_number: int | None = None
    at_s: float | None = None
    language: str = Field("", description="Language code of a video's captions; empty: the usual order.")


TableMode: TypeAlias = Literal["crosshair", "row", "column", "table"]


class TableAnchor(Record):
    """Where in a table: header paths from outer to inner, and grid slots counted from 0.

    ``cells`` are the (row, column) slots the evidence stands in: one for a crosshair, a whole
    row or column for those modes, every body cell for the whole table. ``heading`` is the heading
    before the table, empty where none is near it. ``row_cells`` are the other cells of a cited cell's
    row, each as the headers of its column and its text: never compared; at most 60 cells and
    4,000 characters.
    """

    mode: TableMode
    row_path: tuple[str, ...] = ()
    column_path: tuple[str, ...] = ()
    cells: tuple[tuple[int, int], ...] = ()
    caption: str = ""
    heading: str = ""
    row_cells: tuple[tuple[str, str], ...] = ()


class TimeSpan(Record):
    """A stretch of a video, in seconds."""

    start_s: float
    end_s: float


class ImageAnchor(Record):
    """An image element; ``sha256`` is of the image's own bytes as the server sent them."""

    src: str
    alt: str = ""
    sha256: str = ""
    width: int = 0
    height: int = 0


class Structure(Record):
    """A text of the page that governs the evidence, in the page's own words.

    An ``item`` says which of a list's items it is, in words of ours: ``item 2 of 4``. An ``answer`` is the
    first sentence or line of what follows a question, where the evidence is in the question.
    """

    kind: Literal[
        "heading",
        "caption",
        "column_head",
        "row_head",
        "unit",
        "lead_in",
        "item",
        "term",
        "question",
        "answer",
        "speaker",
        "struck",
        "inserted",
        "generated",
        "footnote",
    ]
    text: str


class Piece(NamedTuple):
    """A stretch of a shown text; ``asked`` for the words that were asked for."""

    text: str
    asked: bool


class Shown(Record):
    """The evidence and its structure as one text, in reading order.

    ``words`` are the words asked for: first code point and one past the last, of each stretch of them.
    """

    text: str = ""
    words: tuple[tuple[int, int], ...] = ()

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The text cut at the edges of the words: what every place emphasises them by."""
        edges = {0, len(self.text), *(edge for span in self.words for edge in span)}
        return tuple(
            Piece(self.text[start:end], any(low <= start and end <= high for low, high in self.words))
            for start, end in pairwise(sorted(edge for edge in edges if 0 <= edge <= len(self.text)))
        )

    @property
    def marked(self) -> str:
        """The text with the words between ⟦ and ⟧; without these where all of it was asked for."""
        if len(self.pieces) == 1:
            return self.text
        return "".join(f"⟦{text}⟧" if asked else text for text, asked in self.pieces)

    def shortened(self, most: int) -> Shown:
        """The same with at most so many characters behind its first word asked for, cut at the end alone.

        What stands before the words is kept, and so are the words, if they are no longer than that.
        """
        first = min((start for start, _ in self.words), default=0)
        if len(self.text) <= first + most:
            return self
        least = min(max((end for _, end in self.words), default=0), first + most)
        kept = self.text[: max(least, self.text.rfind(" ", 0, first + most + 1))].rstrip()
        words = tuple((start, min(end, len(kept))) for start, end in self.words if start < len(kept))
        return Shown(text=f"{kept} …", words=words)


class Anchor(Record):
    """Where the evidence stands, and its words as the page shows them.

    ``text`` is the words asked for, in the page's own characters: the quote, the cell (or the cells,
    tab separated, rows on lines), the passage, the caption lines, the image's alt text.
    ``evidence`` is the shortest run of whole sentences, cells, rows or caption lines that holds them, and
    ``in_evidence`` where they begin in it; cells and alt texts are whole, so theirs is ``text`` itself.
    ``structure`` is what governs the evidence, in reading order, and ``shown`` one text of both.
    ``start`` and ``end`` count Unicode code points in ``evidence/text.txt`` (for a PDF: in the
    text of its page). ``prefix`` and ``suffix`` are the words around ``text``, at most 64 characters
    each. ``scanned`` says of a passage that it is the text layer of a scan, shown by its picture.
    ``css_path`` finds the element (the table, for a table) inside the frame that
    ``frame_path`` leads to. ``text_fragment`` is the page's URL with ``#:~:text=``.
    """

    evidence_type: EvidenceType
    text: str
    evidence: str = ""
    in_evidence: int = 0
    structure: tuple[Structure, ...] = ()
    shown: Shown = Field(default_factory=Shown)
    prefix: str = ""
    suffix: str = ""
    start: int | None = None
    end: int | None = None
    css_path: str = ""
    frame_path: tuple[str, ...] = ()
    rects: tuple[Rect, ...] = ()
    text_fragment: str = ""
    table: TableAnchor | None = None
    page_number: int | None = None
    scanned: bool = False
    time: TimeSpan | None = None
    image: ImageAnchor | None = None

    @property
    def in_full(self) -> Shown:
        """``shown``; the words alone where nothing else is known, as of an image."""
        words = ((0, len(self.text)),) if self.text else ()
        return self.shown if self.shown.text else Shown(text=self.text, words=words)

    @property
    def around(self) -> tuple[str, str]:
        """What the evidence says before the words and after them."""
        return self.evidence[: self.in_evidence], self.evidence[self.in_evidence + len(self.text) :]

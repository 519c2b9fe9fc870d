"""A citation: a claim bound to the place that supports it, and to a sealed capture."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from verifaible.schema.action import ActionStep
from verifaible.schema.base import EvidenceType, Record

#: How an archive answered: ``exact`` URL; ``normalised`` (only cache-busters, query order or the
#: JSONP callback's name differ); ``fuzzy`` (POST body similarity); ``live`` from the internet.
Match: TypeAlias = Literal["exact", "normalised", "fuzzy", "live"]

WebMode: TypeAlias = Literal["live", "record", "offline"]


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
    before the table, empty where none is near it (and in citations made before this was kept).
    ``row_cells`` are the other cells of a cited cell's row, each as the headers of its column and its text:
    shown, never compared; at most 60 cells and 4,000 characters.
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


class Anchor(Record):
    """Where the evidence stands, and its words as the page shows them.

    ``text`` is the page's own text of the anchored region: the quote, the cell (or the cells,
    tab separated, rows on lines), the passage, the caption lines, the image's alt text.
    ``start`` and ``end`` count Unicode code points in ``evidence/text.txt`` (for a PDF: in the
    text of its page). ``prefix`` and ``suffix`` are the words around it, at most 64 characters
    each. ``sentence`` is the sentence (of a caption: the line) that the words are in, ``in_sentence`` where
    they begin in it; it is empty for cells and images, and in citations made before it was kept.
    ``scanned`` says of a passage that it is the text layer of a scan, shown by its picture.
    ``css_path`` finds the element (the table, for a table) inside the frame that
    ``frame_path`` leads to. ``text_fragment`` is the page's URL with ``#:~:text=``.
    """

    evidence_type: EvidenceType
    text: str
    prefix: str = ""
    suffix: str = ""
    sentence: str = ""
    in_sentence: int = 0
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
    def around(self) -> tuple[str, str] | None:
        """What the sentence says before the words and behind them; None where it is not known."""
        at, end = self.in_sentence, self.in_sentence + len(self.text)
        if not self.sentence or self.sentence[at:end] != self.text:
            return None
        return self.sentence[:at], self.sentence[end:]


class CaptureRef(Record):
    """The sealed WACZ a citation rests on, by the SHA-256 of its bytes.

    ``state_sha256`` is the digest of the page's state: what was asked and answered, the DOM and the
    text. Citations of one state share one capture.
    """

    sha256: str
    size_bytes: int
    captured_at: datetime
    state_sha256: str
    web: WebMode
    match: Match = Field("live", description="The weakest archive match that the page was built from.")
    synthetic: bool = Field(False, description="True if a replica, not the real site, was captured.")
    signed_in: bool = Field(False, description="True if it was captured in a signed-in session.")

    @property
    def remark(self) -> str:
        """What a reader has to know of it, in a few words; most often nothing."""
        replica = "a replica, not the real site" if self.synthetic else ""
        signed_in = "captured in a signed-in session" if self.signed_in else ""
        return "; ".join(filter(None, (replica, signed_in)))


#: ``text``: cited words. ``cell``: the cited cell. ``line``: the cells of a cited row or column. ``cross``:
#: the row and column that lead to a cell. ``area``: a whole table. ``frame``: an image.
MarkKind: TypeAlias = Literal["text", "cell", "line", "cross", "area", "frame"]


class Mark(Record):
    """What is marked in a picture: a rectangle in its pixels; ``dark`` if the page is dark there."""

    rect: Rect
    kind: MarkKind
    dark: bool = False


class PictureTile(Record):
    """A file of a picture, lossless WebP and as wide as it: ``y`` and ``height`` are its share, in pixels."""

    sha256: str
    size_bytes: int
    y: int
    height: int


class Picture(Record):
    """The unmodified picture of the evidence and its surroundings; readers draw ``marks`` over it.

    ``width`` and ``height`` are in pixels, one for a CSS pixel of a page. ``x`` and ``y`` are the place
    of its top left corner in the document, in CSS pixels. ``tiles`` lie below one another. Without
    tiles there is no picture, and ``missing`` says why.
    """

    width: int = 0
    height: int = 0
    x: float = 0
    y: float = 0
    tiles: tuple[PictureTile, ...] = ()
    marks: tuple[Mark, ...] = ()
    missing: str = ""


#: The form of citations and captures that this version writes, and the only one that it reads.
CITATION_FORMAT = 3


class CitationDraft(Record):
    """A citation that has no id yet.

    ``created_at`` is when the evidence was seen; an earlier ``capture.captured_at`` says that the
    page was then in the very state that had been captured before. ``source_url`` is what was
    asked for, ``final_url`` what was reached; ``document_url`` the document the evidence stands
    in, where that is another one (a PDF reached by steps). ``picture`` is empty until it was taken.
    ``highlight`` is always null: it belongs to the form.
    """

    format: int = CITATION_FORMAT
    created_at: datetime
    claim: str
    source_url: str
    final_url: str
    document_url: str = ""
    title: str = ""
    request: AnchorRequest
    anchor: Anchor
    steps: tuple[ActionStep, ...] = ()
    capture: CaptureRef
    highlight: None = None
    picture: Picture = Field(default_factory=Picture)

    @property
    def evidence_type(self) -> EvidenceType:
        """The type of evidence the anchor holds."""
        return self.anchor.evidence_type


class Citation(CitationDraft):
    """An immutable citation; ``id`` is global and stable."""

    id: str

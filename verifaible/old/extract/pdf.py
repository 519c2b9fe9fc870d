"""PDF pages as text whose every character has a place, and as pictures.

The only module that imports PyMuPDF (AGPL). All coordinates that leave it are points from the
top left of the page as a reader sees it: the page's rotation is already applied.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType

from verifaible.errors import BadArguments, WrongContent, needing
from verifaible.old.extract.flow import Piece, gap
from verifaible.old.extract.ink import INK_SCALE, InkSheet
from verifaible.old.extract.pdf_lines import Box, Glyph, Line, paragraphs, reading_lines
from verifaible.schema.anchor import Rect

with needing("pdf", "Reading PDF files"):
    import pymupdf

#: Largest picture of a page, in pixels a side: a poster at scale 2 stays inside it.
MAX_RENDER_PIXELS = 8000


@dataclass(frozen=True, slots=True)
class PdfHeading:
    """An entry of the document's outline; ``page_number`` is 0 where it leads to no page."""

    level: int
    text: str
    page_number: int


@dataclass(frozen=True, slots=True)
class _PageText:
    """``boxes`` has one box a code point; ``lines`` the line that each belongs to.

    ``paragraphs`` are the code points at which a paragraph begins below a gap.
    """

    text: str
    boxes: tuple[Box, ...]
    lines: tuple[int, ...]
    paragraphs: tuple[int, ...]


class PdfDocument:
    """An opened PDF; use it as a context manager.

    Attributes:
        page_count: number of pages.
        title: title in the document's metadata, or an empty string.

    Raises:
        WrongContent: the bytes are no PDF, are damaged beyond reading, or need a password.
    """

    def __init__(self, data: bytes) -> None:
        # MuPDF prints its complaints to the terminal otherwise; they are raised as errors here.
        pymupdf.TOOLS.mupdf_display_errors(False)
        pymupdf.TOOLS.mupdf_display_warnings(False)
        if b"%PDF-" not in data[:1024]:
            raise WrongContent("This is not a PDF document. Open it as a web page instead.")
        try:
            self._document = pymupdf.Document(stream=io.BytesIO(data), filetype="pdf")
            self.page_count: int = self._document.page_count
        except (RuntimeError, ValueError) as error:
            raise WrongContent(
                "This PDF is damaged and cannot be opened. Look for another copy of the document."
            ) from error
        if self._document.needs_pass:
            self._document.close()
            raise WrongContent("This PDF needs a password. Look for a copy that is open to everybody.")
        if not self.page_count:
            self._document.close()
            raise WrongContent("This PDF has no pages. Look for another copy of the document.")
        self.title: str = ((self._document.metadata or {}).get("title") or "").strip()
        self._texts: dict[int, _PageText] = {}
        self._paints: dict[int, _Paints] = {}

    def __enter__(self) -> PdfDocument:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give the document's memory back; closing twice is harmless."""
        if not self._document.is_closed:
            self._document.close()

    @property
    def outline(self) -> tuple[PdfHeading, ...]:
        """The document's bookmarks, in order."""
        return tuple(
            PdfHeading(level, str(text).strip(), max(page, 0))
            for level, text, page, *_ in self._document.get_toc(simple=True)
        )

    @property
    def has_text(self) -> bool:
        """Whether any page has a text layer; a scan has none."""
        return any(self.page_text(number).strip() for number in range(1, self.page_count + 1))

    def page_text(self, n: int) -> str:
        """The text of page ``n`` (from 1) in the order of the file, a line of the page a line.

        Raises:
            BadArguments: there is no such page.
        """
        return self._text(n).text

    def paragraphs(self, n: int) -> tuple[int, ...]:
        """The code points of a page's text at which a paragraph begins below a gap."""
        return self._text(n).paragraphs

    def linked_text(self, n: int) -> str:
        """The text of a page; words under a link to the web are Markdown links, ``[words](address)``."""
        text = self._text(n)
        turned = _turning(self._page(n))
        areas = [
            (turned(tuple(link["from"])), str(link["uri"]))
            for link in self._page(n).get_links()
            if str(link.get("uri") or "").lower().startswith(("http://", "https://"))
        ]
        spans: list[tuple[int, int, str]] = []
        for index, (char, box) in enumerate(zip(text.text, text.boxes, strict=True)):
            uri = next((uri for area, uri in areas if _is_over(area, box)), "") if not char.isspace() else ""
            if not uri:
                continue
            gap_ = text.text[spans[-1][1] : index] if spans and spans[-1][2] == uri else "-"
            if not gap_.strip():
                spans[-1] = (spans[-1][0], index + 1, uri)
            else:
                spans.append((index, index + 1, uri))
        shown = text.text
        for start, end, uri in reversed(spans):
            words = " ".join(shown[start:end].split())
            if words.replace(" ", "") not in uri:  # an address that is written out is found as it is
                shown = f"{shown[:start]}[{words}]({uri}){shown[end:]}"
        return shown

    def rects(self, n: int, start: int, end: int) -> tuple[Rect, ...]:
        """Where the code points ``start`` to ``end`` (exclusive) of a page's text stand.

        One rectangle a line of the page.
        """
        text = self._text(n)
        spans: dict[int, list[Box]] = {}
        for index in range(max(start, 0), min(end, len(text.text))):
            if not text.text[index].isspace():
                spans.setdefault(text.lines[index], []).append(text.boxes[index])
        return tuple(_union(boxes) for _, boxes in sorted(spans.items()))

    def page_size(self, n: int) -> tuple[float, float]:
        """Width and height of a page in points, as it is shown."""
        bounds = self._page(n).rect
        return bounds.width, bounds.height

    def hidden_words(self, n: int, start: int, end: int) -> tuple[str, ...]:
        """The words among the code points ``start`` to ``end`` of a page's text that nobody sees.

        A letter is seen where there is ink in its box, and it is not smaller than three points. Letters
        that are never drawn (render mode 3) are the text layer of a scan where a picture lies under them,
        and hidden elsewhere.
        """
        text = self._text(n)
        self._page(n)
        sheet = InkSheet(self.render(n, INK_SCALE), INK_SCALE)
        paints = self._paints_of(n)
        hidden: list[str] = []
        for word in re.finditer(r"\S+", text.text[:end]):
            letters = [at for at in range(max(start, word.start()), word.end()) if text.text[at].isalnum()]
            boxes = [text.boxes[at] for at in letters]
            if boxes and not (paints.leaves(boxes) and sheet.shows(boxes)):
                hidden.append(word.group())
        return tuple(hidden)

    def scanned(self, n: int, start: int, end: int) -> bool:
        """Whether a span of a page's text has letters that only the picture of a scan under them shows."""
        text, paints = self._text(n), self._paints_of(n)
        return any(
            paints.scanned(text.boxes[at])
            for at in range(start, min(end, len(text.text)))
            if text.text[at].isalnum()
        )

    def apart(self, n: int, start: int, end: int) -> tuple[str, str] | None:
        """The first two neighbours in a span of a page's text between which the eye does not read on."""
        text = self._text(n)
        pieces = []
        for word in re.finditer(r"\S+", text.text[:end]):
            if word.end() > start:
                first, last = max(start, word.start()), word.end() - 1
                ends = (_union([text.boxes[first]]), _union([text.boxes[last]]))
                pieces.append(Piece(text.text[first : last + 1], *ends))
        return gap(pieces, rows=True)

    def render(self, n: int, scale: float = 2.0, highlight: Sequence[Rect] = ()) -> bytes:
        """A PNG of a page, ``scale`` pixels a point, with rectangles marked in yellow.

        The marks are painted into the picture's own copy; the document is not changed.
        """
        page = self._page(n)
        scale = min(scale, MAX_RENDER_PIXELS / max(page.rect.width, page.rect.height, 1))
        picture = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), alpha=False)
        if highlight:
            picture = _highlighted(picture, scale, highlight)
        png: bytes = picture.tobytes("png")
        return png

    def _page(self, n: int) -> pymupdf.Page:
        if not 1 <= n <= self.page_count:
            raise BadArguments(
                f"page {n} does not exist: the document has pages 1 to {self.page_count}. Give one of these."
            )
        try:
            page: pymupdf.Page = self._document.load_page(n - 1)
        except (RuntimeError, ValueError) as error:
            raise WrongContent(f"Page {n} of this PDF is damaged. Cite another page or copy.") from error
        return page

    def _paints_of(self, n: int) -> _Paints:
        if n not in self._paints:
            self._paints[n] = _Paints(self._page(n))
        return self._paints[n]

    def _text(self, n: int) -> _PageText:
        if n not in self._texts:
            self._texts[n] = _page_text(self._page(n))
        return self._texts[n]


def _is_over(area: Box, box: Box) -> bool:
    """Whether the middle of a character's box lies in an area."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return area[0] <= x <= area[2] and area[1] <= y <= area[3]


def _page_text(page: pymupdf.Page) -> _PageText:
    turned = _turning(page)
    text: list[str] = []
    boxes: list[Box] = []
    lines: list[int] = []
    fields = tuple(tuple(field.rect) for field in page.widgets())
    found = reading_lines(_lines(page), fields)
    begun, starts = frozenset(paragraphs(found)), list[int]()
    for number, line in enumerate(found):
        if number in begun:
            starts.append(len(text))
        for glyph in line:
            shown = turned(glyph.box)
            # A ligature is several code points in one box.
            for point in glyph.text:
                text.append(point)
                boxes.append(shown)
                lines.append(number)
        text.append("\n")
        boxes.append(boxes[-1])
        lines.append(number)
    return _PageText("".join(text), tuple(boxes), tuple(lines), tuple(starts))


def _turning(page: pymupdf.Page) -> Callable[[Box], Box]:
    """What leads from the file's coordinates to those of the page as it is shown."""
    if not page.rotation:
        return lambda box: box
    turn = page.rotation_matrix
    a, b, c, d, e, f = (float(getattr(turn, name)) for name in "abcdef")

    def turned(box: Box) -> Box:
        across = sorted(a * x + c * y + e for x, y in (box[:2], box[2:]))
        down = sorted(b * x + d * y + f for x, y in (box[:2], box[2:]))
        return across[0], down[0], across[1], down[1]

    return turned


def _lines(page: pymupdf.Page) -> Iterator[Line]:
    """Characters with their boxes, line by line, as MuPDF puts them together.

    They are those that are painted: a replacement text (``ActualText``) may say anything, and nobody sees it.
    """
    flags = (pymupdf.TEXTFLAGS_RAWDICT & ~pymupdf.TEXT_PRESERVE_IMAGES) | pymupdf.TEXT_IGNORE_ACTUALTEXT
    for block in page.get_text("rawdict", flags=flags)["blocks"]:
        for line in block.get("lines", ()):
            yield tuple(
                Glyph(
                    char["c"],
                    char["bbox"],
                    raised=bool(span["flags"] & pymupdf.TEXT_FONT_SUPERSCRIPT),
                    made=bool(char["synthetic"]),
                )
                for span in line["spans"]
                for char in span["chars"]
            )


class _Paints:
    """What a page paints, in order: which letters are never drawn, and which a later picture covers."""

    def __init__(self, page: pymupdf.Page) -> None:
        turned = _turning(page)
        log = [(kind, turned(tuple(rect))) for kind, rect in page.get_bboxlog()]
        self._pictures = [(order, area) for order, (kind, area) in enumerate(log) if "image" in kind]
        self._letters = [
            (turned(tuple(char[3])), int(span["seqno"]), span["type"] == 3)
            for span in page.get_texttrace()
            for char in span["chars"]
        ]

    def leaves(self, letters: Sequence[Box]) -> bool:
        """Whether letters are left to be seen: as such, or in the scan whose text layer they are."""
        return all(map(self._leaves, letters))

    def scanned(self, box: Box) -> bool:
        """Whether a letter is never drawn, and a picture lies under it."""
        here, pictures = self._at(box)
        return bool(here and pictures) and all(never for _, never in here)

    def _at(self, box: Box) -> tuple[list[tuple[int, bool]], list[int]]:
        """The letters at the middle of a box, each with whether it is never drawn, and the pictures."""
        here = [(order, never) for area, order, never in self._letters if _is_over(area, box)]
        return here, [order for order, area in self._pictures if _is_over(area, box)]

    def _leaves(self, box: Box) -> bool:
        here, pictures = self._at(box)
        if not here:
            return True  # it is a form's, or of a kind that is not logged
        if all(never for _, never in here):
            return bool(pictures)
        return any(not never and all(order > picture for picture in pictures) for order, never in here)


def _union(boxes: Sequence[Box]) -> Rect:
    left, top = min(box[0] for box in boxes), min(box[1] for box in boxes)
    right, bottom = max(box[2] for box in boxes), max(box[3] for box in boxes)
    return Rect(x=left, y=top, width=right - left, height=bottom - top)


def _highlighted(picture: pymupdf.Pixmap, scale: float, rects: Sequence[Rect]) -> pymupdf.Pixmap:
    """The picture with translucent yellow over the rectangles (multiplied, so ink stays dark)."""
    with pymupdf.Document() as sheet:
        page = sheet.new_page(width=picture.width, height=picture.height)
        page.insert_image(page.rect, pixmap=picture)
        for rect in rects:
            box = pymupdf.Rect(rect.x, rect.y, rect.x + rect.width, rect.y + rect.height) * scale
            annotation = page.add_highlight_annot(box.quad)
            annotation.set_colors(stroke=(1.0, 0.9, 0.2))
            annotation.update()
        marked: pymupdf.Pixmap = page.get_pixmap(alpha=False)
    return marked

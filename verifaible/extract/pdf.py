"""PDF files: their characters and their pictures, and the Document that is read from them.

The only module that imports PyMuPDF (AGPL). All coordinates that leave it are points from the top left of the
page as it is shown: crop box and rotation are applied.
"""

from __future__ import annotations

import io
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from threading import RLock
from types import TracebackType
from typing import Any, Final

from verifaible.errors import BadArguments, WrongContent, needing
from verifaible.extract.document import Document, Link
from verifaible.extract.ink import INK_SCALE, InkSheet
from verifaible.extract.pdf_blocks import Drawn, blocks
from verifaible.extract.pdf_layout import Part, parts
from verifaible.extract.pdf_lines import Area, Glyph, is_from_right, lines

with needing("pdf", "Reading PDF files"):
    import pymupdf

#: Largest picture of a page, in pixels a side: a poster at scale 2 stays inside it.
MAX_RENDER_PIXELS: Final = 8000
#: PyMuPDF's ``char_flags``: the letters are filled, or their outlines drawn.
_PAINTED: Final = 16 | 32
#: The same: a line is drawn through them.
_STRUCK: Final = 1
#: What is read: painted characters. A replacement text (``ActualText``) may say anything, and nobody sees it.
_FLAGS: Final = (pymupdf.TEXTFLAGS_RAWDICT & ~pymupdf.TEXT_PRESERVE_IMAGES) | pymupdf.TEXT_IGNORE_ACTUALTEXT


#: MuPDF is not made for several threads. One thread may have several files open.
_ONE_AT_A_TIME: Final = RLock()


def pdf_document(body: bytes, url: str = "") -> Document:
    """What a reader sees of a PDF, as text in reading order.

    Raises:
        WrongContent: the bytes are no PDF, are damaged beyond reading, or need a password.
    """
    with PdfFile(body, url) as opened:
        return opened.document


def _opened(body: bytes) -> pymupdf.Document:
    # MuPDF prints its complaints to the terminal otherwise; they are raised as errors here.
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    if b"%PDF-" not in body[:1024]:
        raise WrongContent("This is not a PDF document. Open it as a web page instead.")
    try:
        file = pymupdf.Document(stream=io.BytesIO(body), filetype="pdf")
        pages = file.page_count
    except (RuntimeError, ValueError) as error:
        raise WrongContent(
            "This PDF is damaged and cannot be opened. Look for another copy of the document."
        ) from error
    lacks = "needs a password" if file.needs_pass else "" if pages else "has no pages"
    if lacks:
        file.close()
        raise WrongContent(f"This PDF {lacks}. Look for a copy that anybody can open and read.")
    return file


class PdfFile:
    """An opened PDF; use it as a context manager, in one thread: others wait until it is closed.

    Attributes:
        page_count: number of pages.
        title: title in the file's metadata, or an empty string.

    Raises:
        WrongContent: the bytes are no PDF, are damaged beyond reading, or need a password.
    """

    def __init__(self, body: bytes, url: str = "") -> None:
        _ONE_AT_A_TIME.acquire()
        try:
            self._file = _opened(body)
        except BaseException:
            _ONE_AT_A_TIME.release()
            raise
        self.page_count: int = self._file.page_count
        self.title: str = ((self._file.metadata or {}).get("title") or "").strip()
        self._url = url
        self._paints: dict[int, _Paints] = {}

    def __enter__(self) -> PdfFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give the file's memory back, and let the next one in; closing twice is harmless."""
        if not self._file.is_closed:
            self._file.close()
            _ONE_AT_A_TIME.release()

    @cached_property
    def document(self) -> Document:
        """The whole file, read; of a scan without a text layer a Document without blocks."""
        read = tuple(each.block for each in self._drawn)
        return Document(read, medium="pdf", url=self._url, title=self.title)

    @cached_property
    def linked(self) -> Document:
        """The document with the links to the web that lie over its words."""
        areas = [self.links(number) for number in range(1, self.page_count + 1)]
        read = (replace(each.block, links=_links_over(each, areas)) for each in self._drawn)
        return replace(self.document, blocks=tuple(read))

    @property
    def outline(self) -> tuple[tuple[int, str, int], ...]:
        """The bookmarks in order: level, text, page from 1 (0 where it leads to none)."""
        return tuple(
            (level, str(text).strip(), max(page, 0))
            for level, text, page, *_ in self._file.get_toc(simple=True)
        )

    def links(self, page_number: int) -> tuple[tuple[Area, str], ...]:
        """Places of a page that lead to the web, and their addresses."""
        page = self._page(page_number)
        turned = _turning(page)
        return tuple(
            (turned(tuple(link["from"])), str(link["uri"]))
            for link in page.get_links()
            if str(link.get("uri") or "").lower().startswith(("http://", "https://"))
        )

    def page_size(self, page_number: int) -> tuple[float, float]:
        """Width and height of a page in points, as it is shown."""
        bounds = self._page(page_number).rect
        return bounds.width, bounds.height

    def picture(self, page_number: int, area: Area | None = None, scale: float = 2.0) -> bytes:
        """A PNG of a page or a part of it, ``scale`` pixels a point (fewer where it would be too large)."""
        page = self._page(page_number)
        clip = pymupdf.Rect(area) & page.rect if area else page.rect
        scale = min(scale, MAX_RENDER_PIXELS / max(clip.width, clip.height, 1))
        png: bytes = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), clip=clip, alpha=False).tobytes(
            "png"
        )
        return png

    def hidden_words(self, block: int, start: int, end: int) -> tuple[str, ...]:
        """The words of a stretch of a block that nobody sees (of which some letters have no ink).

        Letters that are never drawn are the text layer of a scan where a picture lies under them; letters
        under a later picture, and smaller ones than three points, are hidden.
        """
        drawn = self._drawn[block]
        sheets: dict[int, InkSheet] = {}
        hidden = []
        for word in re.finditer(r"\S+", drawn.block.text[:end]):
            at = [
                place
                for place in range(max(start, word.start()), word.end())
                if drawn.glyphs[place] is not None and drawn.block.text[place].isalnum()
            ]
            for page in sorted({drawn.page_of[place] for place in at}):
                letters = [
                    g.area for place in at if drawn.page_of[place] == page and (g := drawn.glyphs[place])
                ]
                if page not in sheets:
                    sheets[page] = InkSheet(self.picture(page, scale=INK_SCALE), INK_SCALE)
                if not (self._paints_of(page).leaves(letters) and sheets[page].shows(letters)):
                    hidden.append(word.group())
                    break
        return tuple(hidden)

    def is_scanned(self, block: int, start: int, end: int) -> bool:
        """Whether a stretch of a block has letters that only the picture of a scan under them shows."""
        drawn = self._drawn[block]
        return any(
            self._paints_of(drawn.page_of[at]).scanned(glyph.area)
            for at in range(start, min(end, len(drawn.glyphs)))
            if (glyph := drawn.glyphs[at]) and glyph.text.isalnum()
        )

    @cached_property
    def _drawn(self) -> list[Drawn]:
        pages, heights = [], []
        for number in range(1, self.page_count + 1):
            page = self._page(number)
            pages.append(_parts(page))
            heights.append(page.rect.height)
        return blocks(pages, heights)

    def _page(self, number: int) -> Any:
        if not 1 <= number <= self.page_count:
            raise BadArguments(
                f"page {number} does not exist: the document has pages 1 to {self.page_count}. "
                "Give one of these."
            )
        try:
            return self._file.load_page(number - 1)
        except (RuntimeError, ValueError) as error:
            raise WrongContent(f"Page {number} of this PDF is damaged. Cite another page or copy.") from error

    def _paints_of(self, number: int) -> _Paints:
        if number not in self._paints:
            self._paints[number] = _Paints(self._page(number))
        return self._paints[number]


def _parts(page: Any) -> list[list[Part]]:
    """What a page says, by direction of writing, the most common one first."""
    groups: dict[tuple[float, float], list[Glyph]] = defaultdict(list)
    for way, glyph in _glyphs(page):
        groups[way].append(glyph)
    read = []
    for group in sorted(groups.values(), key=lambda each: -len(each)):
        read.append(parts(lines(group), from_right=is_from_right(group)))
    return read


def _glyphs(page: Any) -> Iterator[tuple[tuple[float, float], Glyph]]:
    """The characters of a page, each with the direction of its writing, in the order of painting.

    Left out is what lies beyond the crop box, is wholly transparent, or is never drawn where no picture lies
    (the text layer of a scan has one).
    """
    turned = _turning(page)
    marked = _struck_out(page)
    width, height = page.cropbox.width, page.cropbox.height
    pictures: list[Area] | None = None
    for line, span in _spans(page, _has_strokes(page, marked)):
        way = round(line["dir"][0], 2), round(line["dir"][1], 2)
        size, unpainted = span["size"], not span["char_flags"] & _PAINTED
        bold = bool(span["flags"] & pymupdf.TEXT_FONT_BOLD)
        drawn = bool(span["char_flags"] & _STRUCK)
        if unpainted and pictures is None:
            pictures = [tuple(each["bbox"]) for each in page.get_image_info()]
        for char in span["chars"]:
            box = char["bbox"]
            x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
            if char["synthetic"] or not (0 <= x <= width and 0 <= y <= height):
                continue
            if unpainted and not any(a <= x <= c and b <= y <= d for a, b, c, d in pictures or ()):
                continue
            text = char["c"]
            if "\ufb00" <= text <= "\ufb06":  # a ligature is its letters
                text = unicodedata.normalize("NFKC", text)
            struck = drawn or any(_is_over(area, box) for area in marked.get(int(y), ()))
            u0, u1, base = _along(way, char, span)
            yield way, Glyph(text, u0, u1, base, size, turned(box), bold, struck)


def _struck_out(page: Any) -> dict[int, list[Area]]:
    """What annotations strike out: an area for each line of text, by the heights in points that it has."""
    found: dict[int, list[Area]] = defaultdict(list)
    for mark in page.annots(types=[pymupdf.PDF_ANNOT_STRIKE_OUT]):
        corners = mark.vertices or ()
        for quad in (corners[at : at + 4] for at in range(0, len(corners), 4)):
            across, down = zip(*quad, strict=True)
            area = min(across), min(down), max(across), max(down)
            for height in range(max(0, int(area[1])), min(int(page.cropbox.height), int(area[3])) + 1):
                found[height].append(area)
    return found


def _has_strokes(page: Any, marked: dict[int, list[Area]]) -> bool:
    """Whether a page draws anything but letters, pictures and the lines of what is marked as struck out."""
    paths = (area for kind, area in page.get_bboxlog() if "path" in kind)
    return not all(
        any(_is_over(a, area) for a in marked.get(int(area[1] + area[3]) // 2, ())) for area in paths
    )


def _spans(page: Any, strokes: bool) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    # MuPDF then compares every letter with every other and every line: a second on a page full of text.
    flags = _FLAGS | pymupdf.TEXT_COLLECT_STYLES if strokes else _FLAGS
    for block in page.get_text("rawdict", flags=flags)["blocks"]:
        for line in block.get("lines", ()):
            for span in line["spans"]:
                if span["alpha"] or not span["char_flags"] & _PAINTED:
                    yield line, span


def _along(
    way: tuple[float, float], char: dict[str, Any], span: dict[str, Any]
) -> tuple[float, float, float]:
    """Where a character begins and ends along its line, and how far down its baseline is."""
    (dx, dy), (x, y), (x0, y0, x1, y1) = way, char["origin"], char["bbox"]
    start, tall = x * dx + y * dy, span["size"] * (span["ascender"] - span["descender"])
    wide = abs(dx) >= abs(dy)
    length = (x1 - x0 - tall * abs(dy)) / abs(dx) if wide else (y1 - y0 - tall * abs(dx)) / abs(dy)
    return start, start + max(length, 0.0), y * dx - x * dy


def _turning(page: Any) -> Callable[[Area], Area]:
    """What leads from the file's coordinates to those of the page as it is shown."""
    if not page.rotation:
        return lambda box: box
    turn = page.rotation_matrix
    a, b, c, d, e, f = (float(getattr(turn, name)) for name in "abcdef")

    def turned(box: Area) -> Area:
        across = sorted(a * x + c * y + e for x, y in (box[:2], box[2:]))
        down = sorted(b * x + d * y + f for x, y in (box[:2], box[2:]))
        return across[0], down[0], across[1], down[1]

    return turned


class _Paints:
    """What a page paints, in order: which letters are never drawn, and which a later picture covers."""

    def __init__(self, page: Any) -> None:
        turned = _turning(page)
        log = [(kind, turned(tuple(rect))) for kind, rect in page.get_bboxlog()]
        self._pictures = [(order, area) for order, (kind, area) in enumerate(log) if "image" in kind]
        self._letters = [
            (turned(tuple(char[3])), int(span["seqno"]), span["type"] == 3)
            for span in page.get_texttrace()
            for char in span["chars"]
        ]

    def leaves(self, letters: Sequence[Area]) -> bool:
        """Whether letters are left to be seen: as such, or in the scan whose text layer they are."""
        return all(map(self._leaves, letters))

    def scanned(self, box: Area) -> bool:
        """Whether a letter is never drawn, and a picture lies under it."""
        here, pictures = self._at(box)
        return bool(here and pictures) and all(never for _, never in here)

    def _at(self, box: Area) -> tuple[list[tuple[int, bool]], list[int]]:
        """The letters at the middle of a box, each with whether it is never drawn, and the pictures."""
        here = [(order, never) for area, order, never in self._letters if _is_over(area, box)]
        return here, [order for order, area in self._pictures if _is_over(area, box)]

    def _leaves(self, box: Area) -> bool:
        here, pictures = self._at(box)
        if not here:
            return True  # it is a form's, or of a kind that is not logged
        if all(never for _, never in here):
            return bool(pictures)
        return any(not never and all(order > picture for picture in pictures) for order, never in here)


def _links_over(drawn: Drawn, areas: Sequence[Sequence[tuple[Area, str]]]) -> tuple[Link, ...]:
    """The links of a block, told by the addresses that lie over its letters on each page."""
    found: list[Link] = []
    for at, glyph in enumerate(drawn.glyphs):
        if glyph is None or not glyph.text.strip():
            continue
        url = next((url for area, url in areas[drawn.page_of[at] - 1] if _is_over(area, glyph.area)), "")
        goes_on = bool(found) and found[-1].url == url and not drawn.block.text[found[-1].end : at].strip()
        if url and goes_on:
            found[-1] = replace(found[-1], end=at + 1)
        elif url:
            found.append(Link(at, at + 1, url))
    return tuple(found)


def _is_over(area: Area, box: Area) -> bool:
    """Whether the middle of a character's box lies in an area."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return area[0] <= x <= area[2] and area[1] <= y <= area[3]

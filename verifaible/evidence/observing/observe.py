"""Opening a source and reading what evidence is looked for in, when citing and when replaying."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Container, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from verifaible.archive.reader import WaczReader
from verifaible.browser import reading
from verifaible.browser.page.readiness import MAX_ROUNDS, reveal, still, waits_for_scrolling
from verifaible.browser.page.session import PageSession
from verifaible.browser.page.watched import DOWNLOAD_WAIT_S
from verifaible.browser.page_time import let_pass
from verifaible.browser.pictures.highlight import Box, Marking
from verifaible.browser.steps.playing import play
from verifaible.browser.traffic.traffic import Document
from verifaible.errors import AnchorNotFound, NoText, PageNotLoaded, Said, SearchIncomplete, WrongContent
from verifaible.evidence.observing.blocked import is_unready, refuse_blocked, why_blocked
from verifaible.evidence.observing.material import (
    Material,
    PageMaterial,
    PdfMaterial,
    VideoMaterial,
    page_from_files,
    read_page,
)
from verifaible.evidence.observing.places import Placement, place
from verifaible.evidence.observing.virtual import find_row
from verifaible.schema.action import ActionStep, StepResult
from verifaible.schema.anchor import Anchor, AnchorRequest, Rect
from verifaible.schema.citation import Citation, MarkKind
from verifaible.schema.table import Grid

if TYPE_CHECKING:
    from verifaible.old.extract.pdf import PdfDocument

#: A page that has come to rest and still shows a spinner is looked at again so often, after so long. That it
#: is half-loaded then is a verdict only where nothing is left that could make it go on.
PATIENCE_ROUNDS = 4
PATIENCE_MS = 400


@dataclass(frozen=True, slots=True)
class Observed:
    """What was read of a source, and what the steps returned.

    ``document`` is the PDF, where the evidence is looked for in one. ``incomplete`` says why there may be
    more on the page than was read; empty where all of it was.
    """

    material: Material
    results: tuple[StepResult, ...] = ()
    document: Document | None = field(default=None)
    incomplete: str = ""


@dataclass(frozen=True, slots=True)
class Drawn:
    """An anchor with its rectangles, and the boxes that would highlight it."""

    anchor: Anchor
    boxes: tuple[Box, ...] = ()


_Cells: TypeAlias = Sequence[tuple[Rect, tuple[int, int]]]


async def observe(
    session: PageSession,
    url: str,
    steps: Sequence[ActionStep],
    request: AnchorRequest,
    sealed: Material | None = None,
) -> Observed:
    """Open a page, play the steps, and read the page, or the PDF that it leads to.

    ``sealed`` is what was read before, where that is known: it says where to look first.

    Raises:
        ToolError: everything that opening, playing and reading can raise.
        WrongContent: a PDF where a page was wanted, or the other way round.
        PageBlocked: the page is not content.
        NoText: the PDF has no text layer.
        SearchIncomplete: a limit was reached before a table was looked through, or a PDF came.
        AnchorNotFound, AnchorAmbiguous: a table was scrolled through, and has not, or not only, the row.
    """
    loaded = await session.open(url)
    results: tuple[StepResult, ...] = ()
    if loaded.document is None:
        results = await play(session, steps)
    elif steps:
        raise WrongContent(
            Said("{url} is a file, not a page: {arg[steps]} cannot be played on it. Leave them out.", url=url)
        )
    if request.evidence_type == "pdf":
        document = loaded.document or await session.document(expected=bool(steps))
        if document is None and not session.traffic.idle.is_set():
            raise SearchIncomplete(
                f"No PDF has come from {url} yet, and the page still waits for answers. Try again later."
            )
        live_again = sealed is not None and session.web.archive is None
        if document is None and live_again and steps and session.page.url == loaded.url:
            raise PageNotLoaded(
                f"The steps led to a PDF before, and to nothing in {DOWNLOAD_WAIT_S:g} s now. Look again "
                "later.",
                hung=True,
            )
        if document is None or document.media_type != "application/pdf":
            told = (
                "No PDF was reached from {url}. Give the address of the PDF itself, or {arg[steps]} that end "
                "with a click on the link to it; for a page use {arg[evidence_type]:text} or table."
            )
            raise WrongContent(Said(told, url=url))
        return Observed(read_pdf(document), results, document)
    if loaded.document is not None:
        told = (
            "{url} is a PDF. Cite it with {arg[evidence_type]:pdf} and the {arg[page_number]} of the passage."
        )
        raise WrongContent(Said(told, url=url))
    return await _shown(
        session, request, results, sealed, lambda: observe(session, url, steps, request, sealed)
    )


async def observe_whole(session: PageSession, url: str) -> Observed:
    """Open an address and read all of it, before it is known what is looked for in it.

    A file that no browser shows as a page is in ``document``, and no page is in ``material`` then: of a PDF
    its pages, else a PDF without pages. Errors are those of :func:`observe`.
    """
    loaded = await session.open(url)
    document = loaded.document
    if document is None:
        return await _shown(session, AnchorRequest(), (), None, lambda: observe_whole(session, url))
    if document.media_type == "application/pdf" or b"%PDF-" in document.body[:1024]:
        return Observed(read_pdf(document), document=document)
    return Observed(PdfMaterial(url=document.url, pages=()), document=document)


async def _shown(
    session: PageSession,
    request: AnchorRequest,
    results: tuple[StepResult, ...],
    sealed: Material | None,
    again: Callable[[], Awaitable[Observed]],
) -> Observed:
    """Read the page that is open; ``again`` opens it once more, when a person has helped."""
    material, ended = await _found_in_view(session, request), True
    if material is None:
        ended = await reveal(session)
        material = await _read_when_ready(session, request)
    hasty = session.overdue or not session.settled
    if sealed is not None and is_unready(material) and (hasty or await _may_go_on(session)):
        raise PageNotLoaded(
            f"{session.page.url} was still being loaded when the time for that was over. Look again later.",
            hung=True,
        )
    reason = why_blocked(material)
    if reason and await session.helped(f"It shows {reason}."):
        return await again()
    refuse_blocked(material)
    before = sealed.scrolled if isinstance(sealed, PageMaterial) else None
    material = await find_row(session, request, material, before)
    incomplete = "" if ended else f"the page went on after it was scrolled through {MAX_ROUNDS} times"
    if not session.settled:
        incomplete = "the page had not come to rest in the time that it is given"
    elif session.overdue:
        incomplete = "the page still waited for answers when the time for them was over"
    return Observed(material, results, incomplete=incomplete)


async def _found_in_view(session: PageSession, request: AnchorRequest) -> PageMaterial | None:
    """A page that waits to be scrolled, if what is looked for is there before: scrolling may take it away."""
    if not await waits_for_scrolling(session):
        return None
    material = await read_page(session, request)
    there = place(material, request).verdict == "verified" and not is_unready(material)
    return material if there else None


async def _may_go_on(session: PageSession) -> bool:
    """Whether a live page has anything left that could still make it content."""
    return session.web.archive is None and not await session.evaluate("asleep")


async def _read_when_ready(session: PageSession, request: AnchorRequest) -> PageMaterial:
    """Read a page all of which has been in view; one that is still loading gets some more time."""
    material = await read_page(session, request)
    for _ in range(PATIENCE_ROUNDS):
        if not is_unready(material):
            break
        await let_pass(session.page, PATIENCE_MS, turns=0)
        await session.page.wait_for_timeout(PATIENCE_MS)
        await still(session)
        material = await read_page(session, request)
    return material


def read_pdf(document: Document) -> PdfMaterial:
    """The text of a PDF, page by page.

    Raises:
        NoText: it has no text layer.
        WrongContent: it is damaged or needs a password.
    """
    from verifaible.old.extract.pdf import PdfDocument

    with PdfDocument(document.body) as pdf:
        if not pdf.has_text:
            raise NoText(
                f"{document.url} has no text layer (it is a scan), so no passage in it can be checked. "
                "Look for a version with text."
            )
        return pdf_material(pdf, document.url)


def pdf_material(pdf: PdfDocument, url: str) -> PdfMaterial:
    """What an opened PDF holds."""
    numbers = range(1, pdf.page_count + 1)
    return PdfMaterial(
        url=url,
        title=pdf.title,
        pages=tuple(map(pdf.page_text, numbers)),
        paragraphs=tuple(map(pdf.paragraphs, numbers)),
    )


async def draw(session: PageSession, material: PageMaterial, placement: Placement) -> Drawn:
    """Give the anchor of a page its rectangles; the evidence is scrolled into view for it."""
    anchor = placement.anchor
    assert anchor is not None
    if anchor.evidence_type == "image":
        return Drawn(anchor, tuple(Box(rect=rect, kind="frame") for rect in anchor.rects))
    if anchor.table is not None:
        return await _draw_table(session, anchor, material.grids[placement.table])
    assert anchor.start is not None and anchor.end is not None
    located = await reading.locate_text(session, material.page, anchor.start, anchor.end)
    return Drawn(anchor.model_copy(update={"rects": located.rects, "css_path": located.css_path}))


async def _draw_table(session: PageSession, anchor: Anchor, grid: Grid) -> Drawn:
    assert anchor.table is not None
    slots, mode = anchor.table.cells, anchor.table.mode
    cells = _sources(grid, slots)
    lines: list[tuple[int, int]] = []
    if mode == "crosshair":
        rows, columns = {row for row, _ in slots}, {column for _, column in slots}
        across = [(row, column) for row in rows for column in range(grid.width)]
        down = [(row, column) for column in columns for row in range(grid.height)]
        # A column's header may come into view only with the column, and go when the row's is scrolled to.
        lines = [source for source in _sources(grid, (*down, *across)) if source not in cells]
    names = {*anchor.table.row_path, *anchor.table.column_path}
    heads = {cell.source for cell in grid.cells if cell.header or cell.text in names}
    headers = [source for source in lines if source in heads]
    # The cells come first: the first of all is what gets scrolled into view.
    sources = list(dict.fromkeys([*cells, *headers, *lines]))
    located, whole = await reading.locate_cells(
        session, anchor.frame_path, anchor.css_path, sources, named=len(cells) + len(headers)
    )
    if mode == "table":
        rects = (whole,) if whole is not None else ()
        boxes = tuple(Box(rect=rect, kind="area", source=()) for rect in rects)
        return Drawn(anchor.model_copy(update={"rects": rects}), boxes)
    shown = [(rect, source) for rect, source in zip(located.rects, sources, strict=False) if rect.width > 0]
    asked = set(cells)
    cited = [(rect, source) for rect, source in shown if source in asked]
    leading = [(rect, source) for rect, source in shown if source not in asked]
    if mode == "crosshair":
        _require_lined_up(cited, leading, set(_sources(grid, across)))
    kind: MarkKind = "cell" if mode == "crosshair" else "line"
    painted = [Box(rect=rect, kind=kind, source=source) for rect, source in cited]
    painted += [Box(rect=rect, kind="cross", source=source) for rect, source in leading]
    return Drawn(anchor.model_copy(update={"rects": tuple(rect for rect, _ in cited)}), tuple(painted))


def _require_lined_up(cited: _Cells, leading: _Cells, in_row: Container[tuple[int, int]]) -> None:
    """Make sure that a cell is drawn beside the others of its row and below or above those of its column.

    Raises:
        AnchorNotFound: the page shows them otherwise than its markup has them.
    """
    for rect, _ in cited:
        for other, source in leading:
            if source in in_row:
                apart = rect.y + rect.height <= other.y or other.y + other.height <= rect.y
            else:
                apart = rect.x + rect.width <= other.x or other.x + other.width <= rect.x
            if apart:
                raise AnchorNotFound(
                    "The page shows the cells of this table elsewhere than its markup has them, so no cell "
                    "can be named by its headers. Cite the passage as text, or another source."
                )


def marking_of(material: PageMaterial, drawn: Drawn) -> Marking:
    """What to mark on the page of what was drawn."""
    anchor = drawn.anchor
    if drawn.boxes or anchor.start is None or anchor.end is None:
        return Marking(frame_path=anchor.frame_path, boxes=drawn.boxes)
    return Marking.of_text(material.page, anchor.start, anchor.end)


def _sources(grid: Grid, slots: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The source cells that cover the slots, each once, in order."""
    found = (grid.at(row, column) for row, column in slots)
    return list(dict.fromkeys(cell.source for cell in found if cell is not None))


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
    body = reader.read("evidence/source.pdf")
    return read_pdf(Document(citation.document_url, "application/pdf", body))

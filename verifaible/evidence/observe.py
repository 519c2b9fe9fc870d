"""Opening a source and reading what evidence is looked for in, when citing and when replaying."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from verifaible.anchoring.evidence import Found
from verifaible.browser.page.readiness import MAX_ROUNDS, reveal, still, waits_for_scrolling
from verifaible.browser.page.session import PageSession
from verifaible.browser.page.watched import DOWNLOAD_WAIT_S
from verifaible.browser.page_time import let_pass
from verifaible.browser.pictures.highlight import Box, Marking, boxes_joined
from verifaible.browser.pictures.picture import hold
from verifaible.browser.steps.playing import play
from verifaible.browser.traffic.traffic import Document as File
from verifaible.browser.words import LocatedWords, Measured, common, words_of
from verifaible.browser.worlds import Worlds
from verifaible.errors import AnchorNotFound, PageNotLoaded, Said, SearchIncomplete, WrongContent
from verifaible.evidence.blocked import is_unready, refuse_blocked, why_blocked
from verifaible.evidence.material import Material, read_pdf
from verifaible.evidence.place import evidence_places, place
from verifaible.evidence.reading import read_again, read_page
from verifaible.evidence.scroll import look_through
from verifaible.extract.document import Cell, Document, Table
from verifaible.schema.action import ActionStep, StepResult
from verifaible.schema.anchor import Anchor, AnchorRequest, Rect
from verifaible.schema.citation import MarkKind

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
    document: File | None = field(default=None)
    incomplete: str = ""


@dataclass(frozen=True, slots=True)
class Drawn:
    """An anchor with its rectangles, its words in the open page, and what is to be marked."""

    anchor: Anchor
    marking: Marking
    words: LocatedWords | None = None


async def observe(
    session: PageSession,
    url: str,
    steps: Sequence[ActionStep],
    request: AnchorRequest,
    sealed: Material | None = None,
    *,
    previous: Anchor | None = None,
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
        if document is None and not session.traffic.requests.idle.is_set():
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
        return Observed(read_pdf(document.body, document.url), results, document)
    if loaded.document is not None:
        told = (
            "{url} is a PDF. Cite it with {arg[evidence_type]:pdf} and the {arg[page_number]} of the passage."
        )
        raise WrongContent(Said(told, url=url))
    return await _shown(
        session,
        request,
        results,
        lambda material: place(material, request, previous, sealed),
        lambda: observe(session, url, steps, request, sealed, previous=previous),
        sealed=sealed,
    )


async def observe_whole(session: PageSession, url: str) -> Observed:
    """Open an address and read all of it, before it is known what is looked for in it.

    A file that no browser shows as a page is in ``document``, and no page is in ``material`` then: of a PDF
    its pages, else a PDF without pages. Errors are those of :func:`observe`.
    """
    loaded = await session.open(url)
    document = loaded.document
    if document is None:
        whole = AnchorRequest(evidence_type="image")  # nothing is scrolled for it
        return await _shown(
            session, whole, (), lambda _: Found("verified"), lambda: observe_whole(session, url)
        )
    if document.media_type == "application/pdf" or b"%PDF-" in document.body[:1024]:
        return Observed(read_pdf(document.body, document.url), document=document)
    return Observed(Material(Document((), medium="data", url=document.url)), document=document)


async def _shown(
    session: PageSession,
    request: AnchorRequest,
    results: tuple[StepResult, ...],
    look: Callable[[Material], Found],
    again: Callable[[], Awaitable[Observed]],
    *,
    sealed: Material | None = None,
) -> Observed:
    """Read the page that is open; ``again`` opens it once more, when a person has helped."""
    material, ended = await _found_in_view(session, request, look), True
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
    scrolled = sealed.scrolled if sealed is not None else ()
    material = await look_through(session, request, material, look, scrolled, endless=not ended)
    incomplete = "" if ended else f"the page went on after it was scrolled through {MAX_ROUNDS} times"
    if not session.settled:
        incomplete = "the page had not come to rest in the time that it is given"
    elif session.overdue:
        incomplete = "the page still waited for answers when the time for them was over"
    return Observed(material, results, incomplete=incomplete)


async def _found_in_view(
    session: PageSession, request: AnchorRequest, look: Callable[[Material], Found]
) -> Material | None:
    """A page that waits to be scrolled, if what is looked for is there before: scrolling may take it away."""
    if not await waits_for_scrolling(session):
        return None
    material = await read_page(session, request)
    return material if look(material).verdict == "verified" and not is_unready(material) else None


async def _may_go_on(session: PageSession) -> bool:
    """Whether a live page has anything left that could still make it content."""
    return session.web.archive is None and not await session.evaluate("asleep")


async def _read_when_ready(session: PageSession, request: AnchorRequest) -> Material:
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


async def draw(
    session: PageSession, material: Material, found: Found, look: Callable[[Material], Found] | None = None
) -> tuple[Material, Drawn]:
    """Give what was found on a page its rectangles; it is scrolled into view for it.

    Args:
        session: the page.
        material: what was read of it.
        found: what was found in that.
        look: finds it again, where a page draws other rows when it is scrolled.

    Returns:
        The material, with the places that everything has when the evidence is in view; and what is drawn.
    """
    anchor = found.anchor
    assert anchor is not None and material.snapshot is not None
    document = material.document
    if found.image >= 0:
        rect = _placed(document, document.images[found.image].frame, document.images[found.image].box)
        marking = Marking(boxes=(Box(rect=rect, kind="frame"),))
        return material, Drawn(anchor.model_copy(update={"rects": (rect,)}), marking)
    words, measured = await _located(session, material, found)
    if anchor.table is not None:
        now = await read_again(session, material)
        if now.document.text != document.text:
            again = look(now) if look is not None else found
            if again is found or again.text != found.text or again.anchor is None:
                now = material
            else:
                found = replace(again, verdict=found.verdict)
                words, measured = await _located(session, now, found)
        return now, _drawn_table(now.document, found, words, measured)
    marking = Marking(words=words)
    rects = tuple(rect for each in measured for rect in each.rects)
    lines = tuple(mark.rect for mark in boxes_joined((rect, "text", False) for rect in rects))
    path = _path_of(material, found)
    anchor = anchor.model_copy(update={"rects": lines, "css_path": path})
    return material, Drawn(anchor, marking, words)


async def _located(
    session: PageSession, material: Material, found: Found
) -> tuple[LocatedWords, list[Measured]]:
    """The words that a reader must see, in the open page, the first of them in view."""
    assert material.snapshot is not None
    places = [(each.block, each.start, each.end) for each in (*found.words, *found.between)]
    places += _heads(material.document, found)
    worlds = await Worlds.of(session, material.snapshot)
    around = evidence_places(material.document, found)
    words = await LocatedWords.of(
        worlds, words_of(material.document, places), words_of(material.document, around)
    )
    await words.view()
    await still(session)  # a page may change what it shows when it is scrolled
    await hold(session)
    return words, await words.measure()


def _heads(document: Document, found: Found) -> Iterator[tuple[int, int, int]]:
    """The words of the heads that name a cell: a reader must see them, too."""
    anchor = found.anchor
    if found.table < 0 or anchor is None or anchor.table is None:
        return
    table, place_ = document.tables[found.table], anchor.table
    names = {*place_.row_path, *place_.column_path}
    across = [(row, column) for row in {row for row, _ in place_.cells} for column in range(table.width)]
    down = [(row, column) for column in {at for _, at in place_.cells} for row in range(table.height)]
    cited = _cells(table, place_.cells)
    for cell in _cells(table, (*across, *down)):
        if cell.text in names and cell not in cited:
            yield from ((block, 0, len(document.blocks[block].text)) for block in cell.blocks)


def _path_of(material: Material, found: Found) -> str:
    """The element of the first words."""
    from verifaible.extract.page import css_path

    assert material.snapshot is not None
    block = material.document.blocks[found.words[0].block]
    number = material.document.frames[block.frame].document
    return css_path(material.snapshot, number, block.node)


def _drawn_table(
    document: Document, found: Found, words: LocatedWords, measured: Sequence[Measured]
) -> Drawn:
    """The cells of a table to mark: what is cited, and of one cell its row and column with their heads."""
    anchor = found.anchor
    assert anchor is not None and anchor.table is not None
    table, place_ = document.tables[found.table], anchor.table
    clip = measured[0].clip if measured else None
    origin = next((rect for each in measured for rect in each.rects), None)

    def boxes(cells: Iterable[Cell], kind: MarkKind) -> list[Box]:
        rects = (_cell_rect(document, table, cell, clip) for cell in cells)
        return [Box(rect=rect, kind=kind) for rect in rects if rect is not None]

    cited = _cells(table, place_.cells)
    if place_.mode == "table":
        whole = boxes(table.cells, "area")
        area = _around([each.rect for each in whole])
        only = (Box(rect=area, kind="area"),) if area is not None else ()
        marking = Marking(boxes=only, words=words, mark_words=False, origin=origin)
        return Drawn(anchor.model_copy(update={"rects": (area,) if area is not None else ()}), marking, words)
    marked = boxes(cited, "cell" if place_.mode == "crosshair" else "line")
    if place_.mode == "crosshair":
        rows, columns = {row for row, _ in place_.cells}, {column for _, column in place_.cells}
        across = [(row, column) for row in rows for column in range(table.width)]
        down = [(row, column) for column in columns for row in range(table.height)]
        leading = [cell for cell in _cells(table, (*across, *down)) if cell not in cited]
        marked += boxes(leading, "cross")
        _require_lined_up(cited, leading)
    rects = tuple(each.rect for each in marked if each.kind != "cross")
    return Drawn(
        anchor.model_copy(update={"rects": rects, "css_path": table.css_path}),
        Marking(boxes=tuple(marked), words=words, mark_words=False, origin=origin),
        words,
    )


def _require_lined_up(cited: Sequence[Cell], leading: Iterable[Cell]) -> None:
    """Make sure that a cell is drawn beside the others of its row and below or above those of its column.

    Raises:
        AnchorNotFound: the page shows them otherwise than its markup has them.
    """
    for cell, other in product(cited, leading):
        one, two = cell.box, other.box
        if one is None or two is None:
            continue
        if cell.row < other.row + other.height and other.row < cell.row + cell.height:
            apart = one.y + one.height <= two.y or two.y + two.height <= one.y
        else:
            apart = one.x + one.width <= two.x or two.x + two.width <= one.x
        if apart and 0 not in (one.width, one.height, two.width, two.height):
            raise AnchorNotFound(
                "The page shows the cells of this table elsewhere than its markup has them, so no cell "
                "can be named by its headers. Cite the passage as text, or another source."
            )


def _cells(table: Table, slots: Iterable[tuple[int, int]]) -> list[Cell]:
    """The cells that cover slots, each once, in order."""
    found = (table.at(row, column) for row, column in slots)
    return list({id(cell): cell for cell in found if cell is not None}.values())


def _cell_rect(document: Document, table: Table, cell: Cell, clip: Rect | None) -> Rect | None:
    if cell.box is None:
        return None
    rect = _placed(document, table.frame, cell.box)
    return common(rect, clip) if clip is not None else rect


def _placed(document: Document, frame: int, box: object) -> Rect:
    """A box of a frame's document as a rectangle of the page's."""
    from verifaible.extract.document import Box as Place

    assert isinstance(box, Place)
    held = document.frames[frame]
    return Rect(x=box.x + held.x, y=box.y + held.y, width=box.width, height=box.height)


def _around(rects: Sequence[Rect]) -> Rect | None:
    from verifaible.browser.words import around

    seen = [rect for rect in rects if rect.width > 0 < rect.height]
    return around(seen) if seen else None

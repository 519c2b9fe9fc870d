"""Opening a source and reading what evidence is looked for in, when citing and when replaying."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from verifaible.anchoring.evidence import Found
from verifaible.browser.page.readiness import MAX_ROUNDS, reveal, still, waits_for_scrolling
from verifaible.browser.page.session import PageSession
from verifaible.browser.page.watched import DOWNLOAD_WAIT_S
from verifaible.browser.page_time import let_pass
from verifaible.browser.steps.playing import play
from verifaible.browser.traffic.traffic import Document as File
from verifaible.errors import PageNotLoaded, Said, SearchIncomplete, WrongContent
from verifaible.evidence.blocked import is_unready, refuse_blocked, why_blocked
from verifaible.evidence.material import Material, read_pdf
from verifaible.evidence.place import place
from verifaible.evidence.reading import read_page
from verifaible.evidence.scroll import look_through
from verifaible.extract.document import Document
from verifaible.schema.action import ActionStep, StepResult
from verifaible.schema.anchor import Anchor, AnchorRequest

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
    document: File | None = None
    incomplete: str = ""


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
        file = loaded.document or await session.document(expected=bool(steps))
        came_before = sealed is not None and session.web.archive is None and bool(steps)
        document = _pdf(session, url, file, came_before=came_before and session.page.url == loaded.url)
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


def _pdf(session: PageSession, url: str, document: File | None, *, came_before: bool) -> File:
    """The PDF that came; ``came_before``: one did when the page was cited."""
    if document is None and not session.traffic.requests.idle.is_set():
        raise SearchIncomplete(
            f"No PDF has come from {url} yet, and the page still waits for answers. Try again later."
        )
    if document is None and came_before:
        raise PageNotLoaded(
            f"The steps led to a PDF before, and to nothing in {DOWNLOAD_WAIT_S:g} s now. Look again later.",
            hung=True,
        )
    if document is None or document.media_type != "application/pdf":
        told = (
            "No PDF was reached from {url}. Give the address of the PDF itself, or {arg[steps]} that end "
            "with a click on the link to it; for a page use {arg[evidence_type]:text} or table."
        )
        raise WrongContent(Said(told, url=url))
    return document


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

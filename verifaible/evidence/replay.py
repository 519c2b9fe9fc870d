"""Replaying a citation: from its capture offline, in a fresh context; or against today's web.

A page that can be re-executed is, and has to show the same evidence. Of one that cannot, the sealed snapshot
is read again: ``verified`` then says that it is whole and holds the evidence, and the grade that this is all.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from time import monotonic
from typing import Literal, Protocol
from urllib.parse import unquote_to_bytes, urldefrag, urljoin

from verifaible.anchoring.evidence import Found
from verifaible.archive.lookup import Archive
from verifaible.archive.reader import WaczReader
from verifaible.browser.page.session import PageSession
from verifaible.browser.traffic.traffic import Traffic
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import (
    PageNotLoaded,
    SearchIncomplete,
    StepFailed,
    ToolError,
    WrongContent,
)
from verifaible.evidence.blocked import refuse_blocked
from verifaible.evidence.mark import Drawn, draw
from verifaible.evidence.material import Material, read_material, video_material
from verifaible.evidence.observe import Observed, observe
from verifaible.evidence.place import overlap, passage, place, place_again, text_similarity
from verifaible.evidence.reading import read_page
from verifaible.evidence.refusal import hidden
from verifaible.evidence.verdict import by_address, message_of, of_failure
from verifaible.evidence.verify import verify
from verifaible.net.identity import Guise
from verifaible.net.robots import robots_of
from verifaible.net.web import Web
from verifaible.schema.anchor import AnchorRequest, Rect
from verifaible.schema.check import Check
from verifaible.schema.citation import Citation
from verifaible.schema.transcript import Origin
from verifaible.schema.web import WebExchange, header
from verifaible.store.store import Store

#: Redirects that lead to the file of an image, as browsers follow them.
_MOST_HOPS = 20

#: How the sentence begins that says what a page asked for and its capture does not hold.
STARVED = "Not in its capture:"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt of a check, and what it saw.

    ``placement`` holds the verdict; ``address`` is a sentence about where the address leads now, if
    that is elsewhere. ``observed`` is what was read (None if nothing could be), ``drawn`` where
    the evidence stands on the page, ``failure`` why it could not be looked for. ``hasty``: the evidence was
    not seen, and the page did not answer or had not come to rest in time: on a busy machine it may be there.
    ``starved`` says what the page asked for that its capture does not hold. ``pictures`` are the files of the
    sealed picture, where that is all that can be shown. ``at`` is when it was over, by :func:`monotonic`.
    """

    placement: Found
    observed: Observed | None = None
    drawn: Drawn | None = None
    rects: tuple[Rect, ...] = ()
    address: str = ""
    failure: str = ""
    hasty: bool = False
    starved: str = ""
    pictures: tuple[bytes, ...] = ()
    at: float = field(default_factory=monotonic)

    @property
    def message(self) -> str:
        """What to say of it."""
        said = self.failure or message_of(self.placement, self.address)
        return said if self.is_found or self.starved in said else f"{said} {self.starved}"

    @property
    def is_found(self) -> bool:
        """Whether the evidence is there, in its place or at another."""
        return self.placement.verdict in ("verified", "moved")


class Observer(Protocol):
    """Somebody who is shown the page at the end of a check, while it is still open."""

    async def look(self, session: PageSession, citation: Citation, attempt: Attempt) -> None:
        """Look at what the check saw. The page may be painted: everything has been read.

        For captions the session is a fresh page, on which nothing was opened.
        """


async def replay(
    citation: Citation,
    store: Store,
    browser: Browser,
    settings: Settings,
    *,
    observer: Observer | None = None,
) -> Check:
    """Open a citation's capture offline, play its steps, find the evidence again.

    Where the page cannot be re-executed, its sealed snapshot is verified instead.

    Raises:
        IntegrityError: the capture is missing or its bytes are not those that were sealed.
    """
    with store.open_capture(citation) as reader:
        if citation.replay == "page":
            return await replay_capture(
                citation, reader, browser, settings, kind="offline", observer=observer
            )
        check = (await asyncio.to_thread(verify, citation, store)).check
        if observer is not None:
            pictures = tuple(await asyncio.to_thread(store.pictures, citation))
            attempt = Attempt(Found(check.verdict), failure=check.message, pictures=pictures)
            async with browser.page(Web.offline(settings, Archive([reader]))) as session:
                await observer.look(session, citation, attempt)
    return check.model_copy(update={"kind": "offline"})


async def recheck(
    citation: Citation,
    store: Store,
    browser: Browser,
    settings: Settings,
    *,
    web: Web | None = None,
    observer: Observer | None = None,
    scheduled: bool = False,
) -> Check:
    """Look at the source as it is on the web today, and compare it with the capture.

    Args:
        citation: what to look at.
        store: holds the capture: where the evidence stood is told by the whole page of then.
        browser: a browser that may use the network.
        settings: the settings.
        web: stands in for the internet.
        observer: is shown the page at the end.
        scheduled: nobody looks at it now: what robots.txt asks to be left alone is, and is `blocked`.

    Raises:
        IntegrityError: the capture is missing or its bytes are not those that were sealed.
    """

    def held() -> Material:
        with store.open_capture(citation) as reader:
            return read_material(citation, reader)

    sealed = await asyncio.to_thread(held)
    obeys = settings.robots == "always" or (scheduled and settings.robots == "scheduled")
    source = _Source(web or Web.live(settings), browser, "live", sealed, observer, obeys=obeys)
    return await _check(citation, source)


async def replay_capture(
    citation: Citation,
    reader: WaczReader,
    browser: Browser,
    settings: Settings,
    *,
    kind: Literal["self", "offline"],
    observer: Observer | None = None,
) -> Check:
    """Replay a citation from an opened capture; nothing is asked of the network."""
    guise = Guise.sealed(json.loads(reader.read("evidence/provenance.json")))
    web = Web.offline(settings, Archive([reader]), guise)
    return await _check(citation, _Source(web, browser, kind, read_material(citation, reader), observer))


@dataclass(frozen=True, slots=True)
class _Source:
    """Where a citation is looked at; ``sealed`` is what its capture holds.

    ``obeys``: what robots.txt asks to be left alone is not opened.
    """

    web: Web
    browser: Browser
    kind: Literal["self", "offline", "live"]
    sealed: Material
    observer: Observer | None = None
    obeys: bool = False

    def failed(self, error: ToolError) -> Attempt:
        """An attempt that ended in an error."""
        placement, said = of_failure(error, live=self.kind == "live")
        hasty = isinstance(error, PageNotLoaded | StepFailed) and error.hung
        return Attempt(placement, failure=said, hasty=hasty)


async def _check(citation: Citation, source: _Source) -> Check:
    """Look, and once more where the page was not given the time to come to rest."""
    started = monotonic()
    attempt = await _attempt(citation, source, last=False)
    if attempt.hasty:
        first, attempt = attempt.placement, await _attempt(citation, source, last=True)
        now = attempt.placement
        if attempt.hasty and (first.verdict, first.text) != (now.verdict, now.text):
            said = "The page did not come to rest, and two looks at it did not agree. Check it again later."
            attempt = replace(attempt, placement=Found("error"), rects=(), failure=said)
    placement, anchor = attempt.placement, citation.anchor
    return Check(
        citation_id=citation.id,
        at=datetime.now(UTC),
        kind=source.kind,
        verdict=placement.verdict,
        message=attempt.message,
        found=placement.text or placement.nearest,
        difference=placement.difference,
        text_similarity=text_similarity(anchor.text, placement.text),
        overlap=overlap(anchor.rects, attempt.rects) if anchor.rects else None,
        duration_s=round(attempt.at - started, 3),
    )


async def _attempt(citation: Citation, source: _Source, *, last: bool) -> Attempt:
    try:
        return await _look(citation, source, last=last)
    except ToolError as error:
        return source.failed(error)


async def _look(citation: Citation, source: _Source, *, last: bool) -> Attempt:
    """Find the evidence of a citation on a web, and show the page to the observer, if any.

    A hasty attempt is shown only if it is the last.

    Raises:
        ToolError: everything that opening and reading captions, or opening a page's context can raise.
    """
    if source.obeys and (robots := await robots_of(citation.source_url, source.web)):
        robots.require(citation.source_url)
    captions = await _listen(citation, source) if citation.request.evidence_type == "video" else None
    if captions is not None and source.observer is None:
        return captions
    async with source.browser.page(source.web) as session:
        attempt = captions or await _on_page(session, citation, source)
        if source.observer is not None and (last or not attempt.hasty):
            await source.observer.look(session, citation, attempt)
        return attempt


async def _listen(citation: Citation, source: _Source) -> Attempt:
    material = source.sealed
    assert material.transcript is not None
    origin = material.transcript.origin
    if origin != "file" or source.web.archive is None:  # nobody is asked again for what is sealed whole
        video = citation.source_url
        material = await read_video(source.web, source.browser, video, citation.request, origin=origin)
    found = place_again(material, citation.request, citation.anchor, source.sealed)
    return Attempt(found, Observed(material))


async def _on_page(session: PageSession, citation: Citation, source: _Source) -> Attempt:
    try:
        attempt = await _find(session, citation, source)
    except ToolError as error:
        attempt = source.failed(await _what_came(session, error))
    if (session.overdue or not session.settled) and not attempt.is_found:
        attempt = replace(attempt, hasty=True)
    return attempt if source.kind == "live" else replace(attempt, starved=_starved(session.traffic))


async def _find(session: PageSession, citation: Citation, source: _Source) -> Attempt:
    request, anchor, sealed = citation.request, citation.anchor, source.sealed
    observed = await observe(session, citation.source_url, citation.steps, request, sealed, previous=anchor)
    placement, address = place_again(observed.material, request, anchor, sealed), ""
    reached = observed.document.url if observed.document is not None else session.page.url
    if source.kind == "live":
        placement, address = by_address(placement, citation.document_url or citation.final_url, reached)
    if placement.anchor is None:
        if placement.verdict == "gone" and observed.incomplete and not address:
            raise SearchIncomplete(
                f"The evidence was not found, but not all was looked at: {observed.incomplete}. Look again "
                "later."
            )
        return Attempt(placement, observed, address=address)
    if observed.document is not None:
        shown = passage(observed.document.body, placement)
        attempt, unseen = Attempt(placement, observed, rects=shown.rects, address=address), shown.hidden
    else:
        if anchor.image is not None and placement.anchor.image is not None:
            body = image_body(session.traffic.exchanges, placement.anchor.image.src)
            if hashlib.sha256(body).hexdigest() != anchor.image.sha256:
                placement = replace(placement, verdict="changed")
        look = partial(place, request=request, previous=anchor, sealed=sealed)
        _, drawn = await draw(session, observed.material, placement, look)
        attempt, unseen = Attempt(placement, observed, drawn, drawn.anchor.rects, address), ()
        # What is sealed now is looked at in the page that it was read from.
        if source.kind != "self" and drawn.words is not None:
            seen = await drawn.words.unseen()
            unseen = tuple(seen.hidden)
            if seen.cut and not unseen and drawn.anchor.evidence_type == "text":
                raise SearchIncomplete(
                    "The evidence is there, but whether a reader sees it is not known: "
                    f"{seen.cut}. Look again later."
                )
    if not unseen:
        return attempt
    gone = Found(
        "gone", nearest=placement.text
    )  # the words are there, and a reader does not see them any more
    return replace(attempt, placement=gone, drawn=None, rects=(), failure=str(hidden(unseen, reached)))


async def _what_came(session: PageSession, error: ToolError) -> ToolError:
    """The reason behind a failure: a step fails, or no PDF comes, where a login page came instead."""
    if not isinstance(error, StepFailed | WrongContent) or session.traffic.documents:
        return error
    if not session.page.url.startswith(("http://", "https://")):
        return error
    try:
        refuse_blocked(await read_page(session, AnchorRequest()))
    except ToolError as reason:
        return reason
    return error


def _starved(traffic: Traffic) -> str:
    """What a page asked for or sent that its capture does not hold, as a sentence; empty if nothing."""
    lacking = traffic.lacking
    more = f"; and {len(lacking) - 3} more" if len(lacking) > 3 else ""
    return f"{STARVED} {'; '.join(lacking[:3])}{more}." if lacking else ""


async def read_video(
    web: Web,
    browser: Browser,
    url: str,
    request: AnchorRequest,
    *,
    kept: list[WebExchange] | None = None,
    origin: Origin | None = None,
) -> Material:
    """The captions of a video in the language of the request; ``kept`` gets the exchanges.

    ``origin`` is where they were from when they were sealed, where that is known.
    """
    from verifaible.evidence.transcript import captions_in_turn
    from verifaible.net.transcripts import DEFAULT_LANGUAGES

    languages = (request.language,) if request.language else DEFAULT_LANGUAGES
    told = await browser.request_headers(web) if web.archive is None else ()
    transcript = await captions_in_turn(web, url, languages, kept=kept, told=told, origin=origin)
    return video_material(url, transcript)


def image_body(exchanges: Sequence[WebExchange], src: str) -> bytes:
    """The bytes of an image as the server sent them, or as its data: URL holds them.

    Raises:
        WrongContent: the image has no bytes of its own (inline SVG, a canvas).
    """
    if src.startswith("data:"):
        head, _, data = src.partition(",")
        return base64.b64decode(data) if head.endswith(";base64") else unquote_to_bytes(data)
    url = urldefrag(src).url
    for _ in range(_MOST_HOPS):
        answers = (each.response for each in reversed(exchanges) if each.request.url == url)
        answer = next((each for each in answers if each.body or 300 <= each.status < 400), None)
        if answer is None or answer.status >= 400:
            break
        if answer.status < 300:
            return answer.body
        url = urldefrag(urljoin(url, header(answer.headers, "location"))).url
    raise WrongContent("The image has no file (the page draws it). Cite the text or table next to it.")

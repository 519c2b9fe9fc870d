"""Replaying a citation: from its capture offline, in a fresh context; or against today's web."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from time import monotonic
from typing import Literal
from urllib.parse import unquote_to_bytes

from verifaible.anchoring.diff import render_diff
from verifaible.anchoring.fold import fold
from verifaible.archive.lookup import Archive
from verifaible.archive.reader import WaczReader
from verifaible.browser.session import Browser
from verifaible.config import Settings
from verifaible.errors import (
    NoText,
    NoTranscript,
    NotReproducible,
    OfflineMiss,
    PageBlocked,
    PageNotLoaded,
    ToolError,
    WrongContent,
)
from verifaible.evidence.material import Material, PageMaterial, VideoMaterial
from verifaible.evidence.observe import draw, observe
from verifaible.evidence.places import Placement, place
from verifaible.evidence.store import Store
from verifaible.net.transcripts import DEFAULT_LANGUAGES, fetch_transcript
from verifaible.net.web import Web
from verifaible.schema.citation import Anchor, AnchorRequest, Check, Citation, Rect, Verdict
from verifaible.schema.web import WebExchange

_SAYS: dict[Verdict, str] = {
    "verified": "The same evidence stands at the same place.",
    "moved": "The same words stand elsewhere now.",
    "changed": "What stands there now is different.",
    "ambiguous": "Several places match now; none is certain.",
    "gone": "The evidence is not there any more.",
}


async def replay(citation: Citation, store: Store, browser: Browser, settings: Settings) -> Check:
    """Open a citation's capture offline, play its steps, find the evidence again.

    Raises:
        IntegrityError: the capture is missing or its bytes are not those that were sealed.
    """
    with store.open_capture(citation) as reader:
        return await replay_capture(citation, reader, browser, settings, kind="offline")


async def recheck(citation: Citation, browser: Browser, settings: Settings) -> Check:
    """Look at the source as it is on the web today, and compare."""
    return await _check(citation, Web.live(settings), browser, "live")


async def replay_capture(
    citation: Citation,
    reader: WaczReader,
    browser: Browser,
    settings: Settings,
    *,
    kind: Literal["self", "offline"],
) -> Check:
    """Replay a citation from an opened capture; nothing is asked of the network."""
    web = Web.offline(settings, Archive.from_readers([reader]))
    return await _check(citation, web, browser, kind)


async def _check(
    citation: Citation, web: Web, browser: Browser, kind: Literal["self", "offline", "live"]
) -> Check:
    started = monotonic()
    rects: Sequence[Rect] = ()
    try:
        placement, rects = await find_again(web, browser, citation)
        verdict, message = placement.verdict, _message(placement)
    except PageBlocked as error:
        placement, verdict, message = Placement("blocked"), "blocked", str(error)
    except OfflineMiss as error:
        placement, verdict, message = Placement("error"), "error", f"The capture is not complete: {error}"
    except ToolError as error:
        placement, message = Placement("error"), str(error)
        verdict = "gone" if kind == "live" and _says_gone(error) else "error"
    return Check(
        citation_id=citation.id,
        at=datetime.now(UTC),
        kind=kind,
        verdict=verdict,
        message=message,
        found=placement.found or placement.nearest,
        difference=placement.difference,
        text_similarity=text_similarity(citation.anchor.text, placement.found),
        overlap=overlap(citation.anchor.rects, rects) if citation.anchor.rects else None,
        duration_s=round(monotonic() - started, 3),
    )


def _says_gone(error: ToolError) -> bool:
    """Whether a live failure says that the evidence is gone, rather than that it could not be looked at."""
    if isinstance(error, PageNotLoaded):
        return error.status in (404, 410)
    return isinstance(error, WrongContent | NoText | NoTranscript)


async def find_again(web: Web, browser: Browser, citation: Citation) -> tuple[Placement, tuple[Rect, ...]]:
    """Find the evidence of a citation on a web: where it stands now, and its rectangles there.

    Raises:
        ToolError: everything that opening, playing and reading can raise.
    """
    request, anchor = citation.request, citation.anchor
    if request.evidence_type == "video":
        material: Material = await read_video(web, citation.source_url, request)
        return place(material, request, anchor), ()
    async with browser.page(web) as session:
        observed = await observe(session, citation.source_url, citation.steps, request)
        placement = place(observed.material, request, anchor)
        if placement.anchor is None:
            return placement, ()
        if observed.document is not None:
            return placement, passage_rects(observed.document.body, placement.anchor)
        assert isinstance(observed.material, PageMaterial)
        if any(_feeds(answer.body, placement.found) for answer in session.traffic.resembling):
            raise NotReproducible(
                "The words come from an archived answer to a request that only resembles the recorded one: "
                "they cannot be verified. Cite a part of the page that does not depend on it."
            )
        if anchor.image is not None and placement.anchor.image is not None:
            body = image_body(session.traffic.exchanges, placement.anchor.image.src)
            if hashlib.sha256(body).hexdigest() != anchor.image.sha256:
                placement = replace(placement, verdict="changed")
        return placement, (await draw(session, observed.material, placement)).anchor.rects


def _feeds(body: bytes, found: str) -> bool:
    """Whether an answer may have brought the words: it holds them, or one of their numbers."""
    text = body.decode("utf-8", "replace")
    numbers = re.findall(r"\d[\d.,]*\d|\d", found)
    words = fold(found).text
    return bool(words and words in fold(text).text) or any(number in text for number in numbers)


async def read_video(
    web: Web, url: str, request: AnchorRequest, kept: list[WebExchange] | None = None
) -> VideoMaterial:
    """The captions of a video in the language of the request; ``kept`` gets the exchanges."""
    languages = (request.language,) if request.language else DEFAULT_LANGUAGES
    async with web.client(kept) as client:
        transcript = await fetch_transcript(url, client, languages)
    return VideoMaterial(url=url, title=transcript.title, transcript=transcript)


def passage_rects(body: bytes, anchor: Anchor) -> tuple[Rect, ...]:
    """The rectangles of a passage on its page, in points."""
    from verifaible.extract.pdf import PdfDocument

    assert anchor.page_number is not None and anchor.start is not None and anchor.end is not None
    with PdfDocument(body) as pdf:
        return pdf.rects(anchor.page_number, anchor.start, anchor.end)


def image_body(exchanges: Sequence[WebExchange], src: str) -> bytes:
    """The bytes of an image as the server sent them, or as its data: URL holds them.

    Raises:
        WrongContent: the image has no bytes of its own (inline SVG, a canvas).
    """
    if src.startswith("data:"):
        head, _, data = src.partition(",")
        return base64.b64decode(data) if head.endswith(";base64") else unquote_to_bytes(data)
    for exchange in reversed(exchanges):
        if exchange.request.url == src and exchange.response.status < 300 and exchange.response.body:
            return exchange.response.body
    raise WrongContent(
        "The image has no file of its own (it is drawn by the page). Cite the text or the table beside it."
    )


def text_similarity(old: str, new: str) -> float:
    """How alike two texts are after folding, from 0 to 1 (1 for equal texts)."""
    from rapidfuzz.fuzz import ratio

    return round(float(ratio(fold(old).text, fold(new).text)) / 100, 4)


def overlap(old: Sequence[Rect], new: Sequence[Rect]) -> float:
    """Intersection over union of two sets of rectangles, from 0 to 1; sets do not overlap themselves."""

    def common(a: Rect, b: Rect) -> float:
        width = min(a.x + a.width, b.x + b.width) - max(a.x, b.x)
        height = min(a.y + a.height, b.y + b.height) - max(a.y, b.y)
        return max(0.0, width) * max(0.0, height)

    intersection = sum(common(a, b) for a in old for b in new)
    union = sum(rect.width * rect.height for rect in (*old, *new)) - intersection
    return round(min(1.0, intersection / union), 4) if union > 0 else 0.0


def _message(placement: Placement) -> str:
    says = _SAYS.get(placement.verdict, "")
    if placement.difference:
        return f"{says} {render_diff(placement.difference)}"
    if placement.verdict == "gone" and placement.nearest:
        return f"{says} The nearest text is: {placement.nearest[:200]}"
    return says

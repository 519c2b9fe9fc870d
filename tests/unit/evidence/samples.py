"""Citations for the tests of stores, made without a browser; their captures are whole and signed."""

from __future__ import annotations

from datetime import UTC, datetime
from html import escape
from typing import Any

from tests.kit.snapshots import page_of
from verifaible.browser.pictures.picture import tile_of
from verifaible.evidence.capture import Evidence, write_capture
from verifaible.evidence.material import page_files
from verifaible.evidence.place import place
from verifaible.extract.images import lossless_webp
from verifaible.schema.anchor import AnchorRequest, Rect
from verifaible.schema.check import Check
from verifaible.schema.citation import CITATION_FORMAT, CaptureRef, Citation, CitationDraft, Mark, Picture
from verifaible.schema.web import WebExchange, WebRequest, WebResponse
from verifaible.store.store import Store

NOW = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
URL = "https://statistics.example/release"
QUOTE = "The rate was 5.33% in February."
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63f8"
    "ffff3f0005fe02fe0def46b80000000049454e44ae426082"
)
TILE = lossless_webp(PNG)
PICTURE = Picture(
    width=1,
    height=1,
    tiles=(tile_of(TILE, y=0, height=1),),
    marks=(Mark(rect=Rect(x=0, y=0, width=1, height=1), kind="text"),),
)


def evidence(quote: str = QUOTE, *, url: str = URL, title: str = "Release", body: str = "") -> Evidence:
    """A page that says the quote, as it would have been read."""
    text = body or f"Before it. {quote} And after it."
    request = AnchorRequest(evidence_type="text", quote=quote)
    paragraphs = "".join(f"<p>{escape(line)}</p>" for line in text.splitlines() if line.strip())
    material = page_of(paragraphs, url=url, title=title)
    placement = place(material, request)
    assert placement.anchor is not None, text
    html = f"<!doctype html><title>{title}</title><p>{text}</p>".encode()
    exchange = WebExchange(
        request=WebRequest(url=url),
        response=WebResponse(status=200, headers=(("content-type", "text/html; charset=utf-8"),), body=html),
        recorded_at=NOW,
    )
    return Evidence(
        url=url,
        final_url=url,
        title=title,
        anchor=placement.anchor.model_copy(update={"css_path": "p"}),
        exchanges=(exchange,),
        web="live",
        match="live",
        synthetic=False,
        files={**page_files(material), "dom.html": html},
    )


def draft_of(seen: Evidence, capture: CaptureRef, claim: str, quote: str) -> CitationDraft:
    """The citation to be of such a page."""
    return CitationDraft(
        format=CITATION_FORMAT,
        created_at=NOW,
        claim=claim,
        source_url=seen.url,
        final_url=seen.final_url,
        title=seen.title,
        request=AnchorRequest(evidence_type="text", quote=quote),
        anchor=seen.anchor,
        capture=capture,
        picture=PICTURE,
    )


def material(store: Store, claim: str = "A claim", *, quote: str = QUOTE, **page: Any) -> dict[str, Any]:
    """What ``Store.add`` takes, with a capture written into the store's scratch folder."""
    seen = evidence(quote, **page)
    path = store.scratch() / "capture.wacz"
    capture = write_capture(path, seen, captured_at=NOW, signer=store.signer)
    return {
        "draft": draft_of(seen, capture, claim, quote),
        "capture": path,
        "tiles": (TILE,),
    }


def add(store: Store, claim: str = "A claim", *, check: Check | None = None, **page: Any) -> Citation:
    """Put such a citation into a store."""
    return store.add(**material(store, claim, **page), check=check)


def check(citation: Citation, verdict: str = "verified", at: datetime = NOW) -> Check:
    """A check of a citation."""
    return Check.model_validate(
        {"citation_id": citation.id, "at": at, "kind": "rehash", "verdict": verdict, "message": "m"}
    )

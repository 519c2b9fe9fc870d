"""Citations for the tests of stores, made without a browser; their captures are whole and signed."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from verifaible.anchoring.fold import fold
from verifaible.archive.signing import Signer
from verifaible.browser.pictures.picture import tile_of
from verifaible.browser.reading import FrameText, PageText
from verifaible.evidence.make.capture import Evidence, state_sha256, write_capture
from verifaible.evidence.observing.material import PageMaterial, page_files
from verifaible.evidence.observing.places import place
from verifaible.evidence.store.store import Store
from verifaible.extract.pixels import lossless_webp
from verifaible.schema.check import Check
from verifaible.schema.citation import (
    CITATION_FORMAT,
    AnchorRequest,
    CaptureRef,
    Citation,
    CitationDraft,
    Mark,
    Picture,
    Rect,
)
from verifaible.schema.web import WebExchange, WebRequest, WebResponse

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
    material = PageMaterial(
        url=url, title=title, page=PageText(frames=(FrameText(path=(), url=url, start=0, text=text),))
    )
    placement = place(material, request)
    assert placement.anchor is not None, fold(text).text
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
    sha256 = write_capture(path, seen, captured_at=NOW, signer=store.signer)
    capture = CaptureRef(
        sha256=sha256,
        size_bytes=path.stat().st_size,
        captured_at=NOW,
        state_sha256=state_sha256(seen),
        web="live",
    )
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


def store_of_format_1(folder: Path, claims: int = 2) -> list[str]:
    """Write a store as format 1 did; gives the ids of its citations."""
    import hashlib

    from verifaible.archive.wacz import WaczWriter
    from verifaible.evidence.store import annotation

    signer = Signer.load_or_create(folder / "keys" / "signing.pem")
    for name in ("captures", "citations", "checks"):
        (folder / name).mkdir(parents=True)
    ids: list[str] = []
    log: list[bytes] = []

    def logged(kind: str, name: str, sha256: str) -> None:
        previous = hashlib.sha256(log[-1]).hexdigest() if log else "0" * 64
        entry = {"at": NOW.isoformat(), "kind": kind, "name": name, "sha256": sha256, "previous": previous}
        log.append(annotation.canonical(entry))

    for number in range(claims):
        seen = evidence(title=f"Release {number}")
        anchor = seen.anchor
        files = {
            **seen.files,
            "anchor.json": anchor.model_dump_json(indent=1, exclude_none=True).encode(),
            "provenance.json": json.dumps({"software": "verifaible 0.1", "url": URL}).encode(),
            "page.png": PNG,
            "highlight.png": PNG + b"painted",
        }
        path = folder / "captures" / "new.wacz"
        with WaczWriter(path, title=seen.title, created=NOW, signer=signer) as writer:
            for exchange in seen.exchanges:
                writer.add_exchange(exchange)
            writer.add_page(seen.final_url, seen.title, NOW, QUOTE)
            for name in sorted(files):
                writer.add_file(f"evidence/{name}", files[name])
            sha256 = writer.close()
        size = path.stat().st_size
        path.rename(path.with_name(f"{sha256}.wacz"))
        fields: dict[str, Any] = {
            "created_at": NOW.isoformat().replace("+00:00", "Z"),
            "claim": f"claim {number}",
            "source_url": URL,
            "final_url": URL,
            "document_url": "",
            "title": seen.title,
            "request": AnchorRequest(evidence_type="text", quote=QUOTE).model_dump(mode="json"),
            "anchor": anchor.model_dump(mode="json"),
            "steps": [],
            "capture": {
                "sha256": sha256,
                "size_bytes": size,
                "captured_at": NOW.isoformat().replace("+00:00", "Z"),
                "web": "live",
                "match": "live",
                "synthetic": False,
            },
        }
        identity = hashlib.sha256(annotation.canonical(fields)).hexdigest()[:20]
        data = annotation.canonical(annotation._annotation({**fields, "id": identity}))
        (folder / "citations" / f"{identity}.json").write_bytes(data)
        logged("capture", sha256, sha256)
        logged("citation", identity, hashlib.sha256(data).hexdigest())
        first = Check(citation_id=identity, at=NOW, kind="self", verdict="verified", message="same place")
        (folder / "checks" / f"{identity}.jsonl").write_text(first.model_dump_json() + "\n")
        ids.append(identity)
    (folder / "custody.jsonl").write_bytes(b"".join(line + b"\n" for line in log))
    return ids

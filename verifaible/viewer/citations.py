"""Citations: the list, which is also the search; one citation with all that it rests on; and its buttons."""

from __future__ import annotations

import asyncio
import hashlib
import io
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args

from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from verifaible.errors import StoreError
from verifaible.evidence.bundle import fingerprint
from verifaible.evidence.report import EvidenceView, PictureName, view_of
from verifaible.schema.base import EvidenceType
from verifaible.schema.check import State, Verdict
from verifaible.viewer.cache import Cache
from verifaible.viewer.capture_files import text_and_place
from verifaible.viewer.respond import Viewer, html, page, read, viewer_of
from verifaible.viewer.text import Piece, pieces, search_words

if TYPE_CHECKING:
    from datetime import datetime

    from starlette.requests import Request

    from verifaible.schema.check import IndexRow
    from verifaible.schema.citation import Citation
    from verifaible.store.store import Store

_A_PAGE: Final = 50
#: Up to here a list, and one that was searched for, says how many there are: counting on would take long.
_COUNTED, _FOUND = 10_000, 1_000
#: What a list may be filtered by: both states in one, and each.
_VERDICTS: Final = {"verdict": "Verdict", "capture_verdict": "Capture", "live_verdict": "Live web"}
#: Of the text of a page, around the evidence.
_AROUND_CHARS: Final = 1_500


@dataclass(frozen=True, slots=True)
class Listed:
    """A citation as a list shows it.

    Attributes:
        row: what the index has of it.
        claim: around what was searched for.
        evidence: all of it, in stretches that were asked for or not.
        synthetic: whether a replica was captured.
    """

    row: IndexRow
    claim: tuple[Piece, ...]
    evidence: tuple[tuple[tuple[Piece, ...], bool], ...]
    synthetic: bool


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of citations.

    Attributes:
        found: the citations on it.
        total: how many fit in all, up to a number past which counting them takes long.
        behind: the id of the last one, if there are more.
    """

    found: tuple[Listed, ...]
    total: str
    behind: str


@dataclass(frozen=True, slots=True)
class Proof:
    """What vouches for a citation.

    Attributes:
        citation_sha256: of the citation's file.
        entry: number of the custody entry that put the citation into the store.
        entry_at: when that was, by the clock of the machine.
        entry_sha256: of that entry's file.
        key: fingerprint of the key that signed the entry; empty if the store does not know it.
        made_with: the program and the browser that made the capture.
    """

    citation_sha256: str
    entry: int
    entry_at: datetime
    entry_sha256: str
    key: str
    made_with: str


@dataclass(frozen=True, slots=True)
class Sealed:
    """Everything of a citation that never changes.

    Attributes:
        view: the evidence.
        proof: the hashes.
        text: the text of the page before the evidence, the evidence, and behind it; empty of a video.
    """

    view: EvidenceView
    proof: Proof
    text: tuple[str, str, str]


def citation_routes() -> list[BaseRoute]:
    """The routes of citations."""
    posted = ["POST"]
    return [
        *page("/citations", "citations.html", _list, name="citations"),
        *page("/citations/{id}", "citation.html", _citation, name="citation"),
        *page("/citations/{id}/beside", "beside.html", _citation),
        *(
            Route(f"/citations/{{id}}/{kind}", check_again, methods=posted)
            for kind in ("verify", "replay", "recheck")
        ),
        Route("/citations/{id}/export", export, methods=posted),
    ]


def newest(viewer: Viewer, limit: int) -> Listing:
    """The newest citations."""
    return _listing(viewer, {}, "", limit)


def _list(viewer: Viewer, request: Request) -> dict[str, object]:
    asked = request.query_params
    query = asked.get("q", "").strip()
    choices: dict[str, tuple[str, tuple[str, ...]]] = {"type": ("Kind", get_args(EvidenceType))}
    choices |= {name: (title, get_args(Verdict)) for name, title in _VERDICTS.items()}
    choices["live_verdict"] = "Live web", (*get_args(Verdict), "none")
    chosen = {name: asked.get(name, "") for name in choices}
    chosen = {name: value if value in choices[name][1] else "" for name, value in chosen.items()}
    wanted = {"query": query, "evidence_type": chosen["type"], **{name: chosen[name] for name in _VERDICTS}}
    listing = _listing(viewer, wanted, asked.get("after", ""), _A_PAGE)
    filters = {name: (title, chosen[name], each) for name, (title, each) in choices.items()}
    return {"listing": listing, "query": query, "filters": filters}


def _listing(viewer: Viewer, wanted: dict[str, Any], after: str, limit: int) -> Listing:
    rows = viewer.store.rows(**wanted, after=after, newest_first=True, limit=limit + 1)
    query = wanted.get("query", "")
    most = _FOUND if query else _COUNTED
    total = viewer.store.count(at_most=most + 1, **wanted)
    words = search_words(query)
    found = tuple(
        Listed(
            row,
            pieces(row.claim, words),
            tuple((pieces(text, words), asked) for text, asked in row.shown.pieces),
            _is_replica(viewer.store, row.id),
        )
        for row in rows[:limit]
    )
    counted = str(total) if total <= most else f"{most:,}+"
    return Listing(found, counted, rows[limit - 1].id if len(rows) > limit else "")


#: A citation never changes.
_SEALED: Cache[Sealed] = Cache(128)
_REPLICAS: Cache[bool] = Cache(20_000)


def _is_replica(store: Store, name: str) -> bool:
    """Whether a replica was captured; of a damaged citation its own page says what is wrong."""
    try:
        return _REPLICAS.get((store.location, name), None, lambda: store.get(name).capture.synthetic)
    except StoreError:
        return False


def _citation(viewer: Viewer, request: Request) -> dict[str, object]:
    return page_of(viewer.store, str(request.path_params["id"]))


def page_of(store: Store, name: str) -> dict[str, object]:
    """What the page of a citation shows: what is sealed, its history, and how it stands.

    ``lasts`` has the last check of the capture and of the live web: one that found the capture whole does
    not hide what the web says now.

    Raises:
        CitationNotFound: there is no such citation.
        IntegrityError: a file of it is missing, or was changed.
    """
    full = store.full_id(name)
    sealed = _SEALED.get((store.location, full), None, lambda: _sealed(store, full))
    checks = store.checks(full)
    by_state = {check.kind == "live": check for check in checks}
    lasts = [by_state[live] for live in sorted(by_state)]
    return {"sealed": sealed, "checks": checks, "lasts": lasts, "state": State.of(checks)}


def _sealed(store: Store, name: str) -> Sealed:
    citation = store.get(name)
    entry = store.entry_of(citation.id)
    keys = {record.id: record for record in store.keys.all()}

    def address(kind: PictureName, number: int, _: bytes, __: str) -> str:
        return f"/captured/{citation.id}/{kind}" + ("" if kind == "image" else f"/{number}")

    with store.open_capture(citation) as reader:
        view = view_of(citation, reader, store.pictures(citation), (), address=address)
        made: dict[str, Any] = reader.read_json("evidence/provenance.json")
    proof = Proof(
        citation_sha256=hashlib.sha256(store.citation_bytes(citation.id)).hexdigest(),
        entry=entry.number,
        entry_at=entry.at,
        entry_sha256=hashlib.sha256(entry.to_bytes()).hexdigest(),
        key=fingerprint(keys[entry.key].public_key) if entry.key in keys else "",
        made_with=", ".join(str(made[name]) for name in ("software", "browser") if made.get(name)),
    )
    return Sealed(view, proof, _around(citation, store))


def _around(citation: Citation, store: Store) -> tuple[str, str, str]:
    if citation.evidence_type == "video":
        return "", "", ""
    text, start, end = text_and_place(citation, store)
    first, last = max(0, start - _AROUND_CHARS), min(len(text), end + _AROUND_CHARS)
    before, after = "…" if first else "", "…" if last < len(text) else ""
    return before + text[first:start], text[start:end], text[end:last] + after


async def check_again(request: Request) -> Response:
    """Replay, look at the web, or compare hashes; then show the history, which has the new check."""
    viewer, name = viewer_of(request), str(request.path_params["id"])
    kind = request.url.path.rpartition("/")[2]
    async with viewer.browsing:
        if kind == "verify":
            check = await viewer.client.verify(name)
        else:
            check = await viewer.client.replay(name, live=kind == "recheck")
    if check not in await read(viewer, lambda: viewer.store.checks(check.citation_id)):
        message = (
            f"Result: {check.verdict}. {check.message} It could not be added to the history: the store "
            "cannot be written. Correct its permissions or free its disk, and check again."
        )
        return html(request, "fault.html", {"number": 500, "said": message}, status=500)
    return RedirectResponse(f"/citations/{check.citation_id}#history", 303)


async def export(request: Request) -> Response:
    """The export of a citation as a ZIP archive."""
    viewer, name = viewer_of(request), str(request.path_params["id"])
    async with viewer.browsing:
        with tempfile.TemporaryDirectory(prefix="verifaible-export-") as folder:
            done = await viewer.client.export(name, Path(folder))
            data = await asyncio.to_thread(_zipped, done.folder)
    headers = {"Content-Disposition": f'attachment; filename="{done.folder.name}.zip"'}
    return Response(data, media_type="application/zip", headers=headers)


def _zipped(folder: Path) -> bytes:
    """A folder as a ZIP archive, under its own name."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, f"{folder.name}/{path.relative_to(folder).as_posix()}")
    return held.getvalue()

"""The page of one citation, the same beside an answer, and what its buttons do."""

from __future__ import annotations

import asyncio
import hashlib
import io
import tempfile
import zipfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from verifaible.evidence.bundle import fingerprint
from verifaible.evidence.report import EvidenceView, PictureName, view_of
from verifaible.schema.check import State
from verifaible.viewer.keeping import Kept
from verifaible.viewer.rendering import page
from verifaible.viewer.state import house_of, read

if TYPE_CHECKING:
    from datetime import datetime

    from starlette.requests import Request

    from verifaible.schema.check import Check
    from verifaible.store.store import Store


@dataclass(frozen=True, slots=True)
class Proof:
    """What stands behind a citation.

    Attributes:
        citation_sha256: of the citation's file.
        capture_bytes: size of the capture.
        entry: number of the custody entry that put the citation into the store.
        entry_at: when that was, by the clock of the machine.
        entry_sha256: of that entry's file.
        key: fingerprint of the key that signed the entry; empty if the store does not know it.
        made_with: the program and the browser that made the capture.
    """

    citation_sha256: str
    capture_bytes: int
    entry: int
    entry_at: datetime
    entry_sha256: str
    key: str
    made_with: str


@dataclass(frozen=True, slots=True)
class Shown:
    """Everything of a citation that never changes.

    Attributes:
        view: the evidence.
        proof: the hashes.
        text: whether there is a text to show: of a page or a PDF.
    """

    view: EvidenceView
    proof: Proof
    text: bool


def shown_of(store: Store, citation_id: str) -> Shown:
    """Read a citation and its capture.

    Raises:
        CitationNotFound: there is no such citation.
        IntegrityError: a file of it is missing, or was changed.
    """
    citation = store.get(citation_id)
    data = store.citation_bytes(citation.id)
    entry = store.entry_of(citation.id)
    keys = {record.id: record for record in store.keys.all()}
    with store.open_capture(citation) as reader:
        view = view_of(
            citation,
            reader,
            store.pictures(citation),
            (),
            address=partial(_address, citation.id),
        )
        made: dict[str, Any] = reader.read_json("evidence/provenance.json")
    proof = Proof(
        citation_sha256=hashlib.sha256(data).hexdigest(),
        capture_bytes=citation.capture.size_bytes,
        entry=entry.number,
        entry_at=entry.at,
        entry_sha256=hashlib.sha256(entry.to_bytes()).hexdigest(),
        key=fingerprint(keys[entry.key].public_key) if entry.key in keys else "",
        made_with=", ".join(str(made[name]) for name in ("software", "browser") if made.get(name)),
    )
    return Shown(view, proof, text=citation.evidence_type != "video")


def _address(citation_id: str, name: PictureName, number: int, _: bytes, __: str) -> str:
    return f"/captured/{citation_id}/{name}" + ("" if name == "image" else f"/{number}")


#: What the pages of so many citations show is kept; a citation never changes.
_KEPT = 128


_SHOWN: Kept[Shown] = Kept(_KEPT)


def routes() -> list[Route]:
    """The routes of a citation."""
    return [
        Route("/citations/{id}", citation, name="citation"),
        Route("/citations/{id}/beside", beside, name="beside"),
        Route("/citations/{id}/verify", check_again, methods=["POST"], name="verify"),
        Route("/citations/{id}/replay", check_again, methods=["POST"], name="replay"),
        Route("/citations/{id}/recheck", check_again, methods=["POST"], name="recheck"),
        Route("/citations/{id}/export", export, methods=["POST"], name="export"),
    ]


async def citation(request: Request) -> Response:
    """Everything about one citation."""
    shown, checks = await _current(request)
    # Of each state the last check: one that found the capture whole does not hide what the web says now.
    by_state = {check.kind == "live": check for check in checks}
    lasts, state = [by_state[live] for live in sorted(by_state)], State.of(checks)
    return page(request, "citation.html", s=shown, checks=checks, lasts=lasts, state=state)


async def beside(request: Request) -> Response:
    """The evidence alone, to stand beside an answer."""
    shown, checks = await _current(request)
    return page(request, "beside.html", s=shown, state=State.of(checks))


async def _current(request: Request) -> tuple[Shown, tuple[Check, ...]]:
    """A citation, and its history until now."""
    house, name = house_of(request), str(request.path_params["id"])

    def found() -> tuple[Shown, tuple[Check, ...]]:
        full = house.store.full_id(name)
        shown = _SHOWN.get((house.store.location, full), None, lambda: shown_of(house.store, full))
        return shown, house.store.checks(full)

    return await read(house, found)


async def check_again(request: Request) -> Response:
    """Replay, look at the web, or compare hashes; then show the history, which has the new check."""
    house, name = house_of(request), str(request.path_params["id"])
    kind = request.url.path.rpartition("/")[2]
    async with house.working:
        if kind == "verify":
            check = await house.doing.verify(name)
        else:
            check = await house.doing.replay(name, live=kind == "recheck")
    if check not in await read(house, lambda: house.store.checks(check.citation_id)):
        said = (
            f"Result: {check.verdict}. {check.message} It could not be added to the history: the store "
            "cannot be written."
        )
        return page(request, "fault.html", status=500, number=500, said=said)
    return RedirectResponse(f"/citations/{check.citation_id}#history", 303)


async def export(request: Request) -> Response:
    """The export of a citation as a ZIP archive."""
    house, name = house_of(request), str(request.path_params["id"])
    async with house.working:
        with tempfile.TemporaryDirectory(prefix="verifaible-export-") as folder:
            done = await house.doing.export(name, Path(folder))
            data = await asyncio.to_thread(_zipped, done.folder)
    file = f"{done.folder.name}.zip"
    headers = {"Content-Disposition": f'attachment; filename="{file}"'}
    return Response(data, media_type="application/zip", headers=headers)


def _zipped(folder: Path) -> bytes:
    """A folder as a ZIP archive, under its own name."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, f"{folder.name}/{path.relative_to(folder).as_posix()}")
    return held.getvalue()

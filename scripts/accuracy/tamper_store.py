"""A healthy store for the tamper suite, and what a tamperer has in hand: everything but its keys."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.kit.snapshots import page_of
from verifaible.archive.signing import Signer
from verifaible.archive.warc import sha256
from verifaible.browser.pictures.picture import tile_of
from verifaible.evidence.capture import Evidence, state_sha256, write_capture
from verifaible.evidence.material import page_files
from verifaible.evidence.place import place
from verifaible.schema.anchor import AnchorRequest, Rect
from verifaible.schema.check import Check
from verifaible.schema.citation import CITATION_FORMAT, Citation, CitationDraft, Mark, Picture
from verifaible.schema.web import WebExchange, WebRequest, WebResponse
from verifaible.store import annotation
from verifaible.store.entries import CustodyEntry, CustodyHead, CustodyItem, line_name
from verifaible.store.keys import KeyRecord, key_id, sign_bytes
from verifaible.store.lines import HEAD
from verifaible.store.sealed import capture_file, citation_file
from verifaible.store.store import Store

NOW = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
TEXT = "Before it. The rate was 5.33% in February. It had been 5.30% in January. And after it."
_TABLE = (
    "<table><tr><th>Year</th><th>Rate</th></tr><tr><th>2024</th><td>5.12</td></tr>"
    "<tr><th>2025</th><td>5.33</td></tr></table>"
)
_PICTURE = b"RIFF....WEBP a picture of the page, "


@dataclass(frozen=True, slots=True)
class Place:
    """A copy of the healthy store, about to be tampered with.

    ``victim`` and ``shared`` rest on one capture, ``table`` on another; ``first`` and ``current`` are
    the store's keys before and after a rotation; ``earlier`` is a copy from before the last additions;
    ``head`` was kept elsewhere. ``forger`` is anybody's key, ``foreign`` that of another store, which
    was imported.
    """

    folder: Path
    earlier: Path
    head: CustodyHead
    victim: Citation
    shared: Citation
    table: Citation
    first: Signer
    current: Signer
    forger: Signer
    foreign: Signer

    def store(self) -> Store:
        """The store, opened anew."""
        return Store(self.folder)

    def copy(self, folder: Path) -> Place:
        """The same with a copy of the store in another folder."""
        shutil.copytree(self.folder, folder)
        kept = {name: getattr(self, name) for name in self.__slots__ if name != "folder"}
        return Place(folder=folder, **kept)

    def path(self, name: str) -> Path:
        """A file of the store."""
        return self.folder / name

    def read(self, name: str) -> bytes:
        """The bytes of a file, or of a line of one: ``custody.jsonl:3``, ``custody.jsonl:last``."""
        file, _, line = name.partition(":")
        data = self.path(file).read_bytes()
        return data.split(b"\n")[_index(data, line)] if line else data

    def write(self, name: str, data: bytes | None) -> None:
        """Put bytes in the place of a file's or a line's (``:new``: behind the last); None: take it away."""
        file, _, line = name.partition(":")
        path = self.path(file)
        if not line and data is not None:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
            return
        lines = path.read_bytes().split(b"\n")
        place = _index(path.read_bytes(), line)
        lines[place : place + (line != "new")] = [] if data is None else [data]
        path.write_bytes(b"\n".join(lines))

    def edit(self, name: str, change: Callable[[bytes], bytes]) -> None:
        """Put changed bytes in the place of a file's or a line's; it must really change."""
        data = self.read(name)
        changed = change(data)
        assert changed != data, name
        self.write(name, changed)

    @property
    def capture(self) -> str:
        """The name of the victim's capture."""
        return capture_file(self.victim.capture.sha256)

    def last(self) -> int:
        """The number of the last custody entry."""
        return self.path("custody.jsonl").read_bytes().count(b"\n")

    def entry(self, number: int) -> CustodyEntry:
        """A custody entry, as it stands in its line."""
        return CustodyEntry.model_validate_json(self.read(line_name(number)))

    def entry_of(self, citation: Citation) -> int:
        """The number of the entry that names a citation."""
        name = citation_file(citation.id)
        wanted = range(1, self.last() + 1)
        return next(n for n in wanted if name in {each.name for each in self.entry(n).items})

    def put_entry(self, entry: CustodyEntry, signer: Signer) -> None:
        """Write a custody entry, signed."""
        unsigned = entry.model_copy(update={"key": key_id(signer.public_key), "signature": ""})
        signed = unsigned.model_copy(update={"signature": sign_bytes(signer, unsigned.signed_bytes())})
        self.write(line_name(entry.number), signed.to_bytes())

    def remake_log(self, signer: Signer, start: int, change: Callable[[CustodyEntry], CustodyEntry]) -> None:
        """Make the log anew from an entry on, chain and head included, signed by another key."""
        for number in range(start, self.last() + 1):
            entry = change(self.entry(number))
            if number > 1:
                before = self.read(line_name(number - 1))
                entry = entry.model_copy(update={"previous": hashlib.sha256(before).hexdigest()})
            self.put_entry(entry, signer)
        self.put_head(signer, self.last())

    def put_head(self, signer: Signer, number: int) -> None:
        """Write a head that speaks of an entry, signed."""
        digest = hashlib.sha256(self.read(line_name(number))).hexdigest()
        head = CustodyHead(number=number, sha256=digest, at=NOW, key=key_id(signer.public_key))
        signed = head.model_copy(update={"signature": sign_bytes(signer, head.signed_bytes())})
        self.path(HEAD).write_bytes(annotation.canonical(signed.model_dump(mode="json")))

    def put_key(self, signer: Signer, origin: str, by: Signer | None = None) -> KeyRecord:
        """Write a key's record, endorsed by ``by``."""
        record = KeyRecord.model_validate(
            {
                "id": key_id(signer.public_key),
                "public_key": signer.public_key,
                "created": NOW,
                "origin": origin,
                "endorsed_by": key_id(by.public_key) if by else "",
            }
        )
        if by is not None:
            record = record.model_copy(update={"signature": sign_bytes(by, record.signed_bytes())})
        self.path(record.file).write_bytes(record.to_bytes())
        return record

    def forged(self, **changes: Any) -> tuple[Citation, CustodyItem]:
        """Write a citation like the victim with other content and its picture, under the id that fits it."""
        draft = CitationDraft.model_validate({**self.victim.model_dump(exclude={"id"}), **changes})
        citation = Citation.model_validate({**draft.model_dump(), "id": annotation.citation_id(draft)})
        data = annotation.to_bytes(citation)
        name = citation_file(citation.id)
        self.path(name).write_bytes(data)
        return citation, CustodyItem(kind="citation", name=name, sha256=hashlib.sha256(data).hexdigest())


def _index(data: bytes, line: str) -> int:
    """Where in ``data.split(b"\\n")`` a line stands; what follows the last line break is none."""
    count = data.count(b"\n")
    return {"last": count - 1, "new": count}[line] if line in ("last", "new") else int(line) - 1


def unpacked(data: bytes) -> dict[str, bytes]:
    """The files of a WACZ."""
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def packed(files: dict[str, bytes]) -> bytes:
    """A WACZ of these files, WARC stored and the others packed, as ours are."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as opened:
        for name, data in files.items():
            stored = name.startswith("archive/")
            kind = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
            opened.writestr(zipfile.ZipInfo(name), data, kind)
    return target.getvalue()


def rehash(files: dict[str, bytes]) -> None:
    """Make the package and its digest fit the files again; the signature stays."""
    package = json.loads(files["datapackage.json"])
    listed = {each["path"] for each in package["resources"]}
    package["resources"] = [each for each in package["resources"] if each["path"] in files]
    for name in files:
        if name not in listed and not name.startswith("datapackage"):
            package["resources"].append({"name": name.rpartition("/")[2], "path": name})
    for each in package["resources"]:
        each |= {"hash": sha256(files[each["path"]]), "bytes": len(files[each["path"]])}
    files["datapackage.json"] = json.dumps(package, indent=2).encode()
    digest = json.loads(files["datapackage-digest.json"])
    digest["hash"] = sha256(files["datapackage.json"])
    files["datapackage-digest.json"] = json.dumps(digest).encode()


def resign(files: dict[str, bytes], signer: Signer | None) -> None:
    """Make the hashes fit again, and sign the package or take the signature away."""
    rehash(files)
    digest = json.loads(files["datapackage-digest.json"])
    created = json.loads(files["datapackage.json"])["created"]
    digest.pop("signedData", None)
    if signer is not None:
        digest["signedData"] = signer.sign(digest["hash"], created=created, software="x").to_json()
    files["datapackage-digest.json"] = json.dumps(digest).encode()


def seen(request: AnchorRequest, url: str, title: str, body: str) -> Evidence:
    """A page as it would have been read, without a browser."""
    material = page_of(body, url=url, title=title)
    anchor = place(material, request).anchor
    assert anchor is not None
    page = f"<!doctype html><title>{title}</title>{body}".encode()
    exchanges = tuple(
        WebExchange(
            WebRequest(address), WebResponse(200, (("content-type", "text/html; charset=utf-8"),), data), NOW
        )
        for address, data in ((url, page), (f"{url}/more", b"More of it, which the page loads."))
    )
    return Evidence(
        url=url,
        final_url=url,
        title=title,
        anchor=anchor,
        exchanges=exchanges,
        web="live",
        match="live",
        synthetic=False,
        files={**page_files(material), "dom.html": page},
    )


def _added(store: Store, evidence: Evidence, request: AnchorRequest, claim: str) -> Citation:
    state = state_sha256(evidence)
    reference = store.capture_of_state(state)
    path = None
    if reference is None:
        path = store.scratch() / "capture.wacz"
        reference = write_capture(path, evidence, captured_at=NOW, signer=store.signer)
    picture = _PICTURE + claim.encode()
    draft = CitationDraft(
        format=CITATION_FORMAT,
        created_at=NOW,
        claim=claim,
        source_url=evidence.url,
        final_url=evidence.final_url,
        title=evidence.title,
        request=request,
        anchor=evidence.anchor,
        capture=reference,
        picture=Picture(
            width=640,
            height=480,
            tiles=(tile_of(picture, y=0, height=480),),
            marks=(Mark(rect=Rect(x=8, y=8, width=200, height=18), kind="text"),),
        ),
    )
    citation = store.add(draft, capture=path, tiles=(picture,))
    store.add_check(
        Check(citation_id=citation.id, at=NOW, kind="self", verdict="verified", message="The same place.")
    )
    return citation


def healthy(folder: Path) -> Place:
    """Make the store in a folder."""
    home, foreign = folder / "store", Signer.new()
    store = Store(home)
    requests = [
        AnchorRequest(quote="The rate was 5.33% in February."),
        AnchorRequest(quote="It had been 5.30% in January."),
        AnchorRequest(evidence_type="table", row=("2025",), column=("Rate",)),
    ]
    page, table = ("https://bank.example/rate", "Rate", f"<p>{TEXT}</p>"), f"<div>Rates {_TABLE}</div>"
    victim = _added(store, seen(requests[0], *page), requests[0], "The rate was 5.33%")
    shared = _added(store, seen(requests[1], *page), requests[1], "The rate had been 5.30%")
    first = store.signer
    store.rotate_key()
    imported = store.keys.add_imported(foreign.public_key)
    digest = hashlib.sha256(imported.to_bytes()).hexdigest()
    store.log([CustodyItem(kind="key", name=imported.file, sha256=digest)])
    shutil.copytree(home, folder / "earlier")
    evidence = seen(requests[2], "https://bank.example/table", "Rates by year", table)
    cited = _added(store, evidence, requests[2], "5.33 in 2025")
    head = store.custody.head()
    assert head is not None
    store.close()
    return Place(
        folder=home,
        earlier=folder / "earlier",
        head=head,
        victim=victim,
        shared=shared,
        table=cited,
        first=first,
        current=store.signer,
        forger=Signer.new(),
        foreign=foreign,
    )

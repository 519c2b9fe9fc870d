"""Exporting a citation: a folder that an archivist, a lawyer and an engineer can check without our code."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import tempfile
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from verifaible.archive.reader import WaczReader
from verifaible.archive.signing import SignedData
from verifaible.archive.telling import suspicions
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import BrowserMissing, IntegrityError, StoreError
from verifaible.evidence.check.verify import verify
from verifaible.evidence.export import bundle
from verifaible.evidence.export.bundle import ExportDescription
from verifaible.evidence.export.pages import png_of
from verifaible.evidence.export.references import Reference, reference_of
from verifaible.evidence.export.report_page import Proofs, evidence_page
from verifaible.evidence.export.report_view import EvidenceView, view_of
from verifaible.evidence.export.statement import Signed, instructions, stamps_of
from verifaible.evidence.observing.links import link_of
from verifaible.net.web import Web
from verifaible.schema.check import Check, State
from verifaible.schema.citation import Citation
from verifaible.store.annotation import canonical
from verifaible.store.entries import CustodyEntry
from verifaible.store.keys import KeyRecord
from verifaible.store.sealed import capture_file
from verifaible.store.store import Store
from verifaible.version import __version__

#: What an export can hold: the capture, the W3C annotation, the picture, the page, the page printed, the
#: reference; and, for who asks for it, one PNG of the picture with the marks in it.
Format: TypeAlias = Literal["wacz", "jsonld", "picture", "html", "pdf", "csl", "png"]
ALL: tuple[Format, ...] = get_args(Format)
FORMATS = tuple(each for each in ALL if each != "png")


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written.

    Attributes:
        folder: the export's folder.
        files: the names of its files.
        link: the place on the web.
        warnings: what in the capture looks like a secret, and where, a line each.
    """

    folder: Path
    files: tuple[str, ...]
    link: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Gathered:
    """Everything that an export is made of, read once."""

    citation: Citation
    capture: bytes
    pictures: dict[str, bytes]
    annotation: bytes
    reference: Reference
    checks: dict[str, bytes]
    view: EvidenceView
    proofs: Proofs
    warnings: tuple[str, ...]


async def export(
    citation: Citation,
    store: Store,
    settings: Settings,
    out: Path,
    *,
    formats: Collection[Format] = FORMATS,
    browser: Browser | None = None,
    refuse_secrets: bool = False,
) -> Exported:
    """Write ``verifaible-<id>/`` into ``out``: whole, or not at all.

    The proofs (custody entry, keys, checks, list of hashes, ``VERIFY.txt``) are always there.

    Args:
        citation: what to export; it is verified first.
        store: the store that holds it.
        settings: for the browser.
        out: the folder in which the export's folder is made.
        formats: which of the files for readers to write; only all of them can be imported.
        browser: prints ``report.pdf``; None starts one for it.
        refuse_secrets: raise where there would be warnings.

    Raises:
        IntegrityError: the citation does not verify.
        BrowserMissing: no Chromium was found to print the report.
        StoreError: the folder is there already or cannot be written, or what is refused was found.
    """
    target = out / bundle.folder_name(citation.id)
    if target.exists():
        raise StoreError(f"{target} already exists. Move it away, or name another folder with --out.")
    gathered = await asyncio.to_thread(_gather, citation, store, formats)
    if gathered.warnings and refuse_secrets:
        raise StoreError(
            f"Citation {citation.id} is not exported: its capture contains what looks like a secret. "
            f"{'; '.join(gathered.warnings)}. Cite the page again without it, or allow secrets."
        )
    report = b""
    if "pdf" in formats:
        report = await _printed(gathered, settings, browser)
    files = await asyncio.to_thread(_files, gathered, store, report)
    await asyncio.to_thread(_write, files, target)
    return Exported(target, tuple(sorted(files)), link_of(citation), gathered.warnings)


# --- gathering


def reference(citation: Citation, store: Store) -> Reference:
    """The citation for a bibliography.

    Raises:
        IntegrityError: it does not verify.
    """
    _verified(citation, store)
    with store.open_capture(citation) as reader:
        return reference_of(citation, reader)


def _verified(citation: Citation, store: Store) -> Check:
    check = verify(citation, store).check
    if check.verdict != "verified":
        raise IntegrityError(
            f"Citation {citation.id} is not exported: it does not verify ({check.verdict}). {check.message}"
        )
    return check


def _gather(citation: Citation, store: Store, formats: Collection[Format]) -> _Gathered:
    check = _verified(citation, store)
    data = store.citation_bytes(citation.id)
    entry = store.entry_of(citation.id)
    with store.open_capture(citation) as reader:
        tiles = store.pictures(citation)
        view = view_of(citation, reader, tiles, store.checks(citation.id))
        seal = _seal(reader)
        warnings = tuple(map(str, suspicions(reader)))
        signed = _signed(store, seal, entry)
        named = reference_of(citation, reader)
    capture = store.sealed_bytes(capture_file(citation.capture.sha256), citation.capture.sha256)
    proofs = Proofs(
        check=check,
        software=f"verifaible {__version__}",
        signed=signed,
        entry=entry,
        citation_sha256=hashlib.sha256(data).hexdigest(),
        capture_signature=seal.signature,
        present=_present(citation, formats),
    )
    checks = _check_files(citation.id, store)
    pictures = dict(zip(bundle.picture_files(citation), tiles, strict=True))
    return _Gathered(citation, capture, pictures, data, named, checks, view, proofs, warnings)


def _present(citation: Citation, formats: Collection[Format]) -> frozenset[str]:
    """The names of the files for readers that an export holds."""
    files: dict[Format, Collection[str]] = {
        "wacz": (bundle.CAPTURE,),
        "jsonld": (bundle.CITATION,),
        "picture": bundle.picture_files(citation),
        "html": (bundle.PAGE,),
        "pdf": (bundle.REPORT,),
        "csl": (bundle.CSL,),
        "png": (bundle.HIGHLIGHT,) if citation.picture.tiles else (),
    }
    return frozenset(name for each in formats for name in files[each])


def _seal(reader: WaczReader) -> SignedData:
    signed = reader.read_json("datapackage-digest.json").get("signedData")
    return SignedData.from_json(signed if isinstance(signed, dict) else {})


def _signed(store: Store, seal: SignedData, entry: CustodyEntry) -> Signed:
    capture, current = store.keys.of(seal.public_key), store.keys.current
    by_entry = store.keys.get(entry.key)
    known: dict[str, KeyRecord] = {}
    for name in (current.id, by_entry.id, capture.id):
        known |= {record.id: record for record in bundle.chain(store.keys, name)}
    return Signed(capture, by_entry, current, tuple(known.values()), stamps_of(store, entry.number))


def _check_files(citation_id: str, store: Store) -> dict[str, bytes]:
    """The history as files."""
    history = [(each, canonical(each.model_dump(mode="json"))) for each in store.checks(citation_id)]
    return {f"{bundle.CHECKS}/{check_name(each, data)}": data for each, data in history}


def check_name(check: Check, data: bytes) -> str:
    """The name of a check's file in an export."""
    return f"{check.at:%Y%m%dT%H%M%S.%f}-{hashlib.sha256(data).hexdigest()[:8]}.json"


# --- the report


async def _printed(gathered: _Gathered, settings: Settings, browser: Browser | None) -> bytes:
    if browser is not None:
        return await _print(gathered, settings, browser)
    try:
        async with Browser(settings, offline=True) as own:
            return await _print(gathered, settings, own)
    except BrowserMissing as error:
        raise BrowserMissing(
            f"{error} Or leave report.pdf out: --format wacz --format jsonld --format picture --format html"
        ) from error


async def _print(gathered: _Gathered, settings: Settings, browser: Browser) -> bytes:
    """The evidence page on paper."""
    from verifaible.archive.lookup import Archive

    # A web that holds nothing: the page has its pictures in it, and may ask for nothing.
    async with browser.page(Web.offline(settings, Archive.from_readers([]))) as session:
        await session.page.emulate_media(media="print", color_scheme="light")
        await session.page.set_content(evidence_page(gathered.view, gathered.proofs), wait_until="load")
        return await session.page.pdf(prefer_css_page_size=True, print_background=True, tagged=True)


# --- writing


def _files(gathered: _Gathered, store: Store, report: bytes) -> dict[str, bytes]:
    proofs, painted, pictures = gathered.proofs, gathered.view.painted, gathered.pictures
    readable = {
        bundle.CAPTURE: gathered.capture,
        bundle.CITATION: gathered.annotation,
        bundle.CSL: gathered.reference.csl().encode(),
        bundle.REPORT: report,
        **pictures,
    }
    if bundle.HIGHLIGHT in proofs.present and painted is not None:
        readable[bundle.HIGHLIGHT] = png_of(painted, tuple(pictures.values()), whole=True)
    if bundle.PAGE in proofs.present:
        readable[bundle.PAGE] = evidence_page(gathered.view, proofs).encode()
    description = ExportDescription(
        citation_id=gathered.citation.id,
        exported_at=datetime.now(UTC),
        software=proofs.software,
        key=proofs.signed.export.id,
    )
    files = {name: data for name, data in readable.items() if name in proofs.present}
    files |= gathered.checks | _signature_files(gathered)
    files[bundle.DESCRIPTION] = description.to_bytes()
    files[bundle.ENTRY] = proofs.entry.to_bytes()
    if proofs.signed.stamps is not None:
        files |= proofs.signed.stamps.files()
    files[bundle.INSTRUCTIONS] = _instructions(gathered)
    sums = bundle.sums_of(files)
    return {**files, bundle.SUMS: sums, bundle.SUMS_SIGNATURE: bundle.sign_sums(store.signer, sums)}


def _signature_files(gathered: _Gathered) -> dict[str, bytes]:
    """Keys as records and as PEM, and each signature in DER with the text that it is over."""
    proofs, signed = gathered.proofs, gathered.proofs.signed
    with WaczReader(gathered.capture) as reader:
        package = _named(reader.read("datapackage.json"))
    files = {
        "signatures/capture.txt": package,
        "signatures/capture.sig.der": bundle.der_signature(proofs.capture_signature),
        "signatures/capture-key.pem": bundle.pem_of(signed.capture.public_key),
        "signatures/custody-entry.txt": _named(proofs.entry.signed_bytes()),
        "signatures/custody-entry.sig.der": bundle.der_signature(proofs.entry.signature),
        "signatures/custody-key.pem": bundle.pem_of(signed.entry.public_key),
        "signatures/export-key.pem": bundle.pem_of(signed.export.public_key),
    }
    for record in signed.keys:
        files[record.file] = record.to_bytes()
    for record in signed.rotated:
        stem = f"signatures/key-{record.id}"
        files[f"{stem}.txt"] = _named(record.signed_bytes())
        files[f"{stem}.sig.der"] = bundle.der_signature(record.signature)
        files[f"signatures/key-{record.endorsed_by}.pem"] = bundle.pem_of(_key(signed, record.endorsed_by))
    return files


def _key(signed: Signed, name: str) -> str:
    return next(record.public_key for record in signed.keys if record.id == name)


def _named(data: bytes) -> bytes:
    """The text that a signature of ours is over."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}".encode()


def _write(files: dict[str, bytes], target: Path) -> None:
    """A folder that appears whole; what an interrupted export leaves begins with a dot."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}-"))
        try:
            temporary.chmod(0o755)
            for name, data in files.items():
                path = temporary / name
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(data)
            temporary.rename(target)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise
    except OSError as error:
        raise StoreError(
            f"{target} cannot be written ({error.strerror or error}). Free space, or name another folder "
            "with --out."
        ) from error


def _instructions(gathered: _Gathered) -> bytes:
    proofs = gathered.proofs
    state = State.of((*gathered.view.checks, proofs.check))
    return instructions(gathered.citation, proofs.signed, proofs.present, state).encode()

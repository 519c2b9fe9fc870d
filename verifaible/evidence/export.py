"""Exporting a citation: a folder that an archivist, a lawyer and an engineer can check without our code."""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args
from urllib.parse import urlsplit

from verifaible.archive.reader import WaczReader
from verifaible.archive.redaction import secrets_in
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import BrowserMissing, IntegrityError, StoreError
from verifaible.evidence import bundle
from verifaible.evidence.bundle import ExportDescription, Proof, proof_of, seal_of
from verifaible.evidence.report import evidence_page, png_of, view_of
from verifaible.evidence.shown import link_of
from verifaible.evidence.verify import verify
from verifaible.net.web import Web
from verifaible.schema.check import Check
from verifaible.schema.citation import Citation
from verifaible.store.sealed import capture_file
from verifaible.store.store import Store

#: What an export can hold: the capture, the W3C annotation, the picture, the page, the page printed, the
#: reference; and, for who asks for it, one PNG of the picture with the marks in it.
Format: TypeAlias = Literal["wacz", "jsonld", "picture", "html", "pdf", "csl", "png"]
ALL: tuple[Format, ...] = get_args(Format)
FORMATS = tuple(each for each in ALL if each != "png")
_CSL_TYPES = {"pdf": "document", "video": "motion_picture"}


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written.

    Attributes:
        folder: the export's folder.
        files: the names of its files.
        link: the place on the web.
        warnings: the credentials in the capture, and where they stand, a line each.
    """

    folder: Path
    files: tuple[str, ...]
    link: str
    warnings: tuple[str, ...] = ()


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
    proof, files, secrets = await asyncio.to_thread(_gathered, citation, store, formats)
    if secrets and refuse_secrets:
        raise StoreError(
            f"Citation {citation.id} is not exported: its capture contains secrets: {'; '.join(secrets)}. "
            "Cite the page again without them."
        )
    if "pdf" in formats:
        files[bundle.REPORT] = await _printed(files[bundle.PAGE].decode(), settings, browser)
    if "html" not in formats:
        del files[bundle.PAGE]
    await asyncio.to_thread(_write, proof, files, store, target)
    return Exported(target, tuple(sorted(files)), link_of(citation), secrets)


def reference(citation: Citation, store: Store) -> str:
    """The citation for a bibliography, as CSL-JSON.

    Raises:
        IntegrityError: it does not verify.
    """
    _verified(citation, store)
    with store.open_capture(citation) as reader:
        return csl_of(citation, reader)


def csl_of(citation: Citation, reader: WaczReader) -> str:
    """CSL-JSON: an array of one item (CSL 1.0.2, ``csl-data.json``).

    Site and date are those that the captured page states in its metadata; nothing is guessed from its text.
    The note says how the evidence is found again, and what a reader has to know of it.
    """
    url, capture = citation.document_url or citation.final_url, citation.capture
    site, published = urlsplit(url).hostname or "", ""
    if "evidence/dom.html" in reader.names() and not citation.document_url:
        from verifaible.extract.metadata import page_tree, published_date

        root = page_tree(reader.read("evidence/dom.html").decode("utf-8-sig", "replace"))
        named = (each for each in root.iter("meta") if _name_of(each) == "og:site_name")
        stated = (" ".join((each.get("content") or "").split()) for each in named)
        site = next(filter(None, stated), site)
        published = published_date(root)
    found = f"verifaible citation {citation.id}, capture SHA-256 {capture.sha256}"
    item = {
        "id": f"verifaible-{citation.id}",
        "type": _CSL_TYPES.get(citation.evidence_type, "webpage"),
        "title": citation.title or url,
        "container-title": site,
        "issued": _date_parts(date.fromisoformat(published)) if published else None,
        "accessed": _date_parts(capture.captured_at.astimezone(UTC)),
        "URL": url,
        "note": "; ".join(filter(None, (found, capture.remark, citation.graded))),
    }
    return json.dumps([{k: v for k, v in item.items() if v}], ensure_ascii=False, indent=2) + "\n"


def _name_of(meta: Any) -> str:
    return (meta.get("property") or meta.get("name") or "").strip().lower()


def _date_parts(day: date) -> dict[str, list[list[int]]]:
    return {"date-parts": [[day.year, day.month, day.day]]}


def _verified(citation: Citation, store: Store) -> Check:
    check = verify(citation, store).check
    if check.verdict != "verified":
        raise IntegrityError(
            f"Citation {citation.id} is not exported: it does not verify ({check.verdict}). {check.message}"
        )
    return check


def _gathered(
    citation: Citation, store: Store, formats: Collection[Format]
) -> tuple[Proof, dict[str, bytes], tuple[str, ...]]:
    """What vouches for a citation, the files for readers (with the page), and the secrets of the capture."""
    check = _verified(citation, store)
    tiles, capture = store.pictures(citation), citation.capture.sha256
    with store.open_capture(citation) as reader:
        proof = proof_of(citation, store, seal_of(reader), check)
        view = view_of(citation, reader, tiles, proof.history)
        secrets = tuple(map(str, secrets_in(reader)))
        csl = csl_of(citation, reader).encode()
    by_format: dict[Format, Mapping[str, bytes]] = {
        "wacz": {bundle.CAPTURE: store.sealed_bytes(capture_file(capture), capture)},
        "jsonld": {bundle.CITATION: store.citation_bytes(citation.id)},
        "picture": dict(zip(bundle.picture_files(citation), tiles, strict=True)),
        "csl": {bundle.CSL: csl},
    }
    if "png" in formats and view.picture is not None:
        by_format["png"] = {bundle.HIGHLIGHT: png_of(view.picture, tiles, whole=True)}
    files = {name: data for each in by_format if each in formats for name, data in by_format[each].items()}
    files[bundle.PAGE] = evidence_page(view, proof, proof.commands(files)).encode()
    return proof, files, secrets


async def _printed(page: str, settings: Settings, browser: Browser | None) -> bytes:
    """The evidence page on paper."""
    if browser is None:
        try:
            async with Browser(settings, offline=True) as own:
                return await _printed(page, settings, own)
        except BrowserMissing as error:
            raise BrowserMissing(
                f"{error} Or leave report.pdf out: --format wacz --format jsonld --format picture "
                "--format html"
            ) from error
    from verifaible.archive.lookup import Archive

    # A web that holds nothing: the page has its pictures in it, and may ask for nothing.
    async with browser.page(Web.offline(settings, Archive([]))) as session:
        await session.page.emulate_media(media="print", color_scheme="light")
        await session.page.set_content(page, wait_until="load")
        return await session.page.pdf(prefer_css_page_size=True, print_background=True, tagged=True)


def _write(proof: Proof, files: dict[str, bytes], store: Store, target: Path) -> None:
    """Add what proves to the files for readers, and write a folder that appears whole.

    What an interrupted export leaves begins with a dot.
    """
    citation = proof.citation
    description = ExportDescription(
        citation_id=citation.id,
        exported_at=datetime.now(UTC),
        software=proof.software,
        key=proof.exported_by.id,
    )
    files[bundle.INSTRUCTIONS] = proof.instructions({*files}).encode()
    files[bundle.DESCRIPTION] = description.to_bytes()
    with store.open_capture(citation) as reader:
        files |= proof.files(reader.read("datapackage.json"))
    sums = bundle.sums_of(files)
    files |= {bundle.SUMS: sums, bundle.SUMS_SIGNATURE: bundle.sign_sums(store.signer, sums)}
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

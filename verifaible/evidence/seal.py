"""A source sealed as a whole, before it is known what is cited in it; and citations made in its capture.

A page is visited once. Whatever is cited in it afterwards is found, measured and pictured in its sealed
capture, offline: so the citation replays by the way it was made, and the site is asked for nothing more.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from urllib.parse import urldefrag

from verifaible.archive.lookup import Archive
from verifaible.browser.page.session import PageSession
from verifaible.errors import NotReproducible, WrongContent
from verifaible.evidence.capture import Evidence, sealed, state_sha256
from verifaible.evidence.cite import Collected, Collector, met
from verifaible.evidence.material import page_files
from verifaible.evidence.observe import Observed, observe_whole
from verifaible.evidence.readable import READ, READ_NAME, readable
from verifaible.evidence.request import CiteRequest
from verifaible.evidence.sources import TEXT
from verifaible.extract.charset import decode_html
from verifaible.net.identity import Guise
from verifaible.net.web import Web
from verifaible.schema.anchor import Anchor
from verifaible.schema.base import Record
from verifaible.schema.citation import CITATION_FORMAT, CaptureRef, CitationDraft
from verifaible.schema.web import header

#: Files for bytes that are read as data in their own form, by the media type that the server gives.
_DATA: Final = {
    "json": "source.json",
    "csv": "source.csv",
    "tab-separated": "source.csv",
    "xml": "source.xml",
    "plain": "source.txt",
}


class Opened(Record):
    """A source that was opened, read whole and sealed.

    Attributes:
        url: the address that was asked for.
        final_url: where it led.
        title: of the page or the document.
        file: the file in the capture that is read, UTF-8.
        capture: the capture; no citation rests on it yet.
        incomplete: why there may be more than was read; empty where all of it was.
    """

    url: str
    final_url: str
    title: str = ""
    file: str
    capture: CaptureRef
    incomplete: str = ""


@dataclass(frozen=True, slots=True)
class _Files:
    """The files of a capture, and which of them is read."""

    files: dict[str, bytes]
    read: str


class SourceCollector(Collector):
    """Opens sources and seals them; makes citations in what it sealed."""

    async def open(self, url: str) -> Opened:
        """Open an address in the browser once, read all of it, and seal that in a capture of the store.

        Raises:
            ToolError: it could not be opened, is no content, or holds no words.
            StoreError: the store cannot be written.
        """
        async with self._browser.page(self._web) as session:
            robots = await self._robots(url)
            observed = await observe_whole(session, url)
            kept = await self._files(session, observed)
            await session.traffic.drain()
            incomplete = observed.incomplete
            traffic = session.traffic
            document = observed.document
            evidence = Evidence(
                url=url,
                final_url=document.url if document is not None else session.page.url,
                title=observed.material.title,
                anchor=Anchor(evidence_type="text", text=""),
                exchanges=traffic.sealed(),
                web=session.web.mode,
                match=traffic.match,
                synthetic=traffic.synthetic,
                document_url=document.url if document is not None else "",
                signed_in=traffic.signed_in,
                files=kept.files,
                provenance={
                    "browser": f"Chromium {self._browser.version}",
                    "page_settled": session.settled,
                    "not_answered_offline": traffic.misses,
                    "refused_by_guard": traffic.refused,
                    "not_read": traffic.unread,
                    "not_replayable": traffic.unreplayable(),
                }
                | met(session)
                | robots,
            )
        if evidence.match == "fuzzy":
            raise NotReproducible(
                f"{url} was built from an archived answer that only resembles the page's request. Use "
                "another page, or run with --web live."
            )
        capture = await self._kept(evidence)
        return Opened(
            url=url,
            final_url=evidence.final_url,
            title=evidence.title,
            file=kept.read,
            capture=capture,
            incomplete=incomplete,
        )

    async def cite_in(self, request: CiteRequest, opened: Opened) -> Collected:
        """Make a citation in a sealed source; its page is not visited again.

        Raises:
            AnchorNotFound, AnchorAmbiguous: the words are not there, not only there, or nobody sees them.
            NotReproducible: the capture does not hold the evidence.
            ToolError: the capture cannot be opened or read.
            IntegrityError: the capture is missing or was changed.
        """
        if opened.file not in (READ, TEXT) and not opened.file.endswith((".json", ".xml", ".txt")):
            raise WrongContent(
                f"{opened.url} is a file that no browser shows, so no place in it is pictured."
            )
        with self.store.open_sealed(opened.capture.sha256) as reader:
            guise = Guise.sealed(json.loads(reader.read("evidence/provenance.json")))
            web = Web.offline(self._settings, Archive.from_readers([reader]), guise)
            async with self._browser.page(web) as session:
                evidence, camera = await self._page(session, request)
                taken = await camera()
            draft = CitationDraft(
                format=CITATION_FORMAT,
                created_at=datetime.now(UTC),
                claim=request.claim,
                source_url=request.url,
                final_url=evidence.final_url,
                document_url=evidence.document_url,
                title=evidence.title,
                request=request.anchor,
                anchor=evidence.anchor,
                capture=opened.capture,
                picture=taken.picture,
            )
            draft, check = await self._graded(self._sourced(draft, evidence), reader, evidence, apart=True)
        citation = await asyncio.to_thread(
            self.store.add, draft, capture=None, tiles=taken.tiles, check=check
        )
        return Collected(citation, check.model_copy(update={"citation_id": citation.id}))

    async def _files(self, session: PageSession, observed: Observed) -> _Files:
        material, document = observed.material, observed.document
        if material.snapshot is not None:
            files = page_files(material)
            files["dom.html"] = (await session.html()).encode("utf-8-sig")
            here = urldefrag(session.page.url).url
            body, media = next(
                (
                    (each.response.body, header(each.response.headers, "content-type"))
                    for each in reversed(session.traffic.exchanges)
                    if urldefrag(each.request.url).url == here and each.response.status < 300
                ),
                (b"", ""),
            )
            if (form := _form(media)) and body:
                return _with_data(files, body, media, form)
            files[READ_NAME] = readable(material).text.encode()
            return _Files(files, READ)
        assert document is not None
        if material.document.blocks:
            text = material.document.text.encode()
            read = readable(material).text.encode()
            return _Files({"source.pdf": document.body, "text.txt": text, READ_NAME: read}, READ)
        form = _form(document.media_type) or ("source.csv" if document.url.lower().endswith(".csv") else "")
        if not form:
            raise WrongContent(
                f"{document.url} is a file of the type {document.media_type or 'unknown'}, whose text "
                "cannot be read. Cite a page, a PDF or a text file that says the same."
            )
        return _with_data({}, document.body, document.media_type, form)

    async def _kept(self, evidence: Evidence) -> CaptureRef:
        """The capture of what was seen; a page in a state that the store has is not kept twice."""
        state = state_sha256(evidence)
        if known := await asyncio.to_thread(self.store.capture_of_state, state):
            return known
        now = datetime.now(UTC)
        scratch = await asyncio.to_thread(self.store.scratch)
        try:
            path = scratch / "capture.wacz"
            capture = await asyncio.to_thread(
                sealed, path, evidence, state=state, captured_at=now, signer=self.store.signer
            )
            await asyncio.to_thread(self.store.add_capture, capture.sha256, path)
        finally:
            await asyncio.to_thread(shutil.rmtree, scratch, True)
        return capture


def _form(media: str) -> str:
    """The file for data of a media type; empty for a page and for what is no text."""
    kind = media.partition(";")[0].strip().lower()
    if kind.endswith(("html", "xhtml+xml")) or not kind.startswith(("text/", "application/")):
        return ""
    return next((form for name, form in _DATA.items() if name in kind), "")


def _with_data(files: dict[str, bytes], body: bytes, media: str, form: str) -> _Files:
    """The files with the bytes as they came, and which is read: those, or their text if they are no UTF-8."""
    files = files | {form: body}
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        files["decoded.txt"] = decode_html(body, media or "text/plain").text.encode()
        return _Files(files, "evidence/decoded.txt")
    return _Files(files, f"evidence/{form}")

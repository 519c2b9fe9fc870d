"""A source sealed as a whole, before it is known what is cited in it; and citations made in its capture.

A page is visited once. Whatever is cited in it afterwards is found, measured and pictured in its sealed
capture, offline: so the citation replays by the way it was made, and the site is asked for nothing more.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from typing import Final
from urllib.parse import urldefrag

from verifaible.archive.lookup import Archive
from verifaible.archive.reader import WaczReader
from verifaible.browser.page.session import PageSession
from verifaible.errors import ToolError, WrongContent
from verifaible.evidence.capture import Evidence, captured
from verifaible.evidence.cite import Collected, Collector, draft_of, sealed_page
from verifaible.evidence.material import PAGE_FILES, page_from_files
from verifaible.evidence.observe import Observed, observe_whole
from verifaible.evidence.place import place
from verifaible.evidence.readable import READ, READ_NAME, readable
from verifaible.evidence.request import CiteRequest
from verifaible.evidence.sources import TEXT
from verifaible.extract.charset import decode_html, is_utf8
from verifaible.net.identity import Guise
from verifaible.net.web import Web
from verifaible.schema.base import Record
from verifaible.schema.citation import CaptureRef
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
            files, read = await self._files(session, observed)
            await session.traffic.drain()
            title, file = observed.material.title, observed.document
            evidence = self._evidence(session, url, files, title)
            evidence.provenance |= robots
            if file is not None:
                evidence.final_url = evidence.document_url = file.url
        capture = await asyncio.to_thread(self._kept, evidence)
        return Opened(
            url=url,
            final_url=evidence.final_url,
            title=title,
            file=read,
            capture=capture,
            incomplete=observed.incomplete,
        )

    async def cite_in(self, request: CiteRequest, opened: Opened) -> Collected:
        """Make a citation in a sealed source; its page is visited again only if it cannot be re-executed.

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
            web = Web.offline(self._settings, Archive([reader]), guise)
            async with self._browser.page(web) as session:
                try:
                    evidence, camera = await self._page(session, request)
                except ToolError:
                    if not await asyncio.to_thread(_is_in_snapshot, request, reader):
                        raise
                    # It streams, or is another each time: what it shows is cited where it shows it.
                    return await self.collect(request)
                taken = await camera()
            draft = await asyncio.to_thread(draft_of, request, evidence, opened.capture)
            # The evidence was not read from the page that is sealed, so that has to be read in any case.
            draft, check = await self._graded(draft, reader, evidence, apart=True)
        return await self._stored(draft, check, taken)

    async def _files(self, session: PageSession, observed: Observed) -> tuple[dict[str, bytes], str]:
        """The files of the capture, and which of them is read."""
        material, document = observed.material, observed.document
        if material.snapshot is not None:
            files = await sealed_page(session, material)
            body, media = _answer(session)
            if (form := _form(media)) and body:
                return _with_data(files, body, media, form)
            return files | {READ_NAME: readable(material).text.encode()}, READ
        assert document is not None
        if material.document.blocks:
            text = material.document.text.encode()
            read = readable(material).text.encode()
            return {"source.pdf": document.body, "text.txt": text, READ_NAME: read}, READ
        form = _form(document.media_type) or ("source.csv" if document.url.lower().endswith(".csv") else "")
        if not form:
            raise WrongContent(
                f"{document.url} is a file of the type {document.media_type or 'unknown'}, whose text "
                "cannot be read. Cite a page, a PDF or a text file that says the same."
            )
        return _with_data({}, document.body, document.media_type, form)

    def _kept(self, evidence: Evidence) -> CaptureRef:
        scratch = self.store.scratch()
        try:
            path = scratch / "capture.wacz"
            capture, fresh = captured(self.store, evidence, path)
            if fresh:
                self.store.add_capture(capture.sha256, path)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        return capture


def _is_in_snapshot(request: CiteRequest, reader: WaczReader) -> bool:
    """Whether the page that was sealed shows what is asked for, whatever it shows when it is re-executed."""
    if not {f"evidence/{name}" for name in PAGE_FILES} <= set(reader.names()):
        return False
    material = page_from_files({name: reader.read(f"evidence/{name}") for name in PAGE_FILES})
    return place(material, request.anchor).verdict == "verified"


def _answer(session: PageSession) -> tuple[bytes, str]:
    """The bytes of the page that is open as its server sent them, and their media type."""
    here = urldefrag(session.page.url).url
    for each in reversed(session.traffic.exchanges):
        if urldefrag(each.request.url).url == here and each.response.status < 300:
            return each.response.body, header(each.response.headers, "content-type")
    return b"", ""


def _form(media: str) -> str:
    """The file for data of a media type; empty for a page and for what is no text."""
    kind = media.partition(";")[0].strip().lower()
    if kind.endswith(("html", "xhtml+xml")) or not kind.startswith(("text/", "application/")):
        return ""
    return next((form for name, form in _DATA.items() if name in kind), "")


def _with_data(files: dict[str, bytes], body: bytes, media: str, form: str) -> tuple[dict[str, bytes], str]:
    """The files with the bytes as they came, and which is read: those, or their text if they are no UTF-8."""
    files = files | {form: body}
    if is_utf8(body):
        return files, f"evidence/{form}"
    files["decoded.txt"] = decode_html(body, media or "text/plain").text.encode()
    return files, "evidence/decoded.txt"

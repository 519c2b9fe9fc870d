"""Making a citation: open, play, find, capture, seal, replay once, store.

A page that shows the same evidence when it is re-executed gets the grade ``page``. One that does not (it
streams, it is random, it races, a worker does the talking) gets ``snapshot``, with the reason: what was
painted is sealed, found again there without a browser, and pictured. Words that only the steps can have
written are refused.
"""

from __future__ import annotations

import asyncio
import hashlib
import shutil
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from textwrap import shorten
from typing import TypeAlias

from verifaible.anchoring.evidence import Found
from verifaible.archive.reader import WaczReader
from verifaible.archive.streams import STREAM_TYPE
from verifaible.browser.page.session import PageSession
from verifaible.browser.pictures.highlight import Marking
from verifaible.browser.pictures.picture import Taken, shoot, take_picture
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import NotReproducible, NotServed, Said, ToolError
from verifaible.evidence.capture import Evidence, captured
from verifaible.evidence.mark import Drawn, draw, picture_page, refuse_hidden
from verifaible.evidence.material import Material, page_files
from verifaible.evidence.observe import Observed, observe
from verifaible.evidence.place import find_sealed, passage, place, text_similarity
from verifaible.evidence.refusal import found_in, hidden, refusal
from verifaible.evidence.replay import STARVED, image_body, read_video, replay_capture
from verifaible.evidence.request import CiteRequest
from verifaible.evidence.served import source_of, unsent
from verifaible.net.robots import robots_of
from verifaible.net.web import Web
from verifaible.schema.check import Check
from verifaible.schema.citation import CITATION_FORMAT, CaptureRef, Citation, CitationDraft, ValueSource
from verifaible.schema.web import WebExchange
from verifaible.store.annotation import citation_id
from verifaible.store.store import Store

#: Of words that nobody sent, so many characters go with the refusal.
_PIECE_CHARS = 120
#: Characters of cells in a claim that nobody wrote; a whole row or table is evidence, and no statement.
_CLAIM_CHARS = 300


#: So many addresses are named in a reason, and so many characters of each.
_NAMED, _LONGEST = 3, 300

#: Pictures what is still open, once all that is evidence has been read; never fails.
_Camera: TypeAlias = Callable[[], Awaitable[Taken]]


@dataclass(frozen=True, slots=True)
class Collected:
    """A citation that was made and stored, with the check that accepted it."""

    citation: Citation
    check: Check


class Collector:
    """Makes citations from one web into one store."""

    def __init__(self, settings: Settings, web: Web, browser: Browser, store: Store) -> None:
        self._settings = settings
        self._web = web
        self._browser = browser
        self.store = store

    def over(self, web: Web) -> Collector:
        """The same over another web."""
        return Collector(self._settings, web, self._browser, self.store)

    async def collect(self, request: CiteRequest) -> Collected:
        """Make one citation; nothing is stored unless every step of it succeeds.

        Raises:
            BadArguments: the request does not say what to look for.
            AnchorNotFound, AnchorAmbiguous: the evidence is not there, or not only there.
            NotServed: only the steps themselves can have written the words.
            NotReproducible: the capture does not hold the evidence.
            ToolError: the source could not be opened, operated or read.
        """
        request.require_complete()
        read = self._video if request.anchor.evidence_type == "video" else self._page
        async with self._browser.page(self._web) as session:
            self._browser.expect_offline(session.guise)  # for the self-replay
            robots = asyncio.ensure_future(self._robots(request.url))
            try:
                if self._settings.robots == "always":
                    await robots
                evidence, camera = await read(session, request)
                evidence.provenance |= await robots
            except ToolError as error:
                if beyond := session.traffic.beyond:
                    added = "{said} The page uses what no capture can hold: {beyond}."
                    error.args = (Said(added, said=error.args[0], beyond="; ".join(beyond)),)
                raise
            finally:
                robots.cancel()
            # The picture is no part of the capture: it is taken while that is sealed and replayed.
            picturing = asyncio.ensure_future(camera())
            try:
                return await self._seal(request, evidence, picturing)
            finally:
                picturing.cancel()
                await asyncio.gather(picturing, return_exceptions=True)

    async def _robots(self, url: str) -> dict[str, object]:
        """What robots.txt says, for the provenance; it is asked only where a setting has it obeyed.

        Raises:
            PageBlocked: it asks for the page to be left alone.
        """
        robots = await robots_of(url, self._web) if self._settings.robots == "always" else None
        if robots is None:
            return {}
        robots.require(url)
        return {"robots": robots.as_json()}

    # --- by kind of source ---------------------------------------------------------------

    async def _page(self, session: PageSession, request: CiteRequest) -> tuple[Evidence, _Camera]:
        observed = await observe(session, request.url, request.steps, request.anchor)
        found = found_in(observed.material, request.anchor)
        if observed.document is None:
            evidence, camera = await self._words(session, observed.material, found, request)
        else:
            evidence, camera = await self._passage(session, observed, found, request)
        evidence.steps, evidence.results = request.steps, observed.results
        return evidence, camera

    async def _words(
        self, session: PageSession, material: Material, found: Found, request: CiteRequest
    ) -> tuple[Evidence, _Camera]:
        material, drawn = await draw(session, material, found, lambda now: place(now, request.anchor))
        await session.traffic.drain()
        files = await sealed_page(session, material)
        anchor = drawn.anchor
        if anchor.image is not None:
            files["image.bin"] = image_body(session.traffic.exchanges, anchor.image.src)
            digest = hashlib.sha256(files["image.bin"]).hexdigest()
            anchor = anchor.model_copy(update={"image": anchor.image.model_copy(update={"sha256": digest})})
        evidence = self._evidence(session, request.url, files, material.title)
        evidence.anchor = anchor
        return evidence, lambda: self._looked_at(session, drawn)

    async def _passage(
        self, session: PageSession, observed: Observed, found: Found, request: CiteRequest
    ) -> tuple[Evidence, _Camera]:
        file, document = observed.document, observed.material.document
        anchor, height = found.anchor, self._settings.picture_height
        assert file is not None and anchor is not None and anchor.page_number is not None
        number = anchor.page_number
        await session.traffic.drain()
        drawn = await asyncio.to_thread(passage, file.body, found)
        if drawn.hidden:
            raise hidden(drawn.hidden, request.url)
        files = {"source.pdf": file.body, "text.txt": document.text.encode()}
        evidence = self._evidence(session, request.url, files, document.title)
        evidence.anchor = anchor.model_copy(update={"rects": drawn.rects, "scanned": drawn.scanned})
        evidence.document_url = file.url
        if not request.steps:
            evidence.final_url = file.url
        return evidence, lambda: asyncio.to_thread(
            picture_page, file.body, number, drawn.rects, drawn.around, height=height
        )

    async def _video(self, session: PageSession, request: CiteRequest) -> tuple[Evidence, _Camera]:
        from verifaible.net.transcripts import watch_url

        kept: list[WebExchange] = []
        material = await read_video(self._web, self._browser, request.url, request.anchor, kept=kept)
        found, transcript = place(material, request.anchor), material.transcript
        if found.verdict != "verified" or found.anchor is None:
            raise refusal(found, request.anchor, request.url)
        assert transcript is not None
        await session.open(watch_url(request.url))
        await session.traffic.drain()
        files = {
            "text.txt": material.document.text.encode(),
            "transcript.json": transcript.model_dump_json(indent=1).encode(),
        }
        title = await session.title() or material.title
        evidence = self._evidence(session, request.url, files, title)
        evidence.anchor = found.anchor
        evidence.exchanges = [*kept, *evidence.exchanges]
        del evidence.provenance["not_replayable"]  # captions are the evidence, whatever the page asks
        evidence.provenance["captions_from"] = transcript.origin or transcript.source
        height = self._settings.picture_height
        return evidence, lambda: take_picture(session, Marking(), height=height)

    def _evidence(self, session: PageSession, url: str, files: dict[str, bytes], title: str) -> Evidence:
        """What will be sealed of an open page: the files given, with all that is known of its traffic.

        Where in it the evidence stands is left to the caller, and so are the steps. The traffic must have
        been drained.
        """
        traffic = session.traffic
        checks = [f"{address} (HTTP {status})" for address, status in traffic.checks]
        return Evidence(
            url=url,
            final_url=session.page.url,
            title=title,
            exchanges=traffic.sealed(),
            web=session.web.mode,
            match=traffic.match,
            synthetic=traffic.synthetic,
            signed_in=traffic.signed_in,
            files=files,
            provenance={
                "browser": f"Chromium {self._browser.version}",
                "page_settled": session.settled,
                "dialogs": session.dialogs,
                "not_answered_offline": traffic.misses,
                "refused_by_guard": traffic.refused,
                "not_read": traffic.unread,
                "not_replayable": traffic.unreplayable(),
                "identity": session.guise.as_json(),
                **({"checks_passed": checks} if checks else {}),
            },
        )

    async def _looked_at(self, session: PageSession, drawn: Drawn) -> Taken:
        """Picture the page, and then make sure that a reader sees the cited words: that changes it."""
        shots = await shoot(session, drawn.marking, height=self._settings.picture_height)
        developing = asyncio.to_thread(shots.developed)
        taken, _ = await asyncio.gather(developing, refuse_hidden(session, drawn))
        return taken

    # --- sealing -------------------------------------------------------------------------

    async def _seal(
        self, request: CiteRequest, evidence: Evidence, picturing: asyncio.Future[Taken]
    ) -> Collected:
        scratch = await asyncio.to_thread(self.store.scratch)
        path = scratch / "capture.wacz"
        try:
            capture, fresh = await asyncio.to_thread(captured, self.store, evidence, path)
            draft = await asyncio.to_thread(draft_of, request, evidence, capture)
            with ExitStack() as opened:
                # These are the sealed bytes: they are moved into the store as they are, or are in it already.
                archive = WaczReader(path) if fresh else self.store.open_capture(draft)
                reader = await asyncio.to_thread(opened.enter_context, archive)
                (draft, check), taken = await asyncio.gather(self._graded(draft, reader, evidence), picturing)
            return await self._stored(draft, check, taken, path if fresh else None)
        finally:
            await asyncio.to_thread(shutil.rmtree, scratch, True)

    async def _stored(
        self, draft: CitationDraft, check: Check, taken: Taken, capture: Path | None = None
    ) -> Collected:
        pictured = draft.model_copy(update={"picture": taken.picture})
        citation = await asyncio.to_thread(
            self.store.add, pictured, capture=capture, tiles=taken.tiles, check=check
        )
        return Collected(citation, check.model_copy(update={"citation_id": citation.id}))

    async def _graded(
        self, draft: CitationDraft, reader: WaczReader, evidence: Evidence, *, apart: bool = False
    ) -> tuple[CitationDraft, Check]:
        """Re-execute the page once, offline: the citation with its grade of replay, and the check behind it.

        The order of the evidence among the blocks of the page must be the same. Where it is drawn may differ:
        a picture that could not be loaded, or an advertisement, moves all that is below.

        ``apart``: the evidence was not read from the page that is sealed, so that has to be read in any case.

        Raises:
            NotReproducible: the sealed snapshot itself does not hold the evidence, or opening it failed.
        """
        cited = Citation.model_validate({**draft.model_dump(), "id": citation_id(draft)})
        check = await replay_capture(cited, reader, self._browser, self._settings, kind="self")
        if check.verdict == "verified" and not apart:
            return draft, check
        if check.verdict == "error" and not _may_fail(evidence, check):
            raise NotReproducible(
                f"The capture of {draft.source_url} could not be opened again ({check.message}). Try again "
                "later."
            )
        sealed = await asyncio.to_thread(find_sealed, cited, reader)
        if sealed.found.verdict != "verified":
            raise NotReproducible(
                f"The capture of {draft.source_url} does not hold the evidence ({sealed.found.verdict}): the "
                "page changed while it was read. Try again, or cite a stable part of it."
            )
        if check.verdict == "verified":
            return draft, check
        reason = why_not_page(evidence, draft.value_source, check)
        draft = draft.model_copy(update={"replay": "snapshot", "replay_reason": reason})
        return draft, check.model_copy(
            update={
                "verdict": "verified",
                "message": f"The evidence is in the sealed snapshot. {draft.graded}",
                "found": sealed.found.text,
                "difference": (),
                "text_similarity": text_similarity(draft.anchor.text, sealed.found.text),
                "overlap": sealed.overlap,
            }
        )


async def sealed_page(session: PageSession, material: Material) -> dict[str, bytes]:
    """The files of a capture that hold a page: what was read of it, and its markup as it is now."""
    # With a byte order mark: the page's own <meta charset>, of the bytes it came in, would misread these.
    return page_files(material) | {"dom.html": (await session.html()).encode("utf-8-sig")}


def draft_of(request: CiteRequest, evidence: Evidence, capture: CaptureRef) -> CitationDraft:
    """The citation to be, without grade and picture, with where its words came from.

    Raises:
        NotServed: only its own steps can have written them.
    """
    draft = CitationDraft(
        format=CITATION_FORMAT,
        created_at=datetime.now(UTC),
        claim=request.claim or _own_claim(request, evidence),
        source_url=request.url,
        final_url=evidence.final_url,
        document_url=evidence.document_url,
        title=evidence.title,
        request=request.anchor,
        anchor=evidence.anchor,
        steps=request.steps,
        capture=capture,
    )
    if piece := unsent(draft, evidence.exchanges):
        told = (
            "Nothing that {url} sent holds “{piece}”: only a script of the {arg[steps]}, what was typed, "
            "or the address itself can have written it, so it is no evidence. Cite what the page says by "
            "itself; operate it with click, type and select instead of exec_js."
        )
        raise NotServed(Said(told, url=draft.final_url, piece=shorten(piece, _PIECE_CHARS)))
    return draft.model_copy(update={"value_source": source_of(draft, evidence.exchanges)})


def _own_claim(request: CiteRequest, evidence: Evidence) -> str:
    """What the evidence says, where nobody wrote a claim: ``Norway, 2024: 5.6 million``, or the quote."""
    text, table = evidence.anchor.text, evidence.anchor.table
    if table is None:
        return request.anchor.quote or text or evidence.title or request.url
    paths = (" › ".join(path) for path in (table.row_path, table.column_path) if path)
    name = ", ".join(paths) or table.caption or table.heading or evidence.title
    return f"{name}: {shorten(text, _CLAIM_CHARS, placeholder=' …')}"


# --- grades


def why_not_page(evidence: Evidence, source: ValueSource, check: Check) -> str:
    """The reason for the grade ``snapshot``: what feeds the page, what no capture holds, or what differed.

    No words of the page are in it: models are told the reason beside what is marked as the page's.

    Args:
        evidence: what is sealed.
        source: where the cited words came from.
        check: the replay that did not show them.
    """
    missing = " ".join("".join(check.message.partition(STARVED)[1:]).split())[:_LONGEST]
    unlike = f"Re-executed, the evidence was {check.verdict}. {missing}".rstrip()
    lacking, streams = evidence.provenance.get("not_replayable"), _streams(evidence)
    without = f"No capture can hold {_some(lacking)}." if lacking else ""
    if source.kind == "frame":
        said = f"The words came over {streams}: streams are recorded and not played."
    elif source.kind != "script":
        said = f"It does not show the same each time. {unlike} {without}"
    elif without:
        said = without
    elif streams:
        said = f"The page is fed over {streams}: streams are recorded and not played."
    else:
        said = f"The page's script makes up these words, or a part of them, each time it runs. {unlike}"
    return " ".join("".join(char if char.isprintable() else " " for char in said).split())


def _may_fail(evidence: Evidence, check: Check) -> bool:
    """Whether a page may well fail to open again: it is fed by streams, or asks for what no capture holds."""
    fed = evidence.provenance.get("not_replayable") or _streams(evidence)
    return bool(fed) or STARVED in check.message


def _streams(evidence: Evidence) -> str:
    """The connections that stayed open, by address."""
    found = [each.request.url for each in evidence.exchanges if each.response.content_type == STREAM_TYPE]
    return _some(list(dict.fromkeys(found)))


def _some(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{'; '.join(' '.join(each.split())[:_LONGEST] for each in names[:_NAMED])}{more}"

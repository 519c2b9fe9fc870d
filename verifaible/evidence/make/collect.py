"""Making a citation: open, play, find, capture, seal, replay once, store."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from textwrap import shorten
from typing import TypeAlias

from verifaible.archive.reader import WaczReader
from verifaible.browser.page.session import PageSession
from verifaible.browser.pictures.highlight import Marking
from verifaible.browser.pictures.picture import Taken, shoot, take_picture
from verifaible.browser.pictures.seen import torn_apart, unseen_words
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import AnchorNotFound, NotReproducible, Said, SearchIncomplete, ToolError
from verifaible.evidence.check.replay import image_body, passage, read_video, replay_capture
from verifaible.evidence.make.capture import Evidence, sealed, state_sha256
from verifaible.evidence.make.request import CiteRequest
from verifaible.evidence.observing.material import PageMaterial, page_files
from verifaible.evidence.observing.observe import Observed, draw, marking_of, observe
from verifaible.evidence.observing.pdf_picture import picture_page
from verifaible.evidence.observing.places import Placement, place
from verifaible.evidence.observing.refusal import hidden, put_together, refusal
from verifaible.net.robots import robots_of
from verifaible.net.web import Web
from verifaible.old.anchoring.fold import fold
from verifaible.old.anchoring.numbers.reading import find_numbers
from verifaible.old.anchoring.tables.headers import find_headers
from verifaible.schema.anchor import Anchor
from verifaible.schema.check import Check
from verifaible.schema.citation import CITATION_FORMAT, Citation, CitationDraft
from verifaible.schema.table import Grid
from verifaible.schema.web import WebExchange
from verifaible.store.annotation import citation_id
from verifaible.store.store import Store

#: What a fresh capture must give again when it is opened offline, to be accepted.
MIN_TEXT_SIMILARITY = 0.99

#: Characters of cells in a claim that nobody wrote; a whole row or table is evidence, and no statement.
_CLAIM_CHARS = 300


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
            NotReproducible: the fresh capture did not give the same evidence again.
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
                evidence.provenance |= met(session) | await robots
            except ToolError as error:
                if beyond := session.traffic.beyond:
                    added = "{said} The page uses what no capture can hold: {beyond}."
                    error.args = (Said(added, said=error.args[0], beyond="; ".join(beyond)),)
                raise
            finally:
                robots.cancel()
            evidence.signed_in = session.traffic.signed_in
            # The picture is no part of the capture: it is taken while that is sealed and replayed.
            picturing = asyncio.ensure_future(camera())
            try:
                return await self._seal(request, evidence, picturing)
            finally:
                picturing.cancel()
                await asyncio.gather(picturing, return_exceptions=True)

    async def _robots(self, url: str) -> dict[str, object]:
        """What robots.txt says, for the provenance.

        Raises:
            PageBlocked: it asks for the page to be left alone, and is obeyed by setting.
        """
        robots = await robots_of(url, self._web)
        if robots is None:
            return {}
        if self._settings.robots == "always":
            robots.require(url)
        return {"robots": robots.as_json()}

    # --- by kind of source ---------------------------------------------------------------

    async def _page(self, session: PageSession, request: CiteRequest) -> tuple[Evidence, _Camera]:
        observed = await observe(session, request.url, request.steps, request.anchor)
        placement = found_in(observed, request)
        assert placement.anchor is not None
        if observed.document is not None:
            evidence, camera = await self._passage(session, observed, placement.anchor, request)
        else:
            evidence, camera = await self._page_evidence(session, observed, placement, request)
        traffic = session.traffic
        evidence.steps, evidence.results = request.steps, observed.results
        evidence.provenance |= {
            "browser": f"Chromium {self._browser.version}",
            "page_settled": session.settled,
            "dialogs": session.dialogs,
            "not_answered_offline": traffic.misses,
            "refused_by_guard": traffic.refused,
            "not_read": traffic.unread,
            "not_replayable": traffic.unreplayable(),
        }
        return evidence, camera

    async def _page_evidence(
        self, session: PageSession, observed: Observed, placement: Placement, request: CiteRequest
    ) -> tuple[Evidence, _Camera]:
        material = observed.material
        assert isinstance(material, PageMaterial)
        drawn = await draw(session, material, placement)
        await session.traffic.drain()
        files = page_files(material)
        # With a byte order mark: the page's own <meta charset>, of the bytes it came in, would misread these.
        files["dom.html"] = (await session.html()).encode("utf-8-sig")
        anchor = drawn.anchor
        if anchor.image is not None:
            body = image_body(session.traffic.exchanges, anchor.image.src)
            files["image.bin"] = body
            digest = hashlib.sha256(body).hexdigest()
            anchor = anchor.model_copy(update={"image": anchor.image.model_copy(update={"sha256": digest})})
        evidence = Evidence(
            url=request.url,
            final_url=session.page.url,
            title=material.title,
            anchor=anchor,
            exchanges=session.traffic.sealed(),
            web=session.web.mode,
            match=session.traffic.match,
            synthetic=session.traffic.synthetic,
            files=files,
        )
        return evidence, lambda: self._looked_at(session, marking_of(material, drawn), anchor)

    async def _passage(
        self, session: PageSession, observed: Observed, anchor: Anchor, request: CiteRequest
    ) -> tuple[Evidence, _Camera]:
        document, number = observed.document, anchor.page_number
        assert document is not None and number is not None
        await session.traffic.drain()
        drawn = await asyncio.to_thread(passage, document.body, anchor)
        fault = drawn.fault(request.url)
        if fault is not None:
            raise fault
        evidence = Evidence(
            url=request.url,
            final_url=session.page.url if request.steps else document.url,
            title=observed.material.title,
            anchor=anchor.model_copy(update={"rects": drawn.rects, "scanned": drawn.scanned}),
            exchanges=session.traffic.sealed(),
            web=session.web.mode,
            match=session.traffic.match,
            synthetic=session.traffic.synthetic,
            files={
                "source.pdf": document.body,
                "pages.json": observed.material.model_dump_json(indent=1).encode(),
                "text.txt": drawn.text.encode(),
            },
            document_url=document.url,
        )
        height = self._settings.picture_height
        return evidence, lambda: asyncio.to_thread(
            picture_page, document.body, number, drawn.rects, height=height
        )

    async def _video(self, session: PageSession, request: CiteRequest) -> tuple[Evidence, _Camera]:
        kept: list[WebExchange] = []
        material = await read_video(self._web, self._browser, request.url, request.anchor, kept=kept)
        from verifaible.net.transcripts import watch_url

        placement = place(material, request.anchor)
        if placement.verdict != "verified" or placement.anchor is None:
            raise refusal(placement, request.anchor, request.url)
        await session.open(watch_url(request.url))
        traffic = session.traffic
        await traffic.drain()
        evidence = Evidence(
            url=request.url,
            final_url=session.page.url,
            title=await session.title() or material.title,
            anchor=placement.anchor,
            exchanges=[*kept, *traffic.sealed()],
            web=self._web.mode,
            match=traffic.match,
            synthetic=traffic.synthetic,
            files={
                "text.txt": "\n".join(line.text for line in material.transcript.captions).encode(),
                "transcript.json": material.model_dump_json(indent=1).encode(),
            },
            provenance={
                "browser": f"Chromium {self._browser.version}",
                "captions_from": material.transcript.origin or material.transcript.source,
            },
        )
        return evidence, lambda: self._pictured(session, Marking())

    async def _pictured(self, session: PageSession, marking: Marking) -> Taken:
        return await take_picture(session, marking, height=self._settings.picture_height)

    async def _looked_at(self, session: PageSession, marking: Marking, anchor: Anchor) -> Taken:
        """Picture the page, and then make sure that a reader sees the cited words: that changes it."""
        shots = await shoot(session, marking, height=self._settings.picture_height)
        developing = asyncio.to_thread(shots.developed)
        taken, _ = await asyncio.gather(
            developing, refuse_hidden(session, anchor, readings=bool(marking.readings))
        )
        return taken

    # --- sealing -------------------------------------------------------------------------

    async def _seal(
        self, request: CiteRequest, evidence: Evidence, picturing: asyncio.Future[Taken]
    ) -> Collected:
        if evidence.match == "fuzzy":
            told = (
                "{url} was built from an archived answer that only resembles what the page asked for, so it "
                "cannot be verified. Use another page, or run with {arg[--web]:live}."
            )
            raise NotReproducible(Said(told, url=request.url))
        scratch = await asyncio.to_thread(self.store.scratch)
        try:
            path = scratch / "capture.wacz"
            draft, fresh = await asyncio.to_thread(self._captured, request, evidence, path)
            with ExitStack() as opened:
                # These are the sealed bytes: they are moved into the store as they are, or are in it already.
                capture = WaczReader(path) if fresh else self.store.open_capture(draft)
                reader = await asyncio.to_thread(opened.enter_context, capture)
                lacking = evidence.provenance.get("not_replayable", [])
                check, taken = await asyncio.gather(self._replay_once(draft, reader, lacking), picturing)
            citation = await asyncio.to_thread(
                self.store.add,
                draft.model_copy(update={"picture": taken.picture}),
                capture=path if fresh else None,
                tiles=taken.tiles,
                check=check,
            )
            return Collected(citation, check.model_copy(update={"citation_id": citation.id}))
        finally:
            await asyncio.to_thread(shutil.rmtree, scratch, True)

    def _captured(self, request: CiteRequest, evidence: Evidence, path: Path) -> tuple[CitationDraft, bool]:
        """The citation to be, without its picture, and whether its capture was written to ``path`` just now.

        A page in a state that the store has already is not captured again.
        """
        now = datetime.now(UTC)
        state = state_sha256(evidence)
        capture = self.store.capture_of_state(state)
        fresh = capture is None
        if capture is None:
            capture = sealed(path, evidence, state=state, captured_at=now, signer=self.store.signer)
        draft = CitationDraft(
            format=CITATION_FORMAT,
            created_at=now,
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
        return draft, fresh

    async def _replay_once(self, draft: CitationDraft, reader: WaczReader, lacking: Sequence[str]) -> Check:
        """Open the capture offline before it is accepted; it must give the same evidence.

        Its order among the blocks of the page must be the same. Where it is drawn may differ: a picture that
        could not be loaded, or an advertisement, moves all that is below.

        ``lacking``: what the page uses and no capture holds.
        """
        cited = Citation.model_validate({**draft.model_dump(), "id": citation_id(draft)})
        check = await replay_capture(cited, reader, self._browser, self._settings, kind="self")
        alike = (check.text_similarity or 0.0) >= MIN_TEXT_SIMILARITY
        if check.verdict != "verified" or not alike:
            why = f"No capture can hold {'; '.join(lacking[:3])}. " if lacking else ""
            raise NotReproducible(
                f"The capture of {draft.source_url} did not give the same evidence again ({check.verdict}: "
                f"{check.message} text {check.text_similarity}). {why}The page may differ from load to load: "
                "cite a stable part of it, or another source."
            )
        return check


def met(session: PageSession) -> dict[str, object]:
    """How the web saw the reader of a page, and what it said to it besides the page."""
    checks = [f"{url} (HTTP {status})" for url, status in session.traffic.checks]
    found: dict[str, object] = {"identity": session.guise.as_json()}
    return found | ({"checks_passed": checks} if checks else {})


async def refuse_hidden(session: PageSession, anchor: Anchor, *, readings: bool = False) -> None:
    """Make sure that a reader sees the words of an anchor that was drawn last, and reads them in a row.

    Raises:
        AnchorNotFound: nothing of some of them is drawn, or they lie apart.
        SearchIncomplete: there are more of them than are looked at.
    """
    if anchor.evidence_type not in ("text", "table"):
        return
    if anchor.evidence_type == "text" and not readings:  # which are over the words, not behind them
        apart = await torn_apart(session, anchor.frame_path, anchor.text)
        if apart is not None:
            raise put_together(apart, session.page.url)
    seen = await unseen_words(session, anchor.frame_path)
    if seen.hidden:
        raise hidden(seen.hidden, session.page.url)
    if seen.cut and anchor.evidence_type == "text":
        raise SearchIncomplete(
            f"Whether a reader sees all of the quote is not known: it has {seen.cut}. Quote less of it."
        )


def _own_claim(request: CiteRequest, evidence: Evidence) -> str:
    """What the evidence says, where nobody wrote a claim: ``Norway, 2024: 5.6 million``, or the quote."""
    text, table = evidence.anchor.text, evidence.anchor.table
    if table is None:
        return request.anchor.quote or text or evidence.title or request.url
    paths = (" › ".join(path) for path in (table.row_path, table.column_path) if path)
    name = ", ".join(paths) or table.caption or table.heading or evidence.title
    return f"{name}: {shorten(text, _CLAIM_CHARS, placeholder=' …')}"


def found_in(observed: Observed, request: CiteRequest) -> Placement:
    """The place of the evidence, or the refusal that says what is there instead."""
    placement = place(observed.material, request.anchor)
    url = observed.material.url
    if placement.verdict != "verified" or placement.anchor is None:
        raise refusal(placement, request.anchor, url)
    asked_page = request.anchor.page_number
    if asked_page is not None and placement.anchor.page_number not in (None, asked_page):
        raise refusal(placement, request.anchor, url)
    if request.anchor.evidence_type == "table" and request.anchor.quote:
        assert isinstance(observed.material, PageMaterial)
        _check_cell_words(observed.material, placement, request)
    return placement


def _check_cell_words(material: PageMaterial, placement: Placement, request: CiteRequest) -> None:
    anchor = placement.anchor
    assert anchor is not None
    grid = material.grids[placement.table]
    foreign = foreign_word(grid, anchor, request.anchor.quote, material.page.text)
    if foreign:
        told = (
            "The cell at these headers says “{cell}”; “{foreign}” of {arg[quote]} stands neither in "
            "it nor in its row. Correct {arg[quote]} (or leave it out), or the headers."
        )
        raise AnchorNotFound(Said(told, cell=anchor.text, foreign=foreign), nearest=anchor.text)


def foreign_word(grid: Grid, anchor: Anchor, quote: str, page_text: str) -> str:
    """The first word or number of a quote that is not of the cell, its row or its headers.

    The highlight shows the cell, so a number from anywhere else on the page is foreign, as is the
    name of another row; a word of the text around the table may stand beside it. Of two blocks
    side by side in one row only the cell's own counts.

    Returns:
        The foreign word, or an empty string where there is none.
    """
    assert anchor.table is not None
    slots, rows = anchor.table.cells, find_headers(grid).rows
    own = [
        line for line in rows if any(row == line.row and line.first <= at < line.last for row, at in slots)
    ]
    covered = [(line.row, at) for line in own for at in range(line.first, line.last)]
    texts = [cell.text for slot in covered if (cell := grid.at(*slot))]
    near = "\n".join((*texts, anchor.text, *anchor.table.row_path, *anchor.table.column_path, grid.caption))
    numbers = {number.value for number in find_numbers(near)}
    for number in find_numbers(quote):
        if number.role == "value" and number.value not in numbers:
            return number.raw
    others = {fold(label).text for line in rows if line not in own for label in line.path}
    page, beside = fold(page_text).text, fold(near).text
    for word in quote.split():
        folded = fold(word).text
        if folded not in beside and (folded in others or folded not in page):
            return word
    return ""

"""Probing cases: how each starts and what its reference steps come to on a web, before a model is paid.

A probe keeps a line a case and nothing of the pages. A line counts for the case as it is written now: who
corrects a case has it asked again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from verifaible.archive.recording import Recorder, Written, archive_of, standing
from verifaible.archive.urls import site_of
from verifaible.bench.cases.check import CaseChecked, Status, play_case, trying
from verifaible.bench.cases.load import digest
from verifaible.bench.run.recording import record_sites
from verifaible.browser.page.session import PageSession
from verifaible.config import Settings
from verifaible.errors import InfrastructureError, PageBlocked, RunError, ToolError, WrongContent
from verifaible.evidence.blocked import why_blocked
from verifaible.evidence.observe import observe
from verifaible.evidence.reading import read_page
from verifaible.runs.lines import Lines, usable
from verifaible.schema.anchor import AnchorRequest
from verifaible.schema.base import Record
from verifaible.schema.case import Case
from verifaible.schema.citation import WebMode
from verifaible.text.language import language_of
from verifaible.tools.context import ToolContext

#: So many sites are asked at once; of each one page at a time.
AT_ONCE: Final = 2
#: Characters of what a page says instead of content.
_SAID: Final = 300
_NEXT: Final[Mapping[Status, str]] = {
    "ok": "Nothing: the case can be run here.",
    "drifted": "Compare what is expected with what the page shows. If the page is right, correct answer, "
    "expect and oracle in the case file.",
    "blocked": "See “When a site refuses” in docs/running-live.md.",
    "gone": "Open the address in a browser. If the page is elsewhere now, correct url and oracle in the "
    "case file.",
    "error": "Read the reason and mend it. The case is asked again next time.",
}


class StartPage(Record):
    """What came of opening the address of a case.

    Attributes:
        url: where it led.
        status: the HTTP status there; 0 where nothing answered.
        shows: ``content``, the media type of a file, or what the page is instead; empty where nothing came.
        said: why it could not be opened, or what a page that is no content says.
        refused: whether it is a captcha, a consent page, a refusal or the like.
        title: of the page.
        language: of its content, a primary subtag; empty where it is not known.
    """

    url: str
    status: int = 0
    shows: str = ""
    said: str = ""
    refused: bool = False
    title: str = ""
    language: str = ""


class Probed(Record):
    """What a probe of a case found, and what to do next; ``digest`` is that of the case."""

    case: str
    digest: str
    site: str
    at: datetime
    status: Status
    start: StartPage
    checked: CaseChecked
    steps: int
    next: str


class Probe:
    """The results of probing on one web, in a folder.

    Args:
        folder: made if it is not there.
        cases: those to probe and to report on.
        mode: ``live`` or ``offline``.

    Raises:
        RunError: the folder cannot be made.
    """

    def __init__(self, folder: Path, cases: Sequence[Case], mode: WebMode) -> None:
        with usable(folder):
            folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.cases = tuple(cases)
        self.mode = mode
        self._lines = Lines(folder / f"{mode}.jsonl", Probed, alone=True)

    def results(self, cases: Sequence[Case] = ()) -> dict[str, Probed]:
        """The last result of each case as it is written now, by id; default those of the probe.

        Raises:
            RunError: the file cannot be read.
        """
        wanted = {case.id: digest(case) for case in cases or self.cases}
        found = {each.case: each for each in self._lines if wanted.get(each.case) == each.digest}
        return {name: found[name] for name in wanted if name in found}

    async def ask(
        self,
        settings: Settings,
        *,
        again: bool = False,
        watch: Callable[[Probed], None],
    ) -> None:
        """Probe the cases that have no result; an error is none.

        Args:
            settings: limits, paths, and how often a host is asked.
            again: all cases.
            watch: is told of every result, which is kept by then.

        Raises:
            BrowserMissing: there is no Chromium.
            RunError: a result cannot be kept.
            StoreError: the disk is full.
        """
        known = {} if again else self.results()
        lanes: dict[str, list[Case]] = {}
        for case in self.cases:
            if case.id not in known or known[case.id].status == "error":
                lanes.setdefault(site_of(case.url) if self.mode == "live" else case.id, []).append(case)
        if not lanes:
            return
        turns = asyncio.Semaphore(AT_ONCE)

        async def go(context: ToolContext, lane: Sequence[Case]) -> None:
            async with turns:
                for case in lane:
                    result = await _probe(context, case)
                    self._lines.add(result)
                    watch(result)

        async with trying(settings, self.mode) as context:
            going = [asyncio.ensure_future(go(context, lane)) for lane in lanes.values()]
            try:
                await asyncio.gather(*going)
            finally:
                for each in going:
                    each.cancel()
                await asyncio.gather(*going, return_exceptions=True)


async def _probe(context: ToolContext, case: Case) -> Probed:
    context = context.speaking(case.language)
    start = await _open(context, case.url)
    checked = await play_case(context, case)
    status = checked.status
    if start.refused and status != "ok":
        status = "blocked"
    elif status == "gone" and not start.status and context.web.mode == "live":
        status = "error"  # nothing answered, which says nothing of the page
    told = [_NEXT[status]]
    if start.language and case.language and start.language != case.language.split("-")[0].lower():
        told.append(f"The page came in {start.language}, the case is in {case.language}.")
    return Probed(
        case=case.id,
        digest=digest(case),
        site=site_of(case.url),
        at=datetime.now(UTC),
        status=status,
        start=start,
        checked=checked,
        steps=len(case.oracle.steps) if case.oracle else 0,
        next=" ".join(told),
    )


async def _open(context: ToolContext, url: str) -> StartPage:
    try:
        async with context.browser.page(context.web) as session:
            return await _look(session, url)
    except (ToolError, InfrastructureError) as error:
        return StartPage(url=url, said=str(error))


async def _look(session: PageSession, url: str) -> StartPage:
    """Open the page as a citation would; one that is refused is read all the same, for what it says.

    Raises:
        ToolError: nothing can be read.
    """
    refusal: ToolError | None = None
    wanted = AnchorRequest(evidence_type="text")
    try:
        material = (await observe(session, url, (), wanted)).material
    except WrongContent:
        document = await session.document()
        if document is None:
            raise
        return StartPage(url=document.url, status=200, shows=document.media_type)
    except ToolError as error:
        refusal = error
        await session.traffic.drain()
        if not _status(session):
            raise
        await session.settle()
        material = await read_page(session, wanted)
    await session.traffic.drain()
    text = material.document.text
    known = {"url": material.url, "status": _status(session), "title": material.title}
    if refusal is None:
        language = language_of(material.document.language, text)
        return StartPage(**known, shows="content", language=language)
    refused, says = isinstance(refusal, PageBlocked), " ".join(text.split())[:_SAID]
    return StartPage(
        **known,
        shows=why_blocked(material) or ("a refusal" if refused else "an error"),
        said=str(refusal) if says in str(refusal) else f"{refusal} It says: {says}",
        refused=refused,
    )


def _status(session: PageSession) -> int:
    """The status of the last answer to the address at which the page stands; 0 where there was none."""
    at = session.page.url.partition("#")[0]
    statuses = [one.response.status for one in session.traffic.exchanges if one.request.url == at]
    return statuses[-1] if statuses else 0


# --- recording in place of replicas


def record_proven(
    settings: Settings, probe: Probe, every: Sequence[Case], say: Callable[[str], None], *, again: bool
) -> tuple[Written, ...]:
    """Replace replicas by recordings, site by site, where every case of a site is ``ok`` on the live web.

    Args:
        settings: paths.
        probe: of the live web.
        every: all cases that there are: an archive has to hold them all.
        say: is told how it goes.
        again: replace recordings too.

    Raises:
        StoreError: the disk is full.
        BrowserMissing: there is no Chromium.
    """
    written: list[Written] = []
    for site in dict.fromkeys(site_of(case.url) for case in probe.cases):
        cases = [case for case in every if site_of(case.url) == site]
        known = probe.results(cases)
        lacking = [case.id for case in cases if case.id not in known or known[case.id].status != "ok"]
        if lacking:
            say(f"{site}: not recorded, because these cases are not ok: {', '.join(lacking)}.")
        elif standing(archive_of(settings.sites_dir, site)) == "recording" and not again:
            say(f"{site}: recorded already.")
        else:
            with Recorder(settings.secrets) as recorder:
                try:
                    done, _ = record_sites(
                        settings, recorder, cases, settings.sites_dir, say, force=True, others=False
                    )
                    written += done
                except RunError as error:  # this site failed now; the others may not
                    say(f"{site}: {error}")
    return tuple(written)

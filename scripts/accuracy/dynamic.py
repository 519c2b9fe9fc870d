"""Pages that load their data by script: captured live, replayed with the server gone, compared.

The page is captured as if it were ``CAPTURED`` (its clock is moved, and so are the times of the
record), so that everything that asks for "now" asks for another time when it is replayed.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from pydantic import TypeAdapter

from scripts.accuracy.outcome import Outcome, Result
from tests.kit.dynamic_site import Trap, served, traps
from verifaible.archive.lookup import Archive
from verifaible.archive.wacz import WaczWriter
from verifaible.browser.page.session import PageSession
from verifaible.browser.scripts import init_script
from verifaible.browser.snapshot import take_snapshot
from verifaible.browser.steps.playing import play
from verifaible.browser.traffic.traffic import Traffic
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import ToolError
from verifaible.extract.page import page_document
from verifaible.net.web import Web
from verifaible.schema.action import ActionStep
from verifaible.schema.web import WebExchange

#: When the pages believe to be captured: long enough ago for any wrong clock to show.
CAPTURED = datetime(2025, 3, 4, 10, 20, 30, 456_000, tzinfo=UTC)
#: Live pages that are waited for side by side: most of the time they only wait.
_AT_ONCE = 4
_STEPS: TypeAdapter[tuple[ActionStep, ...]] = TypeAdapter(tuple[ActionStep, ...])


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a page showed, and what was said of it: refusals and misses that concern its data."""

    text: str
    complaints: tuple[str, ...] = ()


def _slug(trap: Trap) -> str:
    return re.sub(r"\W+", "-", f"{trap.kind} {trap.name}").strip("-").lower()


def _complaints(traffic: Traffic) -> tuple[str, ...]:
    """What a replay says against itself, as far as data or streams are meant."""
    said = [miss for miss in traffic.misses if "/api/" in miss or miss.startswith(("WS", "SSE"))]
    return tuple(said + traffic.refused)


async def _shown(session: PageSession, url: str, steps: Sequence[Mapping[str, object]]) -> _Seen:
    try:
        await session.open(url)
        await play(session, _STEPS.validate_python(list(steps)))
        text = page_document(await take_snapshot(session.page)).text
    except ToolError as error:
        return _Seen("", (f"{type(error).__name__}: {error}",))
    return _Seen(text, _complaints(session.traffic))


async def _capture(browser: Browser, web: Web, trap: Trap, url: str) -> tuple[_Seen, list[WebExchange]]:
    """The page as it is live, and what it asked for, moved to ``CAPTURED``."""
    started = datetime.now(UTC)
    start_ms = int(CAPTURED.timestamp() * 1000)
    async with browser.page(web) as session:
        await session.context.add_init_script(init_script("clock", str(start_ms)))
        seen = await _shown(session, url, trap.steps)
        await session.traffic.drain()
        exchanges = session.traffic.sealed()
    return seen, [replace(one, recorded_at=CAPTURED + (one.recorded_at - started)) for one in exchanges]


def _packed(path: Path, exchanges: Sequence[WebExchange]) -> Archive:
    with WaczWriter(path, title="Trap", created=CAPTURED) as writer:
        for exchange in exchanges:
            writer.add_exchange(exchange)
    return Archive.open([path])


async def _replay(browser: Browser, archive: Archive, settings: Settings, trap: Trap, url: str) -> _Seen:
    async with browser.page(Web.offline(settings, archive)) as session:
        return await _shown(session, url, (*trap.steps, *trap.more))


def _outcome(trap: Trap, captured: _Seen, replayed: _Seen) -> tuple[Outcome, str]:
    said = f"{captured.text!r} became {replayed.text!r}; {'; '.join(replayed.complaints) or 'nothing said'}"
    same = captured.text == replayed.text
    if trap.must == "refuse":
        return ("right" if replayed.complaints else "false verified"), said
    if captured.complaints or not captured.text.partition("\n")[2]:
        return "wrong verdict", f"the capture itself failed: {captured}"
    if (
        trap.must == "either"
    ):  # it races: another of its answers may come last, but one does, and all are known
        shown = bool(replayed.text.partition("\n")[2])
        return ("right" if shown and not replayed.complaints else "missed"), said
    return ("right" if same == (trap.must == "right") else "missed"), said


async def run(settings: Settings, chosen: Sequence[Trap] = ()) -> list[Result]:
    """Capture and replay those traps, or every one; ``settings`` have to allow loopback.

    ``right``: the records of the capture, so that a citation gets ``replay: page``; or, where the page cannot
    be re-executed, others, so that it keeps its snapshot; or, where what the steps ask for was never
    recorded, a refusal. ``missed``: the other grade than the row says. ``false verified``: records where a
    refusal was due.
    """
    slugs = {_slug(trap): trap for trap in chosen or traps()}
    live: dict[str, tuple[str, _Seen, list[WebExchange]]] = {}
    turn = asyncio.Semaphore(_AT_ONCE)
    with served(slugs) as host:
        async with Browser(settings, offline=False) as browser, asyncio.TaskGroup() as group:

            async def capture(slug: str, trap: Trap) -> None:
                url = f"{host}/{slug}/"
                async with turn:
                    live[slug] = (url, *await _capture(browser, Web.live(settings), trap, url))

            for each in slugs.items():
                group.create_task(capture(*each))
    results: list[Result] = []
    with tempfile.TemporaryDirectory() as folder:
        async with Browser(settings, offline=True) as browser:
            for slug, trap in slugs.items():
                url, seen, exchanges = live[slug]
                archive = _packed(Path(folder) / f"{slug}.wacz", exchanges)
                replayed = await _replay(browser, archive, settings, trap, url)
                archive.close()
                came_to, said = _outcome(trap, seen, replayed)
                results.append(Result(trap.kind, trap.name, came_to, "" if came_to == "right" else said))
    return results

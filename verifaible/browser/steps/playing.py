"""Playing a list of steps on a session's page: one after the other, each until the page has settled."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import TypeVar

from verifaible.browser import driver
from verifaible.browser.chromium.tabs import closed_meanwhile
from verifaible.browser.page import watched as watched_page
from verifaible.browser.page.session import PageSession
from verifaible.browser.page_time import Patience, let_pass
from verifaible.browser.snapshot import take_snapshot
from verifaible.browser.steps.step import play_step
from verifaible.browser.traffic.requests import Answer
from verifaible.errors import PageError, ToolError
from verifaible.extract.markdown import document_markdown
from verifaible.extract.page import page_document
from verifaible.schema.action import ActionStep, StepChanges, StepResult, Wait

_T = TypeVar("_T")

#: How long a new tab that is still empty may take to go where it was sent.
LATE_TAB_MS = 1_000
#: A page that goes on to another one whenever it is read is told as it was last seen.
_MOST_NAVIGATIONS = 3


async def play(
    session: PageSession,
    steps: Sequence[ActionStep],
    *,
    strict: bool = False,
    watched: bool = False,
) -> tuple[StepResult, ...]:
    """Play action steps in order; the page settles after each.

    Args:
        session: the page.
        steps: what to do.
        strict: refuse a selector that finds several elements which do not do the same; without it
            the first visible one is used.
        watched: say of each step what it used, what it did and what changed, too.

    Raises:
        StepFailed: the first step that fails ends the list; ``session.played`` has those before it.
        PageError: the page hangs, or its tab crashed.
    """
    session.played = ()
    since = 0
    lines = await _lines(session) if watched else ()
    for index, step in enumerate(steps, start=1):
        started = monotonic()
        before = _standing(session, lines)
        wait_ms = getattr(step, "wait", 0)
        pause_s = (wait_ms + session.pace_ms) / 1000
        since = since if isinstance(step, Wait) else before.answers
        try:
            played = await play_step(session, step, index, since=since, strict=strict)
            await _arrive(session, before)
            if wait_ms:
                await let_pass(session.page, wait_ms, turns=0)
            await asyncio.sleep(pause_s)
            if wait_ms and session.web.archive is not None:
                await session.rested()  # on a busy machine the page has not done all of that yet
        except (driver.Error, ToolError) as error:
            raise _crash_error(session) or error from None
        result = StepResult(
            index=index, type=step.type, value=played.value, duration_ms=round((monotonic() - started) * 1000)
        )
        if watched:
            lines = await _on_open_tab(session, lambda: _lines(session))
            changes = await _changes(session, before, lines)
            found = {"element": played.element, "did": played.did, "changes": changes}
            result = result.model_copy(update=found)
        session.played = (*session.played, result)
    return session.played


def _crash_error(session: PageSession) -> PageError | None:
    if not session.crashed:
        return None
    return PageError(
        "The page crashed its tab, most likely because it needs too much memory. Do less with it in one "
        "call, or use another page."
    )


async def _arrive(session: PageSession, before: Before) -> None:
    """Go where a step led to, and wait until that page has settled."""

    def is_file() -> bool:
        return bool(session.downloads) or len(session.traffic.documents) > before.documents

    await _follow(session, is_file)
    await _on_open_tab(session, session.settle)
    page = session.page
    await _follow(session, is_file)
    if session.page is not page:
        await _on_open_tab(session, session.settle)
    # The browser gives up a navigation that turns out to be a download, a moment before it says so.
    if not session.downloads and len(session.traffic.documents) == before.documents:
        await session.document(expected=session.traffic.requests.broken_off(before.answers))


async def _on_open_tab(session: PageSession, look: Callable[[], Awaitable[_T]]) -> _T:
    """Do something with the page; where its tab closes meanwhile, with the tab that is left."""
    page = session.page
    try:
        return await look()
    except (driver.Error, ToolError) as error:
        if not await closed_meanwhile(page, error):
            raise
    await _follow(session)
    return await look()


def _standing(session: PageSession, lines: Sequence[str]) -> Before:
    """How things stand now, with the lines of the page's text."""
    answers, dialogs = len(session.traffic.requests.answers), len(session.dialogs)
    return Before(session.page.url, answers, dialogs, len(session.traffic.documents), session.page, lines)


async def _lines(session: PageSession) -> tuple[str, ...]:
    """What a reader can see, line by line; a row of a table is one."""
    for _ in range(_MOST_NAVIGATIONS):
        address = session.page.url
        with suppress(driver.TimeoutError):  # a page that was just put in its place has no text yet
            await session.page.wait_for_load_state("domcontentloaded", timeout=LATE_TAB_MS)
        snapshot = await take_snapshot(session.page, seconds=watched_page.SCRIPT_TIMEOUT_S)
        if session.page.url == address:
            break
    return lines_of(await asyncio.to_thread(lambda: document_markdown(page_document(snapshot)).text))


async def _changes(session: PageSession, before: Before, lines: Sequence[str]) -> StepChanges:
    await session.document()
    files = [f"{each.url} ({each.media_type}, {len(each.body)} bytes)" for each in session.traffic.documents]
    return changed(
        before, _standing(session, lines), session.traffic.requests.answers, session.dialogs, files
    )


async def _follow(session: PageSession, is_file: Callable[[], bool] = bool) -> None:
    """Go on with the newest page of the context, if a step opened one with content and no file."""
    await session.tabs.announced(is_file=is_file)
    pages = [page for page in session.context.pages if not page.is_closed()]
    if not pages or pages[-1] is session.page:
        return
    newest = pages[-1]
    with suppress(driver.Error):
        await newest.wait_for_load_state("domcontentloaded", timeout=5_000)
        patience = Patience(LATE_TAB_MS)
        while newest.url in ("", "about:blank") and await patience.again(newest):
            pass  # a new tab shows an empty page first, and goes where it was sent a moment later
        await newest.wait_for_load_state("domcontentloaded", timeout=5_000)
    if newest.url not in ("", "about:blank") or session.page.is_closed():
        session.page = newest


#: Requests that say something of what a step did; pictures, fonts and style sheets do not.
_TELLING = frozenset({"document", "xhr", "fetch", "script", "eventsource", "websocket", "ping", "other"})
_MOST_LINES = 6
_LINE_CHARACTERS = 160
_MOST_REQUESTS = 12


@dataclass(frozen=True, slots=True)
class Before:
    """How things stood before a step."""

    url: str
    answers: int
    dialogs: int
    documents: int
    page: object
    lines: Sequence[str] = field(default=(), repr=False)


def changed(
    before: Before, after: Before, answers: Sequence[Answer], dialogs: Sequence[str], files: Sequence[str]
) -> StepChanges:
    """What a step changed.

    Args:
        before: how things stood.
        after: how they stand now that the page has settled.
        answers: all answers of the context.
        dialogs: all dialogs of the session so far.
        files: all documents of the session so far, described.
    """
    added, removed = _missing_in(after.lines, before.lines), _missing_in(before.lines, after.lines)
    telling = (each for each in answers[before.answers :] if each.kind in _TELLING)
    shown = list(dict.fromkeys(each.described() for each in telling))
    moved = after.url if after.url != before.url else ""
    return StepChanges(
        added=_short(added),
        added_lines=len(added),
        removed=_short(removed),
        removed_lines=len(removed),
        requests=tuple(shown[:_MOST_REQUESTS]),
        request_count=len(shown),
        navigated=moved if after.page is before.page else "",
        opened=after.url if after.page is not before.page else "",
        dialogs=tuple(dialogs[before.dialogs :]),
        downloads=tuple(files[before.documents :]),
    )


def _missing_in(lines: Sequence[str], others: Sequence[str]) -> list[str]:
    """The lines that others do not have, or not so often, in their order."""
    left = Counter(others)
    found = []
    for line in lines:
        if left[line] > 0:
            left[line] -= 1
        else:
            found.append(line)
    return found


def _short(lines: Sequence[str]) -> tuple[str, ...]:
    return tuple(
        line if len(line) <= _LINE_CHARACTERS else f"{line[: _LINE_CHARACTERS - 1]}…"
        for line in lines[:_MOST_LINES]
    )


def lines_of(text: str) -> tuple[str, ...]:
    """The lines of a page's text that say something, with white space folded."""
    folded = (" ".join(line.split()) for line in text.splitlines())
    return tuple(line for line in folded if line)

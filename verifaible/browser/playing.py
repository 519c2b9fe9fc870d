"""Playing a list of steps on a session's page: one after the other, each until the page has settled."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from verifaible.browser.changes import Before, changed, lines_of
from verifaible.browser.staging import Stage
from verifaible.browser.steps import play
from verifaible.browser.tabs import closed_meanwhile
from verifaible.browser.targets import shown_frames
from verifaible.errors import PageError, ToolError
from verifaible.schema.action import ActionStep, StepChanges, StepResult, Wait

if TYPE_CHECKING:
    from verifaible.browser.session import PageSession

_T = TypeVar("_T")

#: How long a new tab that is still empty may take to go where it was sent.
LATE_TAB_MS = 1_000
_ADDRESS = re.compile(r"^(?!about:blank)")


async def play_all(
    session: PageSession, steps: Sequence[ActionStep], *, strict: bool, watched: bool
) -> tuple[StepResult, ...]:
    """Play action steps in order; see :meth:`verifaible.browser.session.PageSession.play`."""
    from playwright.async_api import Error

    session.played = ()
    since = 0
    lines = await _lines(session) if watched else ()
    for index, step in enumerate(steps, start=1):
        started = monotonic()
        before = _standing(session, lines)
        since = since if isinstance(step, Wait) else before.answers
        stage = Stage(session.page, session.happened, since, strict)
        try:
            played = await play(stage, step, index)
            await _arrive(session, before)
            await asyncio.sleep((getattr(step, "wait", 0) + session.pace_ms) / 1000)
        except (Error, ToolError) as error:
            raise _crash_error(session) or error from None
        result = StepResult(
            index=index,
            type=step.type,
            value=played.value,
            duration_ms=round((monotonic() - started) * 1000),
        )
        if watched:
            lines = await _on_open_tab(session, lambda: _lines(session))
            changes = await _changes(session, before, lines)
            found = {"element": played.element, "did": played.did, "changes": changes}
            result = result.model_copy(update=found)
        session.played = (*session.played, result)
        if session.after_step is not None:
            await session.after_step()
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
    await _follow(session)
    await _on_open_tab(session, session.settle)
    page = session.page
    await _follow(session)
    if session.page is not page:
        await _on_open_tab(session, session.settle)
    # The browser gives up a navigation that turns out to be a download, a moment before it says so.
    if not session.downloads and len(session.traffic.documents) == before.documents:
        await session.document(expected=session.happened.broken_off(before.answers))


async def _on_open_tab(session: PageSession, look: Callable[[], Awaitable[_T]]) -> _T:
    """Do something with the page; where its tab closes meanwhile, with the tab that is left."""
    from playwright.async_api import Error

    page = session.page
    try:
        return await look()
    except (Error, ToolError) as error:
        if not await closed_meanwhile(page, error):
            raise
    await _follow(session)
    return await look()


def _standing(session: PageSession, lines: Sequence[str]) -> Before:
    """How things stand now, with the lines of the page's text."""
    answers, dialogs = len(session.happened.answers), len(session.dialogs)
    return Before(session.page.url, answers, dialogs, len(session.traffic.documents), session.page, lines)


async def _lines(session: PageSession) -> Sequence[str]:
    """The lines of text that a reader can see, frame after frame."""
    lines: list[str] = []
    for frame in await shown_frames(session.page):
        raw = await session.evaluate("text", {}, frame=frame)
        lines += lines_of(str(raw["text"]))
    return lines


async def _changes(session: PageSession, before: Before, lines: Sequence[str]) -> StepChanges:
    await session.document()
    files = [f"{each.url} ({each.media_type}, {len(each.body)} bytes)" for each in session.traffic.documents]
    return changed(before, _standing(session, lines), session.happened, session.dialogs, files)


async def _follow(session: PageSession) -> None:
    """Go on with the newest page of the context, if a step opened one with content."""
    await session.tabs.announced()
    pages = [page for page in session.context.pages if not page.is_closed()]
    if not pages or pages[-1] is session.page:
        return
    newest = pages[-1]
    from playwright.async_api import Error

    with suppress(Error):
        await newest.wait_for_load_state("domcontentloaded", timeout=5_000)
        if newest.url in ("", "about:blank"):
            # A new tab shows an empty page first, and goes where it was sent a moment later.
            await newest.wait_for_url(_ADDRESS, wait_until="domcontentloaded", timeout=LATE_TAB_MS)
    if newest.url not in ("", "about:blank") or session.page.is_closed():
        session.page = newest

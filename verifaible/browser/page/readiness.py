"""Whether a page has come to what it wants to show: what waits to be scrolled to, what is still loading."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urldefrag, urlsplit

from verifaible.browser import driver
from verifaible.browser.page.session import PageSession
from verifaible.browser.waiting import answers
from verifaible.schema.base import Record
from verifaible.schema.web import WebExchange

#: A page is scrolled through once; what that adds below is scrolled to as well, but only so often: a
#: page that adds something each time has no end.
MAX_ROUNDS = 3
#: Stops on the way down; on pages longer than so many three quarters of a screen they lie further apart.
MAX_STOPS = 120
#: How long rows that a scroll brings must have stood still to be read.
STILL_MS = 50
STILL_CAP_MS = 1_500

#: A tag that is not closed at the end of a document.
_CUT_TAG = re.compile(rb"<[a-z/!][^<>]*\Z", re.IGNORECASE)


class LoadState(Record):
    """How far a page has come.

    ``main_text`` is its visible text without navigation, head and foot; ``busy`` names the shown elements
    that say or look as if something were loading; ``empty`` the places for content in which nothing
    stands; ``failed`` the scripts and data of the page's own site that could not be loaded; ``cut`` is
    true where the document itself broke off.
    """

    main_text: str = ""
    busy: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    cut: bool = False


async def reveal(session: PageSession) -> bool:
    """Scroll a page through once and back, so that what loads when it comes into view is there.

    Pages on which nothing waits for that are not scrolled.

    Returns:
        Whether the end was reached; False for a page that added something each time.
    """
    ended = True
    for frame in list(session.page.frames):
        with suppress(driver.Error):  # a frame may go while the page is scrolled
            if await answers(frame):
                ended = await _reveal(session, frame) and ended
    return ended


async def waits_for_scrolling(session: PageSession) -> bool:
    """Whether something of the page would be loaded only when it comes into view; no frame."""
    waits = await session.evaluate("reveal", {"start": 0, "stops": 0})
    return bool(waits["scrolled"] and not waits["frames"])


async def _reveal(session: PageSession, frame: driver.Frame) -> bool:
    bottom = 0.0
    polls = not session.traffic.idle.is_set()  # a request that never ends is not waited for again
    for _ in range(MAX_ROUNDS):
        passed = await session.evaluate("reveal", {"start": bottom, "stops": MAX_STOPS}, frame=frame)
        if not passed["scrolled"]:
            return True
        bottom = float(passed["bottom"])
        if passed["changed"] or not session.traffic.idle.is_set():
            await (still(session) if polls else session.settle())
    return not (await session.evaluate("reveal", {"start": bottom, "stops": 0}, frame=frame))["scrolled"]


async def still(session: PageSession) -> None:
    """Wait, not for long, until what a scroll or a moment has brought to a page stands still."""
    if session.web.archive is not None:
        await session.rested()
        return
    quiet = {"quiet_ms": STILL_MS, "brief_ms": STILL_MS, "cap_ms": STILL_CAP_MS}
    await session.evaluate("quiet", quiet)
    if not session.traffic.idle.is_set():
        with suppress(TimeoutError):
            await asyncio.wait_for(session.traffic.idle.wait(), STILL_CAP_MS / 1000)
        await session.evaluate("quiet", quiet)


def failed_of(session: PageSession) -> tuple[str, ...]:
    """What a page asked of its own site and did not get, each address once."""
    site = _site(session.page.url)
    return tuple(dict.fromkeys(each for each in session.happened.failed if _site(each) == site))


def load_state(
    session: PageSession, raw: Mapping[str, Any], failed: tuple[str, ...], main_text: str
) -> LoadState:
    """How far the page of a session has come.

    Args:
        session: the page.
        raw: what the script ``load_state`` found in it.
        failed: what it did not get.
        main_text: what it says beside its menus.
    """
    address = urldefrag(session.page.url).url
    return LoadState(
        main_text=main_text,
        busy=tuple(raw["busy"]),
        empty=tuple(raw["empty"]),
        failed=failed,
        cut=address in session.happened.half_loaded or _is_cut(session.traffic.exchanges, address),
    )


def _site(url: str) -> str:
    return ".".join((urlsplit(url).hostname or "").split(".")[-2:])


def _is_cut(exchanges: Sequence[WebExchange], url: str) -> bool:
    """Whether the source of a document ends inside a tag or a script."""
    for exchange in reversed(exchanges):
        if exchange.request.url == url and "html" in exchange.response.content_type:
            body = exchange.response.body.rstrip()
            tail = body[-20_000:].lower()
            unclosed = any(
                tail.rfind(b"<" + name) > tail.rfind(b"</" + name) for name in (b"script", b"style")
            )
            return bool(_CUT_TAG.search(tail)) or unclosed
    return False

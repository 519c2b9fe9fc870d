"""Checks that a page passes by itself: an error page whose script sets a cookie and loads the page again.

Nothing is solved and nothing is waited for by the clock. As long as something on such a page can still wake a
script, its next document may come; when nothing can any more, the error stands.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic
from urllib.parse import urlsplit

from verifaible.browser import driver
from verifaible.browser.page.watched import WatchedPage
from verifaible.errors import PageError, PageNotLoaded
from verifaible.net.manners import BUSY

#: For all documents of a check together: of those that people see, few take longer.
CHECK_S = 15.0
#: A page that may be woken at any time (by a worker, an interval) is given so long for its next document.
RESTLESS_S = 6.0
_LOOK_S = 0.04
#: In so many looks in a row nothing is under way: a navigation is announced within milliseconds.
_QUIET_LOOKS = 3
#: There is no such page, whatever its scripts do.
_FINAL = frozenset({404, 410})
_ACCEPTED = 202


def may_pass(status: int) -> bool:
    """Whether a document with this status may be one that brings the page after a moment."""
    return status == _ACCEPTED or (status >= 400 and status not in _FINAL)


async def past_check(
    session: WatchedPage,
    first: driver.Response | None,
    again: Callable[[], Awaitable[driver.Response | None]],
) -> driver.Response | None:
    """The document that a page comes to, where it was first answered with one that may be a check.

    Args:
        session: the page.
        first: what it was answered with.
        again: loads the page once more.

    Returns:
        The last document; None where a file came instead.
    """
    response, deadline = first, monotonic() + CHECK_S
    while response is not None and may_pass(response.status):
        wait_s = await _retry_after_s(session, response)
        if wait_s is not None:
            if monotonic() + wait_s > deadline:
                return response
            await asyncio.sleep(wait_s)
            response = await again()
            continue
        following = await _next(session, response, deadline)
        if following is response:
            return response
        response = following
    return response


def passed(session: WatchedPage, last: driver.Response | None) -> list[tuple[str, int]]:
    """Address and status of the documents before ``last``; None where a file was the last."""
    found = session.documents
    before = found[:-1] if last is None else [each for each in found if each is not last]
    kept = [each for each in before if last is None or may_pass(each.status)]
    return [(each.url.partition("#")[0], each.status) for each in kept]


async def _next(session: WatchedPage, now: driver.Response, deadline: float) -> driver.Response | None:
    """The document after this one; this one again where none can come, None where a file comes."""
    documents = session.documents
    place = documents.index(now) + 1 if now in documents else len(documents)
    quiet, restless = 0, min(deadline, monotonic() + RESTLESS_S)
    while quiet < _QUIET_LOOKS:
        if len(documents) > place:
            return documents[-1]
        if session.downloads or session.traffic.documents:
            return None
        state = await _state(session)
        if monotonic() > (restless if state == "restless" else deadline):
            return now
        quiet = quiet + 1 if state == "done" and session.traffic.clear.is_set() else 0
        await asyncio.sleep(_LOOK_S)
    return now


async def _state(session: WatchedPage) -> str:
    try:
        return str(await session.evaluate("pending"))
    except (driver.Error, PageError, PageNotLoaded):
        return "busy"  # its next document is on the way


async def _retry_after_s(session: WatchedPage, response: driver.Response) -> float | None:
    """How long a server asks to wait before the page is asked for again; None where it says nothing."""
    if session.web.archive is not None or response.status not in BUSY:
        return None
    said = (await response.all_headers()).get("retry-after", "")
    return session.web.manners.heed(urlsplit(response.url).netloc, response.status, said)

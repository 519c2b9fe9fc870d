"""The globals that a page's scripts made, and its scripts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from verifaible.browser.analysis.data_requests import IDENTIFIER, callback_parameter
from verifaible.browser.page.session import PageSession
from verifaible.browser.page.watched import SCRIPT_TIMEOUT_S
from verifaible.browser.scripts import script, well_formed
from verifaible.browser.waiting import bounded
from verifaible.schema.base import Record
from verifaible.schema.web import WebExchange

_INLINE_SCRIPT = re.compile(r"<script(?![^>]*\bsrc\s*=)[^>]*>(.*?)</script", re.DOTALL | re.IGNORECASE)
_LONGEST_PAGE = 4_000_000


class Member(Record):
    """A member of a global object: a method's parameters, or a value."""

    name: str
    text: str


class GlobalObject(Record):
    """A global that a script of the page defined; a higher ``score`` is likelier to be of use.

    ``parameters`` are a function's parameters, or a short form of a value.
    """

    name: str
    kind: str
    parameters: str
    members: tuple[Member, ...]
    score: int


class ScriptFile(Record):
    """A script of the page: its address, empty where it stands in the page, and its characters."""

    url: str
    size: int


async def global_objects(session: PageSession) -> tuple[tuple[GlobalObject, ...], tuple[str, ...]]:
    """Globals of the main document, those of ``let``, ``const`` and ``class`` too; and the libraries.

    The latter are no properties of ``window``; only the debugging protocol can list them.
    """
    cdp = await session.context.new_cdp_session(session.page)
    try:
        listed = await cdp.send("Runtime.globalLexicalScopeNames")
        names = [name for name in listed["names"] if IDENTIFIER.fullmatch(name)][:200]
        # A getter each: reading one that is not initialised yet throws.
        values = ", ".join(f"[{name!r}, () => {name}]" for name in names)
        lexical = (
            f"Object.fromEntries([{values}].flatMap(([name, read]) => "
            "{ try { return [[name, read()]]; } catch { return []; } }))"
        )
        expression = f"({script('analyze_objects')})({{ lexical: {lexical} }})"
        limit_ms = SCRIPT_TIMEOUT_S * 1000
        asked = {"expression": expression, "returnByValue": True, "timeout": limit_ms}
        answer = await bounded(cdp.send("Runtime.evaluate", asked), SCRIPT_TIMEOUT_S + 1, "the page")
    finally:
        await cdp.detach()
    if "exceptionDetails" in answer:
        return (), ()
    found = well_formed(answer["result"].get("value"))
    objects = sorted(map(GlobalObject.model_validate, found["objects"]), key=lambda one: -one.score)
    return tuple(objects), tuple(found["libraries"])


def page_scripts(exchanges: Sequence[WebExchange]) -> list[tuple[str, str]]:
    """The scripts that were loaded and those that stand in documents, as (address, source)."""
    found: list[tuple[str, str]] = []
    for exchange in exchanges:
        media = exchange.response.content_type
        if "javascript" in media and not callback_parameter(exchange):
            found.append((exchange.request.url, exchange.response.body.decode("utf-8", "replace")))
        elif media in {"text/html", "application/xhtml+xml"} and exchange.response.status < 300:
            html = exchange.response.body[:_LONGEST_PAGE].decode("utf-8", "replace")
            found += [("", source) for source in _INLINE_SCRIPT.findall(html) if source.strip()]
    return found


def script_files(exchanges: Sequence[WebExchange]) -> tuple[ScriptFile, ...]:
    """The scripts of a page with their sizes, each once."""
    return tuple(dict.fromkeys(ScriptFile(url=url, size=len(text)) for url, text in page_scripts(exchanges)))

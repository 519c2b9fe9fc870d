"""The globals that a page's scripts made, their methods' sources, and addresses that scripts name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any
from urllib.parse import urljoin, urlsplit

from verifaible.browser.analysis.data_requests import IDENTIFIER, callback_parameter
from verifaible.browser.page.session import PageSession
from verifaible.browser.page.watched import SCRIPT_TIMEOUT_S, bounded
from verifaible.browser.scripts import script, well_formed
from verifaible.schema.base import Record
from verifaible.schema.web import WebExchange

_PATH = re.compile(r"(?:[^\W\d]|[$_])[\w$]*(?:\.(?:prototype\.)?[\w$]+)*")
_INLINE_SCRIPT = re.compile(r"<script(?![^>]*\bsrc\s*=)[^>]*>(.*?)</script", re.DOTALL | re.IGNORECASE)
#: A quoted address in a call that asks for it.
_QUOTED = r"\s*[\"'`]([^\"'`\s]{2,300})[\"'`]"
_NAMED = (
    (re.compile(r"\bfetch\(" + _QUOTED), ""),
    (re.compile(r"\.open\(\s*[\"'](GET|POST|PUT|DELETE|PATCH)[\"']\s*," + _QUOTED, re.IGNORECASE), "open"),
    (
        re.compile(
            r"(?:\$|jQuery|axios|http|\$http|request|api)\.(get|post|put|delete|patch|getJSON|ajax|load)\("
            + _QUOTED
        ),
        "verb",
    ),
    (re.compile(r"\bnew\s+EventSource\(" + _QUOTED), "GET"),
    (re.compile(r"\bnew\s+WebSocket\(" + _QUOTED), "GET"),
    (re.compile(r"\bsendBeacon\(" + _QUOTED), "POST"),
    (
        re.compile(
            r"\b(?:url|endpoint|uri|apiUrl|api)\s*[:=]\s*[\"'`]((?:https?:)?/{1,2}[^\"'`\s]{2,300})[\"'`]",
            re.IGNORECASE,
        ),
        "",
    ),
    (re.compile(r"[\"'`](/(?:[\w-]+/)*(?:api|ajax|graphql|rest|rpc|jsonp?|v\d)(?:/[^\"'`\s]*)?)[\"'`]"), ""),
)
_METHOD_NEAR = re.compile(r"\b(?:method|type)\s*:\s*[\"'](GET|POST|PUT|DELETE|PATCH)[\"']", re.IGNORECASE)
_NO_DATA = re.compile(r"\.(?:js|mjs|css|png|jpe?g|gif|svg|webp|woff2?|ico|map)(?:[?#]|$)", re.IGNORECASE)
_MOST_NAMED = 40
_LONGEST_SCRIPT = 1_000_000


class Member(Record):
    """A member of a global object: a method's parameters, or a value; ``source`` of a method."""

    name: str
    text: str
    source: str


class GlobalObject(Record):
    """A global that a script of the page defined; a higher ``score`` is likelier to be of use.

    ``parameters`` are a function's parameters, or a short form of a value. ``defined_in`` is the
    address of the script, where one of those loaded declares it.
    """

    name: str
    kind: str
    parameters: str
    members: tuple[Member, ...]
    source: str
    score: int
    defined_in: str = ""


class NamedAddress(Record):
    """An address that a script names in a call; ``method`` is empty where the script does not say."""

    method: str
    address: str
    where: str


class ScriptFile(Record):
    """A script of the page: its address, empty where it stands in the page, and its characters."""

    url: str
    size: int


async def global_objects(session: PageSession) -> tuple[tuple[GlobalObject, ...], tuple[str, ...]]:
    """Globals of the main document, those of ``let``, ``const`` and ``class`` too; and the libraries.

    The latter are no properties of ``window``; only the debugging protocol can list them.
    """
    answer = await _evaluate(
        session, lambda lexical: f"({script('analyze_objects')})({{ lexical: {lexical} }})"
    )
    if answer is None:
        return (), ()
    scripts = page_scripts(session.traffic.exchanges)
    objects = [GlobalObject.model_validate(one) for one in answer["objects"]]
    placed = [one.model_copy(update={"defined_in": _defined_in(one.name, scripts)}) for one in objects]
    host = urlsplit(session.page.url).hostname or ""
    site = ".".join(host.split(".")[-2:])
    # What comes from another site is a service the page uses, not its own.
    placed.sort(key=lambda one: -(one.score - (0 if _is_own(one.defined_in, site) else 10)))
    return tuple(placed), tuple(answer["libraries"])


async def method_source(session: PageSession, path: str) -> str:
    """The whole source of a global function or method, by its dotted name; empty where there is none."""
    if not _PATH.fullmatch(path):
        return ""
    answer = await _evaluate(session, lambda _: f"({script('analyze_source')})({{ read: () => {path} }})")
    return str(answer or "")


async def _evaluate(session: PageSession, expression: Callable[[str], str]) -> Any:
    """Evaluate in the page's global scope; None where it throws.

    Args:
        expression: makes the JavaScript from an object literal of the lexical globals.
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
        limit_ms = SCRIPT_TIMEOUT_S * 1000
        asked = {"expression": expression(lexical), "returnByValue": True, "timeout": limit_ms}
        answer = await bounded(cdp.send("Runtime.evaluate", asked), SCRIPT_TIMEOUT_S + 1, "the page")
    finally:
        await cdp.detach()
    return None if "exceptionDetails" in answer else well_formed(answer["result"].get("value"))


def page_scripts(exchanges: Sequence[WebExchange]) -> list[tuple[str, str]]:
    """The scripts that were loaded and those that stand in documents, as (address, source)."""
    found: list[tuple[str, str]] = []
    for exchange in exchanges:
        media = exchange.response.content_type
        if "javascript" in media and not callback_parameter(exchange):
            found.append((exchange.request.url, exchange.response.body.decode("utf-8", "replace")))
        elif media in {"text/html", "application/xhtml+xml"} and exchange.response.status < 300:
            html = exchange.response.body[: 4 * _LONGEST_SCRIPT].decode("utf-8", "replace")
            found += [("", source) for source in _INLINE_SCRIPT.findall(html) if source.strip()]
    return found


def script_files(exchanges: Sequence[WebExchange]) -> tuple[ScriptFile, ...]:
    """The scripts of a page with their sizes, each once."""
    return tuple(dict.fromkeys(ScriptFile(url=url, size=len(text)) for url, text in page_scripts(exchanges)))


def named_addresses(
    exchanges: Sequence[WebExchange], page_url: str, called: Iterable[str]
) -> tuple[NamedAddress, ...]:
    """Addresses of the page's site that its scripts ask for in calls which have not been made.

    Args:
        exchanges: everything the page asked for and got.
        page_url: what relative addresses are relative to.
        called: addresses without queries that were asked for.
    """
    known = {url.partition("?")[0] for url in called} | {page_url.partition("?")[0].partition("#")[0]}
    site = ".".join((urlsplit(page_url).hostname or "").split(".")[-2:])
    found: dict[str, NamedAddress] = {}
    for where, source in page_scripts(exchanges):
        if not _is_own(where, site):
            continue
        for pattern, rule in _NAMED:
            for match in pattern.finditer(source[:_LONGEST_SCRIPT]):
                method, target = _target(match, rule, source)
                url = urljoin(page_url, target)
                bare = url.partition("?")[0].partition("#")[0]
                if not _is_address(target, url) or bare in known or _NO_DATA.search(url):
                    continue
                if bare not in found and len(found) < _MOST_NAMED:
                    found[bare] = NamedAddress(method=method, address=url, where=where)
    return tuple(found.values())


def _target(match: re.Match[str], rule: str, source: str) -> tuple[str, str]:
    """Method and address of a call that a script names."""
    if rule == "open":
        return match[1].upper(), match[2]
    if rule == "verb":
        verb = {"getJSON": "GET", "ajax": "", "load": "GET"}.get(match[1], match[1].upper())
        return verb, match[2]
    if rule:
        return rule, match[1]
    if match[0].startswith("fetch"):
        options = source[match.end() : match.end() + 300].partition(")")[0]
        near = _METHOD_NEAR.search(options)
        return (near[1].upper() if near else "GET"), match[1]
    near = _METHOD_NEAR.search(source[max(0, match.start() - 120) : match.end() + 160])
    return (near[1].upper() if near else ""), match[1]


def _is_address(target: str, url: str) -> bool:
    if not url.startswith(("http://", "https://", "ws://", "wss://")) or "<" in target:
        return False
    return "/" in target and not target.startswith(("//#", "#")) and len(target.strip("/")) > 1


def _is_own(defined_in: str, site: str) -> bool:
    return not defined_in or (urlsplit(defined_in).hostname or "").endswith(site)


def _defined_in(name: str, scripts: Sequence[tuple[str, str]]) -> str:
    quoted = re.escape(name)
    declared = re.compile(
        rf"(?:\b(?:var|let|const|class|function\*?)\s+{quoted}(?![\w$])|\bwindow\.{quoted}\s*=(?!=)"
        rf"|(?:^|[;\n}}])\s*{quoted}\s*=(?!=))"
    )
    return next((url for url, source in scripts if url and declared.search(source)), "")

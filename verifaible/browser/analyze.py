"""What can be done on a page: its requests, its own objects, its elements, tables and frames."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from verifaible.browser.data_requests import DataRequest, callback_parameter, data_requests
from verifaible.browser.reading import FrameTable, page_text, tables, visible_frames
from verifaible.browser.scripts import script
from verifaible.browser.session import SCRIPT_TIMEOUT_S, PageSession, bounded
from verifaible.schema.base import Record
from verifaible.schema.web import WebExchange

_IDENTIFIER = re.compile(r"[^\W\d][\w$]*|[$_][\w$]*")


class Option(Record):
    """An option of a ``select``."""

    value: str
    label: str


class Element(Record):
    """Something to operate. ``kind``: field, select, button or clickable.

    ``selector`` finds it and nothing else in its frame; ``in_menu``: it stands in the navigation,
    header or footer of the page; ``calendar`` names the date picker of a date box; ``handler`` is
    the script of its ``onclick`` or ``javascript:`` address.
    """

    kind: str
    selector: str
    text: str
    label: str
    type: str
    value: str
    readonly: bool
    disabled: bool
    in_menu: bool
    calendar: str
    handler: str
    options: tuple[Option, ...]
    frame_path: tuple[str, ...] = ()


class LinkedFile(Record):
    """A link to a document such as a PDF."""

    url: str
    text: str


class Box(Record):
    """A container that is shown: a dialog, with its text."""

    selector: str
    text: str


class PlacedTable(Record):
    """A table, with a selector that finds it and nothing else in its frame, and the text above it."""

    selector: str
    title: str
    place: FrameTable


class Pagination(Record):
    """Links or buttons that turn pages: the container's selector and their texts."""

    selector: str
    items: tuple[str, ...]


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


class FrameNote(Record):
    """A frame inside the page."""

    path: tuple[str, ...]
    url: str


@dataclass(frozen=True, slots=True)
class Analysis:
    """What a settled page shows and how it works; nothing is shortened here."""

    url: str
    title: str
    text: str = field(repr=False)
    requests: tuple[DataRequest, ...] = ()
    objects: tuple[GlobalObject, ...] = ()
    libraries: tuple[str, ...] = ()
    elements: tuple[Element, ...] = ()
    files: tuple[LinkedFile, ...] = ()
    links: int = 0
    pagination: tuple[Pagination, ...] = ()
    boxes: tuple[Box, ...] = ()
    tables: tuple[PlacedTable, ...] = ()
    frames: tuple[FrameNote, ...] = ()
    dialogs: tuple[str, ...] = ()
    misses: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    settled: bool = True


class Match(Record):
    """An element that a selector finds; ``inner_tables`` are the paths of tables inside it."""

    css_path: str
    tag: str
    visible: bool
    inner_tables: tuple[str, ...]


class Matches(Record):
    """What a selector finds; ``error`` says why it is no selector, or is empty."""

    error: str
    matches: tuple[Match, ...]


async def analyze(session: PageSession) -> Analysis:
    """Analyze the page that a session has loaded, and its frames."""
    frames = await visible_frames(session)
    elements: list[Element] = []
    files: list[LinkedFile] = []
    pagination: list[Pagination] = []
    boxes: list[Box] = []
    named: dict[tuple[tuple[str, ...], str], tuple[str, str]] = {}
    links = 0
    for path, frame in frames:
        raw: dict[str, Any] = await session.evaluate("analyze_elements", frame=frame)
        elements += [Element.model_validate({**one, "frame_path": path}) for one in raw["elements"]]
        files += [LinkedFile.model_validate(one) for one in raw["documents"]]
        pagination += [Pagination.model_validate(one) for one in raw["pagination"]]
        boxes += [Box.model_validate(one) for one in raw["dialogs"]]
        named.update({(path, one["css_path"]): (one["selector"], one["title"]) for one in raw["tables"]})
        links += int(raw["links"])
    objects, libraries = await _objects(session)
    own_urls = [frame.url for _, frame in frames]
    return Analysis(
        url=session.page.url,
        title=await session.title(),
        text=(await page_text(session)).text,
        requests=data_requests(session.traffic.exchanges, own_urls),
        objects=objects,
        libraries=libraries,
        elements=tuple(elements),
        files=tuple({one.url: one for one in files}.values()),
        links=links,
        pagination=tuple(pagination),
        boxes=tuple(boxes),
        tables=tuple(
            PlacedTable(selector=selector, title=title, place=one)
            for one in await tables(session)
            for selector, title in [named.get((one.frame_path, one.table.css_path), (one.table.css_path, ""))]
        ),
        frames=tuple(FrameNote(path=path, url=frame.url) for path, frame in frames if path),
        dialogs=tuple(session.dialogs),
        misses=tuple(session.traffic.misses),
        refused=tuple(session.traffic.refused),
        settled=session.settled,
    )


async def find_matches(session: PageSession, selector: str) -> Matches:
    """What a CSS selector finds in the main document, at most 20 elements."""
    return Matches.model_validate(await session.evaluate("analyze_matches", {"selector": selector}))


async def _objects(session: PageSession) -> tuple[tuple[GlobalObject, ...], tuple[str, ...]]:
    """Globals of the main document, those of ``let``, ``const`` and ``class`` too.

    The latter are no properties of ``window``; only the debugging protocol can list them.
    """
    cdp = await session.context.new_cdp_session(session.page)
    try:
        listed = await cdp.send("Runtime.globalLexicalScopeNames")
        names = [name for name in listed["names"] if _IDENTIFIER.fullmatch(name)][:200]
        # A getter each: reading one that is not initialised yet throws.
        values = ", ".join(f"[{name!r}, () => {name}]" for name in names)
        lexical = (
            f"Object.fromEntries([{values}].flatMap(([name, read]) => "
            "{ try { return [[name, read()]]; } catch { return []; } }))"
        )
        answer = await bounded(
            cdp.send(
                "Runtime.evaluate",
                {
                    "expression": f"({script('analyze_objects')})({{ lexical: {lexical} }})",
                    "returnByValue": True,
                    "timeout": SCRIPT_TIMEOUT_S * 1000,
                },
            ),
            SCRIPT_TIMEOUT_S + 1,
            "the page",
        )
    finally:
        await cdp.detach()
    if "exceptionDetails" in answer:
        return (), ()
    raw = answer["result"]["value"]
    scripts = _scripts(session.traffic.exchanges)
    objects = [GlobalObject.model_validate(one) for one in raw["objects"]]
    placed = [one.model_copy(update={"defined_in": _defined_in(one.name, scripts)}) for one in objects]
    host = urlsplit(session.page.url).hostname or ""
    site = ".".join(host.split(".")[-2:])
    # What comes from another site is a service the page uses, not its own.
    placed.sort(key=lambda one: -(one.score - (0 if _is_own(one.defined_in, site) else 10)))
    return tuple(placed), tuple(raw["libraries"])


def _is_own(defined_in: str, site: str) -> bool:
    return not defined_in or (urlsplit(defined_in).hostname or "").endswith(site)


def _scripts(exchanges: Sequence[WebExchange]) -> list[tuple[str, str]]:
    """The scripts that were loaded, as (address, source)."""
    return [
        (exchange.request.url, exchange.response.body.decode("utf-8", "replace"))
        for exchange in exchanges
        if "javascript" in exchange.response.content_type and not callback_parameter(exchange)
    ]


def _defined_in(name: str, scripts: Sequence[tuple[str, str]]) -> str:
    quoted = re.escape(name)
    declared = re.compile(
        rf"(?:\b(?:var|let|const|class|function\*?)\s+{quoted}(?![\w$])|\bwindow\.{quoted}\s*=(?!=)"
        rf"|(?:^|[;\n}}])\s*{quoted}\s*=(?!=))"
    )
    return next((url for url, source in scripts if declared.search(source)), "")

"""What can be done on a page: its requests, its own objects, its elements, tables and frames."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from verifaible.browser import driver
from verifaible.browser.analysis.data_requests import DataRequest, data_requests
from verifaible.browser.analysis.objects import GlobalObject, ScriptFile, global_objects, script_files
from verifaible.browser.analysis.watch import Asked
from verifaible.browser.page.session import PageSession
from verifaible.browser.reading import FrameTable, page_text, tables, visible_frames
from verifaible.schema.base import Record

_ID = re.compile(r"\bid\s*=\s*(?:\"([^\"]{1,80})\"|'([^']{1,80})'|([^\s\"'>]{1,80}))")
_SCRIPTS = re.compile(r"<script\b.*?</script", re.DOTALL | re.IGNORECASE)


class Option(Record):
    """An option of a ``select``."""

    value: str
    label: str


class Element(Record):
    """Something to operate. ``kind``: field, select, button, clickable or link.

    ``selector`` finds it and nothing else in its frame, through open shadow roots, as the steps look
    (``:has-text()`` is Playwright's); ``text`` and ``label`` can be seen, ``unseen_name`` stands in the
    code only, where there is neither; ``in_menu``: it stands in the navigation, header or footer of
    the page; ``handler`` is what using it does, as far as the page says; ``address`` where a link leads.
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
    handler: str
    options: tuple[Option, ...]
    unseen_name: str = ""
    address: str = ""
    frame_path: tuple[str, ...] = ()


class LinkedFile(Record):
    """A link to a document such as a PDF; ``selector`` finds the link."""

    url: str
    text: str
    selector: str = ""


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
    """Links or buttons that turn pages: the container's selector, their texts, what leads on."""

    selector: str
    items: tuple[str, ...]
    next: str = ""


class FormField(Record):
    """A field of a form that can be seen; ``options`` is how many a ``select`` has."""

    name: str
    label: str
    type: str
    required: bool
    selector: str
    options: int


class Form(Record):
    """A form that is shown: where it sends what, its fields, and the names of those not seen."""

    selector: str
    action: str
    method: str
    fields: tuple[FormField, ...]
    hidden: tuple[str, ...]
    submit: str
    frame_path: tuple[str, ...] = ()


class TreeNode(Record):
    """A landmark, heading, list, table or control, as deep as it stands in others (WAI-ARIA roles).

    ``name`` is what a reader sees; ``unseen_name`` what only the code says, where nothing is seen.
    """

    depth: int
    role: str
    name: str = ""
    unseen_name: str = ""
    states: tuple[str, ...] = ()


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
    unreplayable: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    settled: bool = True
    forms: tuple[Form, ...] = ()
    tree: tuple[TreeNode, ...] = ()
    scripts: tuple[ScriptFile, ...] = ()
    unlisted: int = 0


@dataclass(slots=True)
class _Found:
    """What the frames of a page hold, gathered frame by frame."""

    elements: list[Element] = field(default_factory=list)
    files: list[LinkedFile] = field(default_factory=list)
    pagination: list[Pagination] = field(default_factory=list)
    boxes: list[Box] = field(default_factory=list)
    forms: list[Form] = field(default_factory=list)
    tree: list[TreeNode] = field(default_factory=list)
    named: dict[tuple[tuple[str, ...], str], tuple[str, str]] = field(default_factory=dict)
    links: int = 0
    unlisted: int = 0


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


async def analyze(session: PageSession, asked: Sequence[Asked] = (), steps: Sequence[float] = ()) -> Analysis:
    """Analyze the page that a session has loaded, and its frames.

    Args:
        session: with the page, at rest.
        asked: what the browser saw of each request, from a :class:`RequestWatch`.
        steps: monotonic times at which the action steps began.
    """
    frames = await visible_frames(session)
    found = _Found()
    for path, frame in frames:
        await _gather(session, frame, path, found)
    objects, libraries = await global_objects(session)
    own_urls = [frame.url for _, frame in frames]
    exchanges = session.traffic.exchanges
    return Analysis(
        url=session.page.url,
        title=await session.title(),
        text=(await page_text(session)).text,
        requests=data_requests(exchanges, own_urls, asked, steps),
        objects=objects,
        libraries=libraries,
        elements=tuple(found.elements),
        files=tuple({one.url: one for one in found.files}.values()),
        links=found.links,
        pagination=tuple(found.pagination),
        boxes=tuple(found.boxes),
        tables=tuple(
            PlacedTable(selector=selector, title=title, place=one)
            for one in await tables(session)
            for selector, title in [
                found.named.get((one.frame_path, one.table.css_path), (one.table.css_path, ""))
            ]
        ),
        frames=tuple(FrameNote(path=path, url=frame.url) for path, frame in frames if path),
        dialogs=tuple(session.dialogs),
        misses=tuple(session.traffic.lacking),
        unreplayable=tuple(session.traffic.unreplayable()),
        refused=tuple(session.traffic.refused),
        settled=session.settled,
        forms=tuple(found.forms),
        tree=tuple(found.tree),
        scripts=script_files(exchanges),
        unlisted=found.unlisted,
    )


async def _gather(session: PageSession, frame: driver.Frame, path: tuple[str, ...], found: _Found) -> None:
    """Add what one frame holds."""
    await session.evaluate("analyze_selectors", {"delivered": _delivered(session, frame.url)}, frame=frame)
    raw: dict[str, Any] = await session.evaluate("analyze_elements", frame=frame)
    found.elements += [Element.model_validate({**one, "frame_path": path}) for one in raw["elements"]]
    found.files += [LinkedFile.model_validate(one) for one in raw["documents"]]
    found.pagination += [Pagination.model_validate(one) for one in raw["pagination"]]
    found.boxes += [Box.model_validate(one) for one in raw["dialogs"]]
    found.named.update({(path, one["css_path"]): (one["selector"], one["title"]) for one in raw["tables"]})
    found.links += int(raw["links"])
    found.unlisted += int(raw["unlisted"])
    outline: dict[str, Any] = await session.evaluate("analyze_forms", frame=frame)
    found.forms += [Form.model_validate({**one, "frame_path": path}) for one in outline["forms"]]
    if path:
        found.tree.append(TreeNode(depth=0, role="frame", name=" ".join(path)))
    found.tree += [TreeNode.model_validate(one) for one in outline["tree"]]
    if outline["cut"]:
        found.tree.append(TreeNode(depth=0, role="… (the rest is left out)"))


def _delivered(session: PageSession, url: str) -> list[str]:
    """The ids in the HTML of a document as it was sent."""
    bare = url.partition("#")[0]
    for exchange in reversed(session.traffic.exchanges):
        if exchange.request.url.partition("#")[0] == bare and "html" in exchange.response.content_type:
            html = _SCRIPTS.sub("", exchange.response.body.decode("utf-8", "replace"))
            return list(dict.fromkeys(one or two or three for one, two, three in _ID.findall(html)))[:5_000]
    return []


async def find_matches(session: PageSession, selector: str) -> Matches:
    """What a CSS selector finds in the main document, at most 20 elements."""
    return Matches.model_validate(await session.evaluate("analyze_matches", {"selector": selector}))

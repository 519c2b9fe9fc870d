"""What can be done on a page: its requests, its own objects, its elements, tables and frames."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from verifaible.browser.analysis.controls import Controls
from verifaible.browser.analysis.data_requests import DataRequest, data_requests
from verifaible.browser.analysis.frame_controls import FrameControls, read_controls
from verifaible.browser.analysis.objects import GlobalObject, ScriptFile, global_objects, script_files
from verifaible.browser.analysis.roles import TreeNode, role_tree
from verifaible.browser.page.session import PageSession
from verifaible.browser.snapshot import take_snapshot
from verifaible.extract.document import Document
from verifaible.extract.page import page_document
from verifaible.extract.snapshot import Snapshot

_ID = re.compile(r"\bid\s*=\s*(?:\"([^\"]{1,80})\"|'([^']{1,80})'|([^\s\"'>]{1,80}))")
_SCRIPTS = re.compile(r"<script\b.*?</script", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Analysis:
    """What a settled page shows and how it works; nothing is shortened here."""

    document: Document = field(repr=False)
    controls: Controls = field(default_factory=Controls)
    tree: tuple[TreeNode, ...] = ()
    requests: tuple[DataRequest, ...] = ()
    objects: tuple[GlobalObject, ...] = ()
    libraries: tuple[str, ...] = ()
    dialogs: tuple[str, ...] = ()
    misses: tuple[str, ...] = ()
    unreplayable: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    settled: bool = True
    scripts: tuple[ScriptFile, ...] = ()


async def analyze(session: PageSession, steps: Sequence[float] = ()) -> Analysis:
    """Analyze the page that a session has loaded, and its frames.

    Args:
        session: with the page, at rest.
        steps: monotonic times at which the action steps began.
    """
    snapshot = await take_snapshot(session.page)
    objects, libraries = await global_objects(session)
    exchanges = session.traffic.exchanges
    asked = session.happened.asked(session.traffic.messages)
    document = replace(await asyncio.to_thread(page_document, snapshot), url=session.page.url)
    delivered = {frame.url.partition("#")[0]: _delivered(session, frame.url) for frame in document.frames}
    controls, tree = await asyncio.to_thread(_operable, snapshot, document, delivered)
    return Analysis(
        document=document,
        controls=controls,
        tree=tree,
        requests=data_requests(exchanges, [frame.url for frame in document.frames], asked, steps),
        objects=objects,
        libraries=libraries,
        dialogs=tuple(session.dialogs),
        misses=tuple(session.traffic.lacking),
        unreplayable=tuple(session.traffic.unreplayable()),
        refused=tuple(session.traffic.refused),
        settled=session.settled,
        scripts=script_files(exchanges),
    )


def _operable(
    snapshot: Snapshot, document: Document, delivered: Mapping[str, Sequence[str]]
) -> tuple[Controls, tuple[TreeNode, ...]]:
    """What can be operated in all frames, and their trees of roles."""
    tree: list[TreeNode] = []
    for frame in document.frames:
        if frame.path:
            tree.append(TreeNode(0, "frame", " ".join(frame.path)))
        tree += role_tree(FrameControls(snapshot, frame))
    return read_controls(snapshot, document, delivered), tuple(tree)


def _delivered(session: PageSession, url: str) -> list[str]:
    """The ids in the HTML of a document as it was sent."""
    bare = url.partition("#")[0]
    for exchange in reversed(session.traffic.exchanges):
        if exchange.request.url.partition("#")[0] == bare and "html" in exchange.response.content_type:
            html = _SCRIPTS.sub("", exchange.response.body.decode("utf-8", "replace"))
            return list(dict.fromkeys(one or two or three for one, two, three in _ID.findall(html)))[:5_000]
    return []

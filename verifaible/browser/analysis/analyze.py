"""What can be done on a page: its requests, its own objects, its elements, tables and frames."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from verifaible.browser.analysis.controls import Controls, read_controls
from verifaible.browser.analysis.data_requests import IDENTIFIER, DataRequest, data_requests
from verifaible.browser.page.session import PageSession
from verifaible.browser.page.watched import SCRIPT_TIMEOUT_S
from verifaible.browser.scripts import script, well_formed
from verifaible.browser.snapshot import take_snapshot
from verifaible.browser.waiting import bounded
from verifaible.extract.document import Document
from verifaible.extract.page import page_document
from verifaible.schema.base import Record


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


@dataclass(frozen=True, slots=True)
class Analysis:
    """What a settled page shows and how it works; nothing is shortened here."""

    document: Document = field(repr=False)
    controls: Controls = field(default_factory=Controls)
    requests: tuple[DataRequest, ...] = ()
    objects: tuple[GlobalObject, ...] = ()
    libraries: tuple[str, ...] = ()
    dialogs: tuple[str, ...] = ()
    misses: tuple[str, ...] = ()
    unreplayable: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    settled: bool = True


async def analyze(session: PageSession, steps: Sequence[float] = ()) -> Analysis:
    """Analyze the page that a session has loaded, and its frames.

    Args:
        session: with the page, at rest.
        steps: monotonic times at which the action steps began.
    """
    snapshot = await take_snapshot(session.page)
    objects, libraries = await _global_objects(session)
    exchanges = session.traffic.exchanges
    asked = session.traffic.requests.asked(session.traffic.messages)
    document = replace(await asyncio.to_thread(page_document, snapshot), url=session.page.url)
    return Analysis(
        document=document,
        controls=await asyncio.to_thread(read_controls, snapshot, document),
        requests=data_requests(exchanges, [frame.url for frame in document.frames], asked, steps),
        objects=objects,
        libraries=libraries,
        dialogs=tuple(session.dialogs),
        misses=tuple(session.traffic.lacking),
        unreplayable=tuple(session.traffic.unreplayable()),
        refused=tuple(session.traffic.refused),
        settled=session.settled,
    )


async def _global_objects(session: PageSession) -> tuple[tuple[GlobalObject, ...], tuple[str, ...]]:
    """Globals of the main document, those of ``let``, ``const`` and ``class`` too; and the libraries.

    The latter are no properties of ``window``; only the debugging protocol can list them.
    """
    cdp = await session.cdp()
    listed = await bounded(cdp.send("Runtime.globalLexicalScopeNames"), SCRIPT_TIMEOUT_S, "the page")
    names = [name for name in listed["names"] if IDENTIFIER.fullmatch(name)][:200]
    # A getter each: reading one that is not initialised yet throws.
    values = ", ".join(f"[{name!r}, () => {name}]" for name in names)
    lexical = (
        f"Object.fromEntries([{values}].flatMap(([name, read]) => "
        "{ try { return [[name, read()]]; } catch { return []; } }))"
    )
    expression = f"({script('analyze_objects')})({{ lexical: {lexical} }})"
    asked = {"expression": expression, "returnByValue": True, "timeout": SCRIPT_TIMEOUT_S * 1000}
    answer = await bounded(cdp.send("Runtime.evaluate", asked), SCRIPT_TIMEOUT_S + 1, "the page")
    if "exceptionDetails" in answer:
        return (), ()
    found = well_formed(answer["result"].get("value"))
    return tuple(map(GlobalObject.model_validate, found["objects"])), tuple(found["libraries"])

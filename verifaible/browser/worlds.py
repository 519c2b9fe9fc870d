"""Scripts of ours in a world of their own, which the page can neither see nor change.

They run over the DevTools protocol on the nodes of an engine's snapshot, in every frame that has a document.
A frame without one is not asked, and no answer is waited for without a limit.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from verifaible.browser import driver
from verifaible.browser.page.session import PageSession
from verifaible.browser.page.watched import SCRIPT_TIMEOUT_S
from verifaible.browser.scripts import source
from verifaible.browser.waiting import bounded
from verifaible.errors import PageError
from verifaible.extract.snapshot import Snapshot
from verifaible.schema.anchor import Rect

_WORLD: Final = "verifaible"
#: Values go and come as one JSON string: the driver looks at each part of anything else.
_CALL: Final = "async (name, given, ...nodes) => globalThis[name](...JSON.parse(given), ...nodes)"
_CALL_BY_VALUE: Final = f"async (...given) => JSON.stringify(await ({_CALL})(...given)) ?? null"


@dataclass(frozen=True, slots=True)
class World:
    """Our world in one document of a snapshot, with the scripts that are installed in it.

    ``owner`` is the document and node of its frame, if any.
    """

    context: int
    nodes: Sequence[int]
    parents: Sequence[int]
    generated: frozenset[int]
    owner: tuple[int, int] | None = None
    installed: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Worlds:
    """Our worlds in the documents of a page that a snapshot was taken of."""

    session: PageSession
    cdp: driver.CDPSession
    snapshot: Snapshot
    known: dict[int, World] = field(default_factory=dict)

    @classmethod
    async def of(cls, session: PageSession, snapshot: Snapshot) -> Worlds:
        """The worlds of an open page; each is made when it is first used."""
        return cls(session, await session.cdp(), snapshot)

    async def call(self, document: int, name: str, act: str, *values: Any, nodes: Sequence[int] = ()) -> Any:
        """Run ``js/<name>.js`` in a document of the snapshot.

        Args:
            document: its number in the snapshot.
            name: the script, a function of an act and what that takes.
            act: what it is to do.
            values: passed on as JSON.
            nodes: passed on as elements; for what a style sheet adds, the element it adds it to.

        Raises:
            PageError: the page was closed, shows another document now, or took the elements away.
            PageNotLoaded: it did not answer in time.
        """
        running = self._called(document, _CALL_BY_VALUE, name, (act, *values), nodes)
        try:
            answer = await bounded(running, SCRIPT_TIMEOUT_S, "the page")
        except driver.Error as error:
            raise PageError(
                f"The page changed while it was looked at ({driver.first_line(error)}). Try again."
            ) from error
        if "exceptionDetails" in answer:
            raise PageError("The page took away what was looked at. Try again.")
        return json.loads(answer["result"].get("value") or "null")

    async def _called(
        self, document: int, function: str, name: str, values: Sequence[Any], nodes: Sequence[int] = ()
    ) -> dict[str, Any]:
        world = await self.world(document)
        if name not in world.installed:
            world.installed.add(name)
            expression = f"globalThis.{name} = {source(name)}; 0"
            await self.cdp.send("Runtime.evaluate", {"expression": expression, "contextId": world.context})
        elements = await asyncio.gather(*(self._element(world, node) for node in nodes))
        given = [{"value": name}, {"value": json.dumps(values)}]
        asked = {
            "functionDeclaration": function,
            "executionContextId": world.context,
            "arguments": [*given, *({"objectId": each} for each in elements)],
            "returnByValue": function is _CALL_BY_VALUE,
            "awaitPromise": True,
        }
        return dict(await self.cdp.send("Runtime.callFunctionOn", asked))

    async def _sent(self, method: str, **parameters: Any) -> dict[str, Any]:
        return dict(await bounded(self.cdp.send(method, parameters), SCRIPT_TIMEOUT_S, "the page"))

    async def world(self, document: int) -> World:
        """Our world in a document."""
        if document not in self.known:
            told = self.snapshot.documents[document]
            frame = self.snapshot.strings[told["frameId"]]
            made = await self._sent("Page.createIsolatedWorld", frameId=frame, worldName=_WORLD)
            nodes = told["nodes"]
            self.known[document] = World(
                made["executionContextId"],
                nodes["backendNodeId"],
                nodes["parentIndex"],
                frozenset(nodes["pseudoType"]["index"]),
                self._owner(document),
            )
        return self.known[document]

    def _owner(self, document: int) -> tuple[int, int] | None:
        for number, other in enumerate(self.snapshot.documents):
            inner = other["nodes"]["contentDocumentIndex"]
            if document in inner["value"]:
                return number, inner["index"][inner["value"].index(document)]
        return None

    async def _element(self, world: World, node: int) -> str:
        while node in world.generated:
            node = world.parents[node]
        asked = {"backendNodeId": world.nodes[node], "executionContextId": world.context}
        return str((await self.cdp.send("DOM.resolveNode", asked))["object"]["objectId"])

    async def show_frame(self, document: int) -> None:
        """Scroll the frames of a document into view."""
        world = await self.world(document)
        if world.owner is not None:
            outer, node = world.owner
            await self.show_frame(outer)
            nodes = (await self.world(outer)).nodes
            await self._sent("DOM.scrollIntoViewIfNeeded", backendNodeId=nodes[node])

    async def window(self, document: int) -> Rect:
        """The window of a document now (of its frame, if any), in pixels of the page's document."""
        view, _ = await self.session.layout()
        owner = self._owner(document)
        if owner is None:
            return view
        box = await self._box(owner)
        return Rect(x=box[0] + view.x, y=box[1] + view.y, width=box[4] - box[0], height=box[5] - box[1])

    async def _box(self, owner: tuple[int, int]) -> Sequence[float]:
        """The corners of what a node shows, in CSS pixels of the window."""
        nodes = (await self.world(owner[0])).nodes
        told = await self._sent("DOM.getBoxModel", backendNodeId=nodes[owner[1]])
        found: Sequence[float] = told["model"]["content"]
        return found

    async def at_point(self, x: float, y: float) -> tuple[int, int] | None:
        """The image on top at a point of the page's document: the document it is in, and its node."""
        document = 0
        while True:
            asked = self._called(document, _CALL, "point", ("at", x, y))
            answer = await bounded(asked, SCRIPT_TIMEOUT_S, "the page")
            if "objectId" not in answer.get("result", {}):
                return None
            told = await self._sent("DOM.describeNode", objectId=answer["result"]["objectId"])
            numbers = (await self.world(document)).nodes
            if (number := told["node"]["backendNodeId"]) not in numbers:
                return None
            node = numbers.index(number)
            inner = self.snapshot.documents[document]["nodes"]["contentDocumentIndex"]
            if node not in inner["index"]:
                return document, node
            box, (view, _) = await self._box((document, node)), await self.session.layout()
            x, y = x - box[0] - view.x, y - box[1] - view.y
            document = inner["value"][inner["index"].index(node)]
            scrolled = self.snapshot.documents[document]
            x, y = x + scrolled.get("scrollOffsetX", 0), y + scrolled.get("scrollOffsetY", 0)

    async def selected(self, selector: str) -> tuple[int, ...]:
        """The nodes of the page's own document that a CSS selector names.

        Raises:
            ValueError: it is no valid selector.
        """
        root = (await self._sent("DOM.getDocument", depth=0))["root"]["nodeId"]
        try:
            found = await self._sent("DOM.querySelectorAll", nodeId=root, selector=selector)
        except driver.Error as error:
            raise ValueError(f"{selector!r} is no valid CSS selector.") from error
        told = [await self._sent("DOM.describeNode", nodeId=each) for each in found["nodeIds"]]
        numbers = {each: at for at, each in enumerate((await self.world(0)).nodes)}
        backend = (each["node"]["backendNodeId"] for each in told)
        return tuple(numbers[each] for each in backend if each in numbers)

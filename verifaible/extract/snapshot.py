"""A page as the browser engine painted it: data only, so that a Document can be made again without a browser.

The engine's answer is that of ``DOMSnapshot.captureSnapshot`` (Chrome DevTools Protocol); which facts of it
the readers stand on is held by ``tests/browser/test_snapshot_facts.py``.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

#: The computed styles that are asked for, in the order in which the engine tells them of each box.
STYLES: Final = (
    "display",
    "visibility",
    "opacity",
    "-webkit-text-fill-color",
    "position",
    "float",
    "overflow-x",
    "overflow-y",
    "clip",
    "clip-path",
    "text-decoration-line",
    "white-space-collapse",
    "font-size",
    "direction",
    "unicode-bidi",
    "text-transform",
    "background-clip",
    "text-shadow",
    "-webkit-text-stroke-width",
    "background-color",
    "border-top-width",
)
_FORMAT: Final = "verifaible-snapshot/1"
#: What a capture calls it.
SNAPSHOT_NAME: Final = "snapshot.json"


class SnapshotError(ValueError):
    """Bytes that are no snapshot of this form."""


@dataclass(frozen=True)
class Snapshot:
    """What the engine told of a page at one moment.

    Attributes:
        url: the address of the page.
        width, height: of the view, in CSS pixels.
        documents: a document a frame, the page's own first; as the engine told them.
        strings: what the numbers in ``documents`` mean.
    """

    url: str
    width: int
    height: int
    documents: list[dict[str, Any]]
    strings: list[str]

    def to_json(self) -> bytes:
        """Compact JSON in UTF-8 with sorted keys: equal snapshots give equal bytes."""
        record = {
            "format": _FORMAT,
            "url": self.url,
            "view": [self.width, self.height],
            "styles": STYLES,
            "documents": [_read_only(each) for each in self.documents],
            "strings": self.strings,
        }
        text = json.dumps(record, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return text.encode()

    @classmethod
    def from_json(cls, data: bytes) -> Snapshot:
        """Read back what :meth:`to_json` wrote.

        Raises:
            SnapshotError: it is something else, or asked for other styles.
        """
        try:
            with collector_paused():
                record = json.loads(data)
            if record["format"] != _FORMAT or tuple(record["styles"]) != STYLES:
                raise SnapshotError("The snapshot was written by another version of verifaible.")
            width, height = record["view"]
            return cls(record["url"], width, height, record["documents"], record["strings"])
        except SnapshotError:
            raise
        except (ValueError, KeyError, TypeError) as error:
            raise SnapshotError(f"These bytes are no snapshot of a page ({error}).") from error


@contextmanager
def collector_paused() -> Iterator[None]:
    """Make many small records that all stay: looking through them again and again takes half the time."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def without_passwords(documents: list[dict[str, Any]], strings: list[str]) -> None:
    """Take the values of password fields out of the engine's answer, before anybody keeps it.

    A value stands in ``inputValue`` and, where the page set it in its mark-up, in an attribute.
    """
    secret: set[int] = set()
    for document in documents:
        nodes = document["nodes"]
        attributes = nodes["attributes"]
        fields = nodes["inputValue"]
        for place, node in enumerate(fields["index"]):
            own = attributes[node]
            names = {strings[own[at]].lower(): at + 1 for at in range(0, len(own) - 1, 2)}
            if "type" in names and strings[own[names["type"]]].strip().lower() == "password":
                for holder, at in ((fields["value"], place), (own, names.get("value", -1))):
                    if at >= 0 and holder[at] >= 0:
                        secret.add(holder[at])
                        holder[at] = -1
    if secret:
        _forget(documents, strings, secret)


#: What no reader reads, and is new at each asking: the numbers by which the open page's nodes are reached.
_UNREAD: Final = {
    "nodes": ("backendNodeId", "pseudoIdentifier", "originURL"),
    "layout": ("stackingContexts",),
}


def _read_only(document: dict[str, Any]) -> dict[str, Any]:
    """A document without what no reader reads."""
    parts = {
        part: {key: value for key, value in document[part].items() if key not in keys}
        for part, keys in _UNREAD.items()
    }
    return {**document, **parts}


def _forget(documents: list[dict[str, Any]], strings: list[str], secret: set[int]) -> None:
    """Blank strings that nothing but a password used; others stay, for the page says them elsewhere too."""
    used: set[int] = set()

    def note(value: Any) -> None:
        if isinstance(value, list):
            for each in value:
                note(each)
        elif isinstance(value, int):
            used.add(value)

    for document in documents:
        nodes, layout = document["nodes"], document["layout"]
        note([each for key, each in document.items() if key not in ("nodes", "layout", "textBoxes")])
        note([nodes[key] for key in ("nodeName", "nodeValue", "attributes")])
        note([nodes[key]["value"] for key in ("inputValue", "textValue", "currentSourceURL") if key in nodes])
        note(layout["text"])
    for index in secret - used:
        strings[index] = ""

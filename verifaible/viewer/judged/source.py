"""A source of a judged answer on its page: its words around a range, and whether they hold now."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from verifaible.archive.reader import WaczReader
from verifaible.errors import VerifaibleError
from verifaible.evidence.sources import PROVENANCE, SourceTexts
from verifaible.store.sealed import capture_file
from verifaible.viewer.judged.claims import source_of, web_link
from verifaible.viewer.runs.timeline import visible

if TYPE_CHECKING:
    from pydantic import JsonValue

    from verifaible.schema.analyst import Source
    from verifaible.schema.verdict import Passage
    from verifaible.store.store import Store

#: Of a source on one page, in code points; and of those, before the marked words.
WINDOW_CHARS, _BEFORE_CHARS = 20_000, 4_000
#: Of a value of the provenance.
_MOST_CHARS = 2_000
#: ``held`` byte for byte; ``changed`` the capture is whole and has other words there; ``broken`` the capture
#: is gone or was changed; ``unclaimed`` the capture is whole, and no claim rests on this range.
Held: TypeAlias = Literal["held", "changed", "broken", "unclaimed"]


@dataclass(frozen=True, slots=True)
class ShownSource:
    """A source on its page.

    Attributes:
        id: what its answer calls it.
        kind: what it is.
        title: its title.
        url: where it is from, as text.
        link: the same, where it may be a link.
        capture: SHA-256 of the capture.
        file: the file in the capture.
        length: code points of its text.
        before: shown words before the marked ones.
        marked: the range that was asked for, as far as it is shown.
        after: shown words behind it.
        start: first code point of the range; equal to ``end``: none was asked for.
        end: behind the last one.
        shown: first code point that is shown, and the one behind the last.
        earlier: where the page before this one begins; -1: this is the first.
        later: where the next begins; -1: this is the last.
        pointer: JSON Pointer of the marked value.
        held: whether it re-verifies now.
        fault: why it does not.
        quote: the words that a claim quotes there, where the source has others now.
        provenance: what the capture says of where its words are from, a name and a value each.
    """

    id: str
    kind: str
    title: str
    url: str
    link: str
    capture: str
    file: str
    length: int
    before: str
    marked: str
    after: str
    start: int
    end: int
    shown: tuple[int, int]
    earlier: int
    later: int
    pointer: str
    held: Held
    fault: str
    quote: str
    provenance: tuple[tuple[str, str], ...]


def shown_source(
    store: Store, source: Source, passages: Sequence[Passage], asked: Mapping[str, int]
) -> ShownSource:
    """Read a source from its capture, whose bytes are hashed again.

    Args:
        store: where the capture is.
        source: the source.
        passages: what may rest on the range.
        asked: ``start`` and ``end`` of the range, and ``from`` where the page should begin, as far as given.
    """
    start, end = asked.get("start", 0), asked.get("end", 0)
    texts = SourceTexts(store)
    resting = [
        each for each in passages if each.capture == source.capture and (each.start, each.end) == (start, end)
    ]
    text, held, fault = _read(texts, source, resting)
    end = min(max(end, start), len(text))
    start = min(start, end)
    first = min(asked.get("from", max(0, start - _BEFORE_CHARS)), max(0, len(text) - 1))
    last = min(len(text), first + WINDOW_CHARS)
    marked = min(max(start, first), last), min(max(end, first), last)
    return ShownSource(
        id=visible(source.id),
        kind=source.kind,
        title=visible(source.title),
        url=visible(source.url),
        link=web_link(source.url),
        capture=source.capture,
        file=visible(source.file),
        length=len(text),
        before=visible(text[first : marked[0]]),
        marked=visible(text[slice(*marked)]),
        after=visible(text[marked[1] : last]),
        start=start,
        end=end,
        shown=(first, last),
        earlier=max(0, first - WINDOW_CHARS) if first else -1,
        later=last if last < len(text) else -1,
        pointer=visible(resting[0].pointer) if resting else "",
        held=held,
        fault=fault,
        quote=visible(resting[0].quote[:_MOST_CHARS]) if resting and held != "held" else "",
        provenance=() if held == "broken" else _provenance(store, source.capture),
    )


def _read(texts: SourceTexts, source: Source, resting: Sequence[Passage]) -> tuple[str, Held, str]:
    """The text of a source, whether the passages hold in it, and why it cannot be read."""
    try:
        text = texts.text(source_of(resting[0]) if resting else source)
        if not resting:
            return text, "unclaimed", ""
        return text, "held" if all(map(texts.holds, resting)) else "changed", ""
    except VerifaibleError as error:
        return "", "broken", visible(str(error))


def _provenance(store: Store, capture: str) -> tuple[tuple[str, str], ...]:
    """What the capture says of itself; empty for the capture of a page, which says it elsewhere."""
    try:
        with store.files.local(capture_file(capture)) as path, WaczReader(path) as reader:
            said: JsonValue = json.loads(reader.read(PROVENANCE)) if PROVENANCE in reader.names() else None
    except (VerifaibleError, OSError, ValueError, KeyError):
        return ()
    if not isinstance(said, dict):
        return ()
    return tuple((visible(name), visible(_told(value))[:_MOST_CHARS]) for name, value in said.items())


def _told(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

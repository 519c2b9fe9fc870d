"""Words of sealed sources: those around a place, and whether the capture still has them there.

The capture is hashed again whenever a page is made, so nothing changed is shown as if it were whole.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from verifaible.archive.reader import WaczReader
from verifaible.errors import VerifaibleError
from verifaible.evidence.sources import PROVENANCE, SourceTexts
from verifaible.schema.analyst import Source
from verifaible.store.sealed import capture_file
from verifaible.viewer.text import shortened

if TYPE_CHECKING:
    from pydantic import JsonValue

    from verifaible.schema.verdict import Passage
    from verifaible.store.store import Store

#: Of a source on one page, in code points; of those, before the marked words; and beside a quote.
WINDOW_CHARS, _BEFORE_CHARS, _AROUND = 20_000, 4_000, 110
#: Of a value of the provenance.
_MOST_CHARS = 2_000
#: ``held`` byte for byte; ``changed`` the capture is whole and has other words there; ``broken`` the capture
#: is gone or was changed; ``unclaimed`` the capture is whole, and no claim rests on this range.
Held: TypeAlias = Literal["held", "changed", "broken", "unclaimed"]


@dataclass(frozen=True, slots=True)
class Quoted:
    """Words of a source with those before and behind; ``fault`` says why they do not hold, if they do not."""

    passage: Passage
    source: Source
    before: str
    after: str
    address: str
    fault: str


def source_of(passage: Passage) -> Source:
    """The source that a passage is from, as far as the passage says it."""
    return Source(id=passage.source, kind="context", capture=passage.capture, file=passage.file)


def quoted(texts: SourceTexts, passage: Passage, source: Source | None, address: str) -> Quoted:
    """A passage as its source has it now; ``address`` is that of the page of the source at these words."""
    before, after, fault = "", "", ""
    try:
        if texts.holds(passage):
            text = texts.text(source_of(passage))
            before = text[max(0, passage.start - _AROUND) : passage.start]
            after = text[passage.end : passage.end + _AROUND]
        else:
            fault = "The capture does not have these words at this place."
    except VerifaibleError as error:
        fault = str(error)
    return Quoted(passage, source or source_of(passage), before, after, address, fault)


@dataclass(frozen=True, slots=True)
class SourcePage:
    """A source on its page.

    Attributes:
        source: the source.
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

    source: Source
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


def source_page(
    store: Store,
    source: Source,
    passages: Sequence[Passage] = (),
    span: tuple[int, int] = (0, 0),
    first: int | None = None,
) -> SourcePage:
    """Read a source from its capture, whose bytes are hashed again.

    Args:
        store: where the capture is.
        source: the source.
        passages: what may rest on the range.
        span: the range that is marked: its first code point, and the one behind the last.
        first: where the page begins; None: some words before the range.
    """
    resting = [each for each in passages if each.capture == source.capture and (each.start, each.end) == span]
    text, held, fault = _read(SourceTexts(store), source, resting)
    end = min(max(span), len(text))
    start = min(span[0], end)
    first = min(max(0, start - _BEFORE_CHARS) if first is None else first, max(0, len(text) - 1))
    last = min(len(text), first + WINDOW_CHARS)
    low, high = min(max(start, first), last), min(max(end, first), last)
    return SourcePage(
        source=source,
        length=len(text),
        before=text[first:low],
        marked=text[low:high],
        after=text[high:last],
        start=start,
        end=end,
        shown=(first, last),
        earlier=max(0, first - WINDOW_CHARS) if first else -1,
        later=last if last < len(text) else -1,
        pointer=resting[0].pointer if resting else "",
        held=held,
        fault=fault,
        quote=shortened(resting[0].quote, _MOST_CHARS) if resting and held != "held" else "",
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
        return "", "broken", str(error)


def _provenance(store: Store, capture: str) -> tuple[tuple[str, str], ...]:
    """What the capture says of itself; empty for the capture of a page, which says it elsewhere."""
    try:
        with store.files.local(capture_file(capture)) as path, WaczReader(path) as reader:
            said: JsonValue = json.loads(reader.read(PROVENANCE)) if PROVENANCE in reader.names() else None
    except (VerifaibleError, OSError, ValueError, KeyError):
        return ()
    if not isinstance(said, dict):
        return ()
    texts = {name: value if isinstance(value, str) else json.dumps(value) for name, value in said.items()}
    return tuple((name, text[:_MOST_CHARS]) for name, text in texts.items())

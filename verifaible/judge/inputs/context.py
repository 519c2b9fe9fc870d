"""The context that a model was given, taken apart into its sources; no word of it is lost.

Read are, in this order:

- JSON: a tool's results as objects with an address or an id and their text (a source each), or data such as
  a price API's answer (one source, byte for byte);
- detailed sources: ``From [https://...]:`` and its variants, blocks headed by an id (``[src_5]``,
  ``### Source 5``), ``<source id="...">`` elements; each goes on to the next;
- search results: one-liners that end in ``Source: https://...``, numbered results with an address below,
  blocks with ``URL:``.

The line that names a source, its *head*, is no part of the source's words: what reads them takes the first
lines for the title and the units. Heads go, as all that is none of these, into one source more, of the kind
``context``; only a title that stands in a head comes before the words, too. JSON below a head is a source of
its own, byte for byte, with the address and the id of the head; where words stand around it, the id leads to
both.
"""

from __future__ import annotations

import bisect
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from verifaible.claims.references import ADDRESS, SOURCE_ID, canonical_id, trimmed
from verifaible.evidence.sources import SourceDraft, plain
from verifaible.judge.inputs.context_heads import heads_of, results_of, url_key
from verifaible.judge.inputs.context_json import json_blocks, sources_in
from verifaible.judge.inputs.context_named import MASK, Head
from verifaible.schema.analyst import SourceKind

#: What is left over is called so.
REST: Final = "context"
_DEEPEST = 4
#: A text of more lines, or more code points, is no snippet.
_SNIPPET_LINES = 2
_LONGEST_SNIPPET = 600
#: What may stand between a head and its JSON.
_BETWEEN = re.compile(r"\b(?:result|output|response|data|json|arguments?)\b|[\s`*:：>=\-]", re.IGNORECASE)
_ONE_LINER = re.compile(
    rf"^[^\n]*(?:\.\.\.|…)[^\n]*?\bSources?[ \t]*[:：][ \t]*(?:\[[^\[\]\n]*\]\()?<?({ADDRESS})[>)\].\s*]*$",
    re.IGNORECASE | re.MULTILINE,
)
_CLOSING = re.compile(
    r"^[ \t]*(?:</[\w\-]+>|#{1,6}[ \t].*\b(?:search|snippets?)\b.*"
    r"|\**(?:web )?search results?(?: snippets?)?\**[:：]?\**)[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_MAPPING = re.compile(
    rf"\b(?P<id>{SOURCE_ID})[\])\"'`*|]{{0,4}}[ \t]{{0,4}}"
    rf"[:：=\-–—>→|]{{0,3}}[ \t]{{0,4}}[\[(\"'<]{{0,3}}(?P<url>{ADDRESS})",
    re.IGNORECASE,
)
#: Behind an address: the id ends the line, or stands in brackets.
_NAME_BEHIND = re.compile(
    r"[>\])\"'`*|]{0,4}[ \t]{0,4}[:：=\-–—>→|,]{0,3}[ \t]{0,4}"
    rf"(?P<open>[\[(])?[*_`]{{0,3}}(?P<id>{SOURCE_ID})(?(open)[\])]|[*_`|]{{0,3}}[ \t]*(?=\n|\Z))",
    re.IGNORECASE,
)
_ADDRESS = re.compile(ADDRESS, re.IGNORECASE)
#: A head of fewer code points besides its id and its address is no source by itself, if it has no number.
_SHORTEST_WORDS = 12
_NO_WORDS: Final = " \t\n\r*_`-=#>:()[]|"


@dataclass(frozen=True, slots=True)
class Piece:
    """A source found in a context: its words, and the ranges of the context that they fill."""

    text: str
    kind: SourceKind
    spans: tuple[tuple[int, int], ...]
    id: str = ""
    url: str = ""
    title: str = ""


@dataclass(slots=True)
class _Context:
    """One text that is being taken apart."""

    text: str
    depth: int = 0
    pieces: list[Piece] = field(default_factory=list)
    #: Ranges in which no source is looked for any more: heads, and JSON that was read.
    _done: list[tuple[int, int]] = field(default_factory=list)
    #: What is left over of the texts in its JSON.
    _inner_rests: list[str] = field(default_factory=list)

    def read(self) -> list[Piece]:
        """The sources in it, without what is left over."""
        blocks = [(block.start, block.end) for block in json_blocks(self.text)]
        for start, end in blocks:
            self._json(start, end)
        self._done += blocks
        self._detailed(blocks)
        for start, end in _gaps(self.text, [*self._filled(), *self._done]):
            self._results(start, end)
        return self.pieces

    def rest(self) -> str:
        """What no source has."""
        left = (self.text[start:end].strip() for start, end in _gaps(self.text, self._filled()))
        return "\n\n".join(each for each in (*left, *self._inner_rests) if each)

    def _filled(self) -> list[tuple[int, int]]:
        return [span for piece in self.pieces for span in piece.spans]

    # --- JSON

    def _json(self, start: int, end: int) -> None:
        block = self.text[start:end]
        found = sources_in(block)
        for each in found.sources:
            spans = tuple((start + first, start + last) for first, last in each.spans)
            kind: SourceKind = "api" if each.is_json else _page_or_snippet(each.text, each.title)
            self.pieces.append(Piece(each.text, kind, spans, each.id, each.url, each.title))
        for text, span in found.texts:
            self._nested(text, (start + span[0], start + span[1]))
        if not any(first >= start and last <= end for piece in self.pieces for first, last in piece.spans):
            self.pieces.append(Piece(block, "api", ((start, end),)))

    def _nested(self, text: str, span: tuple[int, int]) -> None:
        """A long text in JSON: it may be a context itself."""
        inner = _Context(text, self.depth + 1)
        found = inner.read() if self.depth < _DEEPEST else []
        if not found:
            return
        for piece in found:
            self.pieces.append(replace(piece, spans=(span,)))
        self._inner_rests.append(inner.rest())

    # --- text

    def _detailed(self, blocks: Sequence[tuple[int, int]]) -> None:
        """Sources that begin with a head. JSON is masked: what looks like a head in it is none."""
        text = _masked(self.text, blocks)
        heads = heads_of(text)
        inside = sorted((piece.spans[0][0], number) for number, piece in enumerate(self.pieces))
        for head, following in zip(heads, [*heads[1:], None], strict=False):
            last = following.start if following else len(text)
            if head.until:
                last = min(last, head.close)
                self._done.append((head.close, head.until))
            else:
                last = min([last, *_cuts(text, head, last)])
            below = inside[
                bisect.bisect_left(inside, (head.start, 0)) : bisect.bisect_left(inside, (last, 0))
            ]
            for _, number in below:
                self.pieces[number] = _headed(self.pieces[number], head)
            self._done.append((head.start, head.end))
            self._words(text, head, last, has_json=bool(below))

    def _words(self, text: str, head: Head, last: int, *, has_json: bool) -> None:
        """The words of a source, without its head, and without the JSON among them."""
        first = (head.start, head.end) if head.tool else head.words
        parts = [
            (match.start(), match.end())
            for match in re.compile(f"[^{MASK}]+").finditer(text, head.end, max(last, head.end))
        ]
        parts = [_stripped(self.text, *part) for part in parts if _BETWEEN.sub("", text[slice(*part)])]
        parts = [part for part in parts if self.text[slice(*part)].strip(_NO_WORDS)]
        if not parts and (has_json or not _says_something(text, head)):
            return
        spans = [first, *parts] if first[1] > first[0] else parts
        words = "\n".join(self.text[start:end] for start, end in spans)
        kind: SourceKind = "page" if head.url or not head.tool else "api"
        self.pieces.append(Piece(words, kind, tuple(spans), head.id, head.url, head.title))

    def _results(self, start: int, end: int) -> None:
        text = self.text[start:end]
        for result in results_of(text):
            words = text[result.start : result.end].strip()
            kind: SourceKind = "page" if len(words) > 1500 else "snippet"
            spans = ((start + result.start, start + result.end),)
            self.pieces.append(Piece(words, kind, spans, result.id, result.url, result.title))


def _gaps(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The ranges between spans that are not blank."""
    gaps: list[tuple[int, int]] = []
    at = 0
    for start, end in sorted(spans):
        if text[at:start].strip():
            gaps.append((at, start))
        at = max(at, end)
    if text[at:].strip():
        gaps.append((at, len(text)))
    return gaps


def _masked(text: str, blocks: Sequence[tuple[int, int]]) -> str:
    """The text with its JSON made unreadable; lines stay where they are."""
    parts: list[str] = []
    at = 0
    for start, end in blocks:
        parts += [text[at:start], re.sub(r"[^\n]", MASK, text[start:end])]
        at = end
    return "".join((*parts, text[at:]))


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    """A range without the blanks at its ends."""
    part = text[start:end]
    return end - len(part.lstrip()), start + len(part.rstrip())


def _headed(piece: Piece, head: Head) -> Piece:
    """A source in JSON with what the head above it says, where it does not say so itself."""
    own = piece.id or piece.url
    return replace(
        piece,
        id=piece.id or head.id,
        url=piece.url or head.url,
        title=piece.title or ("" if own else head.title),
    )


def _cuts(text: str, head: Head, last: int) -> Iterator[int]:
    """Where a detailed source ends before the next: search results begin, or an element is closed."""
    for pattern in (_ONE_LINER, _CLOSING):
        for match in pattern.finditer(text, head.end, last):
            if pattern is _CLOSING or url_key(trimmed(match[1])) != url_key(head.url):
                yield match.start()
                break


def _page_or_snippet(text: str, title: str = "") -> SourceKind:
    """A snippet is a line or two; what has paragraphs or a table is a page."""
    words = text.removeprefix(title) if title else text
    lines = sum(bool(line.strip()) for line in words.splitlines())
    return "snippet" if lines <= _SNIPPET_LINES and len(words) <= _LONGEST_SNIPPET else "page"


def _says_something(text: str, head: Head) -> bool:
    """Whether a head says more than what names it: all of a source may stand on one line."""
    words = text[slice(*head.words)]
    return not head.tool and (len(words) > _SHORTEST_WORDS or any(char.isdigit() for char in words))


def drafts_of(context: str, *, taken: Sequence[str] = ()) -> tuple[SourceDraft, ...]:
    """The sources of a context, in order, what is left over last; every non-blank character is in one.

    Args:
        context: what the model was given.
        taken: ids of sources that the answer has already.
    """
    reading = _Context(context)
    pieces = sorted(reading.read(), key=lambda piece: piece.spans[0])
    if rest := reading.rest():
        pieces.append(Piece(rest, "context", (), REST))
    aliases = _mapped(context, pieces)
    return named(pieces, aliases, taken=taken)


def _mapped(context: str, pieces: Sequence[Piece]) -> dict[str, list[str]]:
    """Ids that the context gives to addresses elsewhere (``src_5: https://...``), by address."""
    own = {canonical_id(piece.id) for piece in pieces if piece.id}
    nameless = {url_key(piece.url) for piece in pieces if piece.url and not piece.id}
    found: dict[str, list[str]] = {}
    for piece in pieces:
        if piece.id and url_key(piece.url) in nameless:
            found.setdefault(url_key(piece.url), []).append(canonical_id(piece.id))
    taken: set[int] = set()
    for match, url in _named_addresses(context):
        name = canonical_id(match["id"])
        key = url_key(trimmed(url))
        if match.start("id") in taken or (name in own and key not in nameless):
            continue
        taken.add(match.start("id"))
        names = found.setdefault(key, [])
        if name not in names:
            names.append(name)
    return found


def _named_addresses(context: str) -> Iterator[tuple[re.Match[str], str]]:
    """Ids with an address behind them, then those with one before."""
    for match in _MAPPING.finditer(context):
        yield match, match["url"]
    for address in _ADDRESS.finditer(context):
        url = trimmed(address[0])
        if behind := _NAME_BEHIND.match(context, address.start() + len(url)):
            yield behind, url


def named(
    pieces: Sequence[Piece], aliases: dict[str, list[str]] | None = None, *, taken: Sequence[str] = ()
) -> tuple[SourceDraft, ...]:
    """Drafts with ids of their own; what shares an id or an address keeps it as an alias."""
    used = {*taken}
    drafts: list[SourceDraft] = []
    counts: dict[str, int] = {}
    again: Counter[str] = Counter()
    for piece in pieces:
        wanted = plain(piece.id or piece.url) or _counted(piece.kind, counts)
        name = wanted
        while name in used:
            again[wanted] += 1
            name = f"{wanted}#{again[wanted] + 1}"
        used.add(name)
        also = (
            [wanted, piece.id, *(aliases or {}).get(url_key(piece.url), ())]
            if piece.url
            else [wanted, piece.id]
        )
        also += [_number(each) for each in also if each != wanted or piece.id]
        drafts.append(
            SourceDraft(
                id=name,
                kind=piece.kind,
                body=piece.text.encode("utf-8", "surrogatepass"),
                url=piece.url,
                title=piece.title,
                media_type="application/json"
                if piece.kind == "api" and _is_json(piece.text)
                else "text/plain",
                aliases=tuple(dict.fromkeys(each for each in also if each and each != name)),
            )
        )
    return tuple(drafts)


def _is_json(text: str) -> bool:
    return text.lstrip()[:1] in ("{", "[")


def _counted(kind: str, counts: dict[str, int]) -> str:
    if kind == "context":
        return REST
    counts[kind] = counts.get(kind, 0) + 1
    return f"{kind} {counts[kind]}"


def _number(name: str) -> str:
    """The bare number of ``src_5``: some answers cite ``[5]``."""
    match = re.fullmatch(rf"{SOURCE_ID}", name, re.IGNORECASE)
    return str(int(re.sub(r"\D", "", canonical_id(name).rpartition("_")[2]) or 0)) if match else ""

"""The context that a model was given, taken apart into its sources; no word of it is lost.

Read are, in this order:

- JSON: a tool's results as objects with an address or an id and their text (a source each), or data such as
  a price API's answer (one source, byte for byte);
- detailed sources: ``From [https://...]:`` and its variants, blocks headed by an id (``[src_5]``,
  ``### Source 5``), ``<source id="...">`` elements; each goes on to the next;
- search results: one-liners that end in ``Source: https://...``, numbered results with an address below,
  blocks with ``URL:``.

What is none of these is one source more, of the kind ``context``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from verifaible.evidence.given import SourceDraft, plain
from verifaible.judge.inputs.context_heads import Head, heads_of, results_of, url_key
from verifaible.judge.inputs.context_json import json_blocks, sources_in
from verifaible.judge.inputs.references import ADDRESS, SOURCE_ID, canonical_id, trimmed
from verifaible.schema.analyst import SourceKind

#: What is left over is called so.
REST: Final = "context"
_DEEPEST = 4
#: Lines before a block of JSON in which its head may stand.
_LINES_OF_HEAD = 4
#: What may stand between the two.
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
    rf"\b({SOURCE_ID})[\])\"'`*]{{0,4}}[ \t]{{0,4}}"
    rf"[:：=\-–—>→|]{{0,3}}[ \t]{{0,4}}[\[(\"'<]{{0,3}}({ADDRESS})",
    re.IGNORECASE,
)
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

    def read(self) -> list[Piece]:
        """The sources in it, without what is left over."""
        for block in json_blocks(self.text):
            self._json(block.start, block.end)
        for start, end in self._gaps():
            self._detailed(start, end)
        for start, end in self._gaps():
            self._results(start, end)
        return self.pieces

    def rest(self) -> str:
        """What no source has."""
        left = (self.text[start:end].strip() for start, end in self._gaps())
        return "\n\n".join(each for each in left if each)

    def _gaps(self) -> list[tuple[int, int]]:
        """The ranges that no source fills yet."""
        gaps: list[tuple[int, int]] = []
        at = 0
        for start, end in sorted(span for piece in self.pieces for span in piece.spans):
            if self.text[at:start].strip():
                gaps.append((at, start))
            at = max(at, end)
        if self.text[at:].strip():
            gaps.append((at, len(self.text)))
        return gaps

    # --- JSON

    def _json(self, start: int, end: int) -> None:
        block = self.text[start:end]
        found = sources_in(block)
        head = self._head_before(start)
        for each in found.sources:
            spans = tuple((start + first, start + last) for first, last in each.spans)
            kind: SourceKind = "api" if each.is_json else "page" if len(each.text) > 600 else "snippet"
            self.pieces.append(Piece(each.text, kind, spans, each.id, each.url, each.title))
        for text, span in found.texts:
            self._nested(text, (start + span[0], start + span[1]))
        if not any(first >= start and last <= end for piece in self.pieces for first, last in piece.spans):
            self._add_json(block, start, end, head)

    def _add_json(self, block: str, start: int, end: int, head: Head | None) -> None:
        named = head or Head(start, start)
        # The head itself stays among what is left over: the source is the JSON, byte for byte.
        self.pieces.append(Piece(block, "api", ((start, end),), named.id, named.url, named.title))

    def _head_before(self, start: int) -> Head | None:
        """The head that stands directly over a block of JSON, or before it on its line."""
        before = start
        for _ in range(_LINES_OF_HEAD):
            before = max(self.text.rfind("\n", 0, max(before - 1, 0)), 0)
        near = [
            head
            for head in heads_of(self.text[before:start])
            if not _BETWEEN.sub("", self.text[before + head.end : start])
        ]
        return near[-1] if near else None

    def _nested(self, text: str, span: tuple[int, int]) -> None:
        """A long text in JSON: it may be a context itself."""
        inner = _Context(text, self.depth + 1)
        found = inner.read() if self.depth < _DEEPEST else []
        if not found:
            return
        for piece in found:
            self.pieces.append(replace(piece, spans=(span,)))
        if rest := inner.rest():
            self.pieces.append(Piece(rest, "context", (span,)))

    # --- text

    def _detailed(self, start: int, end: int) -> None:
        text = self.text[start:end]
        heads = heads_of(text)
        for head, following in zip(heads, [*heads[1:], None], strict=False):
            last = following.start if following else len(text)
            last = min(last, head.until or last)
            last = last if head.until else min([last, *self._cuts(text, head, last)])
            body = text[head.start : last]
            if _BETWEEN.sub("", text[head.end : last]).strip(_NO_WORDS) or _has_words(body, head):
                kind: SourceKind = "page" if head.url or not head.tool else "api"
                spans = ((start + head.start, start + last),)
                self.pieces.append(Piece(body.strip(), kind, spans, head.id, head.url, head.title))

    def _cuts(self, text: str, head: Head, last: int) -> Iterator[int]:
        """Where a detailed source ends before the next: search results begin, or an element is closed."""
        for pattern in (_ONE_LINER, _CLOSING):
            for match in pattern.finditer(text, head.end, last):
                if pattern is _CLOSING or url_key(trimmed(match[1])) != url_key(head.url):
                    yield match.start()
                    break

    def _results(self, start: int, end: int) -> None:
        text = self.text[start:end]
        for result in results_of(text):
            words = text[result.start : result.end].strip()
            kind: SourceKind = "page" if len(words) > 1500 else "snippet"
            spans = ((start + result.start, start + result.end),)
            self.pieces.append(Piece(words, kind, spans, result.id, result.url, result.title))


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
    found: dict[str, list[str]] = {}
    for match in _MAPPING.finditer(context):
        name = canonical_id(match[1])
        if name not in own:
            names = found.setdefault(url_key(trimmed(match[2])), [])
            if name not in names:
                names.append(name)
    return found


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


def _has_words(body: str, head: Head) -> bool:
    """Whether the head itself says something beside its id and its address: all may stand on one line."""
    if head.tool:
        return False
    words = body.replace(head.url, " ") if head.url else body
    return len(re.sub(rf"{SOURCE_ID}|From|[\W_]", "", words, flags=re.IGNORECASE)) > 12


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

"""Markdown with coloured spans as HTML, made of nothing but escaped text and our tags.

Signs are put into the text of each block where spans begin and end and where something of ours stands
instead of the text's own words; then the inline mark-up of the block is parsed, and each piece of text gets
the element of its span. So elements always nest.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Final

from verifaible.text.layout import Block, blocks_of, even_lines, markdown, starts_of, tokens_of

if TYPE_CHECKING:
    from markdown_it.token import Token

#: Signs of a script that nobody writes answers in. They count as punctuation, so that emphasis beside them is
#: still emphasis; the last two are the digits of the number behind the first three.
_BEGIN, _END, _INSTEAD, _ZERO, _ONE = "\U00012470", "\U00012471", "\U00012472", "\U00012473", "\U00012474"
_OWN = re.compile("[\U00012470-\U00012474]")
_SIGN = re.compile(f"([{_BEGIN}{_END}{_INSTEAD}])([{_ZERO}{_ONE}]*)")
_DIGITS: Final = str.maketrans("01", _ZERO + _ONE)
_NUMBERS: Final = str.maketrans(_ZERO + _ONE, "01")
_LISTS: Final = ("bullet_list_open", "ordered_list_open")
#: No place for a sign: the part of a link that is not shown, and what means something only as a whole.
_UNSEEN = re.compile(
    r"\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+\"[^\"\n]*\")?\)|<https?://[^<>\s]*>"
    r"|([*_~`])\1+|\\.|&[#\w]+;|!\[",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Span:
    """``text[start:end]`` gets the class ``kind``; ``flag`` is HTML behind it.

    ``plain_flag`` is the same for a place inside a link of the text, where no link can stand.
    """

    start: int
    end: int
    kind: str
    flag: str = ""
    plain_flag: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
    """A paragraph, a heading, an item of a list, a table: ``text[start:end]`` as HTML."""

    start: int
    end: int
    html: str


def marked_html(text: str, spans: Sequence[Span], instead: Sequence[Span] = ()) -> str:
    """A text as HTML.

    Args:
        text: Markdown; offsets count its code points.
        spans: in order; none overlaps another.
        instead: in their places only their flags are shown.
    """
    return _rendered(_marked(text, spans, instead))


def marked_pieces(text: str, spans: Sequence[Span]) -> tuple[Piece, ...]:
    """A text as HTML, piece by piece, so that something can be put beside each; see :func:`marked_html`."""
    tokens = _marked(text, spans, ())
    starts = starts_of(even_lines(text))
    pieces: list[Piece] = []
    for group in _grouped(tokens):
        first, last = group[group[0].type in _LISTS].map or (0, 0)
        pieces.append(Piece(starts[first], starts[last], _rendered(group)))
    return tuple(pieces)


def _grouped(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """The tokens of each block that is in no other; each item of a list is a list of its own."""
    group: list[Token] = []
    opened: Token | None = None
    number = 1
    for token in tokens:
        if token.level == 0 and token.type in _LISTS:
            opened, number = token, int(token.attrs.get("start", 1))
        elif opened and token.level == 0:
            opened = None
        elif opened and token.level == 1 and token.type == "list_item_close":
            head = opened.copy()
            head.attrs = {"start": number} if opened.type == "ordered_list_open" and number != 1 else {}
            foot = opened.copy(type=opened.type.replace("open", "close"), nesting=-1, attrs={}, map=None)
            yield [head, *group, token, foot]
            group, number = [], number + 1
        else:
            group.append(token)
            if not opened and token.level == 0 and token.nesting <= 0:
                yield group
                group = []


def _rendered(tokens: Sequence[Token]) -> str:
    return str(markdown().renderer.render(tokens, markdown().options, {}))


def _marked(text: str, spans: Sequence[Span], instead: Sequence[Span]) -> list[Token]:
    body = _OWN.sub("\ufffd", even_lines(text))
    tokens = tokens_of(body)
    writer = _Writer(spans, instead)
    starts = starts_of(body)
    for block in blocks_of(body):
        token = tokens[block.token]
        if block.kind == "code":
            first, last = _code_lines(token, body, starts)
            if token.level == 0 and any(_near(spans, starts[first], starts[last] - 1)):
                token.type = "html_block"
                token.content = writer.code(body[starts[first] : starts[last]], starts[first])
        else:
            children = markdown().parseInline(_signed(block, spans, instead))[0].children or []
            token.children = list(writer.written(children, block.offsets[-1]))
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + 2, 6)}"  # the page has its own first two
        elif aligned := token.attrs.pop("style", ""):  # pages allow no style but their own sheet
            token.attrs["class"] = str(aligned).rpartition(":")[2]
    return tokens


def _code_lines(token: Token, body: str, starts: Sequence[int]) -> tuple[int, int]:
    """The first line of a block of code and the one behind its last, without its fences."""
    first, last = token.map or (0, 0)
    if token.type != "fence":
        return first, last
    closing = body[starts[last - 1] : starts[last] - 1].strip()
    closed = last - 1 > first and not closing.strip(token.markup[0]) and len(closing) >= len(token.markup)
    return first + 1, max(first + 1, last - closed)


def _signed(block: Block, spans: Sequence[Span], instead: Sequence[Span]) -> str:
    """The text of a block with signs; of what is replaced nothing else is left."""
    inserted: dict[int, str] = {}
    dropped: set[int] = set()
    first, last = block.offsets[0], block.offsets[-1]
    unseen = [match.span() for match in _UNSEEN.finditer(block.content)]

    def put(offset: int, sign: str, number: int, *, behind: bool = False) -> None:
        at = bisect.bisect_left(block.offsets, offset)
        at = next((end for start, end in unseen if start < at < end), at)
        text = sign + f"{number:b}".translate(_DIGITS)
        inserted[at] = text + inserted.get(at, "") if behind else inserted.get(at, "") + text

    for number, span in _near(spans, first, last):
        if first <= span.end - 1 <= last:
            put(span.end, _END, number, behind=True)
        if first <= span.start <= last:
            put(span.start, _BEGIN, number)
    for number, span in _near(instead, first, last):
        if first <= span.start <= last:
            put(span.start, _INSTEAD, number)
            left, right = (bisect.bisect_left(block.offsets, each) for each in (span.start, span.end))
            dropped.update(range(left, right))
    chars = ["" if at in dropped else char for at, char in enumerate(block.content)]
    return "".join(inserted.get(at, "") + char for at, char in enumerate([*chars, ""]))


def _near(spans: Sequence[Span], first: int, last: int) -> Iterator[tuple[int, Span]]:
    """The spans that begin or end in a block."""
    for number in range(bisect.bisect_right(spans, first, key=lambda span: span.end), len(spans)):
        if spans[number].start > last:
            return
        yield number, spans[number]


class _Writer:
    """Writes the inline tokens of all blocks, in order: a span goes on from cell to cell."""

    def __init__(self, spans: Sequence[Span], instead: Sequence[Span]) -> None:
        self._spans = spans
        self._instead = instead
        self._current: Span | None = None
        self._links = 0

    def written(self, tokens: list[Token], last: int) -> Iterator[Token]:
        """The tokens of a block that ends at ``last``, with every text as HTML of ours."""
        for token in tokens:
            if token.type == "link_open":
                self._links += 1
                address = _SIGN.sub("", str(token.attrs.get("href", "")))
                token.attrs = {"href": address, "rel": "noopener noreferrer"}
            elif token.type == "link_close":
                self._links -= 1
            elif token.type in ("text", "code_inline", "image", "text_special", "html_inline"):
                token.content = "".join(self._pieces(token))
                token.type = "html_inline"
            yield token
        # A span whose end the mark-up has swallowed ends with its block.
        if self._current and self._current.end - 1 <= last:
            self._current = None

    def code(self, text: str, start: int) -> str:
        """Lines that begin at ``start`` and are shown as they were written."""
        parts, at = [], 0
        for _, span in _near(self._spans, start, start + len(text) - 1):
            left, right = max(0, span.start - start), min(len(text), span.end - start)
            parts.append(self._text(text[at:left], ""))
            self._current, at = span, right
            parts.append(self._text(text[left:right], ""))
            if span.end <= start + len(text):
                self._current = None
                parts.append(span.flag)
        return f"<pre><code>{''.join(parts)}{self._text(text[at:], '')}</code></pre>\n"

    def _pieces(self, token: Token) -> Iterator[str]:
        tag = "code" if token.type == "code_inline" else ""
        if token.type == "image":  # pictures from elsewhere are not loaded
            yield self._text(f"[image: {_SIGN.sub('', token.content)}]", "")
            signs = "".join(match[0] for match in _SIGN.finditer(token.content))
        else:
            signs = token.content
        at = 0
        for match in _SIGN.finditer(signs):
            yield self._text(signs[at : match.start()], tag)
            at = match.end()
            yield self._sign(match[1], int(match[2].translate(_NUMBERS) or "0", 2))
        yield self._text(signs[at:], tag)

    def _sign(self, sign: str, number: int) -> str:
        span = (self._instead if sign == _INSTEAD else self._spans)[number]
        if sign == _BEGIN:
            self._current = span
            return ""
        if sign == _END:
            self._current = None
        return span.plain_flag if self._links else span.flag

    def _text(self, text: str, tag: str) -> str:
        if not text:
            return ""
        shown = escape(text)
        shown = f"<{tag}>{shown}</{tag}>" if tag else shown
        return f'<span class="s {self._current.kind}">{shown}</span>' if self._current else shown

"""The blocks of a text, as Markdown (CommonMark with tables) has them, with a map to the text.

The same parser renders the page, so what is checked as one block is shown as one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

BlockKind: TypeAlias = Literal["paragraph", "item", "heading", "header", "row", "code"]


@dataclass(frozen=True, slots=True)
class Block:
    """A run of text without block mark-up.

    Attributes:
        kind: of the block; ``header`` and ``row`` are cells of a table.
        content: its text, inline mark-up included.
        offsets: where each character of ``content`` stands in the text.
        group: the list item or the table row it belongs to, counted from 1; 0 for none.
        token: index of its token in what :func:`tokens_of` gives.
        header: the head of its table, for a row: the texts of its cells.
    """

    kind: BlockKind
    content: str
    offsets: tuple[int, ...]
    group: int = 0
    token: int = -1
    header: tuple[str, ...] = ()


@cache
def markdown() -> MarkdownIt:
    """The parser: no HTML, no references (their lines are ours), links to web pages only."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.disable(["reference", "html_block", "html_inline"])
    # the library declares the attribute as a method of its class
    parser.validateLink = _is_web  # type: ignore[method-assign,assignment]
    return parser


def _is_web(address: str) -> bool:
    return re.match(r"\s*https?://[^\s/?#]", address, re.IGNORECASE) is not None


def even_lines(text: str) -> str:
    """A text whose lines all end alike, each with ``\\n``; no character moves."""
    text = re.sub(r"\r(?!\n)|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]", "\n", text.replace("\r\n", " \n"))
    return text.replace("\0", "\ufffd")


def starts_of(body: str) -> list[int]:
    """Where each line of a text with even lines begins, and where one behind the last would."""
    starts = [0]
    for line in body.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    return starts


def tokens_of(body: str) -> list[Token]:
    """The tokens of a text whose lines end alike (:func:`even_lines`), inline mark-up not parsed."""
    tokens: list[Token] = []
    markdown().block.parse(body, markdown(), {}, tokens)
    return tokens


def blocks_of(body: str) -> tuple[Block, ...]:
    """The blocks of a text with even lines that have words, in order."""
    return tuple(block for block in blocks_in(body, tokens_of(body)) if block.content.strip())


def blocks_in(body: str, tokens: Sequence[Token]) -> Iterator[Block]:
    """The blocks of these tokens of a text (:func:`tokens_of`), those without words included."""
    starts = starts_of(body)
    groups: list[int] = []
    count, row, at = 0, 0, 0
    kind: BlockKind = "paragraph"
    head: list[str] = []
    for index, token in enumerate(tokens):
        if token.type == "list_item_open":
            count += 1
            groups.append(count)
        elif token.type == "list_item_close":
            groups.pop()
        elif token.type == "heading_open":
            kind = "heading"
        elif token.type == "thead_open":
            head = []
        elif token.type == "tr_open" and token.map:
            count += 1
            row, at = count, starts[token.map[0]]
        elif token.type in ("th_open", "td_open"):
            kind = "header" if token.type == "th_open" else "row"
        elif token.type in ("heading_close", "th_close", "td_close"):
            kind = "paragraph"
        elif token.type in ("fence", "code_block") and token.map:
            start, end = starts[token.map[0]], min(starts[token.map[1]], len(body))
            yield Block("code", body[start:end], tuple(range(start, end)), token=index)
        elif token.type == "inline" and token.map:
            cell = kind in ("header", "row")
            if kind == "header":
                head.append(token.content)
            offsets = (
                _in_cell(body, token.content, at, starts[token.map[1]])
                if cell
                else line_offsets(body, token.content, starts, token.map[0])
            )
            at = offsets[-1] + 1 if cell and offsets else at
            plain: BlockKind = "item" if groups and kind == "paragraph" else kind
            group = row if cell else groups[-1] if groups else 0
            yield Block(plain, token.content, offsets, group, index, tuple(head) if kind == "row" else ())


def line_offsets(body: str, content: str, starts: Sequence[int], first: int) -> tuple[int, ...]:
    """Where the characters of a content stand whose lines are the ends of lines of the text.

    Args:
        body: the text.
        content: of a paragraph, a heading or a block of code.
        starts: where the lines of the text begin.
        first: the number of the line that its first one is from.
    """
    offsets: list[int] = []
    for number, line in enumerate(content.split("\n")):
        if number:
            offsets.append(starts[first + number] - 1)
        start, end = starts[first + number], starts[first + number + 1] - 1
        words = line.strip()
        at = body.rfind(words, start, end) if words else end
        offsets += _aligned(body, line, at if at >= start else start)
    return tuple(offsets)


def _in_cell(body: str, content: str, at: int, end: int) -> tuple[int, ...]:
    """Where the characters of a cell stand between two places: a bar in it stands behind a backslash."""
    start = body.find(content.replace("|", "\\|"), at, end)
    if start < 0:
        return _aligned(body, content, at)
    offsets: list[int] = []
    for char in content:
        start += char == "|"
        offsets.append(start)
        start += 1
    return tuple(offsets)


def _aligned(body: str, content: str, at: int) -> tuple[int, ...]:
    """Where the characters of a content stand from ``at`` on; what was expanded stands where it was."""
    offsets: list[int] = []
    for char in content:
        found = at if body[at : at + 1] == char else -1 if char.isspace() else body.find(char, at)
        if found >= 0:
            at = found + 1
        offsets.append(at - 1 if found >= 0 else min(at, max(len(body) - 1, 0)))
    return tuple(offsets)

"""Markdown (CommonMark with tables): its blocks and plain text, each character with its place in the text.

Pages are drawn with the same parser, so what is checked as one block is shown as one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import unescape
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from verifaible.text.markers import find_markers

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

BlockKind: TypeAlias = Literal["paragraph", "item", "heading", "header", "row", "code"]
#: What a model thought aloud: a text begins with it, or with the rest of it where the prompt had opened it.
#: Then the closing tag stands at a line's beginning or right behind the last word. A tag that a sentence
#: names, with a blank or a quotation mark at it, begins and ends nothing: no word of a person may go with it.
THOUGHT: Final = re.compile(
    r"\A(?:\s*<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z))+"
    r"|\A(?:(?!</?think).)*(?:^|[^\s\"'`“”‘’«»「『(\[])</think(?:ing)?>(?![\"'`“”‘’«»」』)\]])",
    re.DOTALL | re.IGNORECASE | re.MULTILINE,
)
_LINK: Final = re.compile(r"!?\[([^\[\]\n]*)\]\((?:[^()\n]|\([^()\n]*\))*\)")
_ENTITY: Final = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,31});")
#: Addresses and the marks of footnotes, which a blank stands for.
_BLANKED: Final = re.compile(
    r"<https?://[^\s<>]*>|(?:https?://|www\.)[^\s<>()\[\]{}|\"'，。；、（）【】]+|\[\^[^\]\n]{1,20}\]"
    r"|\[\d{1,3}\]",
    re.IGNORECASE,
)
#: Invisible characters, ticks, struck-out marks, escapes (CommonMark 2.4) and emphasis that stands at a word.
_DROPPED: Final = re.compile(
    r"[\u200b-\u200f\u2060\ufeff\u00ad\u202a-\u202e\u2066-\u2069]|\\(?P<kept>[!-/:-@\[-`{-~])|`+|~~"
    r"|(?<!\d)\*+|\*+(?!\d)|(?<![^\W_])_+(?=\S)|(?<=\S)_+(?![^\W_])"
)
#: A stretch without any of these is its own plain text.
_MARKED_UP: Final = re.compile(
    "[`*_~\\\\&\\[【\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]|://|www\\.", re.IGNORECASE
)
#: Inline mark-up is looked for in so many characters at a time.
_WINDOW: Final = 2_000
#: Stands for a character that was dropped while others are still looked for.
_GONE: Final = "\x1f"


@dataclass(frozen=True, slots=True)
class Block:
    """A run of text without block mark-up.

    Attributes:
        kind: of the block; ``header`` and ``row`` are cells of a table.
        content: its text, inline mark-up included.
        offsets: where each character of ``content`` stands in the text.
        group: the list item or table row that it belongs to, counted from 1; 0 for none.
        token: index of its token among those of :func:`tokens_of`.
        header: of a row's cell, the texts of the table's head.
    """

    kind: BlockKind
    content: str
    offsets: tuple[int, ...]
    group: int = 0
    token: int = -1
    header: tuple[str, ...] = ()


@cache
def markdown(*, prose: bool = False) -> MarkdownIt:
    """The parser: no HTML, no reference definitions (such lines are shown), links to web pages only.

    An inline token that is not ``text`` has in ``meta["taken"]`` the range of the block's content that its
    rule took, and a link in ``meta["words"]`` that of its words; markdown-it itself says nothing of inline
    tokens.

    Args:
        prose: as one reads who looks for sentences: indented lines are text and no code, every link and every
            tag of HTML is a token.
    """
    from markdown_it import MarkdownIt, rules_inline

    parser = MarkdownIt("commonmark", {"html": prose}).enable(["table", "strikethrough"])
    parser.disable(["reference", "html_block", *(["code"] if prose else ["html_inline"])])
    # the library declares the attribute as a method of its class
    parser.validateLink = _is_any if prose else _is_web  # type: ignore[method-assign,assignment]
    for name in ("newline", "escape", "backtick", "link", "image", "autolink", "html_inline", "entity"):
        rule = _placing(getattr(rules_inline, name))
        parser.inline.ruler.at("backticks" if name == "backtick" else name, rule)
    return parser


def _placing(rule: Callable[[StateInline, bool], bool]) -> Callable[[StateInline, bool], bool]:
    def placed(state: StateInline, silent: bool) -> bool:
        begin, count = state.pos, len(state.tokens)
        found = rule(state, silent)
        if found and not silent:
            for token in state.tokens[count:]:
                if token.type != "text":
                    token.meta.setdefault("taken", (begin, state.pos))
                if token.type == "link_open" and state.src[begin] == "[" and "words" not in token.meta:
                    end = state.md.helpers.parseLinkLabel(state, begin, True)
                    token.meta["words"] = (begin + 1, end)
                    break
        return found

    return placed


def _is_web(address: str) -> bool:
    return re.match(r"\s*https?://[^\s/?#]", address, re.IGNORECASE) is not None


def _is_any(address: str) -> bool:
    return bool(address)


def even_lines(text: str) -> str:
    """A text whose lines all end with ``\\n``; no character moves."""
    text = re.sub(r"\r(?!\n)|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]", "\n", text.replace("\r\n", " \n"))
    return text.replace("\0", "\ufffd")


def starts_of(body: str) -> list[int]:
    """Where each line of a text with even lines begins, and where one behind the last would."""
    starts = [0]
    for line in body.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    return starts


def tokens_of(body: str, *, prose: bool = False) -> list[Token]:
    """The block tokens of a text with even lines (:func:`even_lines`); inline mark-up is not parsed."""
    tokens: list[Token] = []
    parser = markdown(prose=prose)
    parser.block.parse(body, parser, {}, tokens)
    return tokens


def blocks_of(body: str, *, prose: bool = False) -> tuple[Block, ...]:
    """The blocks of a text with even lines that have words, in order; ``prose`` as for :func:`markdown`."""
    return tuple(block for block in blocks_in(body, tokens_of(body, prose=prose)) if block.content.strip())


@dataclass(frozen=True, slots=True)
class Inline:
    """A link, a picture, a stretch of code or a tag: ``text[start:end]``.

    Attributes:
        address: where a link leads, as Markdown means it: without escapes and entities.
        words: the range of a link's words; of others, ``(start, start)``.
    """

    kind: Literal["link", "image", "code", "tag"]
    start: int
    end: int
    words: tuple[int, int]
    address: str = ""


_INLINE: Final[dict[str, Literal["link", "image", "code", "tag"]]] = {
    "link_open": "link",
    "image": "image",
    "code_inline": "code",
    "html_inline": "tag",
}


def inlines_of(block: Block) -> Iterator[Inline]:
    """What a block holds besides words, in order; what stands in a link follows it."""
    parser = markdown(prose=True)
    at = 0
    while at < len(block.content):
        end = _window(block.content, at)
        tokens: list[Token] = []
        parser.inline.parse(block.content[at:end], parser, {}, tokens)
        for token in tokens:
            kind, taken = _INLINE.get(token.type), token.meta.get("taken")
            if kind and taken:
                start, stop = (block.offsets[at + taken[0]], block.offsets[at + taken[1] - 1] + 1)
                low, high = token.meta.get("words", (0, 0))
                words = (block.offsets[at + low], block.offsets[at + high]) if high > low else (start, start)
                yield Inline(kind, start, stop, words, str(token.attrGet("href") or ""))
        at = end


def _window(content: str, at: int) -> int:
    """Where to cut a block so that one of any length takes linear time: behind a line, else a word."""
    if len(content) <= at + _WINDOW:
        return len(content)
    cuts = (content.rfind(sign, at + _WINDOW // 2, at + _WINDOW) + 1 for sign in "\n ")
    return next((cut for cut in cuts if cut), at + _WINDOW)


def blocks_in(body: str, tokens: Sequence[Token]) -> Iterator[Block]:
    """The blocks of these tokens of a text (:func:`tokens_of`), those without words included."""
    starts = starts_of(body)
    groups: list[int] = []
    head: list[str] = []
    count = row = at = 0
    for index, token in enumerate(tokens):
        first, last = token.map or (0, 0)
        opener = tokens[index - 1].type if index else ""
        if token.type == "list_item_open":
            count += 1
            groups.append(count)
        elif token.type == "list_item_close":
            groups.pop()
        elif token.type == "thead_open":
            head = []
        elif token.type == "tr_open":
            row = count = count + 1
            at = starts[first]
        elif token.type in ("fence", "code_block"):
            start, end = starts[first], min(starts[last], len(body))
            yield Block("code", body[start:end], tuple(range(start, end)), token=index)
        elif token.type == "inline" and opener in ("th_open", "td_open"):
            if opener == "th_open":
                head.append(token.content)
            offsets = _in_cell(body, token.content, at, starts[last])
            at = offsets[-1] + 1 if offsets else at
            kind: BlockKind = "header" if opener == "th_open" else "row"
            yield Block(kind, token.content, offsets, row, index, tuple(head) if kind == "row" else ())
        elif token.type == "inline":
            kind = "heading" if opener == "heading_open" else "item" if groups else "paragraph"
            offsets = line_offsets(body, token.content, starts, first)
            yield Block(kind, token.content, offsets, groups[-1] if groups else 0, index)


def line_offsets(body: str, content: str, starts: Sequence[int], first: int) -> tuple[int, ...]:
    """Where the characters of a content stand whose lines are the ends of lines of the text.

    Args:
        body: the text.
        content: of a paragraph, a heading or a block of code.
        starts: where the lines of the text begin.
        first: the number of the line that its first one is from.
    """
    offsets: list[int] = []
    for number, line in enumerate(content.split("\n"), first):
        if number > first:
            offsets.append(starts[number] - 1)
        start, end = starts[number], starts[number + 1] - 1
        words = line.lstrip(" \t")
        begin = max(start, body.rfind(words, start, end)) + len(words) - len(line)
        offsets += [max(start, begin + at) for at in range(len(line))]  # a tab may have become blanks
    return tuple(offsets)


def _in_cell(body: str, content: str, at: int, end: int) -> tuple[int, ...]:
    """Where the characters of a cell stand between two places: a bar in it stands behind a backslash."""
    at = max(at, body.find(content.replace("|", "\\|"), at, end))
    offsets: list[int] = []
    for char in content:
        at += char == "|"
        offsets.append(at)
        at += 1
    return tuple(offsets)


@dataclass(frozen=True, slots=True)
class Plain:
    """A plain text; character ``i`` of ``text`` stands at ``offsets[i]`` in what was written."""

    text: str
    offsets: tuple[int, ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where ``text[start:end]``, which must not be empty, was written."""
        return self.offsets[start], self.offsets[end - 1] + 1


def plain(text: str, start: int = 0) -> Plain:
    """A stretch of an answer without mark-up.

    Emphasis, ticks, escapes and invisible characters are dropped, of a link its words are kept, an entity is
    the character that it stands for; markers, addresses and marks of footnotes are blank.

    Args:
        text: the stretch.
        start: where it begins in the answer.
    """
    if not _MARKED_UP.search(text):
        return Plain(text.replace("\n", " "), tuple(range(start, start + len(text))))
    chars = list(text)
    for marker in find_markers(text):
        chars[marker.start : marker.end] = [" "] * (marker.end - marker.start)
    for match in _ENTITY.finditer("".join(chars)):
        char = unescape(match[0])
        if len(char) == 1:
            chars[match.start() : match.end()] = [char, *[""] * (len(match[0]) - 1)]
    for match in _LINK.finditer(_seen(chars)):
        for at in (*range(match.start(), match.start(1)), *range(match.end(1), match.end())):
            chars[at] = ""
    for match in _BLANKED.finditer(_seen(chars)):
        chars[match.start() : match.end()] = [" "] * (match.end() - match.start())
    for match in _DROPPED.finditer(_seen(chars)):
        end = match.start("kept") if match["kept"] else match.end()  # what is escaped stays
        chars[match.start() : end] = [""] * (end - match.start())
    found = [(" " if char == "\n" else char, start + at) for at, char in enumerate(chars) if char]
    return Plain("".join(char for char, _ in found), tuple(at for _, at in found))


def _seen(chars: list[str]) -> str:
    return "".join(char or _GONE for char in chars)

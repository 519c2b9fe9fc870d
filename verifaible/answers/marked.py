"""The HTML of an answer: Markdown with its sentences marked, made of nothing but escaped text and our tags.

Signs are put into the text of each block where sentences begin and end and where markers stand; then the
inline mark-up of the block is parsed, and each piece of text gets the element of its sentence. So elements
always nest.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Mapping
from html import escape
from typing import TYPE_CHECKING, Final

from verifaible.answers.check import CheckedAnswer, CheckedMarker, CheckedSentence
from verifaible.answers.layout import Block, blocks_of, markdown, tokens_of
from verifaible.answers.markers import body_of
from verifaible.answers.words import FLAGS

if TYPE_CHECKING:
    from markdown_it.token import Token

#: Signs of a script that nobody writes answers in. They count as punctuation, so that emphasis beside them is
#: still emphasis; the last two are the digits of the number behind the first three.
_BEGIN, _END, _MARKER, _ZERO, _ONE = "\U00012470", "\U00012471", "\U00012472", "\U00012473", "\U00012474"
_OWN = re.compile("[\U00012470-\U00012474]")
_SIGN = re.compile(f"([{_BEGIN}{_END}{_MARKER}])([{_ZERO}{_ONE}]*)")
_DIGITS: Final = str.maketrans("01", _ZERO + _ONE)
_NUMBERS: Final = str.maketrans(_ZERO + _ONE, "01")


def answer_html(checked: CheckedAnswer, labels: Mapping[str, str]) -> str:
    """The answer as HTML.

    Args:
        checked: the answer.
        labels: of the citations that the page shows, by id; a marker is a link to ``#e-<id>``.
    """
    body = _OWN.sub("\ufffd", body_of(checked.answer))
    tokens = tokens_of(body)
    writer = _Writer(checked, labels)
    for block in blocks_of(body):
        if block.kind != "code":
            signed = _signed(block, checked)
            children = markdown().parseInline(signed)[0].children or []
            tokens[block.token].children = list(writer.written(children))
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + 2, 6)}"  # the page has its own first two
    return str(markdown().renderer.render(tokens, markdown().options, {}))


def _signed(block: Block, checked: CheckedAnswer) -> str:
    """The text of a block with signs; of a marker nothing else is left."""
    inserted: dict[int, str] = {}
    dropped: set[int] = set()
    first, last = block.offsets[0], block.offsets[-1]

    def put(offset: int, sign: str, number: int, *, behind: bool = False) -> None:
        at = bisect.bisect_left(block.offsets, offset)
        text = sign + f"{number:b}".translate(_DIGITS)
        inserted[at] = text + inserted.get(at, "") if behind else inserted.get(at, "") + text

    for number, sentence in enumerate(checked.sentences):
        if sentence.kind == "code":
            continue
        if first <= sentence.end - 1 <= last:
            put(sentence.end, _END, number, behind=True)
        if first <= sentence.start <= last:
            put(sentence.start, _BEGIN, number)
    for number, marker in enumerate(checked.markers):
        if first <= marker.start <= last:
            put(marker.start, _MARKER, number)
            left, right = (bisect.bisect_left(block.offsets, each) for each in (marker.start, marker.end))
            dropped.update(range(left, right))
    chars = ["" if at in dropped else char for at, char in enumerate(block.content)]
    return "".join(inserted.get(at, "") + char for at, char in enumerate([*chars, ""]))


class _Writer:
    """Writes the inline tokens of all blocks, in order: a sentence goes on from cell to cell."""

    def __init__(self, checked: CheckedAnswer, labels: Mapping[str, str]) -> None:
        self._checked = checked
        self._labels = labels
        self._current: CheckedSentence | None = None
        self._links = 0

    def written(self, tokens: list[Token]) -> Iterator[Token]:
        """The tokens with every text as HTML of ours."""
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
        if sign == _MARKER:
            return self._marker(self._checked.markers[number])
        if sign == _BEGIN:
            self._current = self._checked.sentences[number]
            return ""
        self._current = None
        return _flag(self._checked.sentences[number])

    def _text(self, text: str, tag: str) -> str:
        if not text:
            return ""
        shown = escape(text)
        shown = f"<{tag}>{shown}</{tag}>" if tag else shown
        return f'<span class="s {self._current.state}">{shown}</span>' if self._current else shown

    def _marker(self, marker: CheckedMarker) -> str:
        parts = []
        for name in marker.citations:
            label = escape(self._labels.get(name, name[:8]))
            broken = ' class="broken"' if marker.fault else ""
            if name not in self._labels or self._links:
                parts.append(f"<span{broken}>{label}</span>")
            else:
                parts.append(f'<a{broken} href="#e-{escape(name)}" aria-label="evidence {label}">{label}</a>')
        if not parts:
            parts = [f'<span class="broken">{escape(", ".join(marker.targets))}</span>']
        return f'<sup class="m">[{", ".join(parts)}]</sup>'


def _flag(sentence: CheckedSentence) -> str:
    """What stands behind a sentence, for eyes and for screen readers."""
    if sentence.state == "no_facts":
        return ""
    sign, word = FLAGS[sentence.state]
    told = ""
    if sentence.state == "partly":
        told = f'<span class="why">not in the evidence: {escape(", ".join(sentence.missing))}</span>'
    elif sentence.state != "supported":
        told = f'<span class="why">{word}</span>'
    title = escape("; ".join(sentence.faults) or word)
    hidden = "" if told else f'<span class="unseen">{word}</span>'
    return f'<span class="flag {sentence.state}" title="{title}">{sign}{hidden}{told}</span>'

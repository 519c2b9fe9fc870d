"""How tool results are shown to a model: delimited as foreign text, in pages, cut at line ends.

Only this copy is ever shortened, and it always says so; what becomes evidence stays whole.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from verifaible.text.delimited import shorten

#: Most characters of one result in letters; of Chinese, Japanese or Korean less, see :func:`page_size`.
PAGE_CHARACTERS = 6_000
#: A letter of an alphabet is about a quarter of a token, a wide character nearly one; a page of them still
#: holds more of a text than a page of letters.
_WIDE_WEIGHT = 1.3
_WIDE = re.compile("[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\uff00-\uff60]+")
#: A single table row is shown whole up to so many characters, a longer one in pieces of this length: the
#: same for every ``limit``, so that an offset between two pieces is known again.
LONGEST_ROW = 3 * PAGE_CHARACTERS
#: What is left over is shown too if it is at most this share of a page: a call more costs more.
_SLACK = 0.08
#: Of the words that the best place has, another place must have this share.
_ALIKE = 0.75
#: Paragraphs longer than this are searched line by line.
_LONG_BLOCK = 1_200
_MOST_HEADINGS = 30
#: A heading, or a paragraph that is wholly bold: the title of a table or a section.
_HEADING = re.compile(r"^(?:#{1,6} \S.*|\*\*[^*\n]{1,120}\*\*)$", re.MULTILINE)
_REFERENCE = re.compile(r"\]\[(\d{1,6})\]")
_SEPARATOR_ROW = re.compile(r"\|(?:\s*:?-+:?\s*\|)+\s*")
_CJK_RUN = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]+|[^\s\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]+"
)


def one_line(text: str, limit: int = 200) -> str:
    """A text on one line, shortened."""
    return shorten(" ".join(text.split()), limit)


@dataclass(frozen=True, slots=True)
class Part:
    """A page of a long text: its characters ``start`` to ``end`` (exclusive) of ``total``.

    ``head`` repeats the header of a table that began before ``start``.
    """

    text: str
    start: int
    end: int
    total: int
    head: str = ""

    @property
    def shown(self) -> str:
        """What to show: the repeated header, then the text."""
        return f"{self.head}{self.text}"

    @property
    def is_last(self) -> bool:
        """Whether nothing follows."""
        return self.end >= self.total

    def describe(self) -> str:
        """Which part this is, and how to get the next one."""
        if self.start == 0 and self.is_last:
            return f"All {self.total} characters."
        where = f"Characters {self.start} to {self.end} of {self.total}."
        return where if self.is_last else f"{where} Next part: offset={self.end}."


def page_size(text: str) -> int:
    """How many characters of this text one result shows: some 1,500 tokens of English, 3,000 of Chinese."""
    wide = len(text) - len(_WIDE.sub("", text))
    return int(PAGE_CHARACTERS / (1 + _WIDE_WEIGHT * wide / max(1, len(text))))


def part_at(text: str, offset: int, limit: int | None = None) -> Part:
    """The part of a text from ``offset``, at most ``limit`` characters, cut at a line end.

    Without a limit it is a page (:func:`page_size`).

    A table row is only split where it is longer than LONGEST_ROW, there at multiples of it: an offset
    inside a row or a piece goes back to its beginning. A table that goes on has its header repeated.
    """
    limit = page_size(text) if limit is None else limit
    start = min(max(offset, 0), len(text))
    line_start = text.rfind("\n", 0, start) + 1
    if start < len(text) and text.startswith("|", line_start):
        start -= (start - line_start) % LONGEST_ROW if text[start] != "\n" else start - line_start
    head = _table_head(text, line_start) if start < len(text) else ""
    if len(head) > limit:
        head = ""
    room = max(limit - len(head), limit // 2)
    end = _cut(text, start, start + room)
    return Part(text[start:end], start, end, len(text), head)


def _cut(text: str, start: int, wanted: int) -> int:
    """Where to end a part that should be ``wanted`` at most: after a line, a sentence, a word."""
    if wanted + (wanted - start) * _SLACK >= len(text):
        return len(text)
    line_end = text.rfind("\n", start + 1, wanted + 1)
    line_start = text.rfind("\n", 0, wanted) + 1
    in_table = text.startswith("|", line_start)
    if in_table and line_start <= start:
        row_end = text.find("\n", wanted)
        row_end = len(text) if row_end < 0 else row_end + 1
        return min(row_end, start + LONGEST_ROW)
    if in_table or line_end >= start + (wanted - start) // 2:
        return max(line_end + 1, line_start)
    for mark in ("。", ". ", " "):
        place = text.rfind(mark, start + (wanted - start) // 2, wanted)
        if place > 0:
            return place + len(mark)
    return wanted


def _table_head(text: str, start: int) -> str:
    """The header lines of the pipe table that ``start`` stands in the middle of, else nothing."""
    if not text.startswith("|", start):
        return ""
    first = start
    while first > 0 and text.startswith("|", previous := text.rfind("\n", 0, first - 1) + 1):
        first = previous
    lines = text[first:start].splitlines()
    if len(lines) < 2 or not _SEPARATOR_ROW.fullmatch(lines[1]):
        return ""
    return f"(the table goes on)\n{lines[0]}\n{lines[1]}\n"


def used_links(text: str, links: Sequence[str]) -> str:
    """The definitions of the references ``[text][n]`` in a text; nothing where it has none."""
    numbers = dict.fromkeys(int(match[1]) for match in _REFERENCE.finditer(text))
    lines = [f"[{number}]: {links[number - 1]}" for number in numbers if 0 < number <= len(links)]
    return "\n\nLinks\n" + "\n".join(lines) if lines else ""


def outline_of(text: str) -> list[str]:
    """The Markdown headings of a text, each with the offset to read on from."""
    found = [f"{match.start()}: {one_line(match[0], 100)}" for match in _HEADING.finditer(text)]
    left = len(found) - _MOST_HEADINGS
    return [*found[:_MOST_HEADINGS], f"… {left} more headings"] if left > 0 else found


@dataclass(frozen=True, slots=True)
class _Block:
    """A paragraph, or a row of a table with the header and the line above the table."""

    start: int
    text: str
    head: str = ""
    title: str = ""


def parts_about(text: str, words: str, limit: int | None = None) -> str:
    """The paragraphs and table rows of a text that hold the words, in reading order.

    Those with the most of the words are kept; each comes with its offset. Chinese words that
    are not found whole are looked for in pairs of characters.

    Returns:
        An empty string if none of the words is in the text.
    """
    limit = page_size(text) if limit is None else limit
    blocks = _blocks(text)
    terms = _terms(words, _fold(text))
    scored = [(_score(block, terms), block) for block in blocks]
    best = max((score for score, _ in scored), default=0)
    if not best:
        return ""
    needed = _ALIKE * best
    chosen = sorted((pair for pair in scored if pair[0] >= needed), key=lambda pair: -pair[0])
    kept: list[_Block] = []
    size = 0
    for _, block in chosen:
        size += len(block.text) + 20
        if kept and size > limit:
            break
        kept.append(block)
    kept.sort(key=lambda block: block.start)
    shown = "\n".join(_shown(kept, limit))
    left = len(chosen) - len(kept)
    return f"{shown}\n\n({left} more places are left out: give more words)" if left else shown


def _score(block: _Block, terms: Sequence[str]) -> int:
    """How many of the terms a block has; a row has those of its header too, if it has one itself."""
    own = _fold(block.text)
    if not any(term in own for term in terms):
        return 0
    around = _fold(f"{block.title} {block.head}") if block.head else ""
    return sum(term in own or term in around for term in terms)


def _shown(blocks: Sequence[_Block], limit: int) -> Iterable[str]:
    head = ("", "")
    for block in blocks:
        if block.head and (block.title, block.head) != head:
            yield f"\n{shorten(block.title, 200)}\n{block.head}"
        head = (block.title, block.head)
        if block.head:
            yield shorten(block.text, limit)
        else:
            yield f"\n[offset {block.start}] {shorten(block.text, limit)}"


def _blocks(text: str) -> list[_Block]:
    """Paragraphs and table rows, in order."""
    blocks: list[_Block] = []
    before = ""
    place = 0
    for paragraph in re.split(r"(\n[ \t]*\n)", text):
        lines = paragraph.splitlines(keepends=True)
        if len(lines) > 2 and lines[0].startswith("|") and _SEPARATOR_ROW.fullmatch(lines[1].strip()):
            head = "".join(lines[:2]).rstrip()
            position = place + len(lines[0]) + len(lines[1])
            for line in lines[2:]:
                blocks.append(_Block(position, line.rstrip(), head, before))
                position += len(line)
        elif len(paragraph) > _LONG_BLOCK and len(lines) > 1:
            position = place
            for line in lines:
                if line.strip():
                    blocks.append(_Block(position, line.rstrip()))
                position += len(line)
        elif paragraph.strip():
            blocks.append(_Block(place, paragraph.strip()))
            before = blocks[-1].text
        place += len(paragraph)
    return blocks


def _terms(words: str, folded_text: str) -> list[str]:
    terms: list[str] = []
    runs = [run for word in words.split() for run in _CJK_RUN.findall(_fold(word))]
    for run in runs:
        if run in folded_text or run.isascii() or len(run) <= 2:
            terms.append(run)
        else:
            terms += [run[index : index + 2] for index in range(len(run) - 1)]
    return list(dict.fromkeys(terms))


def _fold(text: str) -> str:
    """Without white space: tables spread the two characters of a city's name apart."""
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def missing_note(misses: Sequence[str], refused: Sequence[str] = ()) -> list[str]:
    """Lines that name what a page asked for and did not get; none if it got everything."""
    lines = []
    if misses:
        names = list(dict.fromkeys(misses))
        more = f" and {len(names) - 6} more" if len(names) > 6 else ""
        lines.append(
            "not in the offline archives: " + ", ".join(one_line(name, 200) for name in names[:6]) + more
        )
    if refused:
        lines.append("refused by the URL guard: " + "; ".join(one_line(name, 200) for name in refused[:3]))
    return lines


def pdf_page(number: int, count: int, text: str) -> str:
    """The text of a PDF page under a line that names it."""
    if not text.strip():
        return f"[page {number} of {count}: no text, only a picture or nothing]"
    return f"[page {number} of {count}]\n{text.strip()}"

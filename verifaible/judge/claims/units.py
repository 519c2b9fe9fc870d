"""The sentences of an answer with where each stands: under which headings and labels, in which cell.

A sentence here is what :mod:`verifaible.answers.sentences` finds, a cell of a table, a heading, or a line
that stands like an item of a list. Marks are blank in all of them; each is given to the sentence that it
stands in or directly follows, or to the section of the heading that it stands in or behind.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import zip_longest
from typing import Final

from verifaible.judge.claims.sentences import BREAK, MARK, lost, masked, sentences_of, trimmed, without_tags
from verifaible.judge.inputs.marks import CitedMark, blanked, marks_in
from verifaible.judge.inputs.references import listed_in
from verifaible.judge.inputs.resolving import Resolved, resolve
from verifaible.schema.analyst import AnalystAnswer, Source
from verifaible.text.markdown import Block, BlockKind, Plain, blocks_of, plain

#: The level of a lead-in, under all headings; a line of bold words is one above it.
_LEAD_LEVEL: Final = 8
#: A lead-in of more characters names no subject.
_LONGEST_LEAD: Final = 90

#: Heads of columns whose cells name what the row is about, and how long such a name may be.
_NAMING: Final = re.compile(
    r"(?:assets?|tokens?|coins?|symbol|ticker|(?:trading )?pair|pools?|chains?|networks?|stablecoins?"
    r"|collateral|代币|币种|资产|交易对|(?:公)?链|网络)",
    re.IGNORECASE,
)
_LONGEST_NAME: Final = 24
#: What makes a cell a value: digits that are no part of a name.
_VALUE: Final = re.compile(r"(?<![^\W\d_])\d")
_HEADING_NUMBER = re.compile(
    r"\s*(?:\d{1,2}(?:\.\d{1,2})*[.)、:]?\s+|[IVX]{1,4}\.\s+|[一二三四五六七八九十]{1,2}、\s*)"
)
#: Headings that name no subject.
_GENERIC: Final = re.compile(
    r"(?:key )?(?:overview|summary|introduction|conclusions?|takeaways?|highlights|analysis|details|answer|"
    r"bottom line|tl;?dr|executive summary|概述|总结|摘要|结论|简介|引言|要点)\W*",
    re.IGNORECASE,
)
_BOLD_LINE = re.compile(r"\s*(\*\*|__)(?:(?!\1).)+\1\s*[:：]?\s*(?:\*\*)?\s*\Z", re.DOTALL)
#: A short line without a stop, over a list.
_PLAIN_TITLE = re.compile(r"[^\n.:;!?。：；！？|]{1,60}")
_LABEL = re.compile(
    r"\s*(?:(\*\*|__)(?P<bold>(?:(?!\1).){1,120}?)\1(?:\s*[:：])?"
    r"|(?P<bare>[^:：.。!?\n]{1,40}[:：])(?=\s|\S*\d|[^\x00-\x7f]))"
)


@dataclass(slots=True)
class Unit:
    """A sentence, a heading or a cell.

    Attributes:
        start: first code point of it in the answer.
        end: behind the last one.
        kind: of its block; ``row`` for a cell.
        sentence: its number; the cells of a row share one.
        context: headings, lead-in, label, or head and row, outermost first.
        group: what it shares marks with; 0 for nothing.
        section: number of the section it is in.
        head: whether it stands before what is under it: a heading, a line of bold words, a lead-in.
        label: the label of its row, not a cell beside it.
        marks: those in it or directly behind it.
    """

    start: int
    end: int
    kind: BlockKind
    sentence: int
    context: tuple[str, ...] = ()
    group: int = 0
    section: int = 0
    head: bool = False
    label: bool = False
    marks: list[CitedMark] = field(default_factory=list)


@dataclass(slots=True)
class _Section:
    """A heading with its marks; ``level`` 7 is a line of bold words."""

    level: int
    text: str
    parent: int
    marks: list[CitedMark] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Closing:
    """The sources that an answer without any mark lists; what stands before ``at`` rests on them all."""

    listed: Resolved = field(default_factory=Resolved)
    at: int = 0


@dataclass(frozen=True, slots=True)
class Units:
    """The units of an answer in order, its sections, its text without marks, and its list of sources."""

    body: str
    units: tuple[Unit, ...]
    sections: tuple[_Section, ...]
    closing: Closing

    def plain(self, start: int, end: int) -> Plain:
        """Words of the answer without mark-up."""
        return plain(self.body[start:end], start)

    def section_marks(self, section: int) -> list[CitedMark]:
        """The marks of the innermost heading over a section that has any."""
        while section:
            if self.sections[section].marks:
                return self.sections[section].marks
            section = self.sections[section].parent
        return []


def units_of(answer: AnalystAnswer) -> Units:
    """The units of an answer; kept for a while, since splitting, coverage and a judge's reply need them."""
    return _units_of(answer.answer, answer.sources)


@lru_cache(maxsize=16)
def _units_of(text: str, sources: tuple[Source, ...]) -> Units:
    marks = marks_in(text, sources)
    body = without_tags(blanked(text))
    reading = _Reading(*masked(body, marks), marks)
    blocks = blocks_of(reading.marked)
    left_out = lost(reading.marked, blocks)
    ordered = sorted((*blocks, *left_out), key=lambda each: each.offsets[0])
    for block, following in zip_longest(ordered, ordered[1:]):
        reading.read(block, leads=following is not None and following.kind in ("item", "row"))
    reading.place_marks()
    listed = listed_in(text)
    closing = Closing()
    if listed.ranges and not marks:
        closing = Closing(resolve(listed.references, sources, listed.references), listed.ranges[-1][1])
    return Units(reading.body, tuple(reading.units), tuple(reading.sections), closing)


class _Reading:
    """Reads blocks in order, keeping what stands over them."""

    def __init__(self, marked: str, body: str, marks: Sequence[CitedMark]) -> None:
        self.marked, self.body = marked, body
        self.units: list[Unit] = []
        self.sections: list[_Section] = [_Section(0, "", 0)]
        self._marks = marks
        self._section = 0
        self._sentence = -1
        #: (column, text) of the items and the lead-in that stand over what comes next
        self._over: list[tuple[int, str]] = []
        self._header: tuple[str, ...] = ()
        self._row: list[Block] = []
        self._lead = ""
        self._fresh = False

    def read(self, block: Block, *, leads: bool) -> None:
        """One more block; ``leads`` says that a list or a table follows it."""
        if block.kind == "row":
            if self._row and self._row[-1].group != block.group:
                self._flush_row()
            self._row.append(block)
            return
        self._flush_row()
        if block.kind == "heading":
            self._heading(block, _level(self.marked, block.offsets[0]))
        elif block.kind in ("paragraph", "item"):
            self._text(block, leads=leads)

    # --- text

    def _heading(self, block: Block, level: int) -> None:
        self._fresh = False
        start, end = trimmed(self.marked, block.offsets[0], block.offsets[-1] + 1)
        text = self._words(start, end)
        parent = self._section
        while parent and self.sections[parent].level >= level:
            parent = self.sections[parent].parent
        self.sections.append(_Section(level, text, parent))
        self._section = len(self.sections) - 1
        self._over, self._lead = [], ""
        self._add(start, end, "heading", self._path(parent), head=True)

    def _text(self, block: Block, *, leads: bool) -> None:
        content = block.content.replace(MARK, " ")
        if block.kind == "paragraph" and (
            _BOLD_LINE.match(content) or (leads and _PLAIN_TITLE.fullmatch(content))
        ):
            self._bold_line(block)
            return
        first = block.offsets[0]
        column = first - self.marked.rfind("\n", 0, first) if block.kind == "item" else 0
        while self._over and (not column or self._over[-1][0] >= column):
            self._over.pop()
        if block.kind != "item" and not self._fresh:
            self._end_lead()
        self._fresh = False
        over = self._path(self._section) + ((self._lead,) if self._lead else ())
        over += tuple(text for _, text in self._over)
        label, last = "", 0
        for number, (start, end) in enumerate(sentences_of(block.content)):
            first = block.offsets[start]
            last = block.offsets[end - 1] + 1
            context = over + ((label,) if label else ())
            line_lead = self._add(first, last, block.kind, context, group=block.group)
            if block.kind == "item" and number == 0:
                label = self._label(block.content[start:end])
            if line_lead.endswith((":", "：")) and block.kind == "paragraph":
                self._lead, self._fresh = _short(line_lead), True
        if block.kind == "item" and last:
            self._over.append((column, label or _short(self._words(block.offsets[0], last))))

    def _bold_line(self, block: Block) -> None:
        """A paragraph of bold words stands like a heading: what follows is under it."""
        start, end = trimmed(self.marked, block.offsets[0], block.offsets[-1] + 1)
        text = self._words(start, end)
        if text.endswith((".", "。", "?", "？", "!", "！")):
            self._over, self._lead = [], ""
            for first, last in sentences_of(block.content):
                self._add(
                    block.offsets[first], block.offsets[last - 1] + 1, "paragraph", self._path(self._section)
                )
            return
        lead = text.endswith((":", "："))
        self._end_lead()
        self._heading(block, _LEAD_LEVEL if lead else _LEAD_LEVEL - 1)
        self._fresh = lead

    def _end_lead(self) -> None:
        """What a lead-in leads in has ended."""
        self._lead = ""
        while self.sections[self._section].level == _LEAD_LEVEL:
            self._section = self.sections[self._section].parent

    def _label(self, text: str) -> str:
        match = _LABEL.match(text.replace(MARK, " "))
        if not match:
            return ""
        return " ".join((match["bold"] or match["bare"] or "").split()).strip(":： *_")

    def _path(self, section: int) -> tuple[str, ...]:
        path: list[str] = []
        while section:
            text = _HEADING_NUMBER.sub("", self.sections[section].text, count=1).rstrip(":： ")
            if text and not _GENERIC.fullmatch(text):
                path.append(text)
            section = self.sections[section].parent
        return tuple(reversed(path))

    def _words(self, start: int, end: int) -> str:
        return " ".join(plain(self.body[start:end]).text.split())

    def _add(
        self,
        start: int,
        end: int,
        kind: BlockKind,
        context: tuple[str, ...],
        *,
        group: int = 0,
        same_sentence: bool = False,
        head: bool = False,
        label: bool = False,
    ) -> str:
        """Add a unit, unless it has no words; its words."""
        start, end = trimmed(self.marked, start, end)
        words = self._words(start, end) if end > start else ""
        if any(char.isalnum() for char in words):
            self._sentence += not same_sentence
            unit = Unit(start, end, kind, self._sentence, context, group, self._section, head, label)
            self.units.append(unit)
        return words

    # --- tables

    def _flush_row(self) -> None:
        cells, self._row = self._row, []
        if not cells:
            return
        texts = [self._words(cell.offsets[0], cell.offsets[-1] + 1) for cell in cells]
        columns = _columns(self.marked, cells)
        header = [self._head_words(text) for text in cells[0].header]
        labels = _label_cells(texts, header)
        row = " ".join(texts[at] for at in labels)
        over = self._path(self._section)
        group = cells[0].group
        same = False
        for at, (cell, text) in enumerate(zip(cells, texts, strict=True)):
            column = header[columns[at]] if columns[at] < len(header) else ""
            named = () if at in labels else (row,)
            context = tuple(each for each in (*over, column, *named) if each)
            before = len(self.units)
            if _says_something(text):
                self._cell(cell, context, group, same, at in labels)
            same = same or len(self.units) > before

    def _cell(self, cell: Block, context: tuple[str, ...], group: int, same: bool, label: bool) -> None:
        parts = re.split(f"{BREAK}+", cell.content)
        at = 0
        for part in parts:
            at = cell.content.index(part, at)
            for start, end in sentences_of(part):
                first, last = cell.offsets[at + start], cell.offsets[at + end - 1] + 1
                self._add(first, last, "row", context, group=group, same_sentence=same, label=label)
                same = True
            at += len(part)

    def _head_words(self, text: str) -> str:
        return " ".join(plain(text.replace(MARK, " ").replace(BREAK, " ")).text.split())

    # --- marks

    def place_marks(self) -> None:
        """Give each mark to the unit that it stands in or directly follows, or to a heading's section."""
        self._flush_row()
        at = -1
        for cited in self._marks:
            while at + 1 < len(self.units) and self.units[at + 1].start <= cited.mark.start:
                at += 1
            following = self.units[at + 1] if at + 1 < len(self.units) else None
            unit = self.units[at] if at >= 0 else None
            if following and self._leads(cited, unit, following):
                unit = following
            if unit is None:
                continue
            if unit.head:
                self.sections[unit.section].marks.append(cited)
            else:
                unit.marks.append(cited)

    def _leads(self, cited: CitedMark, unit: Unit | None, following: Unit) -> bool:
        """Whether a mark begins the block or the cell of what follows it."""
        between = self.marked[cited.mark.end : following.start]
        if "\n" in between or "|" in between:
            return False
        before = self.marked[unit.end : cited.mark.start] if unit else "\n"
        return "\n" in before or "|" in before


def _short(lead: str) -> str:
    """A lead-in as context; a long one names no subject and is left out."""
    lead = lead.rstrip(":： ")
    return lead if len(lead) <= _LONGEST_LEAD else ""


def _level(text: str, at: int) -> int:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return min(line.count("#"), 6) or 1


def _columns(text: str, cells: Sequence[Block]) -> list[int]:
    """The column of each cell of a row: empty cells are no blocks, so bars are counted."""
    line = text.rfind("\n", 0, cells[0].offsets[0]) + 1
    leads = text[line : cells[0].offsets[0]].lstrip(" >\t").startswith("|")
    columns: list[int] = []
    bars, at = 0, line
    for cell in cells:
        bars += len(re.findall(r"(?<!\\)\|", text[at : cell.offsets[0]]))
        at = cell.offsets[-1] + 1
        columns.append(bars - leads)
    return columns


def _label_cells(texts: Sequence[str], header: Sequence[str]) -> tuple[int, ...]:
    """The cells that say what a row is about.

    The first; the second where the first only counts; and those behind it whose heads say that they name
    things too (``Platform | Asset | APY``), as long as a value follows.
    """
    counts = (
        re.fullmatch(r"(?:#|no\.?|rank|排名|序号|名次|nr\.?)?", header[0].lower().strip()) if header else None
    )
    labels = [0]
    if len(texts) > 2 and counts and re.fullmatch(r"[#\d.\s🥇🥈🥉]{1,6}", texts[0]):
        labels.append(1)
    while (
        (at := labels[-1] + 1) < len(texts) - 1 and at < len(header) and _names_things(header[at], texts[at])
    ):
        labels.append(at)
    return tuple(labels)


def _names_things(head: str, text: str) -> bool:
    return bool(_NAMING.fullmatch(head.strip())) and len(text) <= _LONGEST_NAME and not _VALUE.search(text)


def _says_something(text: str) -> bool:
    return bool(re.search(r"[^\W_]", text)) and not re.fullmatch(
        r"n\s*/?\s*a\.?|none|nil|tbd|tba|unknown|not available|无|暂无|未知|不适用",
        text.strip(),
        re.IGNORECASE,
    )

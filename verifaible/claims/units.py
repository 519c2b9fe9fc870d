"""The sentences of an answer with where each stands: under which headings and labels, in which cell.

Blocks and their nesting are those of the Markdown parser, sentences those of the Unicode standard
(:mod:`verifaible.text.segmentation`). Marks are blank in all of them; each is given to the sentence that it
stands in or directly follows, or to the section of the heading that it stands in or behind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import zip_longest
from typing import Final

from verifaible.claims.markers import CitedMark, blanked, marks_in
from verifaible.claims.references import read_references
from verifaible.claims.resolution import Resolved, Resolver
from verifaible.schema.analyst import AnalystAnswer, Source
from verifaible.text.language import language_of
from verifaible.text.markdown import Block, BlockKind, Plain, blocks_of, plain
from verifaible.text.segmentation import sentences

#: Stands for the characters of a mark while sentences are looked for.
MARK: Final = "\ue000"
#: Stands for a line break in a cell.
BREAK: Final = "\ue001"
#: A longer sentence is cut at a blank: no model and no person reads it as one claim.
LONGEST: Final = 2_500
#: The level of a lead-in, under all headings; a line of bold words is one above it.
_LEAD_LEVEL: Final = 8
#: A lead-in of more characters names no subject.
_LONGEST_LEAD: Final = 90
_STOPS: Final = (".", "。", "?", "？", "!", "！")
_COLONS: Final = (":", "：")

#: Lines that stand like items of a list, and are none to Markdown.
_SIGN: Final = (
    r"(?:[•◦▪▫‣●○■□◆◇►▶➤➢✓✔✅❌⚠→·∙][\ufe0f]?|[–—*+-](?=[ \t])|[①-⑳]|[（(]?\d{1,2}[)）、]"
    r"|[一二三四五六七八九十]{1,2}、)[ \t]*"
)
_BULLET: Final = re.compile(rf"[ \t]*{_SIGN}(?=\S)")
#: A line ends a sentence: hard breaks, colons and marks at its end, or a sign or a label on the next line.
_LINE_END: Final = re.compile(
    rf"(?:  |\\|[:：][ \t]*|{MARK}[ \t]*)\n"
    rf"|\n(?=[ \t]*(?:{_SIGN}\S|[–—*+-]\S|[^\n:：.。!?]{{1,40}}[:：](?!//|\d\d(?!\d))[ \t]*\S))"
)
#: A name that begins small (``dYdX``) begins a sentence like any other.
_SMALL_NAME: Final = re.compile(r"\b[a-z]{1,4}(?=[A-Z])")
_BREAK_TAG: Final = re.compile(r"<br[ \t]*/?>", re.IGNORECASE)
_TAG: Final = re.compile(
    r"</?(?:a|b|i|u|p|em|strong|su[bp]|span|div|small|font|center|details|summary|mark|table|t[rdh]|tbody"
    r"|thead|[uo]l|li|h[1-6]|hr|img)(?:[ \t][^<>\n]{0,300})?/?>",
    re.IGNORECASE,
)
_LABEL: Final = re.compile(
    r"\s*(?:(\*\*|__)(?P<bold>(?:(?!\1).){1,120}?)\1(?:\s*[:：])?"
    r"|(?P<bare>[^:：.。!?\n]{1,40}[:：])(?=\s|\S*\d|[^\x00-\x7f]))"
)
_BOLD_LINE: Final = re.compile(r"\s*(\*\*|__)(?:(?!\1).)+\1\s*[:：]?\s*(?:\*\*)?\s*\Z", re.DOTALL)
#: A short line without a stop, over a list.
_PLAIN_TITLE: Final = re.compile(r"[^\n.:;!?。：；！？|]{1,60}")
_HEADING_NUMBER: Final = re.compile(
    r"\s*(?:\d{1,2}(?:\.\d{1,2})*[.)、:]?\s+|[IVX]{1,4}\.\s+|[一二三四五六七八九十]{1,2}、\s*)"
)
#: Heads of columns whose cells name what the row is about, behind the first.
_NAMING: Final = re.compile(
    r"(?:assets?|tokens?|coins?|symbol|ticker|(?:trading )?pair|pools?|chains?|networks?|stablecoins?"
    r"|collateral|代币|币种|资产|交易对|(?:公)?链|网络)",
    re.IGNORECASE,
)
_COUNTING: Final = re.compile(r"(?:#|no\.?|rank|排名|序号|名次|nr\.?)?", re.IGNORECASE)
_COUNT: Final = re.compile(r"[#\d.\s🥇🥈🥉]{1,6}")
_EMPTY_CELL: Final = re.compile(
    r"n\s*/?\s*a\.?|none|nil|tbd|tba|unknown|not available|无|暂无|未知|不适用|[\W_]*", re.IGNORECASE
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
    body = _BREAK_TAG.sub(lambda match: BREAK * len(match[0]), blanked(text))
    body = _TAG.sub(lambda match: " " * len(match[0]), body)
    reading = _Reading(*_masked(body, marks), marks)
    blocks = blocks_of(reading.marked, prose=True)
    ordered = sorted((*blocks, *_lost(reading.marked, blocks)), key=lambda each: each.offsets[0])
    for block, following in zip_longest(ordered, ordered[1:]):
        reading.read(block, leads=following is not None and following.kind in ("item", "row"))
    reading.place_marks()
    listed = read_references(text)
    closing = Closing()
    if listed.ranges and not marks:
        resolved = Resolver(sources, listed.references).resolve(listed.references)
        closing = Closing(resolved, listed.ranges[-1][1])
    return Units(reading.body, tuple(reading.units), tuple(reading.sections), closing)


def _masked(body: str, marks: Sequence[CitedMark]) -> tuple[str, str]:
    """The body with marks as :data:`MARK`, and with marks blank; the words of links stay in both."""
    marked, blank = list(body), list(body.replace(BREAK, " "))
    for cited in marks:
        mark = cited.mark
        start, end, (first, last) = mark.start, mark.end, mark.words
        if body[start - 1 : start] in ("(", "（") and body[end : end + 1] in (")", "）"):
            start, end, last = start - 1, end + 1, first
        for at in range(start, end):
            if not first <= at < last and body[at] != "\n":
                marked[at], blank[at] = MARK, " "
    return "".join(marked), "".join(blank)


def _lost(text: str, blocks: Sequence[Block]) -> Iterator[Block]:
    """What the parser leaves out, as paragraphs: too deep quotes and lists, cells beyond the head."""
    left = list(text)
    for block in blocks:
        for at in block.offsets:
            if left[at] != "\n":
                left[at] = "\0"
    for match in re.finditer(r"[^\0\n]+", "".join(left)):
        words = re.search(r"(?:[$€£¥+–-]?[^\W_](?:[^|\ue000]*[^\W_])?[^\s|\ue000]*)", match[0])
        enumerator = re.fullmatch(r"[\s>|]*(?:\d{1,9}[.)]\s*)*", match[0])
        if words and not enumerator:
            start, end = match.start() + words.start(), match.start() + words.end()
            yield Block("paragraph", text[start:end], tuple(range(start, end)))


# --- sentences


def sentences_of(content: str, language: str = "") -> Iterator[tuple[int, int]]:
    """The sentences of a block's text as spans; lines that stand like items are sentences of their own."""
    shown = _SMALL_NAME.sub(lambda match: match[0].upper(), content)
    at = 0
    for cut in (*(match.end() for match in _LINE_END.finditer(content)), len(content)):
        bullet = _BULLET.match(content, at, cut)
        start = bullet.end() if bullet else at
        line = shown[start:cut]
        notes = [match.span() for match in re.finditer(f"{MARK}+", line)]
        found = [(start + low, start + high) for low, high in sentences(line, language, notes)]
        for low, high in found:
            yield from _cut(content, low, high)
        at = cut


def _cut(content: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while end - start > LONGEST:
        blank = max(content.rfind(sign, start + 1, start + LONGEST) for sign in " ，,、") + 1
        cut = blank if blank > start + 1 else start + LONGEST
        yield start, cut
        start = cut
    yield start, end


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """A range of the text without white space, marks and the signs of lists at its ends."""
    blank = f" \t\n\r{MARK}{BREAK}"
    while start < end and text[start] in blank:
        start += 1
    bullet = re.compile(r"[•◦▪▫‣●○■□◆◇►▶➤➢✓✔✅❌→·∙][\ufe0f]?[ \t]*|[–—][ \t]+").match(text, start, end)
    start = bullet.end() if bullet else start
    while end > start and text[end - 1] in blank:
        end -= 1
    return start, end


# --- blocks


class _Reading:
    """Reads blocks in order, keeping what stands over them."""

    def __init__(self, marked: str, body: str, marks: Sequence[CitedMark]) -> None:
        self.marked, self.body = marked, body
        self.units: list[Unit] = []
        self.sections: list[_Section] = [_Section(0, "", 0)]
        self._marks = marks
        self._language = language_of("", body)
        self._section = 0
        self._sentence = -1
        #: (column, text) of the items that stand over what comes next
        self._over: list[tuple[int, str]] = []
        self._row: list[Block] = []
        self._lead = ""
        #: whether the lead-in stands directly over what comes next
        self._fresh = False

    def read(self, block: Block, *, leads: bool) -> None:
        """One more block; ``leads`` says that a list or a table follows it."""
        if self._row and (block.kind != "row" or self._row[-1].group != block.group):
            self._end_row()
        if block.kind == "row":
            self._row.append(block)
        elif block.kind == "heading":
            line = self.marked[self.marked.rfind("\n", 0, block.offsets[0]) + 1 : block.offsets[0]]
            self._heading(block, min(line.count("#"), 6) or 1)
        elif block.kind in ("paragraph", "item"):
            self._text(block, leads=leads)

    def _heading(self, block: Block, level: int) -> None:
        self._fresh = False
        start, end = _trimmed(self.marked, block.offsets[0], block.offsets[-1] + 1)
        parent = self._section
        while parent and self.sections[parent].level >= level:
            parent = self.sections[parent].parent
        self.sections.append(_Section(level, self._words(start, end), parent))
        self._section = len(self.sections) - 1
        self._over, self._lead = [], ""
        self._add(start, end, "heading", self._path(parent), head=True)

    def _text(self, block: Block, *, leads: bool) -> None:
        content = block.content.replace(MARK, " ")
        title = _BOLD_LINE.match(content) or (leads and _PLAIN_TITLE.fullmatch(content))
        if block.kind == "paragraph" and title and not self._words_of(block).endswith(_STOPS):
            lead = self._words_of(block).endswith(_COLONS)
            self._end_lead()
            self._heading(block, _LEAD_LEVEL if lead else _LEAD_LEVEL - 1)
            self._fresh = lead
            return
        first = block.offsets[0]
        column = first - self.marked.rfind("\n", 0, first) if block.kind == "item" else 0
        while self._over and (not column or self._over[-1][0] >= column):
            self._over.pop()
        if block.kind != "item" and not self._fresh:
            self._end_lead()
        self._fresh = False
        over = self._path(self._section) + ((self._lead,) if self._lead and not title else ())
        over += tuple(text for _, text in self._over)
        label, last = "", 0
        for number, (start, end) in enumerate(sentences_of(block.content, self._language)):
            last = block.offsets[end - 1] + 1
            context = over + ((label,) if label else ())
            said = self._add(block.offsets[start], last, block.kind, context, group=block.group)
            if block.kind == "item" and number == 0:
                label = _label(block.content[start:end])
            if said.endswith(_COLONS) and block.kind == "paragraph":
                self._lead, self._fresh = _short(said), True
        if block.kind == "item" and last:
            self._over.append((column, label or _short(self._words(first, last))))

    def _end_lead(self) -> None:
        """What a lead-in leads in has ended."""
        self._lead = ""
        while self.sections[self._section].level == _LEAD_LEVEL:
            self._section = self.sections[self._section].parent

    def _path(self, section: int) -> tuple[str, ...]:
        path: list[str] = []
        while section:
            path.append(_HEADING_NUMBER.sub("", self.sections[section].text, count=1).rstrip(":： "))
            section = self.sections[section].parent
        return tuple(reversed(path))

    def _words(self, start: int, end: int) -> str:
        return " ".join(plain(self.body[start:end]).text.split())

    def _words_of(self, block: Block) -> str:
        return self._words(block.offsets[0], block.offsets[-1] + 1)

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
        start, end = _trimmed(self.marked, start, end)
        words = self._words(start, end) if end > start else ""
        if any(char.isalnum() for char in words):
            self._sentence += not same_sentence
            unit = Unit(start, end, kind, self._sentence, context, group, self._section, head, label)
            self.units.append(unit)
        return words

    # --- tables

    def _end_row(self) -> None:
        cells, self._row = self._row, []
        texts = [self._words_of(cell) for cell in cells]
        header = [
            " ".join(plain(re.sub(f"[{MARK}{BREAK}]", " ", text)).text.split()) for text in cells[0].header
        ]
        columns = _columns(self.marked, cells)
        labels = _label_cells(texts, header)
        row = " ".join(texts[at] for at in labels)
        over = self._path(self._section)
        count = len(self.units)
        for at, (cell, text) in enumerate(zip(cells, texts, strict=True)):
            if _EMPTY_CELL.fullmatch(text):
                continue
            column = header[columns[at]] if columns[at] < len(header) else ""
            context = tuple(each for each in (*over, column, "" if at in labels else row) if each)
            for line in re.finditer(f"[^{BREAK}]+", cell.content):
                for start, end in sentences_of(line[0], self._language):
                    low, high = line.start() + start, line.start() + end - 1
                    self._add(
                        cell.offsets[low],
                        cell.offsets[high] + 1,
                        "row",
                        context,
                        group=cell.group,
                        same_sentence=len(self.units) > count,
                        label=at in labels,
                    )

    # --- marks

    def place_marks(self) -> None:
        """Give each mark to the unit that it stands in or directly follows, or to a heading's section."""
        if self._row:
            self._end_row()
        at = -1
        for cited in self._marks:
            while at + 1 < len(self.units) and self.units[at + 1].start <= cited.mark.start:
                at += 1
            following = self.units[at + 1] if at + 1 < len(self.units) else None
            unit = self.units[at] if at >= 0 else None
            if following and self._leads(cited, unit, following):
                unit = following
            if unit and unit.head:
                self.sections[unit.section].marks.append(cited)
            elif unit:
                unit.marks.append(cited)

    def _leads(self, cited: CitedMark, unit: Unit | None, following: Unit) -> bool:
        """Whether a mark begins the block or the cell of what follows it."""
        between = self.marked[cited.mark.end : following.start]
        before = self.marked[unit.end : cited.mark.start] if unit else "\n"
        return not re.search(r"[\n|]", between) and re.search(r"[\n|]", before) is not None


def _label(text: str) -> str:
    match = _LABEL.match(text.replace(MARK, " "))
    return " ".join((match["bold"] or match["bare"] or "").split()).strip(":： *_") if match else ""


def _short(lead: str) -> str:
    """A lead-in as context; a long one names no subject and is left out."""
    lead = lead.rstrip(":： ")
    return lead if len(lead) <= _LONGEST_LEAD else ""


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
    """The cells that say what a row is about: the first, the second where the first only counts, and those
    behind whose heads say that they name things too (``Platform | Asset | APY``), as long as a value follows.
    """
    counts = len(texts) > 2 and header and _COUNTING.fullmatch(header[0]) and _COUNT.fullmatch(texts[0])
    labels = [0, 1] if counts else [0]
    for at in range(labels[-1] + 1, min(len(texts) - 1, len(header))):
        if not _NAMING.fullmatch(header[at].strip()) or re.search(r"(?<![^\W\d_])\d|.{25}", texts[at]):
            break
        labels.append(at)
    return tuple(labels)

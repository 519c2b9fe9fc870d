"""How a source is laid out: sentences, rows of tables and values of JSON, each with what stands over it.

Nothing is read for numbers or names here. Every code point of a segment keeps its place in the source's text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from verifaible.factcheck.rules.json_scan import Leaf, Scanned, scan_json, unescaped, unescaped_with_places
from verifaible.factcheck.rules.reading import PlaceKind
from verifaible.text.lists import words_of
from verifaible.text.segmentation import sentences

#: Failed attempts to read a part of a text as JSON, after which no more are made.
_MOST_FAILURES: Final = 3
#: A string of JSON longer than this is laid out as a text of its own.
_SHORT: Final = 80
#: Objects around a value whose names are taken for its labels.
_ANCESTORS: Final = 6
#: Keys whose words name what their object is about.
NAMING: Final = words_of(
    """
    name symbol id ticker asset token coin title protocol project exchange pair market base quote slug
    名称 代码 代币 币种 项目 协议 平台 交易所 公司
    label tokensymbol tokenname coin_id base_symbol basesymbol displayname display_name fullname full_name
    coinname metric indicator entity company organization chain_name vault pool fund country
    """
)
#: Those that name something of an object in whose parts other names stand too.
_FURTHER: Final = words_of(
    """
    name symbol id ticker asset token coin protocol project exchange pool vault entity company organization
    """
)
#: Keys whose words go with a value without naming what it is of.
BESIDE: Final = words_of(
    """
    chain chains category platform network type date time timestamp period interval timeframe currency unit
    last_updated updated_at as_of quarter year month day window range poolmeta side status
    """
)

#: Lines and sentences longer than this are read in parts, in code points; rows of more cells as sentences.
_LONG_LINE: Final = 6000
_LONG_SENTENCE: Final = 1500
_MOST_CELLS: Final = 200
_BREAK: Final = re.compile(r"[\s,;,，；、|]")
_HEADING: Final = re.compile(r" {0,3}(#{1,6})\s+(.*?)\s*#*\s*\Z")
_RULE: Final = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)+\|?\s*\Z|\s*\|\s*:?-+:?\s*\|\s*\Z")
_BULLET: Final = re.compile(r"(?P<indent>[ \t]*)(?:[-*•–]|\d{1,2}[.)])\s+")
_BOLD: Final = re.compile(r"\s*(?:\*\*|__)(?P<label>[^*_\n]{1,100})(?:\*\*|__)\s*[:：]?\s*\Z")
_OPENS_JSON: Final = re.compile(r'\s*(?:\{\s*["}]|\[\s*(?:[\[{"]|-?\d[\d.eE+-]*\s*,))')
_ENDER: Final = re.compile(r"[.!?…](?=[\s\"')\]*_]+\S)|[。！？｡]")
#: A comma behind a sum of money's first digits groups them; it parts no cells.
_MONEY: Final = re.compile(r"[$€£¥]\d{1,3},\d{3}(?!\d)")
_CSV_HEAD: Final = re.compile(r"[A-Za-z_\u3400-\u9fff][^,\n.!?]{0,40}(?:,[^,\n.!?]{0,40}){1,40}\Z")
#: What a line over a table says of the unit of its cells, and how long such a line may be.
TELLS_UNIT: Final = re.compile(
    r"单位|[(（]\s*(?:in\s+)?(?:US\$|USD|EUR|[$€£¥]|美元|百万|千|万|亿|millions?|billions?|thousands?)[^()（）]{0,24}[)）]"
    r"|\bin (?:thousands?|millions?|billions?)\b|\bunits?\s*:",
    re.IGNORECASE,
)
_CAPTION: Final = 200
#: Keys of numbers that are the time of their object, and code points around a value in which one may stand.
_DATING: Final = frozenset(("date", "timestamp", "time", "ts"))
_EPOCH_KEY: Final = re.compile(r'"(?:date|timestamp|time|ts)"\s*:\s*(1\d{9}(?:\d{3})?)(?!\d)')
_BESIDE: Final = 240
_NUMBER: Final = re.compile(r"\d")


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """What stands over segments, from inner to outer: heads, keys and names, headings, the title.

    ``subject`` says for each label whether it may say what a value is of (headings, names, keys) or only
    goes with it (``BESIDE``).
    """

    labels: tuple[str, ...]
    beside: tuple[str, ...] = ()
    names: tuple[tuple[str, bool], ...] = ()
    table: tuple[str, ...] = ()


@dataclass(slots=True, eq=False)
class Segment:
    """A sentence, a row or a JSON value: ``words`` are its own; ``start`` and ``end`` its place in the text.

    Attributes:
        places: where each code point of ``words`` stands; None: at ``start`` plus its number.
        cells: of a row, the ranges of its cells in ``words``.
        keys: of a JSON value, the path to it.
        before: the sentence before it that it may refer to.
        literal: a JSON number, not words.
    """

    words: str
    start: int
    end: int
    kind: PlaceKind
    scope: Scope
    places: Sequence[int] | None = None
    cells: tuple[tuple[int, int], ...] = ()
    keys: tuple[str, ...] = ()
    pointer: str = ""
    before: Segment | None = None
    literal: bool = False

    def span(self, start: int, end: int) -> tuple[int, int]:
        """A range of ``words`` as a range of the source's text."""
        if self.places is None:
            return self.start + start, self.start + end
        return self.places[start], self.places[end]


def lay_out(text: str, title: str = "") -> list[Segment]:
    """The segments of a source's text, in order. Linear in the text."""
    top = Scope((title,) if title else ())
    stripped = text.lstrip("\ufeff \t\r\n")
    if stripped[:1] in ("{", "["):
        scanned = scan_json(text)
        if scanned is not None and not text[scanned.end :].strip("\ufeff \t\r\n\x00"):
            return list(_json(text, scanned, top))
    return _Text(text, top).segments()


# --- text


class _Text:
    """Lines of a text, gathered into segments."""

    def __init__(self, text: str, top: Scope) -> None:
        self._text = text
        self._top = top
        self._found: list[Segment] = []
        self._headings: list[tuple[int, str]] = []
        self._lead = ""
        self._last: Segment | None = None  # the sentence that the next one may refer to
        self._scope: Scope | None = None
        self._failures = 0
        self._caption = ""  # the line before a table, where it tells the unit of its cells

    def segments(self) -> list[Segment]:
        text, at = self._text, 0
        while at < len(text):
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            line = text[at:end]
            if not line.strip():
                self._last = None
                at = end + 1
                continue
            following = self._zone(at, end, line) or self._table(at, end, line)
            self._caption = "" if following or not TELLS_UNIT.search(line[:_CAPTION]) else line.strip()
            at = following or self._line(at, end, line)
        return self._found

    def _over(self) -> Scope:
        if self._scope is None:
            labels = [self._lead] if self._lead else []
            labels += [words for _, words in reversed(self._headings)]
            self._scope = Scope((*labels, *self._top.labels), self._top.beside, self._top.names)
        return self._scope

    def _line(self, at: int, end: int, line: str) -> int:
        heading = _HEADING.match(line)
        bold = _BOLD.match(line)
        if heading:
            level = len(heading[1])
            while self._headings and self._headings[-1][0] >= level:
                self._headings.pop()
            self._headings.append((level, heading[2]))
            self._lead, self._scope, self._last = "", None, None
            self._sentences(at, line, at_bullet=True)
            return end + 1
        bullet = _BULLET.match(line)
        if bold or (not bullet and line.rstrip().endswith((":", "：")) and len(line) <= 100):
            label = bold["label"] if bold else line.strip().rstrip(":：").strip("*_ ")
            if not _NUMBER.search(label) or bold:
                self._lead, self._scope, self._last = label, None, None
        elif not bullet and self._lead and self._last is None:
            self._lead, self._scope = "", None
        self._sentences(at, line, at_bullet=bool(bullet))
        return end + 1

    def _sentences(self, at: int, line: str, *, at_bullet: bool) -> None:
        if at_bullet:
            self._last = None
        scope = self._over()
        for start, end in _sentences_of(line):
            words = line[start:end]
            if not any(map(str.isalnum, words)):
                continue
            segment = Segment(words, at + start, at + end, "prose", scope, before=self._last)
            self._found.append(segment)
            self._last = segment
        if at_bullet:
            self._last = None

    def _zone(self, at: int, end: int, line: str) -> int:
        """JSON that begins on this line and ends at a line end."""
        if self._failures >= _MOST_FAILURES or not _OPENS_JSON.match(self._text, at):
            return 0
        scanned = scan_json(self._text, at)
        if scanned is None:
            self._failures += 1
            return 0
        newline = self._text.find("\n", scanned.end)
        newline = len(self._text) if newline < 0 else newline
        if self._text[scanned.end : newline].strip(" \t\r`;,"):
            return 0
        for segment in _json(self._text, scanned, self._over()):
            segment.pointer = ""  # a pointer names a value of a whole file
            self._found.append(segment)
        self._last = None
        return newline + 1

    # --- tables

    def _table(self, at: int, end: int, line: str) -> int:
        following = self._line_at(end + 1)
        if "|" in line and following is not None and _RULE.match(following):
            return self._markdown(at, end)
        if "\t" in line and following is not None and line.count("\t") == following.count("\t"):
            return self._separated(at, "\t")
        if (
            "," in line
            and following is not None
            and _CSV_HEAD.match(line.strip())
            and ", " not in line
            and len(_cells(following, ",")) == len(_cells(line, ",")) > 1
            and "," in following
            and ", " not in (unquoted := re.sub(r'"[^"]*"', "", following))
            and not _MONEY.search(unquoted)
        ):
            return self._separated(at, ",")
        return 0

    def _line_at(self, at: int) -> str | None:
        if at >= len(self._text):
            return None
        end = self._text.find("\n", at)
        return self._text[at : len(self._text) if end < 0 else end]

    def _markdown(self, at: int, end: int) -> int:
        line = self._text[at:end]
        cells = _cells(line, "|")
        self._row(at, end, cells, ())
        at = end + 1
        at += len(self._line_at(at) or "") + 1  # the rule
        return self._rows(at, [_plain(line[first:last]) for first, last in cells], "|")

    def _separated(self, at: int, sign: str) -> int:
        first = self._line_at(at) or ""
        cells = _cells(first, sign)
        heads = [_plain(first[start:end]) for start, end in cells]
        if any(re.fullmatch(r"[-+$€£¥(]?[\d.,]+[%)KMBT]?", head) for head in heads):
            return self._rows(at, [], sign)
        self._row(at, at + len(first), cells, ())
        return self._rows(at + len(first) + 1, heads, sign)

    def _rows(self, at: int, heads: list[str], sign: str) -> int:
        table = tuple(heads)
        section = carried = ""
        while (line := self._line_at(at)) is not None and sign in line and line.strip():
            cells = _cells(line, sign)
            if heads and sign != "|" and len(cells) != len(heads):
                break
            if not _RULE.match(line):
                filled = [_plain(line[start:stop]) for start, stop in cells]
                if len(cells) > 1 and filled[0] and not any(filled[1:]):
                    section, carried = filled[0], ""
                elif filled and filled[0]:
                    carried = filled[0]
                above = tuple(
                    label for label in (carried if filled and not filled[0] else "", section) if label
                )
                self._row(at, at + len(line), cells, table, above)
            at += len(line) + 1
        self._last = None
        return at

    def _row(
        self,
        start: int,
        end: int,
        cells: list[tuple[int, int]],
        table: tuple[str, ...],
        above: tuple[str, ...] = (),
    ) -> None:
        """A row; ``above``: the cell or the row of one cell over it that it belongs to."""
        if len(cells) > _MOST_CELLS or any(last - first > _LONG_SENTENCE for first, last in cells):
            self._sentences(start, self._text[start:end], at_bullet=True)
            return
        over = self._over()
        above = (*above, self._caption[:_CAPTION]) if self._caption else above
        scope = Scope((*above, *over.labels), over.beside, over.names, table)
        words = self._text[start:end].rstrip("\r")
        self._found.append(Segment(words, start, start + len(words), "row", scope, cells=tuple(cells)))


def _sentences_of(line: str) -> Iterator[tuple[int, int]]:
    """The sentences of a line; what goes on for too long without an end is parted at a sign or a blank."""
    for first, last in _parts(line, 0, len(line), _LONG_LINE, _ENDER):
        piece = line[first:last]
        spans = tuple(sentences(piece)) if _ENDER.search(piece) else ((0, len(piece)),)
        for start, end in spans:
            yield from _parts(line, first + start, first + end, _LONG_SENTENCE, _BREAK)


def _parts(line: str, start: int, end: int, most: int, ends: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """A range in parts of at most ``most`` code points, each but the last up to an end if it has one."""
    while end - start > most:
        found = [match.end() for match in ends.finditer(line, start + most // 2, start + most)]
        cut = found[-1] if found else start + most
        yield start, cut
        start = cut
    yield start, end


def _cells(line: str, sign: str) -> list[tuple[int, int]]:
    """The cells of a row; a bar behind a backslash parts none, nor does a comma in quotation marks."""
    if sign == ",":
        spans = [match.span() for match in re.finditer(r'(?:"[^"]*"|[^,"])+|(?<=,)(?=,|\Z)|\A(?=,)', line)]
    else:
        parting = re.finditer(r"(?<!\\)\|" if sign == "|" else "\t", line)
        edges = [-1, *(match.start() for match in parting), len(line)]
        spans = [(first + 1, last) for first, last in pairwise(edges)]
    for end in (0, -1) if sign == "|" else ():
        if spans and not line[slice(*spans[end])].strip():
            spans.pop(end)
    found = []
    for start, end in spans:
        words = line[start:end]
        left = start + len(words) - len(words.lstrip(' "\r'))
        found.append((left, max(left, start + len(words.rstrip(' "\r')))))
    return found


def _plain(words: str) -> str:
    return words.strip().strip("*_` ")


# --- JSON


def _json(text: str, scanned: Scanned, over: Scope) -> Iterator[Segment]:
    scopes: dict[int, Scope] = {}
    repeated = {
        number
        for number, container in enumerate(scanned.containers)
        if len(set(container.keys)) < len(container.keys)
    }
    for leaf in scanned.leaves:
        if leaf.kind == "literal" or (repeated and _within(scanned, leaf.container, repeated)):
            continue
        scope = scopes.get(leaf.container)
        if scope is None:
            scope = scopes[leaf.container] = _object_scope(text, scanned, leaf.container, over)
        keys = scanned.path(leaf)
        if leaf.kind == "number":
            yield Segment(
                text[leaf.start : leaf.end], leaf.start, leaf.end, "json",
                _with_pair(text, scanned, leaf, scope),
                keys=keys, pointer=scanned.pointer(leaf), literal=True,
            )  # fmt: skip
        else:
            yield from _string(text, scanned, leaf, scope, keys)


def _within(scanned: Scanned, at: int, repeated: set[int]) -> bool:
    """Whether a container, or one around it, has a key twice: nobody can say which value counts."""
    while at >= 0:
        if at in repeated:
            return True
        at = scanned.containers[at].parent
    return False


def _string(
    text: str, scanned: Scanned, leaf: Leaf, scope: Scope, keys: tuple[str, ...]
) -> Iterator[Segment]:
    words, places = unescaped_with_places(text[leaf.start + 1 : leaf.end - 1], leaf.start + 1)
    if not words.strip():
        return
    pointer = scanned.pointer(leaf)
    if len(words) <= _SHORT and "\n" not in words:
        yield Segment(
            words, leaf.start + 1, leaf.end - 1, "json", scope, places=places, keys=keys, pointer=pointer
        )
        return
    nested = words.lstrip()[:1] in "{[" and leaf.container >= 0
    inner = _Text(words, Scope(())).segments() if nested else lay_out(words)
    for segment in inner:
        first, last = segment.start, segment.end
        if segment.places is not None:
            continue  # JSON in a string in JSON with escapes of its own: its places are lost, so it is left
        start = places[first] if places else leaf.start + 1 + first
        end = places[last] if places else leaf.start + 1 + last
        segment.places = [places[at] for at in range(first, last + 1)] if places else None
        segment.start, segment.end = start, end
        segment.pointer = pointer
        segment.keys = (*keys, *segment.keys) if segment.kind == "json" else keys
        segment.scope = Scope(
            (*segment.scope.labels, *scope.labels),
            (*segment.scope.beside, *scope.beside),
            (*segment.scope.names, *scope.names),
            segment.scope.table,
        )
        yield segment


def _with_pair(text: str, scanned: Scanned, leaf: Leaf, scope: Scope) -> Scope:
    """Of ``[1729123200000, 36.36]``, or of an object with a ``date`` in seconds, a value with its time."""
    container = scanned.containers[leaf.container] if leaf.container >= 0 else None
    if container is None:
        return scope
    match = None
    if not container.array and _DATING & set(container.keys) - {leaf.key}:
        before = text[max(0, leaf.start - _BESIDE) : leaf.start].rpartition("{")[2]
        after = text[leaf.end : leaf.end + _BESIDE].partition("}")[0]
        match = _EPOCH_KEY.search(before) or _EPOCH_KEY.search(after)
    elif container.array and container.size == 2 and leaf.index == 1:
        match = re.search(r"\[\s*(\d{10}|\d{13})\s*,\s*\Z", text[max(0, leaf.start - 40) : leaf.start])
    return Scope(scope.labels, (match[1], *scope.beside), scope.names) if match else scope


def _object_scope(text: str, scanned: Scanned, at: int, over: Scope) -> Scope:
    labels: list[str] = []
    beside: list[str] = []
    names: list[tuple[str, bool]] = []
    depth = 0
    while at >= 0 and depth < _ANCESTORS:
        container = scanned.containers[at]
        for key, leaf in container.strings.items():
            lowered = key.lower()
            if lowered in NAMING or lowered in BESIDE:
                words = unescaped(text[leaf.start + 1 : leaf.end - 1])
                if len(words) > 100 or not words.strip():
                    continue
                labels.append(words)
                if lowered in NAMING:
                    if not names or not depth or lowered in _FURTHER:
                        names.append((words, "symbol" in lowered or lowered in ("ticker", "代码")))
                else:
                    beside.append(words)
        if container.key and not container.key.isdigit():
            labels.append(container.key)
        at = container.parent
        depth += 1
    return Scope((*labels, *over.labels), (*beside, *over.beside), (*names, *over.names))

"""The words of a captured page in the order a reader meets them, each with the place it has in the tree.

A browser read the text that a citation was anchored in, with the layout at hand; what is captured is the
tree. So this walk follows the browser's as far as a tree alone tells what is shown.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lxml import etree

from verifaible.anchoring.fold import fold
from verifaible.extract.visible import declarations
from verifaible.text.lists import words_of

if TYPE_CHECKING:
    from verifaible.browser.reading import Readings

#: Elements whose words are no text of the page.
_SKIPPED = words_of(
    "script style template noscript head title meta link iframe frame object canvas audio video desc "
    "metadata textarea select datalist"
)
_BLOCKS = words_of(
    "address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol p pre "
    "search section summary table tbody tfoot thead tr ul"
)
_CELLS = frozenset({"td", "th"})
_RAISED_FORMS = dict(zip("0123456789+-−–()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁽⁾", strict=True))
_RAISED = re.compile(r"[+\-−–(\d][\d.,，+\-−–()\s]*\Z")
_NOTE = re.compile(r"(?:\d{1,3}|[a-z])(?:[,，;\s]+(?:\d{1,3}|[a-z]))*\Z", re.IGNORECASE)
_NOTED = re.compile(r"foot|note|cite|reference", re.IGNORECASE)
_LONG_FIGURE = re.compile(r"\d{4}\Z|\d[.,]\d+\Z")
_LONG_WORD = re.compile(r"[^\W\d_]{4}\Z")


@dataclass(frozen=True, slots=True)
class Piece:
    """A string of the tree: the text of an element, or its tail."""

    element: etree._Element
    is_tail: bool

    @property
    def holder(self) -> etree._Element:
        """The element that the string stands in."""
        if not self.is_tail:
            return self.element
        parent = self.element.getparent()
        assert parent is not None
        return parent


@dataclass(slots=True)
class TreeText:
    """Text with the piece of the tree that each of its characters comes from.

    ``text`` counts in code points. Separators between blocks and cells come from no piece.
    """

    text: str = ""
    _starts: list[int] = field(default_factory=list)
    _pieces: list[tuple[Piece | None, int]] = field(default_factory=list)

    def spans(self, start: int, end: int) -> list[tuple[Piece, int, int]]:
        """The parts of the tree's strings that make up ``text[start:end]``, in order, without blank ones."""
        found: list[tuple[Piece, int, int]] = []
        index = max(bisect_right(self._starts, start) - 1, 0)
        while index < len(self._starts) and self._starts[index] < end:
            begin = self._starts[index]
            over = self._starts[index + 1] if index + 1 < len(self._starts) else len(self.text)
            piece, offset = self._pieces[index]
            first, last = max(start, begin), min(end, over)
            if piece is not None and self.text[first:last].strip():
                found.append((piece, offset + first - begin, offset + last - begin))
            index += 1
        return found

    def occurrences(self, words: str) -> list[tuple[int, int]]:
        """Every span in which the words stand, folded alike; overlapping ones too."""
        wanted = fold(words).text
        here = fold(self.text)
        found: list[tuple[int, int]] = []
        at = here.text.find(wanted) if wanted else -1
        while at >= 0:
            if not here.is_cut(at, at + len(wanted)):
                found.append(here.span(at, at + len(wanted)))
            at = here.text.find(wanted, at + 1)
        return found


class _Walk:
    def __init__(self, readings: Readings, nested_in: etree._Element | None) -> None:
        self._readings = readings
        self._table = nested_in
        self._parts: list[str] = []
        self._length = 0
        self._starts: list[int] = []
        self._pieces: list[tuple[Piece | None, int]] = []

    def run(self, top: etree._Element) -> TreeText:
        # No recursion: pages nest deep.
        stack: list[tuple[etree._Element, bool, str]] = [(top, False, "")]
        while stack:
            element, leaving, raised = stack.pop()
            if leaving:
                self._after(element, top, raised)
                continue
            stack.append((element, True, raised))
            if not isinstance(element.tag, str) or self._left_out(element, top):
                continue
            if element.tag in _BLOCKS:
                self._separate("\n")
            if element.tag == "sup" and not raised:
                raised = self._raised(element)
            self._give(Piece(element, False), element.text, raised)
            stack.extend((child, False, raised) for child in reversed(_shown_children(element)))
        return TreeText("".join(self._parts), self._starts, self._pieces)

    def _after(self, element: etree._Element, top: etree._Element, raised: str) -> None:
        if element.tag in _BLOCKS:
            self._separate("\n")
        elif element.tag in _CELLS:
            self._separate("\t")
        if element is not top:
            self._give(Piece(element, True), element.tail, raised)

    def _left_out(self, element: etree._Element, top: etree._Element) -> bool:
        if element is top:
            return False
        tag = str(element.tag)
        if tag in _SKIPPED or (tag in ("rt", "rtc") and not self._readings):
            return True
        if tag == "rp":
            return self._readings != "rp"
        return (self._table is not None and tag == "table") or _is_hidden(element)

    def _separate(self, mark: str) -> None:
        self._add(mark, None, 0)

    def _give(self, piece: Piece, text: str | None, raised: str) -> None:
        if not text or _is_muted(piece.holder):
            return
        if raised == "note":
            self._note(piece, text)
        elif raised:
            self._add("".join(_RAISED_FORMS.get(each, each) for each in text), piece, 0)
        else:
            self._add(text, piece, 0)

    def _note(self, piece: Piece, text: str) -> None:
        """The mark of a footnote, which is read ``[a]``."""
        for match in re.finditer(r"\w+", text):
            self._separate("[")
            self._add(match[0], piece, match.start())
            self._separate("]")

    def _add(self, text: str, piece: Piece | None, offset: int) -> None:
        self._starts.append(self._length)
        self._pieces.append((piece, offset))
        self._parts.append(text)
        self._length += len(text)

    def _raised(self, element: etree._Element) -> str:
        """Whether a superscript is figures, the mark of a footnote, or neither."""
        text = "".join(map(str, element.itertext())).strip()
        if not text or len(text) > 24:
            return ""
        if _NOTE.match(text) and self._is_note(element, text):
            return "note"
        return "figures" if _RAISED.match(text) and any(each in _RAISED_FORMS for each in text) else ""

    def _is_note(self, element: etree._Element, text: str) -> bool:
        before = "".join(self._parts[-3:])[-16:].rstrip()
        figure = before[-1:].isdecimal()
        linked = _is_linked(element)
        if not re.search("[a-z]", text, re.IGNORECASE):
            return linked and figure
        if linked:
            return True
        if figure:
            return bool(re.match(r"[a-g]\b", text)) and _LONG_FIGURE.search(before) is not None
        return bool(re.match(r"[abcfg]\b", text)) and _LONG_WORD.search(before) is not None


def _is_linked(element: etree._Element) -> bool:
    around = (each for each in (*element.iter("a"), *element.iterancestors("a")))
    if any("#" in (link.get("href") or "") for link in around):
        return True
    return _NOTED.search(f"{element.get('class') or ''} {element.get('id') or ''}") is not None


def _shown_children(element: etree._Element) -> list[etree._Element]:
    if element.tag == "details" and element.get("open") is None:
        return [child for child in element if child.tag == "summary"][:1]
    return list(element)


def tree_text(top: etree._Element, readings: Readings = "", *, nested_tables: bool = True) -> TreeText:
    """The words below an element; ``nested_tables`` false leaves tables in it out."""
    return _Walk(readings, None if nested_tables else top).run(top)


def texts_of(top: etree._Element) -> Iterator[TreeText]:
    """The words below an element, without ruby annotations, then with them, then with their brackets."""
    yield tree_text(top)
    if next(top.iter("rt"), None) is not None:
        yield tree_text(top, "rt")
        yield tree_text(top, "rp")


def _is_hidden(element: etree._Element) -> bool:
    """Whether an element and all in it show nothing."""
    hidden = element.get("hidden")
    if hidden is not None and hidden.lower() != "until-found":
        return True
    if element.tag == "dialog" and element.get("open") is None:
        return True
    return declarations(element.get("style") or "").get("display") == "none"


def _is_muted(element: etree._Element) -> bool:
    """Whether the words that stand in an element itself are not seen; those of its children may be."""
    node: etree._Element | None = element
    while node is not None:
        said = declarations(node.get("style") or "").get("visibility")
        if said:
            return said in ("hidden", "collapse")
        node = node.getparent()
    return False

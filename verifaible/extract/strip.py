"""Taking out of a page what its readers do not see, and counting it by channel.

The page's own rules and the style sheets at hand are evaluated (``cascade``, ``hiding``). What
is left holds no hidden words: not in elements, not in attributes, not in invisible characters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urljoin

from lxml import etree

from verifaible.extract.cascade import Cascade, Declared
from verifaible.extract.css import Rule, parse_sheet
from verifaible.extract.hiding import Style, Verdict, judge, plain_verdict
from verifaible.extract.media import media_answer, media_applies
from verifaible.extract.visible import NEVER_SHOWN, split_invisible

#: The ways in which words can stand in a page without being seen, as they are told to the model.
CHANNELS = (
    "display",
    "visibility",
    "opacity",
    "zero size",
    "same colour",
    "off screen",
    "hidden attribute",
    "aria-hidden",
    "aria-label",
    "alt text",
    "comment",
    "noscript",
    "template",
    "zero-width characters",
    "tag characters",
    "title attribute",
    "meta",
    "closed details",
)
_STYLED = frozenset({"display", "visibility", "opacity", "zero size", "same colour", "off screen"})
_LABELS = (
    "aria-label",
    "aria-description",
    "aria-placeholder",
    "aria-roledescription",
    "aria-valuetext",
    "summary",
)
#: Attributes that the conversion, the tables or the location of the content still need.
_KEPT_NAMES = "href src colspan rowspan scope role type start class id lang name datetime reversed open"
_KEPT = frozenset(_KEPT_NAMES.split())
_TABLE_PARTS = frozenset({"td", "th", "tr", "tbody", "thead", "tfoot", "caption"})
_TECHNICAL = re.compile(
    r"viewport|robots|theme-color|generator|referrer|format-detection|color-scheme|google|msapplication|"
    r"apple-|csrf|renderer|.*(?:-verification|:url|:image|:width|:height|:type|:locale)\Z",
    re.IGNORECASE,
)
#: Elements that browsers show only if a style says so.
_UNSHOWN_TAGS = frozenset({"noembed", "noframes", "rp"})
_TELLING = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class Removed:
    """What was taken out of a page.

    Attributes:
        elements: how often, by channel; and by tag for what is never text (scripts, form fields).
        characters: invisible characters, tag characters among them.
        styled: letters that only a style hides: scripts may show them later.
        unsure: letters of which only a browser can tell whether they show.
        unread_sheets: linked style sheets that were not at hand.
    """

    elements: tuple[tuple[str, int], ...] = ()
    characters: int = 0
    styled: int = 0
    unsure: int = 0
    unread_sheets: int = 0

    @property
    def channels(self) -> tuple[tuple[str, int], ...]:
        """What hid words, in the order of :data:`CHANNELS`, with how often."""
        known = dict(self.elements)
        return tuple((name, known[name]) for name in CHANNELS if known.get(name))

    @property
    def hidden(self) -> int:
        """Elements, attributes and characters with words that readers do not see."""
        return sum(count for _, count in self.channels)

    def plus(self, counts: Mapping[str, int]) -> Removed:
        """With more of what another reader, the browser, took out."""
        total = Counter(dict(self.elements))
        total.update(counts)
        return Removed(
            tuple(sorted(total.items())), self.characters, self.styled, self.unsure, self.unread_sheets
        )


@dataclass(slots=True)
class _Findings:
    """What is gathered on the way through a tree."""

    counts: Counter[str] = field(default_factory=Counter)
    drop: list[etree._Element] = field(default_factory=list)
    empty: list[etree._Element] = field(default_factory=list)
    mute: list[etree._Element] = field(default_factory=list)
    styled: int = 0
    unsure: int = 0


def strip_hidden(
    root: etree._Element, url: str = "", sheets: Mapping[str, str] | None = None, *, rendered: bool = False
) -> Removed:
    """Take everything that shows nothing out of a tree, in place; tell what was taken.

    Args:
        root: the tree.
        url: address of the page, to which those of its style sheets are relative.
        sheets: the text of linked style sheets by absolute address.
        rendered: whether a browser has left out already what its layout hides.
    """
    found = _Findings()
    unread = 0
    if rendered:
        cascade = None
    else:
        rules, unread = _rules(root, url, sheets or {})
        cascade = Cascade(rules)
    _count_head(root, found)
    _visit(root, cascade, Style(certain=not unread), found)
    for element in found.mute:
        _silence(element)
    for element in found.empty:
        element.text = None
        for child in list(element):
            element.remove(child)
    _drop(found.drop)
    characters = _clean(root, found.counts)
    found.counts += Counter()  # without zeros
    return Removed(tuple(sorted(found.counts.items())), characters, found.styled, found.unsure, unread)


def sheet_links(root: etree._Element, url: str) -> list[str]:
    """Absolute addresses of the style sheets for screens that a page links, in order, once each."""
    return list(dict.fromkeys(href for href, _ in _linked(root, url)))


def _linked(root: etree._Element, url: str) -> Iterable[tuple[str, etree._Element]]:
    base = next((node.get("href") for node in root.iter("base") if node.get("href")), None)
    for node in root.iter("link"):
        kinds = (node.get("rel") or "").lower().split()
        href = (node.get("href") or "").strip()
        if "stylesheet" not in kinds or "alternate" in kinds or node.get("disabled") is not None or not href:
            continue
        if not media_applies(node.get("media") or "") or _inside(node, "noscript"):
            continue
        try:
            yield urljoin(urljoin(url, base or ""), href), node
        except ValueError:
            continue


def _rules(root: etree._Element, url: str, sheets: Mapping[str, str]) -> tuple[list[Rule], int]:
    """The rules of the page in document order, and how many linked sheets are not at hand."""
    linked = {node: href for href, node in _linked(root, url)}
    rules: list[Rule] = []
    unread = 0
    for node in root.iter("style", "link"):
        if node.tag == "style":
            kind = (node.get("type") or "text/css").strip().lower()
            hidden = _inside(node, "noscript") or _inside(node, "template") or _inside(node, "svg")
            if kind == "text/css" and media_applies(node.get("media") or "") and not hidden:
                rules += parse_sheet(node.text or "", media_answer(node.get("media") or "") is None)
        elif node in linked:
            text = sheets.get(linked[node])
            if text is None:
                unread += 1
            else:
                rules += parse_sheet(text, media_answer(node.get("media") or "") is None)
    return rules, unread


def _inside(node: etree._Element, tag: str) -> bool:
    return next(node.iterancestors(tag), None) is not None


def _count_head(root: etree._Element, found: _Findings) -> None:
    for node in root.iter("meta"):
        name = node.get("name") or node.get("property") or node.get("itemprop") or ""
        if name and not _TECHNICAL.match(name) and _TELLING.search(node.get("content") or ""):
            found.counts["meta"] += 1
    for head in root.iter("head"):
        found.counts["noscript"] += sum(1 for _ in head.iter("noscript"))


def _visit(root: etree._Element, cascade: Cascade | None, base: Style, found: _Findings) -> None:
    """Judge every element, parents first; no recursion: pages nest deep."""
    top = _judged(root, cascade, base).style
    top = replace(top, root_px=top.font_px)
    stack: list[tuple[etree._Element, Style]] = [(root, top)]
    while stack:
        element, style = stack.pop()
        judged = [(child, _child(child, cascade, style)) for child in element]
        twins = any(verdict.whole in {"off screen", "zero size"} for _, verdict in judged)
        summary = _open_part(element)
        if summary is not element:
            if any(_told(child) for child, _ in judged if child is not summary) or _own_words(element):
                found.counts["closed details"] += 1
            found.mute.append(element)
        for child, first in judged:
            if child.tag == "head":
                continue
            if summary is not element and child is not summary:
                found.drop.append(child)
                continue
            again = first.whole == "aria-hidden" and twins
            verdict = _without_aria(child, cascade, style) if again else first
            if verdict.whole:
                found.unsure += _letters(child) if verdict.unsure else 0
                _take(child, verdict.whole, found)
                continue
            if verdict.unsure and not verdict.words and not style.doubted:
                found.unsure += _letters(child)
                verdict = replace(verdict, style=replace(verdict.style, doubted=True))
            if verdict.words:
                _take_words(child, verdict, found)
            stack.append((child, verdict.style))


def _open_part(element: etree._Element) -> etree._Element | None:
    """The element itself if all of it shows; of closed details the first summary, if there is one."""
    if element.tag != "details" or element.get("open") is not None:
        return element
    return next((child for child in element if child.tag == "summary"), None)


def _child(element: etree._Element, cascade: Cascade | None, style: Style) -> Verdict:
    if not isinstance(element.tag, str):
        return Verdict(style, "comment")
    if element.tag in NEVER_SHOWN and element.tag != "head":
        return Verdict(style, _kind_of_script(element) if element.tag == "script" else str(element.tag))
    return _judged(element, cascade, style)


def _kind_of_script(element: etree._Element) -> str:
    kind = (element.get("type") or "").strip().lower()
    if kind == "application/ld+json":
        return "meta"
    return "template" if kind.startswith("text/") and kind != "text/javascript" else "script"


def _judged(element: etree._Element, cascade: Cascade | None, style: Style) -> Verdict:
    if (element.get("aria-hidden") or "").strip().lower() == "true":
        return Verdict(style, "aria-hidden")
    return _without_aria(element, cascade, style)


def _without_aria(element: etree._Element, cascade: Cascade | None, style: Style) -> Verdict:
    if cascade is None:
        return Verdict(style)
    if cascade.is_empty and not element.attrib and element.tag not in {"dialog", *_UNSHOWN_TAGS}:
        return plain_verdict(style)
    declared: Declared = cascade.declared(element)
    shown = declared.get("display", "none") != "none"
    hidden = element.get("hidden")
    if hidden is not None and (hidden.lower() == "until-found" or not shown):
        return Verdict(style, "hidden attribute")
    closed = element.tag == "dialog" and element.get("open") is None
    closed = closed or element.get("popover") is not None or element.tag in _UNSHOWN_TAGS
    if closed and not shown:
        return Verdict(style, "display")
    verdict = judge(declared, style, element in cascade.painted)
    return replace(verdict, unsure=True) if element in cascade.vague else verdict


def _letters(element: etree._Element) -> int:
    never = NEVER_SHOWN
    return sum(
        len("".join((text or "").split()))
        for node in element.iter()
        if node.tag not in never and isinstance(node.tag, str)
        for text in ((node.text,) if node is element else (node.text, node.tail))
    )


def _told(element: etree._Element) -> bool:
    if not isinstance(element.tag, str):
        return _TELLING.search(element.text or "") is not None
    return any(_TELLING.search(str(text)) for text in element.itertext(with_tail=False))


def _own_words(element: etree._Element) -> bool:
    texts = [element.text, *(child.tail for child in element)]
    return any(text and _TELLING.search(text) for text in texts)


def _take(element: etree._Element, channel: str, found: _Findings) -> None:
    counted = channel in CHANNELS
    if not counted or (channel == "meta" and element.tag == "script") or _told(element):
        # Metadata elements are counted by name, wherever they stand.
        if not (channel == "meta" and element.tag == "meta"):
            found.counts[channel] += 1
        if channel in _STYLED:
            found.styled += _letters(element)
    if element.tag in NEVER_SHOWN:
        _count_attributes(element, found.counts)
    keeps_place = element.tag in _TABLE_PARTS and channel not in {"display", "hidden attribute"}
    (found.empty if keeps_place else found.drop).append(element)


def _take_words(element: etree._Element, verdict: Verdict, found: _Findings) -> None:
    texts = [element.text, *(child.tail for child in element)]
    letters = sum(len("".join((text or "").split())) for text in texts)
    if letters:
        found.counts[verdict.words] += 1
        found.styled += letters
        found.unsure += letters if verdict.unsure else 0
        found.mute.append(element)


def _silence(element: etree._Element) -> None:
    """Take out an element's own words, not those of the elements in it."""
    if element.text and element.text.strip():
        element.text = " "
    for child in element:
        if child.tail and child.tail.strip():
            child.tail = " "


def _drop(elements: Iterable[etree._Element]) -> None:
    """Remove elements but not the text that follows them; each parent is put together once."""
    gone = set(elements)
    parents = dict.fromkeys(parent for each in gone if (parent := each.getparent()) is not None)
    for parent in parents:
        before: etree._Element | None = None
        texts = [parent.text or ""]
        for child in list(parent):
            texts_after = child.tail or ""
            if child in gone:
                child.tail = None
                parent.remove(child)
                texts.append(texts_after)
                continue
            _put(parent, before, texts)
            before, texts = child, [texts_after]
        _put(parent, before, texts)


def _put(parent: etree._Element, before: etree._Element | None, texts: list[str]) -> None:
    """Write what stands behind a child, or in front of the first one, if anything was joined to it."""
    if len(texts) == 1:
        return
    if before is None:
        parent.text = "".join(texts)
    else:
        before.tail = "".join(texts)


def _clean(root: etree._Element, counts: Counter[str]) -> int:
    """Take out invisible characters and every attribute that could carry words; count both."""
    total = tags = 0
    for element in root.iter():
        for name in ("text", "tail"):
            value = getattr(element, name)
            if value and not value.isascii():
                clean, plain, tagged = split_invisible(value)
                if plain or tagged:
                    setattr(element, name, clean)
                    total, tags = total + plain + tagged, tags + tagged
        if isinstance(element.tag, str) and element.attrib and element.tag != "meta":
            _clean_attributes(element, counts)
        if element.tag == "dialog":
            element.set("open", "")  # a style opens it
    if total - tags:
        counts["zero-width characters"] += total - tags
    if tags:
        counts["tag characters"] += tags
    return total


def _clean_attributes(element: etree._Element, counts: Counter[str]) -> None:
    _count_attributes(element, counts)
    attributes = element.attrib
    for name in list(attributes):
        if name not in _KEPT:
            del attributes[name]


def _count_attributes(element: etree._Element, counts: Counter[str]) -> None:
    if _TELLING.search(element.get("alt") or ""):
        counts["alt text"] += 1
    if _TELLING.search(element.get("title") or ""):
        counts["title attribute"] += 1
    if any(_TELLING.search(element.get(name) or "") for name in _LABELS):
        counts["aria-label"] += 1

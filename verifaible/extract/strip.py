"""Taking out of markup what its readers do not see, and counting it by channel.

What a layout hides is the browser's to say (``browser/js/lib.js``) and is not in the markup that it gives.
Markup that no browser has laid out (feeds, sources that were given) is read by what it says of itself:
attributes and inline styles. What is left holds no words in attributes and no invisible characters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from lxml import etree

from verifaible.extract.visible import NEVER_SHOWN, hidden_reason, split_invisible

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
_TELLING = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class Removed:
    """What was taken out of a page.

    Attributes:
        elements: how often, by channel; and by tag for what is never text (scripts, form fields).
        characters: invisible characters, tag characters among them.
    """

    elements: tuple[tuple[str, int], ...] = ()
    characters: int = 0

    @property
    def channels(self) -> tuple[tuple[str, int], ...]:
        """What hid words, in the order of :data:`CHANNELS`, with how often."""
        known = dict(self.elements)
        return tuple((name, known[name]) for name in CHANNELS if known.get(name))

    def plus(self, counts: Mapping[str, int]) -> Removed:
        """With more of what another reader, the browser, took out."""
        total = Counter(dict(self.elements))
        total.update(counts)
        return replace(self, elements=tuple(sorted(total.items())))


def strip_hidden(root: etree._Element) -> Removed:
    """Take everything that shows nothing out of a tree, in place; tell what was taken."""
    counts: Counter[str] = Counter()
    _count_head(root, counts)
    drop: list[etree._Element] = []
    stack = [root]
    while stack:  # no recursion: pages nest deep
        element = stack.pop()
        shown = _open_part(element)
        if shown is not element:
            others = [child for child in element if child is not shown]
            if any(_told(child) for child in others) or _own_words(element):
                counts["closed details"] += 1
            _silence(element)
            drop += others
        for child in element if shown is element else [] if shown is None else [shown]:
            channel = "" if child.tag == "head" else _channel(child)
            if not channel:
                stack.append(child)
            elif _take(child, channel, counts):
                drop.append(child)
    _drop(drop)
    characters = _clean(root, counts)
    return Removed(tuple(sorted((+counts).items())), characters)


def _count_head(root: etree._Element, counts: Counter[str]) -> None:
    for node in root.iter("meta"):
        name = node.get("name") or node.get("property") or node.get("itemprop") or ""
        if name and not _TECHNICAL.match(name) and _TELLING.search(node.get("content") or ""):
            counts["meta"] += 1
    for head in root.iter("head"):
        counts["noscript"] += sum(1 for _ in head.iter("noscript"))


def _open_part(element: etree._Element) -> etree._Element | None:
    """The element itself if all of it shows; of closed details the first summary, if there is one."""
    if element.tag != "details" or element.get("open") is not None:
        return element
    return next((child for child in element if child.tag == "summary"), None)


def _channel(element: etree._Element) -> str:
    """Why an element shows nothing: a channel, a tag, or an empty string."""
    if element.tag != "script":
        return hidden_reason(element)
    kind = (element.get("type") or "").strip().lower()
    if kind == "application/ld+json":
        return "meta"
    return "template" if kind.startswith("text/") and kind != "text/javascript" else "script"


def _told(element: etree._Element) -> bool:
    if not isinstance(element.tag, str):
        return _TELLING.search(element.text or "") is not None
    return any(_TELLING.search(str(text)) for text in element.itertext(with_tail=False))


def _own_words(element: etree._Element) -> bool:
    texts = [element.text, *(child.tail for child in element)]
    return any(text and _TELLING.search(text) for text in texts)


def _take(element: etree._Element, channel: str, counts: Counter[str]) -> bool:
    """Count what an element hides; whether it goes as a whole: a cell that is only unseen keeps its place."""
    # Linked data; other metadata elements are counted by name, wherever they stand.
    if channel not in CHANNELS or channel == "meta" or _told(element):
        counts[channel] += 1
    if element.tag in NEVER_SHOWN:
        _count_attributes(element, counts)
    if element.tag not in _TABLE_PARTS or channel in {"display", "hidden attribute"}:
        return True
    element.text = None
    for child in list(element):
        element.remove(child)
    return False


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

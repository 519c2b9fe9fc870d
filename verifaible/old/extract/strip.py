"""Taking out of markup what its readers do not see.

What a layout hides is the browser's to say (``browser/js/lib.js``) and is not in the markup that it gives.
Markup that no browser has laid out (feeds, sources that were given) is read by what it says of itself:
attributes and inline styles. What is left holds no words in attributes and no invisible characters.
"""

from __future__ import annotations

from collections.abc import Iterable

from lxml import etree

from verifaible.old.extract.visible import is_hidden, takes_no_room, without_invisible

#: Attributes that the conversion, the tables or the location of the content still need.
_KEPT_NAMES = "href src colspan rowspan scope role type start class id lang name datetime reversed open"
_KEPT = frozenset(_KEPT_NAMES.split())
_TABLE_PARTS = frozenset({"td", "th", "tr", "tbody", "thead", "tfoot", "caption"})


def strip_hidden(root: etree._Element) -> None:
    """Take everything that shows nothing out of a tree, in place."""
    drop: list[etree._Element] = []
    stack = [root]
    while stack:  # no recursion: pages nest deep
        element = stack.pop()
        shown = _open_part(element)
        if shown is not element:
            _silence(element)
            drop += [child for child in element if child is not shown]
        for child in element if shown is element else [] if shown is None else [shown]:
            if child.tag == "head" or not is_hidden(child):
                stack.append(child)
            elif child.tag in _TABLE_PARTS and not takes_no_room(child):
                _empty(child)  # a cell that is only unseen keeps its place
            else:
                drop.append(child)
    _drop(drop)
    _clean(root)


def _open_part(element: etree._Element) -> etree._Element | None:
    """The element itself if all of it shows; of closed details the first summary, if there is one."""
    if element.tag != "details" or element.get("open") is not None:
        return element
    return next((child for child in element if child.tag == "summary"), None)


def _empty(element: etree._Element) -> None:
    element.text = None
    for child in list(element):
        element.remove(child)


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


def _clean(root: etree._Element) -> None:
    """Take out invisible characters and every attribute that could carry words."""
    for element in root.iter():
        for name in ("text", "tail"):
            value = getattr(element, name)
            if value and not value.isascii():
                clean, count = without_invisible(value)
                if count:
                    setattr(element, name, clean)
        if isinstance(element.tag, str) and element.attrib and element.tag != "meta":
            for attribute in list(element.attrib):
                if attribute not in _KEPT:
                    del element.attrib[attribute]
        if element.tag == "dialog":
            element.set("open", "")  # a style opens it

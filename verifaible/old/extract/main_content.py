"""Where the main content of a page stands: the element, whole, not a selection of its text.

trafilatura picks the sentences that are content; the element that holds nearly all of them is
the place. What stands between them there (headings, dates, notes on units) is kept, because a
paragraph that is lost cannot be quoted.
"""

from __future__ import annotations

import lxml.html
from lxml import etree

from verifaible.errors import needing

#: The element must hold this share of the characters that trafilatura picked.
HELD_SHARE = 0.9
#: It grows to its parent as long as that adds at most this share of text: dates and source
#: lines stand there, menus are longer. It never grows to the whole page.
GROWTH = 0.25
#: Text of which more than this share is links is a menu, and stops the growth.
MENU_SHARE = 0.5
#: If less than this share of the page's text was picked, the whole page is the content: better
#: some menus too many than a paragraph too few.
MIN_PICKED_SHARE = 0.25

_LEAVES = (
    "p",
    "li",
    "td",
    "th",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "dd",
    "dt",
    "pre",
    "blockquote",
    "caption",
)
_CONTAINERS = frozenset(
    {"body", "div", "main", "article", "section", "center", "td", "tr", "tbody", "table", "form"}
)


def main_content(root: etree._Element, url: str) -> etree._Element:
    """The element with the main content of a tree whose hidden parts are stripped."""
    with needing("reading", "Finding the main content of a page"):
        import trafilatura

    body = root.find("body")
    if body is None:
        return root
    found = trafilatura.bare_extraction(
        lxml.html.tostring(root, encoding="unicode"),
        url=url,
        include_comments=False,
        favor_recall=True,
    )
    if found is None or isinstance(found, dict):
        return body
    picked = _folded(found.text or "")
    weights = _weights(body, picked)
    total = weights.get(body, 0)
    if total < MIN_PICKED_SHARE * len(_text(body)):
        return body
    holder = _holder(body, weights, HELD_SHARE * total)
    return holder if holder is body else _grown(holder, body)


def _folded(text: str) -> str:
    return "".join(text.split())


def _text(element: etree._Element) -> str:
    """All text of an element without white space; the tree holds nothing hidden any more."""
    return _folded("".join(str(part) for part in element.itertext()))


def _weights(body: etree._Element, picked: str) -> dict[etree._Element, int]:
    """Picked characters below every element, counted at the smallest blocks."""
    weights: dict[etree._Element, int] = {}
    for element in body.iter():
        if element.tag in _LEAVES and next(element.iterdescendants(*_LEAVES), None) is None:
            text = _text(element)
        else:
            # Text that stands in a container without a block of its own.
            text = _folded((element.text or "") if element.tag in _CONTAINERS else "")
        if len(text) < 2 or text not in picked:
            continue
        weights[element] = weights.get(element, 0) + len(text)
        for parent in element.iterancestors():
            weights[parent] = weights.get(parent, 0) + len(text)
    return weights


def _holder(body: etree._Element, weights: dict[etree._Element, int], needed: float) -> etree._Element:
    holder = body
    while True:
        inner = next(
            (child for child in holder if child.tag in _CONTAINERS and weights.get(child, 0) >= needed), None
        )
        if inner is None:
            break
        holder = inner
    # Part of a table is no content of its own.
    tables = [node for node in (holder, *holder.iterancestors("table")) if node.tag == "table"]
    return tables[-1] if tables and holder.tag in {"tr", "tbody", "table"} else holder


def _grown(element: etree._Element, body: etree._Element) -> etree._Element:
    own, own_links = len(_text(element)), _link_characters(element)
    while (parent := element.getparent()) is not None and parent is not body:
        size, links = len(_text(parent)), _link_characters(parent)
        added = size - own
        if added > GROWTH * own or (links - own_links) > MENU_SHARE * added:
            break
        element, own, own_links = parent, size, links
    return element


def _link_characters(element: etree._Element) -> int:
    return sum(len(_text(link)) for link in element.iter("a"))

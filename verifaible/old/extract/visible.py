"""What a reader can see of static markup: which elements are hidden, and the text of the rest.

Without a layout engine only what the markup itself says is known: attributes and inline styles. What the
browser computes is the browser's to say.
"""

from __future__ import annotations

import re
from functools import lru_cache

from lxml import etree

from verifaible.old.text.lists import words_of

#: Tags whose content is no text of the page.
NEVER_SHOWN = words_of(
    "script style template noscript head title meta link base datalist iframe object embed "
    "audio video canvas svg select textarea input param source track"
)
_BLOCKS = words_of(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol "
    "p pre search section summary table tbody tfoot thead tr ul br"
)
_CELLS = frozenset({"td", "th"})
#: Characters that show nothing, wherever they stand: format characters, bidirectional controls, fillers of
#: Hangul, and Unicode tags.
_ALWAYS_UNSEEN = (
    "\u00ad\u034f\u115f\u1160\u180e\u200b\u202a-\u202e\u2060-\u206f\u3164\uffa0\ufeff"
    "\U000e0000-\U000e007f\U000e0100-\U000e01ef"
)
#: The same, and what means something between some letters: joiners (not next to plain ASCII), a mark of
#: direction, a variation selector. Of several in a row all but the first go.
_INVISIBLE = re.compile(
    f"[{_ALWAYS_UNSEEN}]"
    "|(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]+"
    "|(?<=[\u200e\u200f])[\u200e\u200f]+"
    "|(?<=[\x00-\x7f\u200c\u200d])[\u200c\u200d]|[\u200c\u200d](?=[\x00-\x7f\u200c\u200d])"
)
#: Characters of an address that its reader would not see.
UNSEEN_IN_ADDRESS = re.compile(f"[{_ALWAYS_UNSEEN}\u200c-\u200f\u2028\u2029\ufe00-\ufe0f]")
_CSS_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_DECLARATION = re.compile(r"(?P<name>[\w-]++)\s*+:(?P<value>(?:[^;\"'()]|\"[^\"]*+\"|'[^']*+'|\([^)]*+\))*+)")
_BLANKS = re.compile(r"[ \t\n\r\f\xa0]+")


def is_hidden(element: etree._Element) -> bool:
    """Whether an element itself (not an ancestor) shows nothing."""
    if takes_no_room(element):
        return True
    if not element.attrib:
        return False
    return (element.get("aria-hidden") or "").strip().lower() == "true" or (
        declarations(element.get("style") or "").get("visibility") in {"hidden", "collapse"}
    )


def takes_no_room(element: etree._Element) -> bool:
    """Whether an element shows nothing and nothing is left free in its place."""
    if not isinstance(element.tag, str) or element.tag in NEVER_SHOWN:
        return True
    if element.tag == "dialog" and element.get("open") is None:
        return True
    if not element.attrib:
        return False
    declared = declarations(element.get("style") or "")
    return (
        element.get("hidden") is not None
        or declared.get("display") == "none"
        or declared.get("content-visibility") == "hidden"
    )


@lru_cache(maxsize=4096)
def declarations(style: str) -> dict[str, str]:
    """What a ``style`` attribute declares, in small letters: of several values the one that holds."""
    found: dict[str, str] = {}
    important: set[str] = set()
    for match in _DECLARATION.finditer(_CSS_COMMENT.sub("", style).lower()):
        name, value = match["name"], match["value"].strip()
        weighty = value.endswith("important") and value.removesuffix("important").rstrip().endswith("!")
        if name not in important or weighty:
            found[name] = value.removesuffix("important").rstrip(" !") if weighty else value
        if weighty:
            important.add(name)
    return found


def without_invisible(text: str) -> tuple[str, int]:
    """The text without zero-width and tag characters, and how many there were."""
    if text.isascii():
        return text, 0
    found = _INVISIBLE.findall(text)
    return (_INVISIBLE.sub("", text), sum(map(len, found))) if found else (text, 0)


def visible_text(element: etree._Element, *, skip_tables: bool = False) -> str:
    """The text of an element on one line; blocks and line breaks become one blank."""
    return " ".join(visible_lines(element, skip_tables=skip_tables))


def visible_lines(element: etree._Element, *, skip_tables: bool = False) -> list[str]:
    """The text of an element, a line a block, white space folded; empty lines are left out.

    Ideographic spaces stay: they are part of the text.
    """
    if not len(element) and element.tag in _CELLS:
        # Nearly every cell of a long table.
        line = _BLANKS.sub(" ", _plain(element.text)).strip(" ")
        return [line] if line else []
    parts: list[str] = []
    _walk(element, parts, skip_tables)
    lines = (_BLANKS.sub(" ", line).strip(" ") for line in "".join(parts).split("\x00"))
    return [line for line in lines if line]


def _walk(top: etree._Element, parts: list[str], skip_tables: bool) -> None:
    """Append text in document order, NUL at every block boundary; no recursion: pages nest deep."""
    stack: list[tuple[etree._Element, bool]] = [(top, False)]
    while stack:
        element, leaving = stack.pop()
        block = isinstance(element.tag, str) and element.tag in _BLOCKS
        if not leaving:
            skipped = element is not top and (is_hidden(element) or (skip_tables and element.tag == "table"))
            if block:
                parts.append("\x00")
            elif element.tag in _CELLS:
                parts.append(" ")
            stack.append((element, True))
            if not skipped:
                parts.append(_plain(element.text))
                stack.extend((child, False) for child in reversed(element))
        else:
            if block:
                parts.append("\x00")
            if element is not top:
                parts.append(_plain(element.tail))


def _plain(text: str | None) -> str:
    return without_invisible(text)[0].replace("\x00", "") if text else ""


def css_path(element: etree._Element) -> str:
    """A CSS path from the document's root that only this element has (``:nth-of-type`` steps)."""
    steps: list[str] = []
    node: etree._Element | None = element
    while node is not None and isinstance(node.tag, str):
        parent = node.getparent()
        if parent is None or node.tag in {"html", "body"}:
            steps.append(node.tag)
        else:
            position = 1 + sum(1 for _ in node.itersiblings(node.tag, preceding=True))
            steps.append(f"{node.tag}:nth-of-type({position})")
        node = parent
    return " > ".join(reversed(steps))

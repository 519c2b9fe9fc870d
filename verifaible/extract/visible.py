"""What a reader can see of static markup: which elements are hidden, and the text of the rest.

Without a layout engine only what the markup itself says is known: attributes, inline styles and
plain rules of the page's own style sheets. What the browser computes is the browser's to say.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from lxml import etree


def _words(names: str) -> frozenset[str]:
    return frozenset(names.split())


_NEVER_SHOWN = _words(
    "script style template noscript head title meta link base datalist iframe object embed "
    "audio video canvas svg select textarea input param source track"
)
_BLOCKS = _words(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol "
    "p pre search section summary table tbody tfoot thead tr ul br"
)
_CELLS = frozenset({"td", "th"})
_ZERO = r"0+(?:\.0+)?(?:px|em|rem|pt|%|vh|vw)?"
_STYLE_RULES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(rf"(?:^|;)\s*{pattern}", re.IGNORECASE))
    for name, pattern in (
        ("display", r"display\s*:\s*none\b"),
        ("visibility", r"visibility\s*:\s*(?:hidden|collapse)\b"),
        ("opacity", r"opacity\s*:\s*0+(?:\.0+)?%?\s*(?:!important)?\s*(?:;|$)"),
        ("size", rf"font-size\s*:\s*{_ZERO}\s*(?:!important)?\s*(?:;|$)"),
        ("off-screen", r"(?:left|top|right|text-indent|margin-left)\s*:\s*-\d{4,}(?:\.\d+)?px"),
        ("clip", r"clip\s*:\s*rect\(\s*(?:[01](?:px)?[\s,]+){3}[01](?:px)?\s*\)"),
        ("clip", r"clip-path\s*:\s*(?:inset\(\s*(?:50|100)%|circle\(\s*0)"),
        ("clip", r"transform\s*:\s*scale[xy]?\(\s*0\s*\)"),
        ("colour", r"color\s*:\s*transparent\b"),
    )
)
_ZERO_BOX = re.compile(
    rf"(?:^|;)\s*(?:max-)?(?:width|height)\s*:\s*{_ZERO}\s*(?:!important)?\s*(?:;|$)", re.IGNORECASE
)
_OVERFLOW = re.compile(r"overflow(?:-[xy])?\s*:\s*(?:hidden|clip)\b", re.IGNORECASE)

_CSS_NOISE = re.compile(r"/\*.*?\*/", re.DOTALL)
_CSS_RULE = re.compile(r"([^{}@;]+)\{([^{}]*)\}")
_SIMPLE_SELECTOR = re.compile(r"([a-z][a-z0-9]*)?([.#])([\w-]+)\Z", re.IGNORECASE)

#: Characters that show nothing and carry no meaning; joiners only next to plain ASCII.
_INVISIBLE = re.compile(
    "[\u00ad\u180e\u200b\u2060-\u2064\ufeff\U000e0000-\U000e007f\U000e0100-\U000e01ef]"
    "|(?<=[\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?=[\x00-\x7f])"
)
_BLANKS = re.compile(r"[ \t\n\r\f\xa0]+")


@dataclass(frozen=True, slots=True)
class Removed:
    """What was taken out of a page.

    ``elements`` counts elements by the reason: the tag's name for what is never text (scripts,
    form fields), ``comment``, or how the markup hides them. ``characters`` counts invisible ones.
    """

    elements: tuple[tuple[str, int], ...] = ()
    characters: int = 0

    @property
    def hidden(self) -> int:
        """Elements with text that the markup hides from readers."""
        never = _NEVER_SHOWN | {"comment"}
        return sum(count for reason, count in self.elements if reason not in never)


def hidden_reason(element: etree._Element) -> str:
    """Why an element itself (not an ancestor) shows nothing; an empty string if it may show."""
    if not isinstance(element.tag, str):
        return "comment"
    if element.tag in _NEVER_SHOWN:
        return element.tag
    if element.tag == "dialog" and element.get("open") is None:
        return "closed dialog"
    return _attribute_reason(element) if element.attrib else ""


def _attribute_reason(element: etree._Element) -> str:
    if element.get("hidden") is not None and element.get("hidden", "").lower() != "until-found":
        return "hidden attribute"
    if (element.get("aria-hidden") or "").strip().lower() == "true":
        return "aria-hidden"
    style = element.get("style")
    return _style_reason(style) if style else ""


def is_hidden(element: etree._Element) -> bool:
    """Whether an element itself shows nothing."""
    return bool(hidden_reason(element))


@lru_cache(maxsize=4096)
def _style_reason(style: str) -> str:
    for name, pattern in _STYLE_RULES:
        if pattern.search(style):
            return name
    return "size" if _ZERO_BOX.search(style) and _OVERFLOW.search(style) else ""


def strip_hidden(root: etree._Element) -> Removed:
    """Take everything that shows nothing out of a tree, in place; tell what was taken."""
    hidden_names = _hidden_by_sheet(root)
    counts: Counter[str] = Counter()
    for element in list(root.iter()):
        if element is root or element.tag in {"head", "title"} or _inside_head(element):
            continue
        reason = hidden_reason(element) or _sheet_reason(element, hidden_names)
        if reason:
            counts[reason] += 1
            _drop(element)
    characters = 0
    for element in root.iter():
        for name in ("text", "tail"):
            value = getattr(element, name)
            if value:
                clean, count = without_invisible(value)
                if count:
                    setattr(element, name, clean)
                    characters += count
    return Removed(tuple(sorted(counts.items())), characters)


def without_invisible(text: str) -> tuple[str, int]:
    """The text without zero-width and tag characters, and how many there were."""
    return _INVISIBLE.subn("", text)


def _inside_head(element: etree._Element) -> bool:
    return any(parent.tag == "head" for parent in element.iterancestors())


def _hidden_by_sheet(root: etree._Element) -> frozenset[tuple[str, str, str]]:
    """(tag or "", "." or "#", name) of the plain rules that hide something on every screen."""
    found: set[tuple[str, str, str]] = set()
    for sheet in root.iter("style"):
        text = _without_blocks(_CSS_NOISE.sub("", sheet.text or ""))
        for selectors, declarations in _CSS_RULE.findall(text):
            if _style_reason(declarations) not in {"display", "visibility"}:
                continue
            for selector in selectors.split(","):
                match = _SIMPLE_SELECTOR.match(selector.strip())
                if match:
                    found.add(((match[1] or "").lower(), match[2], match[3]))
    return frozenset(found)


def _without_blocks(css: str) -> str:
    """CSS without ``@media`` and other nested blocks: whether they apply is not known here."""
    out: list[str] = []
    depth = 0
    start = 0
    for match in re.finditer(r"@[\w-]+[^{};]*\{|[{}]", css):
        brace = match[0]
        if depth == 0:
            if brace[0] == "@":
                out.append(css[start : match.start()])
                depth = 1
        elif brace == "}":
            depth -= 1
            start = match.end()
        else:
            depth += 1
    if depth == 0:
        out.append(css[start:])
    return "".join(out)


def _sheet_reason(element: etree._Element, names: frozenset[tuple[str, str, str]]) -> str:
    if not names:
        return ""
    classes = (element.get("class") or "").split()
    keys = [(".", name) for name in classes] + [("#", element.get("id") or "")]
    hit = any(("", *key) in names or (element.tag, *key) in names for key in keys)
    return "style sheet" if hit else ""


def _drop(element: etree._Element) -> None:
    """Remove an element but not the text that follows it."""
    parent = element.getparent()
    if parent is None:
        return
    tail = element.tail
    if tail:
        before = element.getprevious()
        if before is None:
            parent.text = (parent.text or "") + tail
        else:
            before.tail = (before.tail or "") + tail
    parent.remove(element)


def visible_text(element: etree._Element, *, skip_tables: bool = False) -> str:
    """The text of an element on one line; blocks and line breaks become one blank."""
    return " ".join(visible_lines(element, skip_tables=skip_tables))


def visible_lines(element: etree._Element, *, skip_tables: bool = False) -> list[str]:
    """The text of an element, a line a block, white space folded; empty lines are left out.

    Ideographic spaces stay: they are part of the text.
    """
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

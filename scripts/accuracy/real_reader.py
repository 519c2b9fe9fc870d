"""What a page says by its markup alone, read apart from the product.

The product's reader asks Chromium; this one parses the bytes with lxml. Whether a reader sees a quote is
asked of Chromium by :data:`VISIBLE`, which shares nothing with the product's scripts either.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal

from lxml import html
from lxml.html import HtmlElement

#: The attribute by which a leaf block is found again, in Chromium and in a changed page.
MARK: Final = "data-real-block"
_BLOCK: Final = re.compile(
    "address|article|aside|blockquote|body|center|dd|details|dialog|div|dl|dt|fieldset|"
    "figcaption|figure|footer|form|h[1-6]|header|hr|iframe|li|main|nav|ol|p|pre|section|summary|"
    "table|tbody|td|tfoot|th|thead|tr|ul|video"
)
ITEMS: Final = frozenset(("li", "td", "th"))
PROSE: Final = frozenset(("p", "blockquote", "dd", "div", "figcaption", "pre"))
_INLINE: Final = re.compile("a|b|em|i|strong|span|cite|code")
_NO_TEXT: Final = re.compile(
    "script|style|noscript|template|head|select|textarea|button|object|svg|math|canvas|audio|iframe|ruby"
)
#: No quote of ours goes over these: they are read in more than one way.
_PART: Final = re.compile(_NO_TEXT.pattern + "|br|sup|sub|img|input|label|del|s|strike|q")

#: Which of [mark, quote] pairs a reader sees: laid out, spelled as in the markup, and on top where it stands.
VISIBLE: Final = """(pairs) => pairs.map(([mark, quote]) => {
  const block = document.querySelector(`[data-real-block="${mark}"]`);
  if (!block || !block.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
  const nodes = document.createTreeWalker(block, NodeFilter.SHOW_TEXT), places = [];
  let text = "";
  for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
    if (node.parentElement.closest("script, style, noscript, template")) continue;
    for (let at = 0; at < node.data.length; at += 1) {
      if (/\\s/.test(node.data[at])) continue;
      text += node.data[at];
      places.push([node, at]);
    }
  }
  const wanted = quote.replace(/\\s+/g, ""), first = text.indexOf(wanted);
  if (first < 0 || !block.innerText.replace(/\\s+/g, " ").includes(quote)) return false;
  const range = document.createRange();
  range.setStart(...places[first]);
  const [last, at] = places[first + wanted.length - 1];
  range.setEnd(last, at + 1);
  // Words for screen readers stand in a box of a pixel.
  const tiny = ({ width, height }) => width <= 2 || height <= 2;
  const inner = [...block.querySelectorAll("*")].filter((each) => each.textContent.trim());
  if (inner.some((each) => range.intersectsNode(each) && tiny(each.getBoundingClientRect()))) return false;
  block.scrollIntoView({ block: "center", behavior: "instant" });
  const rects = [...range.getClientRects()].filter(({ width, height }) => width > 2 && height > 5);
  return rects.length > 0 && rects.every(({ left, top, width, height }) => {
    const found = document.elementFromPoint(left + width / 2, top + height / 2);
    return found !== null && block.contains(found);
  });
})"""
#: Whether the element that a path finds is the marked block or within it.
WITHIN: Final = """([path, mark]) => {
  const found = document.querySelector(path);
  return Boolean(found && found.closest(`[data-real-block="${mark}"]`));
}"""


@dataclass(slots=True)
class Block:
    """A leaf block: its text, white space collapsed, and for each character the text node it comes from."""

    element: HtmlElement
    text: str = ""
    places: list[tuple[HtmlElement, Literal["text", "tail"], int]] = field(default_factory=list)
    inline: list[tuple[int, int]] = field(default_factory=list)

    @property
    def mark(self) -> str:
        """By which it is found again."""
        return str(self.element.get(MARK, ""))


@dataclass
class Saved:
    """A saved page as it is served: parsed once, its leaf blocks marked."""

    root: HtmlElement

    @cached_property
    def text(self) -> str:
        """All words of the markup, hidden ones included."""
        parts = (
            node
            for node in self.root.xpath("//body//text()")
            if not _NO_TEXT.fullmatch(str(node.getparent().tag))
        )
        return " ".join(" ".join(parts).split())

    @cached_property
    def squeezed(self) -> str:
        """The same without white space, in small letters."""
        return "".join(self.text.split()).casefold()

    def blocks(self) -> list[Block]:
        """The leaf blocks, in order."""
        return [read(element) for element in self.root.xpath(f"//*[@{MARK}]")]

    def served(self) -> bytes:
        """The bytes to serve."""
        written: bytes = html.tostring(self.root, encoding="utf-8", method="html")
        return b"<!DOCTYPE html>\n" + written


def parse(body: bytes) -> Saved:
    """Parse a saved page and mark its leaf blocks."""
    root = html.document_fromstring(body, parser=html.HTMLParser(encoding="utf-8"))
    for meta in list(root.iter("meta")):
        above = meta.getparent()
        if above is not None and ("charset" in meta.attrib or "http-equiv" in meta.attrib):
            above.remove(meta)  # its character set is said by the server, and where it goes on to by nobody
    number = 0
    for element in root.iter(*(ITEMS | PROSE)):
        if _is_leaf(element) and not _is_hidden(element) and len(read(element).text) >= 12:
            element.set(MARK, str(number))
            number += 1
    return Saved(root)


def _is_leaf(element: HtmlElement) -> bool:
    return not any(_BLOCK.fullmatch(str(child.tag)) for child in element.iterdescendants())


def _is_hidden(element: HtmlElement) -> bool:
    for each in (element, *element.iterancestors()):
        style = (each.get("style") or "").replace(" ", "").lower()
        if _NO_TEXT.fullmatch(str(each.tag)) or each.get("hidden") is not None or "display:none" in style:
            return True
    return False


def read(element: HtmlElement) -> Block:
    """The text of a leaf block; what no quote goes over is a line end."""
    block = Block(element)
    chars: list[str] = []

    def put(node: HtmlElement, side: Literal["text", "tail"], said: str | None) -> None:
        for at, char in enumerate(said or ""):
            if not char.isspace() or (chars and not chars[-1].isspace()):
                chars.append(" " if char.isspace() else char)
                block.places.append((node, side, at))

    def walk(node: HtmlElement) -> None:
        put(node, "text", node.text)
        for child in node:
            if not isinstance(child.tag, str) or _PART.fullmatch(child.tag):
                if isinstance(child.tag, str):
                    chars.append("\n")
                    block.places.append((child, "tail", 0))
            else:
                start = len(chars)
                walk(child)
                if _INLINE.fullmatch(child.tag) and len(chars) > start:
                    block.inline.append((start, len(chars)))
            put(child, "tail", child.tail)

    walk(element)
    block.text = "".join(chars)
    return block

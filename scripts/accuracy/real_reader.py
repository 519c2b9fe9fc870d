"""What a page says by its markup alone, read apart from the product: leaf blocks, sentences, quotes.

The product's reader asks Chromium; this one parses the bytes with lxml. Whether a reader sees a quote is asked of
Chromium by :data:`VISIBLE`, which shares nothing with the product's scripts either.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal, TypeAlias

from lxml import html
from lxml.html import HtmlElement

Where: TypeAlias = Literal["paragraph", "inline", "item or cell"]
#: The attribute by which a leaf block is found again, in Chromium and in a changed page.
MARK: Final = "data-real-block"
_BLOCKS: Final = frozenset(
    "address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form "
    "h1 h2 h3 h4 h5 h6 header hr iframe li main nav ol p pre section summary table tbody td tfoot th thead tr ul video".split()
)
_ITEMS: Final = frozenset(("li", "td", "th"))
_PROSE: Final = frozenset(("p", "blockquote", "dd", "div", "figcaption", "pre"))
_INLINE: Final = frozenset(("a", "b", "em", "i", "strong", "span", "cite", "code"))
_NO_TEXT: Final = frozenset(
    "script style noscript template head select textarea button object svg math canvas audio iframe ruby".split()
)
#: No quote of ours goes over these: they are read in more than one way.
_PARTS: Final = _NO_TEXT | frozenset(("br", "sup", "sub", "img", "input", "label", "del", "s", "strike", "q"))
_ENDS: Final = re.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s|$)|[。！？]+[」』”’）]*")
_TERMINAL: Final = re.compile(r"[.!?…。！？][\"'”’»)\]」』）]*$")
_CJK: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_ABBREVIATED: Final = re.compile(r"(?:^|[\s(])(?:[A-Z][a-z]{0,3}|[a-zA-Z](?:\.[a-zA-Z])*|\d+)\.$")
_EDGE: Final = re.compile(r"^[^\w]+|[^\w]+$")
_QUANTITY: Final = re.compile(r"[\d$€£¥%]")

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
  if (first < 0 || !block.innerText.replace(/\\s+/g, "").includes(wanted)) return false;
  const range = document.createRange();
  range.setStart(...places[first]);
  const [last, at] = places[first + wanted.length - 1];
  range.setEnd(last, at + 1);
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
        return self.element.get(MARK, "")


@dataclass(frozen=True, slots=True)
class Quote:
    """A quote: its block by mark, its place in the block's text, its sentence's, and what kind it is."""

    text: str
    mark: str
    start: int
    sentence: tuple[int, int]
    where: Where
    whole: bool

    @property
    def kind(self) -> str:
        """The class of its citation."""
        return f"{self.where}, {'whole sentence' if self.whole else 'part of one'}"


@dataclass
class Saved:
    """A saved page as it is served: parsed once, its leaf blocks marked."""

    root: HtmlElement

    @cached_property
    def text(self) -> str:
        """All words of the markup, hidden ones included."""
        parts = (node for node in self.root.xpath("//body//text()") if node.getparent().tag not in _NO_TEXT)
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
        return b"<!DOCTYPE html>\n" + html.tostring(self.root, encoding="utf-8", method="html")


def parse(body: bytes) -> Saved:
    """Parse a saved page and mark its leaf blocks."""
    root = html.document_fromstring(body, parser=html.HTMLParser(encoding="utf-8"))
    for meta in root.xpath("//meta[@charset or @http-equiv]"):
        meta.getparent().remove(meta)  # its character set is said by the server, and where it goes on to by nobody
    number = 0
    for element in root.iter(*(_ITEMS | _PROSE)):
        if _is_leaf(element) and not _is_hidden(element) and len(read(element).text) >= 12:
            element.set(MARK, str(number))
            number += 1
    return Saved(root)


def _is_leaf(element: HtmlElement) -> bool:
    return not any(child.tag in _BLOCKS for child in element.iterdescendants() if isinstance(child.tag, str))


def _is_hidden(element: HtmlElement) -> bool:
    for each in (element, *element.iterancestors()):
        style = (each.get("style") or "").replace(" ", "").lower()
        if each.tag in _NO_TEXT or each.get("hidden") is not None or "display:none" in style:
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
            if not isinstance(child.tag, str) or child.tag in _PARTS:
                if isinstance(child.tag, str):
                    chars.append("\n")
                    block.places.append((child, "tail", 0))
            else:
                start = len(chars)
                walk(child)
                if child.tag in _INLINE and len(chars) > start:
                    block.inline.append((start, len(chars)))
            put(child, "tail", child.tail)

    walk(element)
    block.text = "".join(chars)
    return block


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """The sentences of a block that surely are whole; a text without a full stop is one."""
    start, sure = 0, True
    for match in re.finditer(r"\n|" + _ENDS.pattern, text):
        if match.group() != "\n" and _ABBREVIATED.search(text[: match.end()]):
            continue
        end = match.start() if match.group() == "\n" else match.end()
        if sure and (match.group() != "\n"):
            yield _trimmed(text, start, end)
        sure = match.group() != "\n" or not text[start:end].strip() or bool(_TERMINAL.search(text[:end].rstrip()))
        start = match.end()
    if sure and text[start:].strip():
        yield _trimmed(text, start, len(text))


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def words_of(text: str) -> list[tuple[int, int]]:
    """The words between white space; of Chinese, Japanese and Korean the clauses, which nothing cuts."""
    pattern = r"[^\s、，；：,;]+" if _CJK.search(text) else r"\S+"
    return [match.span() for match in re.finditer(pattern, text)]


def _part(text: str, first: int, last: int, chance: random.Random, around: int | None) -> tuple[int, int] | None:
    """From one word of a sentence to another, no number at either edge; over ``around``, if given."""
    words = [(first + start, first + end) for start, end in words_of(text[first:last])]
    least = 2 if _CJK.search(text) else 4
    if len(words) < least + 1:
        return None
    for _ in range(8):
        if around is None:
            begin = chance.randrange(0, len(words) - least + 1)
        else:
            before = [n for n, word in enumerate(words) if word[1] <= around]
            if not before:
                return None
            begin = chance.choice(before[-4:])
        end = min(len(words), begin + chance.randint(least, 12))
        edges = words[max(0, begin - 1) : begin + 1] + words[end - 1 : end + 1]
        if end - begin == len(words) or any(_QUANTITY.search(text[slice(*edge)]) for edge in edges):
            continue
        start, stop = words[begin][0], words[end - 1][1]
        said = text[start:stop]
        start += len(said) - len(re.sub(r"^[^\w]+", "", said))
        stop -= len(said) - len(re.sub(r"[^\w]+$", "", said))
        if stop - start >= 10 and (around is None or start < around < stop):
            return start, stop
    return None


def quotes(saved: Saved, chance: random.Random) -> dict[tuple[Where, bool], list[Quote]]:
    """All that may be quoted, by kind and variant, in a seeded order; each stands once on the page."""
    found: dict[tuple[Where, bool], list[Quote]] = {
        (where, whole): [] for where in ("paragraph", "inline", "item or cell") for whole in (True, False)
    }
    for block in saved.blocks():
        for first, last in sentences(block.text):
            if not 16 <= last - first <= 400:
                continue
            for where in _kinds(block, first, last):
                edges = [start for start, _ in block.inline if first < start < last]
                around = chance.choice(edges) if where == "inline" else None
                for whole in (True, False):
                    span = (first, last) if whole else _part(block.text, first, last, chance, around)
                    if span is None or "\n" in block.text[slice(*span)]:
                        continue
                    text = block.text[slice(*span)]
                    if saved.squeezed.count("".join(text.split()).casefold()) == 1:
                        found[where, whole].append(Quote(text, block.mark, span[0], (first, last), where, whole))
    for each in found.values():
        chance.shuffle(each)
    return found


def _kinds(block: Block, first: int, last: int) -> Iterator[Where]:
    if any(first < start < last or first < end < last for start, end in block.inline):
        if any(first < start < last for start, _ in block.inline):
            yield "inline"
    elif block.element.tag in _PROSE and len(words_of(block.text[first:last])) >= 2:
        yield "paragraph"
    if block.element.tag in _ITEMS:
        yield "item or cell"

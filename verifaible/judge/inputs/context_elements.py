"""Elements that hold a source: ``<source id="1" url="...">``, ``<document><source>https://...``."""

from __future__ import annotations

import bisect
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from verifaible.judge.inputs.context_named import Head
from verifaible.judge.inputs.references import ADDRESS, canonical_id, trimmed

_TAGS: Final = (
    r"source|document|doc|result|search_result|webpage|web_page|page|item|article|snippet|context_item"
    r"|citation"
)
_ELEMENT = re.compile(rf"<(?P<tag>{_TAGS})(?P<attributes>(?:[ \t][^<>]{{0,2000}})?)>", re.IGNORECASE)
_CLOSING = re.compile(rf"</({_TAGS})\s*>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"([\w\-]+)[ \t]*=[ \t]*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")
_CHILD = re.compile(
    r"\s*<(?P<name>id|src_id|source_id|index|number|n|ref|url|link|href|uri|source|title|name|date|published)>"
    r"(?P<said>[^<>\n]{0,2000})</(?P=name)\s*>",
    re.IGNORECASE,
)
_BODY = re.compile(
    r"\s*<(?P<name>document_content|page_content|content|text|body|snippet|words)>", re.IGNORECASE
)
_IDS: Final = ("id", "src_id", "source_id", "index", "number", "n", "ref")
_ADDRESSED = re.compile(ADDRESS, re.IGNORECASE)


def elements_of(text: str) -> Iterator[Head]:
    """The elements that say which source they hold, by an attribute or by an element in them."""
    closings: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for match in _CLOSING.finditer(text):
        closings[match[1].lower()].append(match.span())
    behind = 0
    for match in _ELEMENT.finditer(text):
        if match.start() < behind:
            continue
        said = {
            each[1].lower(): each[2] or each[3] or each[4] or ""
            for each in _ATTRIBUTE.finditer(match["attributes"])
        }
        end, words = match.end(), (0, 0)
        while child := _CHILD.match(text, end):
            said.setdefault(child["name"].lower(), child["said"].strip())
            if child["name"].lower() == "title":
                words = child.span("said")
            end = child.end()
        name = next((said[key] for key in _IDS if said.get(key)), "")
        found = next((each for value in said.values() if (each := _ADDRESSED.match(value.strip()))), None)
        if not (name or found):
            continue
        own = closings[match["tag"].lower()]
        after = bisect.bisect_left(own, (end, 0))
        close, until = own[after] if after < len(own) else (len(text), len(text))
        if (body := _BODY.match(text, end)) and body.end() <= close:
            inner = re.compile(rf"</{body['name']}\s*>\s*\Z", re.IGNORECASE).search(
                text, max(body.end(), close - 200), close
            )
            end, close = (body.end(), inner.start()) if inner else (end, close)
        address = trimmed(found[0]) if found else ""
        behind = end
        yield Head(
            match.start(), end, _id(name), address, said.get("title", ""), until, close=close, words=words
        )


def _id(name: str) -> str:
    return canonical_id(re.sub(r"[\[\]【】()]", "", name.strip()))

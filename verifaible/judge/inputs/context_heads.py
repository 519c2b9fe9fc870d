"""Where the sources of a context begin: lines that name an address or an id, and results of a search."""

from __future__ import annotations

import bisect
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Final

from verifaible.archive.matching import normalise
from verifaible.claims.references import ADDRESS, canonical_id, trimmed
from verifaible.judge.inputs.context_named import MASK, Head, completed

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
        name = canonical_id(re.sub(r"[\[\]【】()]", "", name.strip()))
        yield Head(match.start(), end, name, address, said.get("title", ""), until, close=close, words=words)


_WORD: Final = r"(?:src|sources?|docs?|documents?|refs?|references?|citations?|来源|资料|文献)"
_OTHER_WORD: Final = r"(?:(?:search[ _])?results?|snippets?|context|chunk|page|tool|web|passage|article)"
_ID: Final = rf"{_WORD}[ \t]?[_\-#]?[ \t]?\[?\d{{1,4}}\]?"
_LEAD: Final = r"^[ \t]*(?:>[ \t]?)?(?:[-*+•][ \t]+|\d{1,3}[.)][ \t]+|#{1,6}[ \t]*)?[*_`]{0,3}"
_NAMED: Final = (
    rf"(?:[\[(【]?(?P<before>{_ID}|\[\d{{1,3}}\])[\])】]?"
    r"[*_`]{0,3}[ \t]*[:：\-–—|]*[ \t]*[*_`]{0,3}[ \t]*)?"
)
_FROM = re.compile(
    _LEAD
    + _NAMED
    + "From:?[*_]{0,3}[ \t]*(?:"
    + rf"\[(?P<label>[^\[\]\n]{{1,300}})\]\(<?(?P<linked>{ADDRESS})>?\)|"
    + rf"[\[(<`]?[ \t]*(?P<url>{ADDRESS})[ \t]*[\])>`]?|"
    + r"\[(?P<name>[^\[\]\n]{1,300})\](?=[ \t]*[:：*(]|[ \t]*$))"
    + rf"(?P<tail>[ \t]*(?:[\[(](?P<after>{_ID})[\])])?[ \t]*[:：]?[*_ \t]*[:：]?[*_]*)",
    re.IGNORECASE | re.MULTILINE,
)
_BY_ID = re.compile(
    rf"{_LEAD}(?:(?:source[ _])?id[*_]{{0,2}}[ \t]*[:：=][*_ \t]{{0,4}})?"
    rf"(?:[\[(【<](?P<closed>{_ID}|{_OTHER_WORD}[ \t]?[_\-#]?[ \t]?\d{{1,4}})[\])】>]|(?P<open>{_ID}))"
    r"[*_`]{0,3}(?P<tail>(?(closed)[^\n]*$"
    rf"|(?:[ \t]*$|[ \t]*[:：|\-–—][^\n]*$|[ \t]*[(\[<]?[ \t]*{ADDRESS}[^\n]*$|[ \t]+From\b[^\n]*$)))",
    re.IGNORECASE | re.MULTILINE,
)
_HEADING = re.compile(
    rf"^[ \t]*(?:#{{1,6}}[ \t]*|\*\*|-{{2,}}[ \t]*|={{2,}}[ \t]*)"
    rf"(?P<open>{_OTHER_WORD}[ \t]?[_\-#]?[ \t]?\d{{1,4}})\b(?P<tail>[^\n]*)$",
    re.IGNORECASE | re.MULTILINE,
)
_URL = re.compile(ADDRESS, re.IGNORECASE)
_TOOL = re.compile(
    r"^[ \t]*[#*\-\[ \t]{0,6}(?:tool|function|api)(?:[ _](?:name|call|result|response|output))?"
    r"[ \t]*[:：][ \t]*[`*\"]{0,3}(?P<name>[\w.\-]{2,80})[^\n]*$",
    re.IGNORECASE | re.MULTILINE,
)

_SNIPPET_END = re.compile(
    r"\bSources?[ \t]*(?:URL)?[ \t]*[:：][ \t]*[*_]{0,2}(?:\[[^\[\]\n]{0,300}\]\()?"
    rf"[<(\[]?(?P<url>{ADDRESS})[>)\]*_]{{0,3}}\.?",
    re.IGNORECASE,
)
_NUMBERED_RESULT = re.compile(
    rf"^[ \t]*(?:\[(?P<bracket>\d{{1,3}})\]|(?P<dotted>\d{{1,3}})[.)])[ \t]+(?P<title>[^\n]*)\n"
    rf"[ \t]*(?:URL|Link)?[ \t]*[:：]?[ \t]*<?(?P<url>{ADDRESS})",
    re.IGNORECASE | re.MULTILINE,
)
_BRACKET_RESULT = re.compile(
    rf"^[ \t]*\[(?P<bracket>\d{{1,3}})\][ \t]*(?P<title>[^\n]*?)(?P<url>{ADDRESS})[^\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
_URL_LINE = re.compile(
    r"(?:^[ \t]*[*_\-]{0,3}[ \t]*(?:\d{1,3}[.)][ \t]*)?\**Title\**[ \t]*[:：]\**[ \t]*(?P<title>[^\n]*)\n)?"
    r"^[ \t]*[*_\-]{0,3}[ \t]*(?:URL|Link|Source URL|网址|链接)\**[ \t]*[:：]\**[ \t]*"
    rf"[<\[]?(?P<url>{ADDRESS})[^\n]*$",
    re.IGNORECASE | re.MULTILINE,
)


@lru_cache(maxsize=4096)
def url_key(url: str) -> str:
    """Equal for addresses of one page.

    Without scheme, ``www.``, fragment, volatile parameters, last slash and escapes.
    """
    try:
        key = normalise(url.strip().split("#", 1)[0]).key
    except ValueError:
        key = url.strip()
    key = re.sub("%[0-9A-Fa-f]{2}", _unescaped, key)
    return re.sub(r"^[a-z]+://(?:www\.)?", "", re.sub(r"/(?=\?|$)", "", key, count=1))


def _unescaped(match: re.Match[str]) -> str:
    """A character of an address instead of its escape, where that makes no difference."""
    char = chr(int(match[0][1:], 16))
    return char if char.isascii() and char.isprintable() and char not in " /?#&=%+;" else match[0].upper()


def heads_of(text: str) -> list[Head]:
    """The beginnings of detailed sources, in order; of two on one line the fuller one."""
    found: dict[int, Head] = {}
    closed_until = 0
    for head in sorted(_all(text), key=lambda head: (head.start, -head.end)):
        line = text.rfind("\n", 0, head.start + 1) if head.start else -1
        if head.start < closed_until and not head.until:
            continue  # in an element that names its source, nothing else begins one
        before = found.get(line)
        if before is None or (not before.url and head.url) or (before.tool and not head.tool):
            merged = head if before is None else _merged(before, head)
            found[line] = merged
            closed_until = max(closed_until, merged.until)
    return completed(text, sorted(found.values(), key=lambda head: head.start))


def _merged(one: Head, other: Head) -> Head:
    end = one if one.end >= other.end else other
    return replace(
        end,
        start=min(one.start, other.start),
        id=one.id or other.id,
        url=one.url or other.url,
        title=one.title or other.title,
        until=one.until or other.until,
        close=one.close or other.close,
        tool=one.tool and other.tool,
    )


def _all(text: str) -> Iterator[Head]:
    for match in _FROM.finditer(text):
        url = trimmed(match["url"] or match["linked"] or "")
        label = (match["label"] or match["name"] or "").strip()
        name = match["before"] or match["after"] or ""
        if not name and re.fullmatch(_ID, label.strip(), re.IGNORECASE):
            name, label = label, ""
        if not url and label.lower().startswith("http"):
            url, label = trimmed(label), ""
        yield Head(match.start(), match.end(), _id(name) or ("" if url else label), url, label)
    for pattern in (_BY_ID, _HEADING):
        for match in pattern.finditer(text):
            tail = match["tail"].partition(MASK)[0]
            if (
                match.groupdict().get("open")
                and not tail.strip()
                and _at_end_of_sentence(text, match.start())
            ):
                continue
            found = _URL.search(tail)
            address = trimmed(found[0]) if found else ""
            title = _titled(tail.replace(address, "") if address else tail)
            name = match.groupdict().get("closed") or match["open"]
            head_end = _unmasked(match) if address or len(tail) < 200 else match.start("tail")
            yield Head(match.start(), head_end, _id(name), address, title)
    yield from elements_of(text)
    for match in _TOOL.finditer(text):
        yield Head(match.start(), _unmasked(match), "", "", match["name"], tool=True)


def _unmasked(match: re.Match[str]) -> int:
    """The end of a match, or where JSON begins in it."""
    masked = match[0].find(MASK)
    return match.end() if masked < 0 else match.start() + masked


def _id(name: str) -> str:
    flat = name.strip().strip("[]()【】")
    return canonical_id(re.sub(r"[\[\]]", "", flat)) if flat else ""


def _at_end_of_sentence(text: str, at: int) -> bool:
    """Whether a line that holds only an id goes on from the line before, as text that was broken does."""
    before = text[max(at - 200, 0) : at].rstrip(" \t")
    return bool(before) and before[-1:] == "\n" and before.rstrip()[-1:] in (",", "(", "，")


def _titled(tail: str) -> str:
    title = re.sub(r"^\W*From\b", "", tail.strip(), flags=re.IGNORECASE)
    return " ".join(title.split()).strip(" \t*_-–—:：|()[]<>`.,")[:300]


# --- results of a search


def results_of(text: str) -> list[Head]:
    """Search results in a text, in order and apart: ``start`` to ``end`` is the whole of each."""
    found: list[Head] = []
    taken: list[tuple[int, int]] = []
    for search in (_listed, _url_blocks, _snippets):
        for head in search(text, taken):
            found.append(head)
        taken = sorted((head.start, head.end) for head in found)
    return sorted(found, key=lambda head: head.start)


def _listed(text: str, _: list[tuple[int, int]]) -> Iterator[Head]:
    matches = sorted(
        (*_NUMBERED_RESULT.finditer(text), *_BRACKET_RESULT.finditer(text)), key=lambda match: match.start()
    )
    apart: list[re.Match[str]] = []
    for match in matches:
        if not apart or match.start() >= apart[-1].end():
            apart.append(match)
    for match, following in zip(apart, [*apart[1:], None], strict=False):
        end = following.start() if following else _paragraph_end(text, match.end())
        number = match["bracket"] or match.groupdict().get("dotted") or ""
        name = str(int(number)) if match["bracket"] else ""
        yield Head(match.start(), end, name, trimmed(match["url"]), _titled(match["title"]))


def _url_blocks(text: str, taken: list[tuple[int, int]]) -> Iterator[Head]:
    matches = [match for match in _URL_LINE.finditer(text) if not _within(match.start(), taken)]
    for match, following in zip(matches, [*matches[1:], None], strict=False):
        end = following.start() if following else len(text)
        after = bisect.bisect_left(taken, (match.end(), 0))
        end = min(end, taken[after][0]) if after < len(taken) else end
        yield Head(match.start(), end, "", trimmed(match["url"]), _titled(match["title"] or ""))


def _snippets(text: str, taken: list[tuple[int, int]]) -> Iterator[Head]:
    """Words that end in ``Source: <address>``: from the end of the one before, or of an empty line."""
    at = 0
    for match in _SNIPPET_END.finditer(text):
        if _within(match.start(), taken):
            continue
        before = bisect.bisect_right(taken, (match.start(), 0)) - 1
        start = max(at, text.rfind("\n\n", at, match.start()) + 1, taken[before][1] if before >= 0 else 0)
        start = _behind_headings(text, start, match.start())
        at = match.end()
        if text[start : match.start()].strip():
            title = re.split(r"\.\.\.|…|\n", text[start : match.start()].strip(), maxsplit=1)[0]
            yield Head(start, match.end(), "", trimmed(match["url"]), _titled(title))


def _behind_headings(text: str, start: int, end: int) -> int:
    """The first place behind lines that only introduce what follows."""
    while True:
        while start < end and text[start].isspace():
            start += 1
        stop = text.find("\n", start, end)
        if stop < 0 or not re.fullmatch(
            r"[ \t]*(?:#{1,6}[ \t].*|.*[:：][*_ \t]*|<[^<>]*>)", text[start:stop]
        ):
            return start
        start = stop + 1


def _paragraph_end(text: str, at: int) -> int:
    end = text.find("\n\n", at)
    return end if end >= 0 else len(text)


def _within(at: int, spans: list[tuple[int, int]]) -> bool:
    """Whether a place lies in one of the spans, which are apart and in order."""
    before = bisect.bisect_right(spans, at, key=lambda span: span[0]) - 1
    return before >= 0 and at < spans[before][1]

"""Sources in JSON that a tool gave: objects with an address or an id and their text, and plain data."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from verifaible.text.json_pointer import escaped_key, value_spans
from verifaible.text.lists import in_order, words_of

_ID_KEYS: Final = in_order("src_id source_id sourceid citation_id ref_id ref id index position rank")
_URL_KEYS: Final = ("url", "link", "href", "source_url", "source", "uri", "web_url", "permalink")
_TITLE_KEYS: Final = ("title", "name", "headline", "tool", "tool_name", "function")
_TEXT_KEYS: Final = in_order(
    """
    content text page_content raw_content markdown body snippet snippets summary excerpt highlights
    description
    """
)
_DATA_KEYS: Final = ("data", "result", "results", "response", "output", "content", "value", "json", "payload")
#: Fields that say something of a result, and nothing that an answer would cite.
_META_KEYS: Final = words_of(
    """
    type score relevance relevance_score favicon icon image thumbnail date published published_at
    published_date page_age age author lang language domain site source_name engine metadata role
    rank position index is_source_local
    """
)
#: Fields whose value is what answers call the source.
_MARKED: Final = frozenset(("src_id", "source_id", "sourceid", "citation_id", "ref_id"))
#: Values and names that say that they are the id of a source.
_NAMES: Final = re.compile(r"(?:src|source)[_\-]?\d{1,4}", re.IGNORECASE)
_DECODER = json.JSONDecoder(strict=False)
_OPENING = re.compile(r"[\[{]")
#: A shorter text in JSON is a value; in a longer one sources are looked for.
_LONG = 80
#: JSON in a text that is shorter is left in the text.
_SHORTEST_BLOCK = 24
#: So much of a line is looked at before a block.
_LONGEST_LEAD = 200
#: After so many beginnings that were no JSON, the rest of a text is taken for text.
_MOST_FAILURES = 2000


@dataclass(frozen=True, slots=True)
class JsonFound:
    """A source in a block: its words, the ranges of the block that they fill, what names it."""

    text: str
    spans: tuple[tuple[int, int], ...]
    id: str
    url: str
    title: str
    is_json: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """A JSON text in a text."""

    start: int
    end: int


@dataclass(slots=True)
class SourcesInBlock:
    """The sources of a block, and its long texts (decoded) with their ranges, in which more may be."""

    sources: list[JsonFound] = field(default_factory=list)
    texts: list[tuple[str, tuple[int, int]]] = field(default_factory=list)


def json_blocks(text: str) -> Iterator[Block]:
    """The objects and lists in a text that begin a line, or stand behind a colon or a fence at its end."""
    stripped = text.strip()
    if stripped[:1] in ("{", "[") and (whole := _parsed(stripped, 0)) is not None and whole == len(stripped):
        start = text.index(stripped[0])
        yield Block(start, start + len(stripped))
        return
    at = failures = 0
    while match := _OPENING.search(text, at):
        at = match.end()
        near = max(match.start() - _LONGEST_LEAD, 0)
        line = text[text.rfind("\n", near, match.start()) + 1 or near : match.start()]
        # Words such as [1] or {name} are no data: a block begins a line, or follows what introduces it.
        if line.strip() and not re.search(r"[:：=`>\-*\])]\s*$", line):
            continue
        if not re.match(
            r"[\[{]\s*(?:[\"{\[\d\-]|true|false|null)", text[match.start() : match.start() + 400]
        ):
            continue
        end = _parsed(text, match.start())
        if end is not None and end - match.start() >= _SHORTEST_BLOCK and '"' in text[match.start() : end]:
            yield Block(match.start(), end)
            at = end
        elif end is None:
            failures += 1
            if failures > _MOST_FAILURES:
                return


def _parsed(text: str, at: int) -> int | None:
    """Where the JSON value that begins here ends; None where there is none."""
    try:
        value, end = _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None
    return end if isinstance(value, dict | list) else None


def sources_in(block: str) -> SourcesInBlock:
    """What of a JSON text is a source of its own. Nothing: the whole of it is one."""
    found = SourcesInBlock()
    try:
        spans = value_spans(block)
        value = json.loads(block, strict=False)
    except (ValueError, RecursionError):
        return found
    _walk(value, "", block, spans, found)
    return found


def _walk(
    value: Any, pointer: str, block: str, spans: dict[str, tuple[int, int]], found: SourcesInBlock
) -> None:
    stack = [(value, pointer)]
    while stack:
        each, at = stack.pop()
        if isinstance(each, dict):
            key = _last_key(at)
            source = _source(each, at, block, spans, key if _NAMES.fullmatch(key) else "")
            if source is not None:
                found.sources.append(source)
                continue
            stack += [(inner, f"{at}/{escaped_key(str(key))}") for key, inner in reversed(each.items())]
        elif isinstance(each, list):
            stack += [(inner, f"{at}/{number}") for number, inner in reversed(list(enumerate(each)))]
        elif isinstance(each, str) and at in spans and each.strip() and _NAMES.fullmatch(_last_key(at)):
            found.sources.append(JsonFound(each, (spans[at],), _last_key(at), "", ""))
        elif (
            isinstance(each, str)
            and at in spans
            and (len(each) > _LONG or (each.lstrip()[:1] in ("{", "[") and len(each) >= _SHORTEST_BLOCK))
        ):
            found.texts.append((each, spans[at]))


def _last_key(pointer: str) -> str:
    return pointer.rpartition("/")[2].replace("~1", "/").replace("~0", "~")


def _first(record: dict[str, Any], names: tuple[str, ...], wanted: str = "") -> tuple[str, str]:
    """The first of these fields that has a text or a number: its name and its value."""
    lower = {str(key).lower(): key for key in record}
    for name in names:
        value = record.get(lower.get(name, ""))
        if isinstance(value, bool) or not isinstance(value, str | int):
            continue
        said = str(value).strip()
        if said and said.lower().startswith(wanted):
            return str(lower[name]), said
    return "", ""


def _source(
    record: dict[str, Any], pointer: str, block: str, spans: dict[str, tuple[int, int]], key: str = ""
) -> JsonFound | None:
    """An object that is a source: it has an address or an id, and its words or its data.

    ``key`` is the name under which it stands, where that is an id.
    """
    _, url = _first(record, _URL_KEYS, "http")
    id_key, name = _first(record, _ID_KEYS)
    marked = id_key.lower() in _MARKED or _NAMES.fullmatch(name) is not None
    if key and not marked:
        name, marked = key, True
    if not (url or marked):
        return None
    _, title = _first(record, _TITLE_KEYS)
    name = name if marked or not re.fullmatch(r"\d{4,}|[0-9a-f-]{16,}", name) else ""
    texts = [
        (str(key), value)
        for key, value in record.items()
        if str(key).lower() in _TEXT_KEYS and isinstance(value, str) and value.strip()
    ]
    known = {*_ID_KEYS, *_URL_KEYS, *_TITLE_KEYS, *_TEXT_KEYS, *_META_KEYS}
    further = [
        key
        for key, value in record.items()
        if str(key).lower() not in known and not isinstance(value, str | bool) and value not in (None, [], {})
    ]
    data = [
        key
        for key, value in record.items()
        if str(key).lower() in _DATA_KEYS and isinstance(value, dict | list) and value
    ]
    if texts and not further and not data:
        filled = tuple(spans[f"{pointer}/{escaped_key(key)}"] for key, _ in texts)
        if title and all(title not in value for _, value in texts):
            title_span = [
                spans[f"{pointer}/{escaped_key(key)}"]
                for key in record
                if str(record[key]).strip() == title and f"{pointer}/{escaped_key(key)}" in spans
            ]
            words = "\n\n".join([title, *(value for _, value in texts)])
            return JsonFound(words, (*title_span[:1], *filled), name, url, title)
        return JsonFound("\n\n".join(value for _, value in texts), filled, name, url, title)
    if marked or (data and url):
        # Data beside an id, or an address, is kept whole, as it was given.
        start, end = spans[pointer]
        return JsonFound(block[start:end], ((start, end),), name, url, title, is_json=True)
    return None

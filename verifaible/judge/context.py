"""The context that a model was given, taken apart into its sources.

The two forms of the seed (Appendix C) are read: detailed sources, whose words follow a line ``From
[address]:`` that may give an id such as ``src_1``, and snippets of a search on one line each, ``Title...
words. Source: address``. Beside them, JSON that begins a line is a source of its own, byte for byte; of a
list whose records have a ``src_id`` or an address and their ``content``, each record is one; and a numbered
result with its address below is a snippet, as our own search gives it. Whatever is none of these is one
source of the kind ``context``: no word is lost.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from verifaible.claims.references import ADDRESS, SOURCE_ID, canonical_id, trimmed
from verifaible.claims.resolution import url_key
from verifaible.evidence.sources import SourceDraft, plain
from verifaible.schema.analyst import SourceKind
from verifaible.text.json_pointer import value_spans

#: What is left over is called so.
REST: Final = "context"
#: After so many beginnings that were no JSON, the rest of a text is taken for text.
_MOST_FAILURES: Final = 200

_EMPHASIS: Final = r"[*_`]{0,3}"
_HEAD: Final = re.compile(
    rf"^[ \t>]*(?:[-*+•][ \t]+|\#{{1,6}}[ \t]+)?{_EMPHASIS}"
    rf"(?:[\[(【]?(?P<before>{SOURCE_ID}|(?<=[\[(【])\d{{1,3}})[\])】]?[*_`:：\-–—| \t]*)?"
    rf"(?P<from>From:?[ \t]*{_EMPHASIS}[ \t]*)?"
    rf"(?:\[(?P<title>[^\[\]\n]{{1,300}})\]\(<?(?P<linked>{ADDRESS})>?\)"
    rf"|[\[(<`]?(?P<url>{ADDRESS})[\])>`]?)"
    rf"(?:[ \t:：*_`|,=>\-–—]*[\[(]?(?:(?:source[ _])?id[ \t]*[:=][ \t]*)?{_EMPHASIS}"
    rf"(?P<after>src[_\-]?\d{{1,4}}\b|{SOURCE_ID}(?=[\])*_`:： \t]*$))[\])]?{_EMPHASIS})?"
    r"[*_ \t]*[:：]?[*_ \t]*",
    re.IGNORECASE | re.MULTILINE,
)
_SNIPPET: Final = re.compile(
    rf"\bSources?[ \t]*[:：][ \t]*{_EMPHASIS}(?:\[[^\[\]\n]{{0,300}}\]\()?"
    rf"[<(\[]?(?P<url>{ADDRESS})[>)\]*_. \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_RESULT: Final = re.compile(
    rf"^[ \t]*\d{{1,3}}[.)][ \t]+(?P<title>[^\n]*)\n[ \t]+<?(?P<url>{ADDRESS})[^\n]*"
    r"(?:\n(?![ \t]*\d{1,3}[.)][ \t])[ \t]*\S[^\n]*)*",
    re.IGNORECASE | re.MULTILINE,
)
#: Ends the words of a detailed source: an element of the prompt is closed, or results of a search begin.
_END: Final = re.compile(
    r"^[ \t]*(?:</[\w\-]+>|[#*]{1,6}[ \t]*(?:web )?search results?\b.*)[ \t]*$", re.I | re.M
)
_TITLE_END: Final = re.compile(r"\.\.\.|…")
_RECORD_IDS: Final = ("src_id", "source_id", "id")
_RECORD_TEXTS: Final = ("content", "text", "snippet")
#: A text of a record with more lines, or of more characters, is no snippet.
_LONGEST_SNIPPET: Final = 600
_FENCE: Final = re.compile(r"^[ \t]*```\w*[ \t]*$", re.MULTILINE)
_WORD: Final = re.compile(r"\w")
_JSON_LINE: Final = re.compile(r"^[ \t]*(?=[{\[])", re.MULTILINE)
_DECODER: Final = json.JSONDecoder(strict=False)

_Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Found:
    """A source: the ranges of the context that are its words, and what names it.

    ``text`` has the words where those ranges are strings of JSON.
    """

    kind: SourceKind
    spans: tuple[_Span, ...]
    id: str = ""
    url: str = ""
    title: str = ""
    text: str = ""


def sources_in_context(context: str, *, taken: Sequence[str] = ()) -> tuple[SourceDraft, ...]:
    """The sources of a context, in order, what is left over last; every character but blanks is in one.

    Args:
        context: what the model was given.
        taken: ids of sources that the answer has already.
    """
    blocks = _json_blocks(context)
    heads = [
        match for match in _HEAD.finditer(context) if _is_head(context, match) and not _in(match, blocks)
    ]
    found: list[_Found] = []
    elsewhere: dict[str, list[str]] = {}
    for head, following in zip(heads, [*heads[1:], None], strict=False):
        end = _end_of(context, head.end(), following.start() if following else len(context), blocks)
        url = trimmed(head["url"] or head["linked"])
        name = canonical_id(head["before"] or head["after"] or "")
        parts = list(_parts(context, head.end(), end, blocks))
        found += [_Found(kind, spans, name, url, head["title"] or "") for kind, spans in parts]
        if name and not parts:
            elsewhere.setdefault(url_key(url), []).append(name)
    for start, end in _gaps(len(context), [*(span for each in found for span in each.spans), *blocks]):
        found += _results(context, start, end)
    covered = [span for each in found for span in each.spans]
    for block in blocks:
        if block not in covered:
            found += _records(context, block) or [_Found("api", (block,))]
    found.sort(key=lambda each: each.spans[0])
    drafts = [_draft(context, each, elsewhere) for each in found]
    covered = [span for each in found for span in each.spans]
    rest = "\n\n".join(
        left for span in _gaps(len(context), covered) if (left := context[slice(*span)].strip())
    )
    if rest:
        drafts.append(SourceDraft(id=REST, kind="context", body=_bytes(rest), media_type="text/plain"))
    return with_unique_ids(drafts, taken)


def _is_head(context: str, match: re.Match[str]) -> bool:
    """Whether a line begins a source: it says From, or it is nothing but an id and an address."""
    if match["from"]:
        return True
    line_end = context.find("\n", match.end())
    behind = context[match.end() : line_end if line_end >= 0 else len(context)]
    return bool(match["before"] or match["after"]) and not behind.strip(" \t)]*_`:：")


def _end_of(context: str, start: int, end: int, blocks: Sequence[_Span]) -> int:
    """Where the words of a detailed source end: before a snippet that begins with a title and dots, too."""
    for match in _SNIPPET.finditer(context, start, end):
        line = context.rfind("\n", start, match.start()) + 1 or start
        if _TITLE_END.search(context, line, match.start()) and not _in(match, blocks):
            end = line
            break
    closing = next((each for each in _END.finditer(context, start, end) if not _in(each, blocks)), None)
    return closing.start() if closing else end


def _parts(
    context: str, start: int, end: int, blocks: Sequence[_Span]
) -> Iterator[tuple[SourceKind, tuple[_Span, ...]]]:
    """The words below a head, and each JSON among them."""
    inside = [block for block in blocks if start <= block[0] and block[1] <= end]
    apart = [*inside, *(match.span() for match in _FENCE.finditer(context, start, end))] if inside else []
    words = [(start + low, start + high) for low, high in _gaps(end - start, _moved(apart, -start))]
    words = [_stripped(context, *span) for span in words if _WORD.search(context, *span)]
    if words:
        yield "page", tuple(words)
    yield from (("api", (block,)) for block in inside)


def _results(context: str, start: int, end: int) -> Iterator[_Found]:
    """Results of a search: numbered ones, and snippets with their address behind."""
    text = context[start:end]
    numbered = [
        _Found(
            "snippet",
            ((start + match.start(), start + match.end()),),
            "",
            trimmed(match["url"]),
            match["title"],
        )
        for match in _RESULT.finditer(text)
    ]
    yield from numbered
    taken = [span for each in numbered for span in each.spans]
    for match in _SNIPPET.finditer(context, start, end):
        line = context.rfind("\n", start, match.start()) + 1 or start
        words = context[line : match.start()]
        if _WORD.search(words) and not any(low <= line < high for low, high in taken):
            title = _TITLE_END.split(words.strip(" \t*-•"), maxsplit=1)
            span = _stripped(context, line, match.end())
            yield _Found("snippet", (span,), "", trimmed(match["url"]), title[0].strip() if title[1:] else "")


def _json_blocks(text: str) -> list[_Span]:
    """The objects and lists of JSON that begin a line and end one."""
    blocks: list[_Span] = []
    at = failures = 0
    while failures < _MOST_FAILURES and (match := _JSON_LINE.search(text, at)):
        try:
            _, end = _DECODER.raw_decode(text, match.end())
        except (ValueError, RecursionError):
            failures += 1
            at = match.end() + 1
            continue
        block = text[match.end() : end]
        line_end = text.find("\n", end)
        ends_line = not text[end : line_end if line_end >= 0 else len(text)].strip()
        if ends_line and ('"' in block or block.startswith("[[")):
            blocks.append((match.end(), end))
        at = end
    return blocks


def _records(context: str, block: _Span) -> list[_Found]:
    """The sources of a list of records in JSON; none where one does not name itself or has no content."""
    value = json.loads(context[slice(*block)], strict=False)
    pointer = ""
    if isinstance(value, dict):
        pointer = next(
            (f"/{name}" for name in ("results", "sources") if isinstance(value.get(name), list)), ""
        )
        value = value[pointer[1:]] if pointer else None
    if not isinstance(value, list) or not value:
        return []
    spans = {
        name: (block[0] + at, block[0] + end)
        for name, (at, end) in value_spans(context[slice(*block)]).items()
    }
    found = [_record(each, f"{pointer}/{number}", spans) for number, each in enumerate(value)]
    return [each for each in found if each is not None] if None not in found else []


def _record(record: Any, pointer: str, spans: Mapping[str, _Span]) -> _Found | None:
    if not isinstance(record, dict):
        return None
    words = next((name for name in _RECORD_TEXTS if record.get(name)), "")
    name = next((str(record[each]) for each in _RECORD_IDS if record.get(each)), "")
    url, title = (each if isinstance(each, str) else "" for each in (record.get("url"), record.get("title")))
    if not words or not (name or url):
        return None
    name = canonical_id(name) if name else ""
    if not isinstance(text := record[words], str):
        return _Found("api", (spans[pointer],), name, url, title)
    kind: SourceKind = "page" if len(text) > _LONGEST_SNIPPET or text.count("\n") > 1 else "snippet"
    filled = [spans[f"{pointer}/{each}"] for each in ("title", words) if each != "title" or title]
    return _Found(kind, tuple(filled), name, url, title, "\n\n".join(each for each in (title, text) if each))


def _in(match: re.Match[str], spans: Sequence[_Span]) -> bool:
    return any(start <= match.start() < end for start, end in spans)


def _moved(spans: Sequence[_Span], by: int) -> list[_Span]:
    return [(start + by, end + by) for start, end in spans]


def _gaps(length: int, spans: Sequence[_Span]) -> list[_Span]:
    """The ranges between spans."""
    gaps: list[_Span] = []
    at = 0
    for start, end in sorted(spans):
        if start > at:
            gaps.append((at, start))
        at = max(at, end)
    return [*gaps, (at, length)] if at < length else gaps


def _stripped(text: str, start: int, end: int) -> _Span:
    """A range without the blanks at its ends."""
    part = text[start:end]
    return end - len(part.lstrip()), start + len(part.rstrip())


def _draft(context: str, found: _Found, elsewhere: dict[str, list[str]]) -> SourceDraft:
    words = found.text or "\n".join(context[start:end] for start, end in found.spans)
    named = elsewhere.get(url_key(found.url), []) if found.url and not found.id else []
    return SourceDraft(
        id=plain(found.id or found.url or found.kind),
        kind=found.kind,
        body=_bytes(words),
        url=plain(found.url),
        title=plain(found.title.strip()),
        media_type="application/json" if found.kind == "api" else "text/plain",
        aliases=tuple(named),
    )


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def with_unique_ids(drafts: Sequence[SourceDraft], taken: Sequence[str] = ()) -> tuple[SourceDraft, ...]:
    """Drafts with ids of their own; the id they shared, and the number of ``src_5``, are aliases."""
    used = set(taken)
    apart: list[SourceDraft] = []
    for draft in drafts:
        name, number = draft.id, 1
        while name in used:
            number += 1
            name = f"{draft.id}#{number}"
        used.add(name)
        aliases = dict.fromkeys((draft.id, *draft.aliases))
        aliases |= dict.fromkeys(each for alias in aliases if (each := _number(alias)))
        aliases.pop(name, None)
        apart.append(draft.model_copy(update={"id": name, "aliases": tuple(aliases)}))
    return tuple(apart)


def _number(name: str) -> str:
    """The bare number of ``src_5``: some answers cite ``[5]``."""
    if not re.fullmatch(SOURCE_ID, name, re.IGNORECASE):
        return ""
    return str(int(re.sub(r"\D", "", canonical_id(name).rpartition("_")[2]) or 0))

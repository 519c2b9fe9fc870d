"""The context that a model was given, taken apart into its sources.

The two forms of the seed (Appendix C) are read: detailed sources, whose words follow a line ``From
[address]:`` that may give an id such as ``src_1``, and snippets of a search on one line each, ``Title...
words. Source: address``. JSON that begins a line is a source of its own, byte for byte, or where it is a list
of ``{src_id, url, title, content}``, several. Whatever is none of these is one source
of the kind ``context``: no word is lost.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from verifaible.check.source_files import with_unique_ids
from verifaible.claims.references import ADDRESS, SOURCE_ID, canonical_id, trimmed
from verifaible.evidence.sources import SourceDraft, plain
from verifaible.schema.analyst import SourceKind
from verifaible.text.json_pointer import value_spans

#: What is left over is called so.
REST: Final = "context"
#: After so many beginnings that were no JSON, the rest of a text is taken for text.
_MOST_FAILURES: Final = 200
_BETWEEN: Final = r"[ \t*_`:：|>()\[\]【】#•+\-]*"
_HEAD: Final = re.compile(
    rf"^{_BETWEEN}(?:(?P<before>{SOURCE_ID}|(?<=[\[【])\d{{1,3}}){_BETWEEN})?From:?{_BETWEEN}"
    rf"(?:(?P<title>(?<=\[)(?!https?:|www\.)[^\[\]\n]{{1,300}})\]\(<?)?(?P<url>{ADDRESS})[ \t*_`:：\])>]*"
    rf"(?:[\[(]?(?:id[ \t]*[:=][ \t]*)?(?P<after>{SOURCE_ID})(?=[\])*_`:： \t]*$)[\])*_`:：]*)?",
    re.IGNORECASE | re.MULTILINE,
)
_SNIPPET: Final = re.compile(
    rf"\bSources?[ \t]*[:：][ \t*_`]*(?:\[[^\[\]\n]{{0,300}}\]\()?[<(\[]?(?P<url>{ADDRESS})[>)\]*_. \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
#: Ends the words of a detailed source: an element of the prompt is closed, or results of a search begin.
_END: Final = re.compile(
    r"^[ \t]*(?:</[\w\-]+>|[#*]{1,6}[ \t]*(?:web )?search results?\b.*)[ \t]*$", re.I | re.M
)
_TITLE_END: Final = re.compile(r"\.\.\.|…")
_FENCE: Final = re.compile(r"^[ \t]*```\w*[ \t]*$", re.MULTILINE)
_WORD: Final = re.compile(r"\w")
_JSON_LINE: Final = re.compile(r"^[ \t]*(?=[{\[])", re.MULTILINE)
_DECODER: Final = json.JSONDecoder(strict=False)

_Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Found:
    """A source: the ranges of the context that are its words, and what names it.

    ``text`` has the words where those ranges are JSON.
    """

    kind: SourceKind
    spans: tuple[_Span, ...]
    id: str = ""
    url: str = ""
    title: str = ""
    text: str = ""

    def draft(self, context: str) -> SourceDraft:
        """It with its words."""
        return SourceDraft(
            id=plain(self.id or self.url or self.kind),
            kind=self.kind,
            body=_bytes(self.text or "\n".join(context[start:end] for start, end in self.spans)),
            url=plain(self.url),
            title=plain(self.title.strip()),
            media_type="application/json" if self.kind == "api" else "text/plain",
        )


def sources_in_context(context: str, taken: Collection[str] = ()) -> tuple[SourceDraft, ...]:
    """The sources of a context, in order, what is left over last; every character but blanks is in one.

    Args:
        context: what the model was given.
        taken: ids of sources that the answer has already.
    """
    blocks = _json_blocks(context)
    heads = [match for match in _HEAD.finditer(context) if not _in(match.start(), blocks)]
    found: list[_Found] = []
    for head, following in zip(heads, [*heads[1:], None], strict=False):
        end = _end_of(context, head.end(), following.start() if following else len(context), blocks)
        name = canonical_id(head["before"] or head["after"] or "")
        parts = _parts(context, head.end(), end, blocks)
        found += [
            _Found(kind, spans, name, trimmed(head["url"]), head["title"] or "") for kind, spans in parts
        ]
    covered = {span for each in found for span in each.spans}
    for start, end in _gaps(len(context), [*covered, *blocks]):
        found += _snippets(context, start, end)
    for block in blocks:
        if block not in covered:
            found += _listed(context, block) or [_Found("api", (block,))]
    found.sort(key=lambda each: each.spans[0])
    drafts = [each.draft(context) for each in found]
    covered = {span for each in found for span in each.spans}
    left = (context[slice(*span)].strip() for span in _gaps(len(context), [*covered, *blocks]))
    if rest := "\n\n".join(filter(None, left)):
        drafts.append(SourceDraft(id=REST, kind="context", body=_bytes(rest), media_type="text/plain"))
    return with_unique_ids(drafts, taken)


def _end_of(context: str, start: int, end: int, blocks: Sequence[_Span]) -> int:
    """Where the words of a detailed source end: before a snippet that begins with a title and dots, too."""
    for match in _SNIPPET.finditer(context, start, end):
        line = context.rfind("\n", start, match.start()) + 1 or start
        if _TITLE_END.search(context, line, match.start()) and not _in(match.start(), blocks):
            end = line
            break
    closing = (each.start() for each in _END.finditer(context, start, end) if not _in(each.start(), blocks))
    return next(closing, end)


def _parts(
    context: str, start: int, end: int, blocks: Sequence[_Span]
) -> Iterator[tuple[SourceKind, tuple[_Span, ...]]]:
    """The words below a head, and each JSON among them."""
    inside = [block for block in blocks if start <= block[0] and block[1] <= end]
    apart = [*inside, *(match.span() for match in _FENCE.finditer(context, start, end))] if inside else []
    gaps = _gaps(end, [(0, start), *apart])
    words = tuple(_stripped(context, *span) for span in gaps if _WORD.search(context, *span))
    if words:
        yield "page", words
    yield from (("api", (block,)) for block in inside)


def _snippets(context: str, start: int, end: int) -> Iterator[_Found]:
    """Snippets of a search, each on a line with its address behind."""
    for match in _SNIPPET.finditer(context, start, end):
        line = context.rfind("\n", start, match.start()) + 1 or start
        words = context[line : match.start()]
        if _WORD.search(words):
            title, *more = _TITLE_END.split(words.strip(" \t*-•"), maxsplit=1)
            span = _stripped(context, line, match.end())
            yield _Found("snippet", (span,), "", trimmed(match["url"]), title if more else "")


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
        block, behind = text[match.end() : end], text[end:].partition("\n")[0]
        if not behind.strip() and ('"' in block or block.startswith("[[")):
            blocks.append((match.end(), end))
        at = end
    return blocks


def _listed(context: str, block: _Span) -> list[_Found]:
    """The sources of a list of ``{src_id, url, title, content}``; none where it is anything else.

    Content that is data stays as it is written, with its record around it.
    """
    value = json.loads(context[slice(*block)], strict=False)
    spans = value_spans(context[slice(*block)])
    found = []
    for number, each in enumerate(value if isinstance(value, list) else ()):
        fields = each if isinstance(each, dict) else {}
        name, url, title = (str(fields.get(key) or "") for key in ("src_id", "url", "title"))
        content = fields.get("content")
        if not name or not content or fields.keys() - {"src_id", "url", "title", "content"}:
            return []
        start, end = spans[f"/{number}"]
        span = (block[0] + start, block[0] + end)
        is_text = isinstance(content, str)
        kind: SourceKind = "page" if is_text and content.lstrip()[:1] not in ("{", "[") else "api"
        text = "\n\n".join(filter(None, (title, content))) if is_text and kind == "page" else ""
        text = text or (content if is_text else "")
        found.append(_Found(kind, (span,), canonical_id(name), url, title, text))
    return found


def _in(place: int, spans: Sequence[_Span]) -> bool:
    return any(start <= place < end for start, end in spans)


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


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")

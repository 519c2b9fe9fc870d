"""What names a source near the line that begins it: an id behind the address, on the next line, a list.

A head is the line with the address or the id. Its id may stand behind the address (``From [https://...]:
src_1``) or, as its address, on a line of its own below it (``id: src_1``, ``URL: https://...``). A word such
as *Source 3* counts only where nothing else is on its line: below an address it is most often text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from verifaible.claims.references import ADDRESS, SOURCE_ID, canonical_id, trimmed

#: Stands for each sign of a block of JSON in a text in which heads are looked for.
MASK: Final = "\ufdd0"

_SRC: Final = r"src[ \t]?[_\-#]?[ \t]?\d{1,4}"
_LABEL: Final = r"(?:(?:source|src|citation|cite|ref(?:erence)?)?[ _]?(?:id|no|number))"
_SIGN: Final = r"[*_`]{0,3}"
_BEHIND = re.compile(
    rf"[ \t]*[:：,，|\-–—=>→]{{0,3}}[ \t]*{_SIGN}[\[(【<]?[ \t]*{_SIGN}"
    rf"(?:{_LABEL}{_SIGN}[ \t]*[:：=][ \t]*{_SIGN})?"
    rf"(?:(?P<src>{_SRC})|(?P<id>{SOURCE_ID}|(?<=[\[(【])\d{{1,3}})|\#(?P<number>\d{{1,3}}))"
    rf"(?!\w){_SIGN}[\])】>]?{_SIGN}[ \t]*[:：]?{_SIGN}[ \t]*(?P<rest>[^\n]*)",
    re.IGNORECASE,
)
_AT_END = re.compile(rf"[\[(【]({_SRC})[\])】][ \t.]*$", re.IGNORECASE)
_BULLET: Final = r"[ \t]*(?:[-*+•][ \t]+)?"
_ID_LINE = re.compile(
    rf"{_BULLET}{_SIGN}(?:{_LABEL}{_SIGN}[ \t]*[:：=][ \t]*{_SIGN}[\[(]?(?P<said>{SOURCE_ID}|\d{{1,3}})"
    rf"|[\[(【]?{_SIGN}(?P<bare>{_SRC})|[\[【](?P<number>\d{{1,3}}))[\])】]?{_SIGN}[:：]?{_SIGN}"
    r"[ \t]*(?=\n|\Z)",
    re.IGNORECASE,
)
_URL_LINE = re.compile(
    rf"{_BULLET}{_SIGN}(?:(?:url|link|address|href|(?:source|page)[ _]?(?:url|link)?|网址|链接){_SIGN}[ \t]*"
    rf"[:：=][ \t]*)?{_SIGN}[ \t]*[<\[(]?(?P<url>{ADDRESS})[>\])]?{_SIGN}[:：]?{_SIGN}[ \t]*(?=\n|\Z)",
    re.IGNORECASE,
)
_TITLE_LINE = re.compile(
    rf"{_BULLET}{_SIGN}(?:title|headline|标题){_SIGN}[ \t]*[:：]{_SIGN}[ \t]*(?P<title>[^\n]+)", re.IGNORECASE
)
#: Lines below a head in which its id and its address may stand.
_LINES: Final = 4


@dataclass(frozen=True, slots=True)
class Head:
    """The beginning of a source: ``start`` to ``end`` is the head itself, its words come behind.

    Attributes:
        id: what the context calls the source.
        url: its address.
        title: its title.
        until: where it must end, with its closing tag; 0 where the next head ends it.
        close: where the words of such a one end.
        tool: the head names a call of a tool.
        words: the range of the head that a reader would call the source's own words; (0, 0) where none is.
    """

    start: int
    end: int
    id: str = ""
    url: str = ""
    title: str = ""
    until: int = 0
    tool: bool = False
    close: int = 0
    words: tuple[int, int] = (0, 0)


def completed(text: str, heads: list[Head]) -> list[Head]:
    """Heads with what names them on their line and on the next ones; two that complete each other are one."""
    done: list[Head] = []
    for head in heads:
        if done and not head.until and head.start < done[-1].end:
            continue  # it is a line that the head before has taken
        full = head if head.tool else _below(text, _behind(text, head))
        full = _titled(text, full)
        if done and _complete(text, done[-1], full):
            first = done.pop()
            full = replace(
                full,
                start=first.start,
                id=first.id or full.id,
                url=first.url or full.url,
                title=first.title or full.title,
                words=first.words if first.words[1] else full.words,
                tool=False,
            )
        done.append(full)
    return done


def _complete(text: str, first: Head, second: Head) -> bool:
    """Whether a head without words is completed by the next: one has the id, the other the address."""
    if first.until or second.until or text[first.end : second.start].strip(" \t\r\n*_`:："):
        return False
    if text.count("\n", first.end, second.start) > 2:
        return False
    if first.tool or second.tool:
        return bool(first.id or first.url) and second.tool and not first.words[1]
    return bool(first.id) != bool(first.url) and bool(second.id) != bool(second.url) != bool(first.url)


def _behind(text: str, head: Head) -> Head:
    """The id behind an address, on the same line."""
    if head.id or not head.url or head.until:
        return head
    if match := _BEHIND.match(text, head.end):
        name = match["src"] or match["id"] or match["number"]
        rest = match["rest"].strip(" \t*_`")
        if match["src"] or not rest:
            return replace(head, id=_canonical(name), end=match.start("rest") if rest else match.end())
    stop = text.find("\n", head.end)
    line = text[head.end : stop if stop >= 0 else len(text)]
    if last := _AT_END.search(line[-400:]):
        return replace(head, id=_canonical(last[1]))
    return head


def _below(text: str, head: Head) -> Head:
    """The id or the address on lines of their own below a head."""
    at = text.find("\n", head.end)
    if head.until or (head.id and head.url) or text[head.end : at if at >= 0 else None].strip(" \t*_`:："):
        return head
    leading = True
    for _ in range(_LINES):
        if at < 0 or (head.id and head.url):
            break
        line = at + 1
        stop = text.find("\n", line)
        stop = len(text) if stop < 0 else stop
        if text[line:stop].strip():
            found = _said(text, line, head)
            if found is None:
                if not _TITLE_LINE.match(text, line):
                    break
                leading = False  # the title is the first of the words
            else:
                head = replace(found, end=stop) if leading else found
        at = stop if stop < len(text) else -1
    return head


def _said(text: str, line: int, head: Head) -> Head | None:
    if not head.id and (match := _ID_LINE.match(text, line)):
        return replace(head, id=_canonical(match["said"] or match["bare"] or match["number"]))
    if not head.url and (match := _URL_LINE.match(text, line)):
        return replace(head, url=trimmed(match["url"]))
    return None


def _titled(text: str, head: Head) -> Head:
    """The range of the title in a head, with the sign that ends it."""
    if head.tool or head.words[1] or not head.title or head.title == head.id:
        return head
    pattern = r"\s+".join(map(re.escape, head.title.split()))
    match = re.compile(pattern + r"[.!?。！？…]*").search(text, head.start, max(head.end, head.start))
    return replace(head, words=match.span()) if match else head


def _canonical(name: str) -> str:
    flat = re.sub(r"(?<=\w)[ \t]*-(?=\d)", "_", name.strip())
    return str(int(flat)) if flat.isascii() and flat.isdigit() else canonical_id(flat)

"""The sources that an answer itself lists.

Read are ``[^1]: ...``, ``[1]: ...``, ``src_5: https://...``; the entries under a heading that says
references, or under any where marks name their numbers; and lines that are nothing but a number (or author
and year), a title and an address, at the end of the answer or two and more together. None is a sentence.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from verifaible.claims.answer_text import find_definitions, lines_of, read_text, without_code
from verifaible.claims.authored import author_year
from verifaible.errors import ConfigError

_PLAIN: Final = r"[^\s()<>\"`\[\]，。；：！？、（）【】「」『』|]*"
#: An address, also one that begins with www.; brackets in it are balanced, and hold no number of a mark.
ADDRESS: Final = (
    rf"(?:https?://|www\.){_PLAIN}(?:(?:\([^\s()<>]{{0,300}}\)"
    rf"|\[(?!\^|@|\d{{1,3}}\])[\w\-]{{1,60}}\]){_PLAIN})*"
)
_ADDRESS: Final = re.compile(ADDRESS, re.IGNORECASE)
_ESCAPED: Final = re.compile(r"\\([!-/:-@\[-`{-~])")
_ENTITY: Final = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,31});")
_LINK: Final = re.compile(
    rf"(?<!!)\[(?P<words>(?:[^\[\]\n]|\[[^\[\]\n]{{0,80}}\]){{0,500}})\]"
    rf"\(\s*<?(?P<url>{ADDRESS}|[\w\-]+(?:\.[\w\-]+)+/[^\s()<>\"`]*)>?(?:\s[^\n()]{{0,300}})?\)",
    re.IGNORECASE,
)
#: Words that, with a number, name a source; some with a plural.
ID_WORDS: Final = (
    r"(?:src|sources?|refs?|references?|docs?|documents?|results?|search|web|pages?|snippets?|context|ctx|tool|api"
    r"|calc|cite|citations?|chunk|来源|资料|文献|参考|引用)"
)
SOURCE_ID: Final = rf"{ID_WORDS}[ \t]?[_\-#.:：]?[ \t]?\d{{1,4}}"
_CANONICAL: Final = re.compile(rf"({ID_WORDS}?)(s?)[ ]?[_\-#.:：]?[ ]?0*(\d{{1,4}})", re.IGNORECASE)
#: A number of raised digits.
RAISED: Final = "[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]{1,3}"
#: The beginning of a line of a list: what the entry is called, in all the ways that a number is written.
_LABEL: Final = re.compile(
    r"[ \t>]{0,8}(?:(?P<bullet>[-*+•·])[ \t]+)?(?:\d{1,3}[.)][ \t]+(?=\[+\d))?(?:\*\*)?"
    r"(?:\[\^(?P<note>[^\]\s]{1,80})\](?=:)"
    r"|\[{1,2}(?P<linked>\d{1,3})\]{1,2}(?=\()"
    r"|\\?[\[【［(（](?P<bracket>\d{1,3})\\?[\]】］)）]"
    r"|(?P<dotted>\d{1,3})(?:[.)．](?=\s)|、)"
    rf"|(?:<sup>)?(?P<raised>{RAISED}|(?<=<sup>)\d{{1,3}})(?:</sup>)?(?=[ \t])"
    rf"|[\[(【`]{{0,2}}(?P<id>{SOURCE_ID})(?!\w)[\])】`]{{0,2}}(?!\()"
    r"|\\?[\[【](?P<label>[^\[\]【】\n^]{1,120})\\?[\]】](?=[:：])|)"
    r"(?:\*\*)?[ \t]*(?P<colon>[:：\-–—=]?)[ \t]*(?P<rest>.*)",
    re.IGNORECASE,
)
_HEADING: Final = re.compile(
    r"(?:\W{0,3}\s)?(?:\d{1,2}[.)、]\s*)?(?:(?:key|main|data|cited|web|selected|further|数据|主要)?\s*"
    r"(?:references?|sources?|citations?|(?:foot|end)?notes|works cited|bibliography|links|further reading"
    r"|参考文献|参考资料|参考来源|参考链接|参考|来源|资料来源|引用|引用来源|出处|脚注|注释|Quellen|Literatur)"
    r"(?:\s*(?:cited|used|list|(?:and|&) links|[(（][^()（）\n]{0,40}[)）]))?)\W*",
    re.IGNORECASE,
)
#: A line over a list: a heading, bold words, a short line that ends with a colon.
_OVER: Final = re.compile(r" {0,3}(?:#{1,6}\s.*|(?:\*\*|__).*(?:\*\*|__)\W*|[^\n.!?]{1,40}[:：]\s*)")
_RULE: Final = re.compile(r"[ \t]*(?:[-*_=][ \t]*){3,}")
_BETWEEN: Final = re.compile(r"(?:[\W_]|and|et|und|和)*")
_SOURCE_LINE: Final = re.compile(
    r"\W*(?:sources?|references?|citations?|(?:数据)?来源|参考)[\s*_]*[:：](?P<rest>.*)", re.IGNORECASE
)
#: What leads from an entry back to its marks, and what a mark leads to.
_BACK: Final = re.compile(
    r"<a\b[^<>]{0,200}></a>|[ \t]*\[[^\[\]\n]{1,8}\]\(#[^()\s]{0,200}\)|[ \t]*[↩↑]\ufe0e?[ \t]*$"
    r"|(?<=\. )\^ (?:\*[a-z]\* )*"
)
_EDGES: Final = " \t*_-–—:：.,;|\"'“”<>()（）"


@dataclass(frozen=True, slots=True)
class Reference:
    """A source as the answer lists it.

    Attributes:
        id: what marks call it: ``1``, ``^note``, ``src_5``, ``@v:2``, ``smith 2023``, or its address.
        url: its address; empty where the list names none.
        title: what the list says of it besides.
        targets: other names for it that the list gives, such as the id of a citation of the store.
    """

    id: str
    url: str = ""
    title: str = ""
    targets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class References:
    """The references of an answer by id, and the ranges of the answer that only list them, in order."""

    references: dict[str, Reference]
    ranges: tuple[tuple[int, int], ...]


def canonical_id(name: str) -> str:
    """A name of a source as it is compared: small letters, one ``_`` between word and number."""
    flat = " ".join(name.split()).casefold()
    match = _CANONICAL.fullmatch(flat)
    if match is None:
        return flat
    word = match[1] if match[1] in ("", "references") else match[1].removesuffix("s")
    return f"{word.removesuffix('s')}_{match[3]}" if word else match[3]


def address_of(url: str) -> str:
    """An address as Markdown means it: without its escapes (``\\_``, ``&amp;``), and with a scheme."""
    url = _ENTITY.sub(lambda match: html.unescape(match[0]), _ESCAPED.sub(r"\1", trimmed(url)))
    return url if "://" in url else f"https://{url}"


def trimmed(url: str) -> str:
    """An address without the signs behind it that belong to the sentence."""
    while url and (url[-1] in ".,;:!?'\"*_~…" or (url[-1] == ")" and url.count("(") < url.count(")"))):
        url = url[:-1]
    return url


# --- one line


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line as an entry of a list: what it is called, and how sure it is that it is one.

    Attributes:
        defines: it defines its name wherever it stands.
        listed: it can stand under a heading that says references.
        pure: it is nothing but a name, a title and an address; ``bare``: not even a title behind a number.
    """

    reference: Reference
    defines: bool = False
    listed: bool = False
    pure: bool = False
    bare: bool = False


def _entry(line: str) -> _Entry | None:
    """What a line says as an entry; None for one that is none."""
    line = _BACK.sub("", line)
    match = _LABEL.match(line)
    if match is None or not line.strip():
        return None
    rest = match["rest"].strip()
    number = match["linked"] or match["bracket"] or match["dotted"] or match["raised"]
    said = rest
    if match["linked"]:
        said = f"[{number}]{match['colon']}{rest}"
    if not rest:
        return None
    pure, address = _lists_only(said), _ADDRESS.match(rest.lstrip("< "))
    if match["note"]:
        return _Entry(_reference(f"^{match['note'].casefold()}", rest), defines=True)
    if number:
        reference = _reference(str(int(unicodedata.normalize("NFKC", number))), said)
        colon = bool(match["bracket"] and line.lstrip(" \\")[0] in "[【" and match["colon"] in (":", "："))
        left = _LINK.sub(" ", said) if match["linked"] else _ADDRESS.sub(" ", _LINK.sub(" ", said))
        bare = pure and (not (match["dotted"] or match["linked"]) or _BETWEEN.fullmatch(left) is not None)
        return _Entry(reference, colon, True, pure and (bare or not match["linked"]), bare)
    if match["id"] or match["label"]:
        name = canonical_id(match["id"] or match["label"])
        defines = bool(match["colon"] and pure) if match["id"] else address is not None
        return _Entry(_reference(name, rest), defines, bool(match["id"]))
    authored = author_year(rest)
    reference = _reference("", rest)
    listed = bool(authored or (reference.url and (match["bullet"] or _is_title_and_address(rest))))
    at_end = re.search(rf"{ADDRESS}[)>]?\W*$", rest, re.IGNORECASE) is not None
    pure = bool(authored) and at_end
    return _Entry(replace(reference, id=authored or reference.url), False, listed, pure, pure)


def _reference(name: str, rest: str) -> Reference:
    """What stands behind the name of a reference."""
    if link := _LINK.search(rest):
        numbered = re.fullmatch(r"[\[\]\d\s]*", link["words"])
        title = rest.replace(link[0], " ") if numbered else link["words"]
        return Reference(name, address_of(link["url"]), _title(title))
    if url := _ADDRESS.search(rest):
        return Reference(name, address_of(url[0]), _title(rest.replace(trimmed(url[0]), " ", 1)))
    ids = re.findall(rf"\b{SOURCE_ID}\b|@v:\s*\w+", rest, re.IGNORECASE)
    return Reference(name, "", _title(rest), tuple(canonical_id(each.replace(" ", "")) for each in ids[:20]))


def _title(text: str) -> str:
    return " ".join(text.split()).strip(_EDGES)[:500]


def _lists_only(rest: str) -> bool:
    """Whether what stands beside an address is at most a title: short, and the address stands at an end."""
    links = list(_LINK.finditer(rest)) or list(_ADDRESS.finditer(rest))
    if not links:
        return False
    before, behind = rest[: links[0].start()].strip(), rest[links[-1].end() :].strip()
    return len(before) <= 300 and len(behind) <= (60 if before else 300)


def _is_title_and_address(rest: str) -> bool:
    """Whether a line without a bullet is a title and an address, and no sentence with a link."""
    before, _, behind = _ADDRESS.sub("\0", _LINK.sub("\0", rest)).partition("\0")
    behind = re.sub(r"\0|[(（][^()（）]{0,60}[)）]", " ", behind)
    return not re.search(r"[.!?]\s+\S|[。！？]", before) and _BETWEEN.fullmatch(behind) is not None


# --- the lines of an answer


@lru_cache(maxsize=4)
def read_references(text: str) -> References:
    """The references of an answer, and where it lists them."""
    reading = _Reading(without_code(read_text(text)))
    reading.read()
    found: dict[str, Reference] = {}
    try:
        for number, name in find_definitions(text).items():
            found[f"@v:{number}"] = Reference(f"@v:{number}", targets=(name,))
    except ConfigError:
        pass  # a number that stands for two citations stands for none: its marks are broken
    for reference in reading.found:
        found.setdefault(reference.id, reference)
    return References(found, tuple(sorted(set(reading.ranges))))


class _Reading:
    """Reads the lines of an answer: first what defines a name anywhere, then lists."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = list(lines_of(text))
        self._words = [line for _, line in self._lines]
        self._entries = [_entry(line) for line in self._words]
        self._taken: set[int] = set()
        self._used: dict[str, bool] = {}
        self.found: list[Reference] = []
        self.ranges: list[tuple[int, int]] = []

    def read(self) -> None:
        """Fill ``found`` and ``ranges``."""
        for number in range(len(self._lines)):
            if number not in self._taken:
                self._definition(number)
        for number in range(len(self._lines)):
            self._list_under(number)
        self._runs()

    def _take(self, number: int, *references: Reference) -> None:
        start, line = self._lines[number]
        self._taken.add(number)
        if line.strip():
            self.ranges.append((start, start + len(line)))
        self.found.extend(references)

    def _definition(self, number: int) -> None:
        line, entry = self._words[number], self._entries[number]
        below = self._words[number + 1] if number + 1 < len(self._words) else ""
        if entry is None and re.fullmatch(r" {0,3}\[[^\[\]\n]+\]:\s*", line) and below[:1] in (" ", "\t"):
            entry = _entry(line + below)  # the address of a definition may stand on the next line
            if entry and entry.defines:
                self._take(number, entry.reference)
                self._take(number + 1)
            return
        if entry and entry.defines:
            rest = list(self._continued(number)) if entry.reference.id.startswith("^") else []
            reference = entry.reference
            if rest and not reference.url:
                reference = _reference(reference.id, " ".join((reference.title, *rest)))
            self._take(number, reference)
        elif (match := _SOURCE_LINE.fullmatch(line)) and self._is_closing(number, match):
            self._take(number, *(_linked(link) for link in _LINK.finditer(match["rest"])))

    def _is_closing(self, number: int, match: re.Match[str]) -> bool:
        """Whether a line of sources is of all the answer, and not of the table or the text over it."""
        rest = match["rest"]
        if not _LINK.search(rest) or not _BETWEEN.fullmatch(_LINK.sub(" ", rest)):
            return False
        below = (line.strip() for line in self._words[number + 1 :])
        return not any(line and not _is_heading(line) and not _RULE.fullmatch(line) for line in below)

    def _continued(self, number: int) -> Iterator[str]:
        """The indented lines under a footnote, its further paragraphs included; they are taken with it."""
        for after in range(number + 1, len(self._words)):
            line = self._words[after]
            if not line.strip():
                if not "".join(self._words[after + 1 : after + 2]).startswith(("    ", "\t")):
                    return
            elif not line.startswith(("  ", "\t")):
                return
            else:
                self._take(after)
                yield line.strip()

    def _list_under(self, number: int) -> None:
        """The entries under a line that says references, or that stands over numbers which marks name."""
        line = self._words[number]
        if number in self._taken or not line.strip():
            return
        sure, first = _is_heading(line), number + 1
        underlined = first < len(self._words) and _RULE.fullmatch(self._words[first]) is not None
        if not (sure or underlined or _OVER.fullmatch(line)):
            return
        kept, used = [], False
        for at in range(first + underlined, len(self._words)):
            entry = self._entries[at]
            if not self._words[at].strip():
                continue
            if at not in self._taken:
                if entry is None or not (entry.listed if sure else entry.pure):
                    break
                used = used or self._is_used(entry.reference.id)
            kept.append(at)
        if kept and (sure or used):
            self._take(number)
            for at in kept:
                entry = self._entries[at]
                if at not in self._taken and entry is not None:
                    self._take(at, entry.reference)

    def _runs(self) -> None:
        """Lines that are nothing but entries: at the end of the answer, and two or more anywhere."""
        run: list[int] = []
        for at in reversed(range(len(self._words))):
            line, entry = self._words[at], self._entries[at]
            if not line.strip() or at in self._taken or _RULE.fullmatch(line):
                continue
            if entry is None or not entry.pure or not (entry.bare or self._is_used(entry.reference.id)):
                break
            run.append(at)
        self._keep(run[::-1])
        run = []
        for at in range(len(self._words) + 1):
            entry = self._entries[at] if at < len(self._words) and at not in self._taken else None
            if entry and entry.bare:
                run.append(at)
            else:
                if len(run) > 1:
                    self._keep(run)
                run = []

    def _keep(self, run: Sequence[int]) -> None:
        entries = [(at, entry.reference) for at in run if (entry := self._entries[at])]
        if len(entries) == 1 and not self._is_used(entries[0][1].id):
            return  # a mark of the paragraph above it
        for at, reference in entries:
            self._take(at, reference)

    def _is_used(self, name: str) -> bool:
        """Whether a mark of the text has a name: in brackets, raised, or as a link down the page."""
        if name not in self._used:
            self._used[name] = self._search(name)
        return self._used[name]

    def _search(self, name: str) -> bool:
        raised = name.translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")) if name.isdigit() else ""
        said = re.escape(name)
        marks = rf"[\[【,，^>]\s*{said}\s*[\]】,，^†<](?!\(http)|{ID_WORDS}[ .:#]*{said}\b"
        return re.search(f"{marks}|{raised}" if raised else marks, self._text, re.IGNORECASE) is not None


def _is_heading(line: str) -> bool:
    return _HEADING.fullmatch(line.strip(" \t#*_:：")) is not None


def _linked(link: re.Match[str]) -> Reference:
    number = re.fullmatch(r"\[?(\d{1,3})\]?", link["words"].strip())
    return _reference(str(int(number[1])) if number else address_of(link["url"]), link[0])

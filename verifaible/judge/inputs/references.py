"""The sources that an answer itself lists: footnotes, definitions, and a list of references at its end.

Read are ``[^1]: ...``, ``[1]: ...``, ``src_5: https://...``, and lines such as ``[1](https://...)``,
``[1] Title https://...`` or ``1. https://...`` under a heading that says references, or where nothing else
follows them, and two lines or more such as ``Smith (2023): Title. https://...`` anywhere. None of these is
a sentence of the answer.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import takewhile
from typing import Final

from verifaible.answers.markers import body_of, find_definitions
from verifaible.errors import ConfigError
from verifaible.judge.inputs.authored import author_year

#: An address, also one that begins with www.; brackets in it are balanced, and hold no number of a mark. The
#: signs are those that end one in running text.
_PLAIN: Final = r"[^\s()<>\"`\[\]，。；：！？、（）【】「」『』|]*"
ADDRESS: Final = rf"(?:https?://|www\.){_PLAIN}(?:(?:\([^\s()<>]{{0,300}}\)|\[(?!\^|@|\d{{1,3}}\])[\w\-]{{1,60}}\]){_PLAIN})*"
#: Where a link leads; the scheme may be missing before a host.
_DESTINATION: Final = rf"(?:{ADDRESS}|[\w\-]+(?:\.[\w\-]+)+/[^\s()<>\"`]*)"
_ESCAPED: Final = re.compile(r"\\([!-/:-@\[-`{-~])")
_CHARACTER: Final = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,31});")
LINK = re.compile(
    rf"(?<!!)\[((?:[^\[\]\n]|\[[^\[\]\n]{{0,80}}\]){{0,500}})\]\(\s*<?({_DESTINATION})>?(?:\s+[\"'(][^\n]{{0,300}}?[\"')])?\s*\)",
    re.IGNORECASE,
)
_URL = re.compile(ADDRESS, re.IGNORECASE)
#: Words that, with a number, name a source.
ID_WORDS: Final = (
    r"(?:src|sources?|refs?|references?|docs?|documents?|results?|search|web|pages?|snippets?|context|ctx|tool|api"
    r"|calc|cite|citations?|chunk|来源|资料|文献|参考|引用)"
)
_PLURALS: Final = frozenset(
    {"sources", "refs", "references", "docs", "documents", "results", "pages", "snippets", "citations"}
)
SOURCE_ID: Final = rf"{ID_WORDS}[ \t]?[_\-#.:：]?[ \t]?\d{{1,4}}"
_FOOTNOTE = re.compile(r"[ ]{0,3}\[\^([^\]\s]{1,80})\]:[ \t]*(.*)")
_DEFINED = re.compile(r"[ ]{0,3}\\?[\[【]([^\[\]【】\n^]{1,120})\\?[\]】][:：][ \t]*(.*)")
#: A number of raised digits.
RAISED: Final = "[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]{1,3}"
_TO_RAISED: Final = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_LEAD: Final = r"[ \t]{0,8}(?:>[ \t]?)?(?:[-*+•·][ \t]+)?"
_NUMBERED = re.compile(
    rf"{_LEAD}(?:\*\*)?(?:\\?[\[【［(（](?P<bracket>\d{{1,3}})\\?[\]】］)）]|(?P<dotted>\d{{1,3}})[.)、．]"
    rf"|(?:<sup>)?(?P<raised>{RAISED}|(?<=<sup>)\d{{1,3}})(?:</sup>)?(?=[ \t]))"
    r"(?:\*\*)?[:：]?[ \t]*(?P<rest>.*)"
)
_LINKED_NUMBER = re.compile(rf"{_LEAD}(?:\d{{1,3}}[.)][ \t]+)?\[\[?(\d{{1,3}})\]?\]\(")
_NAMED = re.compile(
    rf"{_LEAD}(?:\*\*)?[\[(【`]{{0,2}}(?P<id>{SOURCE_ID})[\])】`]{{0,2}}(?:\*\*)?"
    r"[ \t]*(?P<mark>[:：\-–—=]?)[ \t]*(?P<rest>.*)",
    re.IGNORECASE,
)
_BULLET = re.compile(r"[ \t]{0,8}(?:[-*+•·]|\d{1,3}[.)、])[ \t]+(?P<rest>.*)")
_HEADING = re.compile(
    r"[ \t]{0,3}(?:#{1,6}[ \t]*)?(?:\*\*|__)?[ \t]*(?:\W{0,3}[ \t])?(?:\d{1,2}[.)、][ \t]*)?"
    r"(?:(?:key|main|data|cited|web|selected|further|数据|主要)?[ \t]*"
    r"(?:references?|sources?|citations?|footnotes?|works[ ]cited|bibliography|links|further[ ]reading"
    r"|参考文献|参考资料|参考来源|参考链接|参考|来源|资料来源|引用|引用来源|出处|脚注|注释|Quellen|Literatur)"
    r"(?:[ \t]*(?:cited|used|list|and[ ]links|&[ ]links|[(（][^()（）\n]{0,40}[)）]))?)"
    r"[ \t]*[:：]?[ \t]*(?:\*\*|__)?[ \t]*[:：]?[ \t]*#{0,6}[ \t]*",
    re.IGNORECASE,
)
#: A heading, whatever it says: by its mark, in bold, or a short line that ends with a colon.
_ANY_HEADING = re.compile(
    r"[ ]{0,3}(?:#{1,6}[ \t].*|(?:\*\*|__).*(?:\*\*|__)[ \t]*[:：]?[ \t]*|[^\n.!?]{1,40}[:：][ \t]*)"
)
_UNDERLINE = re.compile(r"[ ]{0,3}(?:-{3,}|={3,})[ \t]*")
_RULE = re.compile(r"[ \t]*(?:[-*_][ \t]*){3,}")
_SEPARATORS = re.compile(
    r"[\s,;，；、|·•.\-–—*_()（）:：&]*(?:and|et|und|和)?[\s,;，；、|·•.\-–—*_()（）:：&]*"
)
_LISTED_INLINE = re.compile(
    r"[ \t]*(?:\*\*|__|_|\*)?(?:sources?|references?|citations?|来源|数据来源|参考)(?:\*\*|__)?[ \t]*[:：]"
    r"(?:\*\*|__|_|\*)?(?P<rest>.*)",
    re.IGNORECASE,
)
#: A line that says where one thing is from, not what all the answer rests on.
_ONE_SOURCE = re.compile(r"\W*(?:source|(?:数据)?来源)[ \t*_]*[:：]", re.IGNORECASE)
_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})(.*)")
_INLINE_CODE = re.compile(r"(?<!`)(`{1,3})(?!`)([^`\n]{1,2000})(?<!`)\1(?!`)")
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
        id: what marks call it: ``1``, ``^note``, ``src_5``, ``@v:2``, or its address.
        url: its address; empty where the list names none.
        title: what the list says of it besides.
        targets: other names for it that the list gives, such as the id of a citation of the store.
    """

    id: str
    url: str = ""
    title: str = ""
    targets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Listed:
    """The references of an answer by id, and the ranges of the answer that only list them, in order."""

    references: dict[str, Reference]
    ranges: tuple[tuple[int, int], ...]


@lru_cache(maxsize=4)
def listed_in(answer: str) -> Listed:
    """The references of an answer, and where it lists them."""
    text = without_code(body_of(answer))
    reading = _Reading(text)
    reading.read()
    found = _store_definitions(answer)
    for reference in reading.found:
        found.setdefault(reference.id, reference)
    return Listed(found, tuple(sorted(set(reading.ranges))))


def _store_definitions(answer: str) -> dict[str, Reference]:
    try:
        defined = find_definitions(answer)
    except ConfigError:
        return {}  # a number that stands for two citations stands for none: its marks are broken
    return {f"@v:{number}": Reference(f"@v:{number}", targets=(name,)) for number, name in defined.items()}


def canonical_id(name: str) -> str:
    """A name of a source as it is compared: small letters, one ``_`` between word and number."""
    flat = " ".join(name.split()).casefold()
    match = re.fullmatch(rf"({ID_WORDS})[ ]?[_\-#.:：]?[ ]?0*(\d{{1,4}})", flat, re.IGNORECASE)
    if match is None:
        return flat
    word = match[1].removesuffix("s") if match[1] in _PLURALS else match[1]
    return f"{word}_{match[2]}"


def address_of(url: str) -> str:
    """An address as Markdown means it: without its escapes (``\\_``, ``&amp;``), and with a scheme."""
    url = _CHARACTER.sub(lambda match: html.unescape(match[0]), _ESCAPED.sub(r"\1", trimmed(url)))
    return url if "://" in url else f"https://{url}"


def trimmed(url: str) -> str:
    """An address without the signs behind it that belong to the sentence."""
    while url:
        if url[-1] in ".,;:!?'\"*_~…" or (url[-1] == ")" and url.count("(") < url.count(")")):
            url = url[:-1]
        else:
            break
    return url


def without_code(text: str) -> str:
    """The text with code blanked: what stands in it marks nothing. No character moves."""
    lines = text.split("\n")
    fence = ""
    for number, line in enumerate(lines):
        match = _FENCE.match(line)
        if fence:
            if match and match[1].startswith(fence) and not match[2].strip():
                fence = ""
            lines[number] = " " * len(line)
        elif match and not (match[1][0] == "`" and "`" in match[2]):
            fence = match[1]
            lines[number] = " " * len(line)
    if fence:  # one that never ends is no code: the rest of the answer would go with it
        return _INLINE_CODE.sub(_blank_code, text)
    return _INLINE_CODE.sub(_blank_code, "\n".join(lines))


def _blank_code(match: re.Match[str]) -> str:
    inside = match[2].strip()
    if re.fullmatch(rf"{SOURCE_ID}|\[?\d{{1,3}}\]?", inside, re.IGNORECASE):
        return match[0].replace("`", " ")  # `src_5` is a name that somebody wrote as code
    return " " * len(match[0])


class _Reading:
    """Reads the lines of an answer once for strong definitions, then for lists."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._starts: list[int] = []
        at = 0
        for line in self._lines:
            self._starts.append(at)
            at += len(line) + 1
        self._taken: set[int] = set()
        self._text = text
        self.found: list[Reference] = []
        self.ranges: list[tuple[int, int]] = []

    def read(self) -> None:
        """Fill ``found`` and ``ranges``."""
        for number in range(len(self._lines)):
            if number not in self._taken:
                self._definition(number)
        self._under_headings()
        self._runs()

    def _take(self, number: int, *references: Reference) -> None:
        self._taken.add(number)
        start = self._starts[number]
        if self._lines[number].strip():
            self.ranges.append((start, start + len(self._lines[number])))
        self.found.extend(references)

    # --- lines that define wherever they stand

    def _definition(self, number: int) -> None:
        line = self._lines[number]
        if match := _FOOTNOTE.fullmatch(line):
            rest = [match[2], *self._continued(number)]
            self._take(number, _reference(f"^{match[1].casefold()}", " ".join(rest)))
        elif match := _DEFINED.fullmatch(line):
            label, rest_of_line = match[1].strip(), match[2].strip() or self._below(number)
            numbered = label.isdigit() and len(label) <= 3
            named = re.fullmatch(SOURCE_ID, label, re.IGNORECASE) is not None
            has_address = _URL.match(rest_of_line.lstrip("< \t")) is not None
            if rest_of_line and (numbered or named or has_address):
                self._take(number, _reference(canonical_id(label), rest_of_line))
                if not match[2].strip():
                    self._take(number + 1)
        elif (match := _NAMED.fullmatch(line)) and match["mark"] and _only_lists(match["rest"]):
            self._take(number, _reference(canonical_id(match["id"]), match["rest"]))
        elif (
            (match := _LISTED_INLINE.fullmatch(line))
            and _only_links(match["rest"])
            and not self._is_of_block(number)
        ):
            links = LINK.finditer(match["rest"])
            self._take(number, *(_reference(_link_id(link), link[0]) for link in links))

    def _is_of_block(self, number: int) -> bool:
        """Whether a line says where the table or the text over it is from: the answer goes on below."""
        listing = [line for line in self._lines if _LISTED_INLINE.fullmatch(line)]
        if len(listing) < 2 and not _ONE_SOURCE.match(self._lines[number]):
            return False  # what all of it rests on is listed once
        rest = (line.strip() for line in self._lines[number + 1 :])
        return any(line and not _HEADING.fullmatch(line) and not _RULE.fullmatch(line) for line in rest)

    def _continued(self, number: int) -> Iterator[str]:
        """The indented lines under a footnote, its further paragraphs included; they are taken with it."""
        for after in range(number + 1, len(self._lines)):
            line = self._lines[after]
            if not line.strip() and self._below(after).startswith(("    ", "\t")):
                continue
            if not line.startswith(("  ", "\t")) or not line.strip():
                return
            self._take(after)
            yield line.strip()

    def _below(self, number: int) -> str:
        """The next line, where it is indented."""
        line = self._lines[number + 1] if number + 1 < len(self._lines) else ""
        return line if line.startswith((" ", "\t")) else ""

    # --- lists

    def _under_headings(self) -> None:
        """The entries under each heading that says references, with the heading."""
        for number, line in enumerate(self._lines):
            if number in self._taken or not line.strip():
                continue
            if not _HEADING.fullmatch(line) and not self._heads_numbered_addresses(number):
                continue
            entries, defined = self._entries(number + 1)
            if entries or defined:
                self._take(number)
            for at, reference in entries:
                self._take(at, reference)

    def _heads_numbered_addresses(self, number: int) -> bool:
        """Whether a heading, whatever it says, has numbered addresses under it that marks name."""
        under = self._lines[number + 1] if number + 1 < len(self._lines) else ""
        if not _ANY_HEADING.fullmatch(self._lines[number]) and not _UNDERLINE.fullmatch(under):
            return False
        below = [
            line for line in self._lines[number + 1 :] if line.strip() and not _UNDERLINE.fullmatch(line)
        ]
        listed = list(takewhile(lambda each: each is not None, (_pure(line, titled=True) for line in below)))
        return any(each is not None and self._is_used(each.id) for each in listed)

    def _entries(self, first: int) -> tuple[list[tuple[int, Reference]], bool]:
        """The lines of a list from ``first`` on, and whether definitions stand among them."""
        found: list[tuple[int, Reference]] = []
        defined = False
        for number in range(first, len(self._lines)):
            if number in self._taken:
                defined = True
            elif self._lines[number].strip() and not (
                number == first and _UNDERLINE.fullmatch(self._lines[number])
            ):
                reference = _entry(self._lines[number])
                if reference is None:
                    break
                found.append((number, reference))
        return found, defined

    def _runs(self) -> None:
        """Runs of lines that hold nothing but numbered addresses; at the end of the answer also shorter."""
        run: list[tuple[int, Reference]] = []
        for number in range(len(self._lines) - 1, -1, -1):
            line = self._lines[number]
            if not line.strip() or number in self._taken or _RULE.fullmatch(line):
                continue
            reference = _pure(line, titled=True)
            if reference is None or (_pure(line) is None and not self._is_used(reference.id)):
                break
            run.append((number, reference))
        self._keep_run(run)
        run = []
        for number, line in enumerate(self._lines):
            reference = None if number in self._taken else _pure(line)
            if reference is not None:
                run.append((number, reference))
            elif run:
                if len(run) > 1:
                    self._keep_run(run)
                run = []

    def _keep_run(self, run: list[tuple[int, Reference]]) -> None:
        if len(run) == 1 and not self._is_used(run[0][1].id):
            return  # a mark of the paragraph above it
        for number, reference in sorted(run, key=lambda each: each[0]):
            self._take(number, reference)

    def _is_used(self, number: str) -> bool:
        """Whether a mark of the text has a number: in brackets, raised, or as a link down the page."""
        raised = number.translate(_TO_RAISED) if number.isdigit() else ""
        name = re.escape(number)
        marks = rf"[\[【,，^>]\s*{name}\s*[\]】,，^†<](?!\(http)|{ID_WORDS}[ .:#]*{name}\b"
        return re.search(rf"{marks}|{raised}" if raised else marks, self._text, re.IGNORECASE) is not None


def _reference(name: str, rest: str) -> Reference:
    """What stands behind the name of a reference."""
    rest = rest.strip()
    link = LINK.search(rest)
    if link is not None:
        title = link[1] if not re.fullmatch(r"[\[\]\d\s]*", link[1]) else rest.replace(link[0], " ")
        return Reference(name, address_of(link[2]), _title(title))
    url = _URL.search(rest)
    if url is not None:
        rest = rest.replace(trimmed(url[0]), " ", 1)
        return Reference(name, address_of(url[0]), _title(rest))
    ids = re.findall(rf"\b{SOURCE_ID}\b|@v:\s*\w+", rest, re.IGNORECASE)
    return Reference(name, "", _title(rest), tuple(canonical_id(each.replace(" ", "")) for each in ids[:20]))


def _number(numbered: re.Match[str]) -> str:
    raised = unicodedata.normalize("NFKC", numbered["raised"] or "")
    return str(int(numbered["bracket"] or numbered["dotted"] or raised))


def _title(text: str) -> str:
    return " ".join(text.split()).strip(_EDGES)[:500]


def _link_id(link: re.Match[str]) -> str:
    number = re.fullmatch(r"\[?(\d{1,3})\]?", link[1].strip())
    return str(int(number[1])) if number else address_of(link[2])


def _entry(line: str) -> Reference | None:
    """A line of a list of references under its heading; None for one that ends it."""
    line = _BACK.sub("", line)
    if linked := _LINKED_NUMBER.match(line):
        return _reference(str(int(linked[1])), line[linked.end() - 1 :].lstrip("("))
    if (named := _NAMED.fullmatch(line)) and named["rest"].strip():
        return _reference(canonical_id(named["id"]), named["rest"])
    if (numbered := _NUMBERED.fullmatch(line)) and numbered["rest"].strip():
        return _reference(_number(numbered), numbered["rest"])
    bullet = _BULLET.fullmatch(line)
    rest = bullet["rest"] if bullet else line
    reference = _reference("", rest)
    if name := author_year(rest):
        return replace(reference, id=name)
    if reference.url and (bullet or _is_title_and_address(rest)):
        return replace(reference, id=reference.url)
    return None


def _pure(line: str, *, titled: bool = False) -> Reference | None:
    """A line that is nothing but a number and an address, or a bracketed number, a title and an address.

    An author with a year, a title and an address are one, too. ``titled``: a title may stand behind a number
    without brackets, too.
    """
    line = _BACK.sub("", line)
    if "http" not in line.lower() and "www." not in line.lower():
        return None
    if authored := _authored(line):
        return authored
    if linked := _LINKED_NUMBER.match(line):
        link = LINK.search(line)
        alone = link and _SEPARATORS.fullmatch(line[link.end() :])
        return _reference(str(int(linked[1])), link[0]) if link and alone else None
    numbered = _NUMBERED.fullmatch(line)
    if numbered is None or not _only_lists(numbered["rest"]):
        return None
    rest = LINK.sub(" ", numbered["rest"])
    if numbered["dotted"] and not titled and not _SEPARATORS.fullmatch(_URL.sub(" ", rest)):
        return None  # a numbered sentence of the answer that has a link
    return _reference(_number(numbered), numbered["rest"])


def _authored(line: str) -> Reference | None:
    """A line that begins with an author and a year, and ends with an address; a numbered one is none."""
    bullet = _BULLET.fullmatch(line)
    rest = bullet["rest"] if bullet else line.strip()
    if _NUMBERED.fullmatch(line) or not re.search(rf"{ADDRESS}[)>]?\W*$", rest, re.IGNORECASE):
        return None
    name = author_year(rest)
    return replace(_reference("", rest), id=name) if name else None


def _only_links(rest: str) -> bool:
    """Whether a text is links with nothing but separators between them."""
    return LINK.search(rest) is not None and _SEPARATORS.fullmatch(LINK.sub(" ", rest)) is not None


def _is_title_and_address(rest: str) -> bool:
    """Whether a line without a bullet is a title and an address, and no sentence with a link."""
    before, _, behind = _URL.sub(" \0 ", LINK.sub(" \0 ", rest)).partition("\0")
    ended = re.search(r"[.!?]\s+\S|[。！？]", before) is not None
    return (
        not ended and _SEPARATORS.fullmatch(re.sub(r"\0|[(（][^()（）]{0,60}[)）]", " ", behind)) is not None
    )


def _only_lists(rest: str) -> bool:
    """Whether what stands beside an address is at most a title: short, and the address stands at an end."""
    links = [(match.start(), match.end()) for match in LINK.finditer(rest)]
    links = links or [(match.start(), match.end()) for match in _URL.finditer(rest)]
    if not links:
        return False
    before, behind = rest[: links[0][0]].strip(), rest[links[-1][1] :].strip()
    return len(before) <= 300 and (not before or len(behind) <= 60) and len(behind) <= 300

"""A filing, fetched through the guarded client or given, as text with the span of every tagged fact in it.

The text is the one that every page is read as (``extract.markdown``). To find where an element of the file
stands in it, a mark that no text has is put at its beginning and its end before the file is read, and taken
out of the text afterwards. What is left is the text as it is read without marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import parse_qs, urljoin, urlsplit

import lxml.html
from lxml import etree

from verifaible.errors import WrongContent, needing
from verifaible.extract.charset import decode_html
from verifaible.extract.html import html_document
from verifaible.extract.markdown import document_markdown
from verifaible.kg.xbrl import Fact, closed, tagged
from verifaible.net.web import Web
from verifaible.schema.web import WebRequest
from verifaible.tools.fetch_status import check_status

#: Planes 15 and 16 are for private use: the n-th element begins and ends with the n-th character of each.
_BEGIN, _END = 0xF0000, 0x100000
_MOST: Final = 0xFFFE
_MARK: Final = re.compile("[\U000f0000-\U000ffffd\U00100000-\U0010fffd]")
_PART: Final = re.compile(r"\W*PART\s+(I{1,3}V?|IV)\b\W*", re.IGNORECASE)
_ITEM: Final = re.compile(r"\W*ITEM\s+(\d{1,2}[A-C]?)\b[\s.:–—\-|*]*", re.IGNORECASE)
#: The items that every 10-K has, and that no other report has together: business, discussion, statements.
_ANNUAL: Final = ("1", "7", "8")
#: What files that are neither a page nor a PDF begin with.
_OTHERS: Final = {b"PK\x03\x04": "a ZIP archive", b"\x1f\x8b": "a gzip archive"}
#: A longer line is no heading, in code points.
_HEADING: Final = 240


@dataclass(frozen=True, slots=True)
class Section:
    """An item of the report: ``7A`` of part ``II``; what stands before the first has neither."""

    part: str
    item: str
    title: str
    start: int
    end: int


@dataclass(frozen=True)
class Filing:
    """A filing, read.

    Attributes:
        text: what a reader sees, tables as rows of Markdown; offsets count code points in it.
        facts: those shown and those hidden.
        sections: they follow each other without a gap.
        name: the registrant's, as it is tagged; empty where it is not.
        period: the day that the report's year ends; None where it is not tagged.
    """

    text: str = field(repr=False)
    facts: tuple[Fact, ...] = field(repr=False)
    sections: tuple[Section, ...]
    name: str
    period: date | None


def read_filing(body: bytes, url: str = "") -> Filing:
    """Read an annual report: HTML, with its inline XBRL where it has some, or a PDF.

    Args:
        body: its bytes.
        url: where it is from; links in it count from there.

    Raises:
        WrongContent: it is neither, or has no words.
    """
    if is_pdf(body):
        with needing("pdf", "A report in PDF"):
            from verifaible.extract.pdf import pdf_document
        text = _worded(document_markdown(pdf_document(body, url)).text)
        return Filing(text, (), tuple(_sections(text)), "", None)
    if kind := next((kind for sign, kind in _OTHERS.items() if body.lstrip().startswith(sign)), ""):
        raise WrongContent(
            f"The filing is {kind}, neither HTML nor a PDF. Give the 10-K as the HTML that the SEC publishes."
        )
    markup = closed(decode_html(body, "text/html").text)
    try:
        root = _parsed(_MARK.sub("\ufffd", markup))
    except (etree.LxmlError, AssertionError, ValueError) as error:
        raise WrongContent(f"The filing is not an HTML page ({error}). Give the 10-K as HTML.") from error
    found = list(tagged(root))
    pieces = [piece for _, elements in found for piece in elements]
    for place, piece in enumerate(pieces[:_MOST]):
        _bracket(piece, place)
    marked = etree.tostring(root, encoding="unicode", method="html")
    text, spans = _unmarked(document_markdown(html_document(marked, url or "about:blank")).text)
    text, places = _worded(text), iter(range(len(pieces)))
    facts = tuple(
        replace(fact, spans=tuple(spans[at] for _, at in zip(elements, places, strict=False) if at in spans))
        for fact, elements in found
    )
    name = next((each.words for each in facts if each.concept == "dei:EntityRegistrantName"), "")
    periods = (each.period for each in facts if each.concept.startswith("dei:") and each.period)
    return Filing(text, facts, tuple(_sections(text)), name, next((each.end for each in periods), None))


def is_pdf(body: bytes) -> bool:
    """Whether these are the bytes of a PDF."""
    return body.lstrip().startswith(b"%PDF-")


def _worded(text: str) -> str:
    if not text.strip():
        raise WrongContent("The filing has no words that a reader would see. Give the 10-K as HTML.")
    return text.replace("\u00a0", " ")


def refuse_other_pages(filing: Filing) -> None:
    """Refuse what has not the items of an annual report.

    Raises:
        WrongContent: it names the items that are not there.
    """
    there = {section.item for section in filing.sections}
    if missing := [item for item in _ANNUAL if item not in there]:
        raise WrongContent(
            f"This is not a 10-K: it has no heading of item {', '.join(missing)}. Give the main document of "
            "the annual report, not an exhibit or a press release, or ingest it anyway with --any."
        )


def _parsed(markup: str) -> etree._Element:
    """The tree that a browser builds from mark-up, scripts not run."""
    from resiliparse.parse.html import HTMLTree

    repaired = str(HTMLTree.parse(markup.replace("\0", "")))
    parser = lxml.html.HTMLParser(huge_tree=True, encoding="utf-8")
    return lxml.html.document_fromstring(repaired.encode("utf-8", "replace"), parser=parser)


def _texts(node: etree._Element) -> Iterator[tuple[etree._Element, str]]:
    """The places of an element that hold text, in document order."""
    yield node, "text"
    for child in node:
        if isinstance(child.tag, str):
            yield from _texts(child)
        yield child, "tail"


def _bracket(node: etree._Element, place: int) -> None:
    """Put the marks of an element around its words."""
    held = [each for each in _texts(node) if (getattr(*each) or "").strip()]
    if not held:
        return
    (first, where), (last, at) = held[0], held[-1]
    words = getattr(first, where)
    lead = len(words) - len(words.lstrip())
    setattr(first, where, words[:lead] + chr(_BEGIN + place) + words[lead:])
    words = getattr(last, at)
    rest = len(words.rstrip())
    setattr(last, at, words[:rest] + chr(_END + place) + words[rest:])


def _unmarked(marked: str) -> tuple[str, dict[int, tuple[int, int]]]:
    """The text without marks, and the span of each; of a cell that spans columns, where it stands first."""
    begins: dict[int, int] = {}
    spans: dict[int, tuple[int, int]] = {}
    kept: list[str] = []
    size = last = 0
    for match in _MARK.finditer(marked):
        kept.append(marked[last : match.start()])
        size += match.start() - last
        last = match.end()
        mark = ord(match[0])
        if mark < _END:
            begins.setdefault(mark - _BEGIN, size)
        elif (place := mark - _END) in begins and place not in spans:
            spans[place] = begins[place], size
    kept.append(marked[last:])
    return "".join(kept), spans


def blocks(text: str) -> Iterator[tuple[int, int]]:
    """Paragraphs, lists and tables: first and past last code point, blank lines between them left out."""
    for match in re.finditer(r"[^\n](?:[^\n]|\n(?!\s*\n))*", text):
        yield match.span()


def _line(block: str) -> str:
    """A block as a line, if it is one: of a table, the words of its only row."""
    if not block.startswith("|"):
        return block if "\n" not in block else ""
    rows = [dict.fromkeys(filter(None, map(str.strip, row.split("|")))) for row in block.splitlines()]
    told = [row for row in rows if any(cell.strip("-: ") for cell in row)]
    return " ".join(told[0]) if len(told) == 1 else ""


def _sections(text: str) -> Iterator[Section]:
    """The items by their headings; where a contents list names them as well, the last heading counts."""
    heads: dict[str, tuple[int, str]] = {}
    parts: list[tuple[int, str]] = []
    untitled = ""
    for start, end in blocks(text):
        line = _line(text[start:end])
        if not line or len(line) > _HEADING:
            untitled = ""
        elif match := _PART.fullmatch(line):
            parts.append((start, match[1].upper()))
        elif match := _ITEM.match(line):
            title = line[match.end() :].replace("*", "").strip()
            heads[match[1].upper()] = (start, title)
            untitled = "" if title else match[1].upper()
        elif untitled:
            heads[untitled] = (heads[untitled][0], line.replace("*", "").strip())
            untitled = ""
    found = sorted((start, item, title) for item, (start, title) in heads.items())
    yield Section("", "", "", 0, found[0][0] if found else len(text))
    for at, (start, item, title) in enumerate(found):
        end = found[at + 1][0] if at + 1 < len(found) else len(text)
        part = next((name for place, name in reversed(parts) if place <= start), "")
        yield Section(part, item, title, start, end)


def is_address(text: str) -> bool:
    """Whether it names a page of the web and no file."""
    return text.lower().startswith(("http://", "https://"))


async def fetch_filing(address: str, web: Web) -> tuple[bytes, str, str]:
    """The bytes of a filing, the name of its file, and where it is in the end.

    The address may be the one of EDGAR's viewer (``/ix?doc=...``), which shows the document that it names.

    Raises:
        PageNotLoaded, PageBlocked: it cannot be opened, or the server refuses.
        UrlRefused: the guard refused the address, or one that it redirects to.
        OfflineMiss: the archives do not have it (offline only).
    """
    parts = urlsplit(address)
    shown = parse_qs(parts.query).get("doc", [""])[0] if parts.path in ("/ix", "/ixviewer/ix.html") else ""
    url = urljoin(address, shown) if shown.startswith("/") else address
    async with web.client() as client:
        answer = (await client.fetch(WebRequest(url))).answer
    check_status(answer.url, answer.response)
    return answer.response.body, PurePosixPath(urlsplit(answer.url).path).name or "filing.html", answer.url

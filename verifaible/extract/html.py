"""A page's markup to what a reader can see of it: Markdown, plain text, tables, links, outline."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urljoin

import lxml.html
from lxml import etree

from verifaible.errors import WrongContent
from verifaible.extract.main_content import main_content
from verifaible.extract.published import published_date
from verifaible.extract.scripts import needs_javascript, script_signs
from verifaible.extract.tables import form_grid, grid_to_markdown, raw_table
from verifaible.extract.visible import Removed, is_hidden, strip_hidden, visible_lines, visible_text
from verifaible.schema.table import RawTable

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_MARK = "VFTABLE{:04d}ELBATFV"
_MARKED = re.compile(r"VFTABLE(\d{4})ELBATFV")
_SCRIPTS = (
    ("ja", re.compile("[\u3041-\u30fe]")),
    ("ko", re.compile("[\uac00-\ud7a3]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
)


@dataclass(frozen=True, slots=True)
class Link:
    """A link with an absolute address, in document order."""

    url: str
    text: str


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; ``level`` from 1 to 6."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class PageText:
    """What a page says.

    ``markdown`` is the main content with every data table of the page in full; ``text`` all
    visible text, a line a block; ``language`` a BCP 47 tag or "" ; ``published`` an ISO 8601
    date or ""; ``tables`` every visible table in document order, layout tables included;
    ``removed`` what was hidden from readers and therefore left out. ``needs_javascript`` says
    that the markup alone is empty, or waits for scripts to fill it.
    """

    title: str
    markdown: str = field(repr=False)
    text: str = field(repr=False)
    language: str
    links: tuple[Link, ...] = field(repr=False)
    outline: tuple[Heading, ...] = field(repr=False)
    published: str
    needs_javascript: bool
    tables: tuple[RawTable, ...] = field(repr=False)
    removed: Removed


def parse_html(html: str) -> lxml.html.HtmlElement:
    """The tree that a browser builds from markup, scripts not run (WHATWG parser: Lexbor)."""
    from resiliparse.parse.html import HTMLTree

    repaired = str(HTMLTree.parse(html.replace("\x00", "")))
    parser = lxml.html.HTMLParser(huge_tree=True, encoding="utf-8")
    root = lxml.html.document_fromstring(repaired.encode("utf-8", "replace"), parser=parser)
    assert isinstance(root, lxml.html.HtmlElement)
    return root


def to_markdown(html: str, url: str) -> PageText:
    """Read a page's markup; ``url`` is where it came from, and the base of its links.

    trafilatura locates the main content and html-to-markdown converts it. Data tables are
    converted apart, whole and aligned, also those outside the main content.
    """
    root = parse_html(html)
    signs = script_signs(root)
    _absolute_links(root, url)
    title, language, published = _title(root), _language(root), published_date(root)
    pairs = [
        (element, raw_table(element))
        for element in root.iter("table")
        if not any(is_hidden(node) for node in (element, *element.iterancestors()))
    ]
    removed = strip_hidden(root)
    pairs = [(element, raw) for element, raw in pairs if _is_inside(element, root)]
    body = root.find("body")
    lines = visible_lines(body) if body is not None else []
    links = tuple(_links(root))
    outline = tuple(
        Heading(int(node.tag[1]), text) for node in root.iter(*_HEADINGS) if (text := visible_text(node))
    )
    main = main_content(root, url)
    blocks = _mark_tables(pairs)
    return PageText(
        title=title or (outline[0].text if outline else ""),
        markdown=_markdown(root, main, blocks),
        text="\n".join(lines),
        language=language or _detected_language(lines),
        links=links,
        outline=outline,
        published=published,
        needs_javascript=needs_javascript(signs, lines, [raw for _, raw in pairs]),
        tables=tuple(raw for _, raw in pairs),
        removed=removed,
    )


def _absolute_links(root: lxml.html.HtmlElement, url: str) -> None:
    base = next((node.get("href") for node in root.iter("base") if node.get("href")), None)
    base_url = urljoin(url, base) if base else url
    for element in root.iter("a", "area", "img"):
        name = "src" if element.tag == "img" else "href"
        value = (element.get(name) or "").strip()
        if not value:
            continue
        try:
            absolute = urljoin(base_url, value)
        except ValueError:
            absolute = ""
        if absolute.lower().startswith(("http:", "https:", "mailto:", "tel:")):
            element.set(name, absolute)
        else:
            del element.attrib[name]


def _title(root: lxml.html.HtmlElement) -> str:
    for node in root.iter("title"):
        if (text := " ".join((node.text_content() or "").split())) and not _in_svg(node):
            return text
    for node in root.iter("meta"):
        if (node.get("property") or node.get("name") or "").lower() in {"og:title", "twitter:title"}:
            return (node.get("content") or "").strip()
    return ""


def _in_svg(node: etree._Element) -> bool:
    return any(parent.tag == "svg" for parent in node.iterancestors())


def _language(root: lxml.html.HtmlElement) -> str:
    declared = (root.get("lang") or root.get("xml:lang") or "").strip()
    if declared:
        return declared
    for node in root.iter("meta"):
        if (node.get("http-equiv") or "").lower() == "content-language":
            return (node.get("content") or "").split(",")[0].strip()
    return ""


def _detected_language(lines: list[str]) -> str:
    """A guess from the text; scripts of East Asia decide by themselves."""
    from resiliparse.parse.lang import detect_fast

    text = " ".join(lines)[:5000]
    if len(text) < 20:
        return ""
    for language, characters in _SCRIPTS:
        if len(characters.findall(text)) * 8 > len(text):
            return language
    language, distance = detect_fast(text)
    # Above 1,200 the library calls its own result a guess.
    return str(language) if distance < 1200 and language != "unknown" else ""


def _links(root: lxml.html.HtmlElement) -> Iterator[Link]:
    seen: set[tuple[str, str]] = set()
    for element in root.iter("a", "area"):
        url = element.get("href") or ""
        text = visible_text(element) or (element.get("title") or element.get("alt") or "").strip()
        if url.startswith("http") and (url, text) not in seen:
            seen.add((url, text))
            yield Link(url, text)


def _mark_tables(pairs: list[tuple[etree._Element, RawTable]]) -> list[str]:
    """Convert every data table and put a mark in its place; open layout tables into blocks."""
    blocks: list[str] = []
    for element, raw in pairs:
        if not _is_data_table(element, raw):
            _open_layout(element)
            continue
        try:
            block = grid_to_markdown(form_grid(raw))
        except WrongContent as error:
            block = f"({error})"
        links = [f"- [{visible_text(a)}](<{a.get('href')}>)" for a in element.iter("a") if a.get("href")]
        mark = lxml.html.Element("p")
        mark.text, mark.tail = _MARK.format(len(blocks)), element.tail
        if (parent := element.getparent()) is not None:
            parent.replace(element, mark)
        blocks.append("\n\n".join([block, *(["\n".join(links)] if links else [])]))
    return blocks


def _open_layout(table: etree._Element) -> None:
    for node in list(table.iter("thead", "tbody", "tfoot", "tr", "td", "th", "caption")):
        if next(node.iterancestors("table"), None) is table:
            node.tag = "div"
    table.tag = "div"


def _is_data_table(element: etree._Element, raw: RawTable) -> bool:
    """Whether a table holds data: by its markup, else by being regular and of short cells."""
    if (element.get("role") or "").lower() in {"presentation", "none"} or not any(raw.rows):
        return False
    if next(element.iterdescendants("table"), None) is not None:
        return False
    if raw.head_rows or raw.caption or any(cell.header for row in raw.rows for cell in row):
        return True
    cells = [cell for row in raw.rows for cell in row]
    filled = [cell for cell in cells if cell.text]
    columns = max(len(row) for row in raw.rows)
    if len(raw.rows) < 2 or columns < 2 or len(filled) * 4 < len(cells):
        return False
    return sorted(len(cell.text) for cell in filled)[len(filled) // 2] <= 60


def _markdown(root: lxml.html.HtmlElement, main: etree._Element, blocks: list[str]) -> str:
    """The main content converted, under the page's first heading, with every table in full."""
    from html_to_markdown import ConversionOptions, convert

    options = ConversionOptions(extract_metadata=False, link_style="reference")
    html = lxml.html.tostring(main, encoding="unicode", with_tail=False)
    markdown = (convert(html, options).content or "").strip()
    placed = {int(mark) for mark in _MARKED.findall(markdown)}
    markdown = _MARKED.sub(lambda match: blocks[int(match[1])], markdown)
    first = next(root.iter("h1"), None)
    if first is not None and not _is_inside(first, main) and visible_text(first):
        markdown = f"# {visible_text(first)}\n\n{markdown}"
    rest = [block for index, block in enumerate(blocks) if index not in placed]
    return "\n\n".join([markdown, *rest]).strip()


def _is_inside(element: etree._Element, top: etree._Element) -> bool:
    return element is top or any(parent is top for parent in element.iterancestors())

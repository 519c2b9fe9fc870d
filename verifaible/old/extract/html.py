"""A page's markup to what a reader can see of it: Markdown, plain text, tables, links, outline."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote, urldefrag, urljoin

import lxml.html
from lxml import etree

from verifaible.errors import WrongContent, needing
from verifaible.old.extract.main_content import main_content
from verifaible.old.extract.published import published_date
from verifaible.old.extract.strip import strip_hidden
from verifaible.old.extract.tables import form_grid, grid_to_markdown, raw_table
from verifaible.old.extract.visible import (
    UNSEEN_IN_ADDRESS,
    css_path,
    visible_lines,
    visible_text,
    without_invisible,
)
from verifaible.schema.table import RawTable

#: Tables with more rows than this are put aside before the main content is located.
LONG_TABLE_ROWS = 300
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
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

    ``markdown`` is the main content with every data table of the page in full, its links numbered as
    ``[text][n]`` with the n-th address in ``references``; ``text`` all
    visible text, a line a block; ``language`` a BCP 47 tag or "" ; ``published`` an ISO 8601
    date or ""; ``tables`` every visible table in document order, layout tables included.
    """

    title: str
    markdown: str = field(repr=False)
    references: tuple[str, ...] = field(repr=False)
    text: str = field(repr=False)
    language: str
    links: tuple[Link, ...] = field(repr=False)
    outline: tuple[Heading, ...] = field(repr=False)
    published: str
    tables: tuple[RawTable, ...] = field(repr=False)


def repaired(html: str) -> str:
    """Markup of the tree that a browser builds from markup, scripts not run (WHATWG parser: Lexbor)."""
    from resiliparse.parse.html import HTMLTree

    return str(HTMLTree.parse(html.replace("\x00", "")))


def parse_html(html: str) -> lxml.html.HtmlElement:
    """The tree that a browser builds from markup, scripts not run."""
    parser = lxml.html.HTMLParser(huge_tree=True, encoding="utf-8")
    root = lxml.html.document_fromstring(repaired(html).encode("utf-8", "replace"), parser=parser)
    assert isinstance(root, lxml.html.HtmlElement)
    return root


def to_markdown(html: str, url: str, *, whole: bool = False) -> PageText:
    """Read a page's markup, as the browser gives it (``shown.js``) or as it came.

    trafilatura locates the main content and html-to-markdown converts it. Data tables are
    converted apart, whole and aligned, also those outside the main content.

    Args:
        html: the markup.
        url: where the page came from, and the base of its links.
        whole: convert all of it, not only its main content.
    """
    root = parse_html(html)
    title, language, published = _title(root), _language(root), published_date(root)
    paths = {element: css_path(element) for element in root.iter("table")}
    _absolute_links(root, url)
    strip_hidden(root)
    pairs = [
        (element, raw_table(element).model_copy(update={"css_path": path}))
        for element, path in paths.items()
        if _is_inside(element, root)
    ]
    body = root.find("body")
    lines = visible_lines(body) if body is not None else []
    links = tuple(_links(root))
    outline = tuple(
        Heading(int(node.tag[1]), text) for node in root.iter(*_HEADINGS) if (text := visible_text(node))
    )
    # Locating the content takes long where a table is long, and no table is lost outside of it.
    long = [pair for pair in pairs if len(pair[1].rows) > LONG_TABLE_ROWS]
    marks = _Marks()
    tables = _mark_tables(long, [], marks)
    content = body if whole and body is not None else main_content(root, url)
    main = _around_tables(content, pairs)
    tables = _mark_tables([pair for pair in pairs if pair not in long], tables, marks)
    markdown, references = _markdown(root, main, tables, marks)
    return PageText(
        title=title or (outline[0].text if outline else ""),
        markdown=markdown,
        references=references,
        text="\n".join(lines),
        language=language or _detected_language(lines),
        links=links,
        outline=outline,
        published=published,
        tables=tuple(raw for _, raw in pairs),
    )


def _around_tables(main: etree._Element, pairs: list[tuple[etree._Element, RawTable]]) -> etree._Element:
    """The main content, or what holds it where that is a data table: tables are converted apart."""
    data = {element for element, raw in pairs if _is_data_table(element, raw)}
    around = [node for node in (main, *main.iterancestors()) if node in data]
    parent = around[-1].getparent() if around else None
    return main if parent is None else parent


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
        here = "#" in absolute and urldefrag(absolute).url == urldefrag(url).url
        if absolute.lower().startswith(("http:", "https:")) and not here:
            element.set(name, UNSEEN_IN_ADDRESS.sub(lambda match: quote(match[0]), absolute))
        else:
            del element.attrib[name]


def _title(root: lxml.html.HtmlElement) -> str:
    for node in root.iter("title"):
        text = without_invisible(" ".join((node.text_content() or "").split()))[0]
        if text and not _in_svg(node):
            return text
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
        text = visible_text(element)
        if url.startswith("http") and (url, text) not in seen:
            seen.add((url, text))
            yield Link(url, text)


class _Marks:
    """What stands for tables and addresses while a page is converted; no page can have it in its text."""

    def __init__(self) -> None:
        nonce = secrets.token_hex(4)
        self._table, self._address = f"VFTABLE{nonce}N", f"https://x.invalid/{secrets.token_hex(8)}/"
        self.tables = re.compile(rf"{self._table}(\d+)E")
        self.links = re.compile(rf"\]\(<?{re.escape(self._address)}(\d+)>?\)")
        self.addresses = re.compile(rf"{re.escape(self._address)}(\d+)")

    def table(self, number: int) -> str:
        return f"{self._table}{number}E"

    def address(self, number: int) -> str:
        return f"{self._address}{number}"


def _mark_tables(
    pairs: list[tuple[etree._Element, RawTable]],
    taken: list[tuple[etree._Element, RawTable]],
    marks: _Marks,
) -> list[tuple[etree._Element, RawTable]]:
    """Put a mark in the place of every data table, after those taken; open layout tables into blocks."""
    taken = list(taken)
    for element, raw in pairs:
        if not _is_data_table(element, raw):
            _open_layout(element)
            continue
        mark = lxml.html.Element("p")
        mark.text, mark.tail = marks.table(len(taken)), element.tail
        if (parent := element.getparent()) is not None:
            parent.replace(element, mark)
        taken.append((element, raw))
    return taken


def _drop_pictures(main: etree._Element) -> None:
    """Pictures, and links that hold nothing else, say nothing in a text."""
    for element in list(main.iter("img", "a")):
        silent = element.tag == "img" or not visible_text(element)
        if silent and element is not main and isinstance(element, lxml.html.HtmlElement):
            element.drop_tag()


class _References:
    """Numbers the addresses of links, each once, from 1."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, url: str) -> int:
        return self._numbers.setdefault(url.replace(" ", "%20"), len(self._numbers) + 1)

    @property
    def urls(self) -> tuple[str, ...]:
        return tuple(self._numbers)

    def renumbered(self, markdown: str, urls: Sequence[str], marks: _Marks) -> str:
        """Markdown with its links, which are marks for the ``urls``, as references numbered here."""
        linked = marks.links.sub(lambda match: f"][{self.number(urls[int(match[1])])}]", markdown)
        return marks.addresses.sub(lambda match: urls[int(match[1])], linked)

    def table(self, element: etree._Element, raw: RawTable) -> str:
        """A data table as Markdown, its links as references in their cells."""
        linked = False
        for link in element.iter("a"):
            url = link.get("href")
            if not url or not visible_text(link):
                continue
            linked = True
            link.text = "[" + (link.text or "").lstrip()
            end = f"][{self.number(url)}]"
            if len(link):
                link[-1].tail = (link[-1].tail or "").rstrip() + end
            else:
                link.text = link.text.rstrip() + end
        try:
            return grid_to_markdown(form_grid(raw_table(element) if linked else raw))
        except WrongContent as error:
            return f"({error})"


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


def _marked_links(main: etree._Element, marks: _Marks) -> list[str]:
    """Put marks in the place of the addresses of links: what only looks like a link stays text."""
    urls: list[str] = []
    for link in main.iter("a"):
        link.attrib.pop("title", "")
        if url := link.get("href"):
            link.set("href", marks.address(len(urls)))
            urls.append(url)
    return urls


def _markdown(
    root: lxml.html.HtmlElement,
    main: etree._Element,
    tables: list[tuple[etree._Element, RawTable]],
    marks: _Marks,
) -> tuple[str, tuple[str, ...]]:
    """The main content converted, under the page's first heading, with every table in full.

    The second value has the addresses of its references, the first being number 1.
    """
    with needing("reading", "Converting a page to Markdown"):
        from html_to_markdown import ConversionOptions, convert

    _drop_pictures(main)
    urls = _marked_links(main, marks)
    options = ConversionOptions(extract_metadata=False, skip_images=True)
    html = lxml.html.tostring(main, encoding="unicode", with_tail=False)
    references = _References()
    markdown = references.renumbered((convert(html, options).content or "").strip(), urls, marks)
    blocks = [references.table(element, raw) for element, raw in tables]
    placed = {int(mark) for mark in marks.tables.findall(markdown)}
    markdown = marks.tables.sub(lambda match: blocks[int(match[1])], markdown)
    first = next(root.iter("h1"), None)
    if first is not None and not _is_inside(first, main) and visible_text(first):
        markdown = f"# {visible_text(first)}\n\n{markdown}"
    rest = [block for index, block in enumerate(blocks) if index not in placed]
    return "\n\n".join([markdown, *rest]).strip(), references.urls


def _is_inside(element: etree._Element, top: etree._Element) -> bool:
    return element is top or any(parent is top for parent in element.iterancestors())

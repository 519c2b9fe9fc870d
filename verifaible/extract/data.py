"""Data files: JSON to be read, CSV, feeds and other XML as Documents."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from lxml import etree

from verifaible.errors import WrongContent
from verifaible.extract.document import Block, BlockKind, Cell, Document, Governor, Link, Step, Table
from verifaible.extract.html import html_document
from verifaible.text.segmentation import sentences

_JSONP: Final = re.compile(r"\s*(?:/\*\*/)?\s*[\w$.]+\s*\((.*)\)\s*+;?\s*+\Z", re.DOTALL)
_JSON_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_XML_DECLARATION: Final = re.compile(r"\A\s*<\?xml\s.*?\?>", re.DOTALL)
_XML_COMMENT: Final = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
#: Lines that decide what separates fields, and the share of rows that must be as wide as most.
_SNIFFED_LINES, _EVEN_SHARE = 30, 0.8


# --- JSON


def _json_in(text: str) -> str:
    inner = text.strip().removeprefix("\ufeff")
    call = _JSONP.fullmatch(inner)
    for candidate in (inner, call[1] if call else ""):
        try:
            json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        return candidate
    raise WrongContent("This is not JSON that can be read. Fetch it as text, or look for another source.")


def indented_json(text: str) -> str:
    """JSON, or the JSON inside a JSONP call, indented token by token; its numbers as they were sent.

    Raises:
        WrongContent: it is neither.
    """
    out: list[str] = []
    depth, pieces = 0, _JSON_TOKEN.findall(_json_in(text))
    for at, piece in enumerate(pieces):
        if piece in "{[":
            depth += 1
            out.append(piece if pieces[at + 1] in "}]" else f"{piece}\n{' ' * depth}")
        elif piece in "}]":
            depth -= 1
            out.append(piece if pieces[at - 1] in "{[" else f"\n{' ' * depth}{piece}")
        elif piece in ",:":
            out.append(f",\n{' ' * depth}" if piece == "," else ": ")
        elif "\\u" in piece and not _SURROGATE.search(json.loads(piece)):
            out.append(json.dumps(json.loads(piece), ensure_ascii=False))
        else:
            out.append(piece)
    return "".join(out)


# --- CSV


def csv_document(text: str, url: str = "") -> Document:
    """A CSV file as a table whose first row is its head: RFC 4180 leaves that open, nearly every file has it.

    Raises:
        WrongContent: its rows are not even enough to be a table.
    """
    lines = [line for line in text.splitlines()[:_SNIFFED_LINES] if line.strip()]
    delimiter = _delimiter(lines)
    try:
        rows = [
            row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter or ",") if any(row)
        ]
    except csv.Error:
        rows = []
    widths = Counter(map(len, rows))
    width, count = widths.most_common(1)[0] if widths else (0, 0)
    if not delimiter or width < 2 or count < _EVEN_SHARE * len(rows):
        raise WrongContent("This is not an even CSV file. Fetch it as text, or look for another source.")
    blocks: list[Block] = []
    cells: list[Cell] = []
    slots = [[-1] * max(map(len, rows)) for _ in rows]
    for row, values in enumerate(rows):
        for column, value in enumerate(values):
            said = " ".join(value.split())
            slots[row][column] = len(cells)
            cells.append(Cell(said, row, column, header=row == 0, blocks=(len(blocks),) if said else ()))
            if said:
                step, where = Step(0, row, column), (0, len(cells) - 1)
                block = replace(_said(said, "cell"), rows=(step,), cell=where, pointer=f"/{row}/{column}")
                blocks.append(block)
    grid = tuple(map(tuple, slots))
    table = Table(tuple(cells), grid, len(grid[0]), len(rows), head_rows=1)
    return Document(tuple(blocks), medium="data", url=url, tables=(table,))


def _delimiter(lines: Sequence[str]) -> str:
    best, most = "", 0
    for mark in (",", ";", "\t", "|"):
        counts = [line.count(mark) for line in lines]
        common = Counter(counts).most_common(1)[0][0] if counts else 0
        even = sum(count >= common for count in counts) if common else 0
        if common and even >= _EVEN_SHARE * len(lines) and common * even > most:
            best, most = mark, common * even
    return best


# --- feeds and other XML


def feed_document(text: str, url: str = "") -> Document:
    """RSS and Atom as their entries: title, date and text each; other XML as its mark-up without comments.

    ``text`` is decoded: what its XML declaration says of an encoding no longer matters.
    """
    parser = etree.XMLParser(
        encoding="utf-8", resolve_entities=False, no_network=True, recover=True, load_dtd=False
    )
    try:
        root = etree.fromstring(_XML_DECLARATION.sub("", text).strip().encode("utf-8", "replace"), parser)
    except (etree.XMLSyntaxError, ValueError):
        root = None
    if root is None or _local(root) not in {"rss", "rdf", "feed"}:
        parts = re.split(r"\n[^\S\n]*\n", _XML_COMMENT.sub("", text))
        plain = tuple(_said(part.strip(), "paragraph") for part in parts if part.strip())
        return Document(plain, medium="data", url=url)
    head = next((node for node in root if _local(node) == "channel"), root)
    blocks: list[Block] = []
    for entry in (node for node in root.iter() if _local(node) in {"item", "entry"}):
        title = " ".join(_child(entry, "title")) or "(without a title)"
        governor = Governor("heading", len(blocks))
        blocks.append(replace(_said(title, "heading"), level=2, links=_link(entry, len(title))))
        dates = _child(entry, "pubdate", "published", "updated", "date")
        for said in (*dates, *_child(entry, "description", "summary", "encoded", "content")):
            blocks.append(replace(_said(said, "paragraph"), governors=(governor,)))
    return Document(tuple(blocks), medium="data", url=url, title=" ".join(_child(head, "title")))


def _local(node: etree._Element) -> str:
    return etree.QName(node).localname.lower() if isinstance(node.tag, str) else ""


def _link(entry: etree._Element, length: int) -> tuple[Link, ...]:
    """Where an entry leads to, as a link of its title."""
    links = (each.get("href") or each.text or "" for each in entry if _local(each) == "link")
    address = next((each.strip() for each in links if each.strip()), "")
    return (Link(0, length, address),) if address else ()


def _child(node: etree._Element, *names: str) -> list[str]:
    """The paragraphs of the first child that has words, by the order of the names."""
    for name in names:
        for child in node:
            said = _plain("".join(str(part) for part in child.itertext())) if _local(child) == name else []
            if said:
                return said
    return []


def _plain(text: str) -> list[str]:
    """The paragraphs that a reader sees of a text that may be HTML."""
    if "<" not in text and "&" not in text:
        return [" ".join(text.split())] if text.strip() else []
    return [block.text for block in html_document(text).blocks]


def _said(text: str, kind: BlockKind) -> Block:
    return Block(text, kind, tuple(sentences(text)))

"""Data files and given text as Documents: JSON, CSV, feeds and other XML, plain text and Markdown."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from lxml import etree
from lxml import html as lxml_html

from verifaible.errors import WrongContent
from verifaible.extract.document import Block, BlockKind, Cell, Document, Governor, Link, Mark, Step, Table
from verifaible.text.segmentation import sentences

_JSONP: Final = re.compile(r"\s*(?:/\*\*/)?\s*[\w$.]+\s*\((.*)\)\s*+;?\s*+\Z", re.DOTALL)
_JSON_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_XML_DECLARATION: Final = re.compile(r"\A\s*<\?xml\s.*?\?>", re.DOTALL)
_XML_COMMENT: Final = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_ITEM: Final = re.compile(r"\s*(?:[-*+•]|\(?\d{1,3}[.)])\s+")
_HEADING: Final = re.compile(r"#{1,6}\s+(.*?)\s*#*\s*\Z")
_RULE_ROW: Final = re.compile(r"\|?(?:\s*:?-{3,}:?\s*\|)+(?:\s*:?-{3,}:?\s*)?\Z")
#: Lines that decide what separates fields, and the share of rows that must be as wide as most.
_SNIFFED_LINES, _EVEN_SHARE = 30, 0.8


# --- JSON


def json_document(text: str, url: str = "") -> Document:
    """JSON, or the JSON inside a JSONP call: each value a block with its key, governed by the keys above it.

    Numbers keep the digits they were sent with (5.40 stays 5.40).

    Raises:
        WrongContent: it is neither.
    """
    return Document(tuple(_values(_JSON_TOKEN.findall(_json_in(text)))), medium="data", url=url)


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


def _values(pieces: Sequence[str]) -> Iterator[Block]:
    # A level of nesting: its pointer, the member it is at (a key or a number), the keys that govern it.
    levels: list[tuple[str, str | int, tuple[Governor, ...]]] = []
    pointer, member, governors = "", "", ()  # type: tuple[str, str | int, tuple[Governor, ...]]
    label, made = "", 0
    for at, piece in enumerate(pieces):
        if pieces[at + 1 : at + 2] == [":"]:
            label, member = f"{_shown(piece)}: ", json.loads(piece)
        elif piece in "{[":
            here = f"{pointer}/{_escaped(member)}" if levels else ""
            levels.append((pointer, member, governors))
            if label:
                yield Block(label[:-2], "term", ((0, len(label) - 2),), governors=governors, pointer=here)
                governors, made = (*governors, Governor("term", made)), made + 1
            pointer, member, label = here, 0 if piece == "[" else "", ""
        elif piece in "}]":
            pointer, member, governors = levels.pop()
        elif piece == ",":
            member = member + 1 if isinstance(member, int) else ""
        elif piece != ":":
            here = f"{pointer}/{_escaped(member)}" if levels else ""
            yield Block(
                label + _shown(piece), "value", _spans(label, piece), governors=governors, pointer=here
            )
            label, made = "", made + 1


def _escaped(member: str | int) -> str:
    return str(member).replace("~", "~0").replace("/", "~1")


def _shown(piece: str) -> str:
    """A token with its characters unescaped, in quotation marks; as sent if it has half a surrogate pair."""
    if "\\" not in piece:
        return piece
    plain = json.loads(piece)
    return piece if _SURROGATE.search(plain) else f'"{plain}"'


def _spans(label: str, piece: str) -> tuple[tuple[int, int], ...]:
    """The sentences of a value: those of a string; its key is part of the first."""
    shown = _shown(piece)
    parts = [(low + 1, high + 1) for low, high in sentences(shown[1:-1])] if shown[:1] == '"' else []
    edges = [0, *(len(label) + low for low, _ in parts[1:])]
    ends = [*(len(label) + high for _, high in parts[:-1]), len(label) + len(shown)]
    return tuple(zip(edges, ends, strict=True))


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
    blocks, table = _table(rows, 0)
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


def _table(rows: Sequence[Sequence[str]], number: int, before: int = 0) -> tuple[list[Block], Table]:
    """The blocks of a table's cells, of which ``before`` blocks are already there, and the table."""
    blocks: list[Block] = []
    cells: list[Cell] = []
    width = max(map(len, rows))
    slots = [[-1] * width for _ in rows]
    for row, values in enumerate(rows):
        for column, value in enumerate(values):
            said = " ".join(value.split())
            own = (before + len(blocks),) if said else ()
            slots[row][column] = len(cells)
            if said:
                spans = tuple(sentences(said))
                step = Step(number, row, column)
                pointer = f"/{row}/{column}"
                where = (number, len(cells))
                blocks.append(Block(said, "cell", spans, rows=(step,), cell=where, pointer=pointer))
            cells.append(Cell(said, row, column, header=row == 0, blocks=own))
    grid = tuple(map(tuple, slots))
    return blocks, Table(tuple(cells), grid, width, len(rows), head_rows=1)


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
        return replace(text_document(_XML_COMMENT.sub("", text).strip(), url), medium="data")
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
    root = lxml_html.fragment_fromstring(text, create_parent="div")
    etree.strip_elements(root, "script", "style", "template", etree.Comment, with_tail=False)
    for node in root.iter("p", "div", "li", "br", "h1", "h2", "h3", "h4", "tr", "blockquote"):
        node.tail = f"\n{node.tail or ''}"
        node.text = node.text if node is root else f"\n{node.text or ''}"
    lines = str(root.text_content()).split("\n")
    return [" ".join(line.split()) for line in lines if line.strip()]


def _said(text: str, kind: BlockKind) -> Block:
    return Block(text, kind, tuple(sentences(text)))


# --- plain text and Markdown


def text_document(text: str, url: str = "") -> Document:
    """Given text, its characters as they stand: paragraphs between empty lines, headings, items, pipe tables.

    Of Markdown only the marks that part blocks (``#``, pipes) are left out: an asterisk may be meant.
    """
    blocks: list[Block] = []
    tables: list[Table] = []
    heading = lead_in = None
    for kind, said in _pieces(text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")):
        governors: list[Governor] = []
        if heading is not None and kind != "heading":
            governors.append(Governor("heading", heading))
        if kind == "cell":
            cells, table = _table([_pipes(line) for line in said.split("\n")], len(tables), len(blocks))
            blocks += [replace(each, governors=tuple(governors), pointer="") for each in cells]
            tables.append(replace(table, heading=heading, lead_in=lead_in))
            continue
        marks: tuple[Mark, ...] = ()
        if kind == "item":
            marker = _ITEM.match(said)
            marks = (Mark(0, len(marker[0].rstrip()) if marker else 0, "list_marker"),)
            governors += [] if lead_in is None else [Governor("lead_in", lead_in)]
        else:
            lead_in = len(blocks) if said.rstrip().endswith((":", "：")) else None
        heading = len(blocks) if kind == "heading" else heading
        blocks.append(replace(_said(said, kind), marks=marks, governors=tuple(governors)))
    return Document(tuple(blocks), medium="text", url=url, tables=tuple(tables))


def _pieces(text: str) -> Iterator[tuple[BlockKind, str]]:
    """Stretches of lines that belong together, and what they are."""
    for part in re.split(r"\n[^\S\n]*\n", text):
        run: list[str] = []
        kind: BlockKind = "paragraph"
        for line in [each for each in part.split("\n") if each.strip()]:
            begins: BlockKind | None = None
            heading = _HEADING.match(line)
            if heading:
                begins = "heading"
            elif _ITEM.match(line):
                begins = "item"
            elif line.lstrip().startswith("|") and kind != "cell":
                begins = "cell"
            if run and (begins or kind == "heading"):
                yield kind, "\n".join(run)
                run = []
            kind = begins or (kind if run else "paragraph")
            if not (kind == "cell" and _RULE_ROW.match(line.strip())):
                run.append(heading[1] if heading else line.strip())
        if run:
            yield kind, "\n".join(run)


def _pipes(line: str) -> list[str]:
    cells = re.split(r"(?<!\\)\|", line.strip().strip("|"))
    return [cell.replace("\\|", "|").strip() for cell in cells]

"""Data files as text: JSON indented, CSV as a table, feeds and other XML."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterator

from lxml import etree

from verifaible.old.extract.html import parse_html
from verifaible.old.extract.strip import strip_hidden
from verifaible.old.extract.visible import visible_text

_JSONP = re.compile(r"\s*(?:/\*\*/)?\s*[\w$.]+\s*\((.*)\)\s*+;?\s*+\Z", re.DOTALL)
_JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_SURROGATE = re.compile("[\ud800-\udfff]")
_XML_DECLARATION = re.compile(r"\A\s*<\?xml\s.*?\?>", re.DOTALL)
_XML_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
#: Lines that decide what separates the fields of a CSV file.
_SNIFFED_LINES = 30
#: This share of the rows must be as wide as most are, or the file is shown as it is.
_EVEN_SHARE = 0.8


def pretty_json(text: str) -> str | None:
    """JSON, or the JSON inside a JSONP call, indented; None where it is neither.

    Indented token by token: a number keeps the digits it was sent with (5.40 stays 5.40).
    """
    inner = text.strip().removeprefix("\ufeff")
    call = _JSONP.fullmatch(inner)
    for candidate in (inner, call[1] if call else ""):
        try:
            json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        return _indented(candidate)
    return None


def _indented(text: str) -> str:
    out: list[str] = []
    depth = 0
    pieces = _JSON_TOKEN.findall(text)
    for index, piece in enumerate(pieces):
        following = pieces[index + 1] if index + 1 < len(pieces) else ""
        if piece in "{[":
            depth += 1
            out.append(piece if following in "}]" else f"{piece}\n{' ' * depth}")
        elif piece in "}]":
            depth -= 1
            empty = index > 0 and pieces[index - 1] in "{["
            out.append(piece if empty else f"\n{' ' * depth}{piece}")
        elif piece == ",":
            out.append(f",\n{' ' * depth}")
        elif piece == ":":
            out.append(": ")
        elif piece.startswith('"') and "\\u" in piece:
            out.append(_unescaped(piece))
        else:
            out.append(piece)
    return "".join(out)


def _unescaped(piece: str) -> str:
    """A JSON string with its characters; as it was sent where one of them is half a surrogate pair."""
    plain = json.dumps(json.loads(piece), ensure_ascii=False)
    return piece if _SURROGATE.search(plain) else plain


def csv_table(text: str) -> str | None:
    """A CSV file as a pipe table with every row; None where it is not even enough to be one.

    The first row is the header, as RFC 4180 leaves open and nearly every file has it.
    """
    lines = [line for line in text.splitlines()[:_SNIFFED_LINES] if line.strip()]
    delimiter = _delimiter(lines)
    if not delimiter:
        return None
    try:
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if any(row)]
    except csv.Error:
        return None
    widths = Counter(len(row) for row in rows)
    width, count = widths.most_common(1)[0]
    if width < 2 or count < _EVEN_SHARE * len(rows):
        return None
    full = max(widths)
    out = [_pipe_row(row, full) for row in rows]
    out.insert(1, "|" + " --- |" * full)
    return "\n".join(out)


def _delimiter(lines: list[str]) -> str:
    best, most = "", 0
    for mark in (",", ";", "\t", "|"):
        counts = [line.count(mark) for line in lines]
        common = Counter(counts).most_common(1)[0][0] if counts else 0
        even = sum(1 for count in counts if count >= common) if common else 0
        if common and even >= _EVEN_SHARE * len(lines) and common * even > most:
            best, most = mark, common * even
    return best


def _pipe_row(row: list[str], width: int) -> str:
    cells = [" ".join(cell.split()).replace("|", "\\|") for cell in row]
    return "| " + " | ".join(cells + [""] * (width - len(cells))) + " |"


def xml_text(text: str) -> tuple[str, str, str]:
    """An XML document as text: the entries of a feed, else the markup without comments.

    ``text`` is decoded: what its XML declaration says of an encoding no longer matters.

    Returns:
        What it is (``RSS feed``, ``Atom feed``, ``XML``), its title, and its text.
    """
    parser = etree.XMLParser(
        encoding="utf-8", resolve_entities=False, no_network=True, recover=True, load_dtd=False
    )
    try:
        root = etree.fromstring(_XML_DECLARATION.sub("", text).strip().encode("utf-8", "replace"), parser)
    except (etree.XMLSyntaxError, ValueError):
        root = None
    if root is None:
        return "XML", "", _XML_COMMENT.sub("", text).strip()
    name = etree.QName(root).localname.lower()
    if name in {"rss", "rdf", "feed"}:
        items = [node for node in root.iter() if _local(node) in {"item", "entry"}]
        kind = "Atom feed" if name == "feed" else "RSS feed"
        head = next((node for node in root if _local(node) == "channel"), root)
        return kind, _child(head, "title"), "\n\n".join("\n".join(_entry(item)) for item in items)
    return "XML", "", _XML_COMMENT.sub("", text).strip()


def _local(node: etree._Element) -> str:
    return etree.QName(node).localname.lower() if isinstance(node.tag, str) else ""


def _child(node: etree._Element, *names: str) -> str:
    for name in names:
        for child in node:
            if _local(child) == name:
                return _plain("".join(str(part) for part in child.itertext()))
    return ""


def _plain(text: str) -> str:
    """What a reader sees of a text that may be HTML."""
    if "<" not in text and "&" not in text:
        return " ".join(text.split())
    root = parse_html(text)
    strip_hidden(root)
    return visible_text(root)


def _entry(item: etree._Element) -> Iterator[str]:
    yield f"## {_child(item, 'title') or 'without a title'}"
    if date := _child(item, "pubdate", "published", "updated", "date"):
        yield date
    links = [child.get("href") or (child.text or "") for child in item if _local(child) == "link"]
    if link := next((each.strip() for each in links if each.strip()), ""):
        yield f"<{link}>"
    if summary := _child(item, "description", "summary", "encoded", "content"):
        yield f"\n{summary}"

"""Inline XBRL in a filing: what is tagged, with the company, the period and the unit that the tag names.

The HTML parser of browsers reads it (names are in small letters there), since that is what a reader sees.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from lxml import etree

#: In HTML a tag that closes itself stays open: the empty elements of XML are closed before it is parsed.
_EMPTY: Final = re.compile(r"<((?:ix|xbrli|xbrldi|link)\w*:\w+)((?:\s[^<>]*?)?)/>", re.IGNORECASE)
_NUMERIC, _TEXT, _MORE = "ix:nonfraction", "ix:nonnumeric", "ix:continuation"
#: Formats of the Transformation Registry that stand for zero whatever is shown.
_ZERO: Final = re.compile(r"(?:fixed-?zero|zero-?dash|numdash)$", re.IGNORECASE)
#: The signs that a format of numbers names, such as ``numspacecomma`` or ``num-dot-decimal-apos``: the last
#: one parts the decimals, and everything but it and digits is grouping.
_SIGNS: Final = re.compile(r"dot|comma|unit", re.IGNORECASE)
_SMALL: Final = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
    *("twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
#: Code points of a fact's words that are kept.
_WORDS_KEPT: Final = 400
_NUMBERS: Final = {word: number for number, word in enumerate(_SMALL)} | {"no": 0, "none": 0}


@dataclass(frozen=True, slots=True)
class Period:
    """What a fact is of: a day (``start`` is None), or the days from ``start`` to ``end``."""

    start: date | None
    end: date

    @property
    def days(self) -> int:
        """How many days it covers; 0 for a moment."""
        return (self.end - self.start).days + 1 if self.start else 0

    def __str__(self) -> str:
        return f"{self.start.isoformat()}/{self.end.isoformat()}" if self.start else self.end.isoformat()


@dataclass(frozen=True, slots=True)
class Context:
    """Who and when: the filer's identifier, the period, and members by the axis that they are on."""

    entity: str = ""
    period: Period | None = None
    members: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Fact:
    """A tagged fact and where it is shown.

    Attributes:
        concept: its qualified name, ``us-gaap:Revenues``.
        numeric: whether it is a number.
        value: that number, scaled and signed; None where there is none, or where it is nil.
        unit: of the number: ``USD``, ``USD/shares``, ``shares``, ``pure``; else empty.
        entity: of whom it is: a CIK, or an LEI.
        period: when.
        members: by axis; empty for the whole company.
        nil: whether it says that there is no value.
        words: what the file has, also of one that is hidden; cut off.
        spans: where it is shown in the text, each first and past last code point; empty: nowhere.
    """

    concept: str
    numeric: bool
    value: Decimal | None
    unit: str
    entity: str
    period: Period | None
    members: tuple[tuple[str, str], ...]
    nil: bool
    words: str
    spans: tuple[tuple[int, int], ...] = ()


def closed(markup: str) -> str:
    """The markup with empty elements of XBRL closed, so that an HTML parser puts nothing into them."""
    return _EMPTY.sub(r"<\1\2></\1>", markup)


def tagged(root: etree._Element) -> Iterator[tuple[Fact, tuple[etree._Element, ...]]]:
    """Every fact of a parsed filing, hidden ones too, in document order, with the elements that show it."""
    contexts = {node.get("id", ""): _context(node) for node in root.iter("xbrli:context", "context")}
    units = {node.get("id", ""): _unit(node) for node in root.iter("xbrli:unit", "unit")}
    continued = {node.get("id", ""): node for node in root.iter(_MORE)}
    for node in root.iter(_NUMERIC, _TEXT):
        numeric = node.tag == _NUMERIC
        nil = (node.get("xsi:nil") or "").lower() in ("true", "1")
        context = contexts.get(node.get("contextref", ""), Context())
        elements = (node, *_pieces(node, continued))
        fact = Fact(
            concept=node.get("name", ""),
            numeric=numeric,
            value=_value(node) if numeric and not nil else None,
            unit=units.get(node.get("unitref", ""), "") if numeric else "",
            entity=context.entity,
            period=context.period,
            members=context.members,
            nil=nil,
            words=" ".join("\n".join(map(words_in, elements))[:_WORDS_KEPT].split()),
        )
        yield fact, elements


def _pieces(node: etree._Element, continued: dict[str, etree._Element]) -> Iterator[etree._Element]:
    seen: set[str] = set()
    name = node.get("continuedat", "")
    while name in continued and name not in seen:
        seen.add(name)
        yield continued[name]
        name = continued[name].get("continuedat", "")


def words_in(node: etree._Element) -> str:
    """The words of an element, as the file has them, without what it excludes.

    Source: Inline XBRL 1.1, section 6.
    """
    texts: Any = node.xpath(".//text()[not(ancestor::*[name() = 'ix:exclude'])]")
    return "".join(texts).strip()


def _context(node: etree._Element) -> Context:
    found = {str(each.tag).rpartition(":")[2]: each for each in node.iter() if isinstance(each.tag, str)}
    end = found.get("instant", found.get("enddate"))
    start = found.get("startdate")
    period = None
    if end is not None:
        try:
            first = date.fromisoformat(words_in(start)[:10]) if start is not None else None
            period = Period(first, _end(words_in(end)))
        except ValueError:
            period = None
    members = tuple(
        (each.get("dimension", ""), words_in(each))
        for each in node.iter("xbrldi:explicitmember", "xbrldi:typedmember")
    )
    entity = words_in(found["identifier"]) if "identifier" in found else ""
    return Context(entity, period, members)


def _end(written: str) -> date:
    """The last day of a period: midnight ends the day before (XBRL 2.1, section 4.7.2)."""
    midnight = re.match(r"T00:00(:00(\.0*)?)?", written[10:])
    return date.fromisoformat(written[:10]) - timedelta(days=1 if midnight else 0)


def _unit(node: etree._Element) -> str:
    measures = [words_in(each).rpartition(":")[2] for each in node.iter("xbrli:measure", "measure")]
    divided = next(node.iter("xbrli:divide", "divide"), None) is not None
    return "/".join(measures) if divided else "*".join(measures)


def _value(node: etree._Element) -> Decimal | None:
    form = node.get("format", "")
    shown = words_in(node)
    if _ZERO.search(form):
        return Decimal(0)
    if shown.lower() in _NUMBERS:
        number = Decimal(_NUMBERS[shown.lower()])
    elif "(" in shown and node.get("sign") != "-":
        return None  # of brackets around a number nobody knows whether they make it negative
    else:
        sign = (_SIGNS.findall(form.rpartition(":")[2].lower()) or ["dot"])[-1]
        if sign == "unit":  # 12 rupees 50 paise
            whole, *parts = re.findall(r"\d[\d, ]*", shown) or [""]
            digits = f"{re.sub(r'[^0-9]', '', whole)}.{''.join(parts).strip().zfill(2)}"
        else:
            digits = re.sub(r"[\s'`´’′$€£¥()]|\." if sign == "comma" else r"[\s'`´’′$€£¥(),]", "", shown)
        try:
            number = Decimal(digits.replace(",", "."))
        except InvalidOperation:
            return None
    try:
        scale = int(node.get("scale") or 0)
    except ValueError:
        return None
    return number.scaleb(scale) * (-1 if node.get("sign") == "-" else 1)

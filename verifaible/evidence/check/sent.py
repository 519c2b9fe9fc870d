"""Whether cited words were sent by the site, where a citation ran scripts of its own in the page.

``exec_js`` can write anything into a page, in any disguise. So the words of such evidence, and the
table headers that lead to it, must stand in what the capture holds of the site's answers: a text
as it is; a cell or a header also piece by piece, with every number in some form, since pages make them of
data.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import TYPE_CHECKING, Final

from verifaible.archive.recording import site_of
from verifaible.extract.charset import decode_html
from verifaible.old.anchoring.fold import fold
from verifaible.schema.action import ExecJs
from verifaible.schema.citation import Citation
from verifaible.schema.web import WebExchange, header

if TYPE_CHECKING:
    from verifaible.archive.reader import WaczReader

#: Answers that hold no words.
_WORDLESS: Final = ("image/", "font/", "audio/", "video/", "text/css", "application/pdf", "application/font")
#: Factors by which pages divide what they are sent: per cent, thousands, 万, millions, 亿.
_SCALES: Final = tuple(Decimal(10) ** power for power in (0, 2, 3, 4, 6, 8))
#: A number with fewer digits is found by chance; it must stand in the very words that are cited.
_MIN_DIGITS: Final = 3
_NUMBER = re.compile(r"[-−]?\d[\d,，]*(?:\.\d+)?")
_WORDS = re.compile(r"[^\W\d_]{2,}")
_TAG = re.compile(r"<[^<>]{0,2000}>")
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")


@dataclass(frozen=True)
class Sent:
    """The texts of answers."""

    texts: tuple[str, ...] = field(repr=False)

    @classmethod
    def of(cls, exchanges: Iterable[WebExchange]) -> Sent:
        """Those of some exchanges."""
        return cls(tuple(_texts(exchanges)))

    @cached_property
    def folded(self) -> tuple[str, ...]:
        """The same, folded."""
        return tuple(fold(text).text for text in self.texts)

    @cached_property
    def numbers(self) -> frozenset[Decimal]:
        """Every number in them, without its sign."""
        found = (_value(match[0]) for text in self.texts for match in _NUMBER.finditer(text))
        return frozenset(abs(number) for number in found if number is not None)

    def holds_whole(self, piece: str) -> bool:
        """Whether the words were sent as they are, in one piece."""
        folded = fold(piece).text
        return any(folded in each for each in self.folded)

    def holds(self, piece: str) -> bool:
        """Whether a cell or a header was sent, or what a page may have made it of."""
        numbers = [match[0] for match in _NUMBER.finditer(piece)]
        if len(numbers) == 1 and not _WORDS.search(piece):
            return self._has_number(numbers[0], 1)
        if self.holds_whole(piece):
            return True
        words = [fold(match[0]).text for match in _WORDS.finditer(piece)]
        known = all(any(word in each for each in self.folded) for word in words)
        return known and all(self._has_number(number, _MIN_DIGITS) for number in numbers)

    def _has_number(self, written: str, digits: int) -> bool:
        value = _value(written)
        if value is None or len(value.as_tuple().digits) < digits:
            return False
        if abs(value) in self.numbers:
            return True
        if len(value.as_tuple().digits) < _MIN_DIGITS:
            return False
        return any(_shows(abs(value), number) for number in self.numbers)


def unsent(citation: Citation, reader: WaczReader) -> str:
    """The first piece of a citation's evidence that its site has not sent; empty if all of it was.

    Only for citations that ran scripts, of text and tables: other steps cannot write, and documents and
    captions are kept as they were sent. Answers of other sites do not count, since a script can ask a
    site of its own. What is left to a forger is a text that the site sends as it is cited.

    Args:
        citation: the citation.
        reader: its capture.
    """
    scripted = any(isinstance(step, ExecJs) for step in citation.steps)
    if not scripted or citation.evidence_type not in ("text", "table"):
        return ""
    site = site_of(citation.final_url)
    sent = Sent.of(each for each in reader.exchanges() if site_of(each.request.url) == site)
    holds = sent.holds_whole if citation.anchor.table is None else sent.holds
    return next((piece for piece in _pieces(citation) if not holds(piece)), "")


def _pieces(citation: Citation) -> Iterator[str]:
    for line in re.split(r"[\n\t]", citation.anchor.text):
        if line.strip():
            yield line.strip()
    if table := citation.anchor.table:
        yield from (text for text in (*table.row_path, *table.column_path) if text.strip())


def _texts(exchanges: Iterable[WebExchange]) -> Iterator[str]:
    for exchange in exchanges:
        response = exchange.response
        if response.body and not response.content_type.startswith(_WORDLESS):
            text = decode_html(response.body, header(response.headers, "content-type")).text
            plain = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text).replace("\\/", "/")
            yield html.unescape(_TAG.sub("", plain))


def _value(written: str) -> Decimal | None:
    try:
        return Decimal(re.sub("[,，]", "", written).replace("−", "-"))
    except InvalidOperation:
        return None


def _shows(shown: Decimal, sent: Decimal) -> bool:
    """Whether a page may show a number that it was sent as this one: rounded, and perhaps scaled."""
    exponent = shown.as_tuple().exponent
    assert isinstance(exponent, int)
    half = Decimal(1).scaleb(exponent) / 2
    return any(abs(sent / scale - shown) <= half for scale in _SCALES)

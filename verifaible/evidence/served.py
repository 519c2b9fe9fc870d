"""Where cited words came from, and whether anything but a citation's own steps can have written them.

``exec_js`` can write anything into a page, in any disguise. So the words of such evidence, and the
table headers that lead to it, must stand in what the capture holds of the site's answers: a text
as it is; a cell or a header also piece by piece, with every number in some form, since pages make them of
data. What was typed, or put into an address, is no evidence where only answers to it repeat it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import Final, Literal
from urllib.parse import parse_qsl, unquote_plus, urlsplit

from verifaible.archive.streams import STREAM_TYPE, stream_of
from verifaible.archive.urls import site_of
from verifaible.extract.charset import decode_html
from verifaible.schema.action import ExecJs, Type
from verifaible.schema.citation import CitationDraft, ValueSource
from verifaible.schema.web import WebExchange, header
from verifaible.text.flat import folded

#: Answers that hold no words.
_WORDLESS: Final = ("image/", "font/", "audio/", "video/", "text/css", "application/pdf", "application/font")
#: Factors by which pages divide what they are sent: per cent, thousands, 万, millions, 亿.
_SCALES: Final = tuple(Decimal(10) ** power for power in (0, 2, 3, 4, 6, 8))
#: A number with fewer digits is found by chance; it must stand in the very words that are cited.
_MIN_DIGITS: Final = 3
#: Shorter words, folded, are in many a request by right: a country, a year.
_MIN_ECHO: Final = 8
#: A hyphen behind a word or a figure is no sign.
_NUMBER = re.compile(r"(?:(?<![\w.])[-−])?\d[\d,，]*(?:\.\d+)?")
_WORDS = re.compile(r"[^\W\d_]{2,}")
#: Scripts that do no more than other steps do, to click or to scroll: they write nothing.
_OPERATING = re.compile(
    r"(?:\s*(?:(?:window\.)?scroll(?:To|By)?\([\d\s,.+\-]*\)"
    r"|document\.(?:querySelector|getElementById)\((?P<quote>['\"])[^'\"\\\n]*(?P=quote)\)"
    r"\??\.(?:scrollIntoView|click|focus)\(\s*\))\s*;?)+\s*"
)
_TAG = re.compile(r"<[^<>]{0,2000}>")
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")


@dataclass(frozen=True)
class _Told:
    """What one exchange said to the page: an answer, or the messages of a connection.

    ``asked`` is what the page had said for it, folded: the query and the body, or its own messages.
    """

    url: str
    kind: Literal["response", "frame"]
    text: str = field(repr=False)
    asked: str = field(repr=False)

    @cached_property
    def folded(self) -> str:
        """The text, folded."""
        return folded(self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        """Its words, folded."""
        return frozenset(folded(match[0]) for match in _WORDS.finditer(self.text))

    def knows(self, word: str) -> bool:
        """Whether it has a folded word; one in other than plain letters may be within another."""
        return word in self.words or (not word.isascii() and word in self.folded)


@dataclass(frozen=True)
class Sent:
    """What a site has said to a page."""

    told: Sequence[_Told] = field(repr=False)

    @cached_property
    def numbers(self) -> frozenset[Decimal]:
        """Every number in it."""
        found = (_value(match[0]) for each in self.told for match in _NUMBER.finditer(each.text))
        return frozenset(number for number in found if number is not None)

    def holds_whole(self, piece: str, *, given: bool = False) -> bool:
        """Whether the words were sent as they are, in one piece, by an answer that was not given them.

        ``given``: they are what was typed or put into an address, so that no answer has them by chance.
        """
        words = folded(piece)
        by_chance = not given and len(words) < _MIN_ECHO
        return any(words in each.folded and (by_chance or words not in each.asked) for each in self.told)

    def holds(self, piece: str) -> bool:
        """Whether a cell or a header was sent, or what a page may have made it of."""
        bare = len(_NUMBER.findall(piece)) == 1 and not _WORDS.search(piece)
        return self.makes(piece, 1 if bare else _MIN_DIGITS) or (not bare and self.holds_whole(piece))

    def makes(self, piece: str, digits: int = 1) -> bool:
        """Whether a page may have made words of what was sent, each number of so many digits or more."""
        words = [folded(match[0]) for match in _WORDS.finditer(piece)]
        return all(any(each.knows(word) for each in self.told) for word in words) and all(
            self._has_number(match[0], digits) for match in _NUMBER.finditer(piece)
        )

    def _has_number(self, written: str, digits: int) -> bool:
        value = _value(written)
        if value is None or len(value.as_tuple().digits) < digits:
            return False
        if value in self.numbers:
            return True
        return len(value.as_tuple().digits) >= _MIN_DIGITS and any(
            _shows(value, number) for number in self.numbers
        )


def unsent(citation: CitationDraft, exchanges: Iterable[WebExchange]) -> str:
    """The first piece of a citation's evidence that only its own steps can have written; empty for none.

    Only of text and tables: documents and captions are kept as they were sent. Where a script was run, other
    sites do not count, since a script can ask a site of its own. What is left to a forger is a text that the
    site sends as it is cited, without having been given it, and a cell of words and numbers that it sends.

    Args:
        citation: the citation.
        exchanges: what its page asked, and got.
    """
    if citation.evidence_type not in ("text", "table"):
        return ""
    words, heads = _pieces(citation)
    if any(isinstance(step, ExecJs) and not _OPERATING.fullmatch(step.code) for step in citation.steps):
        site = site_of(citation.final_url)
        sent = Sent(tuple(_told(each for each in exchanges if site_of(each.request.url) == site)))
        holds = sent.holds if citation.anchor.table is not None else sent.holds_whole
        return next((piece for piece in (*words, *heads) if not holds(piece)), "")
    table, given = citation.anchor.table, [each for each in _given(citation) if each]
    if table is not None and table.mode != "crosshair":
        return ""  # a row is named by what was looked for, and says more
    given_words = [piece for piece in words if _was_given(folded(piece), given)]
    if not given_words:
        return ""
    sent = Sent(tuple(_told(exchanges)))
    return next((piece for piece in given_words if not sent.holds_whole(piece, given=True)), "")


def _was_given(piece: str, given: Iterable[str]) -> bool:
    """Whether words are what was typed or put into an address, or a long enough part of it."""
    return any(piece == each or (len(piece) >= _MIN_ECHO and piece in each) for each in given)


def source_of(citation: CitationDraft, exchanges: Iterable[WebExchange]) -> ValueSource:
    """Where the cited words came from: an answer, a message of a stream, or only a script of the page."""
    if citation.evidence_type not in ("text", "table"):
        return ValueSource()
    pieces = _pieces(citation)[0]
    words = [folded(piece) for piece in pieces]
    told: list[_Told] = []
    for each in _told(exchanges):  # the first that holds them is enough
        if each.kind == "response" and all(word in each.folded for word in words):
            return ValueSource(kind="response", url=each.url)
        told.append(each)
    answers, frames = ([each for each in told if each.kind == kind] for kind in ("response", "frame"))
    for frame in frames:
        if all(word in frame.folded for word in words):
            return ValueSource(kind="frame", url=frame.url)
    if all(map(Sent(answers).makes, pieces)):
        return ValueSource(kind="response")
    return ValueSource(kind="frame" if all(map(Sent(told).makes, pieces)) else "script")


def _pieces(citation: CitationDraft) -> tuple[list[str], list[str]]:
    """The cited sentences, line by line, or cells, and the heads that lead to those."""
    table, anchor = citation.anchor.table, citation.anchor
    cited = anchor.text if table is not None else anchor.evidence or anchor.text
    words = [line.strip() for line in re.split(r"[\n\t]", cited) if line.strip()]
    heads = (*table.row_path, *table.column_path) if table is not None else ()
    return words, [text for text in heads if text.strip()]


def _given(citation: CitationDraft) -> Iterator[str]:
    """What was typed, and what stands in the queries and fragments of the addresses; folded."""
    yield from (folded(step.value) for step in citation.steps if isinstance(step, Type))
    for url in (citation.source_url, citation.final_url):
        parts = urlsplit(url)
        for text in (parts.query, parts.fragment.removeprefix(":~:")):
            pairs = parse_qsl(text, keep_blank_values=True)
            yield from (folded(value) for _, value in pairs) if pairs else (folded(unquote_plus(text)),)


def _told(exchanges: Iterable[WebExchange]) -> Iterator[_Told]:
    """What holds words, documents and data before the scripts of a site."""
    scripts: list[WebExchange] = []
    for exchange in exchanges:
        kind = exchange.response.content_type
        if "javascript" in kind:
            scripts.append(exchange)
        elif exchange.response.body and not kind.startswith(_WORDLESS):
            yield _one_told(exchange)
    yield from map(_one_told, scripts)


def _one_told(exchange: WebExchange) -> _Told:
    request, response = exchange.request, exchange.response
    if response.content_type == STREAM_TYPE:
        stream = stream_of(request.method, request.url, response.body, exchange.recorded_at)
        said: dict[str, list[str]] = {"page": [], "server": []}
        for frame in stream.frames:
            data = frame.data
            said[frame.by].append(data if isinstance(data, str) else data.decode("utf-8", "replace"))
        return _Told(request.url, "frame", _plain("\n".join(said["server"])), folded("\n".join(said["page"])))
    parts = urlsplit(request.url)
    asked = unquote_plus(f"{parts.query}\n{request.body.decode('utf-8', 'replace')}")
    text = decode_html(response.body, header(response.headers, "content-type")).text
    everything = f"{_plain(text)}\n{html.unescape(_unescaped(text))}"  # attributes hold words, too
    return _Told(request.url, "response", everything, folded(f"{asked}\n{_unescaped(asked)}"))


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text).replace("\\/", "/")


def _plain(text: str) -> str:
    """A text with a blank for each tag, and its escapes as what they stand for."""
    return html.unescape(_TAG.sub(" ", _unescaped(text)))


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

"""The marks by which an answer names its sources, in all the forms that systems write, and what they lead to.

Forms: ``[@v:1]`` (:mod:`verifaible.answers.markers`), ``[1]``, ``[1][2]``, ``[1, 3]``, ``[1-3]``, ``【1】``,
``【4†source】``, footnotes ``[^1]``, links ``[text](https://...)`` and ``[text][label]``, addresses,
``<Citation id="src_23" />``, ``<CitationGroup citations={["src_24","src_23"]} />`` with any quoting,
``(src_5)``, ``[source 5]``, ``[src_5#/price/usd]`` (with a JSON Pointer), and where the answer lists its
references so ``(Smith, 2023)``, ``Smith (2023)``.

What a mark names is its *target*, written in one way: ``@v:1``, ``1``, ``^note``, ``src_5``, an address. A
target leads to a source (:mod:`~verifaible.judge.inputs.resolving`) by the source's id, its aliases, or its
address; a number or a footnote that the answer itself defines means what the definition says, and nothing
else. A target that leads to no source whose words are known is broken, also one that the answer defines as
an address that nobody has read: it stays among the answer's references
(:func:`~verifaible.judge.inputs.references.listed_in`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from verifaible.answers.markers import body_of
from verifaible.judge.inputs.authored import find_authored
from verifaible.judge.inputs.references import (
    ADDRESS,
    LINK,
    RAISED,
    SOURCE_ID,
    Listed,
    address_of,
    canonical_id,
    listed_in,
    trimmed,
    without_code,
)
from verifaible.judge.inputs.resolving import Resolved, Resolver
from verifaible.schema.analyst import AnalystAnswer, Source
from verifaible.text.markers import find_markers

#: A range such as ``[1-30]`` names at most so many sources; a wider one is no range of sources.
WIDEST_RANGE = 40

_NUMBER_OR_ID: Final = rf"(?:{SOURCE_ID}|\d{{1,3}})"
_PART: Final = (
    rf"{_NUMBER_OR_ID}(?:[ \t]?[-–—~][ \t]?{_NUMBER_OR_ID})?(?:[:†‡#][^\[\]【】,，;；\n]{{0,200}})?"
)
_BRACKETS = re.compile(
    rf"(?<!!)\\?[\[【［][ \t]?(?:(?:sources?|refs?|来源)[:：][ \t]?)?"
    rf"({_PART}(?:[ \t]?(?:[,，、;；&|]|and|和)[ \t]?{_PART}|[ \t]{_PART})*)[ \t]?\\?[\]】］](?!\()",
    re.IGNORECASE,
)
_PAREN_ID: Final = r"(?:src|sources?|refs?|references?|citations?|来源|文献)[ \t]?[_\-#.:：]?[ \t]?\d{1,4}"
_PARENS = re.compile(
    rf"[(（][ \t]?(?:(?:see|sources?|refs?|来源)[:：]?[ \t])?"
    rf"({_PAREN_ID}(?:[ \t]?(?:[,，、;；&|–—-]|and|和)[ \t]?(?:{_PAREN_ID}|\d{{1,4}}))*)[ \t]?[)）]",
    re.IGNORECASE,
)
_BARE_ID = re.compile(r"(?<![\w/.\-])src[_\-]\d{1,4}(?![\w\-])", re.IGNORECASE)
_PIECE = re.compile(
    rf"(?P<first>{_NUMBER_OR_ID})(?:[ \t]?[-–—~][ \t]?(?P<last>{_NUMBER_OR_ID}))?"
    r"(?:[:†‡#][^\[\]【】,，;；\n]*)?",
    re.IGNORECASE,
)
_LESS, _MORE = r"(?:<|&lt;|\\u003c)", r"(?:>|&gt;|\\u003e)"
_TAG = re.compile(
    rf"{_LESS}(citation_?groups?|citations?|cite|ref)\b"
    rf"((?:(?!{_LESS}|{_MORE})[\s\S]){{0,20000}}?)/?[ \t]?{_MORE}",
    re.IGNORECASE,
)
_CLOSING_TAG = re.compile(
    rf"{_LESS}/[ \t]?(?:citation_?groups?|citations?|cite|ref)[ \t]?{_MORE}", re.IGNORECASE
)
_INSIDE_TAG = re.compile(
    rf"({_LESS}(?:citations?|cite|ref){_MORE})([ \t]?{_PART}(?:[ \t]?[,;][ \t]?{_PART})*[ \t]?)"
    rf"({_LESS}/[ \t]?(?:citations?|cite|ref)[ \t]?{_MORE})",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(r"\b[A-Za-z_][\w\-]*[ \t]?=")
_ENTITY = re.compile(r"&(?:quot|apos|#39|#34|#x27|#x22);", re.IGNORECASE)
_TOKEN = re.compile(r"https?://[^\s\"'\\,\]{}]+|@v:\w+|[\w][\w.:/@#\-]*", re.IGNORECASE)
_FOOTNOTE = re.compile(r"\[\^([^\]\s\[]{1,80})\]")
_LABELLED = re.compile(
    r"(?<!!)\[((?:[^\[\]\n]|\n(?![ \t]*\n)){1,300})\][ \t]?\[((?:[^\[\]\n]|\n(?![ \t]*\n)){1,120})\]"
)
_PRIVATE = re.compile("\ue200cite((?:\ue202[\\w]{1,60}){1,40})\ue201")
#: Behind a word of three letters or more (``km²`` is a unit), or the sign that ends something.
_RAISED = re.compile(
    r"<sup>[ \t]*(?:<a\b[^<>]{0,300}>)?[ \t]*[\[(]?(\d{1,3}(?:[ \t]?[-–,;][ \t]?\d{1,3}){0,20})[\])]?[ \t]*"
    r"(?:</a>)?[ \t]*</sup>"
    r"|(?:(?<=[^\W\d_]{3})|(?<=[.,;:!?)\]\"”’»。，；：！？）】]))"
    rf"(?:⁽?({RAISED}(?:[⁻⁼,、·⋅][ ]?{RAISED}){{0,20}})⁾?(?![\w])|\^(\d{{1,3}}(?:,[ ]?\d{{1,3}}){{0,20}})\^)"
    r"|\[\^(\d{1,3})\^\]",
    re.IGNORECASE,
)
_IN_PAGE = re.compile(
    r"(?P<outer>\\?\[(?=\[))?\[\\?\[?(\d{1,3})\\?\]?\]\(#[^()\s]{0,200}\)(?(outer)\\?\]|)"
    r"|<a\b[^<>]{0,300}href=[\"']?#[^<>]{0,200}>[ \t]*[\[(]?(\d{1,3})[\])]?[ \t]*</a>",
    re.IGNORECASE,
)
_BARE_URL = re.compile(rf"<?({ADDRESS})>?", re.IGNORECASE)
_IMAGE = re.compile(r"!\[[^\[\]\n]{0,500}\]\([^()\s]{0,2000}(?:\s[^()\n]{0,300})?\)")
#: A link whose text says no more than that there is a source.
_WORDLESS = re.compile(
    r"oai_citation.*|[\W\d_]*(?:sources?|src|refs?|references?|link|citation|来源|链接|出处)?[\W\d_]*|(?:www\.)?[\w\-]+(?:\.[\w\-]+)+(?:/\S*)?|https?://\S+",
    re.IGNORECASE,
)
_IN_BRACKETS = re.compile(r"\\?[\[(（【][^\n]*[\])）】]")
_ENDED = re.compile(r"(?:[.!?…][\"”’»)]?[ \t]|[。！？][”」』）]?[ \t]?)$")
_LINE_END = re.compile(r"[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark: ``answer[start:end]``, and what it names.

    Attributes:
        start: first code point of the mark.
        end: behind the last one.
        targets: what it names, in order; never empty.
        words: the range of a link's text that belongs to the sentence, ``(start, start)`` where none does.
    """

    start: int
    end: int
    targets: tuple[str, ...]
    words: tuple[int, int]


@dataclass(frozen=True, slots=True)
class CitedMark:
    """A mark with what it leads to."""

    mark: Mark
    resolved: Resolved


def find_marks(answer: str, known: Collection[str] = ()) -> tuple[Mark, ...]:
    """The marks of an answer, in order, none within another. Lists of references and code have none.

    Args:
        answer: the text.
        known: further names of sources, which count in brackets; the forms above are found without.
    """
    return _find(answer, tuple(sorted({*known})))


def marks_of(answer: AnalystAnswer) -> tuple[CitedMark, ...]:
    """The marks of an answer with the sources they lead to, in order."""
    return marks_in(answer.answer, answer.sources)


def marks_in(answer: str, sources: Sequence[Source]) -> tuple[CitedMark, ...]:
    """The marks of a text with what they lead to among ``sources``, in order."""
    names = {name for source in sources for name in (source.id, *source.aliases)}
    resolver = Resolver(sources, listed_in(answer).references)
    return tuple(CitedMark(mark, resolver.resolve(mark.targets)) for mark in find_marks(answer, names))


def blanked(answer: str, *, marks: bool = False) -> str:
    """The answer without what is no sentence of it; no character moves, and line ends are made alike.

    Blank are lists of references and footnotes, definition lines, the thinking of a model, notes of ours.

    Args:
        answer: the text.
        marks: blank the marks, too, but for the words of links.
    """
    body = _blank(body_of(answer), listed_in(answer).ranges)
    if not marks:
        return body
    spans: list[tuple[int, int]] = []
    for mark in find_marks(answer):
        first, last = mark.words
        spans += [(mark.start, first), (last, mark.end)] if last > first else [(mark.start, mark.end)]
    spans += [match.span() for match in _closings_and_images(body)]
    return _blank(body, sorted(spans))


def _closings_and_images(body: str) -> Iterator[re.Match[str]]:
    for pattern in (_CLOSING_TAG, _TAG, _IMAGE):
        yield from pattern.finditer(body)


# --- finding


@lru_cache(maxsize=8)
def _find(answer: str, known: tuple[str, ...]) -> tuple[Mark, ...]:
    listed = listed_in(answer)
    text = without_code(_blank(body_of(answer), listed.ranges))
    text = _blank(text, [match.span() for match in _IMAGE.finditer(text)])
    found: list[Mark] = []
    searches: tuple[Callable[[str], Iterator[Mark]], ...] = (
        _store_marks,
        lambda rest: _raised(rest, listed),
        _tags,
        _private_marks,
        _in_page,
        _links,
        lambda rest: _labelled(rest, listed),
        _footnotes,
        _bracketed,
        lambda rest: _authored(rest, listed),
        lambda rest: _known(rest, known),
        _parenthesised,
        _addresses,
        _bare_ids,
    )
    for search in searches:
        new = [mark for mark in search(text) if mark.targets]
        found += new
        text = _blank(text, sorted((mark.start, mark.end) for mark in new))
    return tuple(sorted(found, key=lambda mark: mark.start))


def _mark(match: re.Match[str], targets: Iterable[str]) -> Mark:
    return Mark(match.start(), match.end(), tuple(dict.fromkeys(targets)), (match.start(), match.start()))


def _store_marks(text: str) -> Iterator[Mark]:
    for marker in find_markers(text):
        targets = tuple(f"@v:{target}" for target in marker.targets)
        yield Mark(marker.start, marker.end, targets, (marker.start, marker.start))


def _tags(text: str) -> Iterator[Mark]:
    for match in _INSIDE_TAG.finditer(text):
        yield _mark(match, _pieces(match[2]))
    for match in _TAG.finditer(text):
        inside = _ATTRIBUTE.sub(" ", _ENTITY.sub(" ", match[2]))
        targets = [_token(each) for each in _TOKEN.findall(inside)]
        yield _mark(match, targets)


def _token(name: str) -> str:
    if name.lower().startswith(("http://", "https://")):
        return address_of(name)
    return str(int(name)) if name.isascii() and name.isdigit() else canonical_id(name.rstrip(".:/"))


def _raised(text: str, listed: Listed) -> Iterator[Mark]:
    """Raised numbers behind a word or a sentence, where the answer lists sources with these numbers."""
    for match in _RAISED.finditer(text):
        written = unicodedata.normalize("NFKC", next(filter(None, match.groups()))).replace("−", "-")
        targets = list(_pieces(written))
        if targets and all(each in listed.references for each in targets):
            yield _mark(match, targets)


def _in_page(text: str) -> Iterator[Mark]:
    """Numbers that lead to a place below, as a link of Markdown or HTML."""
    for match in _IN_PAGE.finditer(text):
        yield _mark(match, (str(int(match[2] or match[3])),))


def _private_marks(text: str) -> Iterator[Mark]:
    for match in _PRIVATE.finditer(text):
        yield _mark(match, (canonical_id(each) for each in match[1].split("\ue202") if each))


def _links(text: str) -> Iterator[Mark]:
    for match in LINK.finditer(text):
        words = match.span(1) if _is_part_of_sentence(match) else (match.start(), match.start())
        yield Mark(match.start(), match.end(), (address_of(match[2]),), words)


def _is_part_of_sentence(link: re.Match[str]) -> bool:
    """Whether a link's words are; not those in brackets of their own, nor those alone after a sentence."""
    text, start, end = link.string, link.start(), link.end()
    before = text[max(0, start - 3) : start]
    if before.endswith(("(", "（")) and text[end : end + 1] in (")", "）", ",", ";"):
        return False
    if _WORDLESS.fullmatch(link[1]) or _IN_BRACKETS.fullmatch(link[1]):
        return False
    return not (_ENDED.search(before) and _LINE_END.match(text, end))


def _labelled(text: str, listed: Listed) -> Iterator[Mark]:
    """``[text][label]`` and ``[label]`` where the answer defines the label, and it is a word."""
    labels = {
        name for name in listed.references if not name.startswith(("^", "@", "http")) and not name.isdigit()
    }
    if not labels:
        return
    taken: list[tuple[int, int]] = []
    for match in _LABELLED.finditer(text):
        if canonical_id(match[2]) in labels:
            taken.append(match.span())
            yield Mark(match.start(), match.end(), (canonical_id(match[2]),), match.span(1))
    for match in re.finditer(r"(?<!!)\[([^\[\]\n^]{1,120})\](?:\[\])?(?!\()", _blank(text, taken)):
        if canonical_id(match[1]) in labels and not re.fullmatch(SOURCE_ID, match[1], re.IGNORECASE):
            yield Mark(match.start(), match.end(), (canonical_id(match[1]),), match.span(1))


def _footnotes(text: str) -> Iterator[Mark]:
    for match in _FOOTNOTE.finditer(text):
        yield _mark(match, (f"^{match[1].casefold()}",))


def _bracketed(text: str) -> Iterator[Mark]:
    for match in _BRACKETS.finditer(text):
        yield _mark(match, _pieces(match[1]))


def _parenthesised(text: str) -> Iterator[Mark]:
    for match in _PARENS.finditer(text):
        yield _mark(match, _pieces(match[1]))


def _authored(text: str, listed: Listed) -> Iterator[Mark]:
    """Authors and years that the answer's list of references has."""
    for start, end, names in find_authored(text, listed.references):
        yield Mark(start, end, names, (start, start))


def _known(text: str, known: tuple[str, ...]) -> Iterator[Mark]:
    names = {canonical_id(name): name for name in known if not name.startswith(("http", "@v:"))}
    if not names:
        return
    for match in re.finditer(r"(?<!!)[\[【(（]([^\[\]【】()（）\n]{1,300})[\]】)）]", text):
        parts = [canonical_id(each) for each in re.split(r"[,，、;；]", match[1])]
        if all(part in names and not part.isdigit() for part in parts):
            yield _mark(match, parts)


def _addresses(text: str) -> Iterator[Mark]:
    for match in _BARE_URL.finditer(text):
        url = trimmed(match[1])
        end = (
            match.end() if match[0].startswith("<") and match[0].endswith(">") else match.start(1) + len(url)
        )
        start = match.start() if match[0].startswith("<") and match[0].endswith(">") else match.start(1)
        if len(url) > len("https://"):
            yield Mark(start, end, (address_of(url),), (start, start))


def _bare_ids(text: str) -> Iterator[Mark]:
    for match in _BARE_ID.finditer(text):
        yield _mark(match, (canonical_id(match[0].replace("-", "_")),))


def _pieces(inside: str) -> Iterator[str]:
    """The targets in a bracket; ranges are written out."""
    word = ""
    for match in _PIECE.finditer(inside):
        first = _named(match["first"])
        before, _, number = first.rpartition("_")
        if number == first and word and "," not in word:
            before, first = word, f"{word}_{number}"  # (src_5, 6)
        word = before or word
        if match["last"] is None:
            yield first
            continue
        until = _named(match["last"]).rpartition("_")[2]
        low, high = int(number), int(until)
        if low <= high < low + WIDEST_RANGE:
            yield from (f"{before}_{each}" if before else str(each) for each in range(low, high + 1))
        else:
            yield from (first, f"{before}_{high}" if before else str(high))


def _named(text: str) -> str:
    return str(int(text)) if text.isascii() and text.isdigit() else canonical_id(text)


def _blank(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with spans blanked; line breaks stay."""
    pieces: list[str] = []
    at = 0
    for start, end in spans:
        if end <= at or end <= start:
            continue
        first = max(start, at)
        pieces += [text[at:first], re.sub(r"[^\n]", " ", text[first:end])]
        at = end
    return "".join((*pieces, text[at:]))

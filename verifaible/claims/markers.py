"""The marks by which an answer names its sources, in all the forms that systems write, and what they lead to.

Links, code and pictures are those of the parser (:mod:`verifaible.text.markdown`). Further forms: ``[@v:1]``,
``[1]``, ``[1][2]``, ``[1, 3]``, ``[1-3]``, ``【1】``, ``【4†source】``, footnotes ``[^1]``, ``[text][label]``,
addresses, ``<Citation id="src_23" />`` with any quoting, ``(src_5)``, ``[source 5]``, ``[src_5#/price/usd]``
(with a JSON Pointer), and where the answer lists its references so raised numbers and ``(Smith, 2023)``.

What a mark names is its *target*, written in one way: ``@v:1``, ``1``, ``^note``, ``src_5``, an address. One
that leads to no source whose words are known is broken, also if the answer defines it as an address that
nobody has read (:mod:`~verifaible.claims.references`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from verifaible.claims.answer_text import blanked_at, blocks, read_text, without_code
from verifaible.claims.references import (
    ADDRESS,
    RAISED,
    SOURCE_ID,
    References,
    Resolved,
    Resolver,
    address_of,
    canonical_id,
    find_authored,
    read_references,
    trimmed,
)
from verifaible.schema.analyst import AnalystAnswer, Source
from verifaible.text import markers as store
from verifaible.text.markdown import Inline, inlines_of

#: A range such as ``[1-30]`` names at most so many sources; a wider one is no range of sources.
WIDEST_RANGE: Final = 40
_NAME: Final = rf"(?:{SOURCE_ID}|\d{{1,3}})"
_PART: Final = rf"{_NAME}(?:[ \t]?[-–—~][ \t]?{_NAME})?(?:[:†‡#][^\[\]【】,，;；\n]{{0,200}})?"
_BRACKETS: Final = re.compile(
    rf"(?<!!)\\?[\[【［][ \t]?(?:(?:sources?|refs?|来源)[:：][ \t]?)?"
    rf"({_PART}(?:[ \t]?(?:[,，、;；&|]|and|和)[ \t]?{_PART}|[ \t]{_PART})*)[ \t]?\\?[\]】］](?!\()",
    re.IGNORECASE,
)
_WORDED: Final = r"(?:src|sources?|refs?|references?|citations?|来源|文献)[ \t]?[_\-#.:：]?[ \t]?\d{1,4}"
_PARENS: Final = re.compile(
    rf"[(（][ \t]?(?:(?:see|sources?|refs?|来源)[:：]?[ \t])?"
    rf"({_WORDED}(?:[ \t]?(?:[,，、;；&|–—-]|and|和)[ \t]?(?:{_WORDED}|\d{{1,4}}))*)[ \t]?[)）]",
    re.IGNORECASE,
)
_BARE_ID: Final = re.compile(r"(?<![\w/.\-])src[_\-]\d{1,4}(?![\w\-])", re.IGNORECASE)
_PIECE: Final = re.compile(
    rf"(?P<first>{_NAME})(?:[ \t]?[-–—~][ \t]?(?P<last>{_NAME}))?(?:[:†‡#][^\[\]【】,，;；\n]*)?",
    re.IGNORECASE,
)
#: A tag that cites: its brackets may be written as entities, its attributes with any quoting.
_LESS, _MORE = r"(?:<|&lt;|\\u003c)", r"(?:>|&gt;|\\u003e)"
_CITE: Final = r"(?:citation_?groups?|citations?|cite|ref)"
_TAG: Final = re.compile(
    rf"{_LESS}{_CITE}{_MORE}(?P<said>[ \t]?{_PART}(?:[ \t]?[,;][ \t]?{_PART})*[ \t]?){_LESS}/[ \t]?{_CITE}[ \t]?{_MORE}"
    rf"|{_LESS}{_CITE}\b(?P<attributes>(?:(?!{_LESS}|{_MORE})[\s\S]){{0,20000}}?)/?[ \t]?{_MORE}"
    rf"|{_LESS}/[ \t]?{_CITE}[ \t]?{_MORE}",
    re.IGNORECASE,
)
_NO_TARGET: Final = re.compile(r"\b[A-Za-z_][\w\-]*[ \t]?=|&(?:quot|apos|#39|#34|#x27|#x22);", re.IGNORECASE)
_TOKEN: Final = re.compile(r"https?://[^\s\"'\\,\]{}]+|@v:\w+|[\w][\w.:/@#\-]*", re.IGNORECASE)
_FOOTNOTE: Final = re.compile(r"\[\^([^\]\s\[]{1,80})\]")
_LABELLED: Final = re.compile(
    r"(?<!!)\[(?P<words>(?:[^\[\]\n^]|\n(?![ \t]*\n)){1,300})\]"
    r"(?:[ \t]?\[(?P<label>(?:[^\[\]\n]|\n(?![ \t]*\n)){0,120})\]|(?!\())"
)
_PRIVATE: Final = re.compile("\ue200cite((?:\ue202[\\w]{1,60}){1,40})\ue201")
#: Digits raised by their signs or by tags, behind a word of three letters or more (``km²`` is a unit), or the
#: sign that ends something; a link in the raised number may lead down the page.
_RAISED: Final = re.compile(
    r"<sup>[ \t]*(?:<a\b[^<>]{0,300}>)?[ \t]*[\[(]?(\d{1,3}(?:[ \t]?[-–,;][ \t]?\d{1,3}){0,20})[\])]?[ \t]*"
    r"(?:</a>)?[ \t]*</sup>"
    r"|(?:(?<=[^\W\d_]{3})|(?<=[.,;:!?)\]\"”’»。，；：！？）】]))"
    rf"(?:⁽?({RAISED}(?:[⁻⁼,、·⋅][ ]?{RAISED}){{0,20}})⁾?(?![\w])|\^(\d{{1,3}}(?:,[ ]?\d{{1,3}}){{0,20}})\^)"
    r"|\[\^(\d{1,3})\^\]",
    re.IGNORECASE,
)
_ANCHOR: Final = re.compile(
    r"(?:<sup>)?<a\b[^<>]{0,300}?href=[\"']?(?P<url>[^\s\"'<>]{1,2000})[^<>]{0,200}>"
    r"[ \t]*[\[(]?(?P<number>\d{1,3})[\])]?[ \t]*</a>(?:</sup>)?",
    re.IGNORECASE,
)
_BARE_URL: Final = re.compile(rf"<?({ADDRESS})>?", re.IGNORECASE)
_HOST: Final = re.compile(rf"{ADDRESS}|[\w\-]+(?:\.[\w\-]+)+/\S*", re.IGNORECASE)
#: A link whose words say no more than that there is a source.
_WORDLESS: Final = re.compile(
    r"oai_citation.*|[\W\d_]*(?:sources?|src|refs?|references?|link|citation|来源|链接|出处)?[\W\d_]*"
    r"|(?:www\.)?[\w\-]+(?:\.[\w\-]+)+(?:/\S*)?|https?://\S+|\\?[\[(（【][^\n]*[\])）】]",
    re.IGNORECASE,
)
_ENDED: Final = re.compile(r"(?:[.!?…][\"”’»)]?[ \t]|[。！？][”」』）]?[ \t]?)$")


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


def find_markers(answer: str, known: Collection[str] = ()) -> tuple[Mark, ...]:
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
    resolver = Resolver(sources, read_references(answer).references)
    return tuple(CitedMark(mark, resolver.resolve(mark.targets)) for mark in find_markers(answer, names))


def blanked(answer: str, *, marks: bool = False) -> str:
    """The answer without what is no sentence of it; no character moves, and line ends are made alike.

    Blank are lists of references and footnotes, definition lines, and the thinking of a model.

    Args:
        answer: the text.
        marks: blank the marks and pictures, too, but for the words of links.
    """
    body = blanked_at(read_text(answer), read_references(answer).ranges)
    if not marks:
        return body
    spans: list[tuple[int, int]] = [match.span() for match in _TAG.finditer(body)]
    spans += [(each.start, each.end) for each in _inlines(read_text(answer)) if each.kind == "image"]
    for mark in find_markers(answer):
        first, last = mark.words
        spans += [(mark.start, first), (last, mark.end)] if last > first else [(mark.start, mark.end)]
    return blanked_at(body, sorted(spans))


# --- finding


@lru_cache(maxsize=8)
def _inlines(text: str) -> tuple[Inline, ...]:
    """Links and pictures of a text that was read, by the parser."""
    return tuple(
        each
        for block in blocks(text)
        if block.kind != "code" and ("](" in block.content or "<" in block.content)
        for each in inlines_of(block)
    )


@lru_cache(maxsize=8)
def _find(answer: str, known: tuple[str, ...]) -> tuple[Mark, ...]:
    listed = read_references(answer)
    body = read_text(answer)
    text = blanked_at(without_code(body), listed.ranges)
    found: list[Mark] = []
    searches: tuple[Callable[[str], Iterator[Mark]], ...] = (
        _of_the_store,
        lambda rest: _raised(rest, listed),
        _tags,
        _private,
        lambda rest: _links(rest, _inlines(body)),
        lambda rest: _labelled(rest, listed),
        lambda rest: _each(_FOOTNOTE, rest, lambda match: [f"^{match[1].casefold()}"]),
        lambda rest: _each(_BRACKETS, rest, lambda match: _pieces(match[1])),
        lambda rest: (Mark(low, high, names, (low, low)) for low, high, names in _years(rest, listed)),
        lambda rest: _known(rest, known),
        lambda rest: _each(_PARENS, rest, lambda match: _pieces(match[1])),
        _addresses,
        lambda rest: _each(_BARE_ID, rest, lambda match: [canonical_id(match[0].replace("-", "_"))]),
    )
    for search in searches:
        new = [mark for mark in search(text) if mark.targets]
        found += new
        text = blanked_at(text, sorted((mark.start, mark.end) for mark in new))
    return tuple(sorted(found, key=lambda mark: mark.start))


def _each(
    pattern: re.Pattern[str], text: str, targets: Callable[[re.Match[str]], Iterable[str]]
) -> Iterator[Mark]:
    for match in pattern.finditer(text):
        yield _mark(match, targets(match))


def _mark(match: re.Match[str], targets: Iterable[str]) -> Mark:
    return Mark(match.start(), match.end(), tuple(dict.fromkeys(targets)), (match.start(), match.start()))


def _of_the_store(text: str) -> Iterator[Mark]:
    for marker in store.find_markers(text):
        targets = tuple(f"@v:{target}" for target in marker.targets)
        yield Mark(marker.start, marker.end, targets, (marker.start, marker.start))


def _tags(text: str) -> Iterator[Mark]:
    for match in _TAG.finditer(text):
        inside = _NO_TARGET.sub(" ", match["attributes"] or "")
        yield _mark(match, _pieces(match["said"]) if match["said"] else map(_token, _TOKEN.findall(inside)))
    for match in _ANCHOR.finditer(text):
        in_page = match["url"].startswith("#")
        yield _mark(match, [str(int(match["number"])) if in_page else address_of(match["url"])])


def _token(name: str) -> str:
    if name.lower().startswith(("http://", "https://")):
        return address_of(name)
    return _named(name) if name.isdigit() else canonical_id(name.rstrip(".:/"))


def _raised(text: str, listed: References) -> Iterator[Mark]:
    """Raised numbers behind a word or a sentence, where the answer lists sources with these numbers."""
    for match in _RAISED.finditer(text):
        written = unicodedata.normalize("NFKC", next(filter(None, match.groups()))).replace("−", "-")
        targets = list(_pieces(written))
        if targets and all(each in listed.references for each in targets):
            yield _mark(match, targets)


def _private(text: str) -> Iterator[Mark]:
    return _each(
        _PRIVATE, text, lambda match: (canonical_id(each) for each in match[1].split("\ue202") if each)
    )


def _links(text: str, inlines: Sequence[Inline]) -> Iterator[Mark]:
    """The links of the parser to an address, and those of a number to a place below."""
    end = 0
    for each in inlines:
        if each.kind != "link" or each.start < end or text[each.start] not in "[<":
            continue
        words = text[slice(*each.words)]
        target = ""
        if each.address.startswith("#"):
            number = re.fullmatch(r"[\[(\\]*(\d{1,3})[\])\\]*", words)
            target = str(int(number[1])) if number else ""
        elif _HOST.match(each.address):
            target = address_of(each.address)
        if not target:
            continue
        start, end = each.start, each.end
        if text[start - 1 : start] == "[" and (closed := re.compile(r"\\?\]").match(text, end)):
            start, end = start - 1 - (text[start - 2 : start - 1] == "\\"), closed.end()
        part = not target.isdigit() and _is_part_of_sentence(text, each)
        yield Mark(start, end, (target,), each.words if part else (start, start))


def _is_part_of_sentence(text: str, link: Inline) -> bool:
    """Whether a link's words are; not those in brackets of their own, nor those alone after a sentence."""
    before, after = text[max(0, link.start - 3) : link.start], text[link.end : link.end + 1]
    words = text[slice(*link.words)]
    if not words or (before.endswith(("(", "（")) and after in (")", "）", ",", ";")):
        return False
    line = text[link.end :].partition("\n")[0] if after else ""
    return not (_WORDLESS.fullmatch(words) or (_ENDED.search(before) and not line.strip()))


def _labelled(text: str, listed: References) -> Iterator[Mark]:
    """``[text][label]`` and ``[label]`` where the answer defines the label, and it is a word."""
    labels = {
        name for name in listed.references if not name.startswith(("^", "@", "http")) and not name.isdigit()
    }
    for match in _LABELLED.finditer(text) if labels else ():
        name = canonical_id(match["label"] or match["words"])
        alone = not match["label"]
        if name in labels and not (alone and re.fullmatch(SOURCE_ID, match["words"], re.IGNORECASE)):
            yield Mark(match.start(), match.end(), (name,), match.span("words"))


def _years(text: str, listed: References) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Authors and years that the answer's list of references has."""
    return find_authored(text, listed.references)


def _known(text: str, known: tuple[str, ...]) -> Iterator[Mark]:
    names = {canonical_id(name) for name in known if not name.startswith(("http", "@v:"))}
    for match in re.finditer(r"(?<!!)[\[【(（]([^\[\]【】()（）\n]{1,300})[\]】)）]", text) if names else ():
        parts = [canonical_id(each) for each in re.split(r"[,，、;；]", match[1])]
        if all(part in names and not part.isdigit() for part in parts):
            yield _mark(match, parts)


def _addresses(text: str) -> Iterator[Mark]:
    for match in _BARE_URL.finditer(text):
        url = trimmed(match[1])
        start, end = match.start(1), match.start(1) + len(url)
        if match[0].startswith("<") and match[0].endswith(">"):
            start, end = match.span()
        if len(url) > len("https://"):
            yield Mark(start, end, (address_of(url),), (start, start))


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
        low, high = int(number), int(_named(match["last"]).rpartition("_")[2])
        prefix = f"{before}_" if before else ""
        wanted = range(low, high + 1) if low <= high < low + WIDEST_RANGE else (low, high)
        yield from (f"{prefix}{each}" for each in wanted)


def _named(text: str) -> str:
    return str(int(text)) if text.isascii() and text.isdigit() else canonical_id(text)

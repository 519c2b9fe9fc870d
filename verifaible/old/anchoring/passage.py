"""Anchoring a passage in the text of a PDF, page by page."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from verifaible.old.anchoring.fold import fold
from verifaible.old.anchoring.places import CONTEXT
from verifaible.old.anchoring.quote import QuoteMatch, QuoteStatus, exact_spans, excerpt, find_quote


@dataclass(frozen=True, slots=True)
class PassageMatch:
    """A passage, and the page it begins on, counted from 1 (0 when it is gone or ambiguous).

    Offsets of ``match`` count code points in the text of that page. Where the passage goes on
    over a page end, ``match`` holds the part on its first page, ``continued`` the part on the
    next page, and ``text`` both, with a line end between them.
    """

    page_number: int
    match: QuoteMatch
    text: str = ""
    continued: QuoteMatch | None = None

    @property
    def status(self) -> QuoteStatus:
        """The verdict on the passage."""
        return self.match.status


def find_passage(
    pages: Sequence[str],
    quote: str,
    *,
    page_number: int | None = None,
    near: str = "",
    prefix: str = "",
    suffix: str = "",
    expected_start: int | None = None,
    edges: bool = True,
    at_place: Callable[[int, int, int], bool | None] | None = None,
) -> PassageMatch:
    """Find a quote in a PDF, also over line breaks, hyphens at line ends and page ends.

    Args:
        pages: the text of each page, lines parted by line ends.
        quote: the exact words.
        page_number: the page it is said to stand on, from 1. An exact match there is taken; if
            there is none, every other page is searched, so the page number of the answer may
            differ: the caller decides what that means.
        near: a short text inside or beside the quote.
        prefix: what stood before it when it was cited.
        suffix: what stood after it.
        expected_start: the code point of its page that it began at.
        edges: an exact match cuts no word and no quantity.
        at_place: whether a span of a page, by the number of the page, is where the quote was cited; see
            :func:`find_quote`.
    """
    search = _Search(pages, quote, near, prefix, suffix, page_number, expected_start, edges, at_place)
    cited = page_number if page_number is not None and 1 <= page_number <= len(pages) else None
    here = search.on_page(cited) if cited else None
    if here is not None and here.match.occurrences and here.status != "changed":
        return here  # exact, or ambiguous, on the page that was named
    if cited:
        for first in (cited, cited - 1):
            if joined := search.over_page_end(first):
                return joined
    found = [search.on_page(number) for number in range(1, len(pages) + 1)]
    exact = [match for match in found if match.match.occurrences and match.status != "changed"]
    if exact:
        return _only_one(pages, exact)
    for first in range(1, len(pages)):
        if joined := search.over_page_end(first):
            return joined
    if here is not None and here.status in ("changed", "ambiguous"):
        return here
    return _most_alike(pages, found)


@dataclass(frozen=True, slots=True)
class _Search:
    """A passage being looked for."""

    pages: Sequence[str]
    quote: str
    near: str
    prefix: str
    suffix: str
    page_number: int | None
    expected_start: int | None
    edges: bool
    at_place: Callable[[int, int, int], bool | None] | None

    def on_page(self, number: int) -> PassageMatch:
        """What stands on one page."""
        start = self.expected_start if number == self.page_number else None
        found = self._find(self.pages[number - 1], start, number)
        return PassageMatch(number, found, found.text)

    def over_page_end(self, first: int) -> PassageMatch | None:
        """An exact match that begins on page ``first`` and ends on the next, if there is one."""
        if not 1 <= first < len(self.pages):
            return None
        before, after = self.pages[first - 1], self.pages[first]
        if not self._may_straddle(before, after):
            return None
        for last in _ends(self.pages, first - 1):
            for begin in _starts(self.pages, first):
                if joined := self._joined(first, before[:last].rstrip(), after[begin:], begin):
                    return joined
        return None

    def _may_straddle(self, before: str, after: str) -> bool:
        """Whether half of the quote can stand on one of two pages: what is quick to see goes first."""
        asked = _letters(self.quote)
        half = asked[: len(asked) // 2], asked[(len(asked) + 1) // 2 :]
        return half[0] in _letters(before) or half[1] in _letters(after)

    def _joined(self, first: int, before: str, after: str, shift: int) -> PassageMatch | None:
        """The same for two texts; the second begins at ``shift`` of its page."""
        reach = 3 * len(self.quote) + 400
        low = max(0, len(before) - reach)
        joint = len(before) - low
        text = before[low:] + "\n" + after[:reach]
        if not any(
            start < joint < end - 1
            for start, end in exact_spans(text, self.quote, hyphenated=True, edges=False)
        ):
            return None
        found = self._find(text, None, first, shift=low, last=len(before))
        if found.status not in ("verified", "moved") or not found.start < joint < found.end - 1:
            return None
        start, end = found.start + low, found.end - joint - 1
        head = replace(found, start=start, end=len(before), text=before[start:], suffix=after[:CONTEXT])
        tail = replace(found, start=shift, end=shift + end, text=after[:end], prefix=before[-CONTEXT:])
        return PassageMatch(first, head, f"{head.text}\n{tail.text}", tail)

    def _find(
        self, text: str, expected_start: int | None, number: int, *, shift: int = 0, last: int | None = None
    ) -> QuoteMatch:
        """Find it in a text that begins at ``shift`` of a page, and of which that page ends at ``last``."""

        def at_place(start: int, end: int) -> bool | None:
            assert self.at_place is not None
            end += shift
            return self.at_place(number, start + shift, end if last is None else min(end, last))

        return find_quote(
            text,
            self.quote,
            near=self.near,
            prefix=self.prefix,
            suffix=self.suffix,
            expected_start=expected_start,
            hyphenated=True,
            edges=self.edges,
            at_place=at_place if self.at_place is not None else None,
        )


#: Lines at either edge of a page that may be its running head or foot.
_MOST_RUNNING = 3
_FOLIO = re.compile(
    r"\W*(?:page|p\.|seite|第)?\s*(?:\d{1,4}|[ivxlc]{1,7})\s*页?\s*(?:(?:of|/|von|共)\s*\d{1,4}\s*页?)?\W*",
    re.I,
)


#: Lines at a page's end that may be its notes.
_MOST_NOTES = 14
#: How a footnote, or a caption, begins.
_NOTE = re.compile(
    r"\s*(?:[\[(（〔]?(?:\d{1,3}|[a-z])[\])）〕.]?[ \t]|[⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈ①-⑳*†‡§]"
    r"|(?:figure|fig\.|table|chart|source|note)s?\b"
    r"|[图圖表][ \t]?\d|[资資数數][料據据][来來]源|[注註][：:\d])",
    re.IGNORECASE,
)
#: A chapter's name at the top of a page: short, and no end of a sentence.
_TITLE = re.compile(r"[^\n]{1,60}(?<![.!?;:,。！？；：，])")


def _letters(text: str) -> str:
    """The folded text without footnote marks and hyphens."""
    return fold(text, drop_superscripts=True).text.replace("-", "")


def _is_running(pages: Sequence[str], page: int, line: str, *, last: bool) -> bool:
    """Whether a line at a page's edge is its number, or stands at that edge of another page too."""
    if not line.strip() or _FOLIO.fullmatch(line):
        return True
    same = _without_digits(line)
    edges = (
        _edge(pages[i], last=last) for i in range(max(0, page - 3), min(len(pages), page + 4)) if i != page
    )
    return len(same) >= 4 and any(same == _without_digits(other) for edge in edges for other in edge)


def _edge(text: str, *, last: bool) -> list[str]:
    lines = text.strip().splitlines()
    return lines[-_MOST_RUNNING:] if last else lines[:_MOST_RUNNING]


def _without_digits(line: str) -> str:
    return re.sub(r"\d+", "", fold(line).text)


def _body_end(pages: Sequence[str], page: int) -> int:
    """Where the text of a page ends before its running foot."""
    text = pages[page].rstrip()
    for _ in range(_MOST_RUNNING):
        at = text.rfind("\n")
        if at < 0 or not _is_running(pages, page, text[at + 1 :], last=True):
            break
        text = text[:at].rstrip()
    return len(text)


def _body_start(pages: Sequence[str], page: int) -> int:
    """Where the text of a page begins after its running head."""
    start = 0
    for _ in range(_MOST_RUNNING):
        at = pages[page].find("\n", start)
        if at < 0 or not _is_running(pages, page, pages[page][start:at], last=False):
            break
        start = at + 1
    return start


def _ends(pages: Sequence[str], page: int) -> tuple[int, ...]:
    """Where the text of a page may end: at its end, before its running foot, before notes and captions."""
    text = pages[page].rstrip()
    found = [len(text), _body_end(pages, page)]
    at = len(text)
    for _ in range(_MOST_NOTES):
        at = text.rfind("\n", 0, at)
        if at < 0:
            break
        if _NOTE.match(text, at + 1):
            found.append(at)
    return tuple(dict.fromkeys(found))


def _starts(pages: Sequence[str], page: int) -> tuple[int, ...]:
    """Where the text of a page may begin: at its beginning, after its running head, or after a title."""
    text = pages[page]
    begin = _body_start(pages, page)
    found = [0, begin]
    at = text.find("\n", begin)
    if at > begin and (_TITLE.fullmatch(text, begin, at) or _NOTE.match(text, begin)):
        found.append(at + 1)
    return tuple(dict.fromkeys(found))


def _only_one(pages: Sequence[str], exact: list[PassageMatch]) -> PassageMatch:
    """The one exact match that is at its place, or the only one; else ambiguous."""
    verified = [match for match in exact if match.status == "verified"]
    if len(verified) == 1 and all(match.status != "ambiguous" for match in exact):
        return verified[0]
    if len(exact) == 1 and exact[0].status != "ambiguous":
        return exact[0]
    return _ambiguous(pages, exact)


def _most_alike(pages: Sequence[str], found: list[PassageMatch]) -> PassageMatch:
    """The best of several matches that are not exact."""
    changed = [match for match in found if match.status in ("changed", "ambiguous")]
    if not changed:
        nearest = max(found, key=lambda match: match.match.score, default=None)
        return PassageMatch(0, nearest.match if nearest else QuoteMatch("gone"))
    score = max(match.match.score for match in changed)
    best = [match for match in changed if match.match.score >= score - 0.02]
    return best[0] if len(best) == 1 and best[0].status == "changed" else _ambiguous(pages, best)


def _ambiguous(pages: Sequence[str], matches: list[PassageMatch]) -> PassageMatch:
    shown: list[str] = []
    for match in matches:
        found = match.match
        texts = found.candidates or (excerpt(pages[match.page_number - 1], found.start, found.end),)
        shown += [f"page {match.page_number}: {text}" for text in texts]
    total = sum(match.match.occurrences for match in matches)
    score = max(match.match.score for match in matches)
    return PassageMatch(
        0, QuoteMatch("ambiguous", score=score, occurrences=total, candidates=tuple(shown[:8]))
    )

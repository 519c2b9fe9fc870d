"""Quotations in a text: words between quotation marks, compared with the sources word for word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Final, Literal

from verifaible.anchoring.diff import render_diff, word_diff
from verifaible.evidence.material import PAGE_FILES, page_from_files, read_pdf
from verifaible.evidence.readable import READ, Readable, readable
from verifaible.evidence.seal import Opened
from verifaible.factcheck.plain_text import PlainText
from verifaible.judge.inputs.marks import blanked
from verifaible.judge.inputs.references import without_code
from verifaible.schema.analyst import Claim, Source
from verifaible.schema.anchor import AnchorRequest
from verifaible.schema.checked import CheckedSource
from verifaible.schema.judged import Finding
from verifaible.schema.verdict import Passage
from verifaible.store.store import Store
from verifaible.text.language import language_of
from verifaible.text.segmentation import sentence_around

#: Fewer words are a name or a word that somebody keeps at a distance, not what a source says.
FEWEST_WORDS: Final = 4
#: From so many words on, a quotation that no source resembles is not in them.
_SURELY: Final = 6
_PAIRS: Final = (
    ("“", "”"),
    ("„", "“"),
    ("„", "”"),
    ("«", "»"),
    ("»", "«"),
    ("「", "」"),
    ("『", "』"),
    ('"', '"'),
)
#: What an author leaves out of a quotation or puts into it.
_LEFT_OUT: Final = re.compile(r"\s*(?:\[[^\[\]\n]{0,80}\]|\(?(?:\.\s?\.\s?\.|…+|⋯+)\)?)\s*")
_WORD: Final = re.compile(r"[\u3400-\u9fff]|[^\W_]+(?:['’][^\W_]+)?")
_CJK: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Quotation:
    """``text[start:end]``, marks included, quotes ``words``."""

    start: int
    end: int
    words: str


@dataclass(frozen=True, slots=True)
class Compared:
    """What the sources say of a quotation.

    Attributes:
        verdict: ``exact``: it stands there. ``altered``: something like it does. ``absent``: nothing like it
            stands in sources that were read whole. ``open``: nobody can say.
        passages: where.
        said: of ``altered``, what the source says instead.
        reason: one sentence.
    """

    verdict: Literal["exact", "altered", "absent", "open"]
    passages: tuple[Passage, ...] = ()
    said: str = ""
    reason: str = ""


def quotations_in(text: str) -> list[Quotation]:
    """The quotations of a text, in order, none within another; each in one paragraph."""
    body = blanked(without_code(text), marks=True)
    found: list[Quotation] = []
    for start, end in _paragraphs(body):
        at = start
        while at < end:
            spans = [span for pair in _PAIRS if (span := _next(body, at, end, pair))]
            if not spans:
                break
            first, last = min(spans)
            words = " ".join(re.sub(r"[*_`]+", "", body[first + 1 : last - 1]).split())
            if _count(words) >= FEWEST_WORDS:
                found.append(Quotation(first, last, words))
                at = last
            else:
                at = last if body[first] != '"' or _count(words) else first + 1
    return found


def compare(quotation: Quotation, sources: Sequence[ReadSource]) -> Compared:
    """What sources, of which each may be the one that is quoted, say of a quotation."""
    parts = [
        part
        for each in _LEFT_OUT.split(quotation.words)
        if _count(part := each.strip(" ,;:.!?，。；：！？")) > 2
    ]
    if not parts:
        return Compared("open")
    altered: list[Compared] = []
    for source in sources:
        places = [_exact(part, source) for part in parts]
        if all(places):
            return Compared(
                "exact",
                tuple(source.passage(*place) for place in places if place),
                reason="The quotation stands in the source word for word.",
            )
        for part, place in zip(parts, places, strict=True):
            near = PlainText.of(source.text).similar(part) if place is None else None
            if near is None:
                continue
            passage = source.passage(*near)
            said = " ".join(passage.quote.split())
            difference = render_diff(word_diff(part, said))
            why = f"The quotation is not what the source says: {difference}"
            altered.append(Compared("altered", (passage,), said, why))
    if altered:
        return altered[0]
    if all(source.whole for source in sources) and _surely(quotation.words, sources):
        return Compared(
            "absent", reason="The quoted words stand nowhere in the source, nor anything like them."
        )
    return Compared("open")


def verbatim(claim: Claim, sentence: str, sources: Sequence[ReadSource]) -> Finding | None:
    """A claim whose very words, or whose sentence's, are whole sentences of a source that nothing governs.

    Args:
        claim: the claim.
        sentence: the words of the text that it is a part of.
        sources: where to look.
    """
    asked = [words for words in (claim.text, sentence) if _count(words) >= FEWEST_WORDS]
    for words, source in product(asked, sources):
        if place := PlainText.of(source.text).states(words):
            passage = source.passage(*place)
            return Finding(verdict="exact", passages=(passage,), reason="The source has these words.")
    return None


def _exact(part: str, source: ReadSource) -> tuple[int, int] | None:
    """Where the words of a quotation stand in a source, but for signs."""
    text = PlainText.of(source.text)
    if spans := text.places(part, cut=True):
        return spans[0]
    near = text.similar(part)
    return near if near and _flat(source.text[slice(*near)]) == _flat(part) else None


def _surely(words: str, sources: Sequence[ReadSource]) -> bool:
    """Whether words that no source has must be said of it: not a title, nor a translation."""
    told = [word for word in _WORD.findall(words) if len(word) > 3]
    titled = sum(word[:1].isupper() for word in told) > len(told) / 2
    ours = language_of("", words)
    theirs = {language_of("", source.text[:4000]) for source in sources}
    return _count(words) >= _SURELY and not titled and (not ours or not theirs or theirs <= {ours, ""})


def _flat(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold().replace("’", "'")))


def _count(words: str) -> int:
    found = _WORD.findall(words)
    return len(found) if not _CJK.search(words) else len(found) // 2


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    for match in re.finditer(r"\n\s*\n|\n(?=\s*(?:[-*+•>#|]|\d+[.)]))|\Z", text):
        if match.start() > at:
            yield at, match.start()
        at = match.end()


def _next(text: str, start: int, end: int, pair: tuple[str, str]) -> tuple[int, int] | None:
    opening, closing = pair
    first = start
    while (first := text.find(opening, first, end)) >= 0:
        begins = first == start or not text[first - 1].isalnum()
        if opening != closing or (begins and not text[first + 1 : first + 2].isspace()):
            last = text.find(closing, first + 1, end)
            return (first, last + 1) if last > 0 else None
        first += 1
    return None


#: So much before a value of JSON tells it from equal ones.
_BEFORE = 40


@dataclass(frozen=True)
class ReadSource:
    """A source with its words.

    Attributes:
        source: as the rules know it.
        text: the words of its file, in which offsets count.
        state: what came of opening it.
        opened: how it was sealed; None of a file that was given and of a citation of the store.
    """

    source: Source
    text: str
    state: CheckedSource
    opened: Opened | None
    store: Store

    @property
    def whole(self) -> bool:
        """Whether all of it was read: only then can anybody say what is not in it."""
        return self.opened.incomplete == "" if self.opened is not None else self.source.kind != "citation"

    def passage(self, start: int, end: int) -> Passage:
        """A place as evidence."""
        return Passage.of(self.source, self.text, start, end)

    def around(self, passage: Passage) -> str:
        """The sentence or the row that a passage stands in, as the source has it."""
        if passage.pointer:
            return f"{passage.pointer}: {passage.quote}"
        low = self.text.rfind("\n", 0, passage.start) + 1
        high = self.text.find("\n", passage.end)
        high = len(self.text) if high < 0 else high
        if "|" not in self.text[low:high] and "\t" not in self.text[low:high]:
            low, high = sentence_around(self.text, passage.start, passage.end)
        return " ".join(self.text[low:high].split())

    def request(self, passage: Passage) -> AnchorRequest | None:
        """What to cite for a passage; None where a citation of it cannot be made."""
        if self.opened is None or self._material is None:
            return None
        if self.source.file == READ:
            return self._material.request(passage.start, passage.end)
        before = self.text[max(0, passage.start - _BEFORE) : passage.start].strip()
        quote = passage.quote.strip().strip('"')
        return AnchorRequest(quote=quote, near=before.rpartition("\n")[2].strip(' ,{["')) if quote else None

    @cached_property
    def _material(self) -> Readable | None:
        with self.store.open_sealed(self.source.capture) as reader:
            names = set(reader.names())
            if "evidence/page.json" in names:
                material = page_from_files({name: reader.read(f"evidence/{name}") for name in PAGE_FILES})
            elif "evidence/source.pdf" in names:
                material = read_pdf(reader.read("evidence/source.pdf"), "")
            else:
                return None
        return readable(material)

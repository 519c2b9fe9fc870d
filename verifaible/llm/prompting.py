"""How material is shown to a judge: between boundaries nobody can forge, in balanced order, without names.

A boundary is drawn from the content itself, so that the same question is the same to the byte in every run,
and drawn again as long as the content holds it. Of a long source the parts in question are shown; only this
copy is shortened, and it says where.
"""

from __future__ import annotations

import hashlib
import math
import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from typing import Final

from verifaible.schema.analyst import AnalystAnswer, Source
from verifaible.text.delimited import boundaries, delimited
from verifaible.text.nearest import Passages, terms_of

#: Characters of a source that a judge is shown at most: some 1,500 tokens of English.
MOST_CHARACTERS: Final = 6_000
#: Characters of all sources together that a judge is shown at most: some 15,000 tokens of English.
MOST_OF_ALL: Final = 60_000
#: The beginning of a source is always shown: its title and date are there.
_OPENING: Final = 300
#: What a source is worth beside others: the score of so many of its passages.
_BEST: Final = 5
#: What stands for the name of a model.
MASK: Final = "[model]"
_NUMBER: Final = re.compile(r"\d[\d,]*(?:\.\d+)?")
#: The words and numbers of a name, and whatever other signs it has.
_PIECES: Final = re.compile(r"[^\W\d_]+|\d+(?:\.\d+)*|[^\w\s-]+")
_JOINT: Final = r"[\s_-]*"
_MARK: Final = re.compile(r"([0-9a-f]+) ---\Z")


@dataclass(frozen=True, slots=True)
class Part:
    """Words of others: what they are (in our words), and the words."""

    label: str
    text: str


def bounded(parts: Sequence[Part]) -> str:
    """The parts, each between two lines that stand nowhere in any of them."""
    everything = "\n".join(f"{part.label}\n{part.text}" for part in parts)
    digest = hashlib.sha256(everything.encode("utf-8", "surrogatepass")).hexdigest()
    for number in count():
        with boundaries(f"{digest}/{number}"):
            shown = [delimited(part.label, part.text) for part in parts]
        marks = [found[1] for each in shown if (found := _MARK.search(each.partition("\n")[0]))]
        if not any(mark in everything for mark in marks):
            break
    return "\n\n".join(shown)


# --- excerpts


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The copy of a source for a judge.

    Attributes:
        text: its parts in reading order, with lines that say what is left out between them.
        shown: characters of the source in it.
        total: characters of the source.
        score: how much of what is in question its parts hold; compares only sources asked the same.
    """

    text: str
    shown: int
    total: int
    score: float


def excerpt(text: str, about: str, *, limit: int = MOST_CHARACTERS, numbered: bool = False) -> Excerpt:
    """The part of a source that a judge sees: its opening, and the passages nearest to what is in question.

    Each passage brings the head of its table and its neighbours.

    Args:
        text: the whole source.
        about: the claim and what stands around it, or the query and the answer.
        limit: characters of the source at most, whatever the notes take.
        numbered: put the number of each line before it: ``[12] ``.
    """
    passages = _passages(text)
    near = passages.nearest(about, len(passages.spans))
    score = sum(each.score for each in near[:_BEST])
    if len(text) <= limit:
        return Excerpt(_lines(text, 0, len(text), numbered), len(text), len(text), score)
    spans = [(start, end) for _, start, end in passages.spans]
    chosen, room = set[int](), limit

    def take(number: int) -> bool:
        nonlocal room
        if number in chosen or not 0 <= number < len(spans):
            return False
        length = spans[number][1] - spans[number][0]
        if fits := length <= room:
            chosen.add(number)
            room -= length
        return fits

    for number in range(bisect_left(spans, _OPENING, key=lambda span: span[1])):
        take(number)
    ranked = [bisect_left(spans, (each.start, each.end)) for each in near]
    for number in ranked or range(len(spans)):  # its beginning, where nothing asked for is in it
        if take(number):
            for each in (_table_head(text, spans, number), number - 1, number + 1):
                take(each)
    kept = sum(spans[number][1] - spans[number][0] for number in chosen)
    return Excerpt(_joined(text, spans, sorted(chosen), numbered), kept, len(text), score)


@lru_cache(maxsize=512)  # the claims of an answer ask the same sources, and a few answers are under way
def _passages(text: str) -> Passages:
    return Passages((text,), terms=_terms)


def _terms(text: str) -> Iterator[str]:
    """Words and numbers, and the leading digits of numbers: 9.86B, 9,857,283,441 and 98.6亿 have ``#99``."""
    yield from terms_of(text)
    for match in _NUMBER.finditer(text):
        value = float(match[0].replace(",", ""))
        if value and math.isfinite(value):
            mantissa = value / 10 ** math.floor(math.log10(value))
            yield from {f"#{round(mantissa * 10**places)}".rstrip("0") for places in (1, 2)}


def _table_head(text: str, spans: Sequence[tuple[int, int]], number: int) -> int:
    """The first row of the table that a row is of; a passage of no table is its own."""
    head = number
    while head > 0 and text[spans[head][0]] == "|" == text[spans[head - 1][0]]:
        if "\n\n" in text[spans[head - 1][1] : spans[head][0]]:
            break
        head -= 1
    return head


def _joined(text: str, spans: Sequence[tuple[int, int]], chosen: Sequence[int], numbered: bool) -> str:
    """The chosen passages, with what is between neighbours, and a line for each gap."""
    stretches: list[tuple[int, int]] = []
    for before, number in zip((-1, *chosen), chosen, strict=False):
        start, end = spans[number]
        begun = stretches.pop()[0] if stretches and before == number - 1 else start
        stretches.append((begun, end))
    parts: list[str] = []
    at = 0
    for start, end in (*stretches, (len(text), len(text))):
        if text[at:start].strip():
            parts.append(f"[... {start - at} characters left out ...]")
        parts.append(_lines(text, start, end, numbered))
        at = end
    return "\n".join(parts)


def _lines(text: str, start: int, end: int, numbered: bool) -> str:
    """A stretch of a text; the number of each line before it, if that is wanted and the line is whole."""
    if not numbered:
        return text[start:end]
    first = text.count("\n", 0, start) + 1
    whole = not text[text.rfind("\n", 0, start) + 1 : start].strip()
    lines = text[start:end].split("\n")
    return "\n".join(
        f"[{first + n}] {line}" if line and (n or whole) else line for n, line in enumerate(lines)
    )


@dataclass(frozen=True, slots=True)
class ShownSources:
    """Sources as a judge sees them.

    Attributes:
        parts: what is shown.
        named: the source and its whole text by the label it is shown under (``S1``).
        note: what of them is not shown; empty where all of it is.
    """

    parts: tuple[Part, ...]
    named: Mapping[str, tuple[Source, str]]
    note: str = ""


def show_sources(
    pairs: Sequence[tuple[Source, str]], order: Sequence[int], about: str, *, numbered: bool = False
) -> ShownSources:
    """Sources for a judge: of a long one the parts in question, of very many those that say most of it.

    Args:
        pairs: the sources with their whole texts.
        order: in which they are shown; labels follow it.
        about: the words and numbers in question.
        numbered: show the number of each line before it: ``[12] ``.
    """
    taken = [excerpt(text, about, numbered=numbered) for _, text in pairs]
    room, kept = MOST_OF_ALL, set[int]()
    for number in sorted(range(len(pairs)), key=lambda number: (-taken[number].score, number)):
        if taken[number].shown <= room:
            kept.add(number)
            room -= taken[number].shown
    parts: list[Part] = []
    named: dict[str, tuple[Source, str]] = {}
    for number in (number for number in order if number in kept):
        source = pairs[number][0]
        label = f"S{len(parts) + 1}"
        named[label] = pairs[number]
        facts = (("address", source.url), ("title", source.title))
        head = [f"{name}: {value}" for name, value in facts if value]
        parts.append(Part(f"source {label}", "\n".join([*head, "", taken[number].text]).strip("\n")))
    out = len(pairs) - len(kept)
    cut = any(taken[number].shown < taken[number].total for number in kept)
    notes = [f"{out} further sources hold less of it and are not shown."] if out else []
    notes += ["Of long sources only the parts that may bear on it are shown."] if cut else []
    return ShownSources(tuple(parts), named, " ".join(notes))


def when(answer: AnalystAnswer) -> str:
    """The day an answer is judged by: that of its trace, never today's."""
    if answer.answered_at is None:
        return (
            "The answer's date is not known. Take dates from the query, the answer and the sources; "
            "do not assume any other."
        )
    moment = answer.answered_at
    return f"The answer was given on {moment.day} {moment:%B %Y} ({moment:%Y-%m-%d}). That day is today."


# --- masks


def masked(text: str, names: Collection[str]) -> str:
    """A text without the names of models.

    A name counts however it is spelt: a column ``kimi_k2.5`` and a slug ``moonshotai/kimi-k2.5`` are the
    Kimi K2.5 of an answer.
    """
    for name in sorted({name.strip() for name in names if name.strip()}, key=lambda name: (-len(name), name)):
        text = _spelt(name).sub(MASK, text)
    return text


def speaks_of(text: str, name: str) -> bool:
    """Whether a text has the name of a model, however it is spelt."""
    first = _PIECES.findall(_last(name))[:1]
    return bool(first) and first[0].casefold() in text.casefold() and bool(_spelt(name).search(text))


@lru_cache(maxsize=256)
def _spelt(name: str) -> re.Pattern[str]:
    """What finds a name, with any blank, hyphen or underscore between its words and numbers, or none.

    A name of one sign is looked for nowhere: it would hide the article in "a rise".
    """
    pieces = _PIECES.findall(_last(name))
    if len("".join(pieces)) < 2:
        return re.compile(r"(?!)")
    # not \b: a name may stand between letters of Chinese without a blank
    return re.compile(rf"(?<![A-Za-z0-9]){_JOINT.join(map(re.escape, pieces))}(?![A-Za-z0-9])", re.I)


def _last(name: str) -> str:
    """A slug without its maker."""
    return name.strip().rstrip("/").rpartition("/")[2]


# --- order


def orders(number: int, repeats: int, seed: str) -> tuple[tuple[int, ...], ...]:
    """Orders of ``number`` things, one for each repeat, in which they change places evenly.

    The rows of a Latin square over a shuffle that ``seed`` decides: in any ``number`` repeats each thing has
    stood in each place once. Every second square is read from behind, so that neighbours change too.
    """
    if not number:
        return ((),) * repeats
    base = sorted(range(number), key=lambda each: hashlib.sha256(f"{seed}/{each}".encode()).digest())
    step = max(1, number // repeats)
    found = []
    for repeat in range(repeats):
        turn = repeat * step % number
        row = base[turn:] + base[:turn]
        found.append(tuple(row[::-1] if repeat * step // number % 2 else row))
    return tuple(found)

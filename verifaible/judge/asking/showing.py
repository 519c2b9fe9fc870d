"""How the words of others are shown to a judge: between boundaries that nobody can forge, and without names.

A boundary is drawn from the content itself, so that the same question is the same to the byte in every run,
and drawn again as long as the content holds it. Names of models stand in no question of ours; where an
answer names its own model, the name is masked, unless the query or a source speaks of it too: then it is
what the answer is about.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from typing import Final

from verifaible.schema.analyst import AnalystAnswer, Source
from verifaible.tools.presenting import boundaries, delimited

# What of a long source is shown to a judge: the parts that hold the words and numbers in question.
#
# Only the copy for the judge is shortened, and it says where; a quote is looked for in the whole source.

#: Characters of a source that a judge is shown at most: some 1,500 tokens of English.
MOST_CHARACTERS: Final = 6_000
#: A line longer than this is parted: where a sentence ends, else at a blank or a comma where there is one.
_LONG_LINE: Final = 500
#: The beginning of a source is always shown: its title and date stand there.
_OPENING: Final = 300
_WORD: Final = re.compile(r"[^\W\d_]{2,}|[\u3400-\u9fff\uac00-\ud7a3]")
_CJK: Final = re.compile(r"[\u3400-\u9fff]{2,}|[\uac00-\ud7a3]{2,}")
_NUMBER: Final = re.compile(r"\d[\d,]*(?:\.\d+)?")
_CUT: Final = re.compile(r"[\s,;，；。]")
_SENTENCE_END: Final = re.compile(r"[.!?][\"”’)\]]*\s+|[。！？]")
#: A number in common weighs as much as so many words of the same rarity.
_NUMBER_WEIGHT: Final = 3.0


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The copy of a source for a judge.

    Attributes:
        text: its parts in reading order, with lines that say what is left out between them.
        shown: characters of the source in it.
        total: characters of the source.
        score: how much of what was asked for its parts hold; only sources asked for the same compare.
    """

    text: str
    shown: int
    total: int
    score: float


@dataclass(frozen=True, slots=True)
class _Index:
    segments: tuple[tuple[int, int], ...]
    places: dict[str, tuple[int, ...]]
    heads: dict[int, int]


def excerpt(text: str, about: str, *, limit: int = MOST_CHARACTERS, numbered: bool = False) -> Excerpt:
    """The part of a source that a judge sees.

    Args:
        text: the whole source.
        about: the claim and what stands around it, or the query and the answer.
        limit: characters of the source at most, whatever the notes take.
        numbered: put the number of each line before it: ``[12] ``.
    """
    index = _index(text)
    scores = _scores(index, terms(about))
    best = sum(sorted(scores.values(), reverse=True)[:5])
    if len(text) <= limit:
        shown = _joined(text, [(0, len(text))], [0], numbered=numbered)
        return Excerpt(shown, len(text), len(text), best)
    chosen = _chosen(index, scores, limit)
    return Excerpt(
        _joined(text, index.segments, chosen, numbered=numbered),
        sum(index.segments[each][1] - index.segments[each][0] for each in chosen),
        len(text),
        best,
    )


def terms(text: str) -> tuple[str, ...]:
    """The words and numbers by which parts are found; numbers without their power of ten."""
    found = [match[0].casefold() for match in _WORD.finditer(text)]
    for run in _CJK.findall(text):
        found += [run[at : at + 2] for at in range(len(run) - 1)]
    for match in _NUMBER.finditer(text):
        found += _digits(match[0])
    return tuple(dict.fromkeys(found))


def _digits(number: str) -> Iterable[str]:
    """The leading digits of a number, two and three of them: 9.86B, 9,857,283,441, 98.6亿 have ``#99``."""
    plain = number.replace(",", "")
    try:
        value = float(plain)
    except ValueError:
        return ()
    if not value or math.isinf(value):
        return ("#0",)
    mantissa = value / 10 ** math.floor(math.log10(value))
    return tuple(dict.fromkeys(f"#{round(mantissa * 10 ** (places - 1))}".rstrip("0") for places in (2, 3)))


@lru_cache(maxsize=512)  # the claims of an answer ask the same sources, and a few answers are under way
def _index(text: str) -> _Index:
    segments = tuple(_segments(text))
    places: dict[str, list[int]] = {}
    heads: dict[int, int] = {}
    head = -1
    for number, (start, end) in enumerate(segments):
        part = text[start:end]
        if part.startswith("|"):
            head = number if head < 0 else head
            heads[number] = head
        else:
            head = -1
        for term in terms(part):
            places.setdefault(term, []).append(number)
    return _Index(segments, {term: tuple(where) for term, where in places.items()}, heads)


def _segments(text: str) -> Iterable[tuple[int, int]]:
    """Lines, and pieces of long lines."""
    at = 0
    for line in text.splitlines(keepends=True):
        start, end = at, at + len(line)
        at = end
        while end - start > _LONG_LINE:
            middle = start + _LONG_LINE
            ends = [match.end() for match in _SENTENCE_END.finditer(text, start + 1, middle)]
            ends = ends or [match.end() for match in _CUT.finditer(text, middle, min(end, middle + 100))][:1]
            cut = ends[-1] if ends else middle
            yield start, cut
            start = cut
        if start < end:
            yield start, end


def _scores(index: _Index, wanted: Sequence[str]) -> dict[int, float]:
    """How much each segment holds, rare terms counting more."""
    scores: dict[int, float] = {}
    count = len(index.segments)
    for term in wanted:
        where = index.places.get(term, ())
        if not where:
            continue
        weight = math.log((1 + count) / len(where)) * (_NUMBER_WEIGHT if term.startswith("#") else 1.0)
        for number in where:
            scores[number] = scores.get(number, 0.0) + weight
    return scores


def _chosen(index: _Index, scores: dict[int, float], limit: int) -> list[int]:
    """The segments to show: the opening, then the best, each with its table's head and its neighbours."""
    kept: set[int] = set()
    room = limit

    def take(number: int, most: int) -> None:
        nonlocal room
        if number in kept or not 0 <= number < len(index.segments):
            return
        start, end = index.segments[number]
        if end - start <= min(room, most):
            kept.add(number)
            room -= end - start

    for number, (_, end) in enumerate(index.segments):
        if end > _OPENING and number:
            break
        take(number, room)
    ranked = sorted(scores, key=lambda number: (-scores[number], number))
    for number in ranked:
        if room <= 0:
            break
        for near in (number, *_head(index, number), number - 1, number + 1):
            take(near, room)
    for number in range(len(index.segments)):  # nothing asked for is in it: its beginning
        if ranked or room <= 0:
            break
        take(number, room)
    return sorted(kept)


def _head(index: _Index, number: int) -> tuple[int, ...]:
    head = index.heads.get(number)
    return () if head is None else (head, head + 1)


def _joined(text: str, segments: Sequence[tuple[int, int]], chosen: Sequence[int], *, numbered: bool) -> str:
    parts: list[str] = []
    at = 0
    for number in chosen:
        start, end = segments[number]
        if start > at:
            parts.append(_left_out(start - at, parts))
        shown = text[start:end]
        if numbered:
            line = text.count("\n", 0, start)
            begins = start == 0 or text[start - 1] == "\n"
            lines = enumerate(shown.split("\n"), line + 1)
            shown = "\n".join(
                f"[{n}] {each}" if each and (n > line + 1 or begins) else each for n, each in lines
            )
        parts.append(shown)
        at = end
    if at < len(text):
        parts.append(_left_out(len(text) - at, parts))
    return "".join(parts)


def _left_out(count: int, before: Sequence[str]) -> str:
    line = "" if not before or before[-1].endswith("\n") else "\n"
    return f"{line}[... {count} characters left out ...]\n"


#: Characters of all sources together that a judge is shown at most: some 15,000 tokens of English.
MOST_OF_ALL: Final = 60_000
#: What stands for the name of a model.
MASK: Final = "[model]"
#: The words and numbers of a name, and whatever other signs it has.
_PIECES: Final = re.compile(r"[^\W\d_]+|\d+(?:\.\d+)*|[^\w\s-]+")
_JOINT: Final = r"[\s_-]*"
_MARK: Final = re.compile(r"([0-9a-f]+) ---\Z")


@dataclass(frozen=True, slots=True)
class Part:
    """Words of others: what they are (in our words), and the words."""

    label: str
    text: str


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


def when(answer: AnalystAnswer) -> str:
    """The day an answer is judged by: that of its trace, never today's."""
    if answer.answered_at is None:
        return (
            "The answer's date is not known. Take dates from the query, the answer and the sources; "
            "do not assume any other."
        )
    moment = answer.answered_at
    return f"The answer was given on {moment.day} {moment:%B %Y} ({moment:%Y-%m-%d}). That day is today."


def show_sources(
    pairs: Sequence[tuple[Source, str]],
    order: Sequence[int],
    about: str,
    *,
    numbered: bool = False,
) -> ShownSources:
    """Sources for a judge: of a long one the parts in question, of very many those that say most of it.

    Args:
        pairs: the sources with their whole texts.
        order: in which they are shown; labels follow it.
        about: the words and numbers in question.
        numbered: show the number of each line before it: ``[12] ``.
    """
    taken = [excerpt(text, about, limit=MOST_CHARACTERS, numbered=numbered) for _, text in pairs]
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
        head = [
            f"{name}: {value}" for name, value in (("address", source.url), ("title", source.title)) if value
        ]
        parts.append(Part(f"source {label}", "\n".join([*head, "", taken[number].text]).strip("\n")))
    out = len(pairs) - len(kept)
    cut = any(taken[number].shown < taken[number].total for number in kept)
    notes = [f"{out} further sources hold less of it and are not shown."] if out else []
    notes += ["Of long sources only the parts that may bear on it are shown."] if cut else []
    return ShownSources(tuple(parts), named, " ".join(notes))


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

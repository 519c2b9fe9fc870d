"""How the words of others are shown to a judge: between boundaries that nobody can forge, and without names.

A boundary is drawn from the content itself, so that the same question is the same to the byte in every run,
and drawn again as long as the content holds it. Names of models stand in no question of ours; where an
answer names its own model, the name is masked, unless the query or a source speaks of it too: then it is
what the answer is about.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from typing import Final

from verifaible.judge.asking.excerpts import MOST_CHARACTERS, excerpt
from verifaible.schema.analyst import AnalystAnswer, Source
from verifaible.tools.presenting import boundaries, delimited

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
    each: int = MOST_CHARACTERS,
    most: int = MOST_OF_ALL,
    numbered: bool = False,
) -> ShownSources:
    """Sources for a judge: of a long one the parts in question, of very many those that say most of it.

    Args:
        pairs: the sources with their whole texts.
        order: in which they are shown; labels follow it.
        about: the words and numbers in question.
        each: characters of one source at most.
        most: characters of all together at most.
        numbered: show the number of each line before it: ``[12] ``.
    """
    taken = [excerpt(text, about, limit=each, numbered=numbered) for _, text in pairs]
    room, kept = most, set[int]()
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

"""Quotes of a saved page, chosen by a seed: whole sentences, and parts of them from word to word."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from scripts.accuracy.real_reader import ITEMS, PROSE, Block, Saved

Where: TypeAlias = Literal["paragraph", "inline", "item or cell"]
_ENDS: Final = re.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s|$)|[。！？]+[」』”’）]*")
_TERMINAL: Final = re.compile(r"[.!?…。！？][\"'”’»)\]」』）]*$")
_CJK: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_ABBREVIATED: Final = re.compile(r"(?:^|[\s(])(?:[A-Z][a-z]{0,3}|[a-zA-Z](?:\.[a-zA-Z])*|\d+)\.$")
_QUANTITY: Final = re.compile(
    r"[\d$€£¥%]|\b(?:half|third|quarter|dozen|hundred|thousand|[mb]illion)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Quote:
    """A quote: its block by mark, its place in the block's text, its sentence's, and what kind it is."""

    text: str
    mark: str
    start: int
    sentence: tuple[int, int]
    where: Where
    whole: bool

    @property
    def kind(self) -> str:
        """The class of its citation."""
        return f"{self.where}, {'whole sentence' if self.whole else 'part of one'}"


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """The sentences of a block that surely are whole; a text without a full stop is one."""
    start, sure = 0, True
    for match in re.finditer(r"\n|" + _ENDS.pattern, text):
        behind = text[match.end() :].lstrip(" \"'“‘«(")
        if match.group() != "\n" and (behind[:1].islower() or _ABBREVIATED.search(text[: match.end()])):
            continue  # an ellipsis, an abbreviation
        end = match.start() if match.group() == "\n" else match.end()
        if sure and (match.group() != "\n"):
            yield _trimmed(text, start, end)
        sure = (
            match.group() != "\n"
            or not text[start:end].strip()
            or bool(_TERMINAL.search(text[:end].rstrip()))
        )
        start = match.end()
    if sure and text[start:].strip():
        yield _trimmed(text, start, len(text))


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def words_of(text: str) -> list[tuple[int, int]]:
    """The words between white space; of Chinese, Japanese and Korean the clauses, which nothing cuts."""
    pattern = r"[^\s、，；：,;]+" if _CJK.search(text) else r"\S+"
    return [match.span() for match in re.finditer(pattern, text)]


def _part(
    text: str, first: int, last: int, chance: random.Random, around: int | None
) -> tuple[int, int] | None:
    """From one word of a sentence to another, no number at either edge; over ``around``, if given."""
    words = [(first + start, first + end) for start, end in words_of(text[first:last])]
    least = 2 if _CJK.search(text) else 4
    if len(words) < least + 1:
        return None
    for _ in range(8):
        if around is None:
            begin = chance.randrange(0, len(words) - least + 1)
        else:
            before = [n for n, word in enumerate(words) if word[1] <= around]
            if not before:
                return None
            begin = chance.choice(before[-4:])
        end = min(len(words), begin + chance.randint(least, 12))
        edges = words[max(0, begin - 1) : begin + 1] + words[end - 1 : end + 1]
        if end - begin == len(words) or any(_QUANTITY.search(text[slice(*edge)]) for edge in edges):
            continue
        start, stop = words[begin][0], words[end - 1][1]
        said = text[start:stop]
        start += len(said) - len(re.sub(r"^[^\w]+", "", said))
        stop -= len(said) - len(re.sub(r"[^\w]+$", "", said))
        if stop - start >= 10 and (around is None or start < around < stop):
            return start, stop
    return None


def quotes(saved: Saved, chance: random.Random) -> dict[tuple[Where, bool], list[Quote]]:
    """All that may be quoted, by kind and variant, in a seeded order; each stands once on the page."""
    found: dict[tuple[Where, bool], list[Quote]] = {
        (where, whole): [] for where in ("paragraph", "inline", "item or cell") for whole in (True, False)
    }
    for block in saved.blocks():
        for first, last in sentences(block.text):
            if not 16 <= last - first <= 400:
                continue
            for where in _kinds(block, first, last):
                edges = [start for start, _ in block.inline if first < start < last]
                around = chance.choice(edges) if where == "inline" else None
                for whole in (True, False):
                    span = (first, last) if whole else _part(block.text, first, last, chance, around)
                    if span is None or "\n" in block.text[slice(*span)]:
                        continue
                    text = block.text[slice(*span)]
                    if saved.squeezed.count("".join(text.split()).casefold()) == 1:
                        found[where, whole].append(
                            Quote(text, block.mark, span[0], (first, last), where, whole)
                        )
    for each in found.values():
        chance.shuffle(each)
    return found


def _kinds(block: Block, first: int, last: int) -> Iterator[Where]:
    if any(first < start < last or first < end < last for start, end in block.inline):
        if any(first < start < last for start, _ in block.inline):
            yield "inline"
    elif block.element.tag in PROSE and len(words_of(block.text[first:last])) >= 2:
        yield "paragraph"
    if block.element.tag in ITEMS:
        yield "item or cell"

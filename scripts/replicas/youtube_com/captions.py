"""Caption tracks: the known lines at their known times, the gaps filled with made-up sentences.

``data/talk.json`` and ``data/network.json`` give the number of lines, the known ones, and a
vocabulary in groups of (subjects, predicates); any subject of a group goes with any of its
predicates. Times are whole milliseconds.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import gcd
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

DATA = Path(__file__).parent / "data"
GAP_MS = 24  # the usual pause between neighbouring lines of the talk's own captions
ASR_WORDS = 7
STRIDE = 11  # larger than a row of the vocabulary, so that neighbours differ in both halves


@dataclass(frozen=True)
class Line:
    """One caption: start and length in milliseconds, and the words, which may hold a line break."""

    start_ms: int
    duration_ms: int
    text: str


def _phrase(value: str | list[str], lang: str) -> str:
    if isinstance(value, str):
        return value
    return value[1] if lang.startswith("zh") else value[0]


def _order(size: int) -> list[int]:
    """All numbers below ``size``, spread out so that neighbours share neither subject nor predicate."""
    stride = STRIDE
    while gcd(size, stride) != 1:
        stride += 1
    return [index * stride % size for index in range(size)]


def _sentences(groups: Sequence[Any], lang: str) -> list[str]:
    chinese = lang.startswith("zh")
    result = []
    for subjects, predicates in groups:
        for index in _order(len(subjects) * len(predicates)):
            subject = _phrase(subjects[index // len(predicates)], lang)
            predicate = _phrase(predicates[index % len(predicates)], lang)
            result.append(f"{subject}{predicate}。" if chinese else f"{subject} {predicate}.")
    return result


def _gap(first_ms: int, end_ms: int, texts: Sequence[str]) -> Iterator[Line]:
    """``texts`` spread over a gap, each as long as its share of the letters."""
    free = end_ms - first_ms - GAP_MS * (len(texts) + 1)
    letters = sum(map(len, texts))
    done = 0
    for index, text in enumerate(texts):
        start = first_ms + GAP_MS * (index + 1) + free * done // letters
        done += len(text)
        stop = first_ms + GAP_MS * (index + 1) + free * done // letters
        yield Line(start, stop - start, text)


def _known(entry: dict[str, Any], lang: str) -> Line:
    text = entry["zh" if lang.startswith("zh") else "en"]
    return Line(round(entry["start"] * 1000), round(entry["dur"] * 1000), text)


def manual_track(name: str, lang: str) -> list[Line]:
    """The captions a person wrote: ``name`` is ``talk`` or ``network``, ``lang`` ``en`` or ``zh-Hans``."""
    data = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    sentences = _sentences(data["fill"], lang)
    # Every sentence at most once, and the groups spread over the whole length.
    wanted = data["lines"] - len(data["known"])
    if wanted > len(sentences):
        raise ValueError(f"{name}.json: {wanted} sentences are needed, the vocabulary gives {len(sentences)}")
    chosen = iter([sentences[index * len(sentences) // wanted] for index in range(wanted)])
    lines: list[Line] = []
    for entry, following in pairwise(data["known"]):
        line = _known(entry, lang)
        lines.append(line)
        texts = [next(chosen) for _ in range(following["n"] - entry["n"] - 1)]
        lines += _gap(line.start_ms + line.duration_ms, round(following["start"] * 1000), texts)
    return [*lines, _known(data["known"][-1], lang)]


def generated_track(lines: Iterable[Line]) -> list[Line]:
    """The same words as speech recognition writes them: no capitals, no points, cut every few words.

    Neighbouring lines overlap in time, as those of the real service do.
    """
    words: list[tuple[int, int, str]] = []
    for line in lines:
        heard = re.sub(r"[(]([^)]*)[)]", r"[\1]", line.text)
        if not heard.startswith("["):
            heard = re.sub(r'[.,?"]|--|(?<=\s)[(]|[)]', "", heard.replace("13,000", "13000")).lower()
        parts = heard.split()
        for index, word in enumerate(parts):
            words.append((line.start_ms + line.duration_ms * index // len(parts), line.duration_ms, word))
    result = []
    for index in range(0, len(words), ASR_WORDS):
        chunk = words[index : index + ASR_WORDS]
        after = words[min(index + 2 * ASR_WORDS, len(words)) - 1]
        text = " ".join(word for _, _, word in chunk)
        result.append(Line(chunk[0][0], max(after[0] - chunk[0][0], chunk[-1][1]), text))
    return result


def _seconds(milliseconds: int) -> str:
    return f"{milliseconds / 1000:.3f}".rstrip("0").rstrip(".")


def timed_text(lines: Iterable[Line]) -> bytes:
    """The service's timed-text XML: HTML entities inside XML, so that a reader decodes twice."""
    rows = "".join(
        f'<text start="{_seconds(line.start_ms)}" dur="{_seconds(line.duration_ms)}">'
        f"{escape(html.escape(line.text).replace('&#x27;', '&#39;'))}</text>"
        for line in lines
    )
    return f'<?xml version="1.0" encoding="utf-8" ?><transcript>{rows}</transcript>'.encode()

"""Long answers whose every claim is marked by hand, with the sources that their authors had.

``answers/NAME.answer.md`` is Markdown in which ``«words»(c,h)`` marks a claim: ``c`` is what a careful
reader says of its citation, ``h`` of its truth against all sources. ``answers/NAME.context.md`` is what the
model was given, in the form of the public traces; ``queries.json`` has the query, the tag and the day of
each. All figures are made up.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent / "answers"
MODEL: Final = "marked"
_MARK = re.compile(r"«([^«»]*)»\(([a-z]),([a-z-])\)")
_CITATION: Final = {
    "d": "direct",
    "v": "derivable",
    "i": "incorrect",
    "m": "missing",
    "n": "not_needed",
}
_TRUTH: Final = {"e": "exact", "v": "derivable", "f": "fabricated", "c": "contradiction", "-": ""}
#: Written when the code had been mended for the others; its first figures stand in the document.
LATER: Final = Path(__file__).parent / "answers_later"
#: Written by authors who knew neither the code nor the others; the code was mended for them after.
BLIND: Final = Path(__file__).parent / "answers_blind"
#: Written in the same way when the code had been mended for those; first measured as it is now.
UNSEEN: Final = Path(__file__).parent / "answers_unseen"


@dataclass(frozen=True, slots=True)
class Marked:
    """A claim as it was marked: its range in the plain answer, and what is true of it."""

    start: int
    end: int
    words: str
    citation: str
    truth: str


@dataclass(frozen=True, slots=True)
class MarkedAnswer:
    """An answer without the marks, the day it was given, the marks, and the context that its author had."""

    name: str
    query: str
    tag: str
    day: str
    answer: str
    claims: tuple[Marked, ...]
    context: str


def marked_answers(folder: Path = FOLDER) -> tuple[MarkedAnswer, ...]:
    """Every marked answer of a folder, by name."""
    queries = json.loads((folder / "queries.json").read_text(encoding="utf-8"))
    return tuple(_read(path, queries) for path in sorted(folder.glob("*.answer.md")))


def _read(path: Path, queries: Mapping[str, Sequence[str]]) -> MarkedAnswer:
    name = path.name.removesuffix(".answer.md")
    text = path.read_text(encoding="utf-8")
    plain, claims, at = "", [], 0
    for match in _MARK.finditer(text):
        plain += text[at : match.start()]
        claims.append(
            Marked(len(plain), len(plain) + len(match[1]), match[1], _CITATION[match[2]], _TRUTH[match[3]])
        )
        plain += match[1]
        at = match.end()
    plain += text[at:]
    context = path.with_name(f"{name}.context.md").read_text(encoding="utf-8")
    query, tag, day = queries[name]
    return MarkedAnswer(name, query, tag, day, plain, tuple(claims), context)


def write_public(answers: tuple[MarkedAnswer, ...], folder: Path) -> Path:
    """Write answers as the public benchmark has them: a CSV, and a trace for each beside it."""
    traces = folder / "output" / MODEL / "traces"
    traces.mkdir(parents=True)
    for each in answers:
        span = {
            "name": "Cyrpto Final Response",
            "context.span_id": f"span-{each.name}",
            "span_kind": "LLM",
            "parent_id": None,
            "end_time": f"{each.day}T12:00:00+00:00",
            "attributes.input.value": {
                "messages": [
                    {"role": "system", "content": "You are an analyst."},
                    {"role": "user", "content": each.context},
                ]
            },
            "attributes.output.value": {"choices": [{"message": {"content": each.answer}}]},
        }
        trace = {"session_id": each.name, "traces": [{"trace_id": f"trace-{each.name}", "spans": [span]}]}
        (traces / f"{each.name}.json").write_text(json.dumps(trace, ensure_ascii=False), encoding="utf-8")
    table = folder / "answers.csv"
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["query", "tags", f"{MODEL}_response", f"{MODEL}_chat_id"])
        writer.writerows([each.query, each.tag, each.answer, each.name] for each in answers)
    return table

"""Long answers whose every claim is marked by hand, with the sources that their authors had.

A row of ``tests/suites/checking/answers.jsonl`` names the answer, and what the model was given in the form of
the public traces. Of each claim it says what a careful reader says of its citation, and of its truth against
all sources. All figures are made up. ``heldout-1`` was written when the code had been mended for the others;
``heldout-2`` by authors who knew neither the code nor the others, and the code was mended for them after;
``heldout-3`` in the same way when it had been mended for those, and first measured as it is now.
"""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.kit import suites
from tests.kit.suites import Row

MODEL: Final = "marked"


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


def marked_answers(split: str = "dev") -> tuple[MarkedAnswer, ...]:
    """Every marked answer of a split, by name."""
    rows = sorted(suites.load("checking/answers", split=split), key=lambda row: row.id)
    return tuple(map(_read, rows))


def _read(row: Row) -> MarkedAnswer:
    given = row.input
    answer, context = (
        (suites.ROOT / given[name]["file"]).read_text(encoding="utf-8") for name in ("answer", "context")
    )
    claims = tuple(
        Marked(
            each["at"],
            each["at"] + len(each["words"]),
            each["words"],
            each["citation"],
            each.get("truth", ""),
        )
        for each in row.expect["claims"]
    )
    return MarkedAnswer(row.id, given["query"], given["tag"], given["day"], answer, claims, context)


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

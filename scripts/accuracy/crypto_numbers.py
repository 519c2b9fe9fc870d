"""How many changed and wrongly bound numbers of crypto answers are caught, and how many right ones resolve.

``python -m scripts.accuracy.crypto_numbers``; with ``--show`` also each that is judged wrongly.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache

from tests.kit import suites
from verifaible.crypto.numbers.resolve import resolve_numbers
from verifaible.schema.data import DataPoint
from verifaible.text.markers import find_data_marks

#: When all answers are given.
NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
#: Name of a set, its split, and how the kinds of its rows begin. As first measured, 49 of 80 right sentences,
#: 40 of 40 changed values and 34 of 40 wrong bindings of the outside author's were judged as they should be;
#: the code was mended by them since.
SETS: tuple[tuple[str, str, str], ...] = (
    ("right sentences resolved", "dev", "right"),
    ("changed values caught", "dev", "value"),
    ("wrong bindings caught", "dev", "binding"),
    ("later right sentences resolved", "heldout-1", "right"),
    ("later changed values caught", "heldout-1", "value"),
    ("later wrong bindings caught", "heldout-1", "binding"),
    ("written one by one", "heldout-2", ""),
    ("by an outside author", "heldout-3", ""),
)


@dataclass(frozen=True)
class Example:
    """An answer, the question before it, and which number with a mark must not resolve; 0: all must."""

    kind: str
    text: str
    prompt: str
    points: tuple[DataPoint, ...]
    wrong: int


@cache
def _points(file: str) -> tuple[DataPoint, ...]:
    given = json.loads((suites.ROOT / file).read_text(encoding="utf-8"))
    return tuple(DataPoint.model_validate(each) for each in given)


def examples(name: str) -> list[Example]:
    """The examples of a set."""
    (chosen,) = (each for each in SETS if each[0] == name)
    _, split, kind = chosen
    return [
        Example(
            row.kind,
            row.input["text"],
            row.input.get("question", ""),
            _points(row.input["file"]),
            row.expect["wrong"],
        )
        for row in suites.load("crypto/numbers", split=split)
        if row.kind.startswith(kind)
    ]


def judged(example: Example) -> tuple[bool, str]:
    """Whether an example was judged as it should be, and what was said of its numbers."""
    found = resolve_numbers(example.text, example.points, prompt=example.prompt, at=NOW)
    told = "; ".join(f"{example.text[each.start : each.end]} {each.status} {each.reason}" for each in found)
    places = [mark.start for mark in find_data_marks(example.text) for _ in mark.places]
    if not example.wrong:
        return len(found) == len(places) and all(each.status == "resolved" for each in found), told
    place = places[example.wrong - 1]
    before = [each for each in found if each.start < place]
    return bool(before) and before[-1].status != "resolved", told


def measured(chosen: Iterable[Example]) -> Iterator[tuple[Example, bool, str]]:
    """Each example with its judgement."""
    for example in chosen:
        yield example, *judged(example)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", action="store_true", help="show what is judged wrongly")
    show = parser.parse_args().show
    print("| set | right | of |\n|---|---|---|")
    for name, _, _ in SETS:
        kinds: dict[str, list[bool]] = defaultdict(list)
        for example, good, told in measured(examples(name)):
            kinds[example.kind].append(good)
            if show and not good:
                print(f"  {example.kind}: {example.text!r} -> {told}")
        total = [good for each in kinds.values() for good in each]
        print(f"| **{name}** | {sum(total)} | {len(total)} |")
        for kind, each in sorted(kinds.items()):
            print(f"| {kind} | {sum(each)} | {len(each)} |")


if __name__ == "__main__":
    main()

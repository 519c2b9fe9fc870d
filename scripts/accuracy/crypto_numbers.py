"""How many changed and wrongly bound numbers of crypto answers are caught, and how many right ones resolve.

``python -m scripts.accuracy.crypto_numbers``; with ``--show`` also each that is judged wrongly.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

from scripts.accuracy.crypto_numbers_cases import NOW, Example, changed, misbound, right
from scripts.accuracy.crypto_numbers_later import (
    by_hand,
    later_changed,
    later_misbound,
    later_right,
    outside,
)
from verifaible.crypto.numbers.resolve import resolve_numbers
from verifaible.text.markers import find_data_marks

SETS: tuple[tuple[str, Callable[[], Iterator[Example]]], ...] = (
    ("right sentences resolved", right),
    ("changed values caught", changed),
    ("wrong bindings caught", misbound),
    ("later right sentences resolved", later_right),
    ("later changed values caught", later_changed),
    ("later wrong bindings caught", later_misbound),
    ("written one by one", by_hand),
    ("by an outside author", outside),
)


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


def measured(examples: Iterable[Example]) -> Iterator[tuple[Example, bool, str]]:
    """Each example with its judgement."""
    for example in examples:
        yield example, *judged(example)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", action="store_true", help="show what is judged wrongly")
    show = parser.parse_args().show
    print("| set | right | of |\n|---|---|---|")
    for name, examples in SETS:
        kinds: dict[str, list[bool]] = defaultdict(list)
        for example, good, told in measured(examples()):
            kinds[example.kind].append(good)
            if show and not good:
                print(f"  {example.kind}: {example.text!r} -> {told}")
        total = [good for each in kinds.values() for good in each]
        print(f"| **{name}** | {sum(total)} | {len(total)} |")
        for kind, each in sorted(kinds.items()):
            print(f"| {kind} | {sum(each)} | {len(each)} |")


if __name__ == "__main__":
    main()

"""What a case of a suite came to, and the counts of a suite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

#: ``right``: the expected verdict at the expected place. ``wrong place``: another place was taken
#: for the evidence. ``missed``: it is there and was not found, or was refused. ``wrong verdict``:
#: the place is right, what is said of it is not. ``false verified``: something changed or deleted was
#: called verified or moved. ``false present``: something deleted was reported as present, but changed.
Outcome: TypeAlias = Literal[
    "right", "wrong place", "missed", "wrong verdict", "false verified", "false present"
]
OUTCOMES: tuple[Outcome, ...] = (
    "right",
    "wrong place",
    "missed",
    "wrong verdict",
    "false verified",
    "false present",
)


@dataclass(frozen=True, slots=True)
class Result:
    """One case: its class, its name, what came of it, and what was said, where that is not right."""

    kind: str
    name: str
    outcome: Outcome
    said: str = ""


@dataclass(frozen=True, slots=True)
class Tally:
    """The counts of one class of a suite."""

    kind: str
    total: int
    counts: Counter[Outcome]

    @property
    def right(self) -> int:
        """How many cases came out right."""
        return self.counts["right"]


def tallies(results: Iterable[Result]) -> list[Tally]:
    """The counts of every class, in the order in which the classes first appear."""
    found: dict[str, Counter[Outcome]] = {}
    for result in results:
        found.setdefault(result.kind, Counter())[result.outcome] += 1
    return [Tally(kind, sum(counts.values()), counts) for kind, counts in found.items()]


@dataclass(slots=True)
class Measured:
    """What came of one page."""

    page: str
    seconds: float = 0.0
    results: list[Result] = field(default_factory=list)

    def add(self, kind: str, came_to: object, said: str = "") -> None:
        """Count a case."""
        name = f"{self.page} {sum(each.kind == kind for each in self.results) + 1}"
        self.results.append(Result(kind, name, came_to, "" if came_to == "right" else said))  # type: ignore[arg-type]

"""Which runs there are, which faults each has, and when: all drawn from one seed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

#: The agents of runs: one that answers nothing, the reference agent, and a model that does the same as it.
NOP, ORACLE, MODEL = "nop", "oracle", "fault/suite"
#: Faults, by what they hit; those that an agent's runs can have; the seconds that those last which pass.
WORKERS: Final = ("worker killed", "worker stopped", "node replaced", "driver killed")
SERVICES: Final = ("browser killed", "database away", "bucket away", "bucket hangs")
ENDPOINT: Final = ("endpoint slow", "endpoint busy", "endpoint failing")
_KINDS: Final = {
    NOP: WORKERS,
    ORACLE: (*WORKERS, *SERVICES),
    MODEL: (*ENDPOINT, "worker killed", "driver killed"),
}
LASTING_S: Final = {
    "worker stopped": (20.0, 20.0),
    "database away": (5.0, 30.0),
    "bucket away": (5.0, 30.0),
    "bucket hangs": (5.0, 20.0),
    **dict.fromkeys(ENDPOINT, (5.0, 12.0)),
}
#: The whole suite: agent, faults of each of its runs, and the cases and trials of each run.
_WHOLE: Final = (
    (ORACLE, (3,) * 10, 6, 1),
    (MODEL, (5, 5), 6, 1),
    (NOP, (3, 2, 3, 2), 15, 5),
)
#: When more of its trials than this have a line, a run may end before a fault can hit it.
_LATEST = 0.6


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of a run.

    Attributes:
        kind: what fails.
        after: lines of results that are there first.
        delay_s: and so long after that.
        lasts_s: 0 for what does not pass.
        then: where the run goes on, after the driver was killed: ``ray`` or ``local``.
    """

    kind: str
    after: int
    delay_s: float
    lasts_s: float = 0.0
    then: str = "ray"


@dataclass(frozen=True, slots=True)
class Run:
    """A run of the suite.

    Attributes:
        name: of its store and folder.
        agent: who does the trials.
        cases: by their ids.
        trials: of each.
        begins: where: ``ray`` or ``local``.
        faults: in their order.
    """

    name: str
    agent: str
    cases: tuple[str, ...]
    trials: int
    begins: str
    faults: tuple[Fault, ...]

    @property
    def size(self) -> int:
        """Its trials."""
        return len(self.cases) * self.trials


#: What ``make test`` has time for: on one node, a driver killed in this process and one on the cluster.
SHORT: Final = (
    Run(
        "oracle_run",
        ORACLE,
        ("us_text_001",),
        3,
        "local",
        (
            Fault("driver killed", 0, 0.2, then="ray"),
            Fault("worker killed", 1, 0.0),
            Fault("driver killed", 2, 0.0, then="local"),
        ),
    ),
)


def planned(seed: int, faults: int, cases: Sequence[str]) -> tuple[Run, ...]:
    """The runs of the suite.

    Args:
        seed: equal seeds give equal runs.
        faults: how many in all; with fewer than the whole 50 there are fewer runs.
        cases: ids to draw from.
    """
    chance = random.Random(seed)  # noqa: S311
    runs: list[Run] = []
    shape = [(agent, each, number, trials) for agent, of, number, trials in _WHOLE for each in of]
    chosen = _spread(shape, faults)
    decks: dict[str, list[str]] = {}
    for agent, of_run, number, trials in chosen:
        kinds = [_dealt(decks.setdefault(agent, []), agent, chance) for _ in range(of_run)]
        begins, kinds, then = _sessions(kinds, chance)
        size = number * trials
        afters = sorted(chance.randrange(int(size * _LATEST) + 1) for _ in kinds)
        afters[0] = min(afters[0], size // 4)
        made = tuple(
            Fault(
                kind,
                after,
                round(chance.uniform(0.0, 0.05 if agent == NOP else 1.2), 2),
                round(chance.uniform(*LASTING_S[kind]), 1) if kind in LASTING_S else 0.0,
                then,
            )
            for kind, after in zip(kinds, afters, strict=True)
        )
        drawn = tuple(sorted(chance.sample(list(cases), min(number, len(cases)))))
        runs.append(Run(f"run_{len(runs) + 1}", agent, drawn, trials, begins, made))
    return tuple(runs)


def _spread(shape: list[tuple[str, int, int, int]], faults: int) -> list[tuple[str, int, int, int]]:
    """As many runs of the whole, of every agent by turns, as have so many faults together."""
    by_agent = [[run for run in shape if run[0] == agent] for agent in dict.fromkeys(run[0] for run in shape)]
    turns = [run for place in range(len(shape)) for of in by_agent for run in of[place : place + 1]]
    chosen, left = [], faults
    for agent, of_run, number, trials in turns:
        if left > 0:
            chosen.append((agent, min(of_run, left), number, trials))
            left -= of_run
    return chosen


def _dealt(deck: list[str], agent: str, chance: random.Random) -> str:
    """A kind of fault that the agent's runs can have; none comes again before all have come."""
    if not deck:
        deck += _KINDS[agent]
        chance.shuffle(deck)
    return deck.pop()


def _sessions(kinds: list[str], chance: random.Random) -> tuple[str, list[str], str]:
    """Where a run begins and goes on, if its driver is killed, and its faults in an order that fits it."""
    killed = kinds.count("driver killed")
    way = chance.choice(("ray", "to local", "from local")) if killed == 1 else "ray"
    others = [kind for kind in kinds if kind != "driver killed"]
    if way == "to local":  # the faults of a cluster come while there is one
        return "ray", [*others, "driver killed"], "local"
    if way == "from local":
        return "local", ["driver killed", *others], "ray"
    return "ray", kinds, "ray"

"""Many processes that add to one store at once, some of them killed: what is in the log afterwards.

Each writer adds citations whose claims are its own, and notes a claim when its addition has returned. So a
claim that was noted must be named by the log exactly once, and one that was not, at most once.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import BrokenBarrierError
from time import monotonic, perf_counter, sleep
from typing import Any, NoReturn
from unittest.mock import patch

from scripts.benchmark.table import Section
from tests.kit import services
from tests.unit.evidence.samples import add
from verifaible.store.entries import CustodyEntry
from verifaible.store.store import Store

#: Writers are forked from a process without threads that has imported everything: a start takes no second.
_CONTEXT = get_context("forkserver")
#: How long writers may take to start, and for an addition of each, on a busy machine.
_START_S, _ADDITION_S = 300.0, 1.0


@dataclass(frozen=True, slots=True)
class Shared:
    """A store that processes share."""

    location: str
    index_url: str
    folder: Path
    environment: dict[str, str] = field(default_factory=dict)

    def open(self) -> Store:
        """The store, as a new process opens it."""
        location: Any = self.location if "://" in self.location else Path(self.location)
        return Store(location, index_url=self.index_url)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What writers left.

    Attributes:
        noted: additions that returned.
        lost: those that the log does not name.
        doubled: claims that it names more than once.
        begun: claims that it names although their addition did not return: their writers were killed.
        faults: what the examination of log and index says.
        wall_s: from the start of all writers until the last ended.
        taken_s: the seconds of each addition that returned.
        follow_s: how long an index that was left behind took to come up to the end of the log.
    """

    noted: int
    lost: int
    doubled: int
    begun: int
    faults: tuple[str, ...]
    wall_s: float
    taken_s: tuple[float, ...]
    follow_s: float

    @property
    def sound(self) -> bool:
        """Whether nothing was lost or doubled, and the log holds."""
        return not (self.lost or self.doubled or self.faults)


def _write(shared: Shared, life: str, additions: int, together: Any) -> None:
    """One writer's life: as many additions, each noted behind its return with the seconds that it took."""
    with (
        patch.dict("os.environ", shared.environment),
        (shared.folder / f"{life}.noted").open("w", encoding="utf-8") as noted,
    ):
        store = shared.open()
        if together is not None:
            _ = store.signer
            together.wait(_START_S)
        for number in range(additions):
            claim = f"{life} {number}"
            started = perf_counter()
            add(store, claim, title=f"Page of {claim}")
            noted.write(f"{claim}\t{perf_counter() - started:.6f}\n")
            noted.flush()


def write(
    shared: Shared,
    *,
    writers: int,
    additions: int,
    kills: int = 0,
    seed: int = 1,
    limit_s: float | None = None,
) -> Outcome:
    """Let writers add to a store, and look at what they left.

    Args:
        shared: the store, empty or not there.
        writers: processes at once.
        additions: of each; a writer that takes a killed one's place adds what that had not noted.
        kills: so many times a writer is killed (SIGKILL) wherever it is.
        seed: of who is killed and when.
        limit_s: how long all additions may take; default: a second each, and five minutes.

    Raises:
        SystemExit: the writers did not start, or took longer; those that run are ended.
    """
    _CONTEXT.set_forkserver_preload([__name__])
    shared.folder.mkdir(parents=True, exist_ok=True)
    chance, total = random.Random(seed), writers * additions  # noqa: S311
    together = _CONTEXT.Barrier(writers + 1)
    running = {f"w{each}": _start(shared, f"w{each}", additions, together) for each in range(writers)}
    left, failed, killed = dict.fromkeys(running, additions), 0, 0
    try:
        together.wait(_START_S)
    except BrokenBarrierError:
        _end(running, f"{writers} writers did not start within {_START_S:.0f} s.")
    started = monotonic()
    limit_s = _START_S + total * _ADDITION_S if limit_s is None else limit_s
    while running:
        sleep(0.02)
        if monotonic() - started > limit_s:
            done = sum(map(len, _noted(shared).values()))
            _end(running, f"{done} of {total} additions were made within {limit_s:.0f} s.")
        failed += sum(bool(each.exitcode) for each in running.values())
        running = {life: process for life, process in running.items() if process.exitcode is None}
        noted = _noted(shared)
        # The kills are spread over the additions; which moment of one they hit is chance.
        if running and killed < kills and sum(map(len, noted.values())) >= total * (killed + 1) / (kills + 1):
            sleep(chance.random() * 0.2)
            life = chance.choice(sorted(running))
            process = running.pop(life)
            process.kill()
            process.join()
            killed += 1
            again, rest = f"{life}+", left[life] - len(_noted(shared).get(life, ()))
            if rest:
                left[again], running[again] = rest, _start(shared, again, rest, None)
    wall_s = monotonic() - started
    outcome = _examined(shared, wall_s)
    ended = (f"{failed} writers failed.",) if failed else ()
    return replace(outcome, faults=(*ended, *outcome.faults))


def _end(running: Mapping[str, BaseProcess], told: str) -> NoReturn:
    for process in running.values():
        process.kill()
        process.join()
    raise SystemExit(
        f"{told} Measure fewer (--writers, --additions), or on a machine that does nothing else."
    )


def _start(shared: Shared, life: str, additions: int, together: Any) -> BaseProcess:
    process = _CONTEXT.Process(target=_write, args=(shared, life, additions, together))
    process.start()
    return process


def _noted(shared: Shared) -> dict[str, list[tuple[str, float]]]:
    """What each life noted; a line that does not end was being written when it was killed."""
    found = {}
    for path in shared.folder.glob("*.noted"):
        lines = path.read_text(encoding="utf-8").split("\n")[:-1]
        found[path.stem] = [(claim, float(taken)) for claim, taken in (each.split("\t") for each in lines)]
    return found


def _examined(shared: Shared, wall_s: float) -> Outcome:
    notes = [each for life in _noted(shared).values() for each in life]
    named: Counter[str] = Counter()

    def take(_: int, entry: CustodyEntry) -> None:
        named.update(Path(each.name).stem for each in entry.items if each.kind == "citation")

    with patch.dict("os.environ", shared.environment):
        store = shared.open()
        faults = [*store.custody.examine(take).faults]
        head, last = store.custody.head(), store.custody.count()
        started = perf_counter()
        listed = {row.id: row.claim for row in store.rows()}
        follow_s = perf_counter() - started
        store.close()
    if listed.keys() != named.keys():
        faults.append(f"The log names {len(named)} citations, the index lists {len(listed)}.")
    if head is None or head.number != last:
        faults.append(f"The head speaks of {head and head.number} entries, {last} are there.")
    claims, noted = set(listed.values()), {claim for claim, _ in notes}
    return Outcome(
        noted=len(notes),
        lost=len(noted - claims),
        doubled=sum(times > 1 for times in named.values()),
        begun=len(claims - noted),
        faults=tuple(faults),
        wall_s=wall_s,
        taken_s=tuple(taken for _, taken in notes),
        follow_s=follow_s,
    )


#: Where the log is and what index follows it; a folder's own index is SQLite.
PLACES = ("folder, SQLite", "folder, PostgreSQL", "S3, PostgreSQL")


@contextmanager
def place(kind: str) -> Iterator[Shared]:
    """A new place for a store, of one of the kinds ``PLACES``; its servers stop afterwards."""
    with TemporaryDirectory(prefix="verifaible-scale-") as name, ExitStack() as stack:
        folder = Path(name)
        index_url, location = "", str(folder / "store")
        environment: dict[str, str] = {}
        if "PostgreSQL" in kind:
            lock = Path(tempfile.gettempdir()) / "verifaible-scale-postgres.lock"
            index_url = stack.enter_context(services.postgres(lock))
        if "S3" in kind:
            location, environment = services.bucket(stack.enter_context(services.s3()), "writers")
        yield Shared(location, index_url, folder / "notes", environment)


def run(places: Sequence[str], *, writers: int, additions: int, kills: int) -> Section:
    """Measure in these places, with and without kills, and give the table."""
    rows = []
    for kind in places:
        for killed in (0, kills):
            with place(kind) as shared:
                found = write(shared, writers=writers, additions=additions, kills=killed)
            for fault in found.faults:
                print(f"{kind}: {fault}", file=sys.stderr)
            rows.append((f"{kind}; {killed} kills", *_figures(found)))
            print(rows[-1], file=sys.stderr, flush=True)
    return Section(
        "The custody log with many writers",
        f"{writers} processes add {additions} citations each to one store (capture, picture, citation, "
        "signed entry). Killed writers (SIGKILL) are replaced. The processes, the database and the S3 server "
        "(moto, in Python) share the machine. Goal: none lost, none doubled, the log sound.",
        ("place", "noted", "lost", "doubled", "log", "additions/s", "median ms", "95 % ms", "index follows"),
        tuple(rows),
    )


def _figures(found: Outcome) -> Sequence[str]:
    taken = statistics.quantiles(found.taken_s, n=20)
    return (
        f"{found.noted:,}",
        str(found.lost),
        str(found.doubled),
        "faulty" if found.faults else "sound",
        f"{found.noted / found.wall_s:.0f}",
        f"{statistics.median(found.taken_s) * 1000:.0f}",
        f"{taken[-1] * 1000:.0f}",
        f"{found.follow_s:.1f} s",
    )

"""A cluster with all its services, and what can happen to it."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path

import psutil

from scripts.faults.cluster import Nodes, actors, browsers
from scripts.faults.plan import Fault
from scripts.faults.services import Bucket, Database, Endpoint, Mood
from verifaible.schema.case import Case

_MOODS: dict[str, Mood] = {"endpoint slow": "slow", "endpoint busy": "busy", "endpoint failing": "failing"}
#: A worker that was lost has a process again within this time, where its node is there.
_TARGET_WAIT_S = 90.0


class World:
    """Three nodes by default, PostgreSQL, a bucket and an endpoint; used within ``with``.

    Args:
        folder: an empty one with a short path, which every user may enter.
        chance: draws what is hit.
        nodes: of the cluster.
    """

    def __init__(self, folder: Path, chance: random.Random, *, nodes: int = 3) -> None:
        self._folder = folder
        self._chance = chance
        self._number = nodes
        self._opened = ExitStack()
        self.endpoint: Endpoint | None = None

    def __enter__(self) -> World:
        with ExitStack() as opened:
            self.bucket = Bucket()
            opened.callback(self.bucket.close)
            self.database = Database(self._folder / "data")
            opened.callback(self.database.close)
            self.nodes = Nodes(self._folder, self._number)
            opened.callback(self.nodes.close)
            self._opened = opened.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def serve(self, cases: Mapping[str, Case], answers: Mapping[str, str]) -> None:
        """Open the endpoint, which says these answers."""
        self.endpoint = Endpoint(cases, answers)
        self._opened.callback(self.endpoint.close)

    def inflict(self, fault: Fault, driver: psutil.Popen) -> Callable[[], None] | None:
        """Have a fault happen; what ends it again, for one that lasts.

        Raises:
            TimeoutError: there is nothing that it could hit.
        """
        kind = fault.kind
        if kind == "driver killed":
            driver.kill()
        elif kind == "node replaced":
            self.nodes.replace(self._chance)
        elif kind == "worker killed":
            self._one(actors).kill()
        elif kind == "browser killed":
            self._one(browsers).kill()
        elif kind == "worker stopped":
            worker = self._one(actors)
            worker.send_signal(signal.SIGSTOP)
            return lambda: _go_on(worker)
        elif kind == "database away":
            self.database.away()
            return self.database.back
        elif kind == "bucket away":
            self.bucket.away()
            return self.bucket.back
        elif kind == "bucket hangs":
            self.bucket.hang()
            return self.bucket.go_on
        else:
            assert self.endpoint is not None
            self.endpoint.mood = _MOODS[kind]
            return self._well
        return None

    def _well(self) -> None:
        assert self.endpoint is not None
        self.endpoint.mood = "well"

    def _one(self, kind: Callable[[], list[psutil.Process]]) -> psutil.Process:
        until = time.monotonic() + _TARGET_WAIT_S
        while time.monotonic() < until:
            if found := kind():
                return self._chance.choice(found)
            time.sleep(0.05)
        raise TimeoutError("no process of this kind")


def _go_on(worker: psutil.Process) -> None:
    with suppress(psutil.NoSuchProcess):
        worker.send_signal(signal.SIGCONT)

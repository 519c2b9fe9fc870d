"""A Ray cluster of several nodes on this machine, and its processes."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

#: Every process that the suite starts, or that comes of those, has this in its environment.
MARK = "VERIFAIBLE_FAULT_SUITE"
_MEMORY = 80_000_000
#: A node gives up after half a minute, which on a very busy machine is too short.
_STARTS = 4
#: How Ray names the process of an actor.
_ACTOR = "ray::_Worker"


class Nodes:
    """The cluster; each node has room for one browser.

    Args:
        folder: for Ray's own files; its path is short, since sockets are in it.
        number: nodes, with the head.
    """

    def __init__(self, folder: Path, number: int) -> None:
        os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_TMPDIR": str(folder)}
        os.environ.pop("RAY_ADDRESS", None)
        from ray.cluster_utils import Cluster

        self._cluster: Any = Cluster()
        self._others: list[Any] = []
        for place in range(number):
            node = self._add()
            if place:
                self._others.append(node)

    @property
    def address(self) -> str:
        """As ``--executor ray:ADDRESS`` takes it."""
        return str(self._cluster.address)

    def replace(self, chance: random.Random) -> None:
        """Remove a node that is not the head, without a warning, and add another."""
        node = self._others.pop(chance.randrange(len(self._others)))
        self._cluster.remove_node(node, allow_graceful=False)
        self._others.append(self._add())

    def close(self) -> None:
        """End every node."""
        self._cluster.shutdown()

    def _add(self) -> Any:
        for left in reversed(range(_STARTS)):
            try:
                return self._cluster.add_node(
                    num_cpus=1,
                    resources={"browser": 1},
                    object_store_memory=_MEMORY,
                    # processes that nobody looks at here
                    include_dashboard=False,
                    include_log_monitor=False,
                    no_monitor=True,
                )
            except Exception:  # it has no class of its own
                if not left:
                    raise
        return None


def ours() -> Iterator[psutil.Process]:
    """The living processes that came of this one, wherever they were handed on to."""
    mark = os.environ[MARK]
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.status() != psutil.STATUS_ZOMBIE and process.environ().get(MARK) == mark:
                yield process


def actors() -> list[psutil.Process]:
    """The processes of workers, by their numbers."""
    found = [each for each in ours() if _name(each).startswith(_ACTOR)]
    return sorted(found, key=lambda each: each.pid)


def browsers() -> list[psutil.Process]:
    """The main processes of browsers, by their numbers."""
    found = []
    for each in ours():
        with suppress(psutil.Error):
            command = each.cmdline()
            if "--remote-debugging-pipe" in command and not any(
                part.startswith("--type=") for part in command
            ):
                found.append(each)
    return sorted(found, key=lambda each: each.pid)


def named(process: psutil.Process) -> str:
    """A process as a finding tells it."""
    return f"{process.pid} {_name(process)[:120]}"


def _name(process: psutil.Process) -> str:
    with suppress(psutil.Error):
        return " ".join(process.cmdline())
    return ""

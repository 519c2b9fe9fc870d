"""The executor that a person chose: ``local``, ``ray`` or ``ray:ADDRESS``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from verifaible.errors import ConfigError
from verifaible.runs.executor import Executor, Opening
from verifaible.runs.on_ray import OnRay

#: Makes an executor whose workers each open the object that works.
Workers: TypeAlias = Callable[[Opening], Executor]


def executor_of(chosen: str, workers: int = 0, *, places: int) -> Workers | None:
    """What makes the executor; None for this process, where ``Local`` may share what is open already.

    Args:
        chosen: as of ``--executor``.
        workers: of the cluster; 0: all it has room for.
        places: at each worker.

    Raises:
        ConfigError: there is no such executor, or workers were asked for without a cluster.
    """
    kind, _, address = chosen.partition(":")
    if chosen == "local":
        if workers:
            raise ConfigError("--workers says how many of a cluster work. Give --executor ray too.")
        return None
    if kind != "ray":
        raise ConfigError(f"--executor {chosen} is neither local, ray nor ray:ADDRESS. Give one of these.")
    return partial(OnRay, address=address, workers=workers, places=places)

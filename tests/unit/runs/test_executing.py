"""What a person chooses is the executor that there is."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from verifaible.errors import ConfigError
from verifaible.runs.executing import executor_of
from verifaible.runs.on_ray import OnRay


@pytest.mark.parametrize(("chosen", "address"), [("ray", ""), ("ray:10.0.0.5:6379", "10.0.0.5:6379")])
def test_a_cluster_is_taken_with_its_address_workers_and_places(chosen: str, address: str) -> None:
    workers = executor_of(chosen, 3, places=4)
    assert workers is not None
    executor = workers(nullcontext)
    assert isinstance(executor, OnRay)
    assert (executor._address, executor._wanted, executor._places) == (address, 3, 4)


def test_this_process_needs_no_workers_and_what_is_neither_is_told() -> None:
    assert executor_of("local", places=4) is None
    for wrong in ("", "slurm", "local:2", "rays"):
        with pytest.raises(ConfigError, match="neither local, ray nor ray:ADDRESS"):
            executor_of(wrong, places=4)

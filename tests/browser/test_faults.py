"""A short run of the fault suite (``make faults``) on a real cluster, database and bucket of this machine."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.unit.bench.samples import REPOSITORY

pytest.importorskip("ray", reason="Ray has no wheel for this Python, or is not installed")


@pytest.mark.nightly  # test_ray kills workers, test_kill the driver
@pytest.mark.slow
def test_a_run_whose_worker_and_driver_are_killed_loses_and_doubles_nothing() -> None:
    command = [sys.executable, "-m", "scripts.faults", "--short"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=540)
    assert done.returncode == 0, done.stderr
    assert "3 faults in 1 runs" in done.stdout
    assert "| trials lost | 0 |\n| trials doubled | 0 |" in done.stdout

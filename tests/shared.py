"""What is made once for all test processes, because it takes long."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from fasteners import InterProcessLock


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """A folder that the first process of the run makes, and all of them find; nobody may change it."""
    base = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:  # each worker has a folder of its own in that of the run
        base = base.parent
    folder, done = base / name, base / f"{name}.done"
    with InterProcessLock(base / f"{name}.lock"):
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)  # of a process that failed at it
            make(folder)
            done.touch()
    return folder

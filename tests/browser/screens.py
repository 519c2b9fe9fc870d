"""A screen for browsers with a window, where this machine can have one."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def screen() -> Iterator[str]:
    """A virtual screen; the test is skipped where there is none."""
    program = shutil.which("Xvfb")
    if program is None:
        pytest.skip("there is no Xvfb for a browser with a window (apt-get install xvfb)")
    reading, writing = os.pipe()
    command = (program, "-displayfd", str(writing), "-screen", "0", "1400x1000x24", "-nolisten", "tcp")
    with subprocess.Popen(command, pass_fds=(writing,), stderr=subprocess.DEVNULL) as server:
        os.close(writing)
        try:
            with os.fdopen(reading) as told:
                yield f":{told.readline().strip()}"
        finally:
            server.terminate()

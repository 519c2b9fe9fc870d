"""An address by which other machines know this one."""

from __future__ import annotations

import socket
from contextlib import closing

import pytest


def outward() -> str:
    """An address of this machine that is not loopback; skips where it has none."""
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as probe:
        try:
            probe.connect(("192.0.2.254", 9))  # nothing is sent by that
        except OSError:
            pytest.skip("this machine is in no network")
        found = str(probe.getsockname()[0])
    if found.startswith("127."):
        pytest.skip("this machine is in no network")
    return found

"""What all tests share: the order of their files, and that Ctrl-C is not ignored.

pytest-xdist hands out files in the order of collection; a long one at the end would be waited for alone.
So the longest come first. The order within a file, and of the files not named here, stays.
"""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from hypothesis import settings

# An example that is slow on a busy machine is no failure.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

TESTS = Path(__file__).resolve().parent
#: The files that take longest, as ``--durations`` of a whole run told.
LONGEST = (
    "browser/test_documented_commands.py",
    "browser/test_adversaries.py",
    "unit/judge/test_protocols_failures.py",
    "unit/judge/test_bad_input.py",
    "unit/judge/test_command.py",
    "browser/test_viewer_judged.py",
    "browser/test_egress.py",
    "browser/test_viewer_runs.py",
    "browser/test_captured.py",
    "browser/test_ask.py",
    "browser/test_mcp_inspector.py",
    "browser/test_mcp_transports.py",
    "browser/test_viewer.py",
    "browser/test_crypto_harness.py",
    "unit/judge/rules/test_derive.py",
    "browser/test_recording.py",
    "browser/test_replay_many.py",
    "unit/test_cli.py",
    "unit/test_accuracy.py",
    "browser/test_evidence_recheck.py",
    "browser/test_action_steps.py",
    "unit/evidence/test_store.py",
    "browser/test_web_fetch_bad_input.py",
    "unit/evidence/test_bad_input.py",
    "unit/evidence/test_custody.py",
    "browser/test_moving_pages.py",
)
_PLACES = {TESTS / name: place for place, name in enumerate(LONGEST)}


def pytest_configure() -> None:
    # A shell without job control starts what is behind a "&" with it ignored, and children inherit that.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: _PLACES.get(item.path, len(LONGEST)))

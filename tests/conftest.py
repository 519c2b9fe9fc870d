"""What all tests share: profiles of Hypothesis, and that Ctrl-C is not ignored."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

from verifaible.llm.client import RetryPolicy

# Pages open twice as fast in the headless shell; the tests of what a site sees ask for the whole Chromium, and
# VERIFAIBLE_HEADLESS=full makes all of them use it.
os.environ.setdefault("VERIFAIBLE_HEADLESS", "shell")

# An example that is slow on a busy machine is no failure.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
# make nightly tries twice as many examples wherever a test does not say how many.
settings.register_profile("few", deadline=None, max_examples=50)


def pytest_configure(config: pytest.Config) -> None:
    # A shell without job control starts what is behind a "&" with it ignored, and children inherit that.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.option.markexpr == "not nightly":
        settings.load_profile("few")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """A file of tests stays in one process; of the conformance rows, a file of rows does."""
    from xdist.scheduler import LoadFileScheduling

    class ByFile(LoadFileScheduling):  # type: ignore[misc]  # xdist has no types
        def _split_scope(self, nodeid: str) -> str:
            file, _, test = nodeid.partition("::")
            return f"{file}::{test.partition(':')[0]}" if test.startswith("test_row[") else file

    return ByFile(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    # Twelve thousand tests stay until the end: the collector would look at them again and again, and free nothing.
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture
def brief_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models are asked again as often as ever, after a hundredth of the wait."""
    whole = RetryPolicy.wait_s

    def brief(policy: RetryPolicy, *arguments: Any, elapsed_s: float, **options: Any) -> float | None:
        wait = whole(policy, *arguments, elapsed_s=100 * elapsed_s, **options)
        return None if wait is None else wait / 100

    monkeypatch.setattr(RetryPolicy, "wait_s", brief)

"""What all tests share: the order of their files, and that Ctrl-C is not ignored.

pytest-xdist hands out whole files in the order of collection, and a long one at the end would be waited for
alone. So what failed last comes first (``--failed-first``), and then the files that take longest. How long each
takes is noted in pytest's cache after every run of whole files; what is not there is read from
``tests/seconds.json``, which ``--write-seconds`` renews.
"""

from __future__ import annotations

import gc
import json
import os
import signal
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from verifaible.llm.retry import RetryPolicy

# Pages open twice as fast in the headless shell; the tests of what a site sees ask for the whole Chromium, and
# VERIFAIBLE_HEADLESS=full makes all of them use it.
os.environ.setdefault("VERIFAIBLE_HEADLESS", "shell")

# An example that is slow on a busy machine is no failure.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
# Repetition is breadth: make test-all tries twice as many examples wherever a test does not say how many.
settings.register_profile("few", deadline=None, max_examples=50)

#: Seconds of the longer files, from the last --write-seconds.
COMMITTED = Path(__file__).with_name("seconds.json")
#: A shorter file is not committed: its place hardly matters.
_LEAST_S = 1.0
_CACHED = "verifaible/seconds"
#: What may be left out of a file whose seconds are noted all the same: ``make test`` does.
_USUAL = ("", "not breadth")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--write-seconds", action="store_true", help=f"write the seconds of each file into {COMMITTED.name}"
    )


def pytest_configure(config: pytest.Config) -> None:
    # A shell without job control starts what is behind a "&" with it ignored, and children inherit that.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.option.markexpr == "not breadth":
        settings.load_profile("few")
    config.stash[_SECONDS] = _known(config)
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Stopwatch(config))


_SECONDS = pytest.StashKey[dict[str, float]]()


def _known(config: pytest.Config) -> dict[str, float]:
    """Seconds by file. A worker has them from the process that started it, so that all have one order."""
    if hasattr(config, "workerinput"):
        given: dict[str, float] = config.workerinput["seconds"]
        return given
    cached = config.cache.get(_CACHED, {}) if config.cache else {}
    return {**json.loads(COMMITTED.read_text(encoding="utf-8")), **cached}


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    node.workerinput["seconds"] = node.config.stash[_SECONDS]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    # Twelve thousand tests stay until the end: the collector would look at them again and again, and free nothing.
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    known = config.stash[_SECONDS]
    items.sort(key=lambda item: -known.get(item.location[0], _LEAST_S))


class Stopwatch:
    """Adds up what the tests of each file took, and keeps it for the next run."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._seconds: dict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[report.location[0]] += report.duration

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        if self._config.cache is None or not self._whole(exitstatus):
            return
        known = {**self._config.stash[_SECONDS], **self._seconds}
        known = {
            name: round(known[name], 2) for name in sorted(known) if (self._config.rootpath / name).is_file()
        }
        self._config.cache.set(_CACHED, known)
        if self._config.option.write_seconds:
            longer = {name: round(seconds) for name, seconds in known.items() if seconds >= _LEAST_S}
            COMMITTED.write_text(json.dumps(longer, indent=2) + "\n", encoding="utf-8")

    def _whole(self, exitstatus: int) -> bool:
        """Whether each file that was run was run to its end, but for breadth."""
        option = self._config.option
        chosen = option.keyword or option.lf or option.maxfail or option.markexpr not in _USUAL
        ended = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        return ended and not chosen and not any("::" in given for given in self._config.args)


@pytest.fixture
def brief_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models are asked again as often as ever, after a hundredth of the wait."""
    whole = RetryPolicy.wait_s

    def brief(policy: RetryPolicy, *arguments: Any, elapsed_s: float, **options: Any) -> float | None:
        wait = whole(policy, *arguments, elapsed_s=100 * elapsed_s, **options)
        return None if wait is None else wait / 100

    monkeypatch.setattr(RetryPolicy, "wait_s", brief)

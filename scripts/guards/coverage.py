"""Which tests run which lines, from one run of the tests with a context for each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path

from coverage import CoverageData


class Covered:
    """What one run of the tests covered; kept in a folder, made where it is missing.

    Args:
        root: the repository.
        folder: where ``coverage.db`` and ``seconds.json`` are.
    """

    def __init__(self, root: Path, folder: Path) -> None:
        self._root, self._data, self._times = root, folder / "coverage.db", folder / "seconds.json"

    def measure(self, jobs: int) -> None:
        """Run every test of ``make test`` once, with a context for each."""
        self._data.parent.mkdir(parents=True, exist_ok=True)
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-n",
            str(jobs),
            "-m",
            "not nightly",
            "-p",
            "scripts.guards.timing",
        ]
        options = ["--cov=verifaible", "--cov-branch", "--cov-context=test", "--cov-report="]
        subprocess.run(
            [*command, *options],
            cwd=self._root,
            env={**os.environ, "COVERAGE_FILE": str(self._data), "VERIFAIBLE_TIMES": str(self._times)},
            check=False,  # a failed test covers, too; make test says which
        )

    @property
    def measured(self) -> bool:
        """Whether there is a run to read."""
        return self._data.is_file() and self._times.is_file()

    @cached_property
    def _read(self) -> CoverageData:
        data = CoverageData(str(self._data))
        data.read()
        return data

    @cached_property
    def seconds(self) -> dict[str, float]:
        """Seconds of each test."""
        found: dict[str, float] = json.loads(self._times.read_text(encoding="utf-8"))
        return found

    def tests(self, path: str, lines: Sequence[int], *, at_most_s: float) -> list[str]:
        """The tests that run lines, as many as fit into the time; at least the first.

        Those of the files that are named after the module come first, then those of the line that the fewest
        run: what is behind a condition is run by the tests that are about it. Of one line, the quickest of
        each file come first, then the second quickest of each, and so on: a hundred quick tests of one file
        say less than one of each.
        """
        contexts = self._read.contexts_by_lineno(str(self._root / path))
        of_lines = [
            {context.partition("|")[0] for context in contexts.get(line, [])} & set(self.seconds)
            for line in lines
        ]
        chosen: dict[str, None] = {}
        spent = 0.0
        own = {test for test in set().union(*of_lines) if _is_of(test, path)}
        for found in [own, *sorted(of_lines, key=len)]:
            for test in self._in_turn(found - set(chosen)):
                spent += self.seconds[test]
                if chosen and spent > at_most_s:
                    return list(chosen)
                chosen[test] = None
        return list(chosen)

    def _in_turn(self, tests: Iterable[str]) -> list[str]:
        files: Counter[str] = Counter()
        places = {}
        for test in sorted(tests, key=lambda each: (self.seconds[each], each)):
            file = test.partition("::")[0]
            files[file] += 1
            places[test] = files[file]
        return sorted(places, key=lambda each: (places[each], self.seconds[each], each))

    def percentages(self) -> tuple[float, float]:
        """Shares of lines and of branches that the tests run, from 0 to 100."""
        command = [sys.executable, "-m", "coverage", "json", "-q", "-o", "-"]
        out = subprocess.run(
            command,
            cwd=self._root,
            env={**os.environ, "COVERAGE_FILE": str(self._data)},
            capture_output=True,
            check=True,
        ).stdout
        totals = json.loads(out)["totals"]
        return (
            100 * totals["covered_lines"] / totals["num_statements"],
            100 * totals["covered_branches"] / totals["num_branches"],
        )


def _is_of(test: str, path: str) -> bool:
    """Whether a test is of a file named after a module: ``test_guard.py`` of ``net/guard.py``."""
    file = Path(test.partition("::")[0])
    return file.stem == f"test_{Path(path).stem}"

"""A copy of the repository in which one thing is wrong, and the tests that should say so."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Literal

#: A test that is run with a fault may wait for ever.
LIMIT_S = 240
Outcome = Literal["killed", "survived", "not covered"]


class Copy:
    """A copy of the repository's committed files; archives and caches are links."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.folder = folder
        self._sound: set[str] = set()
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True).stdout
        for name in listed.decode().split("\0"):
            if not name or not (root / name).is_file():
                continue
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if name.startswith("snapshots/"):
                target.symlink_to(root / name)
            else:
                shutil.copyfile(root / name, target)

    def try_with(self, changes: dict[str, bytes], tests: list[str]) -> tuple[Outcome, str]:
        """Run tests, stopping at the first that fails, with files changed; then change them back.

        A test that fails without the change too says nothing: it is left out, and the others run again.

        Returns:
            the outcome, and the test that failed (or ``time-out``, or what kept the tests from starting).

        Raises:
            RuntimeError: without the change the tests do not start or end either.
        """
        while tests:
            outcome, by = self._changed(changes, tests)
            if outcome != "killed" or by in self._sound:
                return outcome, by
            if self._run([by] if by in tests else tests)[0] != "killed":
                if by == "time-out":
                    return outcome, by
                self._sound.add(by)
                return outcome, by
            if by not in tests:
                raise RuntimeError(f"without a change: {by}")
            tests = [each for each in tests if each != by]
        return "not covered", ""

    def _changed(self, changes: dict[str, bytes], tests: list[str]) -> tuple[Outcome, str]:
        kept = {name: (self.folder / name).read_bytes() for name in changes}
        try:
            for name, content in changes.items():
                (self.folder / name).write_bytes(content)
            return self._run(tests)
        finally:
            for name, content in kept.items():
                (self.folder / name).write_bytes(content)

    def _run(self, tests: list[str]) -> tuple[Outcome, str]:
        options = ["-o", "addopts=", "-p", "no:cacheprovider", "-x", "-q", "--no-header", "-rfE", "--tb=no"]
        try:
            done = subprocess.run(
                [sys.executable, "-m", "pytest", *options, *tests],
                cwd=self.folder,
                env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(self.folder)},
                capture_output=True,
                text=True,
                timeout=LIMIT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return "killed", "time-out"
        if done.returncode == 0:
            return "survived", ""
        failed = (line for line in done.stdout.splitlines() if line.startswith(("FAILED ", "ERROR ")))
        by = next(failed, "").partition(" ")[2].partition(" - ")[0]
        return "killed", by or (done.stdout + done.stderr)[-300:]

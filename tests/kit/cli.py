"""The command line, run as a person runs it: through the installed entry point, in this process or in its own."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import chdir
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from unittest import mock

REPOSITORY = Path(__file__).resolve().parents[2]
#: A process that runs longer hangs.
PROCESS_S = 300


@dataclass(frozen=True)
class Done:
    """A command that ended.

    Attributes:
        status: its exit status.
        out, err: what it wrote, decoded as UTF-8.
    """

    status: int
    out: str
    err: str


def environment(home: Path, **variables: str) -> dict[str, str]:
    """The few variables a command needs, and those given: nothing of the person who runs the tests.

    Args:
        home: both the project's home and the person's.
        variables: settings to add or replace, such as ``VERIFAIBLE_ALLOW_HOSTS``.
    """
    kept = {
        name: os.environ[name] for name in ("PLAYWRIGHT_BROWSERS_PATH", "SystemRoot") if name in os.environ
    }
    return {
        **kept,
        "PATH": os.defpath,
        "HOME": str(home),
        "VERIFAIBLE_HOME": str(home),
        "VERIFAIBLE_HEADLESS": "shell",
        **variables,
    }


@cache
def _main() -> Callable[[], object]:
    (found,) = entry_points(group="console_scripts", name="verifaible")
    main: Callable[[], object] = found.load()
    return main


class _Stream(io.TextIOWrapper):
    """A standard stream that keeps its bytes."""

    def __init__(self, name: str) -> None:
        super().__init__(
            io.BytesIO(), encoding="utf-8", errors="surrogateescape", newline="", write_through=True
        )
        self._name = name

    @property
    def name(self) -> str:
        return self._name

    def text(self) -> str:
        kept = self.buffer
        assert isinstance(kept, io.BytesIO)
        return kept.getvalue().decode("utf-8", "backslashreplace")


def run(arguments: Sequence[str], *, env: Mapping[str, str], folder: Path, stdin: str | bytes = b"") -> Done:
    """Run ``verifaible`` with these arguments within this process: a fifth of a second less than its own.

    Signals, full disks and entry points need a real one: :func:`run_process`.
    """
    given = io.TextIOWrapper(
        io.BytesIO(stdin.encode() if isinstance(stdin, str) else stdin), encoding="utf-8"
    )
    out, err = _Stream("<stdout>"), _Stream("<stderr>")
    status: object = 0
    with (
        chdir(folder),
        mock.patch.dict(os.environ, dict(env), clear=True),
        mock.patch.object(sys, "argv", ["verifaible", *arguments]),
        mock.patch.object(sys.modules["__main__"], "__package__", None),  # click names the program by it
        mock.patch.object(sys, "stdin", given),
        mock.patch.object(sys, "stdout", out),
        mock.patch.object(sys, "stderr", err),
    ):
        try:
            _main()()
        except SystemExit as end:
            status = end.code or 0
    if not isinstance(status, int):
        return Done(1, out.text(), f"{err.text()}{status}\n")
    return Done(status, out.text(), err.text())


def program() -> list[str]:
    """The command that starts ``verifaible`` in a process of its own."""
    return [sys.executable, "-m", "verifaible.cli"]


def run_process(
    arguments: Sequence[str],
    *,
    env: Mapping[str, str],
    folder: Path,
    stdin: str | bytes = b"",
    most_bytes: int | None = None,
) -> Done:
    """Run ``verifaible`` with these arguments in a process of its own.

    Args:
        most_bytes: no file may grow beyond this, as on a disk that is full.
    """

    def limited() -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes or 0, most_bytes or 0))

    # What Python compiles must not be cut at the limit: every later process would read it.
    compiled = {"PYTHONDONTWRITEBYTECODE": "1"} if most_bytes is not None else {}
    done = subprocess.run(
        [*program(), *arguments],
        env={**env, **compiled},
        cwd=folder,
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        timeout=PROCESS_S,
        check=False,
        preexec_fn=limited if most_bytes is not None else None,
    )
    return Done(
        done.returncode,
        done.stdout.decode("utf-8", "backslashreplace"),
        done.stderr.decode("utf-8", "backslashreplace"),
    )

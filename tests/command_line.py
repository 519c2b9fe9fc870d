"""The programs run within the process of a test: what they print and their exit status, without a start of Python.

The way is that of the programs themselves (``guarded``). What belongs to a process of its own (signals, the entry
points, a stream that is full) is tested with real ones.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import chdir
from pathlib import Path
from subprocess import CompletedProcess
from unittest import mock

import click
from click.testing import CliRunner

from verifaible.cli.program import verifaible
from verifaible.console.output import guarded


def run_command(
    arguments: Sequence[str],
    *,
    environment: Mapping[str, str],
    folder: Path,
    given: str = "",
    command: click.Command = verifaible,
) -> CompletedProcess[str]:
    """Run a command with exactly these variables, from a folder, and with a text as its standard input.

    What a program would show as a traceback is raised.
    """
    variables = {name: None for name in os.environ if name not in environment} | dict(environment)
    status: int | str | None = 0
    with (
        chdir(folder),
        CliRunner().isolation(given, variables) as (out, err, _),
        mock.patch.object(sys, "argv", [command.name or "", *arguments]),
    ):
        try:
            guarded(command)
        except SystemExit as end:
            status = end.code
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        said = out.getvalue().decode(), err.getvalue().decode()
    assert status is None or isinstance(status, int), status
    return CompletedProcess([*arguments], status or 0, *said)

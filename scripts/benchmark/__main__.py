"""Measure time, size and memory: ``python -m scripts.benchmark [--part NAME] [--quick]``.

Each part runs in a process of its own, so that one that fails or hangs takes no other with it.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from time import perf_counter

from scripts.benchmark.table import Section

ROOT = Path(__file__).resolve().parents[2]
#: The modules of this folder that measure, in the order of their tables.
PARTS = (
    *("trials", "citing", "archiving", "fetching", "stores", "reading", "analysis", "steps", "egress"),
    *("runs", "viewer"),
)
#: None takes a third of it on two cores that have nothing else to do.
TIMEOUT_S = 900
_HEAD = (
    "Everything is local, and no time of a network is in it. The tools of others are measured where "
    "`make peers` installed them. A column that begins with `/` is ours divided by theirs.\n"
)


def main() -> None:
    """Measure and print; the exit status is 1 if a part failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=PARTS, action="append", help="measure only this (repeatable)")
    parser.add_argument("--quick", action="store_true", help="fewer rounds: the whole in about 15 minutes")
    parser.add_argument("--into", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.into:
        _measure(arguments.part[0], arguments.into, quick=arguments.quick)
        return
    print(_HEAD)
    failed = []
    for name in arguments.part or PARTS:
        started = perf_counter()
        sections = _of_process(name, quick=arguments.quick)
        print(f"{name}: {perf_counter() - started:.0f} s{'' if sections else ', FAILED'}\n", file=sys.stderr)
        for section in sections:
            print(section.markdown(), flush=True)
        failed += [] if sections else [name]
    if failed:
        raise SystemExit(f"These parts failed: {', '.join(failed)}. Run each with --part to see why.")


def _measure(name: str, into: Path, *, quick: bool) -> None:
    """Run a part in this process, and hand over its tables."""
    with tempfile.TemporaryDirectory() as folder:
        sections = import_module(f"scripts.benchmark.{name}").run(Path(folder), quick=quick)
    into.write_text(json.dumps([asdict(each) for each in sections]), encoding="utf-8")


def _of_process(name: str, *, quick: bool) -> Sequence[Section]:
    """The tables of a part; none where it failed or did not end."""
    with tempfile.TemporaryDirectory() as folder:
        into = Path(folder) / "sections.json"
        command = [sys.executable, "-m", "scripts.benchmark", "--part", name, "--into", str(into)]
        process = subprocess.Popen(command + ["--quick"] * quick, cwd=ROOT, start_new_session=True)
        try:
            process.wait(TIMEOUT_S)
        except subprocess.TimeoutExpired:
            print(f"{name} did not end within {TIMEOUT_S} s.", file=sys.stderr)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if process.returncode or not into.is_file():
            return []
        return [Section(**each) for each in json.loads(into.read_text(encoding="utf-8"))]


if __name__ == "__main__":
    main()

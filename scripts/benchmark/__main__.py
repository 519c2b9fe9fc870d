"""``python -m scripts.benchmark`` prints the tables; ``--write`` puts them into ``docs/benchmarks.md``.

Each part runs in a process of its own, so that one that fails or hangs takes no other with it.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
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

from scripts.benchmark.table import PAGE, Section, renewed

ROOT = Path(__file__).resolve().parents[2]
#: The modules of this folder that measure, in the order of their tables.
PARTS = (
    *("trials", "citing", "archiving", "fetching", "stores", "reading", "analysis", "steps", "egress"),
    *("runs", "viewer"),
)
#: None takes a third of it on two cores that have nothing else to do.
TIMEOUT_S = 900


def main() -> None:
    """Measure and print; the exit status is 1 if a part failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the tables into docs/benchmarks.md")
    parser.add_argument(
        "--part", choices=PARTS, action="append", help="measure only this (repeatable); other tables stay"
    )
    parser.add_argument("--quick", action="store_true", help="fewer rounds: the whole in about 15 minutes")
    parser.add_argument("--into", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.into:
        _measure(arguments.part[0], arguments.into, quick=arguments.quick)
        return
    found: list[Section] = []
    failed = []
    for name in arguments.part or PARTS:
        started = perf_counter()
        sections = _of_process(name, quick=arguments.quick)
        print(f"{name}: {perf_counter() - started:.0f} s{'' if sections else ', FAILED'}\n", file=sys.stderr)
        for section in sections:
            print(section.markdown(), flush=True)
        found += sections
        failed += [] if sections else [name]
    if arguments.write:
        # The tables of parts that did not run, or failed, stay as they are.
        before = PAGE.read_text(encoding="utf-8") if (arguments.part or failed) and PAGE.is_file() else ""
        PAGE.write_text(renewed(before, _head(quick=arguments.quick), found), encoding="utf-8")
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


def _head(*, quick: bool) -> str:
    machine = f"{_cores()} cores ({platform.machine()}, {platform.system()})"
    arguments = '"--quick --write"' if quick else "--write"
    return (
        f"# Speed, size and memory\n\nMeasured on {machine} with Python {platform.python_version()} by "
        f"`make benchmark ARGS={arguments}`, after `make peers` for the tools of others; everything is "
        "local, and no time of a network is in it. A column that begins with `/` is ours divided by "
        "theirs.\n"
    )


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


if __name__ == "__main__":
    main()

"""``python -m scripts.benchmark`` prints the tables; ``--write`` puts them into ``docs/benchmarks.md``."""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
from collections.abc import Callable
from pathlib import Path

from scripts.benchmark import (
    analysis,
    citing,
    context,
    egress,
    reading,
    reports,
    runs,
    steps,
    stores,
    trials,
    viewer,
)
from scripts.benchmark.table import PAGE, Section, renewed

PARTS: dict[str, Callable[[Path], list[Section]]] = {
    "trials": trials.run,
    "citing": citing.run,
    "stores": stores.run,
    "reading": reading.run,
    "analysis": analysis.run,
    "steps": steps.run,
    "egress": egress.run,
    "context": context.run,
    "runs": runs.run,
    "reports": reports.run,
    "viewer": viewer.run,
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the tables into docs/benchmarks.md")
    parser.add_argument("--part", choices=PARTS, help="measure only this; other tables stay")
    arguments = parser.parse_args()
    found: list[Section] = []
    for name in [arguments.part] if arguments.part else list(PARTS):
        with tempfile.TemporaryDirectory() as folder:
            for section in PARTS[name](Path(folder)):
                print(section.markdown(), flush=True)
                found.append(section)
    if arguments.write:
        before = PAGE.read_text(encoding="utf-8") if arguments.part and PAGE.is_file() else ""
        PAGE.write_text(renewed(before, _head(), found), encoding="utf-8")


def _head() -> str:
    machine = f"{_cores()} cores ({platform.machine()}, {platform.system()})"
    return (
        f"# Speed, size and memory\n\nMeasured on {machine} with Python {platform.python_version()} by "
        "`make benchmark ARGS=--write`; everything is local, and no time of a network is in it.\n"
    )


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


if __name__ == "__main__":
    main()

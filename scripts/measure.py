"""Measure everything, a part at a time: ``python -m scripts.measure [--into FOLDER] [--part NAME]``.

Each part is a command of its own; what it prints is kept as ``FOLDER/NAME.md``, under commit, day,
machine and its seconds. A part that is there already is not measured again: remove its file, or name it with
``--part``.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from tests.kit.public import PUBLIC

ROOT = Path(__file__).resolve().parents[1]
NOW = ROOT / "docs" / "results" / "now"
#: What is measured, and by which module of ``scripts`` with which arguments.
PARTS: dict[str, list[str]] = {
    "anchoring": [
        "accuracy",
        *(
            "--suite",
            "structural",
            "--suite",
            "tables",
            "--suite",
            "PDF passages",
            "--suite",
            "blocked pages",
        ),
        *("--suite", "traps", "--suite", "traps, quotes without a browser"),
    ],
    "drift": ["accuracy", "--suite", "drift"],
    "replay": ["accuracy", "--suite", "dynamic replay"],
    "tamper": ["accuracy", "--suite", "tampering"],
    "real-pages": ["accuracy.real_pages", str(PUBLIC / "pages")],
    "checking": ["judging"],
    "graphs": ["graphs"],
    "crypto": ["accuracy.crypto_numbers"],
    "store": ["store_figures"],
    "cluster": ["faults", "--short"],
    "speed": ["benchmark", "--quick"],
}


def main() -> None:
    """Measure; the exit status is 1 if a part failed."""
    parser = argparse.ArgumentParser(prog="python -m scripts.measure", description=__doc__)
    parser.add_argument(
        "--into", type=Path, default=ROOT / "docs" / "results" / "now", help="where the files go"
    )
    parser.add_argument("--part", choices=list(PARTS), action="append", help="this, anew (repeatable)")
    chosen = parser.parse_args()
    chosen.into.mkdir(parents=True, exist_ok=True)
    failed = []
    for name in chosen.part or PARTS:
        path = chosen.into / f"{name}.md"
        if path.exists() and not chosen.part:
            print(f"{name}: already in {path}.", file=sys.stderr)
            continue
        print(f"{name}:", file=sys.stderr, flush=True)
        text = measured(name)
        if text is None:
            failed.append(name)
            continue
        path.write_text(text, encoding="utf-8")
        print(f"{name}: {path}", file=sys.stderr, flush=True)
    if failed:
        raise SystemExit(f"These parts failed: {', '.join(failed)}. Run each with --part to see why.")


def measured(name: str) -> str | None:
    """What a part printed, under a head that says when and where; nothing if it failed."""
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", f"scripts.{PARTS[name][0]}", *PARTS[name][1:]],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        return None
    head = (
        f"`python -m scripts.measure --part {name}`, {datetime.now(UTC):%Y-%m-%d}, commit {_commit()}, "
        f"{os.cpu_count()} processors, Python {platform.python_version()}, {time.monotonic() - began:.0f} s."
    )
    return f"{head}\n\n{done.stdout.strip()}\n"


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty", "--abbrev=10"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    main()

"""What a store costs: ``python -m scripts.store_figures [--part NAME] [--write]``.

A folder of 20,000 citations with SQLite, an index of 1,000,000 in PostgreSQL, and a bucket of captures. The
first part also runs on an earlier version (``PYTHONPATH=WORKTREE python scripts/store_figures.py --part
folder``), to be laid beside this one. ``--write`` puts what was measured into ``docs/results/store.md``.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from scripts.benchmark import stores as filled
from scripts.benchmark.table import Section

#: What it imports has other places in an earlier version.
stores: Any = filled

PAGE = Path(__file__).resolve().parents[1] / "docs" / "results" / "store.md"
CITATIONS, INDEXED, CAPTURES = 20_000, 1_000_000, 2_000
GOAL_MS, GOAL_PER_SECOND, CALLS = 50, 60, 25


def folder(citations: int) -> Section:
    """Add, verify, list, search and open in a folder with SQLite."""
    with TemporaryDirectory(prefix="verifaible-figures-") as name:
        path = Path(name) / "store"
        began = time.perf_counter()
        ids = stores.fill(path, bulk=2_000, count=citations)
        adding_s = time.perf_counter() - began
        store = stores.Store(path)
        began = time.perf_counter()
        indexed = store.reindex()
        reindex_s = time.perf_counter() - began
        if indexed != len(set(ids)):
            raise SystemExit("The index does not hold every citation: its speed means nothing.")
        rows = [("add", f"{citations / adding_s:.0f} a second", "")]
        rows += [
            (what, f"{_median_ms(call):.1f} ms", f"under {GOAL_MS} ms") for what, call in _calls(store, ids)
        ]
        rows.append(("index made again", f"{reindex_s:.1f} s", ""))
        began = time.perf_counter()
        found = stores.audit(store, hash_only=True)
        verifying_s = time.perf_counter() - began
        if not found.ok or found.checked != citations:
            raise SystemExit(f"{found.faults[:3]} {found.failed[:1]} The speed means nothing.")
        rows.append(("`verify --all --hash-only`", f"{citations / verifying_s:.0f} citations a second", ""))
        store.close()
    return Section(
        f"A folder of {citations:,} citations",
        f"With SQLite; {stores.SHARING} citations share a capture. Medians of {CALLS} calls, of pages of 50; "
        f"one process. Load of the machine's {os.cpu_count()} cores at the end: {os.getloadavg()[1]:.1f}.",
        ("what", "measured", "goal"),
        tuple(rows),
    )


def _calls(store: Any, ids: list[str]) -> list[tuple[str, Callable[[], object]]]:
    one = ids[len(ids) // 3]
    return [
        ("list, first page", lambda: store.rows(newest_first=True, limit=50)),
        ("search, English", lambda: store.rows(query="unemployment 777", limit=50)),
        ("search, Chinese", lambda: store.rows(query="消费价格 88", limit=50)),
        ("search, nothing found", lambda: store.rows(query="nowhere to be found", limit=50)),
        ("open one, with its checks", lambda: store.checks(store.get(one).id)),
    ]


def _median_ms(call: Callable[[], object]) -> float:
    taken = []
    for _ in range(CALLS):
        began = time.perf_counter()
        call()
        taken.append((time.perf_counter() - began) * 1000)
    return statistics.median(taken)


def index(citations: int) -> Section:
    """List, search and open in PostgreSQL; filled by COPY."""
    from scripts.scale import index as large

    return large.run(citations)


def captures(count: int) -> Section:
    """Verify captures in a bucket."""
    from scripts.scale import captures as bucket

    return bucket.run(count, goal=GOAL_PER_SECOND)


def main() -> None:
    """Measure the parts that are asked for, all by default."""
    parser = argparse.ArgumentParser(prog="python -m scripts.store_figures", description=__doc__)
    parser.add_argument(
        "--part", choices=("folder", "index", "captures"), action="append", help="(repeatable)"
    )
    parser.add_argument("--citations", type=int, default=CITATIONS, help="in the folder")
    parser.add_argument("--indexed", type=int, default=INDEXED, help="citations in PostgreSQL")
    parser.add_argument("--captures", type=int, default=CAPTURES, help="in the bucket")
    parser.add_argument("--write", action="store_true", help="into docs/results/store.md")
    chosen = parser.parse_args()
    sizes = {"folder": chosen.citations, "index": chosen.indexed, "captures": chosen.captures}
    found = [
        {"folder": folder, "index": index, "captures": captures}[part](sizes[part])
        for part in chosen.part or sizes
    ]
    text = "# What a store costs\n\n" + "\n".join(each.markdown() for each in found)
    print(text)
    if chosen.write:
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

"""What the runner itself costs: many empty trials, and a round trip of a model.

The model of the last row answers at once over HTTP and calls a tool that there is not: what is left is
everything of ours but the page, with the openai library and both ends of the connection.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from time import perf_counter

from scripts.benchmark.table import Section
from scripts.benchmark.trials import ROOT
from verifaible.bench.run_dir import RunFolder

GOAL_EMPTY_SECONDS, GOAL_ROUND_MS = 30.0, 20.0
EMPTY_TRIALS, EMPTY_TRIALS_QUICK = 48, 12
ROUNDS = 20
ROUND_TRIALS = 5


def _bench(folder: Path, *arguments: str, **variables: str) -> tuple[float, RunFolder]:
    """Seconds of a run in a process of its own, and its folder."""
    command = [sys.executable, "-m", "verifaible.bench", "--json", "--output", str(folder), *arguments]
    given = {
        **os.environ,
        "VERIFAIBLE_HOME": str(ROOT),
        "VERIFAIBLE_STORE": str(folder / "store"),
        **variables,
    }
    started = perf_counter()
    done = subprocess.run(
        command, cwd=ROOT, env=given, capture_output=True, text=True, check=True, timeout=900
    )
    seconds = perf_counter() - started
    return seconds, RunFolder(Path(json.loads(done.stdout)["run"]))


def _rounds(folder: Path) -> tuple[float, float]:
    """Milliseconds of a round trip, trials one after the other and four at once."""
    found = []
    command = [sys.executable, "-m", "scripts.benchmark.model_server", str(ROUNDS)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        for at_once in ("1", "4"):
            _, run = _bench(
                folder,
                *("--model", "some/model", "--base-url", f"http://127.0.0.1:{port}/v1", "--web", "live"),
                *("--trials", str(ROUND_TRIALS), "--concurrency", at_once),
            )
            results = run.results()
            if any(result.rounds != ROUNDS or result.error for result in results):
                raise SystemExit("The trials did not go their way: their speed means nothing.")
            began = run.info().started_at
            seconds = (max(result.finished_at for result in results) - began).total_seconds()
            found.append(1000 * seconds / (ROUNDS * len(results)))
        server.communicate()
    return found[0], found[1]


def run(folder: Path, *, quick: bool) -> list[Section]:
    """Measure, and give the table."""
    repeated = EMPTY_TRIALS_QUICK if quick else EMPTY_TRIALS
    empty, done = _bench(folder, "--model", "nop", "--trials", str(repeated))
    trials = len(done.results())
    each, side_by_side = _rounds(folder)
    rows = (
        (f"{trials:,} empty trials", f"{empty:.1f} s", f"1,000 in {GOAL_EMPTY_SECONDS:.0f} s"),
        (f"a round trip, of {ROUNDS} in a trial", f"{each:.1f} ms", f"under {GOAL_ROUND_MS:.0f} ms"),
        ("the same, four trials at once", f"{side_by_side:.1f} ms", ""),
    )
    return [Section("Runs", (__doc__ or "").strip(), ("what", "measured", "goal"), rows)]

"""The 21 cases on the workers of a cluster, beside as many places in one process: trials a second of each."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from scripts.benchmark.table import Section
from verifaible.bench.run_dir import RunFolder

ROOT = Path(__file__).resolve().parents[2]
GOAL, TRIALS = 0.85, 3
_LIMIT_S = 1_200


def run(rounds: int, workers: int) -> Section:
    """Run both in turn, so many times, and give the table."""
    alone: list[float] = []
    spread: list[float] = []
    with TemporaryDirectory(prefix="verifaible-scale-") as name:
        for number in range(rounds):
            for found, given in (
                (alone, ["--executor", "local", "--concurrency", str(workers)]),
                (spread, ["--executor", "ray", "--workers", str(workers), "--concurrency", "1"]),
            ):
                found.append(_per_second(Path(name) / f"{number}-{given[1]}", given))
                print(*given, f"{found[-1]:.2f} trials/s", sep="\t", flush=True)
    ratios = sorted(ray / here for ray, here in zip(spread, alone, strict=True))
    return Section(
        "A cluster beside one process",
        f"The 21 cases offline with the reference agent, {TRIALS} trials each, from the start of the first "
        f"trial to the end of the last: one process with {workers} places and one browser, and {workers} "
        f"workers of a Ray cluster on the same machine, each with a browser of its own. Medians of {rounds} "
        "rounds, in turn.",
        ("where", "trials/s", "efficiency", "goal"),
        (
            ("one process", f"{median(alone):.2f}", "1", ""),
            (
                f"{workers} workers",
                f"{median(spread):.2f}",
                f"{median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})",
                f"at least {GOAL:g}",
            ),
        ),
    )


def _per_second(folder: Path, given: list[str]) -> float:
    """Trials a second of a run; every one of them is verified, or the speed means nothing."""
    command = [sys.executable, "-m", "verifaible.bench", "--model", "oracle", "--web", "offline"]
    command += ["--trials", str(TRIALS), "--output", str(folder / "runs"), *given]
    environment = {**os.environ, "VERIFAIBLE_HOME": str(ROOT), "VERIFAIBLE_STORE": str(folder / "store")}
    subprocess.run(
        command, cwd=ROOT, env=environment, check=True, timeout=_LIMIT_S, stdout=subprocess.DEVNULL
    )
    (path,) = (each.parent for each in folder.glob("runs/*/run.json"))
    results = list(RunFolder(path).results())
    if not results or not all(each.verified for each in results):
        raise SystemExit(f"{given}: {sum(not each.verified for each in results)} trials are not verified.")
    begun = min(each.finished_at - timedelta(seconds=each.duration_s) for each in results)
    return len(results) / (max(each.finished_at for each in results) - begun).total_seconds()

"""Measure what the tests catch: ``python -m scripts.guards`` (``make guards``).

Three parts, each resumable: what was tried is in ``.guards/`` and is not tried again.

1. coverage: one run of the tests with a context for each.
2. faults: the seeded faults of ``faults.jsonl``; each must turn a test red.
3. mutants: a seeded sample; the share that is killed, with its 95 % interval.
"""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import click

from scripts.guards.coverage import Covered
from scripts.guards.mutants import sample
from scripts.guards.trial import Copy
from verifaible.stats import wilson_interval

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / ".guards"
RESULTS = ROOT / "docs" / "results" / "guards.json"
FAULTS = Path(__file__).with_name("faults.jsonl")
PARTS = ("coverage", "faults", "mutants")
#: What is read and decided without a browser: there a mutant's tests take seconds.
MUTATED = [
    "verifaible/text",
    "verifaible/anchoring",
    "verifaible/scoring",
    "verifaible/store",
    "verifaible/factcheck",
]
#: Seconds of tests for one mutant or fault.
TESTS_S = 60.0
#: So many lines behind a change belong to it: what a condition leads to is there.
BEHIND = 3


@click.command()
@click.option(
    "--part", type=click.Choice(["coverage", "faults", "mutants"]), multiple=True, help="Only these parts."
)
@click.option("--sample", "size", default=400, show_default=True, help="Mutants to try.")
@click.option("--seed", default=32, show_default=True, help="Which sample.")
@click.option("--jobs", default=2, show_default=True, help="Processes at once.")
@click.option("--again", is_flag=True, help="Forget what was tried.")
@click.option("--write", is_flag=True, help=f"Write {RESULTS.relative_to(ROOT)}.")
def main(*, part: tuple[str, ...], size: int, seed: int, jobs: int, again: bool, write: bool) -> None:
    """Say what the tests catch."""
    parts = part or PARTS
    covered = Covered(ROOT, KEPT)
    if again:
        for name in ("faults.jsonl", f"mutants-{seed}.jsonl"):
            (KEPT / name).unlink(missing_ok=True)
    if ("coverage" in parts and again) or not covered.measured:
        covered.measure(jobs)
    results: dict[str, Any] = {"commit": _commit()}
    if "coverage" in parts:
        lines, branches = covered.percentages()
        results["coverage"] = {"lines_percent": round(lines, 1), "branches_percent": round(branches, 1)}
    with tempfile.TemporaryDirectory() as scratch:
        copies = [Copy(ROOT, Path(scratch) / str(number)) for number in range(jobs)]
        if "faults" in parts:
            results["faults"] = _faults(covered, copies)
        if "mutants" in parts:
            results["mutants"] = _mutants(covered, copies, size, seed)
    print(json.dumps(results, indent=1))
    if write:
        RESULTS.parent.mkdir(parents=True, exist_ok=True)
        RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    sys.exit(0 if not results.get("faults", {}).get("not_caught") else 1)


def _commit() -> str:
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _faults(covered: Covered, copies: list[Copy]) -> dict[str, Any]:
    faults = [json.loads(line) for line in FAULTS.read_text(encoding="utf-8").splitlines() if line.strip()]

    def trial(fault: dict[str, Any], copy: Copy) -> dict[str, Any]:
        path = copy.folder / fault["file"]
        source = path.read_text(encoding="utf-8")
        if source.count(fault["old"]) != 1:
            raise SystemExit(
                f"{fault['id']}: its words occur {source.count(fault['old'])} times in {fault['file']}."
            )
        line = source[: source.index(fault["old"])].count("\n") + 1
        behind = line + fault["old"].count("\n") + BEHIND
        tests = covered.tests(fault["file"], range(line, behind + 1), at_most_s=TESTS_S)
        changed = source.replace(fault["old"], fault["new"]).encode()
        outcome, by = copy.try_with({fault["file"]: changed}, tests)
        return {"id": fault["id"], "outcome": outcome, "by": by}

    by_id = {str(fault["id"]): fault for fault in faults}
    tried = _tried(KEPT / "faults.jsonl", list(by_id), lambda name, copy: trial(by_id[name], copy), copies)
    missed = sorted(each["id"] for each in tried if each["outcome"] != "killed")
    return {"seeded": len(tried), "caught": len(tried) - len(missed), "not_caught": missed}


def _mutants(covered: Covered, copies: list[Copy], size: int, seed: int) -> dict[str, Any]:
    drawn = sample(ROOT, MUTATED, size, seed)
    by_name = {mutant.name: mutant for mutant in drawn}

    def trial(name: str, copy: Copy) -> dict[str, Any]:
        mutant = by_name[name]
        source = (copy.folder / mutant.path).read_bytes()
        tests = covered.tests(mutant.path, range(mutant.line, mutant.line + BEHIND), at_most_s=TESTS_S)
        outcome, by = copy.try_with({mutant.path: mutant.applied(source)}, tests)
        change = {"old": mutant.old[:200], "new": mutant.new[:200]}
        return {"id": name, "outcome": outcome, "by": by, "kind": mutant.kind, **change}

    tried = _tried(KEPT / f"mutants-{seed}.jsonl", list(by_name), trial, copies)
    killed = sum(each["outcome"] == "killed" for each in tried)
    interval = wilson_interval(killed, len(tried))
    folders = {
        folder: {
            "killed": sum(each["outcome"] == "killed" for each in tried if each["id"].startswith(folder)),
            "of": sum(each["id"].startswith(folder) for each in tried),
        }
        for folder in MUTATED
    }
    return {
        "seed": seed,
        "sample": len(tried),
        "killed": killed,
        "killed_percent": round(100 * killed / len(tried), 1),
        "interval_95_percent": [round(100 * each, 1) for each in interval],
        "not_covered": sum(each["outcome"] == "not covered" for each in tried),
        "by_folder": folders,
    }


def _tried(
    kept: Path, names: list[str], trial: Callable[[str, Copy], dict[str, Any]], copies: list[Copy]
) -> list[dict[str, Any]]:
    """Try what was not tried before, in as many copies at once; a line for each, as soon as it is known."""
    known: dict[str, dict[str, Any]] = {}
    if kept.is_file():
        known = {each["id"]: each for each in map(json.loads, kept.read_text(encoding="utf-8").splitlines())}
    free: queue.Queue[Copy] = queue.Queue()
    for copy in copies:
        free.put(copy)

    def one(name: str) -> None:
        copy = free.get()
        try:
            found = trial(name, copy)
        finally:
            free.put(copy)
        known[name] = found
        with kept.open("a", encoding="utf-8") as file:
            file.write(json.dumps(found, ensure_ascii=False) + "\n")
        print(f"{found['outcome']:<12} {name} {found['by']}", file=sys.stderr, flush=True)

    with ThreadPoolExecutor(len(copies)) as pool:
        list(pool.map(one, [name for name in names if name not in known]))
    return [known[name] for name in names]


if __name__ == "__main__":
    main()

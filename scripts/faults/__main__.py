"""``python -m scripts.faults [--faults N] [--short] [--seed N] [--write]``: runs while the cluster fails.

Where the system allows it, everything runs in a network namespace that has nothing but loopback. The exit
status is 1 if a trial was lost, doubled or changed, a store is unsound, or anything is left running.
"""

from __future__ import annotations

import argparse
import os
import random
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from scripts.faults.cluster import MARK
from scripts.faults.plan import SHORT, Run, planned
from scripts.faults.report import PAGE, markdown, renewed
from scripts.faults.running import Outcome, carry_out, undisturbed
from scripts.faults.world import World
from verifaible.bench.cases import load_cases

ROOT = Path(__file__).resolve().parents[2]
WHOLE, SEED = 50, 21
_INSIDE = "VERIFAIBLE_FAULTS_INSIDE"


def suite(runs: tuple[Run, ...], seed: int, *, nodes: int = 3) -> list[Outcome]:
    """Carry out the runs, one after the other, on one cluster."""
    os.environ[MARK] = secrets.token_hex(8)
    folder = Path(tempfile.mkdtemp(prefix="vf-"))  # short: Ray keeps sockets below it
    folder.chmod(0o755)  # as root, PostgreSQL runs as another user
    cases = {case.id: case for case in load_cases(ROOT / "cases")}
    outcomes: list[Outcome] = []
    try:
        names = sorted({name for run in runs for name in run.cases})
        with ThreadPoolExecutor() as beside:
            found = beside.submit(undisturbed, names, folder)
            with World(folder, random.Random(seed), nodes=nodes) as world:  # noqa: S311
                verdicts, answers = found.result()
                world.serve({name: cases[name] for name in names}, answers)
                for run in runs:
                    outcomes.append(carry_out(run, world, folder, verdicts))
                    print(_line(outcomes[-1]), file=sys.stderr, flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return outcomes


def _line(outcome: Outcome) -> str:
    run = outcome.run
    hit = [f"{each.kind} ({each.lasts_s:g} s)" if each.lasts_s else each.kind for each in outcome.hit]
    took = f"{outcome.seconds:.0f} s, {outcome.sessions} sessions"
    told = [f"{run.name}: {run.size} trials of {run.agent} in {took}: {', '.join(hit)}"]
    told += [f"  missed: {fault.kind}" for fault in outcome.missed]
    told += [f"  stopped: {said}" for said in outcome.stopped]
    return "\n".join([*told, *(f"  {each}" for each in outcome.findings.all())])


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m scripts.faults", description=__doc__)
    parser.add_argument("--faults", type=int, default=WHOLE, help="how many; fewer are fewer runs")
    parser.add_argument("--short", action="store_true", help="three faults on one node, as in make test")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--run", action="append", help="only this run of the plan (repeatable)")
    parser.add_argument("--write", action="store_true", help="put the table into docs/results/cluster.md")
    chosen = parser.parse_args()
    _go_inside()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("Ended."))  # nothing is left running
    names = [case.id for case in load_cases(ROOT / "cases")]
    runs = SHORT if chosen.short else planned(chosen.seed, chosen.faults, names)
    runs = tuple(run for run in runs if not chosen.run or run.name in chosen.run)
    nodes = 1 if chosen.short else 3
    began = time.monotonic()
    outcomes = suite(runs, chosen.seed, nodes=nodes)
    seconds = time.monotonic() - began
    text = markdown(outcomes, nodes=nodes, seed=chosen.seed, seconds=seconds, alone=_INSIDE in os.environ)
    print(text)
    if chosen.write:
        PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8"), text), encoding="utf-8")
    if any(outcome.findings.all() or outcome.missed for outcome in outcomes):
        raise SystemExit("Not every run came out whole: see above.")


def _go_inside() -> None:
    """Begin again in a network namespace that has only loopback, where that is possible."""
    if _INSIDE in os.environ or shutil.which("unshare") is None:
        return
    # PostgreSQL refuses to run as root, and as root it is another user, whom a namespace of users has not.
    unshare = ["unshare", "-n"] if os.geteuid() == 0 else ["unshare", "-cn", "--keep-caps"]
    inside = [*unshare, "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
    if subprocess.run([*inside, "true"], capture_output=True, check=False).returncode:
        print("No network namespace can be made here: on this machine's own loopback.", file=sys.stderr)
        return
    command = [*inside, sys.executable, "-m", "scripts.faults", *sys.argv[1:]]
    os.execvpe(command[0], command, {**os.environ, _INSIDE: "1"})  # noqa: S606


if __name__ == "__main__":
    main()

"""A run of the bench in a process of its own, with its faults, continued until it has ended."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from scripts.faults.cluster import actors, browsers, named, ours
from scripts.faults.judge import Findings, Verdict, judge
from scripts.faults.plan import MODEL, NOP, ORACLE, Fault, Run
from scripts.faults.world import World
from verifaible.bench.run_dir import RunFolder
from verifaible.schema.run import TrialKey
from verifaible.store.store import Store

ROOT = Path(__file__).resolve().parents[2]
#: A session that takes longer is stuck: on two quiet cores, the longest faults take half a minute each.
_SESSION_S = 400.0
#: A driver that is killed once needs two; one whose store goes away needs another for each time.
_MOST_SESSIONS = 8
#: Within which processes end after their run has.
_ENDING_S = 30.0
_POLL_S = 0.005


@dataclass(slots=True)
class Outcome:
    """What came of a run.

    Attributes:
        run: which.
        hit: the faults that hit it while it ran.
        missed: those for which it ended too early, or that found nothing to hit.
        sessions: processes that it took.
        stopped: what those said that ended early by themselves.
        repeated: trials that took more than one attempt.
        seconds: all of it.
        findings: what is wrong with it.
    """

    run: Run
    hit: list[Fault] = field(default_factory=list)
    missed: list[Fault] = field(default_factory=list)
    sessions: int = 0
    stopped: list[str] = field(default_factory=list)
    repeated: int = 0
    seconds: float = 0.0
    findings: Findings = field(default_factory=Findings)


def carry_out(run: Run, world: World, folder: Path, verdicts: Mapping[tuple[str, str], Verdict]) -> Outcome:
    """Run it with its faults, and judge it.

    Args:
        run: which.
        world: where.
        folder: for its run folder.
        verdicts: of the undisturbed trials, by agent and case.
    """
    outcome, began = Outcome(run), time.monotonic()
    home = folder / run.name
    home.mkdir()
    store, index = world.bucket.url(run.name), world.database.url(run.name)
    environment = {"VERIFAIBLE_STORE": store, "VERIFAIBLE_INDEX": index, "VERIFAIBLE_HOME": str(ROOT)}
    if world.endpoint is not None:
        world.endpoint.begin()
    _sessions(outcome, world, home, environment)
    path = _run_folder(home)
    expected = {
        TrialKey(model=run.agent, case=case, trial=trial): verdicts[run.agent, case]
        for case in run.cases
        for trial in range(1, run.trials + 1)
    }
    if path is None:
        outcome.findings.lost.append(f"all trials: {'; '.join(outcome.stopped)}")
    else:
        served = None
        if run.agent == MODEL and world.endpoint is not None:
            served = world.endpoint.by_trial(MODEL)
        opened = Store(store, index_url=index)
        try:
            outcome.findings = judge(path, expected, opened, served)
        finally:
            opened.close()
        outcome.repeated = _repeated(path)
    outcome.findings.left += _left()
    outcome.seconds = time.monotonic() - began
    return outcome


def _sessions(outcome: Outcome, world: World, home: Path, environment: Mapping[str, str]) -> None:
    """One process after the other, until one comes to the end of the run."""
    run = outcome.run
    where, to_come = run.begins, list(run.faults)
    for number in range(1, _MOST_SESSIONS + 1):
        outcome.sessions = number
        path = _run_folder(home)
        given = ["--resume", str(path)] if path is not None else _arguments(run, world, home)
        executor = f"ray:{world.nodes.address}" if where == "ray" else "local"
        command = [sys.executable, "-m", "verifaible.bench", *given, "--executor", executor]
        command += ["--concurrency", "1" if where == "ray" else "2", "--json"]
        said = home / f"session-{number}.txt"
        with said.open("wb") as file:
            driver = psutil.Popen(
                command, cwd=ROOT, env={**os.environ, **environment}, stdout=file, stderr=subprocess.STDOUT
            )
            try:
                killed = _faults(outcome, world, driver, home, to_come)
            finally:
                if driver.poll() is None:
                    driver.kill()
        if killed is not None:
            where = killed.then
        elif driver.returncode:
            outcome.stopped.append(_last_line(said))
        else:
            break
    outcome.missed += to_come


def _faults(
    outcome: Outcome, world: World, driver: psutil.Popen, home: Path, to_come: list[Fault]
) -> Fault | None:
    """Have the faults happen while a session runs; the one that killed it, if one did."""
    ending: list[tuple[float, Callable[[], None]]] = []
    due: float | None = None
    until = time.monotonic() + _SESSION_S
    killed = None
    while driver.poll() is None or ending:
        now = time.monotonic()
        for passed in [each for each in ending if each[0] <= now]:
            ending.remove(passed)
            passed[1]()
        if driver.poll() is not None:
            time.sleep(_POLL_S)
            continue
        if now > until:
            outcome.findings.left.append(f"a session that did not end within {_SESSION_S:g} s")
            driver.kill()
        if to_come and due is None and _lines(home) >= to_come[0].after:
            due = now + to_come[0].delay_s
        if to_come and due is not None and now >= due:
            fault, due = to_come.pop(0), None
            try:
                undo = world.inflict(fault, driver)
            except TimeoutError:
                outcome.missed.append(fault)
                continue
            (
                outcome.hit if driver.poll() is None or fault.kind == "driver killed" else outcome.missed
            ).append(fault)
            if undo is not None:
                ending.append((time.monotonic() + fault.lasts_s, undo))
            if fault.kind == "driver killed":
                killed = fault
        time.sleep(_POLL_S)
    driver.wait()
    return killed


def _arguments(run: Run, world: World, home: Path) -> list[str]:
    given = [
        "--model",
        run.agent,
        "--web",
        "offline",
        "--trials",
        str(run.trials),
        "--output",
        str(home / "runs"),
    ]
    if run.agent == MODEL:
        assert world.endpoint is not None
        given += ["--base-url", world.endpoint.url]
    return [*given, *(part for case in run.cases for part in ("--case", case))]


def _run_folder(home: Path) -> Path | None:
    """The run's folder, once it has begun."""
    return next((path.parent for path in home.glob("runs/*/run.json")), None)


def _lines(home: Path) -> int:
    """Lines of results that are there; -1 before the run has begun."""
    path = _run_folder(home)
    if path is None:
        return -1
    results = path / "results.jsonl"
    return results.read_bytes().count(b"\n") if results.exists() else 0


def _repeated(path: Path) -> int:
    return sum(result.attempts > 1 for result in RunFolder(path).results())


def _left() -> list[str]:
    """Workers and browsers that outlive their run."""
    until = time.monotonic() + _ENDING_S
    while (left := [*actors(), *browsers(), *_drivers()]) and time.monotonic() < until:
        time.sleep(0.2)
    return [named(each) for each in left]


def _drivers() -> list[psutil.Process]:
    return [each for each in ours() if "verifaible.bench" in named(each)]


def _last_line(said: Path) -> str:
    lines = said.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1] if lines else "nothing was said"


def undisturbed(cases: Sequence[str], folder: Path) -> tuple[dict[tuple[str, str], Verdict], dict[str, str]]:
    """The verdicts where nothing fails, by agent and case, and the answers of the cases; in one process.

    The model goes the way of the reference agent, so its verdicts are those.
    """
    home = folder / "undisturbed"
    command = [
        sys.executable,
        "-m",
        "verifaible.bench",
        "--model",
        ORACLE,
        "--model",
        NOP,
        "--output",
        str(home),
    ]
    environment = {"VERIFAIBLE_STORE": str(home / "store"), "VERIFAIBLE_HOME": str(ROOT)}
    subprocess.run(
        [*command, *(part for case in cases for part in ("--case", case)), "--json"],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        check=True,
        timeout=_SESSION_S * 2,
    )
    results = RunFolder(next(home.glob("*/run.json")).parent).results()
    verdicts = {(result.model, result.case): Verdict.of(result) for result in results}
    verdicts |= {(MODEL, case): verdicts[ORACLE, case] for case in cases}
    return verdicts, {case: verdicts[ORACLE, case].answer for case in cases}

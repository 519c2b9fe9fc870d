"""The fault suite: its judge finds each kind of defect that is planted in a sound run; its plan is drawn once."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from scripts.faults import running
from scripts.faults.judge import Findings, Verdict, judge
from scripts.faults.plan import NOP, Fault, Run, planned
from scripts.faults.report import renewed
from tests.unit.bench import samples as trials
from tests.unit.evidence import samples as evidence
from verifaible.bench.run.folder import RunFolder
from verifaible.bench.run.spend import SpendLine
from verifaible.evidence.store.store import Store
from verifaible.runs.lines import Lines
from verifaible.schema.chat import Usage
from verifaible.schema.run import TrialCitation, TrialKey, TrialResult

SERVED = {TrialKey(model="z-ai/glm-5", case=name, trial=1): 2 for name in ("one", "two", "three")}


class Sound:
    """A run of three trials, of which one was repeated, with its spend and its store."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "run"
        (self.path / "trials").mkdir(parents=True)
        self.store_path = folder / "store"
        store, run = Store(self.store_path), RunFolder(self.path)
        spend = Lines(run.spend_path, SpendLine)
        self.expected = {}
        for name in ("one", "two", "three"):
            made = evidence.add(store, f"Claim {name}")
            cited = TrialCitation(
                number=1, id=made.id, evidence_type="text", source_url="https://a.example", text="t"
            )
            result = trials.result(case=name, citations=(cited,), input_tokens=100, rounds=1)
            if name == "two":  # a first line that is no result, as --resume leaves it
                run.add(result.model_copy(update={"ended_by": "infrastructure"}), trials.transcript(result))
                result = result.model_copy(update={"attempts": 2, "lost_usage": Usage(input_tokens=100)})
            run.add(result, trials.transcript(result))
            self.expected[result.key] = Verdict.of(result)
            for call in (1, 2):  # of one, nobody knows what the second has cost
                line = SpendLine(call=f"{name}-{call}", attempt=1, **result.key.model_dump())
                spend.add(line)
                if (name, call) != ("one", 2):
                    spend.add(line.model_copy(update={"usage": Usage(input_tokens=100)}))
        store.close()

    def judged(self) -> Findings:
        store = Store(self.store_path)
        try:
            return judge(self.path, self.expected, store, SERVED)
        finally:
            store.close()

    def change(self, name: str, change: Callable[[list[str]], None]) -> None:
        """Change the lines of a file."""
        path = self.path / name
        lines = path.read_text().splitlines(keepends=True)
        change(lines)
        path.write_text("".join(lines))


@pytest.fixture
def sound(tmp_path: Path) -> Sound:
    return Sound(tmp_path)


def test_nothing_is_wrong_with_a_sound_run(sound: Sound) -> None:
    assert sound.judged().all() == []


def _unverified(lines: list[str]) -> None:
    lines[0] = (
        TrialResult.model_validate({**json.loads(lines[0]), "verified": False}).model_dump_json() + "\n"
    )


def _of_another(lines: list[str]) -> None:
    lines.append(lines[0].replace('"one"', '"other"'))


def _lost_again(lines: list[str]) -> None:
    lines.append(lines[3].replace('"ended_by":"answer"', '"ended_by":"infrastructure"'))


RESULTS: list[tuple[str, str, Callable[[list[str]], None]]] = [
    ("a line removed", "lost", lambda lines: lines.pop(0)),
    ("only what is no result left", "lost", lambda lines: lines.pop(2)),
    ("a line doubled", "doubled", lambda lines: lines.append(lines[0])),
    ("a result followed by none", "doubled", _lost_again),
    ("a trial that nobody planned", "doubled", _of_another),
    ("another verdict", "changed", _unverified),
    ("a line cut in its middle", "unsound", lambda lines: lines.__setitem__(1, lines[1][:40] + "\n")),
    ("a last line that does not end", "unsound", lambda lines: lines.__setitem__(3, lines[3][:-1])),
]


@pytest.mark.every_variant
@pytest.mark.parametrize(
    ("kind", "change"), [each[1:] for each in RESULTS], ids=[each[0] for each in RESULTS]
)
def test_a_defect_of_the_results_is_found(
    sound: Sound, kind: str, change: Callable[[list[str]], None]
) -> None:
    sound.change("results.jsonl", change)
    assert getattr(sound.judged(), kind)


SPEND: list[tuple[str, Callable[[list[str]], None]]] = [
    ("a call not written down", lambda lines: lines.__delitem__(slice(2))),
    ("a cost counted twice", lambda lines: lines.append(lines[-1])),
    ("a repeated trial's first cost lost", lambda lines: lines.pop(4)),
]


@pytest.mark.parametrize("change", [each[1] for each in SPEND], ids=[each[0] for each in SPEND])
def test_a_defect_of_the_spend_is_found(sound: Sound, change: Callable[[list[str]], None]) -> None:
    sound.change("spend.jsonl", change)
    assert sound.judged().spend


def test_a_transcript_that_is_gone_is_found(sound: Sound) -> None:
    next((sound.path / "trials").glob("*three*")).unlink()
    assert sound.judged().lost


@pytest.mark.parametrize("how", ["altered", "removed", "doubled"])
def test_an_entry_of_the_log_that_was_touched_is_found(sound: Sound, how: str) -> None:
    entries = sorted((sound.store_path / "custody").glob("[0-9]*.json"))
    if how == "altered":
        entries[1].write_bytes(entries[1].read_bytes().replace(b'"at":"2', b'"at":"3'))
    elif how == "removed":
        entries[1].unlink()
    else:
        entries[1].write_bytes(entries[0].read_bytes())
    assert sound.judged().unsound


def test_evidence_that_is_not_in_the_store_is_found(sound: Sound) -> None:
    sound.change("results.jsonl", lambda lines: lines.__setitem__(0, lines[0].replace('"id":"', '"id":"0')))
    assert sound.judged().lost


def test_the_plan_has_every_fault_and_trial_and_is_drawn_from_its_seed_alone() -> None:
    cases = [f"case_{number}" for number in range(21)]
    runs = planned(21, 50, cases)
    assert runs == planned(21, 50, cases) != planned(22, 50, cases)
    assert sum(len(run.faults) for run in runs) == 50
    sizes = {agent: sum(run.size for run in runs if run.agent == agent) for agent in ("nop", "oracle")}
    assert sizes == {"nop": 300, "oracle": 60}
    for run in runs:
        if run.begins == "local":  # nothing of a cluster can fail where there is none
            assert run.faults[0].kind == "driver killed"
        if any(fault.then == "local" for fault in run.faults):
            assert [fault.kind for fault in run.faults].index("driver killed") == len(run.faults) - 1


class Nothing:
    """A world in which there is nothing that a fault could hit."""

    nodes = SimpleNamespace(address="")

    def inflict(self, fault: Fault, driver: object) -> None:
        raise TimeoutError(fault.kind)


def test_a_fault_that_hit_nothing_and_one_that_came_too_late_are_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "runs" / "one").mkdir(parents=True)
    (tmp_path / "runs" / "one" / "run.json").touch()
    start, session = running.psutil.Popen, [sys.executable, "-c", "import time; time.sleep(0.5)"]
    monkeypatch.setattr(running.psutil, "Popen", lambda command, **options: start(session, **options))
    faults = (Fault("worker killed", 0, 0.0), Fault("database away", 9, 0.0))
    outcome = running.Outcome(Run("one", NOP, ("us_text_001",), 1, "ray", faults))
    world: Any = Nothing()
    running._sessions(outcome, world, tmp_path, {})
    assert (outcome.missed, outcome.hit, outcome.sessions) == ([*faults], [], 1)


def test_the_tables_take_the_place_of_those_before_and_nothing_else() -> None:
    page = renewed("# Larger runs\n\nText.\n", "first")
    assert page.startswith("# Larger runs\n\nText.\n\n<!-- make faults -->\nfirst\n")
    assert renewed(page + "\nBehind.\n", "second") == page.replace("first", "second") + "\nBehind.\n"

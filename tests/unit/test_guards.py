"""The seeded faults of ``make guards`` are of today's code: each still finds the words that it changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FAULTS = [
    json.loads(line)
    for line in (ROOT / "scripts" / "guards" / "faults.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize("fault", FAULTS, ids=[each["id"] for each in FAULTS])
def test_a_seeded_fault_finds_its_words(fault: dict[str, str]) -> None:
    source = (ROOT / fault["file"]).read_text(encoding="utf-8")
    assert source.count(fault["old"]) == 1
    changed = source.replace(fault["old"], fault["new"])
    compile(changed, fault["file"], "exec")
    assert changed != source


def test_there_are_no_fewer_faults_than_promises() -> None:
    assert len({each["id"] for each in FAULTS}) == len(FAULTS) >= 60

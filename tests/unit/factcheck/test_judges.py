"""Who decides what the rules leave open."""

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from tests.unit.check.made import claim
from verifaible.config import Settings
from verifaible.errors import UnknownModel
from verifaible.factcheck.judges import open_judges
from verifaible.factcheck.library import Library
from verifaible.schema.analyst import AnalystAnswer
from verifaible.schema.verdict import Verdict

ANSWER = AnalystAnswer(id="a", origin="markdown", model="", query="", answer="It rose.")


async def test_the_local_model_is_asked_and_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Entailment:
        name = "nli:tiny"

        async def decide(self, claim: object, library: object) -> Verdict:
            return Verdict(outcome="supported")

    module = ModuleType("verifaible.factcheck.nli")
    module.__dict__["Entailment"] = SimpleNamespace(open=lambda settings: Entailment())
    monkeypatch.setitem(sys.modules, "verifaible.factcheck.nli.entailment", module)
    opened = open_judges("nli", Settings(home=tmp_path))
    judging = opened.judges(ANSWER)
    found = await judging.decide(claim("It rose"), Library(()))
    assert (opened.name, judging.by) == ("nli:tiny", "nli")
    assert found is not None and found.outcome == "supported"
    await opened.aclose()


def test_a_judge_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownModel):
        open_judges("no-such-model-anywhere", Settings(home=tmp_path))

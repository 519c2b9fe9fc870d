"""What is sent to the workers of a cluster: the keys of the models that they ask, and no other."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from tests.unit.bench.samples import REPOSITORY
from verifaible.agent.loop import Limits
from verifaible.bench.agents import entrant
from verifaible.bench.cases import load_cases
from verifaible.bench.config import Plan
from verifaible.bench.run_dir import RunFolder
from verifaible.bench.runner import Runner
from verifaible.config import Settings


def sent(tmp_path: Path, model: str, settings: Settings) -> bytes:
    packed: list[bytes] = []

    def workers(opening: Any) -> Any:
        packed.append(pickle.dumps(opening))

    plan = Plan((entrant(model, settings, Limits()),), load_cases(REPOSITORY / "cases")[:1], workers=workers)
    runner = Runner(settings, plan, RunFolder.create(tmp_path / "runs", (model,)), lambda *_: None)
    runner._executor()
    runner._store.close()
    return packed[0]


def test_the_key_of_a_model_goes_where_it_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-of-openrouter")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")
    settings = Settings(home=REPOSITORY, store=str(tmp_path / "store"))
    assert b"sk-of-openrouter" in sent(tmp_path, "glm-5", settings)
    assert b"sk-of-openai" not in sent(tmp_path, "glm-5", settings)
    own = settings.model_copy(update={"base_url": "https://models.example/v1", "api_key": "sk-own"})
    assert b"sk-own" in sent(tmp_path, "some/model", own)


def test_an_agent_without_a_model_is_sent_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-of-openrouter")
    settings = Settings(home=REPOSITORY, store=str(tmp_path / "store"), api_key="sk-own")
    packed = sent(tmp_path, "oracle", settings)
    assert b"store" in packed
    assert b"sk-" not in packed

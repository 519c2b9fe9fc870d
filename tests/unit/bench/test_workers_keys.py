"""What is sent to the workers of a cluster: no key of a model."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

from tests.unit.bench.samples import REPOSITORY
from verifaible.agent.oracle import OracleAgent
from verifaible.bench.cases.load import load_cases
from verifaible.bench.run.agents import Entrant
from verifaible.bench.run.folder import RunFolder
from verifaible.bench.run.plan import Plan
from verifaible.bench.run.runner import Runner
from verifaible.config import Settings


def test_the_key_of_the_models_stays_here(tmp_path: Path) -> None:
    sent: list[bytes] = []

    def workers(opening: Any) -> Any:
        sent.append(pickle.dumps(opening))

    settings = Settings(home=REPOSITORY, store=str(tmp_path / "store"), api_key="sk-of-the-models")
    plan = Plan((Entrant("oracle", OracleAgent()),), load_cases(REPOSITORY / "cases")[:1], workers=workers)
    runner = Runner(settings, plan, RunFolder.create(tmp_path / "runs", ("oracle",)), lambda *_: None)
    runner._executor()
    runner._store.close()
    assert b"store" in sent[0]
    assert b"sk-of-the-models" not in sent[0]

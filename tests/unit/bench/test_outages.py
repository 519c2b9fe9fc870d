"""A store that is away for a while does not end a run; what does not pass by itself does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

import pytest

from tests.unit.bench.places import CASE, Losing, Model, Run
from tests.unit.evidence.samples import QUOTE, URL, add, material
from verifaible.agent.loop import Limits, ModelAgent
from verifaible.bench.reverify import evidence_of
from verifaible.bench.run.agents import Entrant
from verifaible.bench.run.plan import Plan
from verifaible.bench.run.runner import Runner
from verifaible.bench.run.workshop import Outages, Sessions
from verifaible.errors import IntegrityError, StoreError, StoreUnreachable
from verifaible.llm.retry import RetryPolicy
from verifaible.schema.chat import ModelTurn, ToolSpec
from verifaible.schema.run import ToolReply, TrialCitation
from verifaible.scoring.verified import EvidenceFacts
from verifaible.store.store import Store as EvidenceStore

AWAY = StoreUnreachable("The store cannot be used (connection refused).")


class Store:
    """Fails so often, then answers."""

    def __init__(self, failures: int, error: StoreError = AWAY) -> None:
        self.failures = failures
        self.error = error
        self.asked = 0

    async def __call__(self) -> str:
        self.asked += 1
        if self.asked <= self.failures:
            raise self.error
        return "kept"


def outages(total_s: float = 10.0, *, answered: bool = True) -> Outages:
    made = Outages(RetryPolicy(total_s=total_s, first_wait_s=0.01))
    made.answered = answered
    return made


async def test_a_store_that_comes_back_costs_nothing() -> None:
    store = Store(3)
    assert await outages().outlasted(store) == "kept"
    assert store.asked == 4


@pytest.mark.parametrize(
    ("store", "waiting"),
    [
        (Store(1), outages(answered=False)),
        (Store(1, IntegrityError("A file was changed.")), outages()),
        (Store(1, StoreError("The capture holds no text.")), outages()),
        (Store(1_000), outages(0.0)),
    ],
    ids=["never answered", "damaged", "not whole", "away too long"],
)
async def test_what_does_not_pass_is_told_at_once(store: Store, waiting: Outages) -> None:
    with pytest.raises(type(store.error)):
        await waiting.outlasted(store)
    assert store.asked == 1


class Place:
    """Where the tools fail at the store once."""

    worker = ""

    def __init__(self) -> None:
        self.calls: list[str] = []

    async def call(self, method: str, *arguments: Any) -> Any:
        self.calls.append(method)
        if method == "specs":
            return (ToolSpec(name="verifaible_cite", description="", parameters={}),)
        if method == "call" and self.calls.count("call") == 1:
            raise AWAY
        return ToolReply(text="cited") if method == "call" else 1


class Executor:
    """One such place."""

    at_once = 1
    workers = answering = 1
    dashboard = ""

    def __init__(self) -> None:
        self.only = Place()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None: ...

    @asynccontextmanager
    async def place(self) -> AsyncIterator[Place]:
        yield self.only


async def test_a_tool_that_failed_at_the_store_is_called_again_in_its_session() -> None:
    executor = Executor()
    async with Sessions(executor, outages()).session("en", "") as tools:
        assert (await tools.call("verifaible_cite", "{}")).text == "cited"
    assert executor.only.calls == ["specs", "begin", "call", "call", "end"]


@pytest.mark.nightly
@pytest.mark.parametrize("away", [True, False], ids=["the store", "the model"])
async def test_time_that_the_store_took_is_not_held_against_a_model(away: bool, tmp_path: Path) -> None:
    class Away(Losing):
        async def call(self, method: str, *arguments: Any) -> Any:
            if method == "call" and away and not self.gone:
                self.gone.append(method)
                raise AWAY
            return await super().call(method, *arguments)

    class Slow(Model):
        async def complete(self, *arguments: Any, **options: Any) -> ModelTurn:
            if not away:
                await asyncio.sleep(30)
            return await super().complete(*arguments, **options)

    run = Run(tmp_path)
    run.model = Slow()
    agent = ModelAgent(run.model, "m", Limits(seconds=3))
    places = Away(run.settings)
    plan = Plan((Entrant("m", agent, run.model),), (CASE,), web="live", workers=lambda _: places)
    runner = Runner(run.settings, plan, run.folder, lambda *_: None)
    runner._outages = Outages(RetryPolicy(first_wait_s=12.0))
    runner._outages.answered = True
    await runner.run()
    expected = ("answer", 2) if away else ("seconds", 1)
    assert (run.result.ended_by, run.result.attempts) == expected


def test_a_store_that_is_away_says_nothing_of_the_evidence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = EvidenceStore(tmp_path)
    cited = TrialCitation(number=1, id=add(store).id, evidence_type="text", source_url=URL, text=QUOTE)
    (facts,) = evidence_of([cited], store)
    assert facts.reverified

    def failing(error: StoreError) -> None:
        def entry_of(*_: object) -> None:
            raise error

        monkeypatch.setattr(store, "entry_of", entry_of)

    failing(AWAY)
    with pytest.raises(StoreError, match="connection refused"):
        evidence_of([cited], store)
    failing(IntegrityError("Entry 1 was changed."))
    (facts,) = evidence_of([cited], store)
    assert not facts.reverified
    assert facts.reverify_message == "Entry 1 was changed."


async def test_a_damaged_capture_is_scored_at_once(tmp_path: Path) -> None:
    """What is wrong with a capture whose bytes are those that were sealed does not pass by itself."""
    store = EvidenceStore(tmp_path / "store")
    made = material(store)
    made["capture"].write_bytes(b"no archive")
    capture = made["draft"].capture.model_copy(update={"sha256": sha256(b"no archive").hexdigest()})
    citation = store.add(**{**made, "draft": made["draft"].model_copy(update={"capture": capture})})
    cited = TrialCitation(number=1, id=citation.id, evidence_type="text", source_url=URL, text=QUOTE)
    asked: list[int] = []

    async def check() -> tuple[EvidenceFacts, ...]:
        asked.append(1)
        return evidence_of([cited], store)

    (facts,) = await outages().outlasted(check)
    assert (facts.reverified, len(asked)) == (False, 1)
    assert "not a ZIP file" in facts.reverify_message

"""Tools that seal real citations without a browser; a model that uses them; and a run of both."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.unit.bench.samples import case
from tests.unit.evidence.samples import QUOTE, URL, add
from verifaible.agent.loop import ModelAgent
from verifaible.bench import runner
from verifaible.bench.agents import Entrant
from verifaible.bench.config import Plan
from verifaible.bench.run_dir import RunFolder
from verifaible.bench.runner import Runner
from verifaible.config import Settings
from verifaible.errors import InfrastructureError
from verifaible.llm.base import AnswerForm
from verifaible.schema.case import Case
from verifaible.schema.chat import Message, ModelTurn, ToolCall, ToolSpec, Usage
from verifaible.schema.run import ToolReply, TrialCitation, TrialResult
from verifaible.store.store import Store
from verifaible.tools.toolbox import Toolbox

COST_USD = 0.5
CASE = case(
    id="rate",
    url=URL,
    question="What was the rate in February, in per cent?",
    answer="5.33",
    expect={"kind": "number", "value": "5.33", "unit": "%"},
)


class Sealing:
    """What a workspace does, without a browser: each call seals a citation; some calls are lost."""

    def __init__(self, store: Store, lost: Collection[int] = ()) -> None:
        self.store = store
        self.lost = lost
        self.calls = count()
        self.sessions = count(1)

    def toolbox(self, language: str = "") -> Toolbox:
        return _Session(self, f"session {next(self.sessions)}")


class _Session(Toolbox):
    def __init__(self, tools: Sealing, name: str) -> None:
        super().__init__(())
        self.specs = (ToolSpec(name="cite", description="Cite.", parameters={"type": "object"}),)
        self._sealing, self._name, self._made = tools, name, 0

    async def call(self, name: str, arguments: str) -> ToolReply:
        if next(self._sealing.calls) in self._sealing.lost:
            raise InfrastructureError("The browser died.")
        self._made += 1
        made = add(self._sealing.store, f"{self._name}: {self._made}")
        cited = TrialCitation(number=self._made, id=made.id, evidence_type="text", source_url=URL, text=QUOTE)
        return ToolReply(text=f"[@v:{self._made}]", citation=cited)


class Model:
    """Cites twice, then answers with the second citation; counts what it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    async def complete(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], *, form: AnswerForm | None = None
    ) -> ModelTurn:
        self.asked += 1
        await asyncio.sleep(0)
        usage = Usage(input_tokens=10, cost_usd=COST_USD)
        cited = sum(message.role == "tool" for message in messages)
        if cited == 2:
            return ModelTurn(text="5.33 % [@v:2]", usage=usage)
        call = ToolCall(id=f"call_{cited}", name="cite", arguments="{}")
        return ModelTurn(text="", tool_calls=(call,), usage=usage)

    async def aclose(self) -> None:
        return


class Run:
    """A run of the model over such tools, that can be continued."""

    def __init__(self, folder: Path, cases: Sequence[Case] = (CASE,), trials: int = 1) -> None:
        self.settings = Settings(home=folder, store=str(folder / "store"))
        self.folder = RunFolder.create(folder / "runs", ("m",))
        self.model = Model()
        self._cases = tuple(cases)
        self._trials = trials

    async def __call__(self, lost: Collection[int] = (), *, most_cost_usd: float | None = None) -> None:
        @asynccontextmanager
        async def opened(*_: Any, store: Store, **__: Any) -> AsyncIterator[Sealing]:
            yield Sealing(store, lost)

        plan = Plan(
            (Entrant("m", ModelAgent(self.model, "m"), self.model),),
            self._cases,
            self._trials,
            web="live",
            most_cost_usd=most_cost_usd,
        )
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(runner, "open_workspace", opened)
            await Runner(self.settings, plan, self.folder, lambda *_: None).run()

    @property
    def result(self) -> TrialResult:
        """That of the one trial, of which there is one."""
        (result,) = self.folder.results()
        return result

"""Places that are lost at chosen calls, at tools that seal real citations; and a model that uses them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any, Self

from tests.unit.bench.samples import case
from tests.unit.evidence.samples import QUOTE, URL, add
from verifaible.agent.loop import ModelAgent
from verifaible.bench.run.agents import Entrant
from verifaible.bench.run.folder import RunFolder
from verifaible.bench.run.plan import Plan
from verifaible.bench.run.runner import Runner
from verifaible.config import Settings
from verifaible.errors import InfrastructureError
from verifaible.llm.base import AnswerForm
from verifaible.runs.executor import Executor, Opening
from verifaible.schema.case import Case
from verifaible.schema.chat import Message, ModelTurn, ToolCall, ToolSpec, Usage
from verifaible.schema.run import ToolReply, TrialCitation, TrialResult
from verifaible.store.store import Store

COST_USD = 0.5
CASE = case(
    id="rate",
    url=URL,
    question="What was the rate in February, in per cent?",
    answer="5.33",
    expect={"kind": "number", "value": "5.33", "unit": "%"},
)


class Sealing:
    """What a workshop does, without a browser: each call seals a citation; ids tell which session made it."""

    def __init__(self, settings: Settings) -> None:
        self._store = Store.open(settings)
        self._made: dict[str, int] = {}
        self._numbers = count(1)

    async def specs(self) -> tuple[ToolSpec, ...]:
        return (ToolSpec(name="cite", description="Cite.", parameters={"type": "object"}),)

    async def begin(self, language: str, boundary_key: str) -> str:
        session = f"{id(self)}-{next(self._numbers)}"
        self._made[session] = 0
        return session

    async def call(self, session: str, name: str, arguments: str) -> ToolReply:
        if session not in self._made:
            raise InfrastructureError("There is no such session.")
        self._made[session] += 1
        number = self._made[session]
        made = add(self._store, f"{session}: {number}")
        cited = TrialCitation(number=number, id=made.id, evidence_type="text", source_url=URL, text=QUOTE)
        return ToolReply(text=f"[@v:{number}]", citation=cited)

    async def end(self, session: str) -> None:
        self._made.pop(session, None)


class Losing:
    """An executor whose worker is lost at chosen calls, before or after what they do; the next is new."""

    workers = answering = 1
    dashboard = worker = ""

    def __init__(self, settings: Settings, lost: Collection[int] = (), *, done: bool = False) -> None:
        self._settings = settings
        self._lost = lost
        self._done = done
        self.at_once = 1
        self.calls: list[str] = []
        #: The calls that were lost, and the tool calls that were done all the same.
        self.gone: list[str] = []
        self.sealed = 0

    async def __aenter__(self) -> Self:
        self._worker = Sealing(self._settings)
        return self

    async def __aexit__(self, *_: object) -> None:
        return

    @asynccontextmanager
    async def place(self) -> AsyncIterator[Losing]:
        yield self

    async def call(self, method: str, *arguments: Any) -> Any:
        number = len(self.calls)
        self.calls.append(method)
        lost = number in self._lost
        try:
            if self._done or not lost:
                done = await getattr(self._worker, method)(*arguments)
                self.sealed += method == "call"
        finally:
            if lost:
                self.gone.append(method)
                self._worker = Sealing(self._settings)
        if lost:
            raise InfrastructureError("The worker was lost.")
        return done


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
    """A run of the model over such places, that can be continued."""

    def __init__(self, folder: Path, cases: Sequence[Case] = (CASE,), trials: int = 1) -> None:
        self.settings = Settings(home=folder, store=str(folder / "store"))
        self.folder = RunFolder.create(folder / "runs", ("m",))
        self.model = Model()
        self._cases = tuple(cases)
        self._trials = trials

    async def __call__(self, executor: Executor, *, most_cost_usd: float | None = None) -> None:
        def workers(_: Opening) -> Executor:
            return executor

        plan = Plan(
            (Entrant("m", ModelAgent(self.model, "m"), self.model),),
            self._cases,
            self._trials,
            web="live",
            most_cost_usd=most_cost_usd,
            workers=workers,
        )
        await Runner(self.settings, plan, self.folder, lambda *_: None).run()

    @property
    def result(self) -> TrialResult:
        """That of the one trial, of which there is one."""
        (result,) = self.folder.results()
        return result

"""From the names of models to an analyst with its tools, and a conversation with it that goes on.

The model of the demo knows a few questions, the calls that each needs and the answer, from ``demo.json``.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from functools import cache
from importlib import resources
from typing import Any, Final

from verifaible.agent.loop import Limits
from verifaible.check.ask import session
from verifaible.config import Settings
from verifaible.crypto.agents.tools import tools as agents
from verifaible.crypto.chain.account import tools as accounts
from verifaible.crypto.chain.large import tools as onchain
from verifaible.crypto.chat.conversations import (
    ChatEvent,
    Conversation,
    ConversationInfo,
    Evidence,
    TurnStarted,
)
from verifaible.crypto.chat.turn import Analyst, History, Preset, run_turn
from verifaible.crypto.contracts.report import tools as contracts
from verifaible.crypto.klines import tools as klines
from verifaible.crypto.metered import USUAL_LIMITS
from verifaible.crypto.providers.endpoint import Places
from verifaible.crypto.providers.session import Api
from verifaible.crypto.providers.toolset import data_tools, market_tools, toolbox
from verifaible.crypto.query import Switches
from verifaible.crypto.runs import opened
from verifaible.crypto.sandbox.calculating import tools as calculate
from verifaible.crypto.sandbox.running import Sandbox
from verifaible.errors import ConfigError
from verifaible.llm.base import AnswerForm, ModelClient
from verifaible.llm.catalogue import Api as ModelApi
from verifaible.runs.folder import held
from verifaible.schema.base import Record
from verifaible.schema.chat import Message, ModelTurn, ToolCall, ToolSpec
from verifaible.store.store import Store
from verifaible.tools.context import ToolContext
from verifaible.tools.toolbox import Toolbox

#: The name by which the scripted model is asked.
DEMO: Final = "demo"
#: The day of the recorded data.
DEMO_TIME: Final = datetime(2026, 3, 2, 12, tzinfo=UTC)
_PLACE: Final = re.compile(r"<<(.+?)>>")
_MARK: Final = re.compile(r"\[((?:src|calc)_\d+)\]")


class _Call(Record):
    name: str
    arguments: dict[str, Any]


class Scripted(Record):
    """A question of the demo.

    Attributes:
        prompt: its words.
        decisions: the calls, a list for each answer of the caller.
        answer: the lines of the text. ``<<words>>`` in them, and in arguments, stands for the mark beside
            these words in the results.
    """

    prompt: str
    decisions: tuple[tuple[_Call, ...], ...]
    answer: tuple[str, ...]


class Script(Record):
    """What the demo's model says; ``forms`` is what it fills in where a tool asks it, by the form's name."""

    questions: tuple[Scripted, ...]
    forms: dict[str, dict[str, Any]]


@cache
def script() -> Script:
    """The script, from its file."""
    text = resources.files("verifaible.crypto.chat").joinpath("demo.json").read_text(encoding="utf-8")
    return Script.model_validate_json(text)


class DemoModel:
    """A :class:`~verifaible.llm.base.ModelClient` that follows the demo's script; it keeps no state."""

    async def complete(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], *, form: AnswerForm | None = None
    ) -> ModelTurn:
        """The script's calls where tools are offered, a form where one is asked for, else the answer."""
        if form is not None:
            filled = json.dumps(script().forms.get(form.name, {}), ensure_ascii=False)
            return ModelTurn(model=DEMO, text=_filled(filled, messages))
        if not tools:
            return ModelTurn(model=DEMO, text=_answer(messages))
        asked = max(place for place, message in enumerate(messages) if message.role == "user")
        known = next((each for each in script().questions if messages[asked].text == each.prompt), None)
        decided = sum(message.role == "assistant" for message in messages[asked:])
        calls = known.decisions[decided : decided + 1] if known else ()
        made = [
            (each.name, _filled(json.dumps(each.arguments), messages[asked:]))
            for each in (calls[0] if calls else (_Call(name="no_tool_call", arguments={}),))
        ]
        return ModelTurn(
            model=DEMO,
            tool_calls=tuple(
                ToolCall(id=f"demo_{decided}_{place}", name=name, arguments=arguments)
                for place, (name, arguments) in enumerate(made)
            ),
        )

    async def aclose(self) -> None:
        """Nothing is open."""


def _answer(messages: Sequence[Message]) -> str:
    """The answer to the latest question that has results with it; asked to correct it, it says the same."""
    for message in reversed(messages):
        for each in script().questions:
            if message.role == "user" and message.text.startswith(f"{each.prompt}\n\n"):
                return _filled("\n".join(each.answer), [message])
    questions = "\n".join(f"- {each.prompt}" for each in script().questions)
    return f"The model of this demo is scripted. It knows these questions, word for word:\n\n{questions}"


def _filled(text: str, messages: Sequence[Message]) -> str:
    """A text with the marks of this conversation: they are counted on from turn to turn."""
    lines = [line for message in messages for line in message.text.splitlines()]

    def mark(match: re.Match[str]) -> str:
        for line in lines:
            before, words, behind = line.partition(match[1])
            if words and (found := _MARK.search(behind) or _MARK.search(before)):
                return found[1]
        return match[1]

    return _PLACE.sub(mark, text)


def demo_info() -> ConversationInfo:
    """A conversation with the scripted model over the recorded archives."""
    return ConversationInfo(
        started_at=datetime.now(UTC), caller=DEMO, answerer=DEMO, web="offline", as_of=DEMO_TIME
    )


@asynccontextmanager
async def analyst(
    settings: Settings,
    info: ConversationInfo,
    *,
    preset: Preset = "coinvisor",
    switches: Switches | None = None,
    rewriting: bool = False,
    api: ModelApi | None = None,
    limits: Limits = USUAL_LIMITS,
    limited: bool = False,
) -> AsyncIterator[Analyst]:
    """What answers questions; its models and its browser end with the context.

    Args:
        settings: base URL, keys, home.
        info: names of the models, the web, the time.
        preset: how it works.
        switches: the mitigations.
        rewriting: whether the model rewrites a question first.
        api: the API that both models are asked in; default by the catalogue.
        limits: of each turn.
        limited: whether there is a limit of cost besides.

    Raises:
        UnknownModel: no such name.
        MissingKey: a model's endpoint needs a key that is not set.
        ConfigError: a limit of cost for a model whose cost is not known; the archives are missing.
        StoreError: the store cannot be opened.
    """
    switches = switches or Switches()
    limited = limited or limits.cost_usd is not None
    async with AsyncExitStack() as stack:
        clients: dict[str, ModelClient] = {DEMO: DemoModel()}
        for name in dict.fromkeys((info.caller, info.answerer)):
            if name not in clients:
                model = await stack.enter_async_context(opened(name, settings, api, limited=limited))
                clients[name] = model.client
        store = Store.open(settings)
        context = await stack.enter_async_context(session(settings, store, offline=info.web == "offline"))
        # in the replicas the present is the time of the demo
        held = max(info.as_of or DEMO_TIME, DEMO_TIME) if info.web == "offline" else None
        yield Analyst(
            caller=clients[info.caller],
            answerer=clients[info.answerer],
            context=context,
            tools=lambda data, model: tools_of(context, data, model, preset=preset, switches=switches),
            preset=preset,
            switches=switches,
            rewriting=rewriting,
            limits=limits,
            now=lambda: held or datetime.now(UTC),
        )


def tools_of(
    context: ToolContext,
    api: Api,
    model: ModelClient,
    *,
    preset: Preset = "coinvisor",
    switches: Switches | None = None,
) -> Toolbox:
    """The tools of a turn; those of the web are for ``react``.

    Args:
        context: web, browser, search and settings.
        api: of the turn.
        model: what report agents and reviews ask.
        preset: who calls them.
        switches: of the order that the tools are told in.
    """
    places = Places()
    paper = (
        *market_tools(api, places),
        *klines(api, places),
        *onchain(api, places.coingecko),
        *accounts(api),
        *contracts(api, model),
        *agents(api, places, context, model),
        *calculate(api, Sandbox().run),
    )
    if preset == "react":
        return toolbox(context, api, switches or Switches(), places, further=paper)
    return Toolbox((*paper, *data_tools(api, places)))


async def ask(
    conversation: Conversation, answering: Analyst, prompt: str | None
) -> AsyncGenerator[ChatEvent, None]:
    """What happens in the next turn of a conversation, ending with an answer or why there is none.

    Each event is kept before it is told. Closing the generator stops the turn.

    Args:
        conversation: where it is kept.
        answering: what it is answered with.
        prompt: the question; None: the last one again, and what becomes of it now replaces it.

    Raises:
        ConfigError: the prompt is empty, or there is none to try again.
        RunError: a turn of it is under way, or it cannot be written.
    """
    earlier = conversation.turns()
    number = earlier[-1].number if earlier else 0
    if prompt is None:
        if not earlier:
            raise ConfigError("There is nothing to try again. Ask something first.")
        prompt, earlier = earlier[-1].prompt, earlier[:-1]
    elif prompt.strip():
        number += 1
    else:
        raise ConfigError("The question is empty. Ask something.")
    happening: asyncio.Queue[ChatEvent | None] = asyncio.Queue()

    def tell(told: ChatEvent | Evidence) -> None:
        conversation.keep(told)
        if not isinstance(told, Evidence):
            happening.put_nowait(told)

    async def work() -> None:
        try:
            with held(conversation.folder):
                tell(TurnStarted(turn=number, prompt=prompt))
                kept = History(conversation.id, earlier, conversation.evidence(), conversation.info.as_of)
                await run_turn(prompt, answering, kept, tell)
        finally:
            happening.put_nowait(None)

    task = asyncio.create_task(work())
    try:
        while (event := await happening.get()) is not None:
            yield event
        await task
    finally:
        task.cancel()
        await asyncio.wait([task])

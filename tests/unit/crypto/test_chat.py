"""Conversations: the caller's tools, the answerer, the check of numbers, stopping, limits, and what is kept."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.unit.crypto.scripted import SPENT, calls, says
from tests.unit.crypto.working import NOW, offline_context, offline_data
from verifaible.agent.loop import Limits
from verifaible.crypto.chat.analyst import ask, tools_of
from verifaible.crypto.chat.conversations import (
    Answered,
    ChatEvent,
    Conversation,
    ConversationInfo,
    Conversations,
    TextDelta,
    ToolFinished,
    TurnEnded,
)
from verifaible.crypto.chat.turn import Analyst, Preset
from verifaible.crypto.planning.caller import tools
from verifaible.crypto.providers.endpoint import Places
from verifaible.crypto.providers.session import Api
from verifaible.crypto.providers.toolset import coingecko_tools as gecko
from verifaible.errors import ConfigError, ModelUnreachable, RunError
from verifaible.evidence.sources import SourceTexts
from verifaible.llm.base import AnswerForm, ModelClient
from verifaible.llm.scripted import ScriptedModel, ScriptedTurn
from verifaible.runs.lines import DamagedLine
from verifaible.schema.chat import Message, ModelTurn, ToolSpec
from verifaible.schema.data import NumberEvidence
from verifaible.schema.run import ToolReply
from verifaible.tools.toolbox import Tool, Toolbox

STOP = calls(("no_tool_call", {}))
PRICES = calls(("coingecko_price", {"coins": ["BTC"]}), ("coingecko_coin", {"coin": "SOL"}))
TEXT = "Bitcoin is at $67,412.00 [src_1#/bitcoin/usd]."


def no_numbers(text: str, *, prompt: str, api: Api) -> tuple[NumberEvidence, ...]:
    return ()


def data_tools(api: Api, model: ModelClient) -> Toolbox:
    return Toolbox(gecko(api, Places()))


class Talk:
    """A conversation and what it is answered with."""

    def __init__(self, conversation: Conversation, analyst: Analyst) -> None:
        self.conversation = conversation
        self.analyst = analyst

    def ask(self, prompt: str) -> AsyncGenerator[ChatEvent, None]:
        return ask(self.conversation, self.analyst, prompt)

    def retry(self) -> AsyncGenerator[ChatEvent, None]:
        return ask(self.conversation, self.analyst, None)


class Setting:
    """A home with conversations, and models that play scripts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.context = offline_context(folder)
        self.conversations = Conversations(folder / "conversations")

    def new(self) -> Conversation:
        info = ConversationInfo(started_at=NOW, caller="c", answerer="a", web="offline", as_of=NOW)
        return self.conversations.new(info)

    def talk(
        self,
        caller: Sequence[ScriptedTurn],
        answerer: Sequence[ScriptedTurn],
        conversation: Conversation | None = None,
        **more: Any,
    ) -> Talk:
        self.caller, self.answerer = ScriptedModel(caller), ScriptedModel(answerer)
        return Talk(conversation or self.new(), self.analyst(self.answerer, **more))

    def analyst(self, answerer: ModelClient, **more: Any) -> Analyst:
        usual: dict[str, Any] = {"tools": data_tools, "resolve": no_numbers, "now": lambda: NOW}
        return Analyst(self.caller, answerer, self.context, **{**usual, **more})


@pytest.fixture
def setting(tmp_path: Path) -> Setting:
    return Setting(tmp_path)


async def all_of(events: AsyncGenerator[ChatEvent, None]) -> list[ChatEvent]:
    return [event async for event in events]


def end_of(events: Sequence[ChatEvent]) -> Answered:
    assert isinstance(events[-1], Answered), events[-1]
    return events[-1]


def ended(events: Sequence[ChatEvent]) -> TurnEnded:
    assert isinstance(events[-1], TurnEnded)
    return events[-1]


def said_to(model: ScriptedModel, request: int = 0) -> str:
    return "\n".join(message.text for message in model.requests[request].messages)


async def test_a_turn_calls_tools_writes_from_their_results_and_is_kept(setting: Setting) -> None:
    talk = setting.talk([PRICES, STOP], [says(TEXT)])
    events = await all_of(talk.ask("How is BTC?"))
    kinds = [event.type for event in events]
    assert kinds[0] == "turn_started"
    assert kinds[1:3] == ["tool_started"] * 2
    assert kinds[3:5] == ["tool_finished"] * 2
    assert set(kinds[5:-1]) == {"text_delta"}
    answered = end_of(events)
    assert answered.text == TEXT
    assert "".join(each.text for each in events if isinstance(each, TextDelta)) == TEXT
    assert answered.usage == SPENT + SPENT + SPENT
    # the answerer has the results and no tool; the caller has the tools
    assert setting.answerer.requests[0].tools == ()
    told = said_to(setting.answerer)
    assert "## coingecko_price" in told and "/bitcoin/usd" in told
    assert "no_tool_call" in [tool.name for tool in setting.caller.requests[0].tools]
    # what was said is there in another process, and its marks lead to sealed bytes
    again = setting.conversations.get(talk.conversation.id)
    (turn,) = again.turns()
    assert turn.prompt == again.title == "How is BTC?"
    assert [each for each in events if not isinstance(each, TextDelta)][1:] == list(turn.events)
    texts = SourceTexts(setting.context.collector.store)
    assert [source.id for source in again.evidence().sources] == ["src_1", "src_2"]
    assert any('"bitcoin"' in texts.text(source) for source in again.evidence().sources)


async def test_calls_of_one_decision_run_side_by_side(setting: Setting) -> None:
    begun, both = [0], asyncio.Event()

    async def waits(arguments: Any) -> ToolReply:
        begun[0] += 1
        if begun[0] == 2:
            both.set()
        await asyncio.wait_for(both.wait(), 60)
        return ToolReply(text=f"{arguments.coin} came")

    usual = gecko(Api(setting.context.web, None, NOW), Places())  # type: ignore[arg-type]
    coin = next(tool for tool in usual if tool.name == "coingecko_coin")
    both_tools = Tool(coin.name, coin.description, coin.arguments, waits)
    decision = calls(("coingecko_coin", {"coin": "BTC"}), ("coingecko_coin", {"coin": "SOL"}))
    talk = setting.talk([decision, STOP], [says("x")], tools=lambda api, model: Toolbox((both_tools,)))
    end_of(await all_of(talk.ask("?")))
    results = [message.text for message in setting.caller.requests[1].messages if message.role == "tool"]
    assert results == ["BTC came", "SOL came"]


async def test_every_tool_of_the_paper_is_there_with_the_arguments_that_the_caller_is_told(
    setting: Setting,
) -> None:
    api = offline_data(setting.folder).api
    presets: tuple[tuple[Preset, int], ...] = (("coinvisor", 0), ("react", 6))
    for preset, more in presets:
        box = tools_of(setting.context, api, ScriptedModel([]), preset=preset)
        made = {each.name: each for each in box.specs}
        assert (
            sum(name.startswith(("verifaible_", "web_", "analyze", "test_", "video")) for name in made)
            == more
        )
    for told in tools()[:-1]:
        takes = made[told.name].parameters
        assert told.parameters.get("properties", {}).keys() <= takes.get("properties", {}).keys()
        assert set(takes.get("required", ())) <= set(told.parameters.get("required", ()))
    assert {"calculate", "coingecko_global", "defillama_yields"} <= made.keys()


def marked(text: str, *, prompt: str, api: Api) -> tuple[NumberEvidence, ...]:
    """A stand-in: a number with a mark behind it is resolved."""
    found = re.finditer(r"\d[\d,.]*\d( \[src_\d+#[^\]]*\])?", re.sub(r"src_\d", "src__", text))
    return tuple(
        NumberEvidence(
            start=each.start(),
            end=each.end(),
            status="resolved" if "[" in text[each.start() : each.end() + 3] else "none",
        )
        for each in found
    )


async def test_numbers_without_evidence_are_told_once_and_the_better_answer_counts(setting: Setting) -> None:
    talk = setting.talk([PRICES, STOP], [says("Bitcoin is at 70,000."), says(TEXT)], resolve=marked)
    events = await all_of(talk.ask("?"))
    assert end_of(events).text == TEXT
    assert [each.status for each in end_of(events).numbers] == ["resolved"]
    assert "70,000" in setting.answerer.requests[1].messages[-1].text
    deltas = [each for each in events if isinstance(each, TextDelta)]
    assert [each.fresh for each in deltas] == [False, True]

    worse = [says("At 70,000."), says("At 70,000 or 71,000.")]
    events = await all_of(setting.talk([STOP], worse, resolve=marked).ask("?"))
    assert end_of(events).text == "At 70,000."
    assert [each.status for each in end_of(events).numbers] == ["none"]

    fails: list[ScriptedTurn] = [says("At 70,000."), ModelUnreachable("away")]
    events = await all_of(setting.talk([STOP], fails, resolve=marked).ask("?"))
    assert end_of(events).text == "At 70,000."


async def test_later_turns_know_the_earlier_ones_and_their_marks_go_on(setting: Setting) -> None:
    talk = setting.talk([PRICES, STOP], [says(TEXT)])
    await all_of(talk.ask("How is BTC?"))
    later = setting.talk(
        [calls(("coingecko_coin", {"coin": "ETH"})), STOP], [says("[src_3]")], setting.conversations.get("2")
    )
    events = await all_of(later.ask("And ETH?"))
    for model in (setting.caller, setting.answerer):
        roles = [message.role for message in model.requests[0].messages]
        assert roles == ["system", "user", "assistant", "user"]
        assert TEXT in said_to(model)
    assert "[src_3]" in said_to(setting.answerer)
    assert [source.id for source in end_of(events).sources] == ["src_1", "src_2", "src_3"]
    assert [turn.number for turn in later.conversation.turns()] == [1, 2]


async def test_only_the_latest_turns_that_fit_are_told(setting: Setting) -> None:
    conversation = setting.new()
    for number in range(3):
        text = f"answer {number} " + "word " * 2_200
        await all_of(setting.talk([STOP], [says(text)], conversation).ask(f"question {number}"))
    await all_of(setting.talk([STOP], [says("x")], conversation).ask("last"))
    told = said_to(setting.answerer)
    assert "question 0" not in told
    assert "question 1" in told and "answer 2" in told


class Hanging(ScriptedModel):
    """Is asked, and never answers."""

    def __init__(self) -> None:
        super().__init__([])
        self.begun = asyncio.Event()

    async def complete(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], *, form: AnswerForm | None = None
    ) -> ModelTurn:
        self.begun.set()
        await asyncio.Event().wait()
        raise AssertionError


async def until(events: AsyncGenerator[ChatEvent, None], kind: str) -> None:
    async for event in events:
        if event.type == kind:
            return


@pytest.mark.parametrize("way", ["close", "cancel"])
async def test_a_stopped_turn_leaves_a_conversation_that_goes_on(setting: Setting, way: str) -> None:
    talk = setting.talk([PRICES, STOP], [])
    writing = Hanging()
    talk.analyst = setting.analyst(writing)
    events = talk.ask("How is BTC?")
    if way == "cancel":
        task = asyncio.create_task(all_of(events))
        await writing.begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    else:
        await until(events, "tool_finished")
        await writing.begun.wait()
        with pytest.raises(RunError, match="Another process"):
            await all_of(talk.ask("another"))
        await events.aclose()
    (turn,) = talk.conversation.turns()
    assert isinstance(turn.end, TurnEnded) and turn.end.reason == "stopped"
    assert turn.end.usage == SPENT + SPENT
    assert len(talk.conversation.evidence().sources) == 2
    again = setting.talk([STOP], [says("Good.")], talk.conversation)
    assert end_of(await all_of(again.retry())).text == "Good."
    (turn,) = talk.conversation.turns()
    assert (turn.number, turn.prompt) == (1, "How is BTC?")
    assert isinstance(turn.end, Answered)


async def test_limits_end_a_turn_with_their_name(setting: Setting) -> None:
    for limits, word in (
        (Limits(tokens=1_000), "1000 tokens"),
        (Limits(cost_usd=0.01), "0.01 US dollars"),
    ):
        events = await all_of(setting.talk([PRICES, STOP], [says(TEXT)], limits=limits).ask("?"))
        assert ended(events).reason == "limit" and word in ended(events).error
        assert len(setting.caller.requests) == 1
    talk = setting.talk([STOP], [], limits=Limits(seconds=0.05))
    talk.analyst = setting.analyst(Hanging(), limits=Limits(seconds=0.05))
    events = await all_of(talk.ask("?"))
    assert ended(events).reason == "limit" and "0.05 seconds" in ended(events).error


async def test_a_model_that_fails_ends_the_turn_with_what_it_cost(setting: Setting) -> None:
    error = ModelUnreachable("The endpoint is away. Try later.")
    error.usage = SPENT
    events = await all_of(setting.talk([PRICES, error], []).ask("?"))
    assert ended(events).reason == "failed"
    assert (ended(events).error, ended(events).error_code) == (str(error), "model_unreachable")
    assert ended(events).usage == SPENT + SPENT


async def test_a_program_that_fails_leaves_an_end_and_goes_up(setting: Setting) -> None:
    async def breaks(arguments: Any) -> ToolReply:
        raise ZeroDivisionError

    price = gecko(Api(setting.context.web, None, NOW), Places())[0]  # type: ignore[arg-type]
    broken = Tool(price.name, price.description, price.arguments, breaks)
    talk = setting.talk([PRICES], [], tools=lambda api, model: Toolbox((broken,)))
    seen: list[ChatEvent] = []
    with pytest.raises(ZeroDivisionError):
        async for event in talk.ask("?"):
            seen.append(event)
    assert ended(seen).reason == "failed"
    assert talk.conversation.turns()[0].end == seen[-1]


async def test_nothing_is_asked_with_an_empty_prompt_or_retried_without_a_turn(setting: Setting) -> None:
    talk = setting.talk([], [])
    with pytest.raises(ConfigError, match="empty"):
        await all_of(talk.ask("  "))
    with pytest.raises(ConfigError, match="Ask something first"):
        await all_of(talk.retry())
    assert talk.conversation.turns() == ()


async def test_conversations_are_listed_found_and_deleted(setting: Setting) -> None:
    first, second = setting.new(), setting.new()
    await all_of(setting.talk([STOP], [says("x")], first).ask("A long question " * 20))
    assert len(first.title) <= 80 and first.title.endswith("…")
    assert {each.id for each in setting.conversations.all()} == {first.id, second.id}
    assert setting.conversations.get(first.id).id == first.id
    for name in ("nothing", "", "../store"):
        with pytest.raises(ConfigError, match="no conversation"):
            setting.conversations.delete(name)
    with pytest.raises(ConfigError, match="several"):
        setting.conversations.get("20")
    (second.folder / "conversation.json").write_text("{", encoding="utf-8")
    with pytest.warns(DamagedLine):
        assert [each.id for each in setting.conversations.all()] == [first.id]
    setting.conversations.delete(second.id)
    setting.conversations.delete(first.id)
    assert not setting.conversations.all()


async def test_a_conversation_is_not_deleted_while_it_is_answered(setting: Setting) -> None:
    talk, writing = setting.talk([STOP], []), Hanging()
    talk.analyst = setting.analyst(writing)
    asking = asyncio.create_task(all_of(talk.ask("?")))
    await writing.begun.wait()
    with pytest.raises(RunError, match="Another process"):
        setting.conversations.delete(talk.conversation.id)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking


def test_a_kill_in_a_turn_leaves_what_was_there(setting: Setting) -> None:
    conversation = setting.new()
    asyncio.run(all_of(setting.talk([PRICES, STOP], [says(TEXT)], conversation).ask("?")))
    path = conversation.folder / "events.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]) + lines[-1][:20])
    (turn,) = setting.conversations.get(conversation.id).turns()
    assert turn.end is None and len(turn.events) == 4
    assert json.loads(lines[0])["event"]["prompt"] == "?"


async def test_what_a_tool_found_is_kept_before_its_marks_are_told(setting: Setting) -> None:
    async def waits(arguments: Any) -> ToolReply:
        await asyncio.Event().wait()
        raise AssertionError

    def both(api: Api, model: ModelClient) -> Toolbox:
        usual = {tool.name: tool for tool in gecko(api, Places())}
        return Toolbox((usual["coingecko_price"], replace(usual["coingecko_coin"], handle=waits)))

    talk = setting.talk([PRICES], [], tools=both)
    events = talk.ask("?")
    async for event in events:
        if isinstance(event, ToolFinished):
            assert "[src_1]" in event.text
            # as after a kill at this moment
            assert [each.id for each in talk.conversation.evidence().sources] == ["src_1"]
            break
    else:
        raise AssertionError("no tool came to an end")
    await events.aclose()

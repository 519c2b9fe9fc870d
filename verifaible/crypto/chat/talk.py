"""A conversation under way: a caller calls tools, an answerer writes, its numbers are checked."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from importlib import resources
from string import Template
from typing import Any, Final, Protocol, TypeAlias

from verifaible.crypto.chat.conversations import (
    Answered,
    ChatEvent,
    Conversation,
    Evidence,
    TextDelta,
    ToolFinished,
    ToolStarted,
    Turn,
    TurnEnded,
    TurnStarted,
)
from verifaible.crypto.chat.metered import Meter, TurnLimits
from verifaible.crypto.numbers.resolve import checked_numbers, in_words
from verifaible.crypto.periods import stamp
from verifaible.crypto.planning import caller
from verifaible.crypto.sources import SourceBook
from verifaible.crypto.tools.api import Api
from verifaible.errors import ConfigError, LimitReached, ModelError, StoreError, UserError, VerifaibleError
from verifaible.evidence.sources import SourceOrigin
from verifaible.llm.base import ModelClient
from verifaible.runs.folder import held
from verifaible.schema.chat import Message, ToolCall, ToolSpec
from verifaible.schema.data import NumberEvidence
from verifaible.schema.run import ToolReply
from verifaible.tools.context import ToolContext
from verifaible.tools.toolbox import Tool, Toolbox

#: Characters of earlier turns that each model is given, some 6,000 tokens; the oldest turns go first.
EARLIER_CHARACTERS: Final = 24_000
#: Characters of one result that the answerer is given; tools keep to 6,000, reports are longer.
RESULT_CHARACTERS: Final = 24_000
#: Charts that an answerer is shown, some 1,000 tokens each.
MOST_PICTURES: Final = 4
_ORIGIN: Final = "verifaible crypto chat"
_Emit: TypeAlias = Callable[[ChatEvent], None]
#: Makes the tools of a turn: the way to the data, and the model that report agents ask.
Tools: TypeAlias = Callable[[Api, ModelClient], Sequence[Tool[Any]]]


class Resolve(Protocol):
    """What the numbers of an answer rest on, each number of the text once."""

    def __call__(self, text: str, *, prompt: str, api: Api) -> tuple[NumberEvidence, ...]:
        """See :class:`~verifaible.crypto.chat.conversations.NumberEvidence`."""
        ...


@dataclass(frozen=True, slots=True)
class Analyst:
    """What conversations are answered with; nothing of it is closed here.

    Attributes:
        caller: the model that chooses the tools.
        answerer: the one that writes.
        context: web, browser, search and the store.
        tools: makes the tools of a turn.
        resolve: finds what the numbers of an answer rest on.
        limits: of each turn.
        now: the present.
    """

    caller: ModelClient
    answerer: ModelClient
    context: ToolContext
    tools: Tools
    resolve: Resolve = checked_numbers
    limits: TurnLimits = field(default_factory=TurnLimits)
    now: Callable[[], datetime] = lambda: datetime.now(UTC)


class Talk:
    """A conversation that goes on; one turn at a time.

    Args:
        conversation: where it is kept.
        analyst: what it is answered with.
    """

    def __init__(self, conversation: Conversation, analyst: Analyst) -> None:
        self.conversation = conversation
        self._analyst = analyst
        self._work: asyncio.Task[None] | None = None

    @property
    def busy(self) -> bool:
        """Whether a turn is under way."""
        return self._work is not None and not self._work.done()

    def ask(self, prompt: str) -> AsyncGenerator[ChatEvent, None]:
        """What happens in the next turn, ending with :class:`Answered` or :class:`TurnEnded`.

        Closing the generator stops the turn, as :meth:`stop` does.

        Raises:
            ConfigError: the prompt is empty, or a turn is under way.
            RunError: another process has the conversation, or it cannot be written.
        """
        turns = self.conversation.turns()
        return self._events(prompt, turns, turns[-1].number + 1 if turns else 1)

    def retry(self) -> AsyncGenerator[ChatEvent, None]:
        """The last turn again; what becomes of it now replaces it.

        Raises:
            ConfigError: there is none. Others are those of :meth:`ask`.
        """
        turns = self.conversation.turns()
        if not turns:
            raise ConfigError("There is nothing to try again. Ask something first.")
        return self._events(turns[-1].prompt, turns[:-1], turns[-1].number)

    def stop(self) -> None:
        """Stop the turn under way; its events end with ``TurnEnded(reason="stopped")``."""
        if self._work is not None:
            self._work.cancel()

    async def _events(
        self, prompt: str, earlier: Sequence[Turn], number: int
    ) -> AsyncGenerator[ChatEvent, None]:
        if not prompt.strip():
            raise ConfigError("The question is empty. Ask something.")
        if self.busy:
            raise ConfigError("An answer is being written. Wait for it, or stop it.")
        queue: asyncio.Queue[ChatEvent | None] = asyncio.Queue()

        def emit(event: ChatEvent) -> None:
            self.conversation.add(event)
            queue.put_nowait(event)

        async def work() -> None:
            try:
                with held(self.conversation.folder):
                    emit(TurnStarted(turn=number, prompt=prompt))
                    await _Turn(self._analyst, self.conversation, prompt, earlier, emit).run()
            finally:
                queue.put_nowait(None)

        mine = self._work = asyncio.create_task(work())
        try:
            while (event := await queue.get()) is not None:
                yield event
            await asyncio.wait([mine])
            if not mine.cancelled():
                mine.result()
        finally:
            mine.cancel()
            await asyncio.wait([mine])


class _Turn:
    """One turn on its way."""

    def __init__(
        self, analyst: Analyst, conversation: Conversation, prompt: str, earlier: Sequence[Turn], emit: _Emit
    ) -> None:
        self.analyst = analyst
        self.conversation = conversation
        self.prompt = prompt
        self.earlier = _earlier(earlier)
        self.emit = emit
        self.meter = Meter(analyst.limits)
        self.results: list[tuple[ToolCall, ToolReply]] = []
        self.answered: Answered | None = None
        self.started = time.monotonic()
        present = analyst.now()
        self.now = conversation.info.as_of or present
        self.kept = conversation.evidence()
        origin = SourceOrigin(
            kind="trial", name=_ORIGIN, sha256=hashlib.sha256(conversation.id.encode()).hexdigest()
        )
        self.book = SourceBook(analyst.context.collector.store, origin, self.kept.sources)
        # a new one for each turn: what was asked for in an earlier one may have changed
        self.api = Api(
            web=analyst.context.web,
            book=self.book,
            now=present,
            as_of=conversation.info.as_of,
            points=list(self.kept.points),
            computed=list(self.kept.computed),
        )

    async def run(self) -> None:
        """Work until there is an answer, a limit is reached, or a person stops it; an end is always told."""
        end: Answered | TurnEnded | None = None
        deadline = asyncio.timeout(self.analyst.limits.seconds)
        try:
            async with deadline:
                await self._call_tools()
                end = await self._answer()
        except asyncio.CancelledError:
            end = TurnEnded(reason="stopped", usage=self.meter.usage)
            raise
        except LimitReached as error:
            end = self._ended("limit", error)
        except TimeoutError:
            if not deadline.expired():
                raise
            reached = LimitReached(
                "seconds",
                f"The turn ended at its limit of {self.analyst.limits.seconds:g} seconds without an answer. "
                "Raise the limit, or ask for less.",
            )
            # what was written before the correction is an answer, its faults marked
            end = self.answered or self._ended("limit", reached)
        except VerifaibleError as error:
            end = self._ended("failed", error)
        finally:
            self._keep_evidence()
            self.emit(
                end
                or TurnEnded(
                    reason="failed",
                    error="The program failed. Try again; if it stays, report it.",
                    error_code="error",
                    usage=self.meter.usage,
                )
            )

    def _ended(self, reason: Any, error: VerifaibleError) -> TurnEnded:
        return TurnEnded(reason=reason, error=str(error), error_code=error.code, usage=self.meter.usage)

    async def _call_tools(self) -> None:
        model = self.meter.of(self.analyst.caller)
        tools = self.analyst.tools(self.api, self.meter.of(self.analyst.answerer))
        toolbox = Toolbox(tools)
        messages = [
            Message(role="system", text=caller.system_prompt("executed", now=stamp(self.now))),
            *self.earlier,
            Message(role="user", text=self.prompt),
        ]

        async def execute(calls: Sequence[ToolCall]) -> Sequence[str]:
            for call in calls:
                self.emit(ToolStarted(call=call.id, name=call.name, arguments=call.arguments))
            replies = await _side_by_side([self._reply(toolbox, call) for call in calls])
            self.results += zip(calls, replies, strict=True)
            return [reply.text for reply in replies]

        await caller.decide(messages, model, _specs(tools), execute, caller.Decided())

    async def _reply(self, toolbox: Toolbox, call: ToolCall) -> ToolReply:
        started = time.monotonic()
        try:
            reply = await toolbox.call(call.name, call.arguments)
        except StoreError:
            raise
        except (ModelError, UserError) as error:  # a key or an extra is missing: the others still work
            reply = ToolReply(text=f"Error ({error.code}): {error}", error_code=error.code)
        self._keep_evidence()  # before the marks in the text are told: a kill must not free them for others
        self.emit(
            ToolFinished(
                call=call.id,
                name=call.name,
                text=reply.text,
                error_code=reply.error_code,
                displays=reply.displays,
                duration_s=time.monotonic() - started,
            )
        )
        return reply

    def _keep_evidence(self) -> None:
        """Keep what was found since the last time: the marks of an answer must lead somewhere for ever."""
        before, api = self.kept, self.api
        now = Evidence(sources=self.book.sources, points=tuple(api.points), computed=tuple(api.computed))
        self.conversation.found(
            Evidence(
                sources=now.sources[len(before.sources) :],
                points=now.points[len(before.points) :],
                computed=now.computed[len(before.computed) :],
            )
        )
        self.kept = now

    async def _answer(self) -> Answered:
        messages = [
            Message(role="system", text=Template(_text("answerer.md")).substitute(now=stamp(self.now))),
            *self.earlier,
            Message(
                role="user", text=f"{self.prompt}\n\n{_told(self.results)}", pictures=_pictures(self.results)
            ),
        ]
        text, numbers = await self._written(messages, fresh=False)
        self.answered = self._answered(text, numbers)
        faults = self._faults(numbers)
        if faults and not self.meter.spent:
            told = Template(_text("mend.md")).substitute(faults=_faults(text, faults))
            messages += [Message(role="assistant", text=text), Message(role="user", text=told)]
            with suppress(ModelError):  # the first answer is there, its faults marked
                second, again = await self._written(messages, fresh=True)
                better = second and len(self._faults(again)) <= len(faults)
                text, numbers = (second, again) if better else (text, numbers)
        return self._answered(text, numbers)

    def _faults(self, numbers: Sequence[NumberEvidence]) -> list[NumberEvidence]:
        """The numbers that the answerer can correct: one that only a text says is shown as it is."""
        unresolved = (each for each in numbers if each.status != "resolved")
        return [each for each in unresolved if not in_words(each, self.book.sources)]

    def _answered(self, text: str, numbers: tuple[NumberEvidence, ...]) -> Answered:
        return Answered(
            text=text,
            numbers=numbers,
            sources=self.book.sources,
            computed=tuple(self.api.computed),
            usage=self.meter.usage,
            duration_s=time.monotonic() - self.started,
        )

    async def _written(
        self, messages: Sequence[Message], *, fresh: bool
    ) -> tuple[str, tuple[NumberEvidence, ...]]:
        """A text of the answerer, told while it comes, and what its numbers rest on."""
        anew = fresh

        def told(piece: str, again: bool) -> None:
            nonlocal anew
            self.emit(TextDelta(text=piece, fresh=anew or again))
            anew = False

        turn = await self.meter.of(self.analyst.answerer).stream(messages, told)
        text = turn.text.strip()
        numbers = await asyncio.to_thread(self.analyst.resolve, text, prompt=self.prompt, api=self.api)
        return text, numbers


async def _side_by_side(works: Sequence[Awaitable[ToolReply]]) -> list[ToolReply]:
    """The results of calls that run at once; a first failure, or a stop, ends them all."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _specs(tools: Sequence[Tool[Any]]) -> tuple[ToolSpec, ...]:
    """The tools as the caller is told of them: the paper's in the words of the simulated mode."""
    own = {tool.name: tool.spec() for tool in tools}
    known = [each for each in caller.tools() if each.name in own or each.name == caller.STOP]
    named = {each.name for each in known}
    return (*(spec for name, spec in own.items() if name not in named), *known)


def _earlier(turns: Sequence[Turn]) -> tuple[Message, ...]:
    """The latest turns that fit, each as its prompt and its answer; their marks still hold."""
    kept: list[Message] = []
    left = EARLIER_CHARACTERS
    for turn in reversed(turns):
        said = turn.end.text if isinstance(turn.end, Answered) else "(There was no answer to this.)"
        left -= len(turn.prompt) + len(said)
        if left < 0:
            break
        kept[:0] = [Message(role="user", text=turn.prompt), Message(role="assistant", text=said)]
    return tuple(kept)


def _pictures(results: Sequence[tuple[ToolCall, ToolReply]]) -> tuple[str, ...]:
    """The latest charts; the client leaves them out for a model that takes none."""
    drawn = [display.png_base64 for _, reply in results for display in reply.displays if display.png_base64]
    return tuple(drawn[-MOST_PICTURES:])


def _told(results: Sequence[tuple[ToolCall, ToolReply]]) -> str:
    if not results:
        return "(No tool was called for this question.)"
    parts = ["The results of the tools:"]
    for call, reply in results:
        text = reply.text
        if len(text) > RESULT_CHARACTERS:
            text = f"{text[:RESULT_CHARACTERS]}\n(The rest of {len(reply.text):,} characters is left out.)"
        parts.append(f"## {call.name} {call.arguments}\n\n{text}")
    return "\n\n".join(parts)


def _faults(text: str, faults: Sequence[NumberEvidence]) -> str:
    lines = []
    for each in faults:
        around = " ".join(text[max(0, each.start - 60) : each.end + 30].split())
        why = each.reason or "No mark behind it leads to a value."
        lines.append(f"- {text[each.start : each.end]} (in: {around}): {why}")
    return "\n".join(lines)


@cache
def _text(name: str) -> str:
    return resources.files("verifaible.crypto.chat").joinpath(name).read_text(encoding="utf-8").strip()

"""What answers in the chat, and turns under way: each goes on whoever looks, for any number of followers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, suppress
from datetime import UTC, datetime
from typing import Final, Protocol

from verifaible.config import Settings
from verifaible.crypto.chat.conversations import (
    Answered,
    ChatEvent,
    Conversation,
    ConversationInfo,
    Turn,
    TurnEnded,
    TurnStarted,
)
from verifaible.crypto.chat.opening import DEMO, analyst, demo_info, script
from verifaible.crypto.chat.talk import Talk
from verifaible.errors import UserError, VerifaibleError
from verifaible.llm.catalogue import known_models
from verifaible.llm.opening import open_model

_LOG = logging.getLogger(__name__)
#: After so many seconds without an event a follower is woken: what lies between shall not think it is gone.
QUIET_S: Final = 15.0


class Answering(Protocol):
    """Answers in conversations; turns run in the server's loop, the rest in any thread."""

    def models(self) -> Sequence[str]:
        """The names of models that a new conversation may have; it may have others."""
        ...

    async def begin(self, caller: str, answerer: str, *, demo: bool) -> ConversationInfo:
        """What a new conversation is begun with; that of a demo follows a script.

        Raises:
            UserError: one of them cannot be asked; it says why.
        """
        ...

    def suggested(self, info: ConversationInfo) -> Sequence[str]:
        """The questions of a demo's script; none for any other conversation."""
        ...

    def turn(self, conversation: Conversation, prompt: str) -> AsyncGenerator[ChatEvent, None]:
        """Answer a question, or the last one again where there is none; closing it stops the turn."""
        ...


class Analyst:
    """Answers by the catalogue's models, or by the script of the demo; see :class:`Answering`."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def models(self) -> Sequence[str]:
        """The names of the catalogue and of the person's own file; others can be asked, too."""
        return tuple(entry.name for entry in known_models(self._settings).models)

    async def begin(self, caller: str, answerer: str, *, demo: bool) -> ConversationInfo:
        """What a new conversation is begun with: both models can be asked."""
        if demo:
            return demo_info()
        for name in dict.fromkeys((caller, answerer)):
            await open_model(name, self._settings).client.aclose()
        return ConversationInfo(started_at=datetime.now(UTC), caller=caller, answerer=answerer)

    def suggested(self, info: ConversationInfo) -> Sequence[str]:
        """The questions of a demo's script."""
        return tuple(each.prompt for each in script().questions) if info.caller == DEMO else ()

    async def turn(self, conversation: Conversation, prompt: str) -> AsyncGenerator[ChatEvent, None]:
        """Answer a question, or the last one again."""
        async with analyst(self._settings, conversation.info) as opened:
            talk = Talk(conversation, opened)
            async with aclosing(talk.ask(prompt) if prompt else talk.retry()) as happening:
                async for event in happening:
                    yield event


class Busy(UserError):
    """A conversation has a turn under way."""

    code = "busy"


class Running:
    """A turn under way, or one that has just ended; ``events`` are those until now, ``task`` does it."""

    def __init__(self, happening: AsyncGenerator[ChatEvent, None]) -> None:
        self.events: list[ChatEvent] = []
        self._news = asyncio.Condition()
        self._stopping = False
        self.task = asyncio.create_task(self._run(happening))

    @property
    def done(self) -> bool:
        """Whether it has ended, and all of it is kept."""
        return self.task.done()

    @property
    def number(self) -> int:
        """The number of the turn; 0 before its question was taken in."""
        first = self.events[0] if self.events else None
        return first.turn if isinstance(first, TurnStarted) else 0

    @property
    def turn(self) -> Turn:
        """The turn until now, when its question was taken in."""
        start, *events = self.events
        prompt = start.prompt if isinstance(start, TurnStarted) else ""
        return Turn(number=self.number, prompt=prompt, events=tuple(events))

    @property
    def _told(self) -> bool:
        return bool(self.events) and isinstance(self.events[-1], Answered | TurnEnded)

    async def follow(self, after: int) -> AsyncIterator[Sequence[ChatEvent]]:
        """What happens behind the first ``after`` events, as it happens; nothing where it is quiet."""
        while True:
            if fresh := self.events[after:]:
                after += len(fresh)
                yield fresh
            if (self._told or self.done) and after >= len(self.events):
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(QUIET_S), self._news:
                    while len(self.events) <= after and not self.done:
                        await self._news.wait()
                continue
            yield ()

    async def begun(self) -> None:
        """Return when the question was taken in."""
        async for events in self.follow(0):
            if events:
                return

    async def kept(self) -> None:
        """Return when all of it is kept: from then on it is read from there."""
        await asyncio.wait([self.task])

    async def stop(self) -> None:
        """End it; what there is of it stays."""
        if not self._stopping:  # to cancel it again would break off what it closes now
            self._stopping = True
            self.task.cancel()
        await self.kept()

    async def _run(self, happening: AsyncGenerator[ChatEvent, None]) -> None:
        end = TurnEnded(reason="stopped")
        try:
            async with aclosing(happening):
                async for event in happening:
                    await self._tell(event)
            end = TurnEnded(reason="failed", error="The answer ended before its end. Try again.")
        except VerifaibleError as error:
            end = TurnEnded(reason="failed", error=str(error), error_code=error.code)
        except Exception as error:
            _LOG.exception("a turn failed")
            message = f"{type(error).__name__}. Try again; the output of `verifaible serve` says more."
            end = TurnEnded(reason="failed", error=message, error_code="internal")
        finally:
            if not self._told:
                await self._tell(end)

    async def _tell(self, event: ChatEvent) -> None:
        async with self._news:
            self.events.append(event)
            self._news.notify_all()


class Turns:
    """The turns under way in this server, one of a conversation at most."""

    def __init__(self) -> None:
        self._turns: dict[str, Running] = {}

    def begin(self, name: str, happening: AsyncGenerator[ChatEvent, None]) -> Running:
        """Let a turn run.

        Raises:
            Busy: the conversation has one under way.
        """
        if self.of(name):
            raise Busy("The last question is still being answered. Wait for the answer, or stop it.")
        running = self._turns[name] = Running(happening)

        def over(_: object) -> None:
            if self._turns.get(name) is running:
                del self._turns[name]  # from now on what was kept is read

        running.task.add_done_callback(over)
        return running

    def of(self, name: str) -> Running | None:
        """The turn of a conversation that is under way; may be asked in any thread."""
        turn = self._turns.get(name)
        return None if turn is None or turn.done else turn

    async def close(self) -> None:
        """Stop them all."""
        for turn in tuple(self._turns.values()):
            await turn.stop()

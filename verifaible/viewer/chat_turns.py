"""What answers in the chat, and the turns under way: each goes on whoever looks."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from datetime import UTC, datetime

from verifaible.config import Settings
from verifaible.crypto.chat.analyst import DEMO, analyst, ask, demo_info, script
from verifaible.crypto.chat.conversations import (
    Answered,
    ChatEvent,
    Conversation,
    ConversationInfo,
    Turn,
    TurnEnded,
    TurnStarted,
)
from verifaible.errors import UserError, VerifaibleError
from verifaible.llm.catalogue import known_models
from verifaible.llm.opening import open_model

_LOG = logging.getLogger(__name__)


class Analyst:
    """Answers by the catalogue's models, or by the script of the demo.

    Turns run in the server's loop, the rest in any thread.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def models(self) -> Sequence[str]:
        """The names of the catalogue and of the person's own file; others can be asked, too."""
        return tuple(entry.name for entry in known_models(self._settings).models)

    async def begin(self, caller: str, answerer: str, *, demo: bool) -> ConversationInfo:
        """What a new conversation is begun with: both models can be asked, or a demo follows its script.

        Raises:
            UserError: one of them cannot be asked; it says why.
        """
        if demo:
            return demo_info()
        for name in dict.fromkeys((caller, answerer)):
            await open_model(name, self._settings).client.aclose()
        return ConversationInfo(started_at=datetime.now(UTC), caller=caller, answerer=answerer)

    def suggested(self, info: ConversationInfo) -> Sequence[str]:
        """The questions of a demo's script; none for any other conversation."""
        return tuple(each.prompt for each in script().questions) if info.caller == DEMO else ()

    async def turn(self, conversation: Conversation, prompt: str) -> AsyncGenerator[ChatEvent, None]:
        """Answer a question, or the last one again where there is none; closing it stops the turn."""
        async with (
            analyst(self._settings, conversation.info) as opened,
            aclosing(ask(conversation, opened, prompt or None)) as happening,
        ):
            async for event in happening:
                yield event


class Busy(UserError):
    """A conversation has a turn under way."""

    code = "busy"


class Running:
    """A turn under way, or one that has just ended; ``events`` are those until now, ``task`` does it."""

    def __init__(self, happening: AsyncGenerator[ChatEvent, None]) -> None:
        self.events: list[ChatEvent] = []
        self._begun = asyncio.Event()
        self._stopping = False
        self.task = asyncio.create_task(self._run(happening))

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

    async def begun(self) -> None:
        """Return when the question was taken in, or the turn has failed before."""
        await self._begun.wait()

    async def stop(self) -> None:
        """End it; what there is of it stays."""
        if not self._stopping:  # to cancel it again would break off what it closes now
            self._stopping = True
            self.task.cancel()
        await asyncio.wait([self.task])

    async def _run(self, happening: AsyncGenerator[ChatEvent, None]) -> None:
        end = TurnEnded(reason="stopped")
        try:
            async with aclosing(happening):
                async for event in happening:
                    self.events.append(event)
                    self._begun.set()
            end = TurnEnded(reason="failed", error="The answer ended before its end. Try again.")
        except VerifaibleError as error:
            end = TurnEnded(reason="failed", error=str(error), error_code=error.code)
        except Exception as error:
            _LOG.exception("a turn failed")
            message = f"{type(error).__name__}. Try again; the output of `verifaible serve` says more."
            end = TurnEnded(reason="failed", error=message, error_code="internal")
        finally:
            if not self.events or not isinstance(self.events[-1], Answered | TurnEnded):
                self.events.append(end)
            self._begun.set()


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
        return None if turn is None or turn.task.done() else turn

    async def close(self) -> None:
        """Stop them all."""
        for turn in tuple(self._turns.values()):
            await turn.stop()

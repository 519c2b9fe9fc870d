"""A conversation that goes on: its turns are kept while they happen, one at a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence

from verifaible.crypto.chat.conversations import ChatEvent, Conversation, Evidence, Turn, TurnStarted
from verifaible.crypto.chat.turn import Analyst, History, run_turn
from verifaible.errors import ConfigError
from verifaible.runs.folder import held


class Talk:
    """A conversation that goes on.

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
        """What happens in the next turn, ending with an answer or the reason why there is none.

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
        log = _LiveLog(self.conversation)

        async def work() -> None:
            try:
                with held(self.conversation.folder):
                    log.add(TurnStarted(turn=number, prompt=prompt))
                    kept = self.conversation
                    history = History(kept.id, earlier, kept.evidence(), kept.info.as_of)
                    await run_turn(prompt, self._analyst, history, log)
            finally:
                log.queue.put_nowait(None)

        mine = self._work = asyncio.create_task(work())
        try:
            while (event := await log.queue.get()) is not None:
                yield event
            await asyncio.wait([mine])
            if not mine.cancelled():
                mine.result()
        finally:
            mine.cancel()
            await asyncio.wait([mine])


class _LiveLog:
    """A log that keeps what happens in the conversation, and then passes it on."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self.queue: asyncio.Queue[ChatEvent | None] = asyncio.Queue()

    def add(self, event: ChatEvent) -> None:
        """Keep and tell an event."""
        self._conversation.add(event)
        self.queue.put_nowait(event)

    def found(self, evidence: Evidence) -> None:
        """Keep what the tools found."""
        self._conversation.found(evidence)

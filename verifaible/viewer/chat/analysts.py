"""What the pages of the chat need of whatever answers; and the analyst, opened for each turn."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from datetime import UTC, datetime
from typing import Protocol

from verifaible.config import Settings
from verifaible.crypto.chat.conversations import ChatEvent, Conversation, ConversationInfo
from verifaible.crypto.chat.opening import DEMO, analyst, demo_info, script
from verifaible.crypto.chat.talk import Talk
from verifaible.llm.catalogue import known_models
from verifaible.llm.opening import open_model


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


class Analysts:
    """Answers by the catalogue's models, or by the script of the demo.

    Args:
        settings: keys, endpoints, home.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def models(self) -> Sequence[str]:
        """The names of the catalogue and of the person's own file; others can be asked, too.

        Raises:
            ConfigError: the person's own file of models has faults.
        """
        return tuple(entry.name for entry in known_models(self._settings).models)

    async def begin(self, caller: str, answerer: str, *, demo: bool) -> ConversationInfo:
        """What a new conversation is begun with: both models can be asked.

        Raises:
            UnknownModel: there is no such model.
            MissingKey: its endpoint needs a key that is not set.
            ConfigError: its settings have faults.
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
        async with analyst(self._settings, conversation.info) as opened:
            talk = Talk(conversation, opened)
            async with aclosing(talk.ask(prompt) if prompt else talk.retry()) as happening:
                async for event in happening:
                    yield event

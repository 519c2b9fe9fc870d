"""What the pages need of whatever answers."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Protocol

from verifaible.crypto.chat.conversations import Conversation, ConversationInfo
from verifaible.crypto.chat.events import ChatEvent


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

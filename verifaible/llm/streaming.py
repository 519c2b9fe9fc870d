"""Answers that are shown while they are written."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol, TypeAlias, runtime_checkable

from verifaible.llm.base import ModelClient
from verifaible.llm.thoughts import split_thoughts
from verifaible.schema.chat import Message, ModelTurn

#: Told of each further piece of a text; True with it where the text begins anew: an answer that broke off is
#: asked for again.
Told: TypeAlias = Callable[[str, bool], None]

#: What opens or closes a thought within a text.
_THOUGHT: Final = re.compile(r"</?think|\[THINK\]|<\||<seed:think>", re.IGNORECASE)
_PIECE: Final = re.compile(r".+?(?:[.!?。！？]\s+|\n+|\Z)", re.DOTALL)


@runtime_checkable
class StreamingClient(ModelClient, Protocol):
    """A model client whose endpoint can send an answer piece by piece."""

    async def stream(self, messages: Sequence[Message], told: Told) -> ModelTurn:
        """As ``complete`` without tools, with the text told while it comes; the turn has the whole of it."""
        ...


async def streamed(client: ModelClient, messages: Sequence[Message], told: Told) -> ModelTurn:
    """An answer without tools, told while it comes; of a client that cannot stream, by sentences at its end.

    Raises:
        ModelError: no usable answer came.
    """
    if isinstance(client, StreamingClient):
        return await client.stream(messages, told)
    turn = await client.complete(messages, ())
    for piece in _PIECE.findall(turn.text):
        told(piece, False)
    return turn


class Teller:
    """Tells the text of a streamed answer, without its thoughts.

    Args:
        told: told of the text.
        piece: the text of an event.

    Attributes:
        events: those of this answer so far.
    """

    def __init__(self, told: Told, piece: Callable[[Mapping[str, Any]], str]) -> None:
        self._told = told
        self._piece = piece
        self._text = self._shown = ""
        self.events: list[Mapping[str, Any]] = []

    def restart(self) -> None:
        """An answer begins, maybe in place of one that broke off."""
        self.events, self._text = [], ""

    def take(self, event: Mapping[str, Any]) -> None:
        """Take the next event."""
        self.events.append(event)
        if piece := self._piece(event):
            self._text += piece
            self._show(split_thoughts(self._text)[1] if _THOUGHT.search(self._text) else self._text)

    def ended(self, text: str) -> None:
        """The answer as it was read in the end: told is what of it was not."""
        if text.strip() != self._shown.strip():
            self._show(text)

    def _show(self, text: str) -> None:
        again = not text.startswith(self._shown)
        added = text if again else text[len(self._shown) :]
        self._shown = text
        if added or again:
            self._told(added, again)

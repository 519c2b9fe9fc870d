"""Answers that are shown while they are written."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final, Protocol, TypeAlias, runtime_checkable

from verifaible.llm.base import ModelClient
from verifaible.schema.chat import Message, ModelTurn

#: Told of each further piece of a text; True with it where the text begins anew: an answer that broke off is
#: asked for again.
Told: TypeAlias = Callable[[str, bool], None]

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

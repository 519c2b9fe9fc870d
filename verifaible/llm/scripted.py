"""A model that says what it was told to: for tests of everything above a model client."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from verifaible.errors import ModelAnswerInvalid
from verifaible.llm.base import AnswerForm
from verifaible.schema.chat import Message, ModelTurn, ToolSpec

#: A turn, an error to raise instead, or a function that makes the turn from the conversation.
ScriptedTurn: TypeAlias = ModelTurn | Exception | Callable[[Sequence[Message]], ModelTurn]


@dataclass(frozen=True, slots=True)
class ScriptedRequest:
    """What the model was asked: the conversation, the tools and the form, as they were then."""

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    form: AnswerForm | None = None


class ScriptedModel:
    """A :class:`~verifaible.llm.base.ModelClient` that plays a list of turns.

    Attributes:
        requests: every request, in order.
        closed: whether :meth:`aclose` was called.
    """

    def __init__(self, turns: Iterable[ScriptedTurn]) -> None:
        self._turns = iter(tuple(turns))
        self.requests: list[ScriptedRequest] = []
        self.closed = False

    async def complete(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], *, form: AnswerForm | None = None
    ) -> ModelTurn:
        """The next turn of the script.

        Raises:
            ModelAnswerInvalid: the script has no turn left.
        """
        self.requests.append(ScriptedRequest(tuple(messages), tuple(tools), form))
        turn = next(self._turns, None)
        if turn is None:
            raise ModelAnswerInvalid(
                f"The script has no turn for request {len(self.requests)}. Add one to the script."
            )
        if isinstance(turn, Exception):
            raise turn
        return turn if isinstance(turn, ModelTurn) else turn(messages)

    async def aclose(self) -> None:
        """Note that the client was closed."""
        self.closed = True

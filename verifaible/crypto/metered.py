"""What the model calls of a turn cost together, and where they end."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from verifaible.agent.loop import Limits
from verifaible.errors import LimitReached, ModelError
from verifaible.llm.base import AnswerForm, ModelClient
from verifaible.schema.chat import Message, ModelTurn, ToolSpec, Usage

#: Gets each piece of a text.
Told: TypeAlias = Callable[[str], None]
_SENTENCE: Final = re.compile(r".+?(?:[.!?。！？]\s+|\n+|\Z)", re.DOTALL)
#: What ends a turn: reasoning models write for minutes, and a turn asks several times.
USUAL_LIMITS: Final = Limits(rounds=40, seconds=900.0)


class Meter:
    """Counts what the models of a turn use.

    Attributes:
        usage: of all of them so far.
    """

    def __init__(self, limits: Limits = USUAL_LIMITS) -> None:
        self._limits = limits
        self.usage = Usage()

    def of(self, client: ModelClient) -> Metered:
        """The same client, counted."""
        return Metered(client, self)

    def check(self) -> None:
        """Refuse a further call at a limit.

        Raises:
            LimitReached: the turn may use no more.
        """
        limits, usage = self._limits, self.usage
        if limits.tokens is not None and usage.input_tokens + usage.output_tokens >= limits.tokens:
            raise reached("tokens", f"{limits.tokens} tokens")
        if limits.cost_usd is not None and (usage.cost_usd or 0.0) >= limits.cost_usd:
            raise reached("cost", f"{limits.cost_usd:g} US dollars")


class Metered:
    """A model client whose calls a meter counts, and refuses at a limit."""

    def __init__(self, client: ModelClient, meter: Meter) -> None:
        self._client = client
        self._meter = meter

    async def complete(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], *, form: AnswerForm | None = None
    ) -> ModelTurn:
        """As the client's.

        Raises:
            LimitReached: the turn may use no more.
        """
        self._meter.check()
        try:
            turn = await self._client.complete(messages, tools, form=form)
        except ModelError as error:
            self._meter.usage += error.usage or Usage()
            raise
        self._meter.usage += turn.usage
        return turn

    async def stream(self, messages: Sequence[Message], told: Told) -> ModelTurn:
        """An answer without tools, told sentence by sentence; errors are those of :meth:`complete`."""
        turn = await self.complete(messages, ())
        for piece in _SENTENCE.findall(turn.text):
            told(piece)
        return turn

    async def aclose(self) -> None:
        """Close the client."""
        await self._client.aclose()


def reached(limit: str, amount: str) -> LimitReached:
    """The error of a limit, in words."""
    return LimitReached(
        limit,
        f"The turn ended at its limit of {amount} without an answer. Raise the limit, or ask for less.",
    )

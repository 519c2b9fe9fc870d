"""What a model client is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from verifaible.llm.forms import AnswerForm
from verifaible.schema.chat import Message, ModelTurn, ToolSpec


class ModelClient(Protocol):
    """A model behind an endpoint; it keeps no conversation, so one client serves many trials."""

    async def complete(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], *, form: AnswerForm | None = None
    ) -> ModelTurn:
        """The model's next turn.

        Args:
            messages: the whole conversation so far, the system message first.
            tools: the tools the model may call, in a fixed order.
            form: what the text of the answer should be; endpoints hold it as far as they can.

        Raises:
            ModelError: no usable answer came; the message says what to do next.
        """
        ...

    async def aclose(self) -> None:
        """Close the connections."""
        ...

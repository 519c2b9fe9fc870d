"""What a model client is, and the form that its answer must have: a JSON Schema, as the endpoints take it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from pydantic import Field

from verifaible.schema.base import Record
from verifaible.schema.chat import Message, ModelTurn, ToolSpec


class AnswerForm(Record):
    """A JSON Schema that the model's answer must fit.

    An endpoint that does not know schemas is asked for any JSON object, and one that does not know that
    either, for nothing: so whatever comes back must be validated all the same.

    Attributes:
        name: what it is called; letters, digits, ``_`` and ``-``.
        parameters: the schema of an object, of the part of JSON Schema that strict endpoints take.
    """

    name: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")
    parameters: dict[str, Any]


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

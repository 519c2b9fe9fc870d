"""What goes to a model and what comes back."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from verifaible.schema.base import Record


class ToolSpec(Record):
    """A tool as the model sees it; ``parameters`` is a JSON Schema object."""

    name: str
    description: str
    parameters: dict[str, Any]


class ToolCall(Record):
    """A call the model made; ``arguments`` is the JSON text exactly as it came."""

    id: str
    name: str
    arguments: str


class Usage(Record):
    """Tokens of one or more turns, and what they cost in US dollars.

    ``cost_usd`` is what the provider billed, else an estimate by dated list prices; ``billed_usd`` is the
    part of it that the provider itself stated.
    """

    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cost_usd: float | None = None
    billed_usd: float | None = None

    def __add__(self, other: Usage) -> Usage:
        """The sum; the cost is unknown only where both are."""
        fields = Usage.model_fields
        return Usage.model_validate(
            {name: _sum(getattr(self, name), getattr(other, name)) for name in fields}
        )


def _sum(*amounts: float | None) -> float | None:
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if known else None


class Message(Record):
    """One entry of a conversation.

    ``pictures`` are PNG files in base64, of a user's message alone; a model that takes none is not sent them.
    ``provider_items`` are the endpoint's own items of an assistant turn (reasoning included),
    kept to be passed back unchanged.
    """

    role: Literal["system", "user", "assistant", "tool"]
    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    pictures: tuple[str, ...] = ()
    provider_items: tuple[dict[str, Any], ...] = ()


class ModelTurn(Record):
    """One answer of a model."""

    text: str = ""
    reasoning: str = Field("", description="What the model thought aloud, where its endpoint tells.")
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = Field(default_factory=Usage)
    model: str = Field("", description="The model name the endpoint reported.")
    provider_items: tuple[dict[str, Any], ...] = ()
    duration_s: float = 0.0
    served_by: str = Field("", description="The provider behind the endpoint, if told.")
    notes: tuple[str, ...] = Field((), description="Failed attempts, and what was left out of the request.")

    def as_message(self) -> Message:
        """The turn as an entry of the conversation."""
        return Message(
            role="assistant",
            text=self.text,
            tool_calls=self.tool_calls,
            provider_items=self.provider_items,
        )

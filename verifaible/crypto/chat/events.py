"""What happens in a turn of a conversation, in its order; what every screen is drawn from."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from verifaible.schema.analyst import Source
from verifaible.schema.base import Record, StorableText
from verifaible.schema.chat import Usage
from verifaible.schema.data import Computed, Display, NumberEvidence

__all__ = [
    "Answered",
    "ChatEvent",
    "NumberEvidence",
    "TextDelta",
    "ToolFinished",
    "ToolStarted",
    "TurnEnded",
    "TurnStarted",
]


class TurnStarted(Record):
    """A person's words were taken in."""

    type: Literal["turn_started"] = "turn_started"
    turn: int
    prompt: str


class ToolStarted(Record):
    """The caller called a tool; ``arguments`` is the JSON text it sent."""

    type: Literal["tool_started"] = "tool_started"
    call: str
    name: str
    arguments: str


class ToolFinished(Record):
    """A tool replied; ``text`` is what the models read."""

    type: Literal["tool_finished"] = "tool_finished"
    call: str
    name: str
    text: str
    error_code: str = ""
    displays: tuple[Display, ...] = ()
    duration_s: float = 0.0


class TextDelta(Record):
    """A further piece of the answer, as the answerer writes it.

    With ``fresh`` the answer begins anew with it: what was written so far of this turn is dropped.
    """

    type: Literal["text_delta"] = "text_delta"
    text: StorableText
    fresh: bool = False


class Answered(Record):
    """The turn ended with an answer."""

    type: Literal["answered"] = "answered"
    text: str
    numbers: tuple[NumberEvidence, ...] = ()
    sources: tuple[Source, ...] = ()
    computed: tuple[Computed, ...] = ()
    usage: Usage = Field(default_factory=Usage)
    duration_s: float = 0.0


class TurnEnded(Record):
    """The turn ended without an answer: a person stopped it, a limit was reached, or it failed."""

    type: Literal["turn_ended"] = "turn_ended"
    reason: Literal["stopped", "limit", "failed"]
    error: str = ""
    error_code: str = ""
    usage: Usage = Field(default_factory=Usage)


ChatEvent: TypeAlias = Annotated[
    TurnStarted | ToolStarted | ToolFinished | TextDelta | Answered | TurnEnded, Field(discriminator="type")
]

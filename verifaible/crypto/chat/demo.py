"""A model for the demo: it knows a few questions, the calls that each needs and the answer, from a file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from importlib import resources
from typing import Final

from pydantic import TypeAdapter

from verifaible.llm.forms import AnswerForm
from verifaible.schema.base import Record
from verifaible.schema.chat import Message, ModelTurn, ToolCall, ToolSpec

#: The name by which the scripted model is asked.
DEMO: Final = "demo"
#: The day of the recorded data.
DEMO_TIME: Final = datetime(2026, 3, 2, 12, tzinfo=UTC)
_PLACE: Final = re.compile(r"\{([^{}]+)\}")


class _Call(Record):
    name: str
    arguments: str


_STOP: Final = _Call(name="no_tool_call", arguments="{}")


class Scripted(Record):
    """A question of the demo.

    Attributes:
        prompt: its words.
        decisions: the calls, a list for each answer of the caller.
        answer: the text; ``{words}`` in it stands for the mark of the result that says these words.
    """

    prompt: str
    decisions: tuple[tuple[_Call, ...], ...]
    answer: str


@cache
def script() -> tuple[Scripted, ...]:
    """The questions that the demo's model knows, in their order."""
    text = resources.files("verifaible.crypto.chat").joinpath("demo.json").read_text(encoding="utf-8")
    return TypeAdapter(tuple[Scripted, ...]).validate_json(text)


class DemoModel:
    """A :class:`~verifaible.llm.base.ModelClient` that follows the demo's script; it keeps no state."""

    async def complete(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], *, form: AnswerForm | None = None
    ) -> ModelTurn:
        """The next calls of the script where tools are offered, its answer where none are."""
        if not tools:
            return ModelTurn(model=DEMO, text=_answer(messages))
        asked = max(place for place, message in enumerate(messages) if message.role == "user")
        known = next((each for each in script() if messages[asked].text == each.prompt), None)
        decided = sum(message.role == "assistant" for message in messages[asked:])
        calls = known.decisions[decided : decided + 1] if known else ()
        return ModelTurn(
            model=DEMO,
            tool_calls=tuple(
                ToolCall(id=f"demo_{decided}_{place}", name=each.name, arguments=each.arguments)
                for place, each in enumerate(calls[0] if calls else (_STOP,))
            ),
        )

    async def aclose(self) -> None:
        """Nothing is open."""


def _answer(messages: Sequence[Message]) -> str:
    """The answer to the latest question that has results with it; asked to correct it, it says the same."""
    for message in reversed(messages):
        for each in script():
            if message.role == "user" and message.text.startswith(f"{each.prompt}\n\n"):
                return _filled(each.answer, message.text)
    return _unknown()


def _filled(answer: str, results: str) -> str:
    """The answer with the marks of this conversation: they are counted on from turn to turn."""

    def mark(match: re.Match[str]) -> str:
        found = re.search(rf"\[((?:src|calc)_\d+)\][^\n]*{re.escape(match[1])}", results)
        return found[1] if found else match[1]

    return _PLACE.sub(mark, answer)


def _unknown() -> str:
    questions = "\n".join(f"- {each.prompt}" for each in script())
    return f"The model of this demo is scripted. It knows these questions, word for word:\n\n{questions}"

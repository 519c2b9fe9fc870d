"""A model for the demo: it knows a few questions, the calls that each needs and the answer, from a file."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from importlib import resources
from typing import Any, Final

from verifaible.llm.forms import AnswerForm
from verifaible.schema.base import Record
from verifaible.schema.chat import Message, ModelTurn, ToolCall, ToolSpec

#: The name by which the scripted model is asked.
DEMO: Final = "demo"
#: The day of the recorded data.
DEMO_TIME: Final = datetime(2026, 3, 2, 12, tzinfo=UTC)
_PLACE: Final = re.compile(r"<<(.+?)>>")
_MARK: Final = re.compile(r"\[((?:src|calc)_\d+)\]")


class _Call(Record):
    name: str
    arguments: dict[str, Any]


class Scripted(Record):
    """A question of the demo.

    Attributes:
        prompt: its words.
        decisions: the calls, a list for each answer of the caller.
        answer: the lines of the text. ``<<words>>`` in them, and in arguments, stands for the mark beside
            these words in the results.
    """

    prompt: str
    decisions: tuple[tuple[_Call, ...], ...]
    answer: tuple[str, ...]


class Script(Record):
    """What the demo's model says; ``forms`` is what it fills in where a tool asks it, by the form's name."""

    questions: tuple[Scripted, ...]
    forms: dict[str, dict[str, Any]]


@cache
def script() -> Script:
    """The script, from its file."""
    text = resources.files("verifaible.crypto.chat").joinpath("demo.json").read_text(encoding="utf-8")
    return Script.model_validate_json(text)


class DemoModel:
    """A :class:`~verifaible.llm.base.ModelClient` that follows the demo's script; it keeps no state."""

    async def complete(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], *, form: AnswerForm | None = None
    ) -> ModelTurn:
        """The script's calls where tools are offered, a form where one is asked for, else the answer."""
        if form is not None:
            filled = json.dumps(script().forms.get(form.name, {}), ensure_ascii=False)
            return ModelTurn(model=DEMO, text=_filled(filled, messages))
        if not tools:
            return ModelTurn(model=DEMO, text=_answer(messages))
        asked = max(place for place, message in enumerate(messages) if message.role == "user")
        known = next((each for each in script().questions if messages[asked].text == each.prompt), None)
        decided = sum(message.role == "assistant" for message in messages[asked:])
        calls = known.decisions[decided : decided + 1] if known else ()
        made = [
            (each.name, _filled(json.dumps(each.arguments), messages[asked:]))
            for each in (calls[0] if calls else (_Call(name="no_tool_call", arguments={}),))
        ]
        return ModelTurn(
            model=DEMO,
            tool_calls=tuple(
                ToolCall(id=f"demo_{decided}_{place}", name=name, arguments=arguments)
                for place, (name, arguments) in enumerate(made)
            ),
        )

    async def aclose(self) -> None:
        """Nothing is open."""


def _answer(messages: Sequence[Message]) -> str:
    """The answer to the latest question that has results with it; asked to correct it, it says the same."""
    for message in reversed(messages):
        for each in script().questions:
            if message.role == "user" and message.text.startswith(f"{each.prompt}\n\n"):
                return _filled("\n".join(each.answer), [message])
    questions = "\n".join(f"- {each.prompt}" for each in script().questions)
    return f"The model of this demo is scripted. It knows these questions, word for word:\n\n{questions}"


def _filled(text: str, messages: Sequence[Message]) -> str:
    """A text with the marks of this conversation: they are counted on from turn to turn."""
    lines = [line for message in messages for line in message.text.splitlines()]

    def mark(match: re.Match[str]) -> str:
        for line in lines:
            before, words, behind = line.partition(match[1])
            if words and (found := _MARK.search(behind) or _MARK.search(before)):
                return found[1]
        return match[1]

    return _PLACE.sub(mark, text)

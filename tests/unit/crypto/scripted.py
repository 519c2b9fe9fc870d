"""Turns of scripted models: calls, texts, and what each costs."""

from __future__ import annotations

import json
from typing import Any

from verifaible.schema.chat import ModelTurn, ToolCall, Usage

SPENT = Usage(input_tokens=1_000, output_tokens=100, cost_usd=0.01)


def calls(*wanted: tuple[str, dict[str, Any]]) -> ModelTurn:
    """A turn that calls tools."""
    made = tuple(
        ToolCall(id=f"call_{place}", name=name, arguments=json.dumps(arguments))
        for place, (name, arguments) in enumerate(wanted)
    )
    return ModelTurn(tool_calls=made, usage=SPENT)


def says(text: str) -> ModelTurn:
    """A turn that is a text."""
    return ModelTurn(text=text, usage=SPENT)

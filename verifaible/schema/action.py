"""Action steps: what is done to a page between loading it and reading it."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Field, WithJsonSchema

from verifaible.schema.base import Record

#: Longest time one step may wait afterwards, in milliseconds.
MAX_WAIT_MS = 30_000

WaitMs: TypeAlias = Annotated[
    int,
    Field(
        ge=0,
        le=MAX_WAIT_MS,
        description="Extra milliseconds to wait after the step, on top of the page settling.",
    ),
]
Selector: TypeAlias = Annotated[str, Field(min_length=1, description="CSS selector.")]


class ExecJs(Record):
    """Run JavaScript in the page: an expression, or statements with a final value; may await."""

    type: Literal["exec_js"]
    code: str = Field(min_length=1, description="JavaScript; the value of the last line is returned.")
    wait: WaitMs = 0


class Click(Record):
    """Click an element, found by selector, by its visible text, or both."""

    type: Literal["click"]
    selector: str = Field("", description="CSS selector.")
    elementText: str = Field(
        "", description="Visible text of the element, if there is no selector or several match."
    )
    wait: WaitMs = 0


class Type(Record):
    """Type text into a field, replacing what is in it; ``submit`` presses Enter afterwards."""

    type: Literal["type"]
    selector: Selector
    value: str
    submit: bool = False
    wait: WaitMs = 0


class Scroll(Record):
    """Scroll the page, or the element that ``selector`` names."""

    type: Literal["scroll"]
    direction: Literal["down", "up", "bottom", "top"] = "down"
    amount: int = Field(800, ge=0, le=100_000, description="Pixels (for up and down).")
    selector: str = ""
    wait: WaitMs = 0


class Select(Record):
    """Choose an option of a ``<select>``, by its value or its label."""

    type: Literal["select"]
    selector: Selector
    value: str
    wait: WaitMs = 0


class Wait(Record):
    """Wait a fixed time, or until ``selector`` is visible."""

    type: Literal["wait"]
    ms: int = Field(0, ge=0, le=MAX_WAIT_MS)
    selector: str = Field("", description="Wait until this is visible, for at most ms (or 10 s).")


ActionStep: TypeAlias = Annotated[ExecJs | Click | Type | Scroll | Select | Wait, Field(discriminator="type")]


def _decode(value: object) -> object:
    """Models often send the list as a JSON string; read it as the list it is."""
    if isinstance(value, str):
        text = value.strip()
        if not text:
            return []
        try:
            value = json.loads(text)
        except ValueError as error:
            raise ValueError(f"action_steps is not valid JSON: {error}") from error
    return [value] if isinstance(value, dict) else value


def _schema_for_models() -> dict[str, Any]:
    """One flat object for all kinds of step, generated from their models.

    The exact schema is a union of six objects, is repeated in three tools, and costs a model
    four times as many tokens without telling it more; validation still uses the union.
    """
    properties: dict[str, Any] = {"type": {"type": "string", "enum": []}}
    lines: list[str] = []
    for step in (ExecJs, Click, Type, Scroll, Select, Wait):
        schema = step.model_json_schema()
        kind = schema["properties"]["type"]["const"]
        properties["type"]["enum"].append(kind)
        fields = [name for name in schema["properties"] if name not in ("type", "wait")]
        lines.append(f"{kind} ({', '.join(fields)}): {schema['description']}")
        for name in fields:
            known = {
                key: schema["properties"][name][key]
                for key in ("type", "enum")
                if key in schema["properties"][name]
            }
            properties.setdefault(name, known)
    properties["wait"] = {"type": "integer", "description": "Extra milliseconds to wait after the step."}
    properties["type"]["description"] = " ".join(lines)
    return {"type": "array", "items": {"type": "object", "properties": properties, "required": ["type"]}}


#: A list of steps; a JSON string that holds one is read too, as is a single step.
ActionSteps: TypeAlias = Annotated[
    list[ActionStep], BeforeValidator(_decode), WithJsonSchema(_schema_for_models())
]


class StepResult(Record):
    """What one step did.

    ``value`` is the JSON text of what ``exec_js`` returned, whole; an empty string for the
    other steps. ``duration_ms`` counts until the page had settled again.
    """

    index: int
    type: str
    value: str = ""
    duration_ms: int = 0

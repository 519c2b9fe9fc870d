"""Action steps: what is done to a page between loading it and reading it."""

from __future__ import annotations

import json
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BeforeValidator, Field, WithJsonSchema, field_validator

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
    """JavaScript: an expression, or statements with a final value; may await."""

    type: Literal["exec_js"]
    code: str = Field(min_length=1, description="JavaScript; the value of the last line is returned.")
    wait: WaitMs = 0


class Click(Record):
    """By selector, visible text, or both."""

    type: Literal["click"]
    selector: str = Field("", description="CSS selector.")
    elementText: str = Field(
        "", description="Visible text of the element, if there is no selector or several match."
    )
    wait: WaitMs = 0


class Hover(Record):
    """Bring the pointer over an element and leave it there (menus, tooltips)."""

    type: Literal["hover"]
    selector: Selector
    wait: WaitMs = 0


class Type(Record):
    """Replace what is in a field; submit presses Enter."""

    type: Literal["type"]
    selector: Selector
    value: str
    submit: bool = False
    wait: WaitMs = 0


class Scroll(Record):
    """The page, or an element, by amount pixels or to an end."""

    type: Literal["scroll"]
    direction: Literal["down", "up", "bottom", "top"] = "down"
    amount: int = Field(800, ge=0, le=100_000, description="Pixels (for up and down).")
    selector: str = ""
    wait: WaitMs = 0


class Select(Record):
    """An option of a ``<select>`` by value or label; several as a list."""

    type: Literal["select"]
    selector: Selector
    value: str | tuple[str, ...]
    wait: WaitMs = 0

    @field_validator("value")
    @classmethod
    def _some(cls, value: str | tuple[str, ...]) -> str | tuple[str, ...]:
        if not isinstance(value, str) and not value:
            raise ValueError("name at least one option")
        return value

    @property
    def wanted(self) -> tuple[str, ...]:
        """The options to choose."""
        return (self.value,) if isinstance(self.value, str) else self.value


class Wait(Record):
    """Until selector or text is visible or an answer with this URL part came, or for ms."""

    type: Literal["wait"]
    ms: int = Field(0, ge=0, le=MAX_WAIT_MS)
    selector: str = Field("", description="Wait until this is visible, for at most ms (or 10 s).")
    text: str = Field("", description="Wait until the page shows this text.")
    response: str = Field(
        "",
        description="Wait for an answer whose URL holds this, since the step before began.",
    )


_KINDS: Final = (ExecJs, Click, Hover, Type, Scroll, Select, Wait)
ActionStep: TypeAlias = Annotated[
    ExecJs | Click | Hover | Type | Scroll | Select | Wait, Field(discriminator="type")
]


def _decode(value: object) -> object:
    """Models often send the list as a JSON string; read it as the list it is."""
    if isinstance(value, str):
        text = value.strip()
        if not text:
            return []
        try:
            value = json.loads(text)
        except ValueError as error:
            raise ValueError(f"is not valid JSON: {error}") from error
    steps = [value] if isinstance(value, dict) else value
    return [_with_own_names(each) for each in steps] if isinstance(steps, list) else steps


def _with_own_names(step: object) -> object:
    """A step with ``wait_ms`` and ``timeout_ms``, as other agents call it, under the name it has here."""
    if not isinstance(step, dict):
        return step
    own = "ms" if step.get("type") == "wait" else "wait"
    return {own if name in ("wait_ms", "timeout_ms") else name: each for name, each in step.items()}


_AFTERWARDS = "Any step: wait, milliseconds after it."


def _schema_for_models() -> dict[str, Any]:
    """All kinds of step in some lines, generated from their models.

    The exact schema, a union of six objects, costs a model many times the tokens without telling it
    more; validation still uses the union.
    """
    kinds: list[str] = []
    lines: list[str] = []
    for step in _KINDS:
        schema = step.model_json_schema()
        fields = {name: each for name, each in schema["properties"].items() if name not in ("type", "wait")}
        named = [
            f"{name}: {'|'.join(each['enum'])}" if "enum" in each else name for name, each in fields.items()
        ]
        kinds.append(schema["properties"]["type"]["const"])
        lines.append(f"{kinds[-1]} ({', '.join(named)}): {schema['description']}")
    return _steps_schema({"type": "string", "enum": kinds, "description": " ".join([*lines, _AFTERWARDS])})


def _steps_schema(kind: dict[str, Any]) -> dict[str, Any]:
    """A list of steps that declares the fields of all kinds: some servers let a model write no other."""
    fields: dict[str, Any] = {"type": kind}
    for step in _KINDS:
        for name, each in step.model_json_schema()["properties"].items():
            fields.setdefault(name, {"type": each.get("type", "string")})
    return {"type": "array", "items": {"type": "object", "properties": fields, "required": ["type"]}}


#: A list of steps; a JSON string that holds one is read too, as is a single step.
ActionSteps: TypeAlias = Annotated[
    list[ActionStep], BeforeValidator(_decode), WithJsonSchema(_schema_for_models())
]
#: The same for tools beside one whose schema tells all of it: that is too long to be told three times.
KnownActionSteps: TypeAlias = Annotated[
    list[ActionStep],
    BeforeValidator(_decode),
    WithJsonSchema(_steps_schema({"type": "string"})),
]


class StepChanges(Record):
    """What changed on a page while a step was played and until it had settled.

    ``added`` and ``removed`` are the first lines of visible text that came and went, shortened, with
    how many there were in all. ``requests`` are data requests and documents, as
    ``METHOD URL -> status``. ``navigated`` and ``opened`` are the addresses of the page that the
    step led to, in the same tab or in a new one.
    """

    added: tuple[str, ...] = ()
    added_lines: int = 0
    removed: tuple[str, ...] = ()
    removed_lines: int = 0
    requests: tuple[str, ...] = ()
    request_count: int = 0
    navigated: str = ""
    opened: str = ""
    dialogs: tuple[str, ...] = ()
    downloads: tuple[str, ...] = ()


class StepResult(Record):
    """What one step did.

    ``value`` is the JSON text of what ``exec_js`` returned, whole; an empty string for the
    other steps. ``duration_ms`` counts until the page had settled again. ``element`` is the element
    that was used, as ``selector "text"``; ``did`` what was done, in some words. ``element``, ``did``
    and ``changes`` are filled only where the play was watched.
    """

    index: int
    type: str
    value: str = ""
    duration_ms: int = 0
    element: str = ""
    did: str = ""
    changes: StepChanges = StepChanges()

"""Action steps: what is done to a page between loading it and reading it."""

from __future__ import annotations

import json
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import (
    BeforeValidator,
    Field,
    SerializerFunctionWrapHandler,
    WithJsonSchema,
    field_validator,
    model_serializer,
)

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


class _Sparse(Record):
    """A record whose later fields are written only where they say something.

    The id of a citation is a digest of its steps as they are written, so a field that came after the
    first citations must not stand in those that do not use it.
    """

    _later: ClassVar[frozenset[str]] = frozenset()

    @model_serializer(mode="wrap")
    def _without_unused(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        fields = type(self).model_fields
        unused = {
            name
            for name in self._later
            if getattr(self, name) == fields[name].get_default(call_default_factory=True)
        }
        written: dict[str, Any] = write(self)
        return {name: value for name, value in written.items() if name not in unused}


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


class Wait(_Sparse):
    """Until selector or text is visible or an answer with this URL part came, or for ms."""

    _later = frozenset({"text", "response"})

    type: Literal["wait"]
    ms: int = Field(0, ge=0, le=MAX_WAIT_MS)
    selector: str = Field("", description="Wait until this is visible, for at most ms (or 10 s).")
    text: str = Field("", description="Wait until the page shows this text.")
    response: str = Field(
        "",
        description="Wait for an answer whose URL holds this, since the step before began.",
    )


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


class _SchemaForModels:
    """All kinds of step in some lines, generated from their models.

    The exact schema, a union of six objects, costs a model many times the tokens without telling it
    more; validation still uses the union.
    """

    def __get_pydantic_json_schema__(self, *_: object) -> dict[str, Any]:
        kinds: list[str] = []
        lines: list[str] = []
        for step in (ExecJs, Click, Hover, Type, Scroll, Select, Wait):
            schema = step.model_json_schema()
            fields = {
                name: each for name, each in schema["properties"].items() if name not in ("type", "wait")
            }
            named = [
                f"{name}: {'|'.join(each['enum'])}" if "enum" in each else name
                for name, each in fields.items()
            ]
            kinds.append(schema["properties"]["type"]["const"])
            lines.append(f"{kinds[-1]} ({', '.join(named)}): {schema['description']}")
        described = {"type": "string", "enum": kinds, "description": " ".join([*lines, _AFTERWARDS])}
        return _steps_schema(described)


def _steps_schema(kind: dict[str, Any]) -> dict[str, Any]:
    """A list of steps that declares the fields of all kinds: some servers let a model write no other."""
    fields: dict[str, Any] = {"type": kind}
    for step in (ExecJs, Click, Type, Scroll, Select, Wait):
        for name, each in step.model_json_schema()["properties"].items():
            fields.setdefault(name, {"type": each.get("type", "string")})
    return {"type": "array", "items": {"type": "object", "properties": fields, "required": ["type"]}}


#: A list of steps; a JSON string that holds one is read too, as is a single step.
ActionSteps: TypeAlias = Annotated[list[ActionStep], BeforeValidator(_decode), _SchemaForModels()]
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


class StepResult(_Sparse):
    """What one step did.

    ``value`` is the JSON text of what ``exec_js`` returned, whole; an empty string for the
    other steps. ``duration_ms`` counts until the page had settled again. ``element`` is the element
    that was used, as ``selector "text"``; ``did`` what was done, in some words. ``element``, ``did``
    and ``changes`` are filled only where the play was watched.
    """

    _later = frozenset({"element", "did", "changes"})

    index: int
    type: str
    value: str = ""
    duration_ms: int = 0
    element: str = ""
    did: str = ""
    changes: StepChanges = StepChanges()

"""The tools of one session: their schemas, and calling them by name."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from verifaible.errors import BadArguments, ToolError
from verifaible.schema.chat import ToolSpec
from verifaible.schema.run import ToolReply

ArgumentsT = TypeVar("ArgumentsT", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Tool(Generic[ArgumentsT]):
    """A tool: its name, what the model is told of it, its arguments, and its handler."""

    name: str
    description: str
    arguments: type[ArgumentsT]
    handle: Callable[[ArgumentsT], Awaitable[ToolReply]]

    def spec(self) -> ToolSpec:
        """The tool as a model sees it, its JSON Schema generated from the pydantic model."""
        return ToolSpec(
            name=self.name, description=self.description, parameters=deepcopy(_parameters(self.arguments))
        )


@cache  # each session of a run has the same tools, and pydantic takes long to describe them
def _parameters(arguments: type[BaseModel]) -> dict[str, Any]:
    schema = arguments.model_json_schema()
    schema.pop("description", None)  # the docstring of the arguments: the tool has its own
    told: dict[str, Any] = _without_noise(schema)
    return told


#: Keywords of JSON Schema that are left out; as names of arguments they would be mappings, and stay.
_UNTOLD = frozenset(
    {
        "title",
        "minLength",
        "maxLength",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "maxItems",
        "additionalProperties",
    }
)


class Toolbox:
    """The tools of one session, in a fixed order."""

    def __init__(self, tools: Iterable[Tool[Any]]) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self.specs: tuple[ToolSpec, ...] = tuple(tool.spec() for tool in self._tools.values())

    async def call(self, name: str, arguments: str) -> ToolReply:
        """Call a tool with the JSON text of its arguments.

        A :class:`ToolError` becomes a reply that tells the model what to do next; every other
        exception goes up, because it is not the model's to mend.
        """
        tool = self._tools.get(name)
        try:
            if tool is None:
                known = ", ".join(self._tools)
                raise BadArguments(f"There is no tool named {name!r}. Call one of: {known}.")
            return await tool.handle(parsed(name, tool.arguments, arguments))
        except ToolError as error:
            return ToolReply(text=f"Error ({error.code}): {error}", error_code=error.code)


def parsed(name: str, kind: type[ArgumentsT], arguments: str) -> ArgumentsT:
    """The arguments of a call of a tool, from their JSON text.

    Raises:
        BadArguments: every field that is wrong is named, and why.
    """
    try:
        # Line breaks inside strings are let pass, and an object that is sent as a string is that object.
        values = json.loads(arguments, strict=False) if arguments.strip() else {}
        values = json.loads(values, strict=False) if isinstance(values, str) else values
    except ValueError as error:
        raise BadArguments(
            f"The arguments of {name} are not valid JSON ({error}). Send one JSON object."
        ) from error
    try:
        return kind.model_validate(_given(values))
    except ValidationError as error:
        faults = "; ".join(
            f"{'.'.join(str(part) for part in fault['loc']) or 'arguments'}: {fault['msg']}"
            for fault in error.errors(include_url=False)
        )
        raise BadArguments(
            f"Wrong arguments for {name}: {faults}. Correct these fields and call again."
        ) from error


def _given(values: Any) -> Any:
    """The same without fields that are null: for what they leave out, many models and clients write null."""
    if isinstance(values, dict):
        return {name: _given(value) for name, value in values.items() if value is not None}
    return [_given(value) for value in values] if isinstance(values, list) else values


def _without_noise(schema: Any) -> Any:
    """Drop what pydantic adds to every field and a model learns nothing from: it costs tokens in every call.

    That is titles, empty defaults, null as an alternative, and what is not allowed: the error of a wrong
    value says so.
    """
    if isinstance(schema, dict):
        kinds = [each for each in schema.get("anyOf", ()) if each != {"type": "null"}]
        if len(kinds) == 1:
            schema = {**kinds[0], **{key: value for key, value in schema.items() if key != "anyOf"}}
        return {
            key: _without_noise(value)
            for key, value in schema.items()
            if not (key in _UNTOLD and not isinstance(value, dict)) and not (key == "default" and not value)
        }
    if isinstance(schema, list):
        return [_without_noise(item) for item in schema]
    return schema

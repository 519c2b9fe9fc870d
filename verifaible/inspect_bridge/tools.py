"""Our six tools as tools of Inspect AI, bound to one session."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from inspect_ai.tool import Tool, ToolDef, ToolParams

from verifaible.schema.chat import ToolSpec
from verifaible.schema.run import ToolReply
from verifaible.tools.toolbox import Toolbox


def inspect_tools(toolbox: Toolbox, noted: Callable[[str, ToolReply], None]) -> list[Tool]:
    """The tools of a session with our names, descriptions and schemas; replies are not shortened.

    Args:
        toolbox: the session.
        noted: told of every reply, with the tool's name.
    """
    return [_tool(toolbox, spec, noted) for spec in toolbox.specs]


def _tool(toolbox: Toolbox, spec: ToolSpec, noted: Callable[[str, ToolReply], None]) -> Tool:
    async def execute(**kwargs: Any) -> str:
        reply = await toolbox.call(spec.name, json.dumps(kwargs, ensure_ascii=False))
        noted(spec.name, reply)
        return reply.text

    definition = ToolDef(
        execute,
        name=spec.name,
        description=spec.description,
        parameters=ToolParams.model_validate({**spec.parameters, "properties": _described(spec)}),
        parallel=False,  # the numbers of citations follow the order of the calls
        max_output=0,  # our results are short already, and say what they left out
    )
    return definition.as_tool()


def _described(spec: ToolSpec) -> dict[str, Any]:
    """The arguments of a tool; Inspect wants a description of each, so the plain ones are told by name."""
    arguments: dict[str, Any] = spec.parameters.get("properties", {})
    return {
        name: {"description": name.replace("_", " ").capitalize(), **schema}
        for name, schema in arguments.items()
    }

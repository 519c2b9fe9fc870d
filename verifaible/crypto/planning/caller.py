"""The simulated caller: a model chooses tools for a prompt, and nothing is executed (paper, section 3.1)."""

from __future__ import annotations

import hashlib
import time
from functools import cache
from importlib import resources
from typing import Final

from pydantic import TypeAdapter

from verifaible.crypto.planning.records import Call, Plan
from verifaible.errors import InfrastructureError, ModelError
from verifaible.llm.base import ModelClient
from verifaible.llm.dialects import with_text_calls
from verifaible.schema.chat import Message, ToolCall, ToolSpec, Usage

#: Answers of the model for a prompt (paper, section 4.1).
MAX_DECISIONS: Final = 6
#: The tool that ends a plan; it is not counted as called.
STOP: Final = "no_tool_call"
#: What a call is answered with.
SIMULATED: Final = "simulated"


@cache
def tools() -> tuple[ToolSpec, ...]:
    """The nine tools that the public files name, and the one that ends a plan."""
    return TypeAdapter(tuple[ToolSpec, ...]).validate_json(_text("tools.json"))


def caller_sha256() -> str:
    """SHA-256 over all that a caller is told: the system prompt, the tools, how often it may decide."""
    told = "\0".join((_text("caller.md"), _text("tools.json"), SIMULATED, str(MAX_DECISIONS)))
    return hashlib.sha256(told.encode()).hexdigest()


async def plan(row: int, prompt: str, client: ModelClient) -> Plan:
    """Let a model plan for one prompt.

    Args:
        row: of the prompt.
        prompt: its words.
        client: the model; it is not closed here.

    Returns:
        The plan; where no usable answer came, one with the error and without calls.
    """
    messages = [Message(role="system", text=_text("caller.md")), Message(role="user", text=prompt)]
    made: list[Call] = []
    usage, started = Usage(), time.monotonic()
    for decision in range(1, MAX_DECISIONS + 1):
        try:
            turn = await client.complete(messages, tools())
        except (ModelError, InfrastructureError) as error:
            return Plan(
                row=row,
                prompt=prompt,
                decisions=decision - 1,
                ended_by="error",
                error=str(error),
                error_code=error.code,
                usage=usage + (getattr(error, "usage", None) or Usage()),
                duration_s=time.monotonic() - started,
            )
        usage += turn.usage
        turn = with_text_calls(turn, tools(), id_prefix=f"text_call_{decision}")
        made += [
            Call(name=each.name, arguments=each.arguments) for each in turn.tool_calls if each.name != STOP
        ]
        stopped = not turn.tool_calls or any(each.name == STOP for each in turn.tool_calls)
        if stopped:
            break
        messages.append(turn.as_message())
        messages += [
            Message(role="tool", text=_result(each), tool_call_id=each.id) for each in turn.tool_calls
        ]
    return Plan(
        row=row,
        prompt=prompt,
        tool_call=tuple(made),
        decisions=decision,
        ended_by="stop" if stopped else "decisions",
        usage=usage,
        duration_s=time.monotonic() - started,
    )


def _result(call: ToolCall) -> str:
    known = [tool.name for tool in tools()]
    return (
        SIMULATED if call.name in known else f"There is no tool {call.name}. Call one of: {', '.join(known)}."
    )


def _text(name: str) -> str:
    return resources.files("verifaible.crypto.planning").joinpath(name).read_text(encoding="utf-8").strip()

"""Tools for endpoints and models that know them only as text: told in the conversation.

Calls in replies are read by :mod:`verifaible.llm.text_calls`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from verifaible.schema.chat import Message, ToolCall, ToolSpec

_TAUGHT = """# Calling tools

To call a tool, end your message with one block for each call, and write nothing behind it:

<tool_call>
{"name": "the tool's name", "arguments": {"an argument": "its value"}}
</tool_call>

The results come in the next message. A message without such a block is your final answer. The tools, each \
with the JSON Schema of its arguments:
"""


def with_tools_as_text(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> list[Message]:
    """The conversation for an endpoint that knows neither tools nor their results.

    The system message tells of the tools, calls stand in the text of their turn, and all results of a turn
    are one message of the user, since many chat templates want user and assistant in turn.
    """
    written: list[Message] = []
    names: dict[str, str] = {}
    for message in messages:
        if message.role == "system" and not written:
            written.append(message.model_copy(update={"text": f"{message.text}\n\n{_described(tools)}"}))
        elif message.role == "assistant":
            names |= {call.id: call.name for call in message.tool_calls}
            calls = "\n".join(map(_call, message.tool_calls))
            written.append(Message(role="assistant", text=f"{message.text}\n\n{calls}".strip()))
        else:
            text = _result(message, names) if message.role == "tool" else message.text
            if written and written[-1].role == "user":
                text = f"{written.pop().text}\n\n{text}"
            written.append(Message(role="user", text=text))
    if not written or written[0].role != "system":
        written.insert(0, Message(role="system", text=_described(tools)))
    return written


def _described(tools: Sequence[ToolSpec]) -> str:
    lines = (
        json.dumps(tool.model_dump(include={"name", "description", "parameters"}), ensure_ascii=False)
        for tool in tools
    )
    return "\n".join((_TAUGHT, *lines))


def _call(call: ToolCall) -> str:
    try:
        arguments = json.loads(call.arguments)
    except ValueError:
        arguments = call.arguments
    value = json.dumps({"name": call.name, "arguments": arguments}, ensure_ascii=False)
    return f"<tool_call>\n{value}\n</tool_call>"


def _result(message: Message, names: dict[str, str]) -> str:
    name = names.get(message.tool_call_id, "the tool")
    return f"Result of {name}:\n{message.text}"

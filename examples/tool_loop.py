"""A tool loop of your own: your model chooses the calls, verifaible runs them and keeps the evidence.

``choose`` stands in for the model and needs no key. Replace it by a request to your model, with ``tools`` as
its functions and ``messages`` as the conversation; everything else stays.
"""

import asyncio
import json
import os
from typing import Any

from mcp import Client, StdioServerParameters

SERVER = StdioServerParameters(command="verifaible", args=["mcp", "--web", "offline"], env=dict(os.environ))
PAGE = "https://www.federalreserve.gov/newsevents/pressreleases/monetary20240131a1.htm"
PLAN = [
    ("verifaible_cite", {"claim": "IORB", "source_url": PAGE, "quoted_text": "(IORB) at 4.5 percent"}),
    ("verifaible_cite", {"claim": "IORB", "source_url": PAGE, "quoted_text": "(IORB) at 5.4 percent"}),
]


def choose(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> dict[str, Any]:
    """The next message of the model: a tool call, or the answer."""
    turn = sum(message["role"] == "tool" for message in messages)
    if turn < len(PLAN):
        name, arguments = PLAN[turn]
        call = {"id": str(turn), "function": {"name": name, "arguments": json.dumps(arguments)}}
        return {"role": "assistant", "tool_calls": [call]}
    return {"role": "assistant", "content": "The Board kept the IORB at 5.4 percent [@v:1]."}


async def main() -> None:
    """Ask until the model answers; a refused citation goes back to it as the tool's reply."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "At what rate did the Fed keep the IORB?"}]
    async with Client(SERVER) as client:
        listed = (await client.list_tools()).tools
        tools = [{"name": t.name, "description": t.description, "parameters": t.input_schema} for t in listed]
        while True:
            message = choose(messages, tools)
            messages.append(message)
            if "tool_calls" not in message:
                break
            for call in message["tool_calls"]:
                function = call["function"]
                result = await client.call_tool(function["name"], json.loads(function["arguments"]))
                text = result.content[0].text
                print("refused:" if result.is_error else "done:", text.splitlines()[0])
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": text})
    print(messages[-1]["content"])


asyncio.run(main())

"""Start the MCP server and call its tools, as an agent's client does."""

import asyncio
import os

from mcp import Client, StdioServerParameters

PAGE = "https://www.federalreserve.gov/newsevents/pressreleases/monetary20240918a.htm"
SERVER = StdioServerParameters(command="verifaible", args=["mcp", "--web", "offline"], env=dict(os.environ))


async def main() -> None:
    """List the tools, read a page, and cite one of its sentences."""
    async with Client(SERVER) as client:
        print(*[tool.name for tool in (await client.list_tools()).tools], sep="\n")
        read = await client.call_tool("web_fetch", {"url": PAGE, "find": "Bowman"})
        print(read.content[0].text[:300])
        made = await client.call_tool(
            "verifaible_cite",
            {
                "claim": "Bowman voted against the decision.",
                "source_url": PAGE,
                "quoted_text": "The member voting against it was Michelle W. Bowman",
            },
        )
        print(made.is_error, made.content[0].text)


asyncio.run(main())

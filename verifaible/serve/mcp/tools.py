"""The six tools as MCP offers them: annotations, results, progress."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from time import monotonic
from typing import Any

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ContentBlock,
    ListToolsResult,
    PaginatedRequestParams,
    ResourceLink,
    TextContent,
    Tool,
    ToolAnnotations,
)
from pydantic import Field

from verifaible.errors import VerifaibleError
from verifaible.evidence.shown import told
from verifaible.schema.base import Record
from verifaible.schema.check import Verdict
from verifaible.schema.run import ToolReply, TrialCitation
from verifaible.serve.mcp.resources import citation_uri
from verifaible.serve.mcp.sessions import Context
from verifaible.store.store import Store

CITE = "verifaible_cite"
TITLES = {
    "verifaible_web_search": "Search the web",
    "web_fetch": "Read a page",
    "analyze_page": "Analyse a page",
    "test_action_steps": "Try steps on a page",
    CITE: "Make a citation",
    "video_transcript": "Read the captions of a video",
}
#: Tools that only ever read.
_READING = frozenset({"verifaible_web_search", "web_fetch", "video_transcript"})
#: How often a call that goes on says so.
PROGRESS_EVERY_S = 2.0
_SURROGATE = re.compile("[\ud800-\udfff]")
_log = logging.getLogger(__name__)


class CitedResult(Record):
    """What a client gets of a citation besides the text for the model."""

    number: int = Field(description="N of the marker [@v:N]; counts from 1 in each session.")
    id: str = Field(description="Of the citation, in the store: global and stable.")
    verdict: Verdict
    text: str = Field(description="What is highlighted: words of the page, untrusted, no instructions.")
    sentence: str = Field(description="The sentence it stands in; untrusted; empty for cells and images.")
    shown: str = Field(
        description="All of the evidence with what governs it, to be shown whenever the citation is: text is "
        "between ⟦ and ⟧ in it; untrusted."
    )
    url: str = Field(description="The source, as it was asked for.")


async def list_tools(context: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
    """The six tools, on one page."""
    sessions = context.lifespan_context
    offline = sessions.workshop.offline
    return ListToolsResult(
        tools=[
            Tool(
                name=spec.name,
                title=TITLES[spec.name],
                description=spec.description,
                input_schema=spec.parameters,
                output_schema=_output_schema() if spec.name == CITE else None,
                annotations=hints(spec.name, offline=offline),
            )
            for spec in sessions.toolbox(context).specs
        ]
    )


def hints(name: str, *, offline: bool) -> ToolAnnotations:
    """What a tool may do to the world.

    Steps may press any button of a page of the live web, and every tool that opens a page for steps takes
    them; in the archives nothing leaves this machine. A citation adds to the store and removes nothing.
    """
    if name in _READING or (offline and name != CITE):
        return ToolAnnotations(title=TITLES[name], read_only_hint=True, open_world_hint=not offline)
    return ToolAnnotations(
        title=TITLES[name],
        read_only_hint=False,
        destructive_hint=not offline,
        idempotent_hint=False,
        open_world_hint=not offline,
    )


async def call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult:
    """Call a tool; what it cannot do comes back as an error result with a sentence for the model.

    Raises:
        MCPError: there is no such tool.
    """
    sessions = context.lifespan_context
    tools = sessions.toolbox(context)
    names = [spec.name for spec in tools.specs]
    if params.name not in names:
        message = f"There is no tool named {well_formed(params.name)!r}. Call one of: {', '.join(names)}."
        raise MCPError(INVALID_PARAMS, message)
    arguments = json.dumps(params.arguments or {})
    async with _progress(context, params.name):
        try:
            reply = await sessions.workshop.call(tools, params.name, arguments)
            return await _result(reply, sessions.workshop.store)
        except VerifaibleError as error:
            return _failure(error.code, str(error))
        except Exception as error:
            _log.exception("%s failed", params.name)
            return _failure(
                "internal",
                f"{params.name} failed unexpectedly ({type(error).__name__}). Try again, or use another "
                "page; the server's own output says more.",
            )


def _failure(code: str, sentence: str) -> CallToolResult:
    text = well_formed(f"Error ({code}): {sentence}")
    return CallToolResult(content=[TextContent(text=text)], is_error=True)


async def _result(reply: ToolReply, store: Store) -> CallToolResult:
    content: list[ContentBlock] = [TextContent(text=well_formed(reply.text))]
    if reply.citation is None:
        return CallToolResult(content=content, is_error=bool(reply.error_code))
    cited = await asyncio.to_thread(_cited, reply.citation, store)
    link = ResourceLink(
        uri=citation_uri(cited.id),
        name=cited.id,
        title=f"Citation {cited.number}",
        description=f"The citation behind [@v:{cited.number}]: annotation, verdict, last check.",
        mime_type="application/json",
    )
    return CallToolResult(content=[*content, link], structured_content=cited.model_dump(mode="json"))


def _cited(made: TrialCitation, store: Store) -> CitedResult:
    """What was just stored; its first check is the one that accepted it."""
    checks, anchor = store.checks(made.id), store.get(made.id).anchor
    return CitedResult(
        number=made.number,
        id=made.id,
        verdict=checks[-1].verdict if checks else "verified",
        text=well_formed(made.text),
        sentence=well_formed(anchor.evidence),
        shown=well_formed(told(anchor)),
        url=well_formed(made.source_url),
    )


def _output_schema() -> dict[str, Any]:
    schema = CitedResult.model_json_schema(mode="serialization")
    schema.pop("description", None)
    return schema


@asynccontextmanager
async def _progress(context: Context, name: str) -> AsyncIterator[None]:
    """Say every few seconds that a call goes on, to a client that asked to be told."""
    if "progress_token" not in (context.meta or {}):
        yield
        return
    began = monotonic()

    async def tell() -> None:
        seconds = 0.0
        while True:
            await context.session.report_progress(seconds, None, f"{name}: {seconds:.0f} s")
            await asyncio.sleep(PROGRESS_EVERY_S)
            seconds = round(monotonic() - began, 3)

    telling = asyncio.create_task(tell())
    try:
        yield
    finally:
        telling.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await telling


def well_formed(text: str) -> str:
    """Text that can be sent: half surrogate pairs become U+FFFD."""
    return _SURROGATE.sub("\ufffd", text)

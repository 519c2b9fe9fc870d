"""The prompt ``collect_evidence``: how to work with the tools."""

from __future__ import annotations

from pathlib import Path
from string import Template

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    PaginatedRequestParams,
    Prompt,
    PromptArgument,
    PromptMessage,
    TextContent,
)

from verifaible.serve.mcp.sessions import Context

NAME = "collect_evidence"
_TITLE = "Answer with evidence"
_DESCRIPTION = "Answer a question from the web, with a verified citation behind every fact."
_TEXT = Path(__file__).with_name("collect_evidence.md")


async def list_prompts(context: Context, params: PaginatedRequestParams | None) -> ListPromptsResult:
    """The one prompt."""
    return ListPromptsResult(
        prompts=[
            Prompt(
                name=NAME,
                title=_TITLE,
                description=_DESCRIPTION,
                arguments=[
                    PromptArgument(name="question", description="What is to be answered.", required=True),
                    PromptArgument(name="url", description="The page to begin at.", required=False),
                ],
            )
        ]
    )


async def get_prompt(context: Context, params: GetPromptRequestParams) -> GetPromptResult:
    """The prompt, filled in.

    Raises:
        MCPError: another prompt, or none of the question.
    """
    if params.name != NAME:
        raise MCPError(INVALID_PARAMS, f"There is no prompt of that name. Ask for {NAME}.")
    given = params.arguments or {}
    question, url = given.get("question", "").strip(), given.get("url", "").strip()
    if not question:
        raise MCPError(
            INVALID_PARAMS, f"The prompt {NAME} needs the argument question. Give it, and url if known."
        )
    start = (
        f"Begin at {url}: read it with `web_fetch`."
        if url
        else "Find the source with `verifaible_web_search`; prefer the one that published the fact itself."
    )
    text = Template(_TEXT.read_text(encoding="utf-8")).substitute(question=question, start=start)
    return GetPromptResult(
        description=_DESCRIPTION,
        messages=[PromptMessage(role="user", content=TextContent(text=text))],
    )

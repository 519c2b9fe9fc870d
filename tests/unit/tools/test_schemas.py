"""What the prompt and the schemas of the six tools cost a model: they are sent with every request."""

from __future__ import annotations

from typing import Any, cast

from scripts.benchmark.tokens import tokens, tool_tokens
from verifaible.agent.loop import prompt, system_prompt
from verifaible.tools.context import ToolContext
from verifaible.tools.registry import toolbox

#: Tokens of o200k_base; the floor of the project is 2,500 for both together.
MOST_SCHEMA_TOKENS = 1_600
MOST_TOKENS = 2_200


def test_prompt_and_schemas_are_short_and_always_the_same() -> None:
    context = cast(ToolContext, type("Nothing", (), dict.fromkeys(ToolContext.__slots__))())
    specs = toolbox(context).specs
    assert len(specs) == 6
    schemas = tool_tokens(specs)
    assert schemas <= MOST_SCHEMA_TOKENS
    assert schemas + tokens(prompt("system.md")) <= MOST_TOKENS
    assert schemas + tokens(system_prompt("full", 30)) <= 2_500
    # to the byte, so that a provider's prompt cache holds them
    assert [each.model_dump_json() for each in toolbox(context).specs] == [
        each.model_dump_json() for each in specs
    ]


def test_arguments_that_are_named_like_keywords_stay() -> None:
    from verifaible.tools.toolbox import _without_noise

    schema: dict[str, Any] = {"properties": {"title": {"type": "string", "title": "Title"}}}
    assert _without_noise(schema) == {"properties": {"title": {"type": "string"}}}

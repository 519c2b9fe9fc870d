"""What the prompt and the schemas of the six tools cost a model: they are sent with every request."""

from __future__ import annotations

from typing import Any, cast

from tests.kit.tokens import tokens, tool_tokens
from verifaible.agent.loop import prompt, system_prompt
from verifaible.schema.action import Click, ExecJs, Scroll, Select, Type, Wait
from verifaible.tools.cite import CiteArguments
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


def test_every_field_of_a_step_is_declared_wherever_steps_are_taken() -> None:
    context = cast(ToolContext, type("Nothing", (), dict.fromkeys(ToolContext.__slots__))())
    taken = [
        spec.parameters["properties"]["action_steps"]["items"]["properties"]
        for spec in toolbox(context).specs
        if "action_steps" in spec.parameters["properties"]
    ]
    fields = {name for step in (ExecJs, Click, Type, Scroll, Select, Wait) for name in step.model_fields}
    assert len(taken) >= 2
    assert all(declared.keys() == fields for declared in taken)


def test_names_that_the_published_tools_had_are_read() -> None:
    own = CiteArguments.model_validate(
        {"claim": "c", "video_id": "iG9CE55wbtY", "timestamp": "4:08", "action_steps": []}
    )
    assert own.source_url == "https://www.youtube.com/watch?v=iG9CE55wbtY"
    assert own.at == 248.0
    both = CiteArguments.model_validate({"claim": "c", "source_url": "http://a/", "video_id": "x", "at": 3})
    assert (both.source_url, both.at) == ("http://a/", 3.0)
    steps = CiteArguments.model_validate(
        {
            "claim": "c",
            "source_url": "http://a/",
            "action_steps": '[{"type": "click", "selector": "a", "wait_ms": 5}, {"type": "wait", "wait_ms": 7}]',
        }
    ).action_steps
    assert [step.model_dump(include={"wait", "ms"}) for step in steps] == [{"wait": 5}, {"ms": 7}]

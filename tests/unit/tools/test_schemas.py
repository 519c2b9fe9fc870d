"""What the schemas of the six tools cost a model: they are sent with every request."""

from __future__ import annotations

import json
from typing import Any, cast

from verifaible.tools.context import ToolContext
from verifaible.tools.registry import toolbox

#: 1,500 tokens of o200k, counted at 4.4 characters each for JSON of this kind (6,551 were 1,488).
MOST_CHARACTERS = 6_600


def test_all_six_schemas_together_are_short() -> None:
    context = cast(ToolContext, type("Nothing", (), dict.fromkeys(ToolContext.__slots__))())
    specs = toolbox(context).specs
    assert len(specs) == 6
    told = [
        {"name": each.name, "description": each.description, "parameters": each.parameters} for each in specs
    ]
    assert sum(len(json.dumps(each, ensure_ascii=False)) for each in told) <= MOST_CHARACTERS


def test_arguments_that_are_named_like_keywords_stay() -> None:
    from verifaible.tools.toolbox import _without_noise

    schema: dict[str, Any] = {"properties": {"title": {"type": "string", "title": "Title"}}}
    assert _without_noise(schema) == {"properties": {"title": {"type": "string"}}}

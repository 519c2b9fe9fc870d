"""Tokens and cost, in the words of each provider."""

from __future__ import annotations

from typing import Any

import pytest

from verifaible.llm.usage import read_usage

#: Usage, to: input, cached, output, reasoning, billed.
FORMS: dict[str, tuple[dict[str, Any], tuple[int, int, int, int, float | None]]] = {
    "responses": (
        {
            "input_tokens": 9,
            "input_tokens_details": {"cached_tokens": 4},
            "output_tokens": 5,
            "output_tokens_details": {"reasoning_tokens": 2},
        },
        (9, 4, 5, 2, None),
    ),
    "chat": (
        {
            "prompt_tokens": 9,
            "prompt_tokens_details": {"cached_tokens": 4},
            "completion_tokens": 5,
            "completion_tokens_details": {"reasoning_tokens": 2},
            "total_tokens": 14,
        },
        (9, 4, 5, 2, None),
    ),
    "deepseek": (
        {
            "prompt_tokens": 9,
            "prompt_cache_hit_tokens": 6,
            "prompt_cache_miss_tokens": 3,
            "completion_tokens": 5,
        },
        (9, 6, 5, 0, None),
    ),
    "moonshot": ({"prompt_tokens": 9, "completion_tokens": 5, "cached_tokens": 3}, (9, 3, 5, 0, None)),
    "xai counts thoughts beside the output": (
        {
            "prompt_tokens": 9,
            "completion_tokens": 5,
            "completion_tokens_details": {"reasoning_tokens": 20},
            "total_tokens": 34,
        },
        (9, 0, 25, 20, None),
    ),
    "openrouter": ({"prompt_tokens": 9, "completion_tokens": 5, "cost": 0.25}, (9, 0, 5, 0, 0.25)),
    "openrouter, free": ({"prompt_tokens": 9, "completion_tokens": 5, "cost": 0}, (9, 0, 5, 0, 0.0)),
    "openrouter, own key": (
        {
            "prompt_tokens": 9,
            "completion_tokens": 5,
            "cost": 0.25,
            "is_byok": True,
            "cost_details": {"upstream_inference_cost": 5.0},
        },
        (9, 0, 5, 0, 5.25),
    ),
    "nonsense": (
        {
            "prompt_tokens": -1,
            "completion_tokens": float("nan"),
            "cached_tokens": True,
            "cost": "free",
            "prompt_tokens_details": [],
        },
        (0, 0, 0, 0, None),
    ),
    "infinite": ({"prompt_tokens": float("inf"), "cost": float("inf")}, (0, 0, 0, 0, None)),
}


@pytest.mark.parametrize("form", FORMS)
def test_form(form: str) -> None:
    given, (read, cached, written, thought, billed) = FORMS[form]
    usage = read_usage({"usage": given})
    assert (usage.input_tokens, usage.cached_input_tokens) == (read, cached)
    assert (usage.output_tokens, usage.reasoning_tokens) == (written, thought)
    assert usage.cost_usd == usage.billed_usd == billed


@pytest.mark.parametrize(
    ("stated", "billed"), [("0.0021", 0.0021), ("0.0", None), ("None", None), ("-1", None), ("nan", None)]
)
def test_cost_in_a_header(stated: str, billed: float | None) -> None:
    assert read_usage({"usage": {}}, {"x-litellm-response-cost": stated}).billed_usd == billed
    assert read_usage({"usage": {"cost": 1.5}}, {"x-litellm-response-cost": stated}).billed_usd == 1.5


@pytest.mark.parametrize("body", [None, [], "usage", {}, {"usage": None}, {"usage": []}])
def test_no_usage(body: object) -> None:
    usage = read_usage(body)
    assert (usage.input_tokens, usage.output_tokens, usage.cost_usd) == (0, 0, None)

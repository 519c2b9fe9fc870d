"""Tokens and cost of an answer, as the many servers of the two APIs state them, and who served it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from verifaible.schema.chat import Usage

#: The header in which a LiteLLM proxy states what an answer cost, in US dollars.
LITELLM_COST_HEADER = "x-litellm-response-cost"


def read_usage(body: object, headers: Mapping[str, str] | None = None) -> Usage:
    """Tokens, and the cost if the endpoint states one.

    The names are those of OpenAI's two APIs; cached tokens also as DeepSeek (``prompt_cache_hit_tokens``),
    Moonshot (``cached_tokens``) and Anthropic (``cache_read_input_tokens``) name them. The stated cost is
    OpenRouter's ``usage.cost`` (and what the provider charged beside it, where the key is the person's
    own), else LiteLLM's header.
    """
    usage = body.get("usage") if isinstance(body, Mapping) else None
    if not isinstance(usage, Mapping):
        usage = {}
    into = _part(usage, "input_tokens_details", "prompt_tokens_details")
    out = _part(usage, "output_tokens_details", "completion_tokens_details")
    billed = _stated_cost(usage, headers or {})
    read = _count(usage, "input_tokens", "prompt_tokens")
    written = _count(usage, "output_tokens", "completion_tokens")
    thought = _count(out, "reasoning_tokens") or _count(usage, "reasoning_tokens")
    if thought and _count(usage, "total_tokens") == read + written + thought:
        written += thought  # xAI and Gemini count what was thought beside what was written
    cached = _count(into, "cached_tokens") or _count(
        usage, "prompt_cache_hit_tokens", "cached_tokens", "cache_read_input_tokens"
    )
    return Usage(
        input_tokens=read,
        cached_input_tokens=cached,
        output_tokens=written,
        reasoning_tokens=thought,
        cost_usd=billed,
        billed_usd=billed,
    )


def _stated_cost(usage: Mapping[str, Any], headers: Mapping[str, str]) -> float | None:
    cost = amount(usage.get("cost"))
    if cost is not None:
        details = _part(usage, "cost_details")
        upstream = amount(details.get("upstream_inference_cost")) if usage.get("is_byok") is True else None
        return cost + (upstream or 0.0)
    try:
        # a proxy that does not know the price says 0 or None
        return amount(float(headers.get(LITELLM_COST_HEADER, ""))) or None
    except ValueError:
        return None


def amount(value: object) -> float | None:
    """A finite number of at least 0, or None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) and value >= 0 else None


def _part(source: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    for name in names:
        if isinstance(source.get(name), Mapping):
            part: Mapping[str, Any] = source[name]
            return part
    return {}


def _count(source: Mapping[str, Any], *names: str) -> int:
    for name in names:
        value = amount(source.get(name))
        if value is not None:
            return int(value)
    return 0


#: Asks OpenRouter to say in its answer where a request went.
METADATA_HEADER = {"X-OpenRouter-Metadata": "enabled"}


def served_by(body: Mapping[str, Any]) -> str:
    """The provider that an answer names, itself or in what OpenRouter tells of its routing; else ""."""
    if isinstance(body.get("provider"), str):
        return str(body["provider"]).strip()
    available = _part(_part(body, "openrouter_metadata"), "endpoints").get("available")
    listed = available if isinstance(available, list) else []
    chosen = [each for each in listed if isinstance(each, Mapping) and each.get("selected") is True]
    return str(chosen[0].get("provider") or "") if chosen else ""

"""Families of models, told from the names that inputs and endpoints give."""

from __future__ import annotations

import pytest

from verifaible.llm.catalogue import built_in
from verifaible.llm.families import doubt, families, kinship


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gpt5", "openai"),
        ("GPT-5.2", "openai"),
        ("openai/gpt-oss-120b", "openai"),
        ("GPT OSS 120B", "openai"),
        ("gpt-4o-mini", "openai"),
        ("o3", "openai"),
        ("o4-mini", "openai"),
        ("openai/o1-pro", "openai"),
        ("chatgpt-4o-latest", "openai"),
        ("claude-sonnet-4.5", "anthropic"),
        ("anthropic/claude-opus-4", "anthropic"),
        ("gemini-2.5-pro", "google"),
        ("google/gemma-3-27b-it", "google"),
        ("grok4", "xai"),
        ("x-ai/grok-4-fast", "xai"),
        ("deepseek-v3.1", "deepseek"),
        ("DeepSeek R1", "deepseek"),
        ("accounts/fireworks/models/deepseek-v3p1", "deepseek"),
        ("qwen3-235b-a22b", "qwen"),
        ("Qwen 235B", "qwen"),
        ("QwQ-32B", "qwen"),
        ("z-ai/glm-5", "zhipu"),
        ("GLM 4.7", "zhipu"),
        ("glm4.7", "zhipu"),
        ("kimi-k2.5", "moonshot"),
        ("Kimi K2.5", "moonshot"),
        ("moonshotai/kimi-k2-thinking", "moonshot"),
        ("meta-llama/llama-4-maverick", "meta"),
        ("llama3.1:8b", "meta"),
        ("mistral-large", "mistral"),
        ("Mixtral 8x22B", "mistral"),
        ("devstral-small", "mistral"),
        ("Sentient", "sentient"),
        ("sentientagi/dobby-mini", "sentient"),
        ("pplx", "perplexity"),
        ("perplexity/sonar-pro", "perplexity"),
        ("minimax-m2", "minimax"),
        ("xiaomi/mimo-v2", "xiaomi"),
        ("deepseek-r1-distill-qwen-32b", "deepseek+qwen"),
        ("deepseek-r1-distill-llama-70b", "deepseek+meta"),
        ("nvidia/llama-3.1-nemotron-70b", "meta+nvidia"),
        ("perplexity/r1-1776", "deepseek+perplexity"),
        ("our-analyst", ""),
        ("model_a", ""),
        ("baseline 3", ""),
        ("yield-bot", ""),
        ("solo1", ""),
        ("pro3", ""),
        ("", ""),
    ],
)
def test_a_name_tells_its_family(name: str, expected: str) -> None:
    assert "+".join(sorted(families(name))) == expected


def test_every_model_of_the_catalogue_has_a_family() -> None:
    assert [entry.name for entry in built_in().models if not families(f"{entry.name} {entry.slug}")] == []


def test_kin_are_refused_and_the_unknown_are_told() -> None:
    assert "same family (openai)" in kinship("gpt-5.2", "gpt-oss-120b")
    assert "same family (qwen)" in kinship("qwen3-235b", "deepseek-r1-distill-qwen-32b")
    assert kinship("deepseek-v3.1", "gpt5") == ""
    assert kinship("our-judge", "our-analyst") == ""
    assert "our-analyst" in doubt("deepseek-v3.1", "our-analyst")
    assert doubt("deepseek-v3.1", "gpt5") == ""

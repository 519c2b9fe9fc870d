"""Counting tokens as the models of OpenAI do; others differ by a tenth or two."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from verifaible.schema.chat import ToolSpec


@cache
def _tokenizer() -> Any:
    from rs_bpe.bpe import openai

    return openai.o200k_base()


@cache
def tokens(text: str) -> int:
    """How many tokens of the vocabulary ``o200k_base`` a text has."""
    return int(_tokenizer().count(text))


def tool_tokens(tools: Sequence[ToolSpec]) -> int:
    """Tokens of the tools' schemas, as the JSON that is sent: without blanks."""
    told = (json.dumps(each.model_dump(), ensure_ascii=False, separators=(",", ":")) for each in tools)
    return sum(map(tokens, told))

"""Families of models: a judge does not judge its own kin, whose style it prefers.

A family is told from a name alone, which is all that an input gives: the maker, and of a model made from
another's, both. A name that says nothing is of an unknown family: it is judged, and the run says so.
"""

from __future__ import annotations

import re
from typing import Final

#: What in a name gives the family away. Names are in lower case, with "-" for every other sign.
_SIGNS: Final[tuple[tuple[str, str], ...]] = (
    (
        "openai",
        r"(?<![a-z])(?:chat)?gpt|openai|codex|davinci|(?<![a-z0-9])o[1345](?![a-z0-9])|(?<![a-z0-9])o[1345](?:mini|pro|preview)",
    ),
    ("anthropic", r"claude|anthropic|(?<![a-z])(?:opus|sonnet|haiku)(?![a-z])"),
    ("google", r"gemini|gemma|(?<![a-z])google|palm-?2|(?<![a-z])bard(?![a-z])"),
    ("xai", r"grok|(?<![a-z])x-?ai(?![a-z])"),
    ("deepseek", r"deep-?seek|r1-1776"),
    ("qwen", r"qwen|qwq|qvq|(?<![a-z])tongyi|alibaba"),
    ("zhipu", r"(?<![a-z])(?:chat)?glm|z-ai|zhipu"),
    ("moonshot", r"kimi|moonshot"),
    ("meta", r"llama|(?<![a-z])meta(?![a-z])|vicuna|alpaca"),
    ("mistral", r"mistral|mixtral|magistral|codestral|devstral|ministral|pixtral"),
    ("sentient", r"sentient|dobby|(?<![a-z])roma(?![a-z])|(?<![a-z])sera(?![a-z])"),
    ("perplexity", r"pplx|perplexity|(?<![a-z])sonar|r1-1776"),
    ("minimax", r"minimax|abab"),
    ("bytedance", r"doubao|bytedance|(?<![a-z])seed-(?:oss|\d)"),
    ("baidu", r"ernie|baidu"),
    ("tencent", r"hunyuan|tencent"),
    ("cohere", r"cohere|command-[ar]|(?<![a-z])aya(?![a-z])"),
    ("microsoft", r"(?<![a-z])phi-?\d|microsoft|wizardlm"),
    ("amazon", r"(?<![a-z])nova-(?:micro|lite|pro|premier|\d)|amazon|titan-text"),
    ("nvidia", r"nemotron|nvidia"),
    ("xiaomi", r"mimo(?![a-z])|xiaomi"),
    ("stepfun", r"stepfun|(?<![a-z])step-\d"),
    ("01ai", r"(?<![a-z])yi-(?:\d|large|lightning)|01-ai"),
    ("ai21", r"jamba|ai21"),
    ("ibm", r"granite"),
    ("ai2", r"(?<![a-z])(?:olmo|tulu)"),
    ("nous", r"hermes-?\d|nous"),
)
_FAMILIES: Final = tuple((name, re.compile(sign)) for name, sign in _SIGNS)


def families(model: str) -> frozenset[str]:
    """The families that a model's name names: none where it says nothing, two for a model made of another."""
    plain = re.sub(r"[^a-z0-9]+", "-", model.lower())
    return frozenset(name for name, sign in _FAMILIES if sign.search(plain))


def kinship(judge: str, judged: str) -> str:
    """Why a judge must not judge a model: the sentence; empty where it may."""
    common = sorted(families(judge) & families(judged))
    if not common:
        return ""
    return f"The judge is of the same family ({common[0]}). Name another judge."


def doubt(judge: str, judged: str) -> str:
    """What a run should say of a pair whose kinship is not known; empty where it is known."""
    unknown = [name for name in (judge, judged) if not families(name)]
    if not unknown:
        return ""
    return (
        f"The family of {' and of '.join(unknown)} is not known: whether the judge is of it, nobody checked."
    )

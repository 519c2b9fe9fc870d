"""What a model thought aloud, apart from what it said."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_THOUGHT = re.compile(r"<think(?:ing)?>(.*?)</think(?:ing)?>", re.S)
_THOUGHT_WITHOUT_START = re.compile(r"\A(.*)</think(?:ing)?>", re.S)
#: It ends at the text's end, or where a call begins: some models call without closing the thought.
_THOUGHT_WITHOUT_END = re.compile(
    r"<think(?:ing)?>(.*?)(?=<[|｜][^<>\n]*tool|^<(?:\w+:)?(?:tool_call|function_call)s?>|\Z)", re.S | re.M
)
#: The tags of Magistral, Command R and Seed-OSS.
_OTHER_TAGS = re.compile(r"\[(/?)THINK\]|<\|(?:START|(END))_THINKING\|>|<(/?)seed:think>")
#: gpt-oss: a message of the harmony format, where the server left it whole in the text.
_HARMONY = re.compile(
    r"(?:<\|start\|>assistant(?P<head>[^<]*))?<\|channel\|>(?P<channel>analysis|commentary|final)"
    r"(?P<more>[^<]*(?:<\|constrain\|>[^<]*)?)<\|message\|>"
    r"(?P<text>.*?)(?P<end><\|(?:end|return|call)\|>|(?=<\|start\|>)|(?=<\|channel\|>)|\Z)",
    re.S,
)


def split_thoughts(text: str) -> tuple[str, str]:
    """What stands between ``<think>`` tags, and the text without it.

    A missing start tag (chat templates put it into the prompt) or end tag (the output was cut) counts
    as one at the start or the end of the text. ``[THINK]`` and the analysis channel of the harmony
    format are thoughts too; the calls of that format stay in the text.
    """
    thoughts: list[str] = []

    def taken(match: re.Match[str]) -> str:
        thoughts.append(match[1].strip())
        return ""

    def of_channel(match: re.Match[str]) -> str:
        if match["channel"] == "final":
            return match["text"]
        if " to=" in f" {match['head'] or ''} {match['more']}":
            return match[0]
        if match["channel"] == "analysis":
            thoughts.append(match["text"].strip())
            return ""
        return match["text"]

    text = _HARMONY.sub(of_channel, text)
    text = _OTHER_TAGS.sub(lambda match: "</think>" if any(match.groups()) else "<think>", text)
    if "</think" in text:
        text = _THOUGHT_WITHOUT_START.sub(taken, _THOUGHT.sub(taken, text))
    text = _THOUGHT_WITHOUT_END.sub(taken, text)
    return joined(thoughts), text.strip()


def joined(texts: Iterable[object]) -> str:
    """The texts that are not empty, each once, a blank line between them."""
    return "\n\n".join(dict.fromkeys(text for text in texts if isinstance(text, str) and text.strip()))


def readable(parts: object) -> str:
    """The text of a list of reasoning parts: ``text``, ``summary`` or ``thinking`` of each.

    Encrypted parts have none.
    """
    if isinstance(parts, str):
        return parts
    if not isinstance(parts, list):
        return ""
    found: list[str] = []
    for part in parts:
        if isinstance(part, Mapping):
            value = next((part[name] for name in ("text", "summary", "thinking") if part.get(name)), "")
            found.append(readable(value))
        elif isinstance(part, str):
            found.append(part)
    return joined(found)

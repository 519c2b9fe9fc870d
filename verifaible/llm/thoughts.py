"""What a model thought aloud, apart from what it said.

A thought is one where the reply begins with it, or where the protocol marks it. A tag that a sentence names
further on begins and ends nothing: what a model says of a page may name any tag.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

#: The tags of the chat templates: DeepSeek, Qwen and others; Magistral; Command R; Seed-OSS.
_TAG = re.compile(r"<think(?:ing)?>|\[THINK\]|<\|START_THINKING\|>|<seed:think>")
_OPENING = re.compile(rf"\s*(?:{_TAG.pattern})")
_CLOSING = r"(?:</think(?:ing)?>|\[/THINK\]|<\|END_THINKING\|>|</seed:think>)"
#: Where a thought ends; some models call a tool without closing it.
_END = re.compile(rf"{_CLOSING}|(?=<[|｜][^<>\n]*tool|^<(?:\w+:)?(?:tool_call|function_call)s?>)|\Z", re.M)
#: A thought whose opening tag is in the prompt. Templates close it at a line's beginning or right behind its
#: last word; what names a tag in a sentence has a blank or a quotation mark in front of it.
_WITHOUT_OPENING = re.compile(rf"(?:\A|\n|[^\s\"'`“”‘’«»「『(\[]){_CLOSING}(?![\"'`“”‘’«»」』)\]])")
#: gpt-oss: a message of the harmony format, where the server left it whole in the text.
_HARMONY = re.compile(
    r"(?:<\|start\|>assistant(?P<head>[^<]*))?<\|channel\|>(?P<channel>analysis|commentary|final)"
    r"(?P<more>[^<]*(?:<\|constrain\|>[^<]*)?)<\|message\|>"
    r"(?P<text>.*?)(?P<end><\|(?:end|return|call)\|>|(?=<\|start\|>)|(?=<\|channel\|>)|\Z)",
    re.S,
)


def split_thoughts(text: str) -> tuple[str, str]:
    """What a reply begins to think aloud, and the rest of it.

    A thought without an end (the output was cut) goes on to the end of the text, or to a call. In the harmony
    format the analysis channel is thought; its calls stay in the text.
    """
    thoughts: list[str] = []

    def of_channel(match: re.Match[str]) -> str:
        if match["channel"] == "final":
            return match["text"]
        if " to=" in f" {match['head'] or ''} {match['more']}":
            return match[0]
        if match["channel"] == "analysis":
            thoughts.append(match["text"].strip())
            return ""
        return match["text"]

    if text.lstrip().startswith(("<|channel|>", "<|start|>")):
        text = _HARMONY.sub(of_channel, text)
    closed = _WITHOUT_OPENING.search(text)
    if closed and not _TAG.search(text, 0, closed.start()):
        thoughts.append(re.sub(rf"{_CLOSING}\Z", "", text[: closed.end()]).strip())
        text = text[closed.end() :]
    while opening := _OPENING.match(text):
        end = _END.search(text, opening.end())
        assert end is not None  # the end of the text is one
        thoughts.append(text[opening.end() : end.start()].strip())
        text = text[end.end() :]
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

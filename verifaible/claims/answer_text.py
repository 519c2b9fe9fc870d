"""An answer as it is read for claims: what is no part of it is blank, and no character moves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final

from verifaible.errors import ConfigError
from verifaible.text.flat import flatten
from verifaible.text.markdown import Block, blocks_of, even_lines, inlines_of
from verifaible.text.markers import NUMBER_DIGITS, is_number

#: At least so many characters of an id name a citation, as the store has it.
ID_BEGINNING: Final = 4
#: What a model thought aloud. It begins the reply and ends: what follows a tag that a text only names, or one
#: that never ends, stays in sight.
_THOUGHT: Final = re.compile(r"\A(?:\s*<think(?:ing)?>.*?</think(?:ing)?>)+", re.DOTALL | re.IGNORECASE)
_DEFINITION: Final = re.compile(
    rf"^[ \t]{{0,3}}[\[【]\s*@v\s*:\s*(\d{{1,{NUMBER_DIGITS}}})\s*"
    r"[\]】]:[ \t]*<?([^\s<>]+)>?[ \t]*(?:[\"'(].*)?$",
    re.IGNORECASE | re.MULTILINE,
)
#: What a chat's own mark-up leaves in a copied text: stretches between characters for private use, of which
#: the shown name of an entity stays; names of results; directives. Those that cite stay: they are marks.
_LEFTOVER: Final = re.compile(
    r"\ue200(?!cite\ue202)[a-z_]+(?:\ue202\[\"[^\"\n]*\",\"(?P<shown>[^\"\n]*)\"[^\n\ue201]*|[^\ue201\n]*)\ue201"
    r"|(?<!\ue202)\b(?:[a-z]+)?(?:turn\d+[a-z]+\d+)+\b|[\ue203\ue204]"
    r"|\[cite_(?:start|end)\]|\[span_\d+\]\((?:start|end)_span\)|:\w+\[[^\[\]\n]*\]\{[^{}\n]*\}",
)
_FILLER: Final = "\u200b"  # no blank: at a line's beginning these would make it code
_FENCE: Final = re.compile(r"^ {0,3}(?:`{3,}|~{3,}).*$", re.MULTILINE)
#: A name of a source, or the number of a mark, that somebody wrote as code.
_CODED_NAME: Final = re.compile(r"`+\s*(?:\[?\d{1,3}\]?|[a-z]{2,12}[ _\-#.:]?\d{1,4})\s*`+", re.IGNORECASE)


def is_id(target: str) -> bool:
    """Whether a target can be an id of the store, or the beginning of one."""
    hexadecimal = re.fullmatch(r"[0-9a-f]+", target, re.IGNORECASE) is not None
    return hexadecimal and len(target) >= ID_BEGINNING and not is_number(target)


def find_definitions(text: str) -> dict[str, str]:
    """Number to id, from the lines ``[@v:1]: <id>`` of an answer.

    Raises:
        ConfigError: a number is defined twice, as two citations.
    """
    found: dict[str, str] = {}
    for match in _DEFINITION.finditer(flatten(text)):
        number, name = str(int(match[1])), match[2].lower()
        if found.setdefault(number, name) != name:
            raise ConfigError(
                f"The answer defines [@v:{number}] twice, as {found[number]} and as {name}. Keep one of "
                "the lines."
            )
    return found


def with_definitions(answer: str, citations: Mapping[str, str]) -> str:
    """An answer with the definition lines of its citations at its end; those it had are replaced.

    Args:
        answer: the text.
        citations: number to id.
    """
    kept = [line for line in answer.rstrip().split("\n") if not _DEFINITION.match(flatten(line))]
    lines = [f"[@v:{number}]: {name}" for number, name in citations.items()]
    return "\n".join(kept).rstrip() + "\n" + ("\n" + "\n".join(lines) + "\n" if lines else "")


@lru_cache(maxsize=4)
def read_text(answer: str) -> str:
    """The answer without thinking, a chat's own mark-up and definition lines; line ends are made alike.

    A fence of code that is never closed is blank, too: else the rest of the answer would be code.
    """
    text = _THOUGHT.sub(lambda match: "\n" * len(match[0]), even_lines(answer))
    text = _LEFTOVER.sub(lambda match: (match["shown"] or "").ljust(len(match[0]), _FILLER), text)
    text = blanked_at(text, (match.span() for match in _DEFINITION.finditer(flatten(text))))
    fences = list(_FENCE.finditer(text))
    codes = [block for block in blocks_of(text, prose=True) if block.kind == "code"]
    for block in codes:
        lines = block.content.rstrip("\n").split("\n")
        ends = len(lines) > 1 and _FENCE.match(lines[-1]) is not None
        if not ends and any(match.start() >= block.offsets[0] for match in fences):
            first = next(match for match in fences if match.start() >= block.offsets[0] - 3)
            return blanked_at(text, [first.span()])
    return text


@lru_cache(maxsize=4)
def blocks(text: str) -> tuple[Block, ...]:
    """The blocks of a text that was read (:func:`read_text`)."""
    return blocks_of(text, prose=True)


def without_code(text: str) -> str:
    """A text with code and pictures blank: what stands in them marks nothing. No character moves."""
    spans: list[tuple[int, int]] = []
    for block in blocks(text):
        if block.kind == "code":
            spans.append((block.offsets[0], block.offsets[-1] + 1))
            continue
        for each in inlines_of(block) if re.search(r"[`!]", block.content) else ():
            if each.kind == "image":
                spans.append((each.start, each.end))
            elif each.kind == "code":
                named = _CODED_NAME.fullmatch(text, each.start, each.end)
                ticks = len(text[each.start : each.end]) - len(text[each.start : each.end].lstrip("`"))
                spans += (
                    [(each.start, each.start + ticks), (each.end - ticks, each.end)]
                    if named
                    else [(each.start, each.end)]
                )
    return blanked_at(text, sorted(spans))


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a text, each with where it begins."""
    at = 0
    for line in text.split("\n"):
        yield at, line
        at += len(line) + 1


def blanked_at(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with spans, which are in order, blank; line breaks stay."""
    pieces: list[str] = []
    at = 0
    for start, end in spans:
        if end > max(at, start):
            first = max(start, at)
            pieces += [text[at:first], re.sub(r"[^\n]", " ", text[first:end])]
            at = end
    return "".join((*pieces, text[at:]))

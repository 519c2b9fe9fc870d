"""What goes with the markers of an answer: the lines at its end that say which citation each is, and notes.

The markers themselves are read by :mod:`verifaible.text.markers`. Beside a number one may hold an id
of the store, or its beginning.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from verifaible.errors import ConfigError
from verifaible.text.flat import flatten
from verifaible.text.markdown import THOUGHT, even_lines
from verifaible.text.markers import NUMBER_DIGITS, is_number

#: At least so many characters of an id name a citation, as the store has it.
ID_BEGINNING: Final = 4

_DEFINITION = re.compile(
    rf"^[ \t]{{0,3}}[\[【]\s*@v\s*:\s*(\d{{1,{NUMBER_DIGITS}}})\s*"
    r"[\]】]:[ \t]*<?([^\s<>]+)>?[ \t]*(?:[\"'(].*)?$",
    re.IGNORECASE | re.MULTILINE,
)
#: What a chat's own markers leave in a copied text: parts between characters for private use, of which the
#: name of an entity is shown, what stood in them without these characters, and the marks of a citation's
#: beginning. Those that cite stay: they are marks.
_FILLER: Final = "\u200b"  # no blank: at a line's beginning these would make it code
_LEFTOVER = re.compile(
    r"\ue200(?!cite\ue202)[a-z_]+(?:\ue202\[\"[^\"\n]*\",\"([^\"\n]*)\"[^\n\ue201]*|[^\ue201\n]*)\ue201"
    r"|(?<!\ue202)\b(?:[a-z]+)?(?:turn\d+[a-z]+\d+)+\b|\[cite_(?:start|end)\]|[\ue203\ue204]"
    r"|:contentReference\[oaicite:\d+\]\{index=\d+\}|\[span_\d+\]\((?:start|end)_span\)",
)
#: What this program itself writes behind a sentence that lacks evidence (:func:`note`).
_NOTE = re.compile(r" ?⟦(?:no evidence|not in the evidence|broken marker)[^⟦⟧\n]*⟧")


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


def body_of(answer: str) -> str:
    """The answer as it is checked and shown: what is not a part of it is blank, and no character moves.

    Blank are definition lines, the thinking of a model, and the notes that :func:`note` has written; line
    ends are made alike.
    """
    text = THOUGHT.sub(_lines, even_lines(answer))
    text = _LEFTOVER.sub(lambda match: (match[1] or "").ljust(len(match[0]), _FILLER), text)
    parts, at = [], 0
    blank = [match.span() for match in (*_DEFINITION.finditer(flatten(text)), *_NOTE.finditer(text))]
    for start, end in sorted(blank):
        parts += [text[at:start], " " * (end - max(start, at))]
        at = max(at, end)
    return "".join((*parts, text[at:]))


def _lines(match: re.Match[str]) -> str:
    return "\n" * len(match[0])


def with_definitions(answer: str, citations: Mapping[str, str]) -> str:
    """An answer with the definition lines of its citations at its end; those it had are replaced.

    Args:
        answer: the text.
        citations: number to id.
    """
    kept = [line for line in answer.rstrip().split("\n") if not _DEFINITION.match(flatten(line))]
    lines = [f"[@v:{number}]: {name}" for number, name in citations.items()]
    return "\n".join(kept).rstrip() + "\n" + ("\n" + "\n".join(lines) + "\n" if lines else "")


def without_notes(answer: str) -> str:
    """An answer without the notes that were written into it."""
    return _NOTE.sub("", answer)


def note(state: str, missing: tuple[str, ...] = ()) -> str:
    """What is written behind a sentence that lacks evidence; the brackets are those of no language."""
    if state == "partly":
        named = ", ".join(each.translate(_NOT_IN_NOTES) for each in missing)
        return f" ⟦not in the evidence: {named}⟧"
    return " ⟦broken marker⟧" if state == "broken" else " ⟦no evidence⟧"


#: The brackets would end a note, and a bar a cell of a table.
_NOT_IN_NOTES: Final = str.maketrans({"⟦": "[", "⟧": "]", "\n": " ", "|": "/"})

"""``A, B and C raised $1M, $2M and $3M respectively``: a claim for each, made of words of the sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from verifaible.answers.facts import Found
from verifaible.judge.claim_part import Part
from verifaible.judge.claim_verbs import finite_verb

_RESPECTIVELY = re.compile(r"\brespectively\b|分别|分別", re.IGNORECASE)
_GAP = re.compile(r"\s*(?:[,，]\s*(?:and|or)\b|[,，、/&]|\b(?:and|or)\b|以及|和|与|及)\s*", re.IGNORECASE)
_HAN: Final = re.compile(r"[\u3400-\u9fff]")
#: A longer stretch names no one.
_LONGEST_NAME: Final = 60


def in_turn(text: str, facts: Sequence[Found]) -> tuple[Part, ...]:
    """The parts of a sentence that gives several their values in turn; none where that is not clear.

    The first part reaches from the beginning of the sentence to the first value, the last from the last value
    to its end; each of the others is its value.
    """
    said = _RESPECTIVELY.search(text)
    if said is None or _RESPECTIVELY.search(text, said.end()):
        return ()
    han = said[0][0] == "分"
    values = _run(text, facts, said.end(), len(text)) if han else _run(text, facts, 0, said.start())
    if len(values) < 2:
        return ()
    names, middle = _names_han(text, said, values[0]) if han else _names(text[: values[0].start])
    if len(names) < len(values):
        return ()
    names = names[-len(values) :]
    if not all(0 < len(name) <= _LONGEST_NAME for name in names):
        return ()
    joint = "" if han and (not middle or _HAN.match(middle[-1])) else " "
    parts: list[Part] = []
    for number, (name, value) in enumerate(zip(names, values, strict=True)):
        start = 0 if number == 0 else value.start
        end = len(text.rstrip(" .。")) if number == len(values) - 1 else value.end
        apart = "" if han and (_HAN.match(name[-1]) or _HAN.match(middle[:1])) else " "
        words = f"{name}{apart}{middle}{joint if middle else ''}{text[value.start : value.end]}"
        parts.append(Part(start, end, " ".join(words.split())))
    return tuple(parts)


def _run(text: str, facts: Sequence[Found], start: int, end: int) -> list[Found]:
    """The longest run of values of one kind, parted by nothing but signs of a list."""
    values = [
        each for each in facts if each.kind in ("number", "date") and start <= each.start and each.end <= end
    ]
    best: list[Found] = []
    run: list[Found] = []
    for value in values:
        joined = run and run[-1].kind == value.kind and _GAP.fullmatch(text, run[-1].end, value.start)
        run = [*run, value] if joined else [value]
        best = run if len(run) > len(best) else best
    return best


def _names(before: str) -> tuple[list[str], str]:
    """The names before the values of an English sentence, and the words between names and values."""
    verb = finite_verb(before)
    at = 0
    while verb is not None and verb.bare:
        at += verb.end
        verb = finite_verb(before[at:])
    if verb is None:
        return [], ""
    cut = at + verb.start
    clause = max(before.rfind(sign, 0, cut) for sign in (";", ":"))
    return _split(before[clause + 1 : cut]), before[cut:].strip()


def _names_han(text: str, said: re.Match[str], first: Found) -> tuple[list[str], str]:
    before = re.split(r"[，,；;：:。]", text[: said.start()])[-1]
    names = _split(before)
    verb = re.search(r"(?:于|在|的)", names[-1]) if names else None
    extra = names[-1][verb.start() :] if verb and verb[0] == "的" else ""
    if extra:
        names[-1] = names[-1][: verb.start()] if verb else names[-1]
        names = [name + extra for name in names]
    return names, text[said.end() : first.start].strip()


def _split(names: str) -> list[str]:
    return [each.strip() for each in _GAP.split(names) if each.strip()]

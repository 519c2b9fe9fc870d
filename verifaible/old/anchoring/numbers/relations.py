"""What numbers of a text are to each other: ends of a range, levels before and after, items of a list."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from verifaible.old.anchoring.numbers.mention import NumberMention, Role
from verifaible.old.anchoring.wording import (
    BETWEEN,
    BETWEEN_AFTER,
    BETWEEN_JOIN,
    COORDINATOR,
    DOWN_FROM,
    FROM_BEFORE,
    RANGE_JOIN,
    TO_BEFORE,
)

_SENTENCE_END = re.compile(r"[。！？!?；;\n\t|]|\.\s")
_FROM = re.compile(r"from|[从由自]", re.IGNORECASE)
#: A change is told within this many code points; the longest seen names two dates.
_CHANGE_WINDOW: Final = 80


def with_ranges(flat: str, mentions: Sequence[NumberMention]) -> list[NumberMention]:
    """Mark both ends of ranges, and the parts of codes such as ``010-1234``."""
    marked = list(mentions)
    for index in range(1, len(marked)):
        first, second = marked[index - 1], marked[index]
        if first.role not in ("value", "range") or second.role != "value":
            continue
        if _between(flat, first, second):
            unit = first.unit or second.unit
            marked[index - 1] = replace(
                first, role="range", unit=unit, currencies=first.currencies or second.currencies
            )
            marked[index] = replace(second, role="range")
            continue
        join = RANGE_JOIN.fullmatch(flat, first.end, second.start)
        if not join or (join["word"] and _is_change(flat, first, second)):
            continue
        role: Role = "range" if abs(first.value) < abs(second.value) or join["word"] else "marker"
        unit = first.unit or second.unit
        marked[index - 1] = replace(
            first, role=role, unit=unit, currencies=first.currencies or second.currencies
        )
        value = second.value
        if first.sign_source == "word" and not second.sign_source:
            value = -value
        marked[index] = replace(second, role=role, value=value)
    return marked


def _between(flat: str, first: NumberMention, second: NumberMention) -> bool:
    if not BETWEEN_JOIN.fullmatch(flat, first.end, second.start):
        return False
    opened = BETWEEN.search(flat[max(0, first.start - 12) : first.start])
    return bool(opened or BETWEEN_AFTER.match(flat, second.end))


def _is_change(flat: str, first: NumberMention, second: NumberMention) -> bool:
    """Whether "A to B" is a change: from A to B, or by A to B (下调0.5个百分点至4.9%)."""
    if first.sign_source == "word" or (first.unit and first.unit != second.unit):
        return True
    before = flat[max(0, first.start - 12) : first.start]
    return bool(re.search(r"(?:\bfrom|[从由自])\s*(?:约|about)?\s*\Z", before))


def with_earlier(flat: str, mentions: Sequence[NumberMention]) -> list[NumberMention]:
    """Mark the levels that the text says were left for another."""
    result = list(mentions)
    if not _FROM.search(flat):
        return result
    values = [index for index, mention in enumerate(mentions) if mention.role == "value"]
    for at, index in enumerate(values):
        first = mentions[index]
        left = bool(FROM_BEFORE.search(flat[max(0, first.start - 30) : first.start])) and any(
            _new_level(flat, first, mentions[later]) for later in values[at + 1 : at + 4]
        )
        if left or (at and _down_from(flat, mentions[values[at - 1]], first)):
            result[index] = replace(first, earlier=True)
    return result


def _new_level(flat: str, first: NumberMention, second: NumberMention) -> bool:
    between = flat[first.end : second.start]
    if len(between) > _CHANGE_WINDOW or _SENTENCE_END.search(between):
        return False
    same_unit = not first.unit or not second.unit or first.unit == second.unit
    return same_unit and bool(TO_BEFORE.search(between))


def _down_from(flat: str, first: NumberMention, second: NumberMention) -> bool:
    """Whether ``second`` is the earlier level of ``4.4, down from 4.9`` or ``to 4.4 from 4.9``."""
    join = DOWN_FROM.fullmatch(flat, first.end, second.start)
    told = join and (join["verb"] or TO_BEFORE.search(flat[max(0, first.start - 30) : first.start]))
    return bool(told)


def coordinated(flat: str, mentions: Sequence[NumberMention]) -> list[NumberMention]:
    """Hand the sign of a direction word on along a coordinated list."""
    result = list(mentions)
    for index in range(1, len(result)):
        first, second = result[index - 1], result[index]
        if (
            first.sign_source == "word"
            and first.role == second.role == "value"
            and not second.sign_source
            and (first.unit, first.scale) == (second.unit, second.scale)
            and COORDINATOR.fullmatch(flat, first.end, second.start)
        ):
            result[index] = replace(
                second, value=-second.value, sign_source="word", negated=first.negated or second.negated
            )
    return result

"""The units that a head, a caption or a note gives the numbers that stand under it or beside it."""

from __future__ import annotations

import re
from typing import Final

from verifaible.text.units import Unit, read_unit, unit_kind

_BRACKETED: Final = re.compile(r"[(（\[]([^()（）\[\]]{1,24})[)）\]]")
_DECLARED: Final = re.compile(
    r"(?:单位|單位|単位|unit|units|einheit|en|in)\s*[:：]?\s*"
    r"([^\s,，;；:：()（）]{1,12}(?: [a-z]{2,12}){0,2})",
    re.IGNORECASE,
)
_LEAD: Final = re.compile(r"^(?:单位|単位|unit|in)\s*[:：]?\s*", re.IGNORECASE)
_PARTS: Final = re.compile(r"[,，;；、]|(?<=[a-z]) in ")


def told_units(*texts: str) -> tuple[Unit, ...]:
    """The units that texts declare for the numbers beside them: ``（亿元）``, ``(%)``, ``单位：万人``."""
    found: dict[Unit, None] = {}
    for text in texts:
        inside = [match[1] for match in (*_BRACKETED.finditer(text), *_DECLARED.finditer(text))]
        inside += [part for each in inside for part in _PARTS.split(each)]
        for each in (*inside, text):
            words = _LEAD.sub("", each.strip())
            unit = read_unit(words)
            if words and (unit_kind(unit.name) or (unit.scale != 1 and not unit.name)):
                found[Unit(unit.scale, unit.name, unit.currencies)] = None
    return tuple(found)

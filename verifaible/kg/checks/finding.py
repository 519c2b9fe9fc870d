"""What a check says of a triple."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias, get_args

from verifaible.schema.base import Record

Check: TypeAlias = Literal[
    "type", "relation", "pair", "generic", "length", "duplicate", "named", "direction",
    "amount", "unit", "date", "negation", "modality", "tags",
]  # fmt: skip
CHECKS: Final[tuple[Check, ...]] = get_args(Check)
#: ``wrong`` only where the text cannot bear the triple; ``open`` where it cannot be decided.
CheckVerdict: TypeAlias = Literal["ok", "wrong", "open"]


class Finding(Record):
    """A verdict of one check on one triple.

    Attributes:
        triple: its id.
        said: why; empty where it is ``ok``.
        instead: what a field is read as; the triple itself stays as it was extracted.
    """

    triple: str
    check: Check
    verdict: CheckVerdict
    said: str = ""
    instead: Mapping[str, str] = {}

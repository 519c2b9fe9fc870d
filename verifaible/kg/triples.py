"""A triple: two named things, how they are related, and the words that it rests on."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal, TypeAlias

from verifaible.schema.base import Record

#: Why a triple rests on no words: ``hidden``, tagged where no reader sees it; ``not_found``, the quote is not
#: in its chunk.
Ungrounded: TypeAlias = Literal["", "hidden", "not_found"]
#: How a triple is said to hold: as a fact, as what may be (may, could), or as what is to be (will, plans).
Modality: TypeAlias = Literal["", "possible", "planned"]


class Triple(Record):
    """A triple of a filing.

    Attributes:
        id: by chunk and number; the same in every run.
        chunk: the id of the chunk that it was taken from; empty where nothing of it is shown.
        quote: the words of the filing that it rests on.
        start, end: where they stand in the text of the filing, in code points.
        ungrounded: why there are none.
        value, unit, period, members: of a metric; the period is ``2024-12-31`` or ``2024-01-01/2024-12-31``.
        negated: the text denies it.
        modality: how the text says it, where it is no plain fact.
        by: who took it: ``xbrl``, ``patterns``, or the name of a model.
    """

    id: str
    chunk: str = ""
    head: str
    head_type: str
    relation: str
    tail: str
    tail_type: str
    quote: str = ""
    start: int = 0
    end: int = 0
    ungrounded: Ungrounded = ""
    value: Decimal | None = None
    unit: str = ""
    period: str = ""
    members: tuple[tuple[str, str], ...] = ()
    negated: bool = False
    modality: Modality = ""
    by: str

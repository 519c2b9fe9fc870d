"""A triple: two named things, how they are related, and the words that it rests on; what judges say of it.

A reply of a judge that failed is no verdict, and never a 0.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final, Literal, TypeAlias

from verifaible.schema.base import Record

#: Why a triple rests on no words: ``hidden``, tagged where no reader sees it; ``not_found``, the quote is not
#: in its chunk; ``unsupported``, the quote holds neither of its names, or not its figure.
Ungrounded: TypeAlias = Literal["", "hidden", "not_found", "unsupported"]
#: How a triple is said to hold: as a fact, as what may be (may, could), or as what is to be (will, plans).
Modality: TypeAlias = Literal["", "possible", "planned"]

#: The extraction of what is tagged, which needs no model, and who took its triples.
XBRL: Final = "xbrl"


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
        by: who took it: ``xbrl``, or the name of a model.
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


Criterion: TypeAlias = Literal["faithfulness", "precision", "relevance"]
CRITERIA: Final[tuple[Criterion, ...]] = ("faithfulness", "precision", "relevance")
#: The criterion of a chunk with all its triples.
COVERAGE: Final = "comprehensiveness"
Coverage: TypeAlias = Literal["good", "partial", "bad"]


class TripleVerdict(Record):
    """A verdict of one criterion on one triple.

    Attributes:
        triple: its id.
        judge: the name of the model that said it.
        verdict: 1, the criterion holds; 0, it does not; None, there is none: ``failed`` says why.
        reason: fifteen words at most, given after the verdict.
        warnings: tags of what to mend.
        start, end: of a 1 for faithfulness, the span of the filing that it rests on, in code points.
        failed: why there is no verdict; empty where there is one.
    """

    triple: str
    criterion: Criterion
    judge: str
    verdict: Literal[0, 1] | None = None
    reason: str = ""
    warnings: tuple[str, ...] = ()
    start: int = 0
    end: int = 0
    failed: str = ""


class ChunkVerdict(Record):
    """A verdict on how much of a chunk its triples hold; the fields are those of a triple's."""

    chunk: str
    judge: str
    verdict: Coverage | None = None
    reason: str = ""
    warnings: tuple[str, ...] = ()
    failed: str = ""

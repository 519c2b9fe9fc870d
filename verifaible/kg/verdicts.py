"""What a judge says of triples and of chunks. A reply that failed is no verdict, and never a 0."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from verifaible.schema.base import Record

Criterion: TypeAlias = Literal["faithfulness", "precision", "relevance"]
CRITERIA: Final[tuple[Criterion, ...]] = ("faithfulness", "precision", "relevance")
#: The judge without a model, and what is said wherever figures of it are shown.
SCRIPTED: Final = "scripted"
NO_RESULT: Final = "scripted, not a result"
Coverage: TypeAlias = Literal["good", "partial", "bad"]


class TripleVerdict(Record):
    """A verdict of one criterion on one triple.

    Attributes:
        triple: its id.
        judge: who said it: the name of a model, or ``scripted``.
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

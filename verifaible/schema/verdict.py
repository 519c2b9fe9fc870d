"""What was found for a claim, with the places that it rests on: one record for every interface."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal, TypeAlias

from verifaible.schema.analyst import Source
from verifaible.schema.base import Record

#: ``supported``: a source says so. ``derived``: it follows by a calculation from values that stand in the
#: sources. ``contradicted``: a source says otherwise. ``not_found``: sources that were read whole do not have
#: it, where a plain look-up would have found it. ``open``: nobody decided it.
Outcome: TypeAlias = Literal["supported", "derived", "contradicted", "not_found", "open"]
#: Which decider decided; empty where the claim is open.
Decider: TypeAlias = Literal["quotation", "alignment", "lookup", "derivation", "entailment", "judge", ""]
Operation: TypeAlias = Literal[
    "sum", "difference", "product", "ratio", "average", "percent_change", "share", "convert", "calculation"
]


class Passage(Record):
    """Words of a source: ``text[start:end]`` of ``file`` in the capture is ``quote``, to the byte.

    ``pointer`` is the JSON Pointer (RFC 6901) of the value, where the source is JSON.
    """

    source: str
    capture: str
    file: str
    start: int
    end: int
    quote: str
    pointer: str = ""

    @classmethod
    def of(cls, source: Source, text: str, start: int, end: int, pointer: str = "") -> Passage:
        """The words of a source from ``start`` to ``end``, where ``text`` is all of its file."""
        return cls(
            source=source.id,
            capture=source.capture,
            file=source.file,
            start=start,
            end=end,
            quote=text[start:end],
            pointer=pointer,
        )


class Operand(Record):
    """A value that a derivation uses: what it is called, the value in its unit, and where it stands."""

    name: str
    value: Decimal
    unit: str = ""
    passage: Passage


class Derivation(Record):
    """A calculation: ``result`` is what it gives, unrounded; operands in the order that the operation wants.

    ``percent_change`` has the earlier value first, ``difference`` the one that is taken from,
    ``ratio`` and ``share`` the numerator; ``convert`` takes a value and, where there is one, a rate. A
    proof has its ``expression`` over the operands' names; ``calculation`` is one that no other name fits.
    """

    operation: Operation
    operands: tuple[Operand, ...]
    result: Decimal
    unit: str = ""
    expression: str = ""

    @property
    def formula(self) -> str:
        """It in one line: ``percent_change(TVL before 4.0 USD, TVL now 4.9 USD) = 22.5 %``."""
        operands = ", ".join(f"{each.name} {each.value:f} {each.unit}".strip() for each in self.operands)
        result = f"{self.result:f} {self.unit}".strip()
        if self.expression:
            return f"{self.expression} = {result}, where {operands}"
        return f"{self.operation}({operands}) = {result}"


class Verdict(Record):
    """What is known of a claim, with the places that it rests on.

    Attributes:
        outcome: see :data:`Outcome`.
        decided_by: see :data:`Decider`.
        passages: where it stands; where a source says otherwise: that place.
        derivation: the calculation, where it is calculated or a calculation is wrong.
        said: what a source says instead, in its own words; empty where no source has the value.
        reason: one sentence for people; of a claim that is ``open``, why it is.
    """

    outcome: Outcome
    decided_by: Decider = ""
    passages: tuple[Passage, ...] = ()
    derivation: Derivation | None = None
    said: str = ""
    reason: str = ""

    @property
    def grounds(self) -> tuple[Passage, ...]:
        """Its passages, and those of the operands that it is calculated from."""
        operands = self.derivation.operands if self.derivation is not None else ()
        return (*self.passages, *(operand.passage for operand in operands))

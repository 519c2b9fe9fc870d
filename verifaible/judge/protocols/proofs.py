"""A judge's proof: its operands are looked up where it points to, and the whole is checked.

The judge says which values, where they stand, and what is calculated of them; nothing of it is believed
(:mod:`verifaible.judge.proof`). The claim's other values must stand in the lines of the operands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import Field

from verifaible.judge.asking.replies import BadReply
from verifaible.judge.proof.checking import check_proof
from verifaible.judge.proof.expression import ProofError
from verifaible.judge.proof.finding import derivation_of
from verifaible.judge.proof.places import Place, SourceText
from verifaible.judge.protocols.quotes import QuoteForm, places_of, unsupported
from verifaible.schema.analyst import Claim, Source
from verifaible.schema.judged import Finding, Passage


class OperandForm(QuoteForm):
    """A value that a proof uses, and where it stands."""

    name: str = Field(description="A short name for the expression, such as a.")
    line: int = Field(default=0, description="Number of the line it stands in, as shown; 0 if none is shown.")
    cell: int = Field(default=0, description="In a row of a table the number of its cell, from 1; else 0.")


def checked_proof(
    expression: str, given: Sequence[OperandForm], claim: Claim, named: Mapping[str, tuple[Source, str]]
) -> Finding:
    """The finding of a judge's proof.

    Args:
        expression: over the names of the operands; see :mod:`verifaible.judge.proof.expression`.
        given: the operands.
        claim: what should follow.
        named: the sources by the labels that they were shown under.

    Raises:
        BadReply: says what of the proof does not hold; the judge is asked once more with it.
    """
    texts = {text: SourceText(text) for _, text in named.values()}
    passages: dict[str, Passage] = {}
    places: dict[str, Place] = {}
    around: list[Passage] = []
    for operand in given:
        if operand.name in places:
            raise BadReply("proof", f"Two operands are called {operand.name[:40]!r}. Give each its own name.")
        passage, text = _pointed_at(operand, named)
        place = texts[text].at(passage.start, passage.end)
        if place is None:
            raise BadReply(
                "proof", f"There is no value in {passage.quote[:80]!r}. Quote the value that is used."
            )
        places[operand.name], passages[operand.name] = place, passage
        low, high = text.rfind("\n", 0, place.start) + 1, text.find("\n", place.end)
        around.append(passage.model_copy(update={"quote": text[low : high if high >= 0 else None]}))
    try:
        found = check_proof(claim.text, expression, places)
    except ProofError as error:
        raise BadReply("proof", str(error)) from None
    rest = f"{claim.text[: found.claimed.start]} ; {claim.text[found.claimed.end :]}"
    if missing := unsupported(rest, around):
        raise BadReply("proof", f"The lines of the operands do not have the {missing!r} of the claim.")
    derivation = derivation_of(found, expression, places, passages)
    stated = tuple(dict.fromkeys(operand.passage for operand in derivation.operands))
    return Finding(verdict="derived", passages=stated, derivation=derivation)


def _pointed_at(operand: OperandForm, named: Mapping[str, tuple[Source, str]]) -> tuple[Passage, str]:
    """The passage of an operand: in the line, and the cell, that it names, else the only one of its words."""
    found = places_of(operand.quote, operand.source, named)
    text = found.text
    spans = found.spans
    if operand.line > 0:
        lines = text.split("\n")
        start = sum(len(line) + 1 for line in lines[: operand.line - 1])
        end = start + len(lines[operand.line - 1]) if operand.line <= len(lines) else start
        inside = [span for span in spans if start <= span[0] and span[1] <= end]
        if operand.cell > 0 and len(inside) > 1:
            row = [
                span
                for span in inside
                if text[start : span[0]].lstrip(" ").lstrip("|").count("|") == operand.cell - 1
            ]
            inside = row or inside
        spans = inside or spans
    if len(spans) > 1:
        raise BadReply(
            "proof",
            f"{operand.quote[:80]!r} stands {len(spans)} times in {operand.source}. "
            "Name its line and its cell, or quote more words around the value.",
        )
    return found.passage(spans[0]), text

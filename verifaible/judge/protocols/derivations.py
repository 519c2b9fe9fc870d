"""A calculation that a judge names: its operands are looked up where it quotes them, and it is done again.

The judge says which operands and which operation; that is what rules may not search for. The rest is checked:
the calculation by :func:`~verifaible.judge.rules.derive_checked.checked`, and here that the claim's other
values stand in the quotes too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from verifaible.anchoring.numbers import find_numbers
from verifaible.judge.protocols.quotes import unsupported
from verifaible.judge.replies import BadReply
from verifaible.judge.rules import derive_checked
from verifaible.judge.rules.derive_math import TIMES, Amount, DerivationError, fits
from verifaible.judge.rules.derive_words import words_of
from verifaible.judge.rules.library import Library
from verifaible.schema.analyst import Claim
from verifaible.schema.judged import Derivation, Finding, Operation, Passage


@dataclass(frozen=True, slots=True)
class Given:
    """An operand as a judge gives it: its name, its value, and its quote, which was found."""

    name: str
    value: Decimal
    passage: Passage


def checked_derivation(
    operation: Operation, given: Sequence[Given], claim: Claim, library: Library
) -> Finding:
    """The finding of a judge's calculation.

    Args:
        operation: what is calculated.
        given: the operands, in the order that the operation wants.
        claim: the claim that should follow.
        library: the sources of its answer; its day says what "today" is.

    Raises:
        BadReply: a value is not in its quote, or something else comes out.
    """
    proposed = [
        derive_checked.Given(each.name, each.passage.quote, each.passage.source, _scaled(each))
        for each in given
    ]
    try:
        finding = derive_checked.checked(operation, proposed, claim, library)
    except DerivationError as error:
        raise BadReply("content", str(error)) from None
    if finding.derivation is not None:
        passages = tuple(dict.fromkeys(each.passage for each in given))
        if missing := _left(finding.derivation, claim, library, passages):
            raise BadReply("content", f"The quotes do not have the {missing!r} of the claim.")
    return finding


def _scaled(given: Given) -> Decimal:
    """The value with the scale that its quote has: a judge may say 12.5 of "$12.5B"."""
    mentions = [each for each in find_numbers(given.passage.quote) if each.role != "marker"]
    if any(abs(each.scaled_value) == abs(given.value) for each in mentions):
        return given.value
    meant = {each.scaled_value for each in mentions if abs(each.value) == abs(given.value)}
    return meant.pop() if len(meant) == 1 else given.value


def _left(derivation: Derivation, claim: Claim, library: Library, passages: Sequence[Passage]) -> str:
    """A value of the claim that is neither what comes out nor in a quote; empty where there is none."""
    missing = ""
    for value in words_of(claim.text, library.at).values:
        shown = value.amount
        unit = "" if shown.unit == TIMES else shown.unit
        amount = Amount(abs(shown.value), unit, shown.half)
        if not fits(abs(derivation.result), derivation.unit, amount, loose=value.loose):
            continue
        rest = f"{claim.text[: value.start]} ; {claim.text[value.end :]}"
        missing = unsupported(rest, passages)
        if not missing:
            return ""
    return missing

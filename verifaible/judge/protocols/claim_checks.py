"""The two checks of a claim: against the sources it cites, and against all that its author had.

A judge that says "supported" has to show where: quotes that stand in the sources, and for a calculation
a proof over operands that do (:mod:`verifaible.judge.proof`). All of it is looked up and checked; a proof
that does not hold is asked for once more with the objection, and then makes the vote a failed one, never
another verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, Literal, TypeVar, cast

from pydantic import Field

from verifaible.judge.asking.asking import Judge
from verifaible.judge.asking.replies import BadReply, Form
from verifaible.judge.asking.showing import ShownSources, bounded, orders, show_sources, when
from verifaible.judge.asking.votes import Asked, Item, Taken, Tally, tally
from verifaible.judge.claim_checks import NO_SOURCES
from verifaible.judge.proof.checking import check_proof, derivation_of
from verifaible.judge.proof.expression import ProofError
from verifaible.judge.proof.places import Place, SourceText
from verifaible.judge.protocols.quotes import QuoteForm, passages_of, places_of, unsupported
from verifaible.judge.protocols.subject import (
    CLOSING,
    Subject,
    claim_parts,
    number_of_options,
    seed,
    system_of,
)
from verifaible.schema.analyst import Claim, Source
from verifaible.schema.judged import CitationRow, Finding, HallucinationRow, RuleVerdict
from verifaible.schema.verdict import Passage


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


#: Verdicts of both checks as verdicts of the rules.
_AS_RULES: Final[dict[str, RuleVerdict]] = {
    "direct": "exact",
    "exact": "exact",
    "derivable": "derived",
    "incorrect": "refuted",
    "contradiction": "refuted",
    "fabricated": "refuted",
}


class ClaimForm(Form):
    """What a judge fills in about a claim: the verdict first."""

    verdict: str
    reason: str
    quotes: tuple[QuoteForm, ...]
    expression: str
    operands: tuple[OperandForm, ...]


class CitationForm(ClaimForm):
    """The same, against the sources that the claim cites."""

    verdict: Literal["direct", "derivable", "incorrect", "abstain"]


class HallucinationForm(ClaimForm):
    """The same, against all sources."""

    verdict: Literal["exact", "derivable", "fabricated", "contradiction", "abstain"]


_Row = TypeVar("_Row", CitationRow, HallucinationRow)


@dataclass(frozen=True, slots=True)
class _Check(Generic[_Row]):
    """What tells the two checks apart."""

    name: Literal["citations", "hallucination"]
    form: type[ClaimForm]
    row: type[_Row]


_CITATIONS: Final = _Check("citations", CitationForm, CitationRow)
_HALLUCINATION: Final = _Check("hallucination", HallucinationForm, HallucinationRow)


async def citation_row(judge: Judge, claim: Claim, subject: Subject) -> CitationRow:
    """Let a judge check a claim against the sources that it cites.

    Raises:
        RunError: the replies cannot be kept.
    """
    cited = [pair for pair in subject.pairs if pair[0].id in claim.cites]
    return await _row(judge, claim, subject, cited, _CITATIONS)


async def hallucination_row(judge: Judge, claim: Claim, subject: Subject) -> HallucinationRow:
    """Let a judge check a claim against all sources of its answer.

    Raises:
        RunError: the replies cannot be kept.
    """
    known = subject.pairs if subject.answer.sources_known else ()
    return await _row(judge, claim, subject, known, _HALLUCINATION)


async def _row(
    judge: Judge, claim: Claim, subject: Subject, pairs: Sequence[tuple[Source, str]], check: _Check[_Row]
) -> _Row:
    if why := judge.barred(subject.answer.model) or ("" if pairs else NO_SOURCES):
        return check.row(outcome="not_judged", reason=_not_judged(why))
    asked, found = await _asked(judge, claim, subject, pairs, check)
    decided = found.outcome == "decided"
    return check.row(
        outcome=found.outcome,
        status=cast(Any, found.value) if decided else None,
        by="judge" if decided else "",
        finding=found.winner.data if found.winner else None,
        votes=tuple(each.vote for each in asked),
        reason=found.reason,
    )


def _not_judged(why: str) -> str:
    return why if why.startswith("not judged") else f"not judged: {why}"


async def _asked(
    judge: Judge, claim: Claim, subject: Subject, pairs: Sequence[tuple[Source, str]], check: _Check[_Row]
) -> tuple[tuple[Asked[Finding], ...], Tally[Finding]]:
    about = "\n".join((claim.text, *claim.context))
    drawn = seed(check.name, claim.text, *(source.capture for source, _ in pairs))
    asked = await judge.ask_all(
        [
            _item(claim, subject, check, show_sources(pairs, order, about, numbered=True), options=options)
            for order, options in zip(
                orders(len(pairs), judge.repeats, drawn),
                orders(number_of_options(check.name), judge.repeats, f"{drawn}/options"),
                strict=True,
            )
        ]
    )
    return asked, tally(asked)


def _item(
    claim: Claim, subject: Subject, check: _Check[_Row], shown: ShownSources, *, options: Sequence[int]
) -> Item[ClaimForm, Finding]:
    user = "\n\n".join(
        text
        for text in (
            when(subject.answer),
            bounded((*claim_parts(subject, claim), *shown.parts)),
            shown.note,
            CLOSING,
        )
        if text
    )
    return Item(
        protocol=check.name,
        system=system_of(check.name, options),
        user=user,
        form=check.form,
        take=_taker(claim, shown),
    )


def _taker(claim: Claim, shown: ShownSources) -> Callable[[ClaimForm], Taken[Finding]]:
    def take(form: ClaimForm) -> Taken[Finding]:
        reason = " ".join(form.reason.split())
        if form.verdict == "abstain":
            return Taken("abstain", "", reason, Finding(verdict="undecided", reason=reason))
        finding, notes = _finding(form, claim, shown.named)
        return Taken("decided", form.verdict, reason, finding.model_copy(update={"reason": reason}), notes)

    return take


def _finding(
    form: ClaimForm, claim: Claim, named: Mapping[str, tuple[Source, str]]
) -> tuple[Finding, tuple[str, ...]]:
    """What a verdict rests on.

    Raises:
        BadReply: it does not rest on what it says.
    """
    verdict = _AS_RULES[form.verdict]
    if verdict == "derived":
        return _derived(form, claim, named), ()
    if verdict == "exact":
        passages = passages_of(form.quotes, named)
        if not passages:
            raise BadReply("content", f"The verdict {form.verdict} comes without a quote.")
        if missing := unsupported(claim.text, passages):
            raise BadReply("content", f"The quotes do not have the {missing!r} of the claim.")
        return Finding(verdict=verdict, passages=passages), ()
    if form.verdict == "contradiction" and not form.quotes:
        raise BadReply("content", "The verdict contradiction comes without a quote.")
    if form.verdict == "fabricated":
        return Finding(verdict=verdict), ()
    passages, notes = _what_it_says(form, named)
    return Finding(verdict=verdict, passages=passages, said=" … ".join(p.quote for p in passages)), notes


def _what_it_says(
    form: ClaimForm, named: Mapping[str, tuple[Source, str]]
) -> tuple[tuple[Passage, ...], tuple[str, ...]]:
    """Where a source says otherwise: a contradiction must show it, an incorrect citation may."""
    try:
        return passages_of(form.quotes, named), ()
    except BadReply:
        if form.verdict == "contradiction":
            raise
        return (), ("a quote that is not in the source, which the verdict does not need",)


def _derived(form: ClaimForm, claim: Claim, named: Mapping[str, tuple[Source, str]]) -> Finding:
    if not form.expression.strip() or not form.operands:
        raise BadReply("proof", "The verdict derivable comes without an expression and its operands.")
    return checked_proof(form.expression, form.operands, claim, named)

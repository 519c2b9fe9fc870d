"""The two checks of a claim: against the sources it cites, and against all that its author had.

A judge that says "supported" has to show where: quotes that stand in the sources, and for a calculation
a proof over operands that do (:mod:`verifaible.judge.proof`). All of it is looked up and checked; a proof
that does not hold is asked for once more with the objection, and then makes the vote a failed one, never
another verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, cast

from verifaible.judge.asking.asking import Judge
from verifaible.judge.asking.replies import BadReply, Form
from verifaible.judge.asking.showing import ShownSources, bounded, orders, show_sources, when
from verifaible.judge.asking.votes import Asked, Item, Taken, Tally, tally
from verifaible.judge.protocols.proofs import OperandForm, checked_proof
from verifaible.judge.protocols.quotes import QuoteForm, passages_of, unsupported
from verifaible.judge.protocols.subject import (
    CLOSING,
    Subject,
    claim_parts,
    number_of_options,
    seed,
    system_of,
)
from verifaible.judge.verdicts import NO_SOURCES
from verifaible.schema.analyst import Claim, Source
from verifaible.schema.judged import (
    CitationRow,
    CitationStatus,
    Finding,
    HallucinationRow,
    HallucinationStatus,
    Passage,
    RuleVerdict,
)

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


@dataclass(frozen=True, slots=True)
class _Check:
    """What tells the two checks apart."""

    name: Literal["citations", "hallucination"]
    form: type[ClaimForm]


_CITATIONS: Final = _Check("citations", CitationForm)
_HALLUCINATION: Final = _Check("hallucination", HallucinationForm)


async def citation_row(judge: Judge, claim: Claim, subject: Subject) -> CitationRow:
    """Let a judge check a claim against the sources that it cites.

    Raises:
        RunError: the replies cannot be kept.
    """
    pairs = [pair for pair in subject.pairs if pair[0].id in claim.cites]
    if why := judge.barred(subject.answer.model) or ("" if pairs else NO_SOURCES):
        return CitationRow(outcome="not_judged", reason=_not_judged(why))
    asked, found = await _asked(judge, claim, subject, pairs, _CITATIONS)
    return CitationRow(
        outcome=found.outcome,
        status=cast(CitationStatus, found.value) if found.outcome == "decided" else None,
        by="judge" if found.outcome == "decided" else "",
        finding=found.winner.data if found.winner else None,
        votes=tuple(each.vote for each in asked),
        reason=found.reason,
    )


async def hallucination_row(judge: Judge, claim: Claim, subject: Subject) -> HallucinationRow:
    """Let a judge check a claim against all sources of its answer.

    Raises:
        RunError: the replies cannot be kept.
    """
    known = subject.pairs and subject.answer.sources_known
    if why := judge.barred(subject.answer.model) or ("" if known else NO_SOURCES):
        return HallucinationRow(outcome="not_judged", reason=_not_judged(why))
    asked, found = await _asked(judge, claim, subject, subject.pairs, _HALLUCINATION)
    return HallucinationRow(
        outcome=found.outcome,
        status=cast(HallucinationStatus, found.value) if found.outcome == "decided" else None,
        by="judge" if found.outcome == "decided" else "",
        finding=found.winner.data if found.winner else None,
        votes=tuple(each.vote for each in asked),
        reason=found.reason,
    )


def _not_judged(why: str) -> str:
    return why if why.startswith("not judged") else f"not judged: {why}"


async def _asked(
    judge: Judge, claim: Claim, subject: Subject, pairs: Sequence[tuple[Source, str]], check: _Check
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
    claim: Claim, subject: Subject, check: _Check, shown: ShownSources, *, options: Sequence[int]
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
    form: ClaimForm,
    claim: Claim,
    named: Mapping[str, tuple[Source, str]],
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


def _derived(
    form: ClaimForm,
    claim: Claim,
    named: Mapping[str, tuple[Source, str]],
) -> Finding:
    if not form.expression.strip() or not form.operands:
        raise BadReply("proof", "The verdict derivable comes without an expression and its operands.")
    return checked_proof(form.expression, form.operands, claim, named)

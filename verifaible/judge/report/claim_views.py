"""A judged claim as a page shows it: how it stands, and its evidence in copies that fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from verifaible.judge.report.metrics import Verdict, fault_of, verdict_of
from verifaible.reporting.tables import plain, shortened
from verifaible.schema.analyst import Source
from verifaible.schema.judged import CitationRow, Finding, HallucinationRow, JudgedClaim
from verifaible.schema.verdict import Passage

#: How a claim stands, the worst first: the groups of a report, and the colours of the viewer.
Standing: TypeAlias = Literal["wrong", "uncited", "open", "supported", "opinion"]
STANDINGS: Final[dict[Standing, tuple[str, str]]] = {
    "wrong": ("✕", "Not supported, or contradicted"),
    "uncited": ("!", "Needs a citation and has none"),
    "open": ("?", "Not decided"),
    "supported": ("✓", "Supported"),
    "opinion": ("–", "Nothing to support"),
}
_BAD: Final = {"incorrect", "fabricated", "contradiction"}
_GOOD: Final = {"direct", "derivable", "exact"}
#: A page shows so many quotes of a claim; the JSONL has the rest.
MAX_QUOTES: Final = 3


@dataclass(frozen=True, slots=True)
class QuoteView:
    """Words of a source and where they stand."""

    words: str
    source: str
    title: str
    url: str
    capture: str
    file: str
    start: int
    end: int
    pointer: str


@dataclass(frozen=True, slots=True)
class ClaimView:
    """A claim on a page; ``checks`` are the two checks with their verdict, who gave it and why."""

    id: str
    text: str
    kind: str
    standing: Standing
    cites: str
    checks: tuple[tuple[str, str, str, str], ...]
    calculation: str
    said: str
    quotes: tuple[QuoteView, ...]
    more_quotes: int


def standing_of(claim: JudgedClaim) -> Standing:
    """How a claim stands: the worse of its two checks; decided ones go before what is open."""
    decided = {
        str(row.status)
        for row in (claim.citations, claim.hallucination)
        if row is not None and row.outcome == "decided" and row.status is not None
    }
    if decided & _BAD:
        return "wrong"
    if "missing" in decided:
        return "uncited"
    if decided & _GOOD:
        return "supported"
    return "opinion" if "not_needed" in decided or not claim.claim.factual else "open"


def claim_view(claim: JudgedClaim, sources: Sequence[Source], told: tuple[str, str]) -> ClaimView:
    """A claim as a page shows it.

    Args:
        claim: the claim.
        sources: those of its answer.
        told: what to say where nobody judged its citations, and where nobody judged its truth.
    """
    known = {source.id: source for source in sources}
    finding = evidence_of(claim)
    passages = finding.passages if finding else ()
    checks = [
        _check(name, row, unjudged)
        for name, row, unjudged in (
            ("citation", claim.citations, told[0]),
            ("sources", claim.hallucination, told[1]),
        )
        if row is not None
    ]
    return ClaimView(
        id=plain(claim.claim.id),
        text=shortened(claim.claim.text),
        kind=claim.claim.kind,
        standing=standing_of(claim),
        cites=plain(", ".join((*claim.claim.cites, *claim.claim.broken))),
        checks=tuple(checks),
        calculation=plain(finding.derivation.formula) if finding and finding.derivation else "",
        said=shortened(finding.said) if finding else "",
        quotes=tuple(_quote(each, known.get(each.source)) for each in passages[:MAX_QUOTES]),
        more_quotes=max(0, len(passages) - MAX_QUOTES),
    )


def _check(name: str, row: CitationRow | HallucinationRow, told: str) -> tuple[str, str, str, str]:
    by = {"rules": "by rules", "judge": "by the judge"}.get(row.by, "") if row.outcome == "decided" else ""
    reason = shortened(row.reason) if row.outcome == "decided" else ""
    return name, plain(str(row_words(row, told))).replace("_", " "), by, reason


def _quote(passage: Passage, source: Source | None) -> QuoteView:
    return QuoteView(
        words=shortened(passage.quote),
        source=plain(passage.source),
        title=shortened(source.title, 120) if source else "",
        url=source.url if source else "",
        capture=passage.capture,
        file=plain(passage.file),
        start=passage.start,
        end=passage.end,
        pointer=plain(passage.pointer),
    )


def evidence_of(claim: JudgedClaim) -> Finding | None:
    """The finding that a reader should see: that of the verdict, else the one of the rules that has words."""
    rows = (claim.hallucination, claim.citations)
    given = [row.finding for row in rows if row is not None and row.outcome == "decided"]
    given += [claim.anywhere, claim.finding]
    known = [finding for finding in given if finding is not None]
    return next((finding for finding in known if finding.passages), known[0] if known else None)


def row_words(row: Verdict | None, unjudged: str) -> str | int | float:
    """What was decided; ``failed: ...``, ``abstained: ...`` or ``not judged: ...`` where nothing was."""
    if row is None:
        return unjudged
    verdict = verdict_of(row)
    if verdict is not None:
        return verdict if isinstance(verdict, str) else rounded(verdict)
    if row.outcome == "not_judged":
        return row.reason if row.reason.startswith("not judged") else unjudged
    told = fault_of(row)
    if row.outcome == "abstain":
        return f"abstained: {told}" if told else "abstained"
    return f"failed: {told or 'no usable reply'}"


def rounded(value: float) -> int | float:
    """A whole number as one."""
    return int(value) if value == int(value) else round(value, 4)

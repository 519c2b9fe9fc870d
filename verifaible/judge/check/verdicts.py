"""From what was found to the verdict of a claim, and from the verdicts to the status of a check. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from verifaible.answers.facts import find_facts
from verifaible.judge.check.quotations import Compared, ReadSource
from verifaible.schema.analyst import Claim
from verifaible.schema.checked import Checked, CheckedClaim, CheckedSource, ClaimVerdict, Decider, Nearest
from verifaible.schema.judged import Finding
from verifaible.schema.verdict import Passage

_TOKEN: Final = re.compile(r"[^\W_]{2,}")
#: What the verdicts of rules are for a claim, and a reason where they give none.
_VERDICTS: Final[dict[str, tuple[ClaimVerdict, str]]] = {
    "exact": ("supported", "The source says so."),
    "derived": ("calculated", "It follows from values of the source."),
    "refuted": ("not_in_source", "The source was read whole and does not have it."),
}
_STATES: Final = {
    "gone": "is gone",
    "made_up": "does not exist",
    "blocked": "is blocked",
    "paywall": "is behind a paywall",
    "login": "asks to log in",
    "error": "could not be read",
}


def exit_status(checked: Checked, *, allow_undecided: bool = False) -> int:
    """The status with which ``verifaible check`` ends.

    0: every checkable claim is supported. 1: something is contradicted, altered or not in its source, or a
    source is gone or made up. 3: none of these, but something is undecided, unreadable or names no source;
    ``allow_undecided`` makes it 0.
    """
    lost = any(source.state in ("gone", "made_up") for source in checked.sources)
    if lost or checked.count("contradicted", "altered", "not_in_source"):
        return 1
    if checked.count("undecided", "unreadable", "no_source") and not allow_undecided:
        return 3
    return 0


def without_sources(claim: Claim, cited: Sequence[CheckedSource]) -> CheckedClaim | None:
    """The verdict of a claim that nothing needs to be read for, or for which nothing could be; else None."""
    if not claim.factual:
        return CheckedClaim(
            claim=claim, verdict="not_checkable", reason="It states nothing that a source could hold."
        )
    if not cited:
        reason = "The text names no source for it."
        if claim.broken:
            reason = f"Its mark {', '.join(claim.broken)} leads to no source that the text lists."
        return CheckedClaim(claim=claim, verdict="no_source", reason=reason)
    if not any(source.state == "read" for source in cited):
        told = "; ".join(
            f"{each.label or each.url or each.id} {_STATES[each.state]}"
            for each in cited
            if each.state != "read"
        )
        return CheckedClaim(
            claim=claim, verdict="unreadable", reason=f"No cited source could be read: {told}."
        )
    return None


def of_finding(
    claim: Claim, finding: Finding, read: Sequence[ReadSource], *, whole: bool, by: Decider
) -> CheckedClaim | None:
    """The verdict that a finding is; None where it leaves the claim open.

    ``whole``: all cited sources were read, and all of each: only then can one say what they do not have.
    """
    verdict, reason = _VERDICTS.get(finding.verdict, ("undecided", ""))
    if finding.verdict == "refuted" and finding.said:
        verdict, reason = "contradicted", ""
    if verdict == "undecided" or (verdict == "not_in_source" and not whole):
        return None
    return CheckedClaim(
        claim=claim,
        verdict=verdict,
        reason=finding.reason or reason,
        passages=finding.passages,
        sentences=_around(finding.passages, read),
        derivation=finding.derivation,
        said=finding.said if verdict == "contradicted" else "",
        by=by,
    )


def _around(passages: Sequence[Passage], read: Sequence[ReadSource]) -> tuple[str, ...]:
    """The sentences that passages stand in."""
    by_id = {each.source.id: each for each in read}
    return tuple(by_id[each.source].around(each) if each.source in by_id else each.quote for each in passages)


def of_quotation(
    claim: Claim, quoted: Compared, outside: str, read: Sequence[ReadSource]
) -> CheckedClaim | None:
    """The verdict that a quotation in a claim is; None where it leaves the claim open.

    Words that stand in the source support the claim only if what it says besides them (``outside``) has no
    number and no name that the sources lack.
    """
    verdict: ClaimVerdict | None = None
    if quoted.verdict == "exact":
        verdict = "supported" if _only_introduces(outside, read) else None
    elif quoted.verdict in ("altered", "absent"):
        verdict = "altered" if quoted.verdict == "altered" else "not_in_source"
    if verdict is None:
        return None
    return CheckedClaim(
        claim=claim,
        verdict=verdict,
        reason=quoted.reason,
        passages=quoted.passages,
        sentences=_around(quoted.passages, read),
        said=quoted.said if verdict == "altered" else "",
        by="rules",
    )


def undecided(claim: Claim, why: str, nearest: Nearest | None, by: Decider = "") -> CheckedClaim:
    """A claim that was read against its sources, and that nobody decided."""
    return CheckedClaim(claim=claim, verdict="undecided", reason=why, nearest=nearest, by=by)


def _only_introduces(words: str, read: Sequence[ReadSource]) -> bool:
    """Whether words around a quotation state nothing but names that the sources have."""
    known = _known_words(read)
    return all(
        fact.kind == "name" and {word.casefold() for word in _TOKEN.findall(fact.raw)} <= known
        for fact in find_facts(words)
    )


def _known_words(read: Iterable[ReadSource]) -> set[str]:
    """The words of sources, of their titles and addresses, and the initials of their names."""
    known: set[str] = set()
    for source in read:
        for text in (source.text, source.state.title, source.source.title, source.source.url):
            found = _TOKEN.findall(text)
            known.update(word.casefold() for word in found)
            for size in (2, 3, 4, 5):
                for at in range(len(found) - size + 1):
                    words = found[at : at + size]
                    if all(word[0].isupper() for word in words):
                        known.add("".join(word[0] for word in words).casefold())
    return known

"""An answer with markers, compared with the citations of its own session."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from verifaible.check.run import check_sealed, left_out
from verifaible.check.sources import state_of_sealed
from verifaible.errors import CitationNotFound, StoreError, StoreUnreachable
from verifaible.evidence.audit import record as record_checks
from verifaible.evidence.sources import citation_source
from verifaible.evidence.verify import verify
from verifaible.schema.analyst import AnalystAnswer
from verifaible.schema.check import Check
from verifaible.schema.checked import Checked, CheckedClaim
from verifaible.schema.citation import Citation
from verifaible.schema.run import TrialCitation
from verifaible.store.store import Store
from verifaible.text.markers import find_markers
from verifaible.version import __version__

#: Words with a capital letter or a digit.
_NAMES: Final = re.compile(r"(?<!\w)\w*[A-Z0-9][\w.,'’-]*\w|\d")


async def check_answer(
    answer: str, made: Sequence[TrialCitation], store: Store, *, question: str = "", model: str = ""
) -> tuple[Checked, dict[str, Citation]]:
    """Check the claims of an answer; nothing is opened, and only what the session cited counts.

    Args:
        answer: the text with its markers ``[@v:N]``.
        made: the citations of the session.
        store: where they are.
        question: what was asked; a sentence that only repeats its names needs no evidence.
        model: who answered.

    Returns:
        the check, whose faults name citations that no longer verify and what was not read; and, by the number
        of their marker, the citations that the answer marks and that verify.

    Raises:
        StoreError: the store cannot be read.
    """
    citations, faults = await asyncio.to_thread(_verified, answer, made, store)
    sources = tuple(citation_source(each, f"@v:{number}") for number, each in citations.items())
    sha256 = hashlib.sha256(answer.encode("utf-8", "replace")).hexdigest()
    text = AnalystAnswer(
        id=sha256[:16], origin="markdown", model=model, query=question, answer=answer, sources=sources
    )
    asked = frozenset(_NAMES.findall(question))
    checked = Checked(
        name="answer",
        sha256=sha256,
        title=question,
        text=answer,
        claims=tuple(_excused(each, asked) for each in await check_sealed(text, store)),
        sources=tuple(map(state_of_sealed, sources)),
        checked_at=datetime.now(UTC),
        version=__version__,
        faults=(*faults, *left_out(answer)),
    )
    return checked, citations


def _verified(
    answer: str, made: Sequence[TrialCitation], store: Store
) -> tuple[dict[str, Citation], list[str]]:
    """The citations that an answer marks and that verify, by number, and what is wrong with the others."""
    named = {target for marker in find_markers(answer) for target in marker.targets}
    citations: dict[str, Citation] = {}
    faults: list[str] = []
    checks: list[Check] = []
    for number, name in ((str(each.number), each.id) for each in made):
        if not any(target == number or (len(target) >= 4 and name.startswith(target)) for target in named):
            continue
        try:
            citation = store.get(name)
        except StoreUnreachable:
            raise
        except (CitationNotFound, StoreError) as error:
            faults.append(f"[@v:{number}]: {error}")
            continue
        again = verify(citation, store)
        checks.append(again.check)
        if again.check.verdict != "verified":
            faults.append(f"[@v:{number}]: {again.check.verdict}. {again.check.message}")
        elif again.unsent:
            faults.append(
                f"[@v:{number}]: Nothing that the site sent holds {again.unsent[:60]!r}: a script of the "
                "citation may have."
            )
        else:
            citations[number] = citation
    record_checks(store, checks)
    return citations, faults


def _excused(claim: CheckedClaim, asked: frozenset[str]) -> CheckedClaim:
    """A claim, which is not checkable where it lacks a marker and needs none."""
    if not _needs_none(claim, asked):
        return claim
    reason = "It has no name and no number, or none but the question's."
    return claim.model_copy(update={"verdict": "not_checkable", "reason": reason})


def _needs_none(claim: CheckedClaim, asked: frozenset[str]) -> bool:
    """Whether a claim without a marker has no name and no number, or none that was not asked about."""
    named = {*_NAMES.findall(claim.claim.text)}
    opening = {word for word in named if word.isalpha() and claim.claim.text.startswith(word)}
    left = named - asked
    # names in a script without capital letters are not seen here: such a claim needs evidence
    in_words = claim.claim.kind in ("technical", "name") and any(map(str.islower, claim.claim.text))
    is_seen = in_words or bool(named - left)
    return claim.verdict == "no_source" and not claim.claim.broken and is_seen and left <= opening

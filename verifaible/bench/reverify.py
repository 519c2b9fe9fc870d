"""The evidence of a trial, verified again from the store before it counts."""

from __future__ import annotations

from collections.abc import Iterable

from verifaible.evidence.verify import verify
from verifaible.schema.run import TrialCitation
from verifaible.scoring.verified import EvidenceFacts
from verifaible.store.store import Store


def evidence_of(citations: Iterable[TrialCitation], store: Store) -> tuple[EvidenceFacts, ...]:
    """What each citation's capture shows today, without the network; every check goes into its history.

    Raises:
        StoreError: a citation is not in the store, or the store cannot be read.
    """
    facts = []
    for made in citations:
        citation = store.get(made.id)
        again = verify(citation, store)
        store.add_check(again.check)
        facts.append(
            EvidenceFacts(
                number=made.number,
                citation=citation,
                reverified=again.check.verdict == "verified",
                reverify_message=again.check.message,
                visible_text=again.visible_text,
                headers=again.headers,
                unsent=again.unsent,
            )
        )
    return tuple(facts)

"""Whether every word that a verdict points to still stands where it says, to the byte."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from verifaible.errors import StoreError, StoreUnreachable
from verifaible.evidence.sources import SourceTexts
from verifaible.judge.folder import JudgeFolder
from verifaible.schema.base import Record
from verifaible.schema.judged import Finding, JudgedClaim
from verifaible.schema.verdict import Passage


class Broken(Record):
    """A passage that does not hold, with what is wrong."""

    answer: str
    claim: str
    passage: Passage
    fault: str


class Reverified(Record):
    """What a second look at the captures gave.

    ``supported`` counts the claims that were called exact, derived, direct or derivable; ``unsupported`` are
    those of them that point to nothing.
    """

    claims: int
    supported: int
    passages: int
    unsupported: tuple[str, ...] = ()
    broken: tuple[Broken, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether every supported claim points to words, and all words stand where they should."""
        return not self.broken and not self.unsupported


def reverify(folder: JudgeFolder, texts: SourceTexts) -> Reverified:
    """Look again at every passage of a run of judging, in the captures of the store.

    A passage has to stand in a capture of a source of its own answer, too. (Claims of an answer that was not
    finished have no answer to compare with.)

    Raises:
        RunError: the folder is damaged.
    """
    sources = {
        judged.answer.id: {(source.id, source.capture) for source in judged.answer.sources}
        for judged in folder.answers()
    }
    claims = supported = passages = 0
    unsupported: list[str] = []
    broken: list[Broken] = []
    for judged in JudgeFolder(folder.path, whole=True).claims():
        claims += 1
        findings = tuple(_supporting(judged))
        supported += bool(findings)
        if any(not finding.grounds for finding in findings):
            unsupported.append(f"{judged.answer} {judged.claim.id}")
        for passage in judged.grounds:
            passages += 1
            own = sources.get(judged.answer)
            if own is not None and (passage.source, passage.capture) not in own:
                fault = f"{passage.source} of this capture is no source of the answer. Judge it again."
            else:
                fault = _fault(texts.holds, passage)
            if fault:
                broken.append(
                    Broken(answer=judged.answer, claim=judged.claim.id, passage=passage, fault=fault)
                )
    return Reverified(
        claims=claims,
        supported=supported,
        passages=passages,
        unsupported=tuple(unsupported),
        broken=tuple(broken),
    )


def _fault(holds: Callable[[Passage], bool], passage: Passage) -> str:
    try:
        if holds(passage):
            return ""
    except StoreUnreachable:
        raise
    except StoreError as error:
        return str(error)
    return "The capture does not have these words at this place. Judge the answer again."


def _supporting(judged: JudgedClaim) -> Iterator[Finding]:
    """The findings on which a claim was called supported."""
    for row, good in (
        (judged.citations, ("direct", "derivable")),
        (judged.hallucination, ("exact", "derivable")),
    ):
        if row is not None and row.outcome == "decided" and row.status in good:
            yield row.finding or Finding(verdict="undecided")

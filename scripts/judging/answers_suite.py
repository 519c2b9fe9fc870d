"""Long answers, judged from end to end and compared with their marks, claim by claim."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from scripts.judging.marked import MODEL, Marked, MarkedAnswer, marked_answers, write_public
from verifaible.config import Settings
from verifaible.judge.folder import JudgeFolder
from verifaible.judge.results import joined
from verifaible.judge.run import Options, run
from verifaible.schema.judged import CitationRow, HallucinationRow, JudgedClaim

Check: TypeAlias = Literal["citations", "hallucination"]
SUPPORTED = frozenset(("direct", "derivable", "exact"))
AGAINST = frozenset(("incorrect", "fabricated", "contradiction"))


@dataclass(frozen=True, slots=True)
class Compared:
    """A marked claim beside what was said of it; ``got`` is empty where nothing was decided."""

    answer: str
    check: Check
    words: str
    wanted: str
    got: str
    by: str
    reason: str

    @property
    def outcome(self) -> str:
        """``right``; ``near`` (direct for derivable and the like); ``undecided``; ``false support``; ``false
        refutation``; ``other``."""
        if self.got == self.wanted:
            return "right"
        if not self.got:
            return "undecided"
        if self.wanted in SUPPORTED and self.got in SUPPORTED:
            return "near"
        if self.wanted in AGAINST and self.got in AGAINST:
            return "near"
        if self.got in SUPPORTED:
            return "false support"
        return "false refutation" if self.wanted in SUPPORTED and self.got in AGAINST else "other"


def judge_marked(
    home: Path,
    *,
    split: str = "dev",
    judge: str | None = None,
    base_url: str | None = None,
) -> JudgeFolder:
    """Judge the marked answers of a split as a person would: from the public CSV and its traces."""
    public = home / "public"
    table = public / "answers.csv" if public.is_dir() else write_public(marked_answers(split), public)
    options = Options(
        protocols=("citations", "hallucination"),
        file=table,
        judge_name=judge,
        offline=judge is None,
        split="rules",
        models=(MODEL,),
    )
    settings = Settings(home=home, base_url=base_url or "", api_key="none" if base_url else "")
    return run(settings, options)


def compare(folder: JudgeFolder, marked: Sequence[MarkedAnswer]) -> list[Compared]:
    """Every marked claim beside the claim of the folder that overlaps it most."""
    by_query = {each.query: each for each in marked}
    found: list[Compared] = []
    for judged, claims in joined(folder):
        answer = by_query[judged.answer.query]
        for mark in answer.claims:
            claim = _overlapping(mark, claims)
            found.append(_compared(answer.name, "citations", mark, claim))
            if mark.truth:
                found.append(_compared(answer.name, "hallucination", mark, claim))
    return found


def _overlapping(mark: Marked, claims: Iterable[JudgedClaim]) -> JudgedClaim | None:
    def shared(judged: JudgedClaim) -> float:
        claim = judged.claim
        inside = min(mark.end, claim.end) - max(mark.start, claim.start)
        return inside / max(claim.end - claim.start, mark.end - mark.start)

    best = max(claims, key=shared, default=None)
    return best if best is not None and shared(best) > 0 else None


def _compared(name: str, check: Check, mark: Marked, judged: JudgedClaim | None) -> Compared:
    wanted = mark.citation if check == "citations" else mark.truth
    row: CitationRow | HallucinationRow | None = None
    if judged is not None:
        row = judged.citations if check == "citations" else judged.hallucination
    if row is None:
        return Compared(name, check, mark.words, wanted, "", "", "no such claim")
    got = row.status or "" if row.outcome == "decided" else ""
    return Compared(name, check, mark.words, wanted, got, row.by, row.reason)


def counted(compared: Iterable[Compared]) -> dict[Check, Counter[str]]:
    """How often each outcome came, by check."""
    counts: dict[Check, Counter[str]] = {"citations": Counter(), "hallucination": Counter()}
    for each in compared:
        counts[each.check][each.outcome] += 1
    return counts

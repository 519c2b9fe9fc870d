"""Judges that are no models, to measure what the rules save and what they change.

``told`` knows the marks, and errs in a share of the claims, drawn from their words: it stands for a model
that is right as often as published figures say. It quotes the line of a source that has the numbers of the
claim, as a model would have to.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Final

from scripts.judging.marked import MarkedAnswer
from tests.servers.judge_server import Mind, Question, Said, verdict

#: Of GPT-4o on financial claims, as published: 83 % agree with people.
RIGHT_SHARE: Final = 0.83
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
_WORD: Final = re.compile(r"[^\W\d_]{3,}|[\u3400-\u9fff]")
_OTHER: Final = {
    "citations": {"direct": "incorrect", "derivable": "incorrect", "incorrect": "direct"},
    "hallucination": {
        "exact": "fabricated",
        "derivable": "fabricated",
        "fabricated": "exact",
        "contradiction": "exact",
    },
}


def told(marked: Sequence[MarkedAnswer], share: float = RIGHT_SHARE) -> Mind:
    """A judge that knows the marks and is right in a share of the claims."""
    marks = [(mark.words, mark) for answer in marked for mark in answer.claims]

    def mind(question: Question) -> Said:
        claim = question.parts["the claim"]
        found = next((mark for words, mark in marks if words in claim or claim in words), None)
        if found is None:
            return verdict("abstain")
        right = found.citation if question.form == "citations" else found.truth
        drawn = int(hashlib.sha256(f"{question.form} {found.words}".encode()).hexdigest()[:8], 16) / 2**32
        said = right if drawn < share else _OTHER[question.form].get(right, right)
        if said in ("missing", "not_needed", ""):
            return verdict("abstain")
        if said == "derivable":  # it names no operands: what it means is that the sources carry the claim
            said = "direct" if question.form == "citations" else "exact"
        if said in ("direct", "exact"):
            line = _nearest(question, claim)
            return verdict(said, line) if line else verdict("abstain")
        if said == "contradiction":
            line = _nearest(question, claim)
            return verdict(said, line) if line else verdict("fabricated")
        return verdict(said)

    return mind


def _nearest(question: Question, claim: str) -> tuple[str, str] | None:
    """The line of a source that shares most with a claim: numbers count more than words."""
    numbers, words = set(_NUMBER.findall(claim)), {word.casefold() for word in _WORD.findall(claim)}
    best, most = None, 0
    for label, text in sorted(question.sources.items()):
        for line in text.splitlines():
            has = 5 * len(numbers & set(_NUMBER.findall(line)))
            has += len(words & {word.casefold() for word in _WORD.findall(line)})
            if has > most:
                best, most = (label, line.strip()[:400]), has
    return best

"""The accuracy of the check on the sentences of the suite ``answers``."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.kit.suites import Row, load
from verifaible.answers.check import CheckedSentence, check
from verifaible.answers.support import CitedEvidence
from verifaible.errors import CitationNotFound


class Given:
    """The evidence of a row: citation N is the N-th."""

    def __init__(self, evidence: Sequence[dict[str, str]]) -> None:
        self._evidence = evidence

    def find(self, target: str) -> CitedEvidence:
        if not target.isdigit() or not 1 <= int(target) <= len(self._evidence):
            raise CitationNotFound(f"No citation {target}. Give one that is there.")
        shown = self._evidence[int(target) - 1]
        if "cell" in shown:
            headers = tuple(shown[each] for each in ("row", "column", "caption") if each in shown)
            return CitedEvidence(id=f"c{target}", evidence_type="table", text=shown["cell"], headers=headers)
        return CitedEvidence(id=f"c{target}", text=shown["quote"])


def checked(row: Row) -> CheckedSentence:
    given = row.input
    sentences = check(
        given["sentence"], Given(given["evidence"]), question=given.get("question", "")
    ).sentences
    (sentence,) = sentences
    return sentence


@pytest.mark.parametrize("row", load("answers"), ids=lambda row: row.id)
def test_sentence(row: Row) -> None:
    sentence = checked(row)
    facts = [{"kind": fact.kind, "text": fact.raw} for fact in sentence.facts if not fact.asked]
    assert facts == row.expect["facts"]
    assert sentence.state == row.expect["state"], sentence
    if "missing" in row.expect:
        assert list(sentence.missing) == row.expect["missing"]

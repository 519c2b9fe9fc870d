"""The accuracy of the check on the sentences of :mod:`tests.unit.answers.suite`."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.unit.answers.suite import SUITE, Cell, Marked, Shown
from verifaible.answers.check import CheckedSentence, State, check
from verifaible.answers.support import CitedEvidence
from verifaible.errors import CitationNotFound

STATES: dict[str, State] = {
    "S": "supported",
    "P": "partly",
    "U": "unsupported",
    "N": "no_facts",
    "B": "broken",
}
SIGNS = {"number": "#", "date": "@", "name": "*", "ordinal": "^", "code": "="}
ROWS = [(language, row) for language, rows in SUITE.items() for row in rows]


class Given:
    """The evidence of a row: citation N is the N-th."""

    def __init__(self, evidence: Sequence[Shown]) -> None:
        self._evidence = evidence

    def find(self, target: str) -> CitedEvidence:
        if not target.isdigit() or not 1 <= int(target) <= len(self._evidence):
            raise CitationNotFound(f"No citation {target}. Give one that is there.")
        shown = self._evidence[int(target) - 1]
        if isinstance(shown, Cell):
            headers = tuple(each for each in (shown.row, shown.column, shown.caption) if each)
            return CitedEvidence(id=f"c{target}", evidence_type="table", text=shown.text, headers=headers)
        return CitedEvidence(id=f"c{target}", text=shown)


def checked(row: Marked) -> CheckedSentence:
    (sentence,) = check(row.text, Given(row.evidence), question=row.question).sentences
    return sentence


def test_the_suite_is_as_large_as_it_was() -> None:
    assert len(ROWS) >= 234
    assert {language: len(rows) for language, rows in SUITE.items() if len(rows) < 30} == {"more": 8}
    assert {row.state for _, row in ROWS} == set(STATES)


@pytest.mark.parametrize(("language", "row"), ROWS, ids=[row.text[:40] for _, row in ROWS])
def test_sentence(language: str, row: Marked) -> None:
    sentence = checked(row)
    facts = [f"{SIGNS[fact.kind]}{fact.raw}" for fact in sentence.facts if not fact.asked]
    assert facts == [each for each in row.facts.split(" | ") if each]
    assert sentence.state == STATES[row.state], sentence
    if row.state == "P":
        assert sentence.missing == tuple(row.missing.split(" | "))

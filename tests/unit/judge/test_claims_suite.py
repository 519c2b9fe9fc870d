"""The claims of hand-marked blocks, as marked."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

from tests.unit.judge.claim_suite import ALL as FIRST
from tests.unit.judge.claim_suite import Marked
from tests.unit.judge.claim_suite_fresh import FRESH
from verifaible.judge.claims import claims_of, coverage_of
from verifaible.schema.analyst import AnalystAnswer, Claim, Source

ALL = FIRST + FRESH
KINDS = {"N": "number", "D": "date", "M": "name", "T": "technical", "O": "opinion"}
#: Signs that do not count at the ends of a range.
EDGE = " \t\r\n*_.,;:!?。，；：、！？\\"
_MARKED = re.compile(
    r"(?P<kind>[NDMTO]) (?:=(?P<words>.*?)= @)?(?P<text>.*?)(?: <(?P<cites>[\w,]+)>)?"
    r"(?: \{(?P<context>.*)\})?",
    re.DOTALL,
)


@dataclass(frozen=True)
class Expected:
    """A claim as the suite writes it, with its range."""

    kind: str
    start: int
    end: int
    cites: tuple[str, ...]
    context: str
    words: str


def answer_of(text: str) -> AnalystAnswer:
    """An answer with sources 1 to 9 and src_1 to src_9."""
    names = [str(number) for number in range(1, 10)] + [f"src_{number}" for number in range(1, 10)]
    sources = tuple(
        Source(id=name, kind="page", capture="0" * 64, url="https://a.example/x" if name == "1" else "")
        for name in names
    )
    return AnalystAnswer(
        id="a", origin="csv", model="m", query="q", answer=text, sources=sources, sources_known=True
    )


def expected_of(row: Marked) -> list[Expected]:
    """The claims of a row; each begins where or behind where the one before it begins."""
    found: list[Expected] = []
    at = 0
    for written in row.claims:
        match = _MARKED.fullmatch(written)
        assert match, written
        start = row.text.index(match["text"], at)
        at = start + 1
        found.append(
            Expected(
                KINDS[match["kind"]],
                *_bare(row.text, start, start + len(match["text"])),
                tuple((match["cites"] or "").split(",")) if match["cites"] else (),
                match["context"] or "",
                match["words"] or "",
            )
        )
    return found


def _bare(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start] in EDGE:
        start += 1
    while end > start and text[end - 1] in EDGE:
        end -= 1
    return start, end


def differences(row: Marked) -> list[str]:
    """What is not as marked."""
    claims = claims_of(answer_of(row.text))
    wanted = expected_of(row)
    if [_bare(row.text, each.start, each.end) for each in claims] != [
        (each.start, each.end) for each in wanted
    ]:
        return [
            "range: " + " | ".join(f"{claim.kind[0]}:{row.text[claim.start : claim.end]}" for claim in claims)
        ]
    return [said for claim, each in zip(claims, wanted, strict=True) for said in _compared(claim, each)]


def _compared(claim: Claim, wanted: Expected) -> list[str]:
    found = []
    if claim.kind != wanted.kind:
        found.append(f"kind: {claim.text} is {claim.kind}")
    if claim.cites != wanted.cites:
        found.append(f"cites: {claim.text} cites {claim.cites}")
    if wanted.context and not any(wanted.context in each for each in claim.context):
        found.append(f"context: {claim.text} has {claim.context}")
    if wanted.words and claim.text != wanted.words:
        found.append(f"words: {claim.text}")
    return found


@pytest.mark.parametrize("row", ALL, ids=lambda row: row.text[:40].replace("\n", " "))
def test_claims_are_as_marked(row: Marked) -> None:
    assert differences(row) == []


@pytest.mark.parametrize("row", ALL, ids=lambda row: row.text[:40].replace("\n", " "))
def test_claims_cover_every_sentence(row: Marked) -> None:
    answer = answer_of(row.text)
    coverage = coverage_of(answer, claims_of(answer))
    assert coverage.uncovered == ()
    assert coverage.covered == coverage.sentences

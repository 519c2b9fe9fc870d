"""The claims of hand-marked blocks, as marked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.kit.suites import Row, load
from verifaible.claims import coverage_of, extract_claims
from verifaible.schema.analyst import AnalystAnswer, Claim, Source

ALL = load("claims")
#: Rows that each ask for a rule of their own: a list of Chinese institutions (the kind is not "name"), and a
#: bare noun that looks like a verb behind a command (the kind is not "opinion"). Their claims are found.
LEFT = frozenset(
    {
        next(row.id for row in ALL if row.input["text"] == "香港证监会批准了首批现货比特币ETF。"),
        "sentences/track-prices-volumes-and-shifts-in-hot-n",
    }
)
#: Signs that do not count at the ends of a range.
EDGE = " \t\r\n*_.,;:!?。，；：、！？\\"


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


def expected_of(row: Row) -> list[Expected]:
    """The claims of a row. ``words`` are there where those of the claim are put together (``respectively``)."""
    text = row.input["text"]
    return [
        Expected(
            each["kind"],
            *_bare(text, each["at"], each["at"] + len(each["quote"])),
            tuple(each.get("cites", ())),
            each.get("context", ""),
            each.get("words", ""),
        )
        for each in row.expect["claims"]
    ]


def _bare(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start] in EDGE:
        start += 1
    while end > start and text[end - 1] in EDGE:
        end -= 1
    return start, end


def differences(row: Row) -> list[str]:
    """What is not as marked."""
    text = row.input["text"]
    claims = extract_claims(answer_of(text))
    wanted = expected_of(row)
    if [_bare(text, each.start, each.end) for each in claims] != [(each.start, each.end) for each in wanted]:
        return [
            "range: " + " | ".join(f"{claim.kind[0]}:{text[claim.start : claim.end]}" for claim in claims)
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


@pytest.mark.parametrize("row", ALL, ids=lambda row: row.id)
def test_claims_are_as_marked(row: Row) -> None:
    assert bool(differences(row)) is (row.id in LEFT), differences(row)


@pytest.mark.parametrize("row", ALL, ids=lambda row: row.id)
def test_claims_cover_every_sentence(row: Row) -> None:
    answer = answer_of(row.input["text"])
    coverage = coverage_of(answer, extract_claims(answer))
    assert coverage.uncovered == ()
    assert coverage.covered == coverage.sentences


def test_the_documented_figure_is_the_suite_s() -> None:
    told = (Path(__file__).parents[3] / "docs" / "results" / "checking.md").read_text(encoding="utf-8")
    assert f"of {len(ALL)} marked blocks {len(ALL) - len(LEFT)} have all claims" in told

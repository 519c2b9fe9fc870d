"""The claims of hand-marked blocks, as marked."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.kit.suites import Row, load
from verifaible.claims import coverage_of, extract_claims
from verifaible.schema.analyst import AnalystAnswer, Claim, Source

ALL = load("claims")
#: Rows that are not as marked: lists of names and values given in turn (14: they stay one claim, which a model
#: splits), clauses whose verb only a dictionary knows (4), and kinds of which each asks for a rule of its own.
#: All their words are in claims.
LEFT = frozenset(
    {
        "english/withdrawals-pass-through-an-optimistic-c",
        "english/the-sequencer-orders-transactions-and-th",
        "english/ondo-maple-and-centrifuge-raised-46m-12m",
        "english/bitcoin-and-ethereum-fell-2-1-and-3-4-re",
        "english/the-team-said-the-token-would-launch-in",
        "english/it-supports-staking-lending-and-bridging",
        "english/fees-were-3m-9-and-costs-2m-99",
        "english/tl-dr-the-cliff-frees-44-million-tokens",
        "english/etf-inflows-totalled-1-2b-last-week-1-le",
        "english/three-factors-drive-the-rally",
        "english/binance-okx-and-bybit-list-the-token",
        "chinese/solana-avalanche和sui分别上涨4-2-和7-1",
        "chinese/营收分别为1-2亿元-1-5亿元和1-9亿元",
        "chinese/香港证监会批准了首批现货比特币etf",
        "sentences/btc-gained-2-eth-is-flat-and-sol-lost-4",
        "sentences/the-merger-was-reported-by-reuters-bloom",
        "sentences/in-2023-norway-sweden-and-denmark-joined",
        "sentences/bank-of-america-citi-and-ubs-withdrew-fr",
        "sentences/支持者-红杉资本-腾讯-高盛",
        "sentences/track-prices-volumes-and-shifts-in-hot-n",
        "sentences/what-matters-now-buybacks-645m-ytd-archi",
        "sentences/jupiter-jup-raydium-ray-and-orca-orca-ha",
        "sentences/backers-a16z-paradigm-coinbase-ventures",
        "sentences/funding-is-slightly-positive-0-008-per-8",
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

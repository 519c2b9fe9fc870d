"""A value that no source has refutes its claim only where it would stand somewhere if it were true."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.unit.judge.rules.made import claim, library
from verifaible.judge.rules.decide import decide

AT = datetime(2025, 11, 12, tzinfo=UTC)
AAVE = (
    "Aave held $36.52 billion at the end of September and $32.18 billion on 31 October. Aave has a treasury of"
    " 103,200 ETH, and ETH trades at $3,192. Its revenue was $8.14 million in October after $6.93 million in"
    " September."
)
PAIR = "Aave has $36.52 billion, Lido $32.18 billion."
CAP = "Aave's cap is $36.52 billion and $32.18 billion is used."
VOTE = "742,100 voted for Aave's proposal and 61,300 against."
QUORUM = "The quorum of Aave is 320,000 and 332,400 votes came."
HOLDERS = "Aave has $84,000,000 and 11,602 holders."


def verdict(text: str, *sources: str) -> str:
    return decide(claim(text, "Overview"), library(sources, at=AT)).verdict


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("Aave lost $4.34 billion since September", AAVE),
        ("Aave shed $4.34 billion in October", AAVE),
        ("$4.34 billion left Aave in October", AAVE),
        ("Aave's deposits are $4.34 billion short of September's level", AAVE),
        ("Aave added $1.21 million of revenue since September", AAVE),
        ("Aave's revenue beat September's by $1.21 million", AAVE),
        ("Aave brought in $15.07 million in September and October", AAVE),
        ("Aave earned $97.68 million at that annual pace", AAVE),
        ("On an annual basis that is $97.68 million for Aave", AAVE),
        ("Aave's daily revenue is $262,580", AAVE),
        ("Aave earned $262,580 each day in October", AAVE),
        ("Aave's treasury is worth $329.4 million", AAVE),
        ("Aave's treasury holds $329.4 million", AAVE),
        ("The two hold $68.70 billion", PAIR),
        ("Aave and Lido hold $68.70 billion", PAIR),
        ("The top two lenders hold $68.70 billion", PAIR),
        ("Aave leads Lido by $4.34 billion", PAIR),
        ("Aave has room for another $4.34 billion", CAP),
        ("The unused part of Aave's cap is $4.34 billion", CAP),
        ("803,400 votes were cast on Aave's proposal", VOTE),
        ("Turnout of Aave's vote was 803,400", VOTE),
        ("Aave's vote passed with 12,400 votes to spare", QUORUM),
        ("12,400 fewer voted for Aave", "Aave got 320,000 votes, Lido 332,400."),
        ("Aave's typical holder has $7,241", HOLDERS),
        ("Aave holders got $7,241 apiece", HOLDERS),
        ("A $10,000 deposit at Aave returns $452 a year", "Aave pays 4.52%."),
        ("Aave raised $12.5 million", "Aave raised $10 million and then $2.5 million."),
        ("持有量比二季度末多出1.11亿枚", "二季度末持有3.02亿枚，三季度末持有4.13亿枚。"),
        ("Aave比9月少了43.4亿美元", "Aave 9月底为365.2亿美元，10月底为321.8亿美元。"),
        ("Aave两个月进账1507万美元", "Aave 9月进账693万美元，10月进账814万美元。"),
        ("Aave净流出43.4亿美元", "Aave 流入321.8亿美元，流出365.2亿美元。"),
        ("Aave还剩43.4亿美元额度", "Aave 上限365.2亿美元，已用321.8亿美元。"),
        ("10,000美元存入Aave一年可得452美元", "Aave年化4.52%。"),
        ("803,400人参与了Aave投票", "742,100人赞成Aave提案，61,300人反对。"),
    ],
)
def test_what_numbers_of_a_source_may_make_is_not_refuted(text: str, source: str) -> None:
    assert verdict(text, source) != "refuted"


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("The hashrate of Bitfarms is 41.2 EH/s", "Bitfarms runs 41.2 EH/s"),
        ("The hashrate of Bitfarms is 41.2 EH/s", "Bitfarms runs 41.2EH/s"),
        ("The hashrate of Bitfarms is 41.2 exahash", "Bitfarms runs 41.2 EH/s"),
        ("The hashrate of Bitfarms is 41,200 PH/s", "Bitfarms runs 41.2 EH/s"),
        ("GHO dipped to 99.1 cents", "GHO fell to $0.991"),
        ("GHO dipped to 99.1¢", "GHO fell to $0.991"),
        ("Aave's operating income was $91.6 million", "Operating income (USD in thousands): 91,600"),
        (
            "Aave's operating income was $91.6 million",
            "Aave reports in USD thousands. Operating income 91,612.",
        ),
        ("Aave's revenue was 1.23 billion yen", "Aave's revenue was JPY 1,234 million"),
    ],
)
def test_what_stands_in_another_unit_or_an_untold_scale_is_not_refuted(text: str, source: str) -> None:
    assert verdict(text, source) != "refuted"


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("Aave collected $27.35 million", AAVE),
        ("Aave's treasury bought back $27.35 million", AAVE),
        ("Aave paid $1.93 million to auditors", AAVE),
        ("Aave issued 51,870 tokens", AAVE),
        ("Aave brought in $57.9 million", AAVE),
        ("Aave付出2935万美元", "Aave 9月进账693万美元，10月进账814万美元。"),
        ("Lido has $41.77 billion of deposits", PAIR),
    ],
)
def test_what_nothing_in_a_source_comes_near_is_refuted(text: str, source: str) -> None:
    assert verdict(text, source) == "refuted"


@pytest.mark.parametrize(
    "source",
    [
        "| Miner | Hashrate (EH/s) |\n|---|---|\n| CleanSpark | 50.3 |\n| Riot | 36.5 |\n",
        "| Miner | Hashrate |\n|---|---|\n| CleanSpark | 50.3 EH/s |\n| Riot | 36.5 EH/s |\n",
        "miner,hashrate_eh\nCleanSpark,50.3\nRiot,36.5\n",
        '{"name":"CleanSpark","hashrate_ehs":50.3}',
        '{"name":"CleanSpark","hashrate":"50.3 EH/s"}',
        "CleanSpark mined with 50.3 exahashes per second in October.",
        "CleanSpark's hash rate (EH/s) was 50.3.",
        "CleanSpark mined with 50,300 PH/s.",
        "CleanSpark算力达到50.3 EH/s。",
    ],
)
@pytest.mark.parametrize(
    ("text", "context"),
    [
        ("50.3 EH/s", ("Miners", "Hashrate", "CleanSpark")),
        ("50.3", ("Miners", "Hashrate (EH/s)", "CleanSpark")),
        ("CleanSpark runs 50.3 EH/s", ("Miners",)),
        ("CleanSpark算力为50.3 EH/s", ("矿企",)),
    ],
)
def test_a_unit_that_a_head_or_a_key_tells_is_not_refuted(
    text: str, context: tuple[str, ...], source: str
) -> None:
    assert decide(claim(text, *context), library((source,), at=AT)).verdict != "refuted"


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("Aave holds $3.17 million", "Aave holds $3.17 billion."),
        ("CleanSpark runs 51.4 EH/s", "CleanSpark runs 50.3 EH/s."),
        ("Lido has 41,775 validators", "Lido has 9,300 validators and pays 2.9%."),
    ],
)
def test_other_digits_or_another_scale_of_the_same_unit_are_refuted(text: str, source: str) -> None:
    assert verdict(text, source) == "refuted"

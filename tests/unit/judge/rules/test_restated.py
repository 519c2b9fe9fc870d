"""Claims in other words than their source: what is recognised, and what must not be."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from tests.unit.judge.rules import suite_restated
from tests.unit.judge.rules.made import claim, library
from tests.unit.judge.rules.suite_binding import Scene
from verifaible.judge.rules.decide import decide
from verifaible.judge.rules.lexicon import Lexicon
from verifaible.judge.rules.library import Library
from verifaible.judge.rules.phrases import Item, first_stems, items_of
from verifaible.judge.rules.tagging import Tagged
from verifaible.schema.judged import Finding

#: ``-`` is false, ``?`` is false or not said: either may be refuted where a source says otherwise.
ALLOWED = {
    "=": {"exact"},
    "?": {"undecided", "refuted"},
    "-": {"undecided", "refuted"},
    "~": {"exact", "undecided"},
}
Case = tuple[Scene, str, str]


def cases() -> list[Case]:
    found = []
    for scene in suite_restated.SCENES:
        for line in scene.claims.strip().splitlines():
            mark, _, text = line.strip().partition(" ")
            found.append((scene, mark, text))
    return found


@cache
def library_of(scene: Scene) -> Library:
    return library(scene.sources, topic=scene.topic)


def found(case: Case) -> Finding:
    return decide(claim(case[2]), library_of(case[0]))


@pytest.mark.parametrize("case", cases(), ids=lambda case: f"{case[0].name}-{case[2]}".replace(" ", "_"))
def test_a_paraphrase_gets_the_verdict_that_the_sentence_allows(case: Case) -> None:
    assert found(case).verdict in ALLOWED[case[1]]


def test_there_are_three_false_paraphrases_for_each_true_one() -> None:
    marks = Counter(mark for _, mark, _ in cases())
    assert marks["?"] + marks["-"] >= 2.5 * marks["="]
    assert marks["="] >= 35


def test_what_is_exact_points_to_a_sentence_to_the_byte() -> None:
    shown = 0
    for case in cases():
        if case[1] == "=":
            for passage in found(case).passages:
                text = case[0].sources[int(passage.source.removeprefix("src_"))]
                assert passage.quote
                assert text[passage.start : passage.end] == passage.quote
                shown += 1
    assert shown >= 35


def keys(text: str) -> list[tuple[str, str]]:
    return [(item.kind, text[item.start : item.end]) for item in items_of(Tagged(text, Lexicon()))]


def test_items_are_names_numbers_periods_and_words() -> None:
    text = "On 3 May 2025 at 07:46 UTC Aave's pool lost $2.1 million to Mango Labs"
    assert keys(text) == [
        ("period", "3 May 2025"),
        ("name", "Aave"),
        ("word", "pool"),
        ("word", "lost"),
        ("number", "$2.1 million"),
        ("proper", "Mango"),
        ("proper", "Labs"),
    ]


def test_chinese_is_read_by_character_but_for_phrases_with_synonyms() -> None:
    assert keys("缩表将于6月1日结束") == [
        ("word", "缩"),
        ("word", "表"),
        ("period", "6月1日"),
        ("word", "结束"),
    ]


def item(text: str, at: int) -> Item:
    return items_of(Tagged(text, Lexicon()))[at]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("they bought it", "they acquired it"),
        ("they stole it", "they drained it"),
        ("it went live", "it launched"),
        ("it fell", "it dropped"),
        ("they took back", "they recovered"),
        ("resumed", "restarted"),
    ],
)
def test_words_that_mean_the_same_share_a_key(one: str, other: str) -> None:
    assert item(one, -1).keys & item(other, -1).keys
    assert first_stems(item(one, -1)) & first_stems(item(other, -1))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("bought", "sold"),
        ("rose", "fell"),
        ("founded", "found"),
        ("minted", "burned"),
        ("raised", "lowered"),
        ("launched", "ended"),
        ("approved", "rejected"),
        ("locked", "unlocked"),
        ("inflow", "outflow"),
        ("staked", "unstaked"),
    ],
)
def test_words_that_mean_another_thing_share_none(one: str, other: str) -> None:
    assert not item(one, 0).keys & item(other, 0).keys


VENUES = (
    "| Venue | Spot volume | Fee |\n|---|---|---|\n| Binance | $12.4B | 0.1% |\n| Kraken | $1.2B | 0.2% |\n"
)
PERPS = '{"protocols":[{"name":"Lighter","total24h":8640000000,"change_7d":11.8,"openInterest":1690000000}]}'
RECORD = '{"id":"hyperliquid","symbol":"hype","name":"Hyperliquid","ath_change_percentage":{"usd":-38.68}}'


@pytest.mark.parametrize(
    ("text", "context", "source", "verdict"),
    [
        ("$12.4B", ("Q", "Trading activity of venues", "Spot volume", "Binance"), VENUES, "exact"),
        ("$12.4B", ("Q", "Trading activity of venues", "Spot volume", "Kraken"), VENUES, "refuted"),
        ("$12.4B", ("Q", "Futures volume by venue", "Volume", "Binance"), VENUES, "undecided"),
        ("0.1%", ("Q", "Trading on testnet", "Fee", "Binance"), VENUES, "undecided"),
        ("+11.8%", ("Q", "Volume and positions", "7d change", "Lighter"), PERPS, "exact"),
        ("$1.69B", ("Q", "Volume and positions", "Open interest", "Lighter"), PERPS, "exact"),
        ("+11.8%", ("Q", "Price and momentum", "7d change", "Lighter"), PERPS, "undecided"),
        ("HYPE is 38.7% below its all-time high", (), RECORD, "exact"),
        ("HYPE is 45% below its ATH", (), RECORD, "refuted"),
        ("HYPE is 38.7% above its all-time high", (), RECORD, "undecided"),
        ("HYPE is 38.7% below its all-time low", (), RECORD, "undecided"),
    ],
)
def test_a_cell_under_a_heading_and_a_distance_from_a_record(
    text: str, context: tuple[str, ...], source: str, verdict: str
) -> None:
    url = "https://api.llama.fi/overview/derivatives" if source is PERPS else ""
    assert decide(claim(text, *context), library([source], url=url)).verdict == verdict

"""300 names with 50 collisions, written before the resolver: which asset, or that several may be meant."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from tests.kit.suites import Row, load
from tests.unit.crypto.working import REPOSITORY
from verifaible.archive.reader import WaczReader
from verifaible.crypto.assets.resolver import Ambiguous, Asset, Match, Unknown, choose, resolve

#: The kinds of ``heldout-1`` are those that the resolver was not written for.
NAMES = [row for row in load("crypto/assets") if row.kind != "written"]


def resolved(row: Row) -> Match | Ambiguous | Unknown:
    """What the resolver says of a row."""
    return resolve(row.input["text"], row.input.get("chain", ""))


def right(row: Row) -> bool:
    """Whether the answer is the one expected; several expected assets are an ambiguity that names each."""
    found = resolved(row)
    expected: list[str] = row.expect["assets"]
    match found:
        case Match():
            return [found.asset.id] == expected
        case Ambiguous():
            ids = [asset.id for asset in found.candidates]
            return len(expected) > 1 and set(expected) <= set(ids)
        case Unknown():
            return not expected


def test_at_least_98_of_100_names_are_right() -> None:
    wrong = [row for row in NAMES if not right(row)]
    print(f"{len(NAMES) - len(wrong)} of {len(NAMES)} right; wrong: {[row.id for row in wrong]}")
    print(Counter(row.kind for row in wrong), [resolved(row) for row in wrong])
    assert len(NAMES) == 300
    assert len(wrong) <= 6


@pytest.mark.parametrize("row", load("crypto/assets", kind="written"), ids=lambda row: row.id)
def test_what_is_written_beside_a_name_counts(row: Row) -> None:
    assert right(row), resolved(row)


def test_none_of_50_collisions_is_picked_silently() -> None:
    collisions = [row for row in NAMES if row.kind == "collision"]
    silent = [
        row.id
        for row in collisions
        if isinstance(found := resolve(row.input["text"]), Match) and (not found.others or not found.note)
    ]
    assert len(collisions) == 50
    assert silent == []


def test_half_of_the_names_are_of_kinds_that_it_was_not_written_for() -> None:
    plain = [row for row in NAMES if row.kind != "collision"]
    assert sum(row.split == "heldout-1" for row in plain) * 2 == len(plain)


@pytest.mark.parametrize(
    ("ranks", "taken"),
    [((10, 40), True), ((10, 39), False), ((100, None), True), ((600, None), False), ((None, None), False)],
)
def test_largest_counts_only_where_it_is_far_larger(ranks: tuple[int | None, ...], taken: bool) -> None:
    assets = [Asset(id=f"coin-{at}", symbol="X", name="X", rank=rank) for at, rank in enumerate(ranks)]
    found = choose("X", assets)
    assert isinstance(found, Match) is taken
    if isinstance(found, Match):
        assert "coin-1" in found.note
    else:
        assert "coingecko:coin-0" in str(found) and "coingecko:coin-1" in str(found)


def test_address_in_any_case_and_base58_in_its_own() -> None:
    assert isinstance(resolve("0X6982508145454CE325DDBE47A25D4EC3D2311933"), Match)
    mint = "DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263"
    assert isinstance(resolve(mint), Match)
    assert isinstance(resolve(mint.lower()), Unknown)


def test_chain_tells_bearers_of_one_address_apart() -> None:
    address = "0x4200000000000000000000000000000000000006"
    assert isinstance(resolve(address), Ambiguous)
    found = resolve(address, "Base")
    assert isinstance(found, Match) and found.certain
    assert isinstance(resolve(address, "ethereum"), Unknown)


def test_unknown_chain_is_not_ignored() -> None:
    found = resolve("USDC", "nosuchchain")
    assert isinstance(found, Unknown)
    assert "usd-coin" in {asset.id for asset in found.nearest}


def test_name_that_two_assets_bear_when_written_otherwise_is_no_silent_pick() -> None:
    found = resolve("pepe coin")
    assert isinstance(found, Match)
    assert "pepecoin-2" in found.note


def test_only_a_market_of_binance_is_certain() -> None:
    market, pair = resolve("AIUSDT"), resolve("AI-USD")
    assert isinstance(market, Match) and market.certain
    assert isinstance(pair, Ambiguous)


def test_misspelt_name_has_the_nearest() -> None:
    found = resolve("hyperliqid")
    assert isinstance(found, Unknown)
    assert found.nearest[0].id == "hyperliquid"


def test_replaced_asset_says_what_replaced_it() -> None:
    found = resolve("MATIC")
    assert isinstance(found, Match)
    assert "coingecko:polygon-ecosystem-token" in found.note


def test_committed_table_is_what_the_script_makes() -> None:
    from scripts.assets.build import TARGET, built

    assert TARGET.read_text(encoding="utf-8") == built()


def test_the_table_has_the_coins_of_the_replica_with_their_tickers() -> None:
    with WaczReader(REPOSITORY / "snapshots/sites/api.coingecko.com.wacz") as reader:
        entry = next(each for each in reader.entries() if "/coins/markets?" in each.url)
        listed = {coin["id"]: coin["symbol"] for coin in json.loads(reader.exchange(entry).response.body)}
    assert len(listed) == 28
    table = json.loads((REPOSITORY / "verifaible/crypto/assets/assets.json").read_text(encoding="utf-8"))
    known = {row["id"]: row["symbol"].lower() for row in table["assets"]}
    assert listed.items() <= known.items()


def test_recorded_lists_widen_the_table_and_keep_what_they_lack() -> None:
    from scripts.assets.build import built

    pepe = "0x6982508145454ce325ddbe47a25d4ec3d2311933"
    coins = [
        {"id": "pepe", "platforms": {"ethereum": pepe, "moon": "0x1"}},
        {"id": "newcoin", "platforms": {"base": pepe}},
    ]
    markets: list[dict[str, Any]] = [
        {"id": "newcoin", "symbol": "new", "name": "New Coin", "market_cap_rank": 77},
        {"id": "pepe", "symbol": "pepe", "name": "Pepe", "market_cap_rank": 50},
        {"id": "dust", "symbol": "dust", "name": "Dust", "market_cap_rank": None},
    ]
    table = json.loads(built(coins, markets, "2026-11-01"))
    rows = {row["id"]: row for row in table["assets"]}
    assert table["as_of"] == "2026-11-01"
    assert (rows["newcoin"]["symbol"], rows["newcoin"]["rank"]) == ("NEW", 77)
    assert rows["newcoin"]["contracts"]["base"].lower() == pepe
    assert (rows["pepe"]["rank"], rows["pepe"]["binance"]) == (50, "PEPE")
    assert set(rows["pepe"]["contracts"]) == {"ethereum"}
    assert "dust" not in rows
    assert "rank" not in rows["bitcoin"]

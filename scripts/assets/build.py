"""Build ``verifaible/crypto/assets/assets.json`` from ``facts.tsv``.

    python -m scripts.assets.build [--coins FILE --markets FILE ... --date YYYY-MM-DD]

A line of ``facts.tsv``: CoinGecko's id, ticker, name, rank by market cap, what Binance calls it, other names
(commas between), pairs of chain and address, the id of what replaced it; bars between. The table is kept by
hand. The script refuses an address whose EIP-55 checksum is wrong, and an id given twice.

Recorded lists of CoinGecko widen it: ``/coins/list?include_platform=true`` and pages of ``/coins/markets``
give names, contracts and ranks of ``--date``; other names, markets of Binance and replacements stay those of
the facts.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

from eth_utils.address import is_checksum_address, to_checksum_address

FACTS = Path(__file__).with_name("facts.tsv")
TARGET = Path(__file__).resolve().parents[2] / "verifaible" / "crypto" / "assets" / "assets.json"
AS_OF = "2025-12-31"
#: The facts rank no asset behind this place.
RANKS_TO = 2_000
SOURCE = (
    "Kept by hand in scripts/assets/facts.tsv from general knowledge; nothing of it was fetched. Ids as "
    "CoinGecko has them; EIP-55 checksums are verified; ranks by market cap are rough."
)
#: CoinGecko's id of a chain, and what people call it; the number is that of EIP-155.
CHAINS = {
    "ethereum": ["1", "eth", "mainnet", "ethereum mainnet", "erc20", "erc-20"],
    "binance-smart-chain": ["56", "bsc", "bnb", "bnb chain", "bnb smart chain", "bep20", "bep-20"],
    "polygon-pos": ["137", "polygon", "matic", "polygon pos"],
    "arbitrum-one": ["42161", "arbitrum", "arb", "arbitrum one"],
    "optimistic-ethereum": ["10", "optimism", "op", "op mainnet"],
    "base": ["8453", "base mainnet"],
    "avalanche": ["43114", "avax", "avalanche c-chain"],
    "xdai": ["100", "gnosis", "gnosis chain"],
    "linea": ["59144", "linea mainnet"],
    "bitcoin": ["btc"],
    "solana": ["sol", "spl"],
    "tron": ["trx", "trc20", "trc-20"],
}


def asset(line: str) -> dict[str, Any]:
    """One line of the facts as a row of the table, without what is empty."""
    key, symbol, name, rank, binance, also, contracts, became = line.split("|")
    words = contracts.split()
    row = {
        "id": key,
        "symbol": symbol,
        "name": name,
        "rank": int(rank) if rank else None,
        "binance": binance,
        "also": [each.strip() for each in also.split(",") if each.strip()],
        "contracts": dict(zip(words[::2], words[1::2], strict=True)),
        "became": became,
    }
    return {name: value for name, value in row.items() if value}


def faults(rows: list[dict[str, Any]]) -> list[str]:
    """What is wrong with the table."""
    found = []
    by_id = {row["id"]: row for row in rows}
    if len(by_id) < len(rows):
        found.append("an id is given twice")
    for row in rows:
        if (new := row.get("became")) and new not in by_id:
            found.append(f"{row['id']}: became {new}, which is not in the table")
        for chain, address in row.get("contracts", {}).items():
            if chain not in CHAINS:
                found.append(f"{row['id']}: unknown chain {chain}")
            if re.match("0x", address) and not is_checksum_address(address):
                found.append(f"{row['id']}: the checksum of {address} is wrong")
    return found


def widened(
    rows: list[dict[str, Any]], coins: list[dict[str, Any]], markets: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The facts with the ranked coins of recorded lists, and their contracts on the chains known here."""
    own = {row["id"]: row for row in rows}
    platforms = {coin["id"]: coin.get("platforms") or {} for coin in coins}
    ranks = {coin["id"]: coin["market_cap_rank"] for coin in markets if coin.get("market_cap_rank")}
    listed = {coin["id"]: coin for coin in markets if coin["id"] in ranks or coin["id"] in own}
    found = []
    for key in dict.fromkeys((*own, *sorted(listed, key=lambda each: ranks.get(each) or len(ranks)))):
        coin: dict[str, Any] | None = listed.get(key)
        fact: dict[str, Any] = own.get(key, {})
        contracts = {
            chain: to_checksum_address(address) if address.startswith("0x") else address
            for chain, address in platforms.get(key, {}).items()
            if chain in CHAINS and address
        }
        row: dict[str, Any] = {
            "id": key,
            "symbol": fact.get("symbol") or str(coin and coin["symbol"]).upper(),
            "name": (coin or fact)["name"],
            "rank": ranks.get(key) if markets else fact.get("rank"),
            **{name: fact[name] for name in ("binance", "also", "became") if name in fact},
            "contracts": fact.get("contracts", {}) | contracts,
        }
        found.append({name: value for name, value in row.items() if value})
    return found


def built(
    coins: list[dict[str, Any]] | None = None, markets: list[dict[str, Any]] | None = None, date: str = AS_OF
) -> str:
    """The text of the file."""
    rows = [asset(line) for line in FACTS.read_text(encoding="utf-8").splitlines() if line]
    source, ranks_to = SOURCE, RANKS_TO
    if coins or markets:
        rows = widened(rows, coins or [], markets or [])
        ranks_to = max((row["rank"] for row in rows if "rank" in row), default=RANKS_TO)
        source = f"Recorded lists of CoinGecko of {date}. What they lack: {SOURCE}"
    if wrong := faults(rows):
        raise SystemExit("\n".join(wrong))
    lines = ",\n".join(f"  {json.dumps(row, ensure_ascii=False)}" for row in rows)
    facts = {"as_of": date, "source": source, "ranks_to": ranks_to, "chains": CHAINS}
    head = json.dumps(facts, ensure_ascii=False, indent=1)
    return f'{head[:-2]},\n "assets": [\n{lines}\n ]\n}}\n'


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(prog="python -m scripts.assets.build", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--coins", type=Path)
    parser.add_argument("--markets", type=Path, nargs="*", default=[])
    parser.add_argument("--date", default=AS_OF)
    options = parser.parse_args()
    coins = json.loads(options.coins.read_text(encoding="utf-8")) if options.coins else []
    markets = [row for page in options.markets for row in json.loads(page.read_text(encoding="utf-8"))]
    TARGET.write_text(built(coins, markets, options.date), encoding="utf-8")


if __name__ == "__main__":
    main()

"""Build ``verifaible/crypto/assets/assets.json`` from ``facts.tsv``.

    python -m scripts.assets.build [--check]

A line of ``facts.tsv``: CoinGecko's id, ticker, name, rank by market cap, what Binance calls it, other names
(commas between), pairs of chain and address, the id of what replaced it; bars between. The table is kept by
hand. The script refuses an address whose EIP-55 checksum is wrong, an id given twice, and a coin that the
replica of CoinGecko calls otherwise.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from eth_utils.address import is_checksum_address

from scripts.replicas.api_coingecko_com.coins import COINS

FACTS = Path(__file__).with_name("facts.tsv")
TARGET = Path(__file__).resolve().parents[2] / "verifaible" / "crypto" / "assets" / "assets.json"
AS_OF = "2025-12-31"
SOURCE = (
    "Kept by hand in scripts/assets/facts.tsv from general knowledge; nothing of it was fetched. Ids as "
    "CoinGecko has them; EIP-55 checksums are verified; ranks by market cap are rough, and none is given "
    "behind about 2,000."
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
    for coin in COINS:
        row = by_id.get(coin.id, {})
        if str(row.get("symbol", "")).lower() != coin.symbol:
            found.append(f"{coin.id}: the replica's ticker is {coin.symbol}")
    return found


def built() -> str:
    """The text of the file."""
    rows = [asset(line) for line in FACTS.read_text(encoding="utf-8").splitlines() if line]
    if wrong := faults(rows):
        raise SystemExit("\n".join(wrong))
    lines = ",\n".join(f"  {json.dumps(row, ensure_ascii=False)}" for row in rows)
    head = json.dumps({"as_of": AS_OF, "source": SOURCE, "chains": CHAINS}, ensure_ascii=False, indent=1)
    return f'{head[:-2]},\n "assets": [\n{lines}\n ]\n}}\n'


if __name__ == "__main__":
    if "--check" in sys.argv:
        raise SystemExit(TARGET.read_text(encoding="utf-8") != built())
    TARGET.write_text(built(), encoding="utf-8")

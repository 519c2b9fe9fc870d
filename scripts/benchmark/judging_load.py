"""A made load for the rules: many claims against many sources, with figures of no real asset.

``contexts(answers, claims, sources)`` yields, answer by answer, its sources with their texts and its claims.
A share of the claims is stated by a source, a share is changed, a share names another asset, and a share is
prose. The same seed gives the same load.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import time
from collections import Counter
from collections.abc import Iterator

from verifaible.factcheck.decide import decide
from verifaible.factcheck.library import Library
from verifaible.schema.analyst import Claim, Source
from verifaible.text.lists import words_of

_ASSETS = (
    *("Bitcoin BTC", "Ethereum ETH", "Solana SOL", "Hyperliquid HYPE", "Avalanche AVAX", "Cardano ADA"),
    *("Dogecoin DOGE", "Aave AAVE", "Uniswap UNI", "Pendle PENDLE", "Celestia TIA", "Injective INJ"),
    *("Aptos APT", "Stellar XLM", "Litecoin LTC", "Monero XMR", "Polkadot DOT", "Filecoin FIL", "Kaspa KAS"),
)
_WORDS = words_of(
    """
    traders weighed news against quiet week wider market upgrade moves settlement separate layer
    developers makes blocks cheaper check liquidity providers left pools after vote lenders
    stayed where were filing fund opens coins venues overstated desks handful exchanges
    governance forum proposal treasury grants audit bridge relay sequencer custody regulator
    hearing delay roadmap client release testnet validators slashing quorum delegate incentive
    season points campaign wallet integration partner rollout issuer reserve attestation
    corridor remittance
    """
)


def _filler(random_: random.Random) -> str:
    """A sentence of no matter; one in three has a number or a date."""
    words = random_.choices(sorted(_WORDS), k=random_.randint(9, 20))
    if random_.randrange(3) == 0:
        number = random_.choice(
            (
                f"{random_.randint(2, 900)}",
                f"{random_.uniform(0, 60):.1f}%",
                f"${random_.uniform(1, 900):.2f}M",
                f"in {random_.randint(2016, 2025)}",
                f"{random_.randint(1000, 90000):,}",
            )
        )
        words.insert(random_.randrange(3, len(words)), number)
    return " ".join(words).capitalize() + "."


def _facts(random_: random.Random) -> dict[str, float]:
    price = round(random_.uniform(0.5, 900), 2)
    return {
        "price": price,
        "market_cap": round(random_.uniform(2e8, 9e10)),
        "volume": round(random_.uniform(1e6, 9e9)),
        "change": round(random_.choice((-1, 1)) * random_.uniform(1, 19), 2),
        "supply": round(random_.uniform(1e6, 9e9)),
    }


def _source(random_: random.Random, asset: str, facts: dict[str, float], size: int) -> str:
    name, ticker = asset.split()
    shape = random_.randrange(4)
    if shape == 0:
        entry = {
            "id": name.lower(),
            "symbol": ticker.lower(),
            "name": name,
            "description": " ".join(_filler(random_) for _ in range(max(1, size // 140))),
            "market_data": {
                "current_price": {"usd": facts["price"]},
                "market_cap": {"usd": facts["market_cap"]},
                "total_volume": {"usd": facts["volume"]},
                "price_change_percentage_24h": facts["change"],
                "circulating_supply": facts["supply"],
            },
        }
        return json.dumps(entry, indent=1)
    told = (
        f"{name} ({ticker}) trades at ${facts['price']}. "
        f"Its market cap is ${facts['market_cap'] / 1e6:,.1f} million. "
        f"{ticker} 24h volume: ${facts['volume']:,}. {name} moved {facts['change']:+}% in 24 hours."
    )
    lines = [_filler(random_) for _ in range(max(1, size // 110))]
    lines.insert(random_.randrange(len(lines)), told)
    if shape == 1:
        rows = [f"| {name} | {facts['price']} | {facts['change']}% |"]
        rows += [
            f"| Token{n} | {random_.uniform(0, 50):.2f} | {random_.uniform(-9, 9):.1f}% |" for n in range(12)
        ]
        lines += ["", "| Asset | Price (USD) | 24h change |", "|---|---|---|", *rows]
    return "\n".join(lines)


def _claim(random_: random.Random, asset: str, facts: dict[str, float]) -> tuple[str, str]:
    name, ticker = asset.split()
    kind = random_.randrange(10)
    changed = dict(facts)
    if kind in (6, 7):
        changed = {key: value * 1.137 + 0.01 for key, value in facts.items()}
    if kind == 8:
        return "prose", f"{name} benefits from deep liquidity and a growing set of applications"
    if kind == 9:
        name = ticker = "Tezos"
    told = random_.choice(
        (
            f"{ticker} trades at ${changed['price']:,.2f}",
            f"{name}'s market cap is ${changed['market_cap'] / 1e9:.2f} billion",
            f"24h trading volume of {ticker} is ${changed['volume'] / 1e6:.1f}M",
            f"{name} changed {changed['change']:+.1f}% in the past 24 hours",
        )
    )
    return ("true" if kind < 6 else "changed" if kind < 8 else "other asset"), told


def contexts(
    answers: int = 100, claims: int = 100, sources: int = 100, *, seed: int = 7
) -> Iterator[tuple[list[tuple[Source, str]], list[tuple[str, Claim]]]]:
    """Each answer's sources (2 to 5 kB each) and its claims with what was done to them."""
    random_ = random.Random(seed)  # noqa: S311
    for answer in range(answers):
        facts = {asset: _facts(random_) for asset in _ASSETS}
        pairs = []
        for number in range(sources):
            asset = _ASSETS[number % len(_ASSETS)]
            text = _source(random_, asset, facts[asset], random_.randint(2000, 5000))
            pairs.append(
                (Source(id=f"src_{number}", kind="page", capture=f"{answer:032x}{number:032x}"), text)
            )
        told = []
        for number in range(claims):
            asset = random_.choice(_ASSETS)
            made, text = _claim(random_, asset, facts[asset])
            told.append((made, Claim(id=f"c{number}", start=0, end=len(text), text=text, kind="number")))
        yield pairs, told


def measure(answers: int, claims: int, sources: int) -> dict[str, object]:
    """Processor time of the rules, peak memory of the process, verdicts by what was done to a claim."""
    verdicts: Counter[str] = Counter()
    seconds, size = 0.0, 0
    for pairs, told in contexts(answers, claims, sources):
        size += sum(len(text) for _, text in pairs)
        begun = time.process_time()
        library = Library(pairs)
        for made, claim in told:
            verdicts[f"{made}: {decide(claim, library).outcome}"] += 1
        seconds += time.process_time() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "claims": answers * claims,
        "characters": size,
        "seconds": round(seconds, 1),
        "peak_mb": round(peak),
        "verdicts": dict(sorted(verdicts.items())),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=100)
    parser.add_argument("--claims", type=int, default=100)
    parser.add_argument("--sources", type=int, default=100)
    given = parser.parse_args()
    print(json.dumps(measure(given.answers, given.claims, given.sources), indent=1))

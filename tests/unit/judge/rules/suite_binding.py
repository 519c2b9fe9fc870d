"""Claims against sources: which verdict the rules may give.

Each scene has sources and claims. Before a claim stands what it must be: ``=`` exact, ``!`` refuted, ``?``
undecided (a look-alike: never exact; nothing there refutes it either), ``-`` not exact, whether refuted or
undecided. After `` @ `` may stand the claim's context, parted by `` / ``.
"""

from __future__ import annotations

from dataclasses import dataclass

HYPE_JSON = """{"id": "hyperliquid", "symbol": "hype", "name": "Hyperliquid",
 "market_data": {"current_price": {"usd": 36.36, "eur": 31.2, "btc": 0.00034},
  "market_cap": {"usd": 9857283441, "eur": 8459000000},
  "fully_diluted_valuation": {"usd": 36354000600},
  "total_volume": {"usd": 579962113},
  "high_24h": {"usd": 39.12}, "low_24h": {"usd": 35.04},
  "ath": {"usd": 59.3}, "ath_date": {"usd": "2025-09-18T05:10:28.000Z"},
  "price_change_percentage_24h": -5.81, "price_change_percentage_7d": -12.44,
  "price_change_percentage_30d": -33.02,
  "circulating_supply": 270772999.0, "total_supply": 999835000.0, "max_supply": 1000000000.0}}"""

MARKETS_JSON = """[
 {"id": "bitcoin", "symbol": "btc", "name": "Bitcoin", "current_price": 107240, "market_cap": 2137885000000,
  "total_volume": 98410000000, "price_change_percentage_24h": -1.92},
 {"id": "ethereum", "symbol": "eth", "name": "Ethereum", "current_price": 3862.14, "market_cap": 466020000000,
  "total_volume": 53710000000, "price_change_percentage_24h": -3.35},
 {"id": "solana", "symbol": "sol", "name": "Solana", "current_price": 183.07, "market_cap": 100030000000,
  "total_volume": 11870000000, "price_change_percentage_24h": -4.61}]"""

LLAMA_JSON = """{"protocols": [
 {"name": "Aave V3", "slug": "aave-v3", "symbol": "AAVE", "chain": "Multi-Chain", "tvl": 36512000000.5, "change_1d": -1.25, "change_7d": -6.4},
 {"name": "Lido", "slug": "lido", "symbol": "LDO", "chain": "Ethereum", "tvl": 33078000000.0, "change_1d": -2.75, "change_7d": -9.1},
 {"name": "EigenLayer", "slug": "eigenlayer", "symbol": "EIGEN", "chain": "Ethereum", "tvl": 17290000000.0, "change_1d": -2.1, "change_7d": -8.3}]}"""

TABLE_MD = """# Layer 1 overview, October 2025

| Asset | Price (USD) | Market cap (USD billions) | 24h volume | 7d change |
|---|---:|---:|---:|---:|
| Bitcoin (BTC) | 107,240 | 2,137.9 | $98.4B | -8.4% |
| Ethereum (ETH) | 3,862.14 | 466.0 | $53.7B | -11.2% |
| Solana (SOL) | 183.07 | 100.0 | $11.9B | -15.6% |
| Avalanche (AVAX) | 20.11 | 8.5 | $0.9B | -28.7% |

All figures from the exchange's own feed.
"""

METRICS_MD = """## Key metrics

| Metric | Aave | Compound |
|---|---|---|
| TVL | $36.5B | $2.6B |
| Annual revenue | $118.2M | $14.7M |
| Active users (30d) | 94,300 | 8,150 |
| Token price | $224.50 | $35.12 |
"""

NEWS = """Hyperliquid (HYPE) traded at $36.36 on October 17, 2025, down 5.8% over the past 24 hours.
Its market cap stood at $9.86 billion, while 24-hour trading volume reached $579.96 million.
Analysts at Coinpedia expect HYPE to reach $55 by the end of the year.
Open interest on Hyperliquid fell to $6.1 billion from $9.8 billion a week earlier.
The token's all-time high of $59.30 was set on September 18, 2025.
Solana dropped 4.6% to $183.07, and Ethereum slid 3.4% to $3,862.
"""

NEWS_ZH = """以太坊（ETH）现价为3862.14美元，24小时下跌3.35%。
其市值为4660.2亿美元，24小时成交量达537.1亿美元。
比特币现价107240美元，7日跌幅8.4%。
分析师预计以太坊年底将达到6000美元。
"""

FUNDS = """Acme Labs raised $12.5 million in a Series A round led by Paradigm in March 2024.
Beacon Finance raised $8 million in a seed round led by Dragonfly in May 2024.
Acme Labs did not raise $20 million, as some reports had said.
The protocol has 42 validators. The Acme team has 35 employees.
Acme's staking program pays 5.2% APY, and its lending market pays 3.1% APY.
"""

EXCHANGES = """On Binance, BTC traded at $107,310. On Kraken, BTC traded at $107,225.
Coinbase reported Bitcoin spot volume of $4.2 billion; Binance reported futures volume of $38.6 billion.
The BTC funding rate on Binance was 0.0102%, against 0.0065% on Bybit.
"""

TSV = "coin\tprice_usd\tvolume_24h_usd\tholders\nPEPE\t0.00000712\t512000000\t498120\nBONK\t0.0000151\t233000000\t981477\n"

SNIPPET = """Hyperliquid Price: HYPE Live Price Chart, Market Cap - CoinGecko: The price of Hyperliquid (HYPE) is $36.36 today with a 24-hour trading volume of $579,962,113. This represents a -5.81% price decline in the last 24 hours. Hyperliquid has a circulating supply of 270 Million HYPE. Source: https://www.coingecko.com/en/coins/hyperliquid"""

CONFLICT_A = "The TVL of Morpho is $8.1 billion, according to DefiLlama."
CONFLICT_B = "Morpho's TVL is $7.4 billion."


@dataclass(frozen=True)
class Scene:
    """Sources (all with ``title`` and ``url``), claims on them, and the query of the answer they come from."""

    name: str
    sources: tuple[str, ...]
    claims: str
    topic: str = ""
    title: str = ""
    url: str = ""


SCENES = (
    Scene(
        "coin json",
        (HYPE_JSON,),
        """
        = Hyperliquid trades at $36.36
        = HYPE is trading at $36.4
        = The price of $HYPE is $36.36
        = HYPE price: $36
        = Hyperliquid's market cap is $9.86 billion
        = Hyperliquid's market cap is $9.9B
        = HYPE has a fully diluted valuation of $36.35B
        = HYPE has an FDV of $36.4B
        = HYPE 24h volume is $579.96M
        = HYPE's 24-hour trading volume is $580 million
        = HYPE is down 5.8% in the past 24 hours
        = HYPE 24h change: -5.81%
        = HYPE fell 12.4% over the past 7 days
        = HYPE fell 33% in 30 days
        = Circulating supply of HYPE is 270.8M
        = The total supply of HYPE is 999.8M
        = HYPE max supply is 1 billion tokens
        = HYPE's all-time high is $59.30
        = HYPE 24h high is $39.12
        = HYPE 24h low: $35.04
        = Price (USD): $36.36 @ Hyperliquid (HYPE) / Metric / Value
        = Circulating Supply: 270.8M HYPE @ Hyperliquid
        = $36.36 @ Hyperliquid (HYPE) / Value / Price (USD)
        = –5.8% @ Hyperliquid / Value / 24h Change
        = 270.8M HYPE @ Tokenomics / Value / Circulating Supply
        - –5.8% @ Hyperliquid / Value / 7d Change
        - –5.8% @ Hyperliquid / Value / 24h TVL Change
        - $36.36 @ Hyperliquid / Value / Average entry price
        - $36.36 @ Hyperliquid / Value / Resistance
        - $36.36 @ Hyperliquid / Forecast range / CoinCodex
        - $36.36 @ Solana / Value / Price (USD)
        - 270.8M HYPE @ Tokenomics / Value / Total Supply
        = 代币HYPE现价为36.36美元
        = HYPE 市值约为98.6亿美元
        = HYPE 24小时成交量为5.8亿美元
        = HYPE流通量为2.708亿枚
        = The HYPE price is over $36
        ! Hyperliquid trades at $35.36
        ! HYPE is trading at $36.63
        ! Hyperliquid's market cap is $9.76 billion
        ! Hyperliquid's market cap is $9.86 million
        ! HYPE 24h volume is $597.96M
        ! HYPE's 24h change is -6.81%
        ! HYPE max supply is 2 billion tokens
        ! HYPE's all-time high is $59.93
        - HYPE rose 5.8% in the past 24 hours
        - HYPE market cap is $36.35 billion
        - HYPE fully diluted valuation is $9.86B
        - HYPE price is $39.12
        - HYPE trades at $59.30
        - HYPE's all-time high is $36.36
        - HYPE fell 5.8% over the past 7 days
        - HYPE fell 12.4% in the past 24 hours
        - HYPE fell 12.4% in 30 days
        - HYPE trades at €36.36
        - HYPE price is $31.2
        - HYPE trades at 36.36 BTC
        - The total supply of HYPE is 270.8M
        - Circulating supply of HYPE is 999.8M
        - Solana trades at $36.36
        - SOL market cap is $9.86B
        - HYPE 24h low is $39.12
        - HYPE 24h high is $35.04
        - HYPE market cap fell 5.8% in the past 24 hours
        - HYPE trading volume fell 5.8% in the past 24 hours
        - HYPE 7d volume is $579.96M
        - HYPE is expected to reach $36.36
        - HYPE could climb to $59.30
        - HYPE did not trade at $36.36
        - HYPE is not down 5.8% in the past 24 hours
        - HYPE on Binance trades at $36.36
        - HYPE open interest is $579.96M
        - HYPE TVL is $9.86B
        """,
    ),
    Scene(
        "markets json",
        (MARKETS_JSON,),
        """
        = Bitcoin trades at $107,240
        = BTC is trading at $107.2K
        = ETH price is $3,862.14
        = Ether trades at $3,862
        = Solana's market cap is $100.03 billion
        = SOL fell 4.6% in the past 24 hours
        = ETH is down 3.35% over the last 24 hours
        = Bitcoin's market cap is $2.14 trillion
        = Bitcoin 24h volume is $98.41B
        = SOL's 24h trading volume: $11.87B
        = 比特币市值为2.14万亿美元
        = 以太坊现价3862.14美元
        = SOL trades at $183.07 with a market cap of $100.03B
        ! Bitcoin trades at $117,240
        ! ETH price is $3,682.14
        ! Solana's market cap is $110.03 billion
        ! SOL fell 6.4% in the past 24 hours
        - Ethereum trades at $183.07
        - Solana trades at $3,862.14
        - Bitcoin's market cap is $466.02B
        - ETH fell 1.92% in the past 24 hours
        - Bitcoin fell 3.35% in the past 24 hours
        - SOL 24h volume is $53.71B
        - Avalanche trades at $183.07
        - BNB has a market cap of $466.02B
        - Wrapped Bitcoin trades at $107,240
        - Bitcoin Cash trades at $107,240
        - Ethereum Classic trades at $3,862.14
        - SOL trades at $183.07 with a market cap of $466.02B
        - SOL is 4.61% below its all-time high
        - Bitcoin dominance fell 1.92% in the past 24 hours
        """,
    ),
    Scene(
        "protocols json",
        (LLAMA_JSON,),
        """
        = Lido's TVL is $33.08 billion
        = EigenLayer TVL: $17.29B
        = Lido has a total value locked of $33.1B
        = EigenLayer TVL fell 8.3% over 7 days
        = Lido's TVL dropped 2.75% in the past 24 hours
        = EigenLayer总锁仓量为172.9亿美元
        ! Lido's TVL is $38.03 billion
        ! EigenLayer TVL: $12.79B
        - Lido's TVL is $17.29B
        - EigenLayer's TVL is $33.08B
        - LDO trades at $33.08
        - LDO price fell 2.75% in the past 24 hours
        - Lido's market cap is $33.08 billion
        - Ethereum's TVL is $33.08B
        - Lido's TVL dropped 9.1% in the past 24 hours
        - EigenLayer TVL rose 8.3% over 7 days
        - Rocket Pool's TVL is $17.29B
        """,
    ),
    Scene(
        "table of assets",
        (TABLE_MD,),
        """
        = Bitcoin trades at $107,240
        = Ethereum's market cap is $466.0 billion
        = Solana's 24h volume is $11.9B
        = AVAX is down 28.7% over 7 days
        = Avalanche's price is $20.11
        = SOL price: $183.07
        = Bitcoin's market cap is $2.14 trillion
        = 以太坊市值为4660亿美元
        ! Bitcoin trades at $170,240
        ! Avalanche's price is $21.11
        ! AVAX is down 27.8% over 7 days
        - Ethereum trades at $183.07
        - Avalanche's price is $183.07
        - Solana's market cap is $8.5 billion
        - Solana's market cap is $100.0 million
        - AVAX is down 28.7% in the past 24 hours
        - Solana's 7d volume is $11.9B
        - Solana's FDV is $100.0 billion
        - AVAX is up 28.7% over 7 days
        - Polkadot's price is $20.11
        - Solana's price is €183.07
        - Solana's 24h volume is $53.7B
        """,
    ),
    Scene(
        "table of metrics",
        (METRICS_MD,),
        """
        = Aave's TVL is $36.5B
        = Compound's TVL is $2.6 billion
        = AAVE token price is $224.50
        = Compound's annual revenue is $14.7M
        = Aave has 94,300 active users in 30 days
        ! Aave's TVL is $35.6B
        ! Compound's annual revenue is $17.4M
        - Aave's TVL is $2.6B
        - Compound's TVL is $36.5B
        - Aave's annual revenue is $14.7M
        - Aave's monthly revenue is $118.2M
        - Aave's annual fees are $118.2M
        - Compound has 94,300 active users in 30 days
        - Aave has 94,300 active users in 7 days
        - COMP trades at $224.50
        - Uniswap's TVL is $36.5B
        """,
    ),
    Scene(
        "news",
        (NEWS,),
        """
        = HYPE traded at $36.36 on October 17, 2025
        = Hyperliquid (HYPE) traded at $36.36 on 17 October 2025
        = HYPE was down 5.8% over the past 24 hours
        = HYPE's all-time high is $59.30
        = HYPE's all-time high of $59.30 was set on September 18, 2025
        = Open interest on Hyperliquid fell to $6.1 billion
        = Analysts at Coinpedia expect HYPE to reach $55 by the end of the year
        = Solana dropped 4.6% to $183.07
        = Ethereum slid 3.4% to $3,862
        ! HYPE traded at $39.36 on October 17, 2025
        ! HYPE's all-time high is $69.30
        - HYPE traded at $36.36 on October 16, 2025
        - HYPE traded at $36.36 on October 17, 2024
        - HYPE was down 5.8% over the past week
        - HYPE trades at $55
        - HYPE's price is $55
        - HYPE will not reach $55 by the end of the year
        - HYPE's all-time high is $55
        - HYPE trades at $59.30
        - Open interest on Hyperliquid is $9.8 billion
        - Open interest on Hyperliquid rose to $6.1 billion
        - HYPE's market cap is $6.1 billion
        - HYPE's market cap is $579.96 million
        - HYPE's 24-hour trading volume is $9.86 billion
        - Ethereum dropped 4.6% to $183.07
        - Solana slid 3.4% to $3,862
        - Solana trades at $3,862
        - Ethereum slid 4.6% to $3,862
        - Solana's market cap is $183.07
        - Solana dropped 4.6% in the past week to $183.07
        - HYPE's all-time high of $59.30 was set on September 17, 2025
        - HYPE's all-time low is $59.30
        - HYPE's open interest is $6.1 million
        """,
    ),
    Scene(
        "chinese news",
        (NEWS_ZH,),
        """
        = 以太坊现价为3862.14美元
        = ETH现价3862美元
        = 以太坊24小时下跌3.35%
        = ETH trades at $3,862.14
        = 比特币现价107240美元
        = 比特币7日跌幅8.4%
        = Bitcoin trades at $107,240
        ! 以太坊现价为3682.14美元
        ! 比特币现价117240美元
        - 以太坊现价107240美元
        - 比特币现价3862.14美元
        - 比特币24小时下跌8.4%
        - 以太坊现价6000美元
        - ETH trades at $6,000
        - 比特币24小时下跌3.35%
        - 以太坊24小时上涨3.35%
        - 以太坊成交量为4660.2亿美元
        - 以太坊现价3862.14元
        """,
    ),
    Scene(
        "funding news",
        (FUNDS,),
        """
        = Acme Labs raised $12.5 million in a Series A round led by Paradigm in March 2024
        = Acme Labs raised $12.5M in a Series A round
        = Beacon Finance raised $8 million in a seed round led by Dragonfly
        = Beacon Finance raised $8M in May 2024
        = The Acme team has 35 employees
        - Beacon Finance raised $12.5 million
        - Acme Labs raised $8 million
        - Acme Labs raised $20 million
        - Acme Labs raised $12.5 million in a seed round
        - Acme Labs raised $12.5 million in a Series B round
        - Acme Labs raised $12.5 million in May 2024
        - Acme Labs raised $12.5 million in March 2023
        - Acme Labs raised $12.5 million in a round led by Dragonfly
        - Acme Labs has 42 employees
        - Acme Labs has 35 validators
        - Acme's lending market pays 5.2% APY
        - Acme's staking program pays 3.1% APY
        - Beacon's staking program pays 5.2% APY
        - Acme Labs spent $12.5 million
        - Acme Labs lost $12.5 million in March 2024
        - Acme Labs was valued at $12.5 million
        - Acme Labs burned 42 tokens
        """,
    ),
    Scene(
        "exchanges",
        (EXCHANGES,),
        """
        = On Binance, BTC traded at $107,310
        = On Kraken, BTC traded at $107,225
        = The BTC funding rate on Binance was 0.0102%
        - On Kraken, BTC traded at $107,310
        - On Coinbase, BTC traded at $107,310
        - BTC funding rate on Bybit was 0.0102%
        - BTC funding rate on Binance was 0.0065%
        - Binance reported spot volume of $38.6 billion
        - Coinbase reported futures volume of $4.2 billion
        - Coinbase reported Bitcoin spot volume of $38.6 billion
        - Kraken reported Bitcoin spot volume of $4.2 billion
        - ETH funding rate on Binance was 0.0102%
        - On Binance, ETH traded at $107,310
        """,
    ),
    Scene(
        "tsv",
        (TSV,),
        """
        = PEPE has 498,120 holders
        = PEPE trades at $0.00000712
        = BONK's 24h volume is $233M
        = BONK has 981,477 holders
        ! PEPE has 489,120 holders
        - BONK has 498,120 holders
        - PEPE has 981,477 holders
        - PEPE's 24h volume is $233M
        - PEPE trades at $0.0000151
        - PEPE has 512,000,000 holders
        - PEPE's market cap is $512M
        - DOGE has 498,120 holders
        """,
    ),
    Scene(
        "search snippet",
        (SNIPPET,),
        """
        = The price of Hyperliquid (HYPE) is $36.36
        = HYPE trades at $36.36
        = Hyperliquid has a circulating supply of 270 million HYPE
        = Hyperliquid's 24-hour trading volume is $579.96M
        - HYPE total supply is 270 million
        - HYPE's market cap is $579.96M
        - HYPE's market cap is $36.36
        - HYPE rose 5.81% in the last 24 hours
        ! HYPE trades at $63.36
        """,
    ),
    Scene(
        "two sources that disagree",
        (CONFLICT_A, CONFLICT_B),
        """
        ? Morpho's TVL is $6.2 billion
        - Morpho's market cap is $8.1 billion
        - Euler's TVL is $8.1 billion
        """,
    ),
    Scene(
        "words",
        (NEWS, FUNDS),
        """
        = "The token's all-time high of $59.30 was set on September 18, 2025."
        = The Acme team has 35 employees.
        ? Hyperliquid has strong institutional support
        ? The token has an active community of traders
        ? HYPE is a token of Hyperliquid with open interest and volume
        ? Acme Labs is a protocol with a staking program
        - Paradigm raised $12.5 million
        - Dragonfly led a round of $12.5 million
        - HYPE's staking ratio is 43.27 percentage points
        - The treasury holds $777.3 million in HYPE
        ? The average of the two is 43.27
        - Aggregate volume totals $1.234 billion
        """,
    ),
    Scene(
        "word names",
        (
            "The hype around memecoins faded. The hype index stood at 36.36 points.",
            "NEAR trades at $2.31. Support is near $2.10. One analyst has a link to the sui generis report.",
            "LINK price: $17.02\nSUI price: $2.44\nONE price: $0.0081\n",
        ),
        """
        = NEAR trades at $2.31
        = Chainlink's price is $17.02
        = SUI price: $2.44
        - HYPE trades at $36.36
        - HYPE stands at 36.36 points
        - Harmony trades at $17.02
        - NEAR trades at $2.10
        - Chainlink trades at $2.44
        """,
    ),
)


def cases() -> list[tuple[str, tuple[str, ...], str, str, tuple[str, ...]]]:
    """(scene, sources, expected, claim, context)."""
    found = []
    for scene in SCENES:
        for line in scene.claims.strip().splitlines():
            expected, _, rest = line.strip().partition(" ")
            claim, _, context = rest.partition(" @ ")
            found.append(
                (scene.name, scene.sources, expected, claim, tuple(filter(None, context.split(" / "))))
            )
    return found

"""More claims against sources, written after the rules first ran, in the form of :mod:`suite_binding`.

Marks as there; ``~`` may be anything but exact, and must not be refuted: the source is silent, coarser, or says it
in a way that rules need not see.
"""

from __future__ import annotations

from tests.unit.judge.rules.suite_binding import Scene

SIMPLE_PRICE = '{"bitcoin":{"usd":107240,"usd_market_cap":2137885000000.5,"usd_24h_vol":98410000000.1,"usd_24h_change":-1.92},"ethereum":{"usd":3862.14,"usd_24h_change":-3.35}}'

CMC = """{"status": {"timestamp": "2025-10-17T12:00:00.000Z", "error_code": 0},
 "data": {"SOL": [{"id": 5426, "name": "Solana", "symbol": "SOL", "cmc_rank": 6, "circulating_supply": 546321879.4,
  "quote": {"USD": {"price": 183.07, "volume_24h": 11870000000.2, "percent_change_24h": -4.61, "percent_change_7d": -15.6,
   "market_cap": 100030000000.9, "market_cap_dominance": 2.81}}}]}}"""

DEX = """{"pairs": [{"chainId": "solana", "dexId": "raydium", "baseToken": {"name": "Bonk", "symbol": "BONK"},
  "quoteToken": {"name": "Wrapped SOL", "symbol": "SOL"}, "priceUsd": "0.00001512", "volume": {"h24": 4210331.5, "h6": 902113.2},
  "liquidity": {"usd": 1733021.4}, "fdv": 1329000000, "txns": {"h24": {"buys": 5120, "sells": 4873}}}]}"""

HISTORY = '{"prices": [[1760486400000, 41.02], [1760572800000, 38.77], [1760659200000, 36.36]], "coin": "hyperliquid"}'

EURO = '{"id": "solana", "symbol": "sol", "name": "Solana", "vs_currency": "eur", "current_price": 157.2, "market_cap": 85900000000}'

FORECAST_JSON = (
    '{"name": "Cardano", "symbol": "ADA", "forecast": {"price": 1.45, "price_low": 0.62}, "price": 0.634}'
)

MULTI = """Bitcoin and Ethereum trade at $107,240 and $3,862, respectively.
BTC, ETH and SOL fell 1.9%, 3.4% and 4.6%.
HYPE outperformed SOL, trading at $36.36.
Unlike Cardano, which trades at $0.634, Avalanche changed hands at $20.11.
The gap between XRP's market cap of $137 billion and BNB's $151 billion narrowed.
Litecoin ($92.40) and Monero ($298.10) held steady.
"""

FLOWS = """Spot bitcoin ETFs drew net inflows of $477 million on Tuesday, while spot ether ETFs lost $98.2 million.
BlackRock's IBIT alone took in $210.9 million. Total assets under management stood at $149.7 billion.
Grayscale's fund saw outflows of $68.6 million.
"""

BULLETS = """# Market wrap

## Aave
- TVL: $36.5B
- Revenue (30d): $9.8M
- Borrowed: $24.1B

## Morpho
- TVL: $8.1B
- Revenue (30d): $0.4M

**Lido**
- TVL: $33.1B
- Staking APR: 2.6%

The DAO treasury of Uniswap holds 312.4 million UNI.
"""

DATED_TABLE = """Quarterly revenue of Tether, USD millions

| Quarter | Revenue | Net profit |
|---|---|---|
| Q1 2025 | 1,120 | 830 |
| Q2 2025 | 1,305 | 1,012 |
| Q3 2025 | 1,488 | (214) |
"""

RUMOUR = """There is no evidence that Pendle raised $55 million; the team denied the report.
Celestia is rumoured to have sold 9.2 million TIA.
If adoption doubles, Chainlink fees would reach $410 million.
Had the vote passed, the Optimism treasury would hold 770 million OP.
It is false that Kraken holds 12,500 BTC.
"""

ZH_MIX = """| 代币 | 价格（美元） | 市值（亿美元） | 24小时涨跌 |
|---|---|---|---|
| 比特币 | 107240 | 21378.9 | -1.92% |
| 以太坊 | 3862.14 | 4660.2 | -3.35% |

Solana的TVL为113亿美元，较上周下降6.2%。
与以太坊不同，波场的TVL为61亿美元。
币安报告称，BNB销毁了144万枚。
"""

RATES = """The Federal Reserve cut its rate by 25 basis points to a range of 4.00% to 4.25%.
USDC supply on Solana reached $9.7 billion, against $41.2 billion on Ethereum.
Ethena's USDe yields 7.9% APY on Pendle and 5.1% APY on Aave.
Validator count rose from 1,012 to 1,087 over the year.
The Arbitrum network processed 3.42 million transactions on Monday.
"""

STALE = """On January 3, 2024, Sui traded at $0.77 with a market cap of $802 million.
Sui reached $5.35 on January 6, 2025, its all-time high.
"""

CSV = """date,coin,close_usd,volume_usd
2025-10-15,Kaspa,0.0512,41200000
2025-10-16,Kaspa,0.0498,39800000
2025-10-16,Stellar,0.3127,228000000
"""

PROSE_JSON = """Search result
{"title": "Aptos price today", "snippet": "Aptos (APT) is trading at $3.41, down 4.2% in 24 hours. Market cap: $2.4 billion.", "url": "https://example.org/aptos"}
{"title": "Injective", "snippet": "The live INJ price is $8.92 with a 24-hour trading volume of $97.4 million.", "url": "https://example.org/inj"}
"""

SCENES = (
    Scene(
        "simple price",
        (SIMPLE_PRICE,),
        """
        = Bitcoin trades at $107,240
        = BTC's market cap is $2.14T
        = Bitcoin's 24h volume is $98.4 billion
        = Bitcoin fell 1.92% in the past 24 hours
        = ETH is down 3.35% in 24 hours
        - Ethereum trades at $107,240
        - Ethereum fell 1.92% in the past 24 hours
        - ETH's market cap is $2.14T
        - Bitcoin's market cap fell 1.92% in 24 hours
        - Bitcoin fell $1.92 in 24 hours
        ! Bitcoin trades at $101,240
        """,
    ),
    Scene(
        "nested quote",
        (CMC,),
        """
        = Solana trades at $183.07
        = SOL's 24h volume is $11.87B
        = SOL fell 4.61% over the past 24 hours
        = Solana's circulating supply is 546.3 million SOL
        = Solana's dominance is 2.81%
        - SOL fell 15.6% over the past 24 hours
        - SOL rose 15.6% over the past 7 days
        - Solana's total supply is 546.3 million SOL
        - Solana's market cap dominance is 28.1%
        - Solana's rank is 5426
        - Bitcoin trades at $183.07
        """,
    ),
    Scene(
        "dex pair",
        (DEX,),
        """
        - SOL trades at $0.00001512
        - Solana's liquidity is $1.73M
        - BONK's 24h volume is $902K
        - BONK's market cap is $1.33B
        - Raydium's FDV is $1.33B
        - BONK liquidity is $4.21M
        """,
    ),
    Scene(
        "history",
        (HISTORY,),
        """
        - Hyperliquid traded at $41.02 on October 16, 2025
        - Hyperliquid traded at $36.36 on October 15, 2025
        - Hyperliquid's market cap was $41.02 on October 15, 2025
        """,
    ),
    Scene(
        "another currency",
        (EURO,),
        """
        - Solana trades at $157.2
        - Solana's market cap is $85.9 billion
        - SOL trades at $157
        """,
    ),
    Scene(
        "forecast in json",
        (FORECAST_JSON,),
        """
        = Cardano trades at $0.634
        - Cardano trades at $1.45
        - ADA's price is $1.45
        - Cardano's price is $0.62
        """,
    ),
    Scene(
        "several assets in a sentence",
        (MULTI,),
        """
        - Ethereum trades at $107,240
        - Bitcoin trades at $3,862
        - ETH fell 1.9%
        - SOL fell 3.4%
        - BTC fell 4.6%
        - SOL trades at $36.36
        - Avalanche trades at $0.634
        - Cardano changed hands at $20.11
        - XRP's market cap is $151 billion
        - BNB's market cap is $137 billion
        - Litecoin trades at $298.10
        - Monero trades at $92.40
        ~ HYPE trades at $36.36
        """,
    ),
    Scene(
        "flows",
        (FLOWS,),
        """
        - Spot ether ETFs drew net inflows of $477 million
        - Spot bitcoin ETFs lost $98.2 million
        - Bitcoin ETFs had outflows of $477 million
        - Grayscale's fund saw inflows of $68.6 million
        - IBIT's assets under management stood at $210.9 million
        - Grayscale took in $210.9 million
        - Spot bitcoin ETFs drew net inflows of $477 million on Wednesday
        - Bitcoin's market cap rose by $477 million
        """,
    ),
    Scene(
        "bullets under headings",
        (BULLETS,),
        """
        = Aave's TVL is $36.5B
        = Morpho's TVL is $8.1 billion
        = Lido's TVL is $33.1B
        = Aave's 30d revenue is $9.8M
        - Morpho's TVL is $36.5B
        - Aave's TVL is $8.1B
        - Lido's TVL is $8.1B
        - Morpho's TVL is $33.1B
        - Morpho's 30d revenue is $9.8M
        - Aave's 24h revenue is $9.8M
        - Aave's TVL is $24.1B
        - Lido's treasury holds 312.4 million UNI
        - Aave's treasury holds 312.4 million UNI
        - Uniswap's TVL is $33.1B
        ! Morpho's TVL is $8.7 billion
        """,
    ),
    Scene(
        "quarters",
        (DATED_TABLE,),
        """
        - Tether's revenue was $1,305 million in Q3 2025
        - Tether's revenue was $1,305 million in Q2 2024
        - Tether's net profit was $1,305 million in Q2 2025
        - Tether's net profit was $214 million in Q3 2025
        - Tether's revenue was $1.305 million in Q2 2025
        - Circle's revenue was $1,305 million in Q2 2025
        """,
    ),
    Scene(
        "rumours and conditions",
        (RUMOUR,),
        """
        - Pendle raised $55 million
        - Celestia sold 9.2 million TIA
        - Chainlink fees reached $410 million
        - Chainlink fees are $410 million
        - The Optimism treasury holds 770 million OP
        - Kraken holds 12,500 BTC
        """,
    ),
    Scene(
        "chinese table and sentences",
        (ZH_MIX,),
        """
        = 比特币市值为2.14万亿美元
        = 以太坊现价3862.14美元
        = 比特币24小时下跌1.92%
        = Ethereum's market cap is $466.02 billion
        = Solana的TVL为113亿美元
        - 以太坊24小时下跌1.92%
        - 比特币市值为4660.2亿美元
        - 以太坊市值为4660.2万美元
        - 以太坊市值为4660.2亿元
        - 以太坊的TVL为61亿美元
        - 以太坊的TVL为113亿美元
        - Solana的TVL较上周上升6.2%
        - Solana的市值为113亿美元
        - 币安币现价144万美元
        - 比特币7日下跌1.92%
        """,
    ),
    Scene(
        "rates and chains",
        (RATES,),
        """
        - USDC supply on Ethereum reached $9.7 billion
        - USDC supply on Solana reached $41.2 billion
        - USDe yields 7.9% APY on Aave
        - USDe yields 5.1% APY on Pendle
        - The validator count is 1,012
        - Arbitrum processed 3.42 million transactions on Tuesday
        - Optimism processed 3.42 million transactions on Monday
        - Arbitrum has 3.42 million users
        - The Federal Reserve cut its rate by 50 basis points
        - The Federal Reserve raised its rate by 25 basis points
        - USDC supply is $9.7 billion
        """,
    ),
    Scene(
        "stale",
        (STALE,),
        """
        - Sui trades at $0.77
        - SUI's market cap is $802 million
        - SUI trades at $5.35
        - SUI's all-time high is $0.77
        - Sui traded at $0.77 on January 3, 2025
        ~ SUI is far below its record
        """,
    ),
    Scene(
        "csv by day",
        (CSV,),
        """
        - Kaspa closed at $0.0512 on October 16, 2025
        - Kaspa closed at $0.3127 on October 16, 2025
        - Stellar closed at $0.0498 on October 16, 2025
        - Stellar's volume was $39.8 million on October 16, 2025
        - Stellar closed at $0.3127 on October 15, 2025
        """,
    ),
    Scene(
        "json lines in text",
        (PROSE_JSON,),
        """
        = Aptos is trading at $3.41
        = APT's market cap is $2.4 billion
        = INJ's price is $8.92
        = Injective's 24-hour trading volume is $97.4 million
        - Injective trades at $3.41
        - Aptos trades at $8.92
        - Aptos' 24-hour trading volume is $97.4 million
        - INJ's market cap is $2.4 billion
        - INJ is down 4.2% in 24 hours
        """,
    ),
    Scene(
        "names that the table has not",
        (
            '{"title": "Foozle dashboard", "items": [{"name": "Bazzle", "symbol": "BZL", "price_usd": 1.27},'
            ' {"name": "Foozle", "symbol": "FZL", "price_usd": 4.81}]}',
            "# Foozle weekly\n\n## Bazzle\n- TVL: $612.5M\n\n## Foozle\n- TVL: $98.7M\n",
            "| Protocol | TVL |\n|---|---|\n| Quuxly | $55.1M |\n| Grault | $61.9M |\n",
        ),
        """
        = Foozle trades at $4.81
        = Bazzle's price is $1.27
        = Foozle's TVL is $98.7M
        = Grault's TVL is $61.9M
        - Foozle trades at $1.27
        - FZL trades at $1.27
        - Bazzle's price is $4.81
        - Foozle's TVL is $612.5M
        - Bazzle's TVL is $98.7M
        - Quuxly's TVL is $61.9M
        - Grault's TVL is $55.1M
        - Quuxly's TVL is $98.7M
        """,
    ),
    Scene(
        "earlier values",
        (
            "HYPE trades at $36.36, compared with $41.02 a week ago. SOL trades at $183.07, versus $210.44 last month.",
            "Aave's TVL was $36.5B, previously $40.2B. Lido's TVL stands at $33.1B (last week: $36.0B).",
            "The gas price averages $0.42 per transfer. Pendle pays $1.3 million per day in fees.",
            "比特币现价107240美元，此前为121000美元。",
        ),
        """
        = HYPE trades at $36.36
        = SOL trades at $183.07
        = Aave's TVL was $36.5B
        - HYPE trades at $41.02
        - SOL trades at $210.44
        - Aave's TVL was $40.2B
        - Lido's TVL stands at $36.0B
        - Pendle pays $1.3 million per month in fees
        - Pendle's fees are $1.3 million
        - 比特币现价121000美元
        """,
    ),
    Scene(
        "tables with sections",
        (
            "## Solana\n\n| Metric | Value |\n|---|---|\n| **Ethereum** | |\n| TVL | $84.2B |\n| **Solana** | |\n| TVL | $11.3B |\n",
            "| Protocol | Metric | Value |\n|---|---|---|\n| Aave | TVL | $36.5B |\n| | Revenue | $118.2M |\n| Morpho | TVL | $8.1B |\n| | Revenue | $6.6M |\n",
        ),
        """
        = Ethereum's TVL is $84.2B
        = Solana's TVL is $11.3B
        = Morpho's revenue is $6.6M
        = Aave's revenue is $118.2M
        - Solana's TVL is $84.2B
        - Ethereum's TVL is $11.3B
        - Aave's revenue is $6.6M
        - Morpho's revenue is $118.2M
        """,
    ),
    Scene(
        "two qualified values",
        ("Morpho's lending vault pays 5.2% APY, and its looping vault pays 3.1% APY.",),
        """
        = Morpho's lending vault pays 5.2% APY, and its looping vault pays 3.1% APY
        - Morpho's lending vault pays 3.1% APY, and its looping vault pays 5.2% APY
        - Morpho's looping vault pays 5.2% APY
        """,
    ),
    Scene(
        "must not be refuted",
        (BULLETS, RATES, FLOWS),
        """
        ~ Aave's TVL is about $35 billion
        ~ Aave's TVL is $36.52 billion
        ~ Aave's combined TVL and borrows are $60.6 billion
        ~ The top 10 protocols hold most of the TVL
        ~ Aave v3 launched in 2022
        ~ The third largest protocol is Lido
        - Lido's TVL is 8% below that of Aave
        ~ ETF flows averaged $159 million over three days
        ~ Spot bitcoin ETFs hold nearly $150 billion
        ~ Validators grew 7.4% over the year
        ~ Aave's market share is about 47.1%
        ~ Investors should keep an eye on support
        """,
    ),
)

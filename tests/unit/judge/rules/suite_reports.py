"""Claims as long reports make them, in the form of :mod:`suite_binding`: with headings, topics and tables in units.

Every figure and most names are made up. Under each kind of true claim stand look-alikes of it.
"""

from __future__ import annotations

from tests.unit.judge.rules.suite_binding import Scene

FLOWS = """美国现货以太坊ETF资金流向（单位：百万美元）

| 日期 | QETH | ZETH | 合计 |
|---|---|---|---|
| 2025-09-08 | 31.5 | -12.4 | 19.1 |
| 2025-09-09 | -44.8 | -73.2 | -118.0 |
| 2025-09-10 | 0.0 | 57.3 | 57.3 |
"""

FLOWS_EN = """Net flows of spot solana ETFs (US$m)

| Date | VSOL | KSOL | Total |
|---|---|---|---|
| 2025-09-08 | 14.2 | (3.6) | 10.6 |
| 2025-09-09 | (21.7) | (40.9) | (62.6) |
"""

ACCOUNTS = """Harbourline results

(in millions)

| Year ended 31 December | 2024 | 2023 |
|---|---|---|
| Revenue | $412.7 | $366.1 |
| Net income | $(58.4) | $12.9 |
"""

ROLLUPS = """| Network | TVS ($B) | 7d | Daily user ops | Stage |
|---|---|---|---|---|
| Optimism | 6.42 | +3.7% | 22.8 | 1 |
| Starknet | 1.18 | -5.9% | 4.3 | 0 |
"""

FEES = '{"name":"Polygon","total24h":51730,"total7d":364900,"change_7d":-7.3,"change_1m":15.2}'

POOLS = """{"data":[
 {"chain":"Ethereum","project":"aave-v3","symbol":"USDC","tvlUsd":905300000,"apyBase":3.31,"apyReward":0.42,"apy":3.73},
 {"chain":"Ethereum","project":"aave-v3","symbol":"DAI","tvlUsd":151800000,"apyBase":2.96,"apyReward":0.0,"apy":2.96},
 {"chain":"Ethereum","project":"compound-v3","symbol":"USDT","tvlUsd":233600000,"apyBase":4.08,"apyReward":0.61,"apy":4.69}]}"""

RATE = """欧洲央行9月11日宣布加息25个基点，存款机制利率为2.25%。
美联储9月17日将联邦基金利率目标区间下调至4.00%至4.25%。
"""

TOKEN = """TIA: allocation: research fund 26.4%, core team 17.9%, early backers 12.2%.
The airdrop claim ended on 14 June. It drew 91,400 wallets and 3.6 million unique signatures.
"""

OPEN = """Pendle ended its third quarter. Open interest stood at $1.37 billion on 30 September.
Their rewards arrive in monthly batches; the next batch of 2.45 million PENDLE unlocks on 9 October 2025.
Fees of Pendle were $4.9 million in August.
"""

BLOBS = "The gas target of Ethereum rose from 36 to 45 million in July 2025.\n"

SCENES = (
    Scene(
        "flows_zh",
        (FLOWS,),
        """
        = 9月9日美国现货ETF净流出1.18亿美元
        = 9月9日QETH流出4480万美元
        = 9月8日美国现货ETF净流入1910万美元
        = 9月10日ZETH流入5730万美元
        - 9月9日QETH流入4480万美元
        - 9月8日QETH流出4480万美元
        - 9月9日ZETH流出4480万美元
        - 9月9日美国现货ETF净流出1.18亿元
        - 9月9日美国现货ETF净流出11.8亿美元
        - 9月9日美国现货ETF净流入1.18亿美元
        - 9月9日美国现货比特币ETF净流出1.18亿美元
        - 9月8日ZETH流入1240万美元
        """,
        topic="以太坊现在值得买吗？",
    ),
    Scene(
        "flows_en",
        (FLOWS_EN,),
        """
        = VSOL saw outflows of $21.7 million on 9 September 2025
        = KSOL saw outflows of $40.9 million on 9 September 2025
        = VSOL saw inflows of $14.2 million on 8 September 2025
        - VSOL saw inflows of $21.7 million on 9 September 2025
        - VSOL saw outflows of $14.2 million on 8 September 2025
        - VSOL saw outflows of $40.9 million on 9 September 2025
        - VSOL saw outflows of $21.7 billion on 9 September 2025
        - VSOL saw outflows of $21.7 million on 8 September 2025
        """,
        topic="Is SOL a buy?",
    ),
    Scene(
        "accounts",
        (ACCOUNTS,),
        """
        = Harbourline's revenue was $412.7 million in 2024
        = Harbourline's net income was $12.9 million in 2023
        - Harbourline's net income was $58.4 million in 2024
        - Harbourline's revenue was $412.7 in 2024
        - Harbourline's revenue was $412.7 billion in 2024
        - Harbourline's revenue was $366.1 million in 2024
        - Northwharf's revenue was $412.7 million in 2024
        """,
        title="Harbourline",
    ),
    Scene(
        "rollups",
        (ROLLUPS,),
        """
        = $6.42B @ Optimism or Starknet? / Optimism / TVS
        = -5.9% @ Optimism or Starknet? / Starknet / 7d
        = 22.8 @ Optimism or Starknet? / Optimism / Daily user ops
        = 0 @ Optimism or Starknet? / Starknet / Stage
        ! -5.9% @ Optimism or Starknet? / Optimism / 7d
        ! 4.3 @ Optimism or Starknet? / Optimism / Daily user ops
        ! $1.18B @ Optimism or Starknet? / Optimism / TVS
        - $6.42M @ Optimism or Starknet? / Optimism / TVS
        - $6.42B @ Optimism or Starknet? / TVS
        - $6.42B @ Optimism or Starknet? / Optimism / TVL
        - 22.8 @ Optimism or Starknet? / Optimism / Weekly user ops
        - +3.7% @ Optimism or Starknet? / Optimism / 24h
        """,
        topic="Compare Optimism and Starknet",
    ),
    Scene(
        "fees_by_address",
        (FEES,),
        """
        = Polygon earned $51,730 in fees over the last 24 hours
        = Polygon's 7-day fees came to $364,900
        = Polygon's fees are down 7.3% on the week
        = Polygon's fees are up 15.2% on the month
        - Polygon's revenue over the last 24 hours was $51,730
        - Polygon's 7-day fees came to $51,730
        - Polygon's fees are up 7.3% on the week
        - Polygon's fees are down 7.3% on the month
        - Polygon's fees are up 15.2% on the week
        - Polygon's TVL is down 7.3% on the week
        - Optimism's 7-day fees came to $364,900
        - Polygon's price is $51,730
        """,
        url="https://api.llama.fi/overview/fees/polygon",
    ),
    Scene(
        "pools",
        (POOLS,),
        """
        = Aave's USDC APY is 3.73%
        = Compound's USDT APY is 4.69%
        = 4.69% @ Yields / APY / Compound v3
        - 3.73% @ Yields / APY / Aave v3
        - 3.31% @ Yields / APY / Aave v3
        - 4.08% @ Yields / APY / Compound v3
        - $233.6M @ Yields / TVL / Compound
        - Aave's USDC APY is 3.31%
        - Aave's DAI APY is 3.73%
        - Compound's USDC APY is 3.73%
        - Compound's TVL is $233.6 million
        - Aave's TVL is $905.3 million
        - Ethereum's APY is 3.73%
        - USDC's market cap is $905.3 million
        """,
    ),
    Scene(
        "rates_zh",
        (RATE,),
        """
        = 欧洲央行9月11日加息25个基点
        = 目标区间下调至4.00%至4.25% @ 宏观 / 美联储9月17日
        - 欧洲央行9月11日降息25个基点
        - 欧洲央行9月17日加息25个基点
        - 美联储9月11日加息25个基点
        - 欧洲央行9月11日加息50个基点
        - 目标区间下调至3.75%至4.25% @ 宏观 / 美联储9月17日
        - 比特币目标区间4.00%至4.25%
        """,
        topic="比特币还会涨吗？",
    ),
    Scene(
        "allocation",
        (TOKEN,),
        """
        = The core team gets 17.9% @ Celestia: who holds it
        = Early backers receive 12.2% @ Celestia: who holds it
        ! The core team gets 19.7% @ Celestia: who holds it
        - The core team gets 12.2% @ Celestia: who holds it
        - The team gets 26.4% @ Celestia: who holds it
        - The core team gets 17.9% @ Injective: who holds it
        - The core team gets 17.9 million @ Celestia: who holds it
        - The validators get 17.9% @ Celestia: who holds it
        """,
        topic="Who backs Celestia?",
    ),
    Scene(
        "moments",
        (OPEN,),
        """
        = Open interest stood at $1.37 billion at the end of September @ Activity
        = The next batch of 2.45 million PENDLE unlocks on 9 October 2025 @ Unlocks
        = Bottom line: fees of Pendle were $4.9 million in August
        - Open interest stood at $1.37 billion at the end of August @ Activity
        - Fees of Pendle were $4.9 million in September
        - The next batch of 2.45 million PENDLE unlocks on 9 November 2025 @ Unlocks
        - Fees of Pendle were $4.9 million at the end of September
        - Volume stood at $1.37 billion at the end of September @ Activity
        """,
        topic="Where is PENDLE going?",
    ),
    Scene(
        "gas_target",
        (BLOBS,),
        """
        = Ethereum's gas target rose from 36 to 45 million in July 2025
        - Ethereum's gas target rose from 45 to 36 million in July 2025
        - Ethereum's gas target rose from 36 to 45 million in June 2025
        - Solana's gas target rose from 36 to 45 million in July 2025
        """,
    ),
    Scene(
        "lent_subjects",
        (
            "Chainlink says its rival Foonet reached 4,120 contributors. Daily contributors reached 915.\n",
            "# Quarnet report\n\nActive contributors reached 2,760. The price is $7.15.\n",
        ),
        """
        - Active contributors reached 915
        - Active contributors reached 2,760
        - Foonet's price is $7.15
        - The price is $7.15
        - Contributors reached 4,120
        """,
        topic="What drives LINK?",
    ),
    Scene(
        "foreign_names",
        ("Tarnfield says Bitcoin costs $88,410. Bitcoin's volume, Tarnfield wrote, was $51.2 billion.\n",),
        """
        - Tarnfield's price is $88,410
        - Tarnfield's volume was $51.2 billion
        """,
        topic="Is BTC cheap?",
    ),
    Scene(
        "ranks",
        (
            '{"id":"cardano","symbol":"ada","name":"Cardano","market_cap_rank":11,"market_data":{"ath_rank":9}}',
        ),
        """
        = #11 @ Overview / Value / Market cap rank
        - #9 @ Overview / Value / Market cap rank
        - #12 @ Overview / Value / Market cap rank
        - #11 @ Overview / Value / Volume rank
        """,
        topic="How far can ADA rise?",
    ),
    Scene(
        "no_price",
        ("Polygon lost $7.4 million, Linea $2.9 million and Scroll $1.3 million in the theft.\n",),
        """
        - Linea $48.2 million @ Liquidity
        - Polygon lost $2.9 million
        """,
    ),
    Scene(
        "daily_change",
        ('{"solana":{"usd":201.4,"usd_24h_change":4.37}}',),
        """
        = Solana trades at $201.4, 4.4% higher than 24 hours ago
        = 24小时上涨4.37% @ Solana价格
        - Solana trades at $201.4, 4.4% lower than 24 hours ago
        - Solana trades at $201.4, 4.4% higher than 7 days ago
        - 24小时下跌4.37% @ Solana价格
        - 7天上涨4.37% @ Solana价格
        """,
    ),
    Scene(
        "reached",
        ("Aptos had 18,430 daily users in June 2025. Its fees fell 9.2% on the month.\n",),
        """
        - Active traders of Aptos grew to 731,000
        - Aptos fees fell 9.2% on the week
        - Aptos fees rose 9.2% on the month
        ~ Aptos users more than doubled to 18,000
        """,
    ),
    Scene(
        "summed",
        (FLOWS,),
        """
        ~ 9月8日至9日两天合计净流出9890万美元
        """,
        topic="以太坊现在值得买吗？",
    ),
    Scene(
        "tickers_beside_signs",
        ("VSN saw a peak of $15.2 million in fees in May 2025. Versa charged $2.7 million.\n",),
        """
        - Versa saw a peak of $15.2 million in fees in May 2025
        - VSN saw a peak of $2.7 million in fees in May 2025
        - VSN saw a peak of $15.2 million in fees in June 2025
        """,
    ),
    Scene(
        "addresses",
        ("The price is $3.11. Fees came to $412,900 in a day.\n",),
        """
        - NEAR's price is $3.11
        - Harmony's price is $3.11
        - Chainlink's fees came to $412,900 in a day
        """,
        url="https://site.example/near-one-link/weekly",
    ),
    Scene(
        "history",
        (
            '{"name":"Uniswap","symbol":"UNI","tvl":[{"date":1757376000,"totalLiquidityUSD":612500000},'
            '{"date":1757635200,"totalLiquidityUSD":488300000}]}',
        ),
        """
        = Uniswap's TVL fell from $612.5 million on 9 September 2025 to $488.3 million on 12 September 2025
        = Uniswap's TVL was $488.3 million on 12 September 2025
        - Uniswap's TVL rose from $612.5 million on 9 September 2025 to $488.3 million on 12 September 2025
        - Uniswap's TVL fell from $612.5 million on 12 September 2025 to $488.3 million on 9 September 2025
        - Uniswap's TVL was $612.5 million on 12 September 2025
        - Uniswap's price was $488.3 million on 12 September 2025
        """,
    ),
)

"""Look-alikes by an author who knew no rule, the first set, in the form of suite_binding; names begin with the kind.

Marks: ``=`` the source says it; ``!`` the source says another value of the same thing; ``-`` a look-alike: another
subject, metric, period or unit; ``~`` not told (not exact, and not refuted).
"""

from __future__ import annotations

from tests.unit.judge.rules.suite_binding import Scene

SCENES = (
    # ---- prose, English
    Scene(
        "prose stablecoins",
        (
            "Tether's USDT supply grew to $181.2 billion in September, while Circle's USDC climbed to $74.6 billion. PayPal's PYUSD remains far behind at $2.5 billion.",
        ),
        """
        = USDC supply climbed to $74.6 billion
        - USDT supply is $74.6 billion
        - PYUSD supply grew to $181.2 billion
    """,
    ),
    Scene(
        "prose earnings",
        (
            "Coinbase reported third-quarter revenue of $1.87 billion, up from $1.21 billion a year earlier. Transaction revenue came to $1.05 billion and subscription revenue to $747 million. Net income was $433 million.",
        ),
        """
        = Coinbase's third-quarter revenue was $1.87 billion
        - Coinbase's third-quarter net income was $747 million
        - Coinbase's subscription revenue was $1.05 billion
    """,
    ),
    Scene(
        "prose hack",
        (
            "Attackers drained $128 million from Balancer on November 3, 2025. About $19 million was later recovered. In a separate incident, Stream Finance disclosed a loss of $93 million.",
        ),
        """
        = Attackers drained $128 million from Balancer
        - Stream Finance disclosed a loss of $128 million
        - Attackers drained $19 million from Balancer
    """,
    ),
    Scene(
        "prose miners",
        (
            "Marathon Digital mined 736 BTC in September and held 52,850 BTC at the end of the month. Riot Platforms mined 445 BTC in the same month and held 19,287 BTC.",
        ),
        """
        = Riot Platforms mined 445 BTC in September
        - Marathon Digital held 19,287 BTC at the end of September
        ~ Riot Platforms mined 498 BTC in October
    """,
    ),
    Scene(
        "prose rates",
        (
            "The European Central Bank left its deposit rate at 2.00% in September, and the Bank of England held Bank Rate at 4.00%. Inflation in the euro area was 2.2% in the same month.",
        ),
        """
        = The European Central Bank left its deposit rate at 2.00%
        - The Bank of England held Bank Rate at 2.00%
        ~ Inflation in the United Kingdom was 3.8% in September
    """,
    ),
    Scene(
        "prose periods",
        (
            "Uniswap handled $87.6 billion of volume in July 2025 and $143.2 billion in August 2025. Its fees for August came to $208 million.",
        ),
        """
        = Uniswap's volume was $143.2 billion in August 2025
        - Uniswap's volume was $143.2 billion in July 2025
        ~ Uniswap's fees for July 2025 came to $131 million
    """,
    ),
    Scene(
        "prose target",
        (
            "Standard Chartered set a year-end target of $200,000 for bitcoin. Bitcoin last changed hands at $101,480, off 19.6% from its record of $126,198.",
        ),
        """
        = Standard Chartered set a year-end target of $200,000 for bitcoin
        - Bitcoin changed hands at $126,198
        ! Bitcoin last changed hands at $110,480
    """,
    ),
    # ---- prose, Chinese
    Scene(
        "prose zh 交易所",
        ("币安10月现货交易量为6980亿美元，OKX同期为1520亿美元。币安10月衍生品交易量达2.1万亿美元。",),
        """
        = 币安10月现货交易量为6980亿美元
        - OKX10月现货交易量为6980亿美元
        - 币安10月现货交易量为2.1万亿美元
    """,
    ),
    Scene(
        "prose zh 公司",
        ("小米集团2025年第二季度营收为1159.6亿元，同比增长30.5%。经调整净利润为108.3亿元，同比增长75.4%。",),
        """
        = 小米集团2025年第二季度营收为1159.6亿元
        - 小米集团2025年第二季度营收同比增长75.4%
        - 小米集团2025年第一季度营收为1159.6亿元
    """,
    ),
    Scene(
        "prose zh 质押",
        ("以太坊质押总量为3560万枚ETH，质押率为29.4%。Lido的质押量为850万枚ETH，占比24.0%。",),
        """
        = 以太坊质押率为29.4%
        - Lido的质押量为3560万枚ETH
        ! 以太坊质押率为24.9%
    """,
    ),
    Scene(
        "prose zh 融资",
        (
            "Monad在2024年4月完成2.25亿美元融资，由Paradigm领投。Berachain同月完成1亿美元B轮融资，估值15亿美元。",
        ),
        """
        = Monad完成2.25亿美元融资
        - Berachain完成2.25亿美元融资
        ~ Monad估值30亿美元
    """,
    ),
    Scene(
        "prose zh 价格",
        ("截至发稿，狗狗币报0.1612美元，24小时跌7.3%；柴犬币报0.00000912美元，24小时跌5.6%。",),
        """
        = 狗狗币报0.1612美元
        - 柴犬币24小时跌7.3%
        - 狗狗币7日跌7.3%
    """,
    ),
    Scene(
        "prose zh 收入",
        ("Pump.fun 8月协议收入为4700万美元，累计收入突破8亿美元。同期Axiom收入为5230万美元。",),
        """
        = Pump.fun 8月协议收入为4700万美元
        - Pump.fun累计收入为4700万美元
        - Axiom 8月收入为4700万美元
        ~ Pump.fun 8月用户数为4700万
    """,
    ),
    # ---- tables
    Scene(
        "table chains",
        (
            "| Chain | TVL | DEX volume (24h) | Active addresses (24h) | Fees (24h) |\n|---|---|---|---|---|\n| Ethereum | $71.8B | $3.42B | 512,400 | $1.9M |\n| Solana | $9.6B | $4.15B | 2,210,000 | $1.2M |\n| Base | $4.9B | $1.31B | 918,300 | $0.21M |\n| BNB Chain | $7.7B | $2.88B | 2,640,000 | $0.74M |\n",
        ),
        """
        = Base's TVL is $4.9B
        - Base's 24h fees are $1.2M
        - BNB Chain's TVL is $2.88B
        ! Solana's TVL is $6.9B
    """,
    ),
    Scene(
        "table thousands",
        (
            "Income statement of Northfield Ltd (in thousands of US dollars)\n\n| | 2024 | 2023 |\n|---|---|---|\n| Revenue | 48,210 | 39,775 |\n| Cost of sales | 21,340 | 18,902 |\n| Net loss | (3,412) | (5,108) |\n",
        ),
        """
        = Northfield's revenue was $48.21 million in 2024
        - Northfield's revenue was $48,210 in 2024
        - Northfield's revenue was $39.775 million in 2024
    """,
    ),
    Scene(
        "table exchanges",
        (
            "| Exchange | Spot volume ($bn) | Derivatives volume ($bn) | Market share |\n|---|---:|---:|---:|\n| Binance | 698.3 | 2,140.5 | 38.1% |\n| Bybit | 123.9 | 771.2 | 6.8% |\n| Gate | 169.4 | 446.0 | 9.2% |\n",
        ),
        """
        = Bybit's derivatives volume is $771.2 billion
        - Bybit's spot volume is $169.4 billion
        ! Gate's market share is 2.9%
    """,
    ),
    Scene(
        "table etf",
        (
            "US spot ether ETFs, flows of November 12, 2025 (USD millions)\n\n| Fund | Ticker | Daily flow | Cumulative flow | AUM |\n|---|---|---|---|---|\n| iShares Ethereum Trust | ETHA | -95.3 | 13,620 | 13,950 |\n| Fidelity Ethereum Fund | FETH | 12.4 | 2,510 | 2,830 |\n| Grayscale Ethereum Trust | ETHE | -35.1 | -4,830 | 3,240 |\n",
        ),
        """
        = FETH's AUM is $2,830 million
        - ETHA's AUM is $13,620 million
        - FETH's cumulative flow was $12.4 million
    """,
    ),
    Scene(
        "table years",
        (
            "## Bitcoin held by Strategy\n\n| Date | BTC held | Average cost (USD) |\n|---|---|---|\n| 2023-12-31 | 189,150 | 31,168 |\n| 2024-12-31 | 446,400 | 62,428 |\n| 2025-09-30 | 640,031 | 73,983 |\n",
        ),
        """
        = Strategy held 446,400 BTC on 2024-12-31
        - Strategy held 640,031 BTC on 2024-12-31
        ! Strategy held 464,400 BTC on December 31, 2024
    """,
    ),
    Scene(
        "table yields",
        (
            "| Vault | Protocol | Asset | APY | TVL |\n|---|---|---|---|---|\n| Steakhouse USDC | Morpho | USDC | 4.82% | $412M |\n| Gauntlet Prime | Morpho | USDC | 5.37% | $268M |\n| sUSDS | Sky | USDS | 4.75% | $3.9B |\n",
        ),
        """
        = The Gauntlet Prime vault pays 5.37% APY
        - The Steakhouse USDC vault pays 5.37% APY
        ~ The Gauntlet Prime vault's curator fee is 10%
    """,
    ),
    Scene(
        "table wide",
        (
            "| Metric | Arbitrum | Optimism | Base |\n|---|---|---|---|\n| TVL | $3.1B | $0.42B | $4.9B |\n| Daily transactions | 3.9M | 1.6M | 12.8M |\n| Average fee | $0.011 | $0.004 | $0.006 |\n",
        ),
        """
        = Optimism's average fee is $0.004
        - Base's daily transactions are 3.9M
        ! Arbitrum's TVL is $1.3B
    """,
    ),
    Scene(
        "table zh 公链",
        (
            "| 公链 | 总锁仓量（亿美元） | 日活地址（万） | 日手续费（万美元） |\n|---|---|---|---|\n| 以太坊 | 718.2 | 51.2 | 190.4 |\n| 波场 | 51.7 | 283.6 | 121.8 |\n| 索拉纳 | 96.4 | 221.0 | 118.5 |\n",
        ),
        """
        = 波场总锁仓量为51.7亿美元
        - 波场总锁仓量为96.4亿美元
        - 以太坊日活地址为283.6万
    """,
    ),
    Scene(
        "table zh 财报",
        (
            "腾讯控股财务摘要（单位：百万元人民币）\n\n| 项目 | 2025年第二季度 | 2024年第二季度 |\n|---|---|---|\n| 收入 | 184,504 | 161,117 |\n| 毛利 | 105,013 | 85,895 |\n| 权益持有人应占盈利 | 55,628 | 47,630 |\n",
        ),
        """
        = 腾讯2025年第二季度收入为1845.04亿元
        - 腾讯2025年第二季度毛利为1845.04亿元
        - 腾讯2025年第二季度收入为1611.17亿元
    """,
    ),
    Scene(
        "table zh 代币",
        (
            "| 代币 | 最大供应量 | 流通量 | 解锁日期 |\n|---|---|---|---|\n| ARB | 100亿枚 | 53.8亿枚 | 2025-11-16 |\n| STRK | 100亿枚 | 45.1亿枚 | 2025-11-15 |\n| SEI | 100亿枚 | 63.6亿枚 | 2025-11-15 |\n",
        ),
        """
        = STRK流通量为45.1亿枚
        - ARB流通量为100亿枚
        - SEI流通量为53.8亿枚
    """,
    ),
    Scene(
        "table zh 排名",
        (
            "| 排名 | 交易所 | 现货交易量（亿美元） | 同比 |\n|---|---|---|---|\n| 1 | 币安 | 6980 | +12.4% |\n| 2 | Gate | 1694 | +41.0% |\n| 3 | 欧易 | 1520 | -3.7% |\n",
        ),
        """
        = Gate现货交易量为1694亿美元
        - 欧易现货交易量为1694亿美元
        - 币安现货交易量同比增长41.0%
    """,
    ),
    Scene(
        "table plain columns",
        (
            "Coin,Price USD,Market Cap USD,ATH USD\nLitecoin,97.31,7450000000,410.26\nMonero,402.18,7420000000,542.33\nZcash,511.90,8340000000,3191.93\n",
        ),
        """
        = Zcash trades at $511.90
        - Zcash trades at $3,191.93
        - Litecoin's market cap is $7.42 billion
    """,
    ),
    Scene(
        "table key value",
        (
            "# Celestia (TIA)\n\n| Field | Value |\n|---|---|\n| Price | $0.94 |\n| All-time high | $20.85 |\n| Circulating supply | 812.6M TIA |\n| Total supply | 1.15B TIA |\n| Staking APR | 8.9% |\n",
        ),
        """
        = Celestia's circulating supply is 812.6M TIA
        - Celestia's total supply is 812.6M TIA
        ~ Celestia's inflation rate is 8.9%
    """,
    ),
    # ---- JSON
    Scene(
        "json ticker",
        (
            '{"symbol":"ETHUSDT","priceChange":"-121.40","priceChangePercent":"-3.412","weightedAvgPrice":"3488.02","lastPrice":"3436.61","openPrice":"3558.01","highPrice":"3590.00","lowPrice":"3373.12","volume":"512331.2","quoteVolume":"1787020011.4"}',
        ),
        """
        = ETH trades at 3,436.61 USDT
        - ETH's 24h high is $3,558.01
        ~ ETH's market cap is $414 billion
    """,
    ),
    Scene(
        "json protocol",
        (
            '{"name":"Pendle","symbol":"PENDLE","category":"Yield","currentChainTvls":{"Ethereum":5120000000,"Arbitrum":88000000,"Sonic":61000000},"tvl":5402000000,"mcap":512000000,"staking":133000000}',
        ),
        """
        = Pendle's TVL is $5.4 billion
        - Pendle's market cap is $5.12 billion
        - Pendle's TVL on Arbitrum is $61 million
    """,
    ),
    Scene(
        "json fees",
        (
            '[{"name":"Hyperliquid","total24h":3120000,"total7d":24870000,"total30d":101400000},{"name":"Jupiter","total24h":2415000,"total7d":15330000,"total30d":70250000}]',
        ),
        """
        - Jupiter's 7d fees are $24.87 million
        - Hyperliquid's 30d fees are $24.87 million
        ~ Jupiter's 24h volume is $912 million
    """,
    ),
    Scene(
        "json fear greed",
        (
            '{"name":"Fear and Greed Index","data":[{"value":"24","value_classification":"Extreme Fear","date":"2025-11-05"},{"value":"42","value_classification":"Fear","date":"2025-11-04"}]}',
        ),
        """
        = The Fear and Greed Index was 24 on November 5, 2025
        - The Fear and Greed Index was 42 on November 5, 2025
        - The Fear and Greed Index was 24 on November 4, 2025
    """,
    ),
    Scene(
        "json coins",
        (
            '[{"id":"chainlink","symbol":"link","name":"Chainlink","current_price":15.42,"market_cap":10740000000,"market_cap_rank":18,"circulating_supply":696849970.45,"ath":52.7},{"id":"stellar","symbol":"xlm","name":"Stellar","current_price":0.2871,"market_cap":9210000000,"market_cap_rank":20,"circulating_supply":32064000000,"ath":0.875563}]',
        ),
        """
        = LINK trades at $15.42
        - XLM's market cap is $10.74 billion
        ! Chainlink trades at $14.52
    """,
    ),
    Scene(
        "json unlocks",
        (
            '{"unlocks":[{"token":"APT","date":"2025-11-12","amount":11310000,"usd":33900000,"pct_of_supply":0.49},{"token":"SUI","date":"2025-12-01","amount":43960000,"usd":91200000,"pct_of_supply":1.19}]}',
        ),
        """
        - APT's unlock on 2025-11-12 is worth $91.2 million
        - SUI unlocks 11.31 million tokens on 2025-12-01
        ~ APT unlocks 11.31 million tokens every month
    """,
    ),
    Scene(
        "json stock",
        (
            '{"ticker":"MSTR","name":"Strategy","regularMarketPrice":237.2,"previousClose":246.99,"fiftyTwoWeekHigh":543.0,"fiftyTwoWeekLow":230.1,"marketCap":68170000000,"currency":"USD"}',
        ),
        """
        = Strategy's market cap is $68.17 billion
        - MSTR trades at $246.99
        - MSTR's 52-week low is $237.2
    """,
    ),
    Scene(
        "json derivatives",
        (
            '{"BTC":{"open_interest_usd":71200000000,"funding_rate":0.0043,"long_short_ratio":1.87,"liquidations_24h":{"long":442000000,"short":96500000}},"ETH":{"open_interest_usd":39800000000,"funding_rate":0.0021,"long_short_ratio":2.11,"liquidations_24h":{"long":301000000,"short":58200000}}}',
        ),
        """
        = BTC open interest is $71.2 billion
        - ETH open interest is $71.2 billion
        - BTC short liquidations over 24h were $442 million
    """,
    ),
    Scene(
        "json validators",
        (
            '{"network":"Solana","epoch":876,"validators":{"active":962,"delinquent":21},"stake":{"total_sol":409700000,"ratio_pct":66.8},"inflation_pct":4.19}',
        ),
        """
        = Solana has 962 active validators
        - Solana has 962 delinquent validators
        - Solana's inflation is 66.8%
    """,
    ),
    Scene(
        "json zh 行情",
        (
            '{"名称":"比特币","代码":"BTC","最新价":101480.5,"24小时涨跌幅":-2.31,"24小时最高":104200.0,"24小时最低":99640.2,"24小时成交额":78900000000,"货币":"USD"}',
        ),
        """
        = 比特币24小时最高为104200美元
        - 比特币24小时最低为104200美元
        ! 比特币最新价为110480.5美元
    """,
    ),
    Scene(
        "json zh 指标",
        (
            '{"data":[{"项目":"Aave","总锁仓量":34100000000,"借款总额":22900000000,"代币价格":198.4},{"项目":"Spark","总锁仓量":8700000000,"借款总额":3100000000,"代币价格":0.041}],"单位":"美元"}',
        ),
        """
        = Aave总锁仓量为341亿美元
        ! Spark总锁仓量为78亿美元
        - Aave借款总额为31亿美元
    """,
    ),
    Scene(
        "json zh text",
        (
            '{"code":0,"data":{"title":"早报","content":"Solana生态DEX 10月成交量为1320亿美元，环比增长12%。以太坊同期为1540亿美元，环比下降4%。","published":"2025-11-01"}}',
        ),
        """
        = Solana生态DEX 10月成交量为1320亿美元
        - Solana生态DEX 10月成交量为1540亿美元
        ~ Solana生态DEX 11月成交量将继续增长
    """,
    ),
    Scene(
        "json zh 公司",
        (
            '{"公司":"比亚迪","报告期":"2025-09-30","营业收入":566266000000,"净利润":23333000000,"研发费用":43748000000,"单位":"元"}',
        ),
        """
        = 比亚迪营业收入为5662.66亿元
        - 比亚迪净利润为437.48亿元
        ! 比亚迪净利润为332.33亿元
        ~ 比亚迪营业收入将继续增长
    """,
    ),
)

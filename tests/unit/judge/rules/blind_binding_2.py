"""Look-alikes by an author who knew no rule, the second set, in the form of suite_binding; names begin with the kind.

Marks: ``=`` the source says it; ``!`` the source says another value of the same thing; ``-`` a look-alike: another
subject, metric, period or unit; ``~`` not told (not exact, and not refuted).
"""

from __future__ import annotations

from tests.unit.judge.rules.suite_binding import Scene

SCENES = (
    # ---- prose, English
    Scene(
        "prose lending",
        (
            "Aave V3 on Ethereum carries $19.4 billion of outstanding loans against $52.7 billion of deposits. Compound's loan book is far smaller, at $1.1 billion, and its deposits total $2.9 billion.",
        ),
        """
        = Compound's deposits total $2.9 billion
        - Compound's deposits total $52.7 billion
        - Aave V3's deposits on Ethereum are $19.4 billion
    """,
    ),
    Scene(
        "prose chipmaker",
        (
            "Nvidia posted revenue of $46.7 billion for its second quarter of fiscal 2026, of which data centre sales were $41.1 billion. It guided for revenue of $54.0 billion in the third quarter.",
        ),
        """
        = Nvidia posted revenue of $46.7 billion for the second quarter of fiscal 2026
        - Nvidia posted revenue of $54.0 billion in the third quarter of fiscal 2026
        - Nvidia's data centre sales were $46.7 billion in the second quarter of fiscal 2026
    """,
    ),
    Scene(
        "prose airdrop",
        (
            "Plasma set aside 25 million XPL for depositors who passed verification and 2.5 million XPL for small community members. The public sale covered 10% of the 10 billion XPL supply.",
        ),
        """
        = Plasma's public sale covered 10% of the supply
        - Plasma set aside 2.5 million XPL for depositors
        ~ Plasma's team holds 25% of the supply
    """,
    ),
    Scene(
        "prose options",
        (
            "Deribit counts $38.2 billion of bitcoin options open interest, with a max pain price of $112,000. Ether options on the venue stand at $9.1 billion, max pain $4,100.",
        ),
        """
        = Bitcoin options open interest on Deribit is $38.2 billion
        - Ether options open interest on Deribit is $38.2 billion
        - Bitcoin trades at $112,000
    """,
    ),
    Scene(
        "prose record",
        (
            "Gold settled at $3,997.60 an ounce on Friday, after touching a record of $4,381.58 on October 20, 2025. Silver finished the week at $48.66.",
        ),
        """
        = Gold settled at $3,997.60 an ounce on Friday
        - Silver settled at $3,997.60 an ounce on Friday
        ~ Gold touched a low of $3,886 in late October
    """,
    ),
    Scene(
        "prose users",
        (
            "Phantom said it had 17 million monthly active users in June 2025, compared with 15 million in January. MetaMask counted around 30 million.",
        ),
        """
        = Phantom had 17 million monthly active users in June 2025
        - Phantom had 17 million daily active users in June 2025
        - MetaMask had 17 million monthly active users in June 2025
    """,
    ),
    Scene(
        "prose burn",
        (
            "BNB Chain completed its 33rd quarterly burn, removing 1.44 million BNB worth about $1.2 billion. The circulating supply is now 137.7 million BNB. The previous burn destroyed 1.60 million BNB.",
        ),
        """
        = BNB Chain's 33rd quarterly burn removed 1.44 million BNB
        - BNB Chain's 33rd quarterly burn removed 137.7 million BNB
        ! The circulating supply is now 173.7 million BNB
    """,
    ),
    # ---- prose, Chinese
    Scene(
        "prose zh 贵金属",
        ("现货黄金收报每盎司3997美元，周内跌2.8%；现货白银收报48.66美元，周内涨0.1%。",),
        """
        = 现货黄金收报每盎司3997美元
        - 现货白银收报每盎司3997美元
        - 现货黄金周内涨2.8%
    """,
    ),
    Scene(
        "prose zh 电商",
        ("拼多多第二季度总营收1039.8亿元，同比增长7%；营业利润257.9亿元，同比下降21%。",),
        """
        = 拼多多第二季度总营收1039.8亿元
        - 拼多多第二季度营业利润同比增长7%
        - 拼多多第二季度营业利润为1039.8亿元
    """,
    ),
    Scene(
        "prose zh 稳定币",
        ("USDe供应量回落至93亿美元，较10月高点148亿美元减少37%。USDS供应量为52亿美元。",),
        """
        = USDS供应量为52亿美元
        - USDS供应量为93亿美元
        ! USDe供应量回落至39亿美元
    """,
    ),
    Scene(
        "prose zh 跨链",
        ("LayerZero上月处理跨链消息140万条，Wormhole处理62万条。LayerZero累计跨链金额达750亿美元。",),
        """
        = LayerZero上月处理跨链消息140万条
        - Wormhole上月处理跨链消息140万条
        - LayerZero上月跨链金额达750亿美元
    """,
    ),
    Scene(
        "prose zh 预测",
        ("Bernstein预计比特币2026年将升至20万美元。该机构给予Circle目标价230美元，Circle周五收于98.3美元。",),
        """
        = Circle周五收于98.3美元
        - Circle周五收于230美元
        - 比特币现价20万美元
    """,
    ),
    Scene(
        "prose zh 宏观",
        ("美国9月CPI同比上涨3.0%，核心CPI同比上涨3.0%，环比上涨0.2%。失业率为4.3%。",),
        """
        = 美国9月CPI同比上涨3.0%
        - 美国9月核心CPI同比上涨0.2%
        - 美国9月失业率为3.0%
        ~ 美国10月CPI同比上涨2.9%
    """,
    ),
    # ---- tables
    Scene(
        "table perps",
        (
            "| Venue | 24h volume | 7d volume | Open interest |\n|---|---|---|---|\n| Hyperliquid | $9.1B | $61.4B | $7.2B |\n| Aster | $11.8B | $84.0B | $2.6B |\n| Lighter | $8.3B | $66.9B | $1.7B |\n",
        ),
        """
        = Lighter's open interest is $1.7B
        - Lighter's 24h volume is $66.9B
        ! Aster's open interest is $6.2B
    """,
    ),
    Scene(
        "table millions",
        (
            "Consolidated figures, Harbour Foods plc (£ million)\n\n| | H1 2025 | H1 2024 |\n|---|---|---|\n| Sales | 1,284 | 1,190 |\n| Operating profit | 96 | 102 |\n| Net debt | (310) | (355) |\n",
        ),
        """
        = Harbour Foods' sales were £1,284 million in H1 2025
        - Harbour Foods' operating profit was £102 million in H1 2025
        - Harbour Foods' sales were £1,284 billion in H1 2025
    """,
    ),
    Scene(
        "table treasury",
        (
            "| Company | Asset | Holdings | Cost basis (USD) | Value (USD m) |\n|---|---|---|---|---|\n| BitMine | ETH | 3,505,723 | 4,009 | 12,250 |\n| SharpLink | ETH | 859,853 | 3,609 | 3,010 |\n| Forward Industries | SOL | 6,822,000 | 232 | 1,070 |\n",
        ),
        """
        = SharpLink holds 859,853 ETH
        - SharpLink holds 3,505,723 ETH
        - BitMine's cost basis is $3,609
    """,
    ),
    Scene(
        "table l2",
        (
            "| Rollup | Type | TVS | Daily user operations | Stage |\n|---|---|---|---|---|\n| Arbitrum One | Optimistic | $17.9B | 41.2 UOPS | Stage 1 |\n| Base Chain | Optimistic | $13.6B | 151 UOPS | Stage 1 |\n| ZKsync Era | ZK | $0.61B | 0.3 UOPS | Stage 0 |\n",
        ),
        """
        = ZKsync Era's TVS is $0.61B
        - ZKsync Era's TVS is $13.6B
        ~ ZKsync Era's sequencer margin is 31%
    """,
    ),
    Scene(
        "table months",
        (
            "## NFT sales volume (USD millions)\n\n| Month | Ethereum | Bitcoin | Solana |\n|---|---|---|---|\n| 2025-08 | 267 | 71 | 48 |\n| 2025-09 | 198 | 64 | 39 |\n| 2025-10 | 211 | 82 | 33 |\n",
        ),
        """
        = NFT sales volume on Ethereum was $198 million in September 2025
        - NFT sales volume on Ethereum was $198 million in October 2025
        - NFT sales volume on Solana was $64 million in September 2025
    """,
    ),
    Scene(
        "table country",
        (
            "| Country | GDP (US$ trn) | Growth | Inflation | Policy rate |\n|---|---|---|---|---|\n| Brazil | 2.26 | 2.4% | 5.2% | 15.00% |\n| Mexico | 1.86 | 1.0% | 3.7% | 7.25% |\n| Turkey | 1.57 | 3.5% | 33.3% | 39.50% |\n",
        ),
        """
        = Mexico's policy rate is 7.25%
        - Mexico's inflation is 33.3%
        - Brazil's GDP is US$2.26 billion
    """,
    ),
    Scene(
        "table metric column",
        (
            "| | Curve | Balancer | Fluid |\n|---|---|---|---|\n| TVL | $2.1B | $0.19B | $1.6B |\n| Volume (30d) | $6.8B | $2.4B | $14.9B |\n| Fees (30d) | $2.9M | $1.1M | $5.0M |\n",
        ),
        """
        = Fluid's 30d volume is $14.9B
        - Fluid's 30d fees are $2.9M
        - Curve's 24h volume is $6.8B
    """,
    ),
    Scene(
        "table zh 基金",
        (
            "| 基金 | 代码 | 规模（亿元） | 近一年收益 | 管理费率 |\n|---|---|---|---|---|\n| 华夏上证50 | 510050 | 1782.4 | 18.3% | 0.15% |\n| 易方达沪深300 | 510310 | 2941.6 | 21.7% | 0.15% |\n| 南方中证500 | 510500 | 1405.9 | 30.2% | 0.15% |\n",
        ),
        """
        = 南方中证500近一年收益为30.2%
        - 华夏上证50近一年收益为21.7%
        - 南方中证500规模为1782.4亿元
    """,
    ),
    Scene(
        "table zh 矿企",
        (
            "10月比特币产量一览\n\n| 公司 | 产量（枚） | 持币量（枚） | 算力（EH/s） |\n|---|---|---|---|\n| CleanSpark | 612 | 13,033 | 50.0 |\n| 比特小鹿 | 511 | 2,233 | 41.2 |\n| Cango | 602 | 6,412 | 50.0 |\n",
        ),
        """
        = 比特小鹿持币量为2233枚
        - Cango持币量为13033枚
        - 比特小鹿10月产量为602枚
    """,
    ),
    Scene(
        "table zh 季度",
        (
            "宁德时代主要财务数据（单位：亿元）\n\n| 季度 | 营业收入 | 归母净利润 | 毛利率 |\n|---|---|---|---|\n| 2025Q1 | 847.0 | 139.6 | 24.4% |\n| 2025Q2 | 941.8 | 165.2 | 25.6% |\n| 2025Q3 | 1041.9 | 185.5 | 25.8% |\n",
        ),
        """
        = 宁德时代2025年第三季度营业收入为1041.9亿元
        - 宁德时代2025年第二季度营业收入为1041.9亿元
        - 宁德时代2025年第三季度归母净利润为165.2亿元
    """,
    ),
    Scene(
        "table zh 借贷",
        (
            "| 协议 | 存款（百万美元） | 借款（百万美元） | 利用率 |\n|---|---|---|---|\n| Kamino | 3,920 | 1,640 | 41.8% |\n| Jupiter Lend | 1,010 | 505 | 50.0% |\n| Save | 214 | 88 | 41.1% |\n",
        ),
        """
        = Kamino存款为39.2亿美元
        - Kamino借款为39.2亿美元
        ~ Kamino的清算罚金为5%
    """,
    ),
    Scene(
        "table tsv pools",
        (
            "pool\tdex\ttvl_usd\tvolume_24h_usd\tapr_pct\nWETH-USDC\tUniswap v3\t142800000\t318400000\t21.4\nWBTC-WETH\tUniswap v3\t96100000\t44700000\t4.9\ncbBTC-USDC\tAerodrome\t31500000\t120900000\t38.2\n",
        ),
        """
        = The WBTC-WETH pool's TVL is $96.1 million
        - The WBTC-WETH pool's TVL is $142.8 million
        - The cbBTC-USDC pool's TVL is $120.9 million
    """,
    ),
    Scene(
        "table fact sheet",
        (
            "# Zcash\n\n| Item | Figure |\n|---|---|\n| Last price | $511.90 |\n| 52-week low | $24.35 |\n| Shielded supply | 4.98M ZEC |\n| Circulating supply | 16.3M ZEC |\n| 24h change | +9.7% |\n",
        ),
        """
        = Zcash's shielded supply is 4.98M ZEC
        - Zcash's circulating supply is 4.98M ZEC
        - Zcash's 7d change is +9.7%
        ~ Zcash has 1.1 million holders
    """,
    ),
    # ---- JSON
    Scene(
        "json gas",
        (
            '{"status":"1","message":"OK","result":{"LastBlock":"23741020","SafeGasPrice":"0.412","ProposeGasPrice":"0.455","FastGasPrice":"0.731","suggestBaseFee":"0.409"}}',
        ),
        """
        - The safe gas price is 0.731 Gwei
        - The suggested base fee is 0.455 Gwei
        ~ The average transfer costs $0.18
    """,
    ),
    Scene(
        "json chain tvl",
        (
            '[{"name":"Sui","tokenSymbol":"SUI","tvl":1180000000.4,"gecko_id":"sui"},{"name":"Aptos","tokenSymbol":"APT","tvl":602000000.9,"gecko_id":"aptos"},{"name":"Sei","tokenSymbol":"SEI","tvl":214000000.2,"gecko_id":"sei-network"}]',
        ),
        """
        = Aptos's TVL is $602 million
        - Aptos's TVL is $1.18 billion
        - SEI trades at $214
    """,
    ),
    Scene(
        "json repo",
        (
            '{"full_name":"foundry-rs/foundry","stargazers_count":9875,"forks_count":2213,"open_issues_count":611,"subscribers_count":94,"language":"Rust"}',
        ),
        """
        = The foundry repository has 611 open issues
        - The foundry repository has 9,875 forks
        - The foundry repository has 2,213 open issues
    """,
    ),
    Scene(
        "json vote",
        (
            '{"proposal":{"id":"AIP-71","title":"Activate staking","state":"closed","scores":{"for":148200000,"against":11900000,"abstain":3400000},"quorum":110000000,"votes":8412}}',
        ),
        """
        = 8,412 votes were cast on AIP-71
        - 148.2 million were cast against AIP-71
        - The quorum of AIP-71 is 148.2 million
    """,
    ),
    Scene(
        "json markets",
        (
            '[{"id":"toncoin","symbol":"ton","name":"Toncoin","current_price":2.03,"high_24h":2.11,"low_24h":1.97,"total_volume":168400000,"market_cap":5110000000},{"id":"near","symbol":"near","name":"NEAR Protocol","current_price":2.58,"high_24h":2.93,"low_24h":2.49,"total_volume":611000000,"market_cap":3290000000}]',
        ),
        """
        = Toncoin's 24h low is $1.97
        - TON trades at $2.58
        - NEAR Protocol trades at $2.93
    """,
    ),
    Scene(
        "json holders",
        (
            '{"token":"PENGU","total_holders":842190,"top10_share_pct":31.7,"top100_share_pct":58.4,"new_holders_24h":1290}',
        ),
        """
        = PENGU has 842,190 holders
        - PENGU's top 10 holders own 58.4%
        - PENGU gained 842,190 holders in the past 24 hours
    """,
    ),
    Scene(
        "json bank",
        (
            '{"company":"JPMorgan Chase","ticker":"JPM","period":"Q3 2025","currency":"USD","unit":"millions","net_revenue":47120,"net_income":14393,"provision_for_credit_losses":3403}',
        ),
        """
        = JPMorgan Chase's net income was $14.393 billion in Q3 2025
        - JPMorgan Chase's net revenue was $14.393 billion in Q3 2025
        - JPMorgan Chase's net income was $14.393 billion in Q2 2025
    """,
    ),
    Scene(
        "json etf flows",
        (
            '{"date":"2025-11-13","unit":"USD million","flows":{"IBIT":-256.6,"FBTC":-119.9,"GBTC":-64.5},"total_bitcoin":-869.9,"total_ether":-259.6}',
        ),
        """
        = Bitcoin ETF flows totalled -$869.9 million on 2025-11-13
        - IBIT had inflows of $256.6 million on 2025-11-13
        - FBTC had outflows of $256.6 million on 2025-11-13
    """,
    ),
    Scene(
        "json supply",
        (
            '{"asset":"Worldcoin","symbol":"WLD","supply":{"circulating":2310000000,"total":10000000000,"max":10000000000},"price":{"usd":0.742,"eur":0.639}}',
        ),
        """
        = Worldcoin's circulating supply is 2.31 billion WLD
        - WLD trades at $0.639
        ! Worldcoin's circulating supply is 3.21 billion WLD
    """,
    ),
    Scene(
        "json zh 行情",
        (
            '{"列表":[{"名称":"贵州茅台","最新价":1456.6,"涨跌幅":"-0.42%","市盈率":20.9},{"名称":"五粮液","最新价":119.3,"涨跌幅":"+0.18%","市盈率":14.8}],"单位":"元"}',
        ),
        """
        = 五粮液最新价为119.3元
        - 五粮液市盈率为20.9
        - 贵州茅台最新价为119.3元
    """,
    ),
    Scene(
        "json zh 财务",
        (
            '{"公司名称":"美团","期间":"2025年第二季度","收入":91840000000,"经调整净利润":1493000000,"研发开支":6300000000,"货币":"人民币"}',
        ),
        """
        = 美团2025年第二季度收入为918.4亿元
        - 美团2025年第二季度经调整净利润为63亿元
        ! 美团2025年第二季度收入为981.4亿元
    """,
    ),
    Scene(
        "json zh 文章",
        (
            '{"标题":"周报","正文":"BNB链上周活跃地址1830万个，交易笔数1.02亿笔。Solana上周活跃地址1590万个，交易笔数3.74亿笔。","来源":"链上数据"}',
        ),
        """
        = BNB链上周活跃地址1830万个
        - Solana上周活跃地址1830万个
        - BNB链上周交易笔数3.74亿笔
    """,
    ),
    Scene(
        "json zh 质押",
        ('{"data":{"网络":"Cosmos","质押率":59.3,"年化收益率":14.7,"验证者数量":180,"解绑天数":21}}',),
        """
        = Cosmos质押率为59.3%
        - Cosmos年化收益率为59.3%
        - Cosmos验证者数量为21
        ~ Cosmos通胀率为10%
    """,
    ),
)

"""Values by an author who knew no rule, the first set: CASES of (id, claim, source, whether the source states it).

A line of a family is ``claim || source``; the first block matches, the second must not.
"""

from __future__ import annotations

FAMILIES: dict[str, tuple[str, str]] = {
    "separators": (
        """
        2.345.678 holders hold the token || 2,345,678 holders hold the token
        the vault holds 1.234.567,89 € || the vault holds €1,234,567.89
        4 512 900 addresses || 4,512,900 addresses
        7'250'000 tokens were burned || 7,250,000 tokens were burned
        12,34,567 wallets || 1,234,567 wallets
        fees of 0,75 % || fees of 0.75%
        8_400_000 gas || 8,400,000 gas
        持有者共1,204,551人 || 1204551 holders
        price 67,412.5 USD || price 67412.50 USD
        共有３，２１５个节点 || 3,215 nodes
        1 024 validators || 1,024 validators
        """,
        """
        2.345.678 holders || 2,354,678 holders
        12,34,567 wallets || 12,345,670 wallets
        fees of 0,75 % || fees of 75%
        67,412.5 USD || 674,125 USD
        1 024 validators || 1,240 validators
        """,
    ),
    "scales": (
        """
        $3.17bn in deposits || $3,170 million in deposits
        revenue of $845 mn || revenue of $0.845 billion
        $1.36T in assets || $1,360bn in assets
        ¥4.2万亿 || ¥4.2 trillion
        成交额达3.6亿美元 || volume reached $360 million
        流通量为2.17亿枚 || 217,000,000 tokens in circulation
        约5800万用户 || 58 million users
        5.8千万用户 || 58 million users
        锁仓量12.4亿美元 || TVL of $1.24B
        12.4亿美元 || 1,240,000,000美元
        market value of $92.7 billion || 市值为927亿美元
        34.5万枚BTC || 345,000 BTC
        1.2百万枚 || 1.2 million tokens
        $450k in bounties || $450,000 in bounties
        $2.1 Mio || $2.1 million
        a fund of half a billion dollars || a fund of $500 million
        三十五亿美元 || $3.5 billion
        """,
        """
        成交额达3.6亿美元 || volume reached $3.6 billion
        流通量为2.17亿枚 || 21,700,000 tokens in circulation
        5800万用户 || 580 million users
        ¥4.2万亿 || ¥4.2 billion
        34.5万枚BTC || 34,500 BTC
        $3.17bn in deposits || $3.17mn in deposits
        $450k in bounties || $450m in bounties
        三十五亿美元 || $35 billion
        """,
    ),
    "percents": (
        """
        up 12.5 percent || up 12.5%
        a cut of 25 basis points || a cut of 0.25 percentage points
        a fee of 30 bps || a fee of 0.30%
        market share rose 2.5 percentage points || market share rose 2.5 pp
        上涨百分之七 || up 7%
        份额提高3.2个百分点 || share up 3.2 percentage points
        下调50个基点 || cut by 50 bps
        下调50个基点 || a cut of 50 basis points
        手续费为千分之三 || a fee of 0.3%
        yield of 4.1 per cent || yield of 4.1%
        a fee of 0.05% || a fee of 5 bps
        上涨7％ || up 7%
        """,
        """
        market share rose 2.5 percentage points || market share rose 2.5%
        a cut of 25 basis points || a cut of 25%
        a fee of 30 bps || a fee of 3%
        手续费为千分之三 || a fee of 3%
        份额提高3.2个百分点 || 份额提高3.2%
        up 12.5 percent || up 1.25 percent
        """,
    ),
    "headers": (
        """
        revenue of $512.3 million || Revenue ($ mn): 512.3
        net income was $48.2 million || Net income (in thousands of US dollars): 48,200
        营业收入为12.8亿元 || 营业收入（单位：百万元）：1,280
        total assets of $7.4 billion || Total assets (USD millions): 7,400
        净利润为3,400万元 || 净利润（万元）：3,400
        """,
        """
        revenue of $512.3 billion || Revenue ($ mn): 512.3
        net income was $48.2 billion || Net income (in thousands of US dollars): 48,200
        营业收入为1,280元 || 营业收入（单位：百万元）：1,280
        """,
    ),
    "signs": (
        """
        a net loss of $214 million || net result: $(214) million
        change of -6.2% || change of −6.2%
        fell 6.2% || change: -6.2%
        rose 3.9% || change: +3.9%
        下跌4.4% || down 4.4%
        跌幅为4.4% || -4.4%
        net outflows of $68.6 million || net flows of -$68.6 million
        funding of -0.011% || funding of (0.011)%
        a gain of 18% || up 18%
        zero fees || fees of 0
        unchanged at 0% || 0.00%
        """,
        """
        rose 6.2% || fell 6.2%
        change of -6.2% || change of +6.2%
        上涨4.4% || 下跌4.4%
        a net profit of $214 million || net result: $(214) million
        net inflows of $68.6 million || net outflows of $68.6 million
        """,
    ),
    "ranges": (
        """
        between $95 and $105 || $95–$105
        from 3.5% to 4% || 3.5%-4%
        a range of 4.00% to 4.25% || 4.00%–4.25%
        价格区间为1.2至1.5美元 || between $1.2 and $1.5
        $1.1-1.3 billion || between $1.1 billion and $1.3 billion
        5万至8万美元 || $50,000 to $80,000
        """,
        """
        $100 || between $95 and $105
        between $95 and $105 || $95
        from 3.5% to 4% || 3.5% to 5%
        5万至8万美元 || 5至8美元
        """,
    ),
    "bounds": (
        """
        more than 500 nodes || over 500 nodes
        at least 12 signers || no fewer than 12 signers
        up to 20% || as much as 20%
        nearly 40,000 users || almost 40,000 users
        nearly $40 billion || $39.8 billion
        超过300万用户 || more than 3 million users
        不到5% || less than 5%
        近4万用户 || nearly 40,000 users
        """,
        """
        more than 500 nodes || fewer than 500 nodes
        up to 20% || at least 20%
        nearly $40 billion || $44.9 billion
        不到5% || 超过5%
        """,
    ),
    "rounding": (
        """
        $36.4 || $36.36
        about $2.1 trillion || $2,137,885,000,000
        12.3M transactions || 12,345,678 transactions
        4.6% || 4.61%
        约98.6亿美元 || 9,857,283,441美元
        $107.2K || $107,240
        0.0034 ETH || 0.00338 ETH
        roughly 271 million || 270,772,999
        3.0% || 2.97%
        """,
        """
        $36.3 || $36.36
        $36.36 || $36.4
        12.4M transactions || 12,345,678 transactions
        107,240 || 107.2K
        98.5亿美元 || 9,857,283,441美元
        """,
    ),
    "words": (
        """
        half of the supply || 50% of the supply
        two-thirds of validators || 2/3 of validators
        three quarters of holders || 75% of holders
        one in five wallets || 20% of wallets
        a quarter of fees || 25% of fees
        三分之二的节点 || two thirds of nodes
        四分之一的供应量 || 25% of supply
        一半的手续费 || 50% of the fees
        seven validators || 7 validators
        a dozen exchanges || 12 exchanges
        the third-largest chain || the 3rd largest chain
        ranked fourth || ranked #4
        """,
        """
        two-thirds of validators || one third of validators
        a quarter of fees || 4% of fees
        三分之二的节点 || 三分之一的节点
        the third-largest chain || the 13th largest chain
        one in five wallets || 5% of wallets
        """,
    ),
    "periods": (
        """
        revenue of $4.2 billion in Q3 2025 || revenue of $4.2 billion in the third quarter of 2025
        revenue of $4.2 billion in 3Q25 || revenue of $4.2 billion in Q3 2025
        2025年第三季度营收为42亿美元 || revenue of $4.2 billion in Q3 2025
        2025年上半年营收8亿元 || revenue of RMB 800 million in the first half of 2025
        fees of $9 million in H1 2025 || fees of $9 million in the first half of 2025
        revenue of $31 million in Q2 FY25 || revenue of $31 million in the second quarter of fiscal 2025
        the price was $36.36 on 17 October 2025 || the price was $36.36 on 2025-10-17
        the price was $36.36 on 10/17/2025 || the price was $36.36 on October 17, 2025
        the price was $36.36 on 17/10/2025 || the price was $36.36 on 17th October 2025
        2025年10月17日价格为36.36美元 || $36.36 on Oct 17, 2025
        inflows of $477 million in the week ended October 17, 2025 || inflows of $477 million in the week ended 17 October 2025
        截至2025年9月30日止三个月，营收为5.1亿元 || revenue of RMB 510 million for the three months ended September 30, 2025
        down 5.8% in the past 24 hours || down 5.8% in 24h
        down 8.4% over the past week || down 8.4% over the last 7 days
        近30日上涨12% || up 12% in the past 30 days
        revenue of $12 million in fiscal 2024 || revenue of $12 million in FY24
        """,
        """
        revenue of $4.2 billion in Q3 2025 || revenue of $4.2 billion in Q2 2025
        revenue of $4.2 billion in 3Q25 || revenue of $4.2 billion in Q3 2024
        fees of $9 million in H1 2025 || fees of $9 million in H2 2025
        the price was $36.36 on 17 October 2025 || the price was $36.36 on 16 October 2025
        2025年第三季度营收为42亿美元 || 2025年第四季度营收为42亿美元
        down 5.8% in the past 24 hours || down 5.8% in the past 7 days
        the price was $36.36 on 10/17/2025 || the price was $36.36 on October 7, 2025
        """,
    ),
    "currencies": (
        """
        US$45.2 million || $45.2 million
        USD 45.2 million || 45.2 million US dollars
        HK$7.8 billion || 7.8 billion Hong Kong dollars
        78亿港元 || HK$7.8 billion
        RMB 3.1 billion || 31亿元人民币
        €12.5 million || EUR 12.5m
        £900k || 900,000 pounds sterling
        """,
        """
        HK$7.8 billion || US$7.8 billion
        €12.5 million || $12.5 million
        RMB 3.1 billion || 31亿美元
        78亿港元 || 78亿日元
        """,
    ),
    "units": (
        """
        4,500 TPS || 4,500 transactions per second
        32 Gwei || 32 gwei
        1,021 EH/s || 1.021 ZH/s
        5.2% APY || 5.2% APY
        150 MWh || 150 megawatt-hours
        """,
        """
        4,500 TPS || 4,500 transactions per day
        5.2% APY || 5.2% APR
        150 MWh || 150 GWh
        32 Gwei || 32 ETH
        1,021 EH/s || 1,021 TH/s
        """,
    ),
}


def _cases() -> list[tuple[str, str, str, bool]]:
    found = []
    for family, blocks in FAMILIES.items():
        for match, block in zip((True, False), blocks, strict=True):
            for number, line in enumerate(block.strip().splitlines(), 1):
                claim, _, source = line.strip().partition(" || ")
                found.append((f"{family}-{'yes' if match else 'no'}-{number}", claim, source, match))
    return found


CASES = _cases()

"""Values by an author who knew no rule, the second set: CASES of (id, claim, source, whether the source states it).

A line of a family is ``claim || source``; the first block matches, the second must not.
"""

from __future__ import annotations

FAMILIES: dict[str, tuple[str, str]] = {
    "separators": (
        """
        the bridge moved 18.204.771 tokens || the bridge moved 18,204,771 tokens
        a balance of 3.418,05 EUR || a balance of EUR 3,418.05
        96 400 wallets || 96,400 wallets
        4'186'250.75 CHF || CHF 4,186,250.75
        1,07,50,000 users || 10,750,000 users
        3_141_592 blocks || 3141592 blocks
        共9,081,344笔交易 || 9081344 transactions
        质押量为６８０，５００枚 || 680,500 tokens staked
        a price of 0,0428 € || a price of €0.0428
        block 23456789 || block 23,456,789
        """,
        """
        the bridge moved 18.204.771 tokens || the bridge moved 18,204,717 tokens
        1,07,50,000 users || 1,075,000 users
        a price of 0,0428 € || a price of €428
        96,400 wallets || 964,000 wallets
        a balance of 3,418.05 EUR || a balance of EUR 341,805
        """,
    ),
    "scales": (
        """
        $720mn of debt || $0.72bn of debt
        a treasury of $1.9B || a treasury of $1,900 million
        $0.38 trillion || $380 billion
        净流入6,420万美元 || net inflows of $64.2 million
        总供应量210亿枚 || a total supply of 21 billion tokens
        1.65万亿元 || 1.65 trillion yuan
        市值3,075亿美元 || a market cap of $307.5B
        8千万美元 || $80 million
        2,300万枚代币 || 23M tokens
        3百万个地址 || 3 million addresses
        raised $18.5 million || 融资1850万美元
        holds 640,000 BTC || 持有64万枚BTC
        a market of $2.4 trillion || 规模达2.4万亿美元
        $75K || $75 thousand
        quarter of a million dollars || $250,000
        六百五十万用户 || 6.5 million users
        """,
        """
        净流入6,420万美元 || net inflows of $642 million
        总供应量210亿枚 || a total supply of 2.1 billion tokens
        1.65万亿元 || 1.65亿元
        8千万美元 || $8 million
        holds 640,000 BTC || 持有6.4万枚BTC
        $720mn of debt || $720bn of debt
        六百五十万用户 || 65 million users
        """,
    ),
    "percents": (
        """
        occupancy of 81.4 per cent || occupancy of 81.4%
        raised its rate by 75 bps || raised its rate by 0.75 percentage points
        a spread of 8 basis points || a spread of 0.08%
        a fee of 0.25% || a fee of 25 basis points
        占比百分之十八 || a share of 18%
        利率上调25个基点 || the rate was raised by 25 basis points
        质押率下降1.4个百分点 || the staking rate fell 1.4 percentage points
        万分之五的费率 || a fee rate of 0.05%
        dominance fell 1.1 ppts || dominance fell 1.1 percentage points
        """,
        """
        raised its rate by 75 bps || raised its rate by 7.5 percentage points
        质押率下降1.4个百分点 || the staking rate fell 1.4%
        a spread of 8 basis points || a spread of 8%
        万分之五的费率 || a fee rate of 0.5%
        占比百分之十八 || a share of 80%
        """,
    ),
    "headers": (
        """
        operating income of $91.6 million || Operating income (USD in thousands): 91,600
        cash of €2.35 billion || Cash (EUR m): 2,350
        研发费用为4.6亿元 || 研发费用（单位：万元）：46,000
        deposits of $18.4 billion || Deposits ($bn): 18.4
        """,
        """
        operating income of $91.6 billion || Operating income (USD in thousands): 91,600
        研发费用为46,000元 || 研发费用（单位：万元）：46,000
        deposits of $18.4 million || Deposits ($bn): 18.4
        """,
    ),
    "signs": (
        """
        an operating loss of $37.5 million || operating result: $(37.5) million
        declined 9.1% || change: −9.1%
        up 2.3% || +2.3%
        涨幅为2.3% || rose 2.3%
        净流出1.2亿美元 || net outflows of $120 million
        slid 14.8% || dropped 14.8%
        a rate of -0.5% || a rate of minus 0.5%
        暴跌31% || plunged 31%
        """,
        """
        declined 9.1% || climbed 9.1%
        涨幅为2.3% || 跌幅为2.3%
        净流出1.2亿美元 || 净流入1.2亿美元
        an operating profit of $37.5 million || operating result: $(37.5) million
        """,
    ),
    "ranges": (
        """
        between 8% and 12% || 8–12%
        $0.80 to $0.95 || between $0.80 and $0.95
        in the $2.4–2.6 billion range || from $2.4 billion to $2.6 billion
        区间为3000至3500美元 || $3,000–$3,500
        30%到40% || 30% to 40%
        """,
        """
        10% || between 8% and 12%
        $0.80 to $0.95 || between $0.85 and $0.95
        30%到40% || 30%到45%
        """,
    ),
    "bounds": (
        """
        over 1,200 merchants || more than 1,200 merchants
        at most 64 signers || no more than 64 signers
        just under $3 || slightly less than $3
        less than 1% || under 1%
        逾2亿美元 || more than $200 million
        至少15% || at least 15%
        近百万美元 || nearly $1 million
        """,
        """
        over 1,200 merchants || under 1,200 merchants
        at most 64 signers || at least 64 signers
        逾2亿美元 || 不足2亿美元
        """,
    ),
    "rounding": (
        """
        $58.3 billion || $58,274,610,993
        7.9% || 7.874%
        about 1.5 million addresses || 1,486,250 addresses
        约4.2万枚 || 41,870枚
        $0.0152 || $0.015163
        $4,120 || $4,119.62
        """,
        """
        $58.2 billion || $58,274,610,993
        7.87% || 7.9%
        $4,119.62 || $4,120
        4.1万枚 || 41,870枚
        """,
    ),
    "words": (
        """
        one third of nodes || 1/3 of nodes
        three-fifths of votes || 60% of votes
        four out of five traders || 80% of traders
        半数以上的投票 || more than half of the votes
        五分之一的收入 || 20% of revenue
        three-quarters of the supply || 75% of the supply
        eleven banks || 11 banks
        two dozen banks || 24 banks
        the fifth-largest token || the 5th largest token
        排名第七 || ranked 7th
        """,
        """
        one third of nodes || two thirds of nodes
        五分之一的收入 || 5% of revenue
        排名第七 || ranked 17th
        three-fifths of votes || 35% of votes
        """,
    ),
    "periods": (
        """
        profit of $640 million in Q1 2025 || profit of $640 million in the first quarter of 2025
        profit of $640 million in 1Q25 || profit of $640 million for Q1 2025
        2024年第四季度利润为6.4亿元 || profit of RMB 640 million in Q4 2024
        2024年下半年交易额为90亿美元 || volume of $9 billion in the second half of 2024
        volume of $9 billion in 2H24 || volume of $9 billion in H2 2024
        sales of $2.2 billion in Q3 FY25 || sales of $2.2 billion in the third fiscal quarter of 2025
        closed at $182.40 on 3 March 2025 || closed at $182.40 on 2025-03-03
        closed at $182.40 on 25/03/2025 || closed at $182.40 on March 25, 2025
        closed at $182.40 on 03/25/2025 || closed at $182.40 on 25 March 2025
        2025年3月25日收于182.40美元 || closed at $182.40 on Mar. 25, 2025
        截至2025年6月30日止六个月，收入为11亿元 || revenue of RMB 1.1 billion in the six months ended June 30, 2025
        outflows of $52 million in the week ended 14 March 2025 || outflows of $52 million in the week ended March 14, 2025
        up 41% year-over-year || up 41% yoy
        同比增长41% || up 41% year on year
        fees of $3 million in May 2025 || 2025年5月手续费为300万美元
        fell 7% over the past seven days || fell 7% in 7d
        """,
        """
        profit of $640 million in Q1 2025 || profit of $640 million in Q1 2024
        volume of $9 billion in 2H24 || volume of $9 billion in 1H24
        closed at $182.40 on 25/03/2025 || closed at $182.40 on 25 May 2025
        同比增长41% || up 41% quarter on quarter
        fees of $3 million in May 2025 || fees of $3 million in March 2025
        fell 7% over the past seven days || fell 7% over the past 30 days
        sales of $2.2 billion in Q3 FY25 || sales of $2.2 billion in Q3 FY24
        """,
    ),
    "currencies": (
        """
        USD 310 million || US$310 million
        25亿港元 || HK$2.5 billion
        ¥88 million in yen || 8800万日元
        CNY 6.4 billion || 64亿元人民币
        EUR 41 million || €41m
        """,
        """
        USD 310 million || CAD 310 million
        25亿港元 || 25亿美元
        CNY 6.4 billion || JPY 6.4 billion
        £41 million || €41 million
        """,
    ),
    "units": (
        """
        65,000 TPS || 65,000 transactions per second
        0.9 Gwei || 0.9 gwei
        740 EH/s || 740 exahashes per second
        12.4% APR || an APR of 12.4%
        """,
        """
        12.4% APR || 12.4% APY
        65,000 TPS || 65,000 transactions per minute
        740 EH/s || 740 PH/s
        18 MW || 18 MWh
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

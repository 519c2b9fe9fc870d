"""Values as claims and sources write them: (claim, source, whether the source states the value of the claim).

A line of a family is ``claim | source``; the first block matches, the second must not. The sign ``|`` parts,
so no case holds a table.
"""

from __future__ import annotations

FAMILIES: dict[str, tuple[str, str]] = {
    "separators": (
        """
        1,234,567 holders | 1234567 holders
        1234567 holders | 1,234,567 holders
        1 234 567 holders | 1,234,567 holders
        12,345.67 | 12345.67
        $1,000 | $1000
        1,000,000 | 1 million
        579,960,000 | 579.96 million
        $0.00001234 | $0.00001234
        .5 | 0.5
        1.234567e9 | 1,234,567,000
        100,200 | 100200
        １，２３４ | 1,234
        12345 transactions | 12,345 transactions
        21,000,000 BTC | 21 million BTC
        10’000 | 10,000
        """,
        """
        1,234,567 holders | 1,234,568 holders
        1,234 | 12,340
        12,345.67 | 1,234,567
        100,200 | 100,201
        $1,000 | $10,000
        .5 | 5
        0.05 | 0.5
        236 | 36
        36 | 236
        36 | 3.6
        1.23 | 12.3
        21,000,000 BTC | 21 BTC
        999.8 | 99.98
        1,001 | 1,010
        12,345 | 12,354
        """,
    ),
    "scales": (
        """
        $9.86B | $9.86 billion
        $9.86 billion | $9,860,000,000
        $9.9B | 9,857,283,441 USD
        270.8M | 270,772,999
        $579.96M | $579,960,000
        1.2T | 1.2 trillion
        $1.2 trillion | $1,200 billion
        $2.15bn | $2.15 billion
        $2.15B | $2,150M
        $2,150M | $2.15B
        999.8M HYPE | 999,835,000 HYPE
        5k users | 5,000 users
        5K users | 5,000 users
        $12.5 mn | $12.5 million
        3.2 thousand | 3,200
        0.65M | 650,000
        650K | 0.65 million
        216.6K tokens | 216,583 tokens
        $645M | $644.7 million
        $98.4K | $98,412
        $1.5tn | $1.5 trillion
        $0.5B | $500M
        four million | 4,000,000
        two billion dollars | $2B
        $3.45 Trillion | $3,451,000,000,000
        1.1 million transactions | 1,098,700 transactions
        72.5k | 72,498
        """,
        """
        $9.86B | $9.86 million
        $9.86M | $9.86B
        $9.8B | 9,857,283,441 USD
        270.7M | 270,772,999
        $579.96M | $579.96B
        1.2T | 1.2 billion
        5k users | 5 users
        5k users | 50,000 users
        $2.15bn | $2.15
        $2.15B | $215M
        0.65M | 65,000
        216.5K tokens | 216,583 tokens
        $645M | $6.45M
        $98.5K | $98,412
        $1.5tn | $1.5bn
        1.1 million transactions | 1,048,700 transactions
        72.4k | 72,498
        999.9M | 999,835,000
        four million | 4 billion
        $3.46 trillion | $3,451,000,000,000
        """,
    ),
    "chinese scales": (
        """
        98.6亿美元 | 9,860,000,000美元
        98.6亿美元 | $9.86 billion
        $9.86B | 98.6亿美元
        2.7亿枚 | 270,000,000枚
        27080万枚 | 2.708亿枚
        1.2万亿美元 | $1.2 trillion
        $1.2T | 1.2万亿美元
        12000亿美元 | 1.2万亿美元
        5.8亿美元 | $580 million
        $580M | 5.8亿美元
        36.36美元 | $36.36
        3.6万美元 | $36,000
        65万枚 | 650,000枚
        65万 | 0.65 million
        14亿489万元 | 1,404,890,000元
        百分之五 | 5%
        5% | 百分之五
        三十六 | 36
        三百万 | 3,000,000
        6千万美元 | $60 million
        1.5兆美元 | $1.5 trillion
        10.5萬 | 105,000
        3.2億美元 | $320M
        两亿美元 | $200 million
        4500萬美元 | $45M
        0.45亿 | 4500万
        5.1千亿美元 | $510B
        八十五万 | 850,000
        """,
        """
        98.6亿美元 | $98.6 billion
        98.6亿美元 | $986 million
        98.6亿美元 | 98.6万美元
        98.6亿美元 | 98.6亿元
        98.6亿元 | $9.86 billion
        2.7亿枚 | 2.7万枚
        1.2万亿美元 | 1.2亿美元
        1.2万亿美元 | $12 trillion
        5.8亿美元 | $5.8 billion
        36.36美元 | 36.36元
        3.6万美元 | $3,600
        3.6万美元 | $360,000
        65万枚 | 65,000枚
        三十六 | 三十七
        三百万 | 300,000
        1.5兆美元 | $1.5 billion
        10.5萬 | 10,500
        3.2億美元 | $3.2B
        百分之五 | 百分之十五
        5.1千亿美元 | $51B
        """,
    ),
    "percent": (
        """
        5.3% | 5.3 per cent
        5.3% | 5.3 percent
        5.3% | 5.3 pct
        5.3% | 5.3％
        5.3% | 5.28%
        -5.3% | −5.3%
        –5.8% | -5.8%
        fell 5.3% | -5.3%
        down 5.3% | a 5.3% decline
        dropped by 5.3% | fell 5.3 per cent
        -5.3% | down 5.3%
        up 4% | +4%
        rose 4% | 4% increase
        +4% | 4%
        下跌5.3% | -5.3%
        上涨4% | +4%
        涨幅4% | 4%
        12‰ | 1.2%
        25 bp | 0.25 percentage points
        25 bps | 25 basis points
        25个基点 | 25 bp
        0.25个百分点 | 25 basis points
        0.25 percentage points | 25bp
        5 bps fee | 0.05% fee
        0.05% fee | 5 basis points fee
        50 basis points | half a percentage point
        2.5 percentage points | 250 bps
        100% | 100 percent
        0.01% | 1 bp
        37.5% | 37.46%
        12 pp | 12 percentage points
        12个百分点 | 12 percentage points
        """,
        """
        5.3% | 5.3 percentage points
        5.3 percentage points | 5.3%
        5.3个百分点 | 5.3%
        25 bp | 25%
        25 bp | 2.5 percentage points
        25 bps | 0.25 bps
        25个基点 | 25个百分点
        5.3% | 53%
        5.3% | 0.53%
        5.3% | -5.3%
        -5.3% | 5.3%
        fell 5.3% | rose 5.3%
        rose 5.3% | fell 5.3%
        down 5.3% | up 5.3%
        下跌5.3% | 上涨5.3%
        上涨5.3% | 下跌5.3%
        5.3% | 5.3
        5.3% | $5.3
        5.3% | 5.3M
        12‰ | 12%
        5.2% | 5.28%
        5.3% | 5.36%
        37.4% | 37.46%
        0.05% | 0.05 bps
        1 bp | 1%
        +4% | -4%
        4% | 4‰
        """,
    ),
    "currencies": (
        """
        $36.36 | US$36.36
        $36.36 | 36.36 USD
        $36.36 | USD 36.36
        $36.36 | 36.36 dollars
        $36.36 | 36.36 US dollars
        $36.36 | 36.36美元
        36.36美金 | $36.36
        €20 | 20 euros
        €20 | EUR 20
        20欧元 | €20
        ¥500 million | 5亿元
        £12 | 12 pounds
        £12 | GBP 12
        ₩5,000 | 5000 KRW
        5000韩元 | ₩5,000
        HK$30 | 30港元
        500 yen | 500日元
        3 ETH | 3 ETH
        0.5 BTC | 0.5 BTC
        0.5 bitcoin | 0.5 BTC
        12,000 USDC | 12,000 USDC
        30 gwei | 30 Gwei
        1,500 sats | 1,500 satoshis
        USD36.36 | $36.36
        36.36 USDT | 36.36 USDT
        """,
        """
        $36.36 | €36.36
        €36.36 | $36.36
        $36.36 | £36.36
        $36.36 | ¥36.36
        $36.36 | HK$36.36
        HK$30 | $30
        $30 | HK$30
        36.36美元 | 36.36港元
        36.36美元 | 36.36欧元
        500日元 | 500元
        $36.36 | 36.36 USDC
        3 ETH | 3 BTC
        3 ETH | $3
        $3 | 3 ETH
        0.5 BTC | 0.5 ETH
        12,000 USDC | 12,000 USDT
        30 gwei | 30 wei
        1,500 sats | 1,500 BTC
        $5,000 | ₩5,000
        A$20 | $20
        $20 | A$20
        C$20 | $20
        S$20 | US$20
        NT$600 | $600
        $600 | R$600
        """,
    ),
    "rounding": (
        """
        $9.9B | $9,857,283,441
        37 | 36.9
        36.4 | 36.36
        36.36 | 36.3571
        $36 | $36.36
        RSI 37 | RSI 37.1
        RSI 37.1 | RSI 37.08
        2.5 | 2.45
        2.4 | 2.45
        0.13 | 0.125
        0.12 | 0.125
        $1.00 | $0.9998
        $100K | $99,870
        $99.9K | $99,870
        13.6% | 13.5701%
        271M | 270,772,999
        $10B | $9.6B
        36.40 | 36.4
        36.4 | 36.40
        $1.20 | $1.2
        5 | 5.0
        7.0% | 7%
        0.0% | 0.04%
        4.00 | 3.9999
        """,
        """
        $9.8B | $9,857,283,441
        36 | 36.9
        36.3 | 36.36
        36.35 | 36.3571
        $37 | $36.36
        RSI 38 | RSI 37.1
        2.4 | 2.451
        2.6 | 2.45
        $1.00 | $0.99
        $1.01 | $1.00
        $99.8K | $99,870
        13.5% | 13.5701%
        270M | 270,772,999
        36.36 | 36.4
        36.36 | 36
        $9.857B | $9.9B
        $9,857,283,441 | $9.9B
        9,857,283,441 | 9,857,283,442
        $9.0B | $9.4B
        7.1% | 7%
        0.1% | 0.04%
        3.99 | 3.9999
        1.0 | 1.05001
        12.35 | 12.3
        """,
    ),
    "signs": (
        """
        -5.8% | (5.8)%
        −12 | -12
        minus 12 | -12
        -$5M | -$5 million
        $-5M | -$5 million
        negative 3% | -3%
        loss of 3% | -3%
        declined 12.5% | decreased by 12.5%
        a drop of 8% | -8%
        跌8% | 下降8%
        降幅8% | 减少8%
        增长8% | 8%
        ↓3% | -3%
        ▼3% | down 3%
        gained 3% | rose 3%
        increase of 3% | +3%
        surged 12% | up 12%
        plunged 12% | -12%
        tumbled 12% | fell 12%
        """,
        """
        -5.8% | 5.8%
        -12 | 12
        $5M | -$5M
        negative 3% | 3%
        gain of 3% | loss of 3%
        declined 12.5% | increased 12.5%
        8% | -8%
        跌8% | 涨8%
        增长8% | 下降8%
        surged 12% | plunged 12%
        ↑3% | ↓3%
        up 3% | ▼3%
        plunged 12% | jumped 12%
        """,
    ),
    "limits": (
        """
        over $36 | $36.36
        more than 5 million users | 5.2 million users
        above $100K | $104,210
        at least 20 | 20
        at least 20 | 23
        nearly $37 | $36.9
        almost $10B | $9.86B
        under $40 | $39.5
        less than 1% | 0.8%
        up to 50 | up to 50
        over $36 | over $36
        $36+ | $36.36
        超过36美元 | 36.36美元
        近37美元 | 36.9美元
        不到1% | 0.8%
        逾500万 | 520万
        接近100亿美元 | 98.6亿美元
        more than $2B | over $2 billion
        exceeding 1,000 | 1,024
        less than $40 | under $40
        at most 5% | 4.8%
        """,
        """
        over $36 | $35.9
        over $36 | $36
        more than 5 million users | 4.9 million users
        above $100K | $99,870
        at least 20 | 19
        nearly $37 | $37.4
        nearly $37 | $30
        under $40 | $40.5
        less than 1% | 1.2%
        over $36 | under $36
        less than $40 | over $40
        $36 | over $36
        $36 | under $36
        $36 | up to $36
        超过36美元 | 35.9美元
        不到1% | 1.2%
        近37美元 | 38美元
        逾500万 | 480万
        over $36 | €36.36
        more than 36 BTC | 40 ETH
        over 100 | 10,000
        less than 100 | 3
        """,
    ),
    "approximations": (
        """
        ~$36 | $36.36
        about $36 | $36.36
        approximately 27% | 27.08%
        ≈45% | 45.2%
        around $9.9B | $9.86B
        roughly 271M | 270.77M
        约98.6亿美元 | 98.57亿美元
        大约36美元 | 36.36美元
        about $40 | $40.4
        ~$9.8B | $9,757,283,441
        36美元左右 | 36.36美元
        circa 500 | 500
        $36 | about $36
        ~5.3% | 5.28%
        """,
        """
        ~$36 | $39
        about $36 | €36.36
        approximately 27% | 29%
        ≈45% | 54%
        around $9.9B | $9.1B
        约98.6亿美元 | 96.8亿美元
        about $40 | $44
        roughly 271M | 281M
        ~5.3% | ~5.9%
        """,
    ),
    "ranges": (
        """
        $34 – $35 | $34-$35
        $34 to $35 | between $34 and $35
        34–35% | 34% to 35%
        $50 – $70 | $50 to $70
        介于34至35美元之间 | 34-35美元
        34~35美元 | $34 - $35
        between 10 and 12 | 10-12
        30-40% | 30% - 40%
        """,
        """
        $34 – $35 | $34
        $34 – $35 | $34-$36
        $50 – $70 | $50-$75
        34–35% | $34-$35
        $34 | $34-$35
        $35 | $34 - $35
        between 10 and 12 | 10 and 13
        30-40% | 30-45%
        """,
    ),
    "times and counts": (
        """
        3x | 3 times
        3x | 3倍
        3× | 3x
        2.5x leverage | 2.5 times leverage
        5倍 | 5x
        10-fold | 10x
        12 months | 12 months
        12个月 | 12 months
        3 days | 3天
        90 seconds | 90秒
        40x leverage | 40x leverage
        1,200 validators | 1200 validators
        five validators | 5 validators
        twenty-one validators | 21 validators
        65,000 TPS | 65000 TPS
        50 people | 50人
        24小时 | 24 hours
        """,
        """
        3x | 3%
        3x | 3
        3x | 30x
        3倍 | 3%
        12 months | 12 years
        12 months | 12 days
        3 days | 3 weeks
        90 seconds | 90 minutes
        40x leverage | 4x leverage
        five validators | 6 validators
        50 people | 50%
        50 people | $50
        3 days | 3 hours
        12个月 | 12年
        """,
    ),
    "periods": (
        """
        24h change -5.8% | -5.8% over the past 24 hours
        24h change -5.8% | change (24h): -5.8%
        24h change -5.8% | 24小时涨跌 -5.8%
        24-hour volume $580M | 24h volume $580M
        daily volume $580M | 24h volume $580M
        7d change 3% | 7-day change 3%
        7d change 3% | weekly change 3%
        up 12% in 30 days | 30d change 12%
        up 12% over the past month | 30d: 12%
        revenue of $12M in Q3 2025 | Q3 2025 revenue: $12M
        revenue of $12M in Q3 2025 | 2025年第三季度收入$12M
        revenue of $12M in 2024 | FY2024 revenue $12M
        YTD return 40% | year-to-date return 40%
        YTD return 40% | 年初至今 40%
        1h change 0.4% | 0.4% in the last hour
        1y change 120% | 120% over one year
        $12M on October 17, 2025 | 2025-10-17: $12M
        $12M in October 2025 | $12M (2025年10月)
        24小时成交量5.8亿美元 | $580M 24h volume
        近7天上涨3% | 7d +3%
        7日涨幅3% | +3% in the past week
        H1 2025 fees of $4M | fees in the first half of 2025: $4M
        24 hours: 5% | 5% in the last day
        14-day RSI 37 | RSI(14) 37
        """,
        """
        24h change -5.8% | 7d change -5.8%
        24h change -5.8% | -5.8% over the past week
        24h change -5.8% | 30d -5.8%
        24-hour volume $580M | 7-day volume $580M
        daily volume $580M | weekly volume $580M
        daily volume $580M | monthly volume $580M
        7d change 3% | 24h change 3%
        7d change 3% | 3% in 30 days
        revenue of $12M in Q3 2025 | Q2 2025 revenue: $12M
        revenue of $12M in Q3 2025 | Q3 2024 revenue: $12M
        revenue of $12M in 2024 | 2023 revenue $12M
        YTD return 40% | 1y return 40%
        1h change 0.4% | 24h change 0.4%
        $12M on October 17, 2025 | 2025-10-16: $12M
        $12M in October 2025 | $12M in October 2024
        24小时成交量5.8亿美元 | $580M 7d volume
        近7天上涨3% | 30d +3%
        H1 2025 fees of $4M | fees in H2 2025: $4M
        1y change 120% | 30d change 120%
        annual revenue of $12M | monthly revenue of $12M
        quarterly revenue of $12M | annual revenue of $12M
        14-day RSI 37 | 7-day RSI 37
        """,
    ),
    "table heads": (
        """
        $9.86 billion | Market cap (USD millions): 9,860
        98.6亿元 | 单位：亿元 98.6
        $9.86B | Market cap (in millions of USD): 9,860
        $580M | Volume ($M): 580
        $580M | 成交额（万美元）：58000
        5.3% | Change (%): 5.3
        -5.3% | Change (%): -5.3
        $12.4B | TVL ($B): 12.4
        1.2M users | Users (thousands): 1,200
        $12K | Fees (USD thousands): 12
        36.36美元 | 价格（美元）：36.36
        """,
        """
        $9.86 billion | Market cap (USD millions): 9.86
        $9.86 million | Market cap (USD billions): 9.86
        98.6亿元 | 单位：万元 98.6
        $580M | Volume ($B): 580
        $580M | Volume (€M): 580
        5.3% | Change ($): 5.3
        5.3% | Change (pp): 5.3
        $12K | Fees (USD millions): 12
        36.36美元 | 价格（元）：36.36
        $12.4B | TVL (€B): 12.4
        """,
    ),
    "dates": (
        """
        2025-10-17 | October 17, 2025
        17 October 2025 | 2025年10月17日
        Oct 17, 2025 | 2025-10-17
        Nov 4 2025 | November 4, 2025
        2025‑11‑29 | 29 November 2025
        2025年10月 | October 2025
        October 2025 | 2025-10-17
        Q3 2025 | 2025年第三季度
        in 2024 | 2024年
        10/17/2025 | 17 October 2025
        Q3 2025 | third quarter of 2025
        2025/10/17 | 2025-10-17T08:30:00Z
        """,
        """
        2025-10-17 | October 18, 2025
        2025-10-17 | October 17, 2024
        17 October 2025 | 2025年10月7日
        Nov 4 2025 | April 11, 2025
        October 2025 | September 2025
        2025-10-17 | October 2025
        Q3 2025 | Q2 2025
        in 2024 | 2023年
        2025年10月17日 | 2025年11月17日
        Q3 2025 | Q3 2023
        """,
    ),
    "in sentences": (
        """
        HYPE trades at $36.36 | Hyperliquid changed hands at 36.36 USD on Friday
        Market cap is $9.9B | capitalisation of 9,857,283,441 USD
        Volume hit $579.96M | turnover reached $579.96 million (CoinGecko)
        the fee is 0.045% | taker fee 4.5 bps
        price doubled to $2 | to $2 from $1
        TVL: +4% to $2.15B | TVL rose 4% to $2.15 billion
        $43.24 on listing | listed at $43.24
        RSI (14): 37.1 | RSI(14) is 37.1
        staking yield of 2.2% | 2.2% APR
        supply of 1B tokens | 1,000,000,000 tokens
        价格为36.36美元 | 现价 $36.36
        市值约99亿美元 | market cap of $9.86 billion
        持币地址12.5万个 | 125,000 addresses
        资金费率0.01% | funding rate 1 bp
        """,
        """
        HYPE trades at $36.36 | Hyperliquid changed hands at 36.63 USD on Friday
        Market cap is $9.9B | capitalisation of 9,457,283,441 USD
        Volume hit $579.96M | turnover reached $597.96 million
        the fee is 0.045% | taker fee 45 bps
        price doubled to $2 | to $3 from $2
        TVL: +4% to $2.15B | TVL rose 4% to $2.51 billion
        $43.24 on listing | listed at $43.42
        staking yield of 2.2% | 22% APR
        supply of 1B tokens | 100,000,000 tokens
        价格为36.36美元 | 现价 ¥36.36
        市值约99亿美元 | market cap of $99 billion
        持币地址12.5万个 | 12,500 addresses
        资金费率0.01% | funding rate 10 bp
        0.7% | -0.7%
        v2.5 released | 2.5% released
        """,
    ),
    "separators more": (
        """
        12,34,567 wallets | 1,234,567 wallets
        ₹1,23,45,678 | ₹12,345,678
        1,23,456.78 | 123,456.78
        1_000_000 gas | 1,000,000 gas
        21_000 gas | 21,000 gas
        fees of 0,75 % | fees of 0.75%
        12,5 % of supply | 12.5% of supply
        €12,50 | €12.50
        0,25 BTC | 0.25 BTC
        1.234,56 € | €1,234.56
        1 024 validators | 1,024 validators
        a total of 12 345 holders | 12,345 holders
        to 1 500.50 USD | $1,500.50
        1 234 567,89 € | €1,234,567.89
        """,
        """
        12,34,567 wallets | 12,345,67 wallets
        12,34,567 wallets | 34,567 wallets
        12,5 % of supply | 125% of supply
        12,5 % of supply | 5% of supply
        0,75 % | 75%
        1_000_000 gas | 1,000 gas
        1.234 BTC, 0,75 % fee | 1,234 BTC
        1.234 BTC, 0,75 % fee | 1.234 BTC
        1 024 validators | 24 validators
        1 024 validators | 1 validator
        Top 5 100-day averages | 5,100
        """,
    ),
    "scales more": (
        """
        ₹12 crore | ₹120 million
        ₹5 lakh | ₹500,000
        $3.1 mln | $3.1 million
        $2.4 bln | $2.4 billion
        $5MM | $5 million
        two and a half million users | 2.5 million users
        a billion dollars | $1 billion
        a hundred nodes | 100 nodes
        a thousand BTC | 1,000 BTC
        three hundred million dollars | $300 million
        """,
        """
        ₹12 crore | ₹12 million
        ₹5 lakh | ₹5 million
        $3.1 mln | $3.1 billion
        two and a half million users | 2 million users
        a billion dollars | $1 million
        a hundred nodes | 1,000 nodes
        $5MM | $5 billion
        """,
    ),
    "accounts": (
        """
        a net loss of $214 million | $(214) million
        -$3.2 billion | $(3.2) billion
        -$3.2 billion | ($3.2) billion
        a loss of $1,585 | $(1,585)
        net outflows of $68.6 million | net flow: -$68.6 million
        net outflow of $68.6 million | $68.6 million in net outflows
        净流出6860万美元 | net outflows of $68.6 million
        net inflows of $12 million | net inflow: $12 million
        zero fees | 0 fees
        nil revenue | revenue of 0
        零手续费 | 0手续费
        """,
        """
        a net profit of $214 million | $(214) million
        a net loss of $214 million | $(214) billion
        net outflows of $68.6 million | net inflows of $68.6 million
        净流出6860万美元 | 净流入6860万美元
        net inflows of $68.6 million | net flow: -$68.6 million
        zero fees | 1 fee
        """,
    ),
    "ranges more": (
        """
        a range from 3.5% to 4% | 3.5%-4%
        yields from 3.5% to 4% | between 3.5% and 4%
        $1.1-1.3 billion | $1.1 billion to $1.3 billion
        $1.1–$1.3 billion | between $1.1bn and $1.3bn
        5至8万美元 | $50,000 to $80,000
        20-25 million users | 20 million to 25 million users
        2-3 million | between 2 and 3 million
        3 to 5 percent | 3%-5%
        """,
        """
        from 3.5% to 4% | 3.5%
        the rate rose from 3.5% to 4% | 3.5%-4%
        3.5%-4% | cut from 4% to 3.5%
        $1.1-1.3 billion | $1.1-1.3 million
        $1.1-1.3 billion | $1.10-$1.30
        20-25 million users | 20 to 25 users
        yields from 3.5% to 4% | between 3.5% and 5%
        """,
    ),
    "limits more": (
        """
        at least 12 signers | no fewer than 12 signers
        at least 12 signers | a minimum of 12 signers
        at least 12 | 至少12
        at most 5% | no more than 5%
        not more than 5% | at most 5%
        not exceeding 5% | up to 5%
        不超过5% | no more than 5%
        不低于5% | at least 5%
        12 or more | at least 12
        5% or higher | at least 5%
        no less than $5 | at least $5
        """,
        """
        at least 12 signers | at most 12 signers
        at least 12 signers | fewer than 12 signers
        not more than 5% | more than 5%
        no fewer than 12 | fewer than 12
        不超过5% | 超过5%
        至少12 | 最多12
        12 or more | 12 or less
        """,
    ),
    "shares in words": (
        """
        half of the supply | 50% of the supply
        half the supply | 50% of supply
        one half of the supply | 50% of the supply
        two-thirds of validators | 66.7% of validators
        two thirds of validators | 2/3 of validators
        a third of validators | 33.3% of validators
        three quarters of holders | 75% of holders
        three-fifths of votes | 60% of votes
        a quarter of fees | 25% of fees
        a tenth of supply | 10% of supply
        one in five wallets | 20% of wallets
        1 in 4 users | 25% of users
        nine out of ten users | 90% of users
        三分之二的节点 | two thirds of nodes
        四分之三的用户 | 75% of users
        十分之一 | 10%
        一半的手续费 | half of the fees
        半数用户 | 50% of users
        三成供应量 | 30% of supply
        手续费为万分之五 | a fee of 0.05%
        三分之一 | a third of them
        """,
        """
        half of the supply | 5% of the supply
        half of the supply | 0.5% of the supply
        half of the supply | a third of the supply
        the first half of 2025 | 50%
        two-thirds of validators | one third of validators
        two-thirds of validators | 62% of validators
        a quarter of fees | 4% of fees
        three quarters of holders | a quarter of holders
        three quarters of 2025 | 75%
        one in five wallets | 5% of wallets
        one in five wallets | 1 wallet
        a third party | 33.3%
        the third quarter | 33.3%
        三分之二的节点 | 三分之一的节点
        四分之三的用户 | 25% of users
        三成供应量 | 3% of supply
        手续费为万分之五 | a fee of 0.5%
        一半的手续费 | 一成的手续费
        """,
    ),
    "counts and ranks": (
        """
        a dozen exchanges | 12 exchanges
        two dozen exchanges | 24 exchanges
        half a dozen exchanges | 6 exchanges
        the third-largest chain | the 3rd largest chain
        the third-largest chain | the #3 chain
        ranked fourth | ranked #4
        ranked 4th | #4
        第三大公链 | the third-largest chain
        排名第四 | ranked fourth
        """,
        """
        a dozen exchanges | 10 exchanges
        a dozen exchanges | 2 exchanges
        the third-largest chain | the 13th largest chain
        the third-largest chain | 3 chains
        ranked fourth | ranked #14
        ranked fourth | ranked fifth
        第三大公链 | 第二大公链
        第三大公链 | 三大公链有5条
        """,
    ),
    "units more": (
        """
        4,500 TPS | 4,500 transactions per second
        4,500 TPS | 4,500 tx/s
        1,021 EH/s | 1.021 ZH/s
        1,021 EH/s | 1,021 exahashes per second
        650 EH/s | 650,000 PH/s
        150 MWh | 150 megawatt-hours
        150 MWh | 0.15 GWh
        1.2 GW | 1,200 MW
        1.2 GW | 1.2 gigawatts
        150兆瓦 | 150 MW
        16 GB | 16,000 MB
        32 Gwei | 32 gwei
        32 gwei | 32,000,000,000 wei
        400 ms | 0.4 seconds
        400毫秒 | 400 milliseconds
        90 seconds | 1.5 minutes
        0.001 BTC | 100,000 sats
        5.2% APY | an APY of 5.2%
        """,
        """
        4,500 TPS | 4,500 transactions per day
        1,021 EH/s | 1,021 TH/s
        1,021 EH/s | 1,021 PH/s
        150 MWh | 150 GWh
        150 MWh | 150 MW
        1.2 GW | 1.2 MW
        150兆瓦 | 150 GW
        16 GB | 16 TB
        32 Gwei | 32 ETH
        32 gwei | 32 wei
        400 ms | 400 seconds
        90 seconds | 9 minutes
        5.2% APY | 5.2% APR
        0.001 BTC | 1,000 sats
        """,
    ),
    "currencies more": (
        """
        HK$7.8 billion | 7.8 billion Hong Kong dollars
        HKD 7.8 billion | 78亿港元
        A$20 million | 20 million Australian dollars
        A$20 million | AUD 20 million
        S$5 | 5 Singapore dollars
        CHF 5 million | 5 million Swiss francs
        5亿新台币 | NT$500 million
        C$3 | 3加元
        ₹500 | 500 rupees
        500 yen | 500 Japanese yen
        20 British pounds | £20
        45.2 million U.S. dollars | $45.2M
        """,
        """
        HK$7.8 billion | 7.8 billion US dollars
        A$20 million | 20 million Canadian dollars
        S$5 | $5
        CHF 5 million | $5 million
        5亿新台币 | 5亿港元
        500 rupees | $500
        3,436.61 USDT | $3,436.61
        ¥500 | 500 Japanese yen
        """,
    ),
    "periods more": (
        """
        revenue of $4.2B in 3Q25 | revenue of $4.2B in Q3 2025
        revenue of $4.2B in Q3'25 | revenue of $4.2B in 2025Q3
        revenue of $4.2B in 25Q3 | revenue of $4.2B in the third quarter of 2025
        revenue of $31M in Q2 FY25 | revenue of $31M in fiscal Q2 2025
        revenue of $31M in Q2 FY2025 | revenue of $31M in the second quarter of fiscal year 2025
        2025财年第二季度收入3100万美元 | revenue of $31M in Q2 FY25
        fees of $9M in 1H25 | fees of $9M in H1 2025
        fees of $9M in 2H 2025 | 2025年下半年 fees of $9M
        fees of $9M in 9M25 | fees of $9M in the first nine months of 2025
        2025年前三季度收入900万美元 | revenue of $9M in the first nine months of 2025
        2025年1-9月收入900万美元 | revenue of $9M in 9M 2025
        2025年1-6月收入900万美元 | revenue of $9M in H1 2025
        revenue of $9M in January–March 2025 | revenue of $9M in Q1 2025
        $5 on 17-Oct-2025 | $5 on 17 October 2025
        $5 on October 17th, 2025 | $5 on 2025-10-17
        $5 on 17/10/25 | $5 on 2025-10-17
        revenue of $12M in FY25 | 2025财年收入1200万美元
        TTM revenue of $12M | revenue of $12M in the trailing twelve months
        up 3% QTD | up 3% quarter to date
        up 12% in the past six months | 过去半年上涨12%
        """,
        """
        revenue of $4.2B in 3Q25 | revenue of $4.2B in Q3 2024
        revenue of $4.2B in 3Q25 | revenue of $4.2B in 2Q25
        revenue of $31M in Q2 FY25 | revenue of $31M in Q2 FY24
        fees of $9M in 1H25 | fees of $9M in 2H25
        fees of $9M in 1H25 | fees of $9M in 1h
        2025年前三季度收入900万美元 | 2025年第三季度收入900万美元
        2025年1-9月收入900万美元 | 2025年1-6月收入900万美元
        $5 on 17-Oct-2025 | $5 on 18-Oct-2025
        $5 on October 17th, 2025 | $5 on October 18th, 2025
        TTM revenue of $12M | revenue of $12M in the past month
        up 3% QTD | up 3% YTD
        """,
    ),
}


def cases() -> list[tuple[str, str, str, bool]]:
    """(family, claim, source, whether it matches)."""
    found = []
    for family, blocks in FAMILIES.items():
        for block, match in zip(blocks, (True, False), strict=True):
            for line in block.strip().splitlines():
                claim, source = (part.strip() for part in line.split("|"))
                found.append((family, claim, source, match))
    return found

"""Blocks of analyst answers marked by hand: the claims that must be made of each.

A claim is written ``K words <1,src_2> {context}``: its kind (N number, D date, M name, T technical, O
opinion), its words as they stand in the answer (up to punctuation and emphasis at both ends), the sources it cites, and
words that its context must have. Only the first part is always there. ``= text =`` instead of the words says
that the words of the claim are put together (``respectively``); then they stand before ``@`` and its range
behind it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Marked:
    """An answer, and its claims in order."""

    text: str
    claims: tuple[str, ...]


def m(text: str, *claims: str) -> Marked:
    """A row of the suite."""
    return Marked(text, claims)


ENGLISH = (
    # one fact each
    m("Bitcoin trades at $97,250 [1].", "N Bitcoin trades at $97,250 <1>"),
    m("The Fed cut rates by 25 bps in September 2025.", "N The Fed cut rates by 25 bps in September 2025"),
    m("TVL stands at $2.15B [1][2].", "N TVL stands at $2.15B <1,2>"),
    m("The mainnet launched on 12 March 2024 [3].", "D The mainnet launched on 12 March 2024 <3>"),
    m("OKX delayed the listing to Nov 4 2025.", "D OKX delayed the listing to Nov 4 2025"),
    m("Uniswap was founded by Hayden Adams [1].", "M Uniswap was founded by Hayden Adams <1>"),
    m("Paradigm led the seed round.", "T Paradigm led the seed round"),
    m("HYPE is the native token of the exchange.", "M HYPE is the native token of the exchange"),
    m(
        "Andre Cronje joined Sonic Labs as chief executive.",
        "M Andre Cronje joined Sonic Labs as chief executive",
    ),
    m(
        "Validators lock tokens in a smart contract to earn fees.",
        "T Validators lock tokens in a smart contract to earn fees",
    ),
    m("Fees are burned automatically after each swap.", "T Fees are burned automatically after each swap"),
    m(
        "The protocol settles trades on-chain through a central limit order book.",
        "T The protocol settles trades on-chain through a central limit order book",
    ),
    m(
        "Withdrawals pass through an optimistic challenge window.",
        "T Withdrawals pass through an optimistic challenge window",
    ),
    m("Sentiment is mixed.", "O Sentiment is mixed"),
    m(
        "This is a solid entry point for patient investors.",
        "O This is a solid entry point for patient investors",
    ),
    m("This is not financial advice.", "O This is not financial advice"),
    m("Always do your own research before you invest.", "O Always do your own research before you invest"),
    m("What would you like to explore next?", "O What would you like to explore next?"),
    m(
        "Let me know if you want a deeper look at the order book.",
        "O Let me know if you want a deeper look at the order book",
    ),
    m("Consider setting a stop-loss near $30.", "O Consider setting a stop-loss near $30"),
    m(
        "Investors should keep positions below 5% of the portfolio.",
        "O Investors should keep positions below 5% of the portfolio",
    ),
    m("Regulatory scrutiny may dampen growth.", "O Regulatory scrutiny may dampen growth"),
    m(
        "A break below $34 could lead to a drop toward $28.",
        "O A break below $34 could lead to a drop toward $28",
    ),
    m(
        "HYPE could realistically reach $55-$70 by the next bull run.",
        "O HYPE could realistically reach $55-$70 by the next bull run",
    ),
    m(
        "CoinCodex expects the price to reach $31.74 [8].",
        "N CoinCodex expects the price to reach $31.74 <8>",
    ),
    m("Coinpedia sees $30-$45 by year end.", "N Coinpedia sees $30-$45 by year end"),
    m(
        "According to Messari, fees could reach $1.2B in 2026.",
        "N According to Messari, fees could reach $1.2B in 2026",
    ),
    m("Analysts project a rise to $150 [2].", "N Analysts project a rise to $150 <2>"),
    m("The price may climb to $4,500 [4].", "N The price may climb to $4,500 <4>"),
    # two clauses
    m("BTC rose 5 % and ETH fell 3 % [1].", "N BTC rose 5 % <1>", "N ETH fell 3 % <1>"),
    m("BTC rose 5% [1] and ETH fell 3% [2].", "N BTC rose 5% <1>", "N ETH fell 3% <2>"),
    m(
        "Solana gained 4.2%, while Cardano lost 1.1% [1].",
        "N Solana gained 4.2% <1>",
        "N Cardano lost 1.1% <1>",
    ),
    m(
        "Volume hit $3.4B; open interest fell to $880M.",
        "N Volume hit $3.4B",
        "N open interest fell to $880M",
    ),
    m(
        "The burn removed 1.2M tokens, but supply still grew 0.4%.",
        "N The burn removed 1.2M tokens",
        "N supply still grew 0.4%",
    ),
    m(
        "Arbitrum raised $120M in 2021 and launched its mainnet in August 2021 [2].",
        "N Arbitrum raised $120M in 2021 <2>",
        "D launched its mainnet in August 2021 <2> {Arbitrum}",
    ),
    m(
        "Aave holds $24B in deposits and charges a 0.09% flash-loan fee.",
        "N Aave holds $24B in deposits",
        "N charges a 0.09% flash-loan fee {Aave}",
    ),
    m(
        "Lido controls 28% of staked ETH, whereas Coinbase holds 9%.",
        "N Lido controls 28% of staked ETH",
        "N Coinbase holds 9%",
    ),
    m(
        "The token trades at $36.36, down 5.8% in 24 hours [1].",
        "N The token trades at $36.36 <1>",
        "N down 5.8% in 24 hours <1> {The token}",
    ),
    m("XRP is at $2.41, up 12% on the week.", "N XRP is at $2.41", "N up 12% on the week {XRP}"),
    m(
        "It has a market cap of $9.9B and a circulating supply of 270.8M tokens.",
        "N It has a market cap of $9.9B",
        "N a circulating supply of 270.8M tokens {It has}",
    ),
    m(
        "Bitcoin trades at $100K with a market cap of $2.0T and a 24h volume of $48B [1].",
        "N Bitcoin trades at $100K <1>",
        "N a market cap of $2.0T <1> {Bitcoin}",
        "N a 24h volume of $48B <1> {Bitcoin}",
    ),
    m(
        "Circle acquired Hashnote and Ripple acquired Hidden Road.",
        "M Circle acquired Hashnote",
        "M Ripple acquired Hidden Road",
    ),
    m(
        "The sequencer orders transactions and the prover posts proofs to the base layer.",
        "T The sequencer orders transactions",
        "T the prover posts proofs to the base layer",
    ),
    m(
        "Revenue was $4.1M in Q1 2025, $5.3M in Q2 2025 and $6.0M in Q3 2025.",
        "N Revenue was $4.1M in Q1 2025",
        "N $5.3M in Q2 2025 {Revenue was}",
        "N $6.0M in Q3 2025 {Revenue was}",
    ),
    m(
        "Support sits at $2,400, $2,250 and $2,100.",
        "N Support sits at $2,400",
        "N $2,250 {Support sits}",
        "N $2,100 {Support sits}",
    ),
    m(
        "BTC is at $100K, ETH at $3.2K and SOL at $150 [1].",
        "N BTC is at $100K <1>",
        "N ETH at $3.2K <1>",
        "N SOL at $150 <1>",
    ),
    m(
        "The largest holders are Binance (12%), Kraken (4%) and Upbit (3%).",
        "N The largest holders are Binance (12%)",
        "N Kraken (4%) {The largest holders are}",
        "N Upbit (3%) {The largest holders are}",
    ),
    m(
        "Ondo, Maple and Centrifuge raised $46M, $12M and $15M respectively [1].",
        "N =Ondo raised $46M= @Ondo, Maple and Centrifuge raised $46M <1>",
        "N =Maple raised $12M= @$12M <1>",
        "N =Centrifuge raised $15M= @$15M respectively <1>",
    ),
    m(
        "Bitcoin and Ethereum fell 2.1% and 3.4%, respectively.",
        "N =Bitcoin fell 2.1%= @Bitcoin and Ethereum fell 2.1%",
        "N =Ethereum fell 3.4%= @3.4%, respectively",
    ),
    m(
        "The team said the token would launch in May 2025 and that 10% would go to users.",
        "D The team said the token would launch in May 2025",
        "N that 10% would go to users {The team said}",
    ),
    # things that must stay whole
    m("Support lies between $34 and $36.", "N Support lies between $34 and $36"),
    m("Open interest moved from $1.2B to $1.5B.", "N Open interest moved from $1.2B to $1.5B"),
    m("Johnson and Johnson holds no bitcoin.", "M Johnson and Johnson holds no bitcoin"),
    m("Research and development costs rose 8%.", "N Research and development costs rose 8%"),
    m(
        'The report, "Risks and rewards, and what follows", was published by Galaxy.',
        'M The report, "Risks and rewards, and what follows", was published by Galaxy',
    ),
    m(
        "Ethena (which pays 9%, and locks funds for 7 days) is audited by Zellic.",
        "N Ethena (which pays 9%, and locks funds for 7 days) is audited by Zellic",
    ),
    m(
        "If inflows continue and rates fall, prices may rise.",
        "O If inflows continue and rates fall, prices may rise",
    ),
    m(
        "Solana uses proof of history and proof of stake.",
        "T Solana uses proof of history and proof of stake",
    ),
    m(
        "It supports staking, lending and bridging.",
        "T =It supports staking= @It supports staking",
        "T =It supports lending= @lending",
        "T =It supports bridging= @bridging",
    ),
    m("The U.S. Treasury sold $38.5 bn of notes.", "N The U.S. Treasury sold $38.5 bn of notes"),
    m("The price rose to $1,234.56 on Jan. 5, 2025.", "N The price rose to $1,234.56 on Jan. 5, 2025"),
    m("Rates of 4.25% to 4.50% apply.", "N Rates of 4.25% to 4.50% apply"),
    # markers
    m("It rose 5%. [1] It fell 3%.", "N It rose 5% <1>", "N It fell 3%"),
    m("The price is $5 [1]. The volume is $9M.", "N The price is $5 <1>", "N The volume is $9M"),
    m("The price is $5.\n\n[1]\n\nThe volume is $9M.", "N The price is $5 <1>", "N The volume is $9M"),
    m(
        'Fees were $3M <Citation id="src_2" />. Users paid $4 each.',
        "N Fees were $3M <src_2>",
        "N Users paid $4 each",
    ),
    m('Fees were $3M.<CitationGroup citations={["src_2","src_3"]} />', "N Fees were $3M <src_2,src_3>"),
    m("Fees were $3M 【1】【2】.", "N Fees were $3M <1,2>"),
    m("Fees were $3M [1, 3].", "N Fees were $3M <1,3>"),
    m("Fees were $3M [9] and costs $2M [99].", "N Fees were $3M <9>", "N costs $2M {Fees were}"),
    m(
        "- Fees were $3M. Costs fell 4%. [1]\n- Users: 12,400",
        "N Fees were $3M <1>",
        "N Costs fell 4% <1>",
        "N Users: 12,400",
    ),
    m("- Fees were $3M [1]. Costs fell 4% [2].", "N Fees were $3M <1>", "N Costs fell 4% <2>"),
    m(
        "### Market [1]\n\nThe price is $5. The volume is $9M [2].\n\n### Risks\n\nOutflows were $2M.",
        "O Market",
        "N The price is $5 <1> {Market}",
        "N The volume is $9M <2> {Market}",
        "O Risks",
        "N Outflows were $2M {Risks}",
    ),
    m(
        '## Price <CitationGroup citations={["src_1"]} />\n\n- Spot: $36\n- High: $41',
        "O Price",
        "N Spot: $36 <src_1> {Price}",
        "N High: $41 <src_1> {Price}",
    ),
    m(
        'The price is $5. Anything else?\n\n<CitationGroup citations={["src_1","src_2"]} />',
        "N The price is $5 <src_1,src_2>",
        "O Anything else? <src_1,src_2>",
    ),
    # marks that reach back
    m(
        "The vault holds $4M. Its owner is Ostrom Labs. Exits take a week [3].",
        "N The vault holds $4M <3>",
        "M Its owner is Ostrom Labs <3>",
        "T Exits take a week <3>",
    ),
    m(
        "The vault holds $4M [1]. Its yield is 3%. It opened in May 2024 [2].",
        "N The vault holds $4M <1>",
        "N Its yield is 3%",
        "D It opened in May 2024 <2>",
    ),
    m(
        "The vault holds $4M. Its yield is 3% [2]. It opened in May 2024 [2].",
        "N The vault holds $4M <2>",
        "N Its yield is 3% <2>",
        "D It opened in May 2024 <2>",
    ),
    m(
        "The vault holds $4M. Its yield is 3%, by [2] at least, and it opened in May 2024.",
        "N The vault holds $4M",
        "N Its yield is 3%, by [2] at least <2>",
        "D it opened in May 2024 <2>",
    ),
    m(
        "The vault holds $4M.\n\nIts yield is 3% [2].",
        "N The vault holds $4M",
        "N Its yield is 3% <2>",
    ),
    m(
        "**What the vault does.** It holds $4M. Deposits are lent out [2].",
        "O What the vault does",
        "N It holds $4M <2>",
        "T Deposits are lent out <2>",
    ),
    m(
        "| Vault | Size |\n|---|---|\n| North | $4M |\n| South | $5M [2] |\n\n*Source: [1]*\n\nExits cost 1%.",
        "N $4M <1>",
        "N $5M <2>",
        "O Source <1>",
        "N Exits cost 1%",
    ),
    m(
        "- North holds $4M\n- South holds $5M\n\nSources: [1], [2]",
        "N North holds $4M <1,2>",
        "N South holds $5M <1,2>",
        "O Sources <1,2>",
    ),
    m(
        "金库持有400万美元。年化收益为3%。退出需要等待一周【2】。",
        "N 金库持有400万美元 <2>",
        "N 年化收益为3% <2>",
        "T 退出需要等待一周 <2>",
    ),
    m(
        "| 金库 | 规模 |\n|---|---|\n| 北 | 400万美元 |\n\n数据来源：[1]",
        "N 400万美元 <1>",
        "O 数据来源 <1>",
    ),
    # what the author adds of his own
    m(
        "**TL;DR:** The cliff frees 44 million tokens [2], which I think the market can digest.",
        "N TL;DR:** The cliff frees 44 million tokens <2>",
        "O which I think the market can digest <2>",
    ),
    m(
        "Volume doubled to $5M in October [2], and in my view no venue wins on every count.",
        "N Volume doubled to $5M in October <2>",
        "O in my view no venue wins on every count <2>",
    ),
    m(
        "成交额在10月升至500万美元【2】，我认为这一趋势会延续。",
        "N 成交额在10月升至500万美元 <2>",
        "O 我认为这一趋势会延续 <2>",
    ),
    # what cites a source says that the source holds it
    m(
        "Outside firms attest to the reserves every month [1].",
        "T Outside firms attest to the reserves every month <1>",
    ),
    m("Funding could turn negative for days [1].", "T Funding could turn negative for days <1>"),
    m("Funding could turn negative for days.", "O Funding could turn negative for days"),
    m(
        "Volume was $5M [1](https://a.example/x) on Friday.",
        "N Volume was $5M [1](https://a.example/x) on Friday <1>",
    ),
    # lists, labels, tables
    m(
        "**Key levels:**\n- **Support:** $34 – $35\n- **Resistance:** $52 – $60",
        "O Key levels",
        "N Support:** $34 – $35 {Key levels}",
        "N Resistance:** $52 – $60 {Key levels}",
    ),
    m(
        "- **RSI 37** (neutral) suggests room for a bounce.",
        "N RSI 37** (neutral) suggests room for a bounce",
    ),
    m("Price: $36", "N Price: $36"),
    m("- **Ticker:** HYPE", "M Ticker:** HYPE"),
    m("- **Launch date:** 29 November 2024", "D Launch date:** 29 November 2024"),
    m("- **Consensus:** proof of stake", "T Consensus:** proof of stake"),
    m(
        "Risk factors:\n- Large token pools could be released.\n- Regulation may tighten.",
        "O Risk factors",
        "O Large token pools could be released {Risk factors}",
        "O Regulation may tighten {Risk factors}",
    ),
    m(
        "| Metric | Value |\n|---|---|\n| Price | $36.36 |\n| RSI | 37.1 |",
        "N $36.36 {Price}",
        "N 37.1 {RSI}",
    ),
    m(
        "| Token | Price | 24h |\n|---|---|---|\n| BTC | $97K | +1.2% |\n| ETH | $3.1K | –0.4% [1] |",
        "N $97K {BTC}",
        "N +1.2% {24h}",
        "N $3.1K <1> {ETH}",
        "N –0.4% <1> {24h}",
    ),
    m(
        '| Source | Range |\n|---|---|\n| Coingape (max $55) | $49 – $55 <Citation id="src_1" /> |',
        "N Coingape (max $55) <src_1>",
        "N $49 – $55 <src_1> {Coingape}",
    ),
    m(
        "| Token | Price | Note |\n|---|---|---|\n| BTC | | n/a |\n| ETH | - | Strong momentum |",
        "O BTC",
        "O Strong momentum {ETH}",
    ),
    m(
        "| # | Protocol | TVL |\n|---|---|---|\n| 1 | Lido | $33B |\n| 2 | Aave | $24B |",
        "N $33B {Lido}",
        "N $24B {Aave}",
    ),
    m("| Year | Unlock |\n|---|---|\n| 2026 | 12.5M tokens |", "N 12.5M tokens {2026}"),
    m(
        "1. **Supply:** 270.8M circulating [1].\n2. **Unlock:** 0.65M a month [2].",
        "N Supply:** 270.8M circulating <1>",
        "N Unlock:** 0.65M a month <2>",
    ),
    m(
        "- **Tokenomics:** Supply is 1B, and 38% is locked.",
        "N Tokenomics:** Supply is 1B",
        "N 38% is locked {Tokenomics}",
    ),
    m(
        "- Market\n  - Price: $36 [1]\n  - Cap: $9B [2]",
        "O Market",
        "N Price: $36 <1> {Market}",
        "N Cap: $9B <2> {Market}",
    ),
    m(
        "## Hyperliquid\n\n### Valuation\n\nThe P/S ratio is 12.4.",
        "O Hyperliquid",
        "O Valuation",
        "N The P/S ratio is 12.4 {Hyperliquid}",
    ),
    m("• Price: $36\n• Volume: $5B", "N Price: $36", "N Volume: $5B"),
    m("Price: $36\nVolume: $5B\nSupply: 1B HYPE", "N Price: $36", "N Volume: $5B", "N Supply: 1B HYPE"),
    # what is no claim
    m("```\nprice = 36\n```\n\nThe price is $36.", "N The price is $36"),
    m("The price is $36 [1].\n\n[1]: https://a.example/x", "N The price is $36 <1>"),
    m("<think>maybe $40</think>The price is $36.", "N The price is $36"),
    m("---\n\nThe price is $36.\n\n---", "N The price is $36"),
    # longer sentences of the kind that analysts write
    m(
        "ETF inflows totalled $1.2B last week [1], led by BlackRock's IBIT with $870M [2].",
        "N ETF inflows totalled $1.2B last week <1>",
        "N led by BlackRock's IBIT with $870M <2> {ETF inflows}",
    ),
    m(
        "Ethereum's supply grew 0.2% over the past month, and gas averaged 3.1 gwei [1].",
        "N Ethereum's supply grew 0.2% over the past month <1>",
        "N gas averaged 3.1 gwei <1>",
    ),
    m(
        "Tether minted $1B USDT on 3 May 2025 and Circle burned $200M USDC on 4 May 2025.",
        "N Tether minted $1B USDT on 3 May 2025",
        "N Circle burned $200M USDC on 4 May 2025",
    ),
    m(
        "The DAO approved the buyback with 91% of votes, and execution began on 1 July 2025 [4].",
        "N The DAO approved the buyback with 91% of votes <4>",
        "D execution began on 1 July 2025 <4>",
    ),
    m(
        "MakerDAO rebranded to Sky in August 2024, but DAI remains in circulation.",
        "D MakerDAO rebranded to Sky in August 2024",
        "M DAI remains in circulation",
    ),
    m(
        "Overall, the outlook is constructive, but volatility remains high.",
        "O the outlook is constructive",
        "T volatility remains high",
    ),
    m(
        "The exploit drained 1,400 BTC from the bridge on 18 April 2025 [7].",
        "N The exploit drained 1,400 BTC from the bridge on 18 April 2025 <7>",
    ),
    m(
        "Funding is negative at -0.012% and open interest is down 14% from its peak.",
        "N Funding is negative at -0.012%",
        "N open interest is down 14% from its peak",
    ),
    m(
        "Pendle lets users trade future yield, splitting a deposit into a principal and a yield token.",
        "T Pendle lets users trade future yield, splitting a deposit into a principal and a yield token",
    ),
    m(
        "Most analysts see upside to $50 – $70 before the next rally.",
        "N Most analysts see upside to $50 – $70 before the next rally",
    ),
    m(
        "The next unlock is on 2025-11-29 and releases 216.6K tokens [1].",
        "D The next unlock is on 2025-11-29 <1>",
        "N releases 216.6K tokens <1> {The next unlock}",
    ),
    m(
        "Hyperliquid will release 0.65M tokens each month.",
        "N Hyperliquid will release 0.65M tokens each month",
    ),
    m(
        "I will pull live data if you share the contract address.",
        "O I will pull live data if you share the contract address",
    ),
    m(
        "With a 21-day SMA overhead, momentum looks weak.",
        "O With a 21-day SMA overhead, momentum looks weak",
    ),
    m(
        "Layer 2 networks inherit security from the base chain.",
        "T Layer 2 networks inherit security from the base chain",
    ),
    m("Three factors drive the rally.", "T Three factors drive the rally"),
    m("There are 21 million coins.", "N There are 21 million coins"),
    m(
        "Ripple's case against the SEC ended in August 2025.",
        "D Ripple's case against the SEC ended in August 2025",
    ),
    m(
        "Binance, OKX and Bybit list the token.",
        "T =Binance list the token= @Binance",
        "M =OKX list the token= @OKX",
        "T =Bybit list the token= @Bybit list the token",
    ),
    m("Prices rallied hard. 🚀", "T Prices rallied hard"),
    m("Sources: CoinGecko, Messari.", "O Sources: CoinGecko, Messari"),
    m("In summary, risks are balanced.", "O risks are balanced"),
    m("RSI (14) is 62 and MACD is positive.", "N RSI (14) is 62", "T MACD is positive"),
    m("\\*Market cap ≈ price × circulating supply.", "T Market cap ≈ price × circulating supply"),
)

CHINESE = (
    m("比特币现价为97,250美元[1]。", "N 比特币现价为97,250美元 <1>"),
    m("比特币上涨5%，以太坊下跌3%[1]。", "N 比特币上涨5% <1>", "N 以太坊下跌3% <1>"),
    m("比特币上涨5%，而以太坊下跌3%。", "N 比特币上涨5%", "N 以太坊下跌3%"),
    m(
        "总锁仓量达到21.5亿美元，但24小时交易量仅为3.2亿美元。",
        "N 总锁仓量达到21.5亿美元",
        "N 24小时交易量仅为3.2亿美元",
    ),
    m("主网于2024年3月12日上线[2]。", "D 主网于2024年3月12日上线 <2>"),
    m("该项目由红杉资本领投。", "T 该项目由红杉资本领投"),
    m("Uniswap的创始人是Hayden Adams。", "M Uniswap的创始人是Hayden Adams"),
    m("验证者将代币锁定在智能合约中以赚取手续费。", "T 验证者将代币锁定在智能合约中以赚取手续费"),
    m("每次兑换后手续费会自动销毁。", "T 每次兑换后手续费会自动销毁"),
    m("市场情绪偏谨慎。", "O 市场情绪偏谨慎"),
    m("以上内容不构成投资建议。", "O 以上内容不构成投资建议"),
    m("建议投资者将仓位控制在5%以内。", "O 建议投资者将仓位控制在5%以内"),
    m("您还想了解哪些方面？", "O 您还想了解哪些方面"),
    m("若跌破34美元，可能回调至28美元。", "O 若跌破34美元，可能回调至28美元"),
    m("Coinpedia预计价格将达到45美元。", "N Coinpedia预计价格将达到45美元"),
    m("据CoinGecko数据，流通量为2.708亿枚[1]。", "N 据CoinGecko数据，流通量为2.708亿枚 <1>"),
    m("分析师预计年底前涨至150美元[3]。", "N 分析师预计年底前涨至150美元 <3>"),
    m("价格有望突破前高。", "O 价格有望突破前高"),
    m("投资有风险，入市需谨慎。", "O 投资有风险，入市需谨慎"),
    m(
        "Solana、Avalanche和Sui分别上涨4%、2%和7%[1]。",
        "N =Solana上涨4%= @Solana、Avalanche和Sui分别上涨4% <1>",
        "N =Avalanche上涨2%= @2% <1>",
        "N =Sui上涨7%= @7% <1>",
    ),
    m("营收分别为1.2亿元、1.5亿元和1.9亿元。", "N 营收分别为1.2亿元", "N 1.5亿元 {营收}", "N 1.9亿元 {营收}"),
    m("支撑位在34美元至35美元之间。", "N 支撑位在34美元至35美元之间"),
    m("价格由34美元升至36美元。", "N 价格由34美元升至36美元"),
    m(
        "- **支撑位：** 34–35美元\n- **阻力位：** 52–60美元",
        "N 支撑位：** 34–35美元",
        "N 阻力位：** 52–60美元",
    ),
    m(
        "**关键价位：**\n- 支撑：34美元\n- 阻力：52美元",
        "O 关键价位",
        "N 支撑：34美元 {关键价位}",
        "N 阻力：52美元 {关键价位}",
    ),
    m(
        "## 代币经济学\n\n总供应量为10亿枚，其中38%处于锁定状态。",
        "O 代币经济学",
        "N 总供应量为10亿枚 {代币经济学}",
        "N 其中38%处于锁定状态 {代币经济学}",
    ),
    m(
        "### 市场概况 [1]\n\n价格为36美元。市值为99亿美元[2]。",
        "O 市场概况",
        "N 价格为36美元 <1> {市场概况}",
        "N 市值为99亿美元 <2> {市场概况}",
    ),
    m(
        "| 指标 | 数值 |\n|---|---|\n| 价格 | 36.36美元 |\n| 市值 | 99亿美元 |",
        "N 36.36美元 {价格}",
        "N 99亿美元 {市值}",
    ),
    m(
        "| 代币 | 价格 | 涨跌 |\n|---|---|---|\n| BTC | 9.7万美元 | +1.2%[1] |",
        "N 9.7万美元 <1> {BTC}",
        "N +1.2% <1> {涨跌}",
    ),
    m("交易量为5.8亿美元；持仓量降至8.8亿美元。", "N 交易量为5.8亿美元", "N 持仓量降至8.8亿美元"),
    m(
        "币安于2025年5月3日上线该代币，首日成交额达1.2亿美元。",
        "D 币安于2025年5月3日上线该代币",
        "N 首日成交额达1.2亿美元",
    ),
    m("该协议采用零知识证明，并支持EVM。", "T 该协议采用零知识证明", "T 支持EVM {该协议}"),
    m("香港证监会批准了首批现货比特币ETF。", "M 香港证监会批准了首批现货比特币ETF"),
    m("美联储降息25个基点，市场普遍看涨。", "N 美联储降息25个基点", "T 市场普遍看涨"),
    m("《数字资产与市场风险，2025》由高盛发布。", "D 《数字资产与市场风险，2025》由高盛发布"),
    m("RSI为37，处于中性偏弱区间。", "N RSI为37", "T 处于中性偏弱区间 {RSI}"),
    m("价格为36美元。[1]交易量为5亿美元。", "N 价格为36美元 <1>", "N 交易量为5亿美元"),
    m(
        "- 质押率为28%。年化收益为3.1%。[2]\n- 锁定期：7天",
        "N 质押率为28% <2>",
        "N 年化收益为3.1% <2>",
        "N 锁定期：7天",
    ),
    m("价格：36美元\n交易量：5.8亿美元", "N 价格：36美元", "N 交易量：5.8亿美元"),
    m("1、支撑位：34美元\n2、阻力位：52美元", "N 支撑位：34美元", "N 阻力位：52美元"),
    m("我可以为您制定一份止损策略。", "O 我可以为您制定一份止损策略"),
    m("总体来看，风险与机会并存。", "T 风险与机会并存"),
    m(
        "Arbitrum于2021年8月上线主网，并完成1.2亿美元融资[1]。",
        "D Arbitrum于2021年8月上线主网 <1>",
        "N 完成1.2亿美元融资 <1> {Arbitrum}",
    ),
    m("质押率达28%，同时链上手续费环比下降12%。", "N 质押率达28%", "N 链上手续费环比下降12%"),
    m(
        "ETF净流入12亿美元【1】，其中IBIT流入8.7亿美元【2】。",
        "N ETF净流入12亿美元 <1>",
        "N 其中IBIT流入8.7亿美元 <2>",
    ),
    m(
        "风险因素：\n- 监管可能收紧。\n- 大户持仓占比达41%。",
        "O 风险因素",
        "O 监管可能收紧 {风险因素}",
        "N 大户持仓占比达41% {风险因素}",
    ),
    m("价格现报36美元，24小时跌5.8%。", "N 价格现报36美元", "N 24小时跌5.8%"),
    m(
        "HYPE 是 Hyperliquid 的原生代币，总量为 10 亿枚。",
        "M HYPE 是 Hyperliquid 的原生代币",
        "N 总量为 10 亿枚 {HYPE}",
    ),
    m("BTC 报 97K 美元 and ETH 报 3.1K 美元。", "N BTC 报 97K 美元", "N ETH 报 3.1K 美元"),
)

OTHER = (
    # rated without a measure
    m("Base looks stronger for retail use.", "O Base looks stronger for retail use"),
    m(
        "Arbitrum seems much more attractive than Optimism.",
        "O Arbitrum seems much more attractive than Optimism",
    ),
    m("总体来看，代币化国债仍是稳健的选择。", "O 代币化国债仍是稳健的选择"),
    m(
        "Base is faster than Arbitrum, at 2 seconds a block [1].",
        "N Base is faster than Arbitrum, at 2 seconds a block <1>",
    ),
    m("贝莱德是最大的发行方[1]。", "T 贝莱德是最大的发行方 <1>"),
    # marks that stand by themselves between sentences, and a half that parts nothing
    m(
        "Issuers have frozen $14.6 million. 5,200 ETH has gone through Tornado Cash."
        " ([post-mortem](https://a.example/x)) Chainalysis traced $3 million. Binance returned $2 million. ([src_2])",
        "N Issuers have frozen $14.6 million <1>",
        "N 5,200 ETH has gone through Tornado Cash <1>",
        "N Chainalysis traced $3 million <src_2>",
        "N Binance returned $2 million <src_2>",
    ),
    m(
        "Aave holds $5 million [1]. Lido holds $6 million. Curve holds $7 million [2]. Uniswap holds $9 million. [3]",
        "N Aave holds $5 million <1>",
        "N Lido holds $6 million",
        "N Curve holds $7 million <2>",
        "N Uniswap holds $9 million <3>",
    ),
    m(
        "Lighter went dark for four and a half hours [2]. dYdX stood still for eight hours [5].",
        "N Lighter went dark for four and a half hours <2>",
        "N dYdX stood still for eight hours <5>",
    ),
    m(
        "The pool takes several liquid tokens, e.g. stETH. wstETH yields 2.9% [2].",
        "M The pool takes several liquid tokens, e.g. stETH <2>",
        "N wstETH yields 2.9% <2>",
    ),
    m(
        "USDC fell 5% and a third of the holders sold 9% [1].",
        "N USDC fell 5% <1>",
        "N a third of the holders sold 9% <1>",
    ),
    m("韩国也将在年内批准以太坊ETF。", "T 韩国也将在年内批准以太坊ETF"),
    m("日本的监管机构批准了三只基金[1]。", "N 日本的监管机构批准了三只基金 <1>"),
    m(
        "비트코인은 97,250달러에 거래된다 [1]. 거래량은 5억 달러다.",
        "N 비트코인은 97,250달러에 거래된다 <1>",
        "N 거래량은 5억 달러다",
    ),
    m(
        "Der Kurs liegt bei 36,36 $ [1]. Das Volumen beträgt 5,8 Mio. Euro.",
        "N Der Kurs liegt bei 36,36 $ <1>",
        "N Das Volumen beträgt 5,8 Mio. Euro",
    ),
    m("ビットコインの価格は97,250ドルです[1]。", "N ビットコインの価格は97,250ドルです <1>"),
    m(
        "",
    ),
    m("Hello!", "O Hello!"),
    m(
        "The text has a <context> tag inside. The price is $5.",
        "T The text has a <context> tag inside",
        "N The price is $5",
    ),
    m(
        "The price is $5 [1].\r\n\r\nThe volume is $9M [2].\r\n",
        "N The price is $5 <1>",
        "N The volume is $9M <2>",
    ),
)

ALL = ENGLISH + CHINESE + OTHER

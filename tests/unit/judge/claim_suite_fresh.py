"""Sentences as analyst answers have them, 30 of them marked before the splitter had seen them (see :mod:`claim_suite`)."""

from __future__ import annotations

from tests.unit.judge.claim_suite import Marked, m

FRESH: tuple[Marked, ...] = (
    m(
        "PENDLE changes hands at $4.12, 61% under its April 2024 peak of $7.50, with 24-hour volume near $88M [2].",
        "N PENDLE changes hands at $4.12 <2>",
        "N 61% under its April 2024 peak of $7.50 <2>",
        "N 24-hour volume near $88M <2>",
    ),
    m(
        "Sky's buyback has retired 1.1B SKY since February, costing roughly $75M, while staking rewards run at 9.4% APY [1][3].",
        "N Sky's buyback has retired 1.1B SKY since February <1,3>",
        "N costing roughly $75M <1,3>",
        "N staking rewards run at 9.4% APY <1,3>",
    ),
    m(
        "Jupiter (JUP), Raydium (RAY) and Orca (ORCA) handle 48%, 22% and 14% of Solana DEX volume, respectively.",
        "N =Jupiter (JUP) handle 48%= @Jupiter (JUP), Raydium (RAY) and Orca (ORCA) handle 48%",
        "N =Raydium (RAY) handle 22%= @22%",
        "N =Orca (ORCA) handle 14%= @14% of Solana DEX volume, respectively",
    ),
    m(
        "Open interest fell 18% overnight to $1.4B after $320M of longs were liquidated [4].",
        "N Open interest fell 18% overnight to $1.4B after $320M of longs were liquidated <4>",
    ),
    m(
        "The DAO voted on 14 August to double the fee switch; the change went live two weeks later.",
        "D The DAO voted on 14 August to double the fee switch",
        "N the change went live two weeks later",
    ),
    m(
        "Arbitrum hosts 312 protocols and processes 2.1M transactions a day.",
        "N Arbitrum hosts 312 protocols",
        "N processes 2.1M transactions a day",
    ),
    m(
        "Resistance sits at $0.92 and $1.05, support at $0.78.",
        "N Resistance sits at $0.92",
        "N $1.05 {Resistance sits}",
        "N support at $0.78",
    ),
    m(
        "Circle was founded by Jeremy Allaire and Sean Neville in 2013 and listed on the NYSE in June 2025.",
        "D Circle was founded by Jeremy Allaire and Sean Neville in 2013",
        "D listed on the NYSE in June 2025",
    ),
    m(
        "If ETH loses $3,800, a slide to $3,400 is likely.",
        "O If ETH loses $3,800, a slide to $3,400 is likely",
    ),
    m(
        "Standard Chartered expects BTC at $200K by December 2026 [5].",
        "N Standard Chartered expects BTC at $200K by December 2026 <5>",
    ),
    m(
        "In our view the risk-reward looks attractive below $30.",
        "O In our view the risk-reward looks attractive below $30",
    ),
    m(
        "- **Supply:** 1B max, 340M circulating (34%), next unlock 6 Dec 2025 [1]",
        "N Supply:** 1B max <1>",
        "N 340M circulating (34%) <1>",
        "D next unlock 6 Dec 2025 <1>",
    ),
    m(
        "- **Backers:** a16z, Paradigm, Coinbase Ventures [2]",
        "T =Backers: a16z= @Backers:** a16z <2>",
        "M =Backers: Paradigm= @Paradigm <2>",
        "M =Backers: Coinbase Ventures= @Coinbase Ventures <2>",
    ),
    m(
        "Fees were $3.2M on Monday, $2.9M on Tuesday and $4.0M on Wednesday.",
        "N Fees were $3.2M on Monday",
        "N $2.9M on Tuesday",
        "N $4.0M on Wednesday",
    ),
    m(
        "Its oracle aggregates prices from 21 nodes, so a single feed cannot move the index.",
        "N Its oracle aggregates prices from 21 nodes, so a single feed cannot move the index",
    ),
    m(
        "Bridges lock tokens on the source chain and mint wrapped copies on the target chain.",
        "T Bridges lock tokens on the source chain",
        "T mint wrapped copies on the target chain",
    ),
    m(
        "The treasury holds 40,000 ETH, 12M USDC, and 3.5M ARB [6].",
        "N The treasury holds 40,000 ETH <6>",
        "N 12M USDC <6>",
        "N 3.5M ARB <6>",
    ),
    m(
        "BlackRock's IBIT took in $411M [1], whereas Fidelity's FBTC lost $52M [2].",
        "N BlackRock's IBIT took in $411M <1>",
        "N Fidelity's FBTC lost $52M <2>",
    ),
    m(
        "TVL is up 12.5% week on week and 140% year on year.",
        "N TVL is up 12.5% week on week",
        "N 140% year on year",
    ),
    m(
        "RSI (14) stands at 61 and the MACD line crossed above its signal on 3 November.",
        "N RSI (14) stands at 61",
        "D the MACD line crossed above its signal on 3 November",
    ),
    m(
        "Aave charges a 0.05% flash-loan fee and shares it with stakers, who also cover shortfalls.",
        "N Aave charges a 0.05% flash-loan fee and shares it with stakers, who also cover shortfalls",
    ),
    m(
        "Between $95K and $98K lies the largest bid cluster.",
        "N Between $95K and $98K lies the largest bid cluster",
    ),
    m(
        "| Token | Price | 7d |\n|---|---|---|\n| SUI | $3.41 [1] | +8.2% |\n| APT | $5.90 | −1.4% |\n",
        "N $3.41 <1> {SUI}",
        "N +8.2% <1> {7d}",
        "N $5.90 {APT}",
        "N −1.4% {7d}",
    ),
    m(
        "Ethena has not disclosed the split, but reserves exceed $60M according to its dashboard [3].",
        "T Ethena has not disclosed the split <3>",
        "N reserves exceed $60M according to its dashboard <3>",
    ),
    m(
        "Kraken filed confidentially for an IPO on 19 November, and Grayscale followed a day later.",
        "D Kraken filed confidentially for an IPO on 19 November",
        "M Grayscale followed a day later",
    ),
    m(
        "截至11月10日，HYPE报40.2美元，较上周下跌6.3%，市值约136亿美元[1]。",
        "N 截至11月10日，HYPE报40.2美元 <1>",
        "N 较上周下跌6.3% <1>",
        "N 市值约136亿美元 <1>",
    ),
    m(
        "团队将于2026年第一季度解锁15%的代币，而基金会承诺不出售其份额。",
        "N 团队将于2026年第一季度解锁15%的代币",
        "T 基金会承诺不出售其份额",
    ),
    m(
        "Funding is slightly positive (0.008% per 8h), spot CVD is flat, and exchange balances dropped 2.1% this month.",
        "N Funding is slightly positive (0.008% per 8h)",
        "M spot CVD is flat",
        "N exchange balances dropped 2.1% this month",
    ),
    m(
        "Do not chase the breakout; wait for a retest of $2.10.",
        "O Do not chase the breakout",
        "O wait for a retest of $2.10",
    ),
    m(
        "**Bottom line:** ONDO trades 70% below its high, yet tokenised-treasury AUM grew 4x to $8.6B in 2025 [2].",
        "N Bottom line:** ONDO trades 70% below its high <2>",
        "N tokenised-treasury AUM grew 4x to $8.6B in 2025 <2>",
    ),
    # the classes that were mended, in other words
    m(
        "UNI trades at $7.10, about 84% below its record of $44.97.",
        "N UNI trades at $7.10",
        "N about 84% below its record of $44.97",
    ),
    m("The fund owns 900 BTC and 12,000 ETH.", "N The fund owns 900 BTC", "N 12,000 ETH"),
    m(
        "Revenue grew 9% quarter-on-quarter and 41% year-on-year.",
        "N Revenue grew 9% quarter-on-quarter",
        "N 41% year-on-year",
    ),
    m(
        "- Launch: 210M tokens sold, public sale at $0.05, listing 4 May 2024",
        "N Launch: 210M tokens sold",
        "N public sale at $0.05",
        "D listing 4 May 2024",
    ),
    m("The issuer has not disclosed its reserves.", "T The issuer has not disclosed its reserves"),
    m("The exchange paused withdrawals.", "T The exchange paused withdrawals"),
    m("Once funding resets, a bounce looks likely.", "O Once funding resets, a bounce looks likely"),
    m("We believe the sell-off is overdone at $28.", "O We believe the sell-off is overdone at $28"),
    m("BTC gained 2%, ETH is flat, and SOL lost 4%.", "N BTC gained 2%", "M ETH is flat", "N SOL lost 4%"),
    # what looks like them and is one claim
    m("Volume over 24 hours and 7 days was $9M.", "N Volume over 24 hours and 7 days was $9M"),
    m(
        "Between 5 validators and 9 validators sign each block.",
        "N Between 5 validators and 9 validators sign each block",
    ),
    m("- Founded: 2019, San Francisco", "D Founded: 2019, San Francisco"),
    m("- Range: $34, rarely more", "N Range: $34, rarely more"),
    m("The mainnet needs 3, at most 5 seconds.", "N The mainnet needs 3", "N at most 5 seconds"),
    m(
        "The community is strong and the team has a good record.",
        "O The community is strong",
        "T the team has a good record",
    ),
    # a list states a thing of each member
    m(
        "The merger was reported by Reuters, Bloomberg and the FT [1].",
        "M =The merger was reported by Reuters= @The merger was reported by Reuters <1>",
        "M =The merger was reported by Bloomberg= @Bloomberg <1>",
        "M =The merger was reported by the FT= @the FT <1>",
    ),
    m(
        "In 2023, Norway, Sweden, and Denmark joined the pact.",
        "D =In 2023, Norway joined the pact= @In 2023, Norway",
        "D =In 2023, Sweden joined the pact= @Sweden",
        "D =In 2023, Denmark joined the pact= @Denmark joined the pact",
    ),
    m(
        "Bank of America, Citi and UBS withdrew from the alliance.",
        "M =Bank of America withdrew from the alliance= @Bank of America",
        "T =Citi withdrew from the alliance= @Citi",
        "M =UBS withdrew from the alliance= @UBS withdrew from the alliance",
    ),
    m(
        "支持者：红杉资本、腾讯、高盛。",
        "T =支持者：红杉资本= @支持者：红杉资本",
        "T =支持者：腾讯= @腾讯",
        "T =支持者：高盛= @高盛",
    ),
    # what looks like one, and has no members that could stand alone
    m("Either Lido, Aave or Curve was hit.", "M Either Lido, Aave or Curve was hit"),
    m("Apple, Citi and Nvidia hold 20% of the index.", "N Apple, Citi and Nvidia hold 20% of the index"),
    m("Lido, the largest protocol, and Aave grew.", "M Lido, the largest protocol, and Aave grew"),
    m("It is a fast, cheap and secure chain.", "T It is a fast, cheap and secure chain"),
    m("The red, white and blue flag was raised.", "T The red, white and blue flag was raised"),
    m(
        "Track prices, volumes, and shifts in hot narratives to be early.",
        "O Track prices, volumes, and shifts in hot narratives to be early",
    ),
    # short noun phrases under plain titles; the sources at the end are those of all
    m(
        "What matters now\n- Buybacks: ~$645M YTD\n- Architecture: HyperBFT consensus, on-chain order book\n"
        "- No VC allocation\n- Supply\n  - 38.9% future emissions, 23.8% core contributors\n\n"
        "Sources:\n- [A](https://a.example/x)\n",
        "O What matters now",
        "N Buybacks: ~$645M YTD <1> {What matters now}",
        "M =Architecture: HyperBFT consensus= @Architecture: HyperBFT consensus <1>",
        "T =Architecture: on-chain order book= @on-chain order book <1>",
        "M No VC allocation <1>",
        "O Supply <1>",
        "N 38.9% future emissions <1> {Supply}",
        "N 23.8% core contributors <1> {Supply}",
    ),
    m(
        "The vault holds $4M. Its yield is 3% ([A](https://a.example/x); [3]).",
        "N The vault holds $4M <1,3>",
        "N Its yield is 3% ([A](https://a.example/x); [3]) <1,3>",
    ),
    # whose forecast it is
    m("Most experts expect slower growth.", "T Most experts expect slower growth"),
    m("Growth could slow [2].", "T Growth could slow <2>"),
    m("Growth could slow.", "O Growth could slow"),
)

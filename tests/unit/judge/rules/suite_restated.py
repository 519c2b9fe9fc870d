"""Claims that say in other words what a sentence of a source says, each beside some that do not.

Marks as in :mod:`tests.unit.judge.rules.suite_binding`, with ``~`` for what may be left open: a paraphrase
that need not be recognised, and that must not be refuted. Five of these were marked ``=`` when the suite was
written, and the rules do not recognise them.
"""

from __future__ import annotations

import re
from typing import Final

from tests.unit.judge.rules.suite_binding import Scene


def _joined(text: str) -> str:
    return re.sub(r"(?<!\n)\n(?!\n)", " ", text)


HACK = """On 9 May 2025 at 11:20 UTC an attacker drained $41.6 million from Quillswap V2 pools on three chains.
Ethereum lost $30.2 million, Base $6.9 million and Arbitrum $4.5 million. The cause was a missing check in the
withdraw function, Halborn and Zellic found independently. Nine audits of the code, two of them by OpenZeppelin,
had not found it.

Merkl Guard recovered 1,210 cbETH (about $4.2 million) on the day of the attack. Base validators halted the chain
and took back $2.8 million on 10 May. Quillswap offered a bounty of 15% of the stolen funds until 14 May 2025;
nobody took it. The police in Lisbon did not arrest anyone."""

FUNDING = """Tessellate Labs, formerly Tessera, was founded in 2021 by Ana Ruiz, Piotr Nowak and Lena Vogt; it raised
$85 million in a round led by Pantera in March 2024 and $12 million in a seed round led by Framework in June 2022.
Galaxy acquired Fierce for $12.5 million in July 2024. Ripple was sued by the SEC in December 2020. Kraken
overtook Gemini in October and raised $500 million in September 2025. Aave, which Blockchain Capital backs,
launched Horizon on 27 August 2025. The client is written in Go and Zig. Mainnet went live on 4 February 2025.
Bitstamp may list the token in January 2026. Analysts expect the fork on 3 December 2025."""

SHARES = """Transfers settled in the quarter: $9.8 trillion, of which Tron 44%, Ethereum 31% and Solana 12%.
Uniswap closed March 2025 with $74.1 billion in spot volume, down 6.2% from February's $79.0 billion.
Validators approved SIP-12, raising the block limit from 48 to 60 million units, with 91.4% in favour on 9 April
2025. The gas target of Ethereum rose from 36 to 45 million on 4 February. The median fee on Solana was 0.00000792
SOL. Institutional investors staked 2.1 million ETH in March. Fidelity's fund charges 0.25%. The Osprey fund
(OBTC) began trading on 4 March 2025 with $61.5 million in seed capital and took in $18.2 million on its first
day. Bitcoin makes up 7.4% of the reserves of Tether. Paxos lowered its fee for PYUSD from 0.30% to 0.20% on
2 April 2025."""

TRAPS = """Lido, which Dragonfly backs, acquired Numa for $9 million in May 2025. Curve helped Prisma recover $3.1
million in June. Convex and Frax together lost $14 million in April 2025. Users of Morpho withdrew $220 million on 3
May 2025. Euler denied that it had lost $31 million. Balancer rejected a bid of $45 million from Gemini in July 2025.
If approved, Sky will burn 2.4 million tokens in August. Synthetix burned 1.1 million tokens in March, and 0.6 million
in April. Pendle, unlike Notional, raised $3.7 million in February 2025. Rocket Pool said Stader had raised $8.5
million in January 2025. According to Nansen, Bybit holds 412,000 ETH in cold wallets. Drift moved $27 million from
Solana to Arbitrum on 6 June 2025. Up to 5% of Kava validators went offline on 7 June 2025. Galaxy sold 80,000 BTC for
a client in July 2025. The Osmosis team, not its foundation, unlocked 1.9 million tokens on 2 May 2025. Raydium almost
overtook Orca in March 2025. Kraken reportedly bought Ninja for $1.5 billion in March 2025."""

ZH = """截至2025年3月31日，链上黄金代币（不含期货）总值为19.4亿美元，较2月末的17.8亿美元增长9.0%。其中XAUT为8.2亿美元，PAXG为7.6亿美元。
新加坡金管局4月7日启动代币化债券试点项目，首批参与机构包括星展、大华和华侨银行，试点将持续至2026年6月。
委员沃勒主张降息25个基点，波士顿联储主席柯林斯主张维持不变。截至3月底，日本共有32家持牌交易所。缩表将于6月1日结束。
市场没有预计7月加息。贝莱德旗下基金没有投资该项目。"""

SCENES: Final = (
    Scene(
        name="hack",
        topic="Is Quillswap safe after the exploit?",
        sources=(_joined(HACK),),
        claims="""
        = On 9 May 2025 an attacker drained $41.6 million from Quillswap V2
        = An attacker stole $41.6 million from Quillswap on 9 May 2025
        ~ $41.6 million was drained from Quillswap V2 on 9 May 2025
        ? On 9 May 2025 an attacker drained $41.6 million from Curve V2
        - On 10 May 2025 an attacker drained $41.6 million from Quillswap V2
        ? Quillswap drained $41.6 million from an attacker on 9 May 2025
        ? On 9 May 2025 an attacker returned $41.6 million to Quillswap V2
        ? An attacker did not drain $41.6 million from Quillswap on 9 May 2025
        = Ethereum lost $30.2 million
        = Base lost $6.9 million
        = Arbitrum lost $4.5 million
        - Arbitrum lost $6.9 million
        - Base lost $4.5 million
        - Quillswap lost $6.9 million
        - Optimism lost $6.9 million
        ? Base gained $6.9 million
        = Merkl Guard recovered 1,210 cbETH, about $4.2 million
        ~ Merkl Guard recovered about $4.2 million on the day of the attack
        - Quillswap recovered 1,210 cbETH
        - Zellic recovered 1,210 cbETH, about $4.2 million
        ? Merkl Guard lost 1,210 cbETH, about $4.2 million
        - Merkl Guard recovered 2,110 cbETH, about $4.2 million
        = Base validators took back $2.8 million on 10 May
        = Validators of Base took back $2.8 million on 10 May
        - Ethereum validators took back $2.8 million on 10 May
        - Base validators took back $2.8 million on 11 May
        ? Base validators did not take back $2.8 million on 10 May
        ~ Quillswap offered a bounty of 15%
        - Halborn offered a bounty of 15%
        - Quillswap rejected a bounty of 15%
        ? Quillswap paid a bounty of 15%
        ~ Halborn and Zellic found a missing check in the withdraw function
        ? OpenZeppelin found a missing check in the withdraw function
        ? Halborn and Zellic found a missing check in the deposit function
        ? The cause was a missing check in the mint function
        ? The police in Lisbon arrested the attacker
        ? The police in Lisbon arrested anyone on 14 May 2025
        """,
    ),
    Scene(
        name="funding",
        topic="Who backs Tessellate?",
        sources=(_joined(FUNDING),),
        claims="""
        = Tessellate Labs was founded in 2021 by Ana Ruiz, Piotr Nowak and Lena Vogt
        = Ana Ruiz, Piotr Nowak and Lena Vogt founded Tessellate Labs in 2021
        ? Tessellate Labs was founded in 2024 by Ana Ruiz, Piotr Nowak and Lena Vogt
        ? Tessellate Labs was founded in 2021 by Ana Ruiz, Piotr Nowak and Mara Vogt
        ? Tessellate Labs founded Ana Ruiz in 2021
        ? Galaxy was founded in 2021 by Ana Ruiz, Piotr Nowak and Lena Vogt
        ? Tessellate Labs was not founded in 2021 by Ana Ruiz, Piotr Nowak and Lena Vogt
        = Pantera led an $85 million round in March 2024
        = Framework led the seed round of $12 million in June 2022
        - Framework led an $85 million round in March 2024
        - Pantera led the seed round of $12 million in June 2022
        - Pantera led an $85 million round in June 2022
        ? Galaxy led an $85 million round in March 2024
        = Galaxy bought Fierce for $12.5 million in July 2024
        = Fierce was acquired by Galaxy for $12.5 million in July 2024
        ? Fierce bought Galaxy for $12.5 million in July 2024
        ? Galaxy was acquired by Fierce for $12.5 million in July 2024
        ? Galaxy sold Fierce for $12.5 million in July 2024
        - Galaxy bought Fierce for $12.5 million in July 2023
        = The SEC sued Ripple in December 2020
        ? Ripple sued the SEC in December 2020
        ? The SEC sued Ripple in December 2021
        ? The SEC may sue Ripple in December 2020
        = Kraken raised $500 million in September 2025
        - Gemini raised $500 million in September 2025
        - Kraken raised $500 million in October 2025
        ? Gemini overtook Kraken in October
        = Kraken overtook Gemini in October
        = Aave launched Horizon on 27 August 2025
        ? Blockchain Capital launched Horizon on 27 August 2025
        ? Horizon launched Aave on 27 August 2025
        ? Aave closed Horizon on 27 August 2025
        ? Aave will launch Horizon on 27 August 2025
        = Mainnet launched on 4 February 2025
        ? Testnet launched on 4 February 2025
        ? Mainnet launched on 5 February 2025
        ? Bitstamp listed the token in January 2026
        ? Bitstamp will list the token in January 2026
        ? The fork happened on 3 December 2025
        """,
    ),
    Scene(
        name="shares",
        sources=(_joined(SHARES),),
        claims="""
        = Uniswap's spot volume was $74.1 billion in March 2025
        - Uniswap's spot volume was $74.1 billion in February 2025
        ? Uniswap's perpetual volume was $74.1 billion in March 2025
        - Curve's spot volume was $74.1 billion in March 2025
        ? Uniswap's spot volume was not $74.1 billion in March 2025
        ~ Validators raised the block limit from 48 to 60 million units, with 91.4% in favour
        - Validators raised the block limit from 60 to 48 million units, with 91.4% in favour
        ? Validators raised the block limit from 48 to 60 million units, with 91.4% against
        ? Validators raised the gas limit from 48 to 60 million units, with 91.4% in favour
        ? Validators lowered the block limit from 48 to 60 million units, with 91.4% in favour
        = The gas target of Ethereum went from 36 to 45 million on 4 February
        - The gas target of Ethereum went from 36 to 45 million on 5 February
        - The gas target of Ethereum went from 45 to 36 million on 4 February
        - The gas target of Base went from 36 to 45 million on 4 February
        = The median fee on Solana was 0.00000792 SOL
        ? The average fee on Solana was 0.00000792 SOL
        ? The median tip on Solana was 0.00000792 SOL
        - The median fee on Ethereum was 0.00000792 SOL
        = Institutional investors staked 2.1 million ETH in March
        ? Investors staked 2.1 million ETH in March
        ? Retail investors staked 2.1 million ETH in March
        ? Institutional investors sold 2.1 million ETH in March
        - Institutional investors staked 2.1 million ETH in April
        = The Osprey fund took in $18.2 million on its first day
        ? The Osprey fund took in $18.2 million on its last day
        ? The Osprey fund lost $18.2 million on its first day
        - The Osprey fund took in $61.5 million on its first day
        ? Fidelity's fund took in $18.2 million on its first day
        = Bitcoin makes up 7.4% of Tether's reserves
        ? Tether makes up 7.4% of Bitcoin's reserves
        ? Bitcoin makes up 7.4% of Paxos's reserves
        ? Bitcoin makes up 7.4% of Tether's debts
        = Paxos lowered its fee for PYUSD to 0.20% on 2 April 2025
        - Paxos lowered its fee for PYUSD to 0.30% on 2 April 2025
        ? Paxos raised its fee for PYUSD to 0.20% on 2 April 2025
        ? Paxos lowered its fee for USDP to 0.20% on 2 April 2025
        - Tether lowered its fee for PYUSD to 0.20% on 2 April 2025
        """,
    ),
    Scene(
        name="traps",
        sources=(_joined(TRAPS),),
        claims="""
        = Lido acquired Numa for $9 million in May 2025
        = Numa was bought by Lido for $9 million in May 2025
        ? Dragonfly acquired Numa for $9 million in May 2025
        ? Numa acquired Lido for $9 million in May 2025
        ? Lido backs Dragonfly
        ? Curve recovered $3.1 million in June
        ? Frax lost $14 million in April 2025
        ? Convex lost $14 million in April 2025
        ? Morpho withdrew $220 million on 3 May 2025
        - Aave users withdrew $220 million on 3 May 2025
        = Morpho users withdrew $220 million on 3 May 2025
        ? Euler lost $31 million
        ? Balancer accepted a bid of $45 million from Gemini in July 2025
        ? Gemini rejected a bid of $45 million from Balancer in July 2025
        ? Gemini received a bid of $45 million from Balancer in July 2025
        = Balancer turned down a bid of $45 million from Gemini in July 2025
        ? Sky will burn 2.4 million tokens in August
        ? Sky burned 2.4 million tokens in August
        = Synthetix burned 1.1 million tokens in March
        - Synthetix burned 0.6 million tokens in March
        - Synthetix burned 1.1 million tokens in April
        ? Synthetix minted 1.1 million tokens in March
        = Pendle raised $3.7 million in February 2025
        ? Notional raised $3.7 million in February 2025
        ? Pendle raised $3.7 million from Notional in February 2025
        - Pendle raised $7.3 million in February 2025
        ? Rocket Pool raised $8.5 million in January 2025
        = Bybit holds 412,000 ETH in cold wallets
        ? Bybit holds 412,000 ETH in hot wallets
        ? Nansen holds 412,000 ETH in cold wallets
        ? Bybit sold 412,000 ETH in cold wallets
        = Drift moved $27 million from Solana to Arbitrum on 6 June 2025
        ? Drift moved $27 million from Arbitrum to Solana on 6 June 2025
        ? Drift moved $27 million to Solana on 6 June 2025
        ? Drift moved $27 million from Arbitrum on 6 June 2025
        ? Kava validators went offline on 7 June 2025
        ? 5% of Kava went offline on 7 June 2025
        ? Galaxy bought 80,000 BTC in July 2025
        ? A client sold Galaxy 80,000 BTC in July 2025
        ? The Osmosis foundation unlocked 1.9 million tokens on 2 May 2025
        ? Raydium overtook Orca in March 2025
        ? Orca overtook Raydium in March 2025
        ? Kraken bought Ninja for $1.5 billion in March 2025
        """,
    ),
    Scene(
        name="zh",
        sources=(ZH,),
        claims="""
        = 日本共有32家持牌交易所
        ? 韩国共有32家持牌交易所
        ? 日本共有32家持牌银行
        - 日本共有23家持牌交易所
        = 沃勒主张降息25个基点
        ? 柯林斯主张降息25个基点
        ? 沃勒主张加息25个基点
        ? 沃勒不主张降息25个基点
        = 缩表将于6月1日结束
        ? 缩表将于7月1日结束
        ? 缩表将于6月1日开始
        ? 降息将于6月1日结束
        = 新加坡金管局4月7日启动代币化债券试点
        ? 香港金管局4月7日启动代币化债券试点
        ? 新加坡金管局4月8日启动代币化债券试点
        ? 新加坡金管局4月7日结束代币化债券试点
        ? 市场预计7月加息
        ? 贝莱德旗下基金投资了该项目
        """,
    ),
)

"""The made-up items of the feed."""

from __future__ import annotations

from typing import NamedTuple


class Item(NamedTuple):
    """An item; ``published`` is ISO 8601 in UTC, empty where the item has no date."""

    slug: str
    published: str
    title: str
    summary: str


ITEMS = (
    Item(
        "btc-fee-market",
        "2026-03-02T10:40+00:00",
        "Bitcoin fees fall to a nine-month low as blocks stay half empty",
        "The median fee of a Bitcoin transaction fell to 1.2 satoshis per virtual byte on Sunday, the "
        "made-up pool Northgate said. Its blocks were 54% full over the weekend.",
    ),
    Item(
        "eth-upgrade-live",
        "2026-02-25T15:20+00:00",
        "Ethereum's Larch upgrade goes live without incident",
        "The Larch upgrade was activated on the Ethereum mainnet on 25 February 2026 at 14:10 UTC. It "
        "raises the number of data blobs per block from 9 to 12. Client teams reported that 97% of "
        "validators attested in the first hour.",
    ),
    Item(
        "sol-bridge-exploit",
        "2026-02-19T08:35+00:00",
        "Solana bridge Kelpway loses $38 million to a forged message",
        "Kelpway, a bridge between Solana and Ethereum, lost $38 million on 19 February 2026 after an "
        "attacker forged a message that its guardians did not check. Kelpway paused withdrawals at 07:50 "
        "UTC. The Solana network itself was not affected.",
    ),
    Item(
        "sol-bridge-plan",
        "2026-02-23T13:05+00:00",
        "Kelpway says it will repay users of its Solana bridge from its treasury",
        "Kelpway will repay $38 million to its users over 90 days. It named two firms that will audit its"
        " guardians, and said that withdrawals reopen on 9 March 2026.",
    ),
    Item(
        "link-listing",
        "2026-02-12T09:00+00:00",
        "Exchange Meridian lists Chainlink against the euro",
        "Meridian opened trading of LINK against the euro on 12 February 2026. It is the exchange's first"
        " market for Chainlink. Deposits had opened a day before.",
    ),
    Item(
        "reg-stablecoin",
        "2026-02-05T16:45+00:00",
        "Regulator of Freeport proposes reserve rules that cover Ether and Bitcoin custody",
        "The Freeport Markets Authority proposed on 5 February 2026 that custodians of Bitcoin and Ether "
        "keep client coins apart and report their holdings each week. Comments are open until 7 April "
        "2026.",
    ),
    Item(
        "pepe-burn",
        "2026-02-27T18:30+00:00",
        "Community vote on burning PEPE fails for want of a quorum",
        "A vote to burn tokens held by a community wallet of Pepe ended on 27 February 2026 with 11% "
        "taking part; 20% were needed. Nothing was burned.",
    ),
    Item(
        "btc-miner-sale",
        "2026-03-01T12:15+00:00",
        "Miner Halden sold 1,150 bitcoin in February",
        "Halden Mining said that it sold 1,150 BTC in February 2026 to pay for machines, and holds 4,020 "
        "BTC. A month earlier it had sold 640 BTC.",
    ),
    Item(
        "eth-staking-queue",
        "2026-03-01T07:30+00:00",
        "Queue to stake Ether grows to eleven days",
        "The queue of validators that wait to stake on Ethereum reached 11 days on Saturday, up from 6 "
        "days in mid-February, the made-up tracker Beaconwatch said.",
    ),
    Item(
        "link-cross-chain",
        "2026-02-28T14:00+00:00",
        "Bank consortium ends a trial of Chainlink for settling funds",
        "Five banks of the Aldermoor consortium finished a trial in which Chainlink carried instructions "
        "for fund settlement between two ledgers. They settled 214 test orders. The consortium has not "
        "decided whether to go on.",
    ),
    Item(
        "sol-client",
        "2026-02-28T09:10+00:00",
        "Second validator client runs a fifth of Solana's stake",
        "The client Emberline ran 21% of the stake of Solana on Friday, its makers said. A month earlier "
        "it ran 13%.",
    ),
    Item(
        "pepe-market-maker",
        "2026-02-21T11:20+00:00",
        "Market maker leaves PEPE pairs on two exchanges",
        "Tarn Liquidity stopped quoting PEPE on two exchanges on 20 February 2026. Spreads there widened "
        "from 0.04% to 0.11%, the firm's rival Osk said.",
    ),
    Item(
        "btc-fund-flows",
        "2026-02-26T21:05+00:00",
        "Bitcoin funds lose $412 million in a week",
        "Investors withdrew $412 million from listed Bitcoin funds in the week to 25 February 2026, the "
        "made-up data firm Quillmark said. It was the third week of outflows.",
    ),
    Item(
        "eth-rollup-outage",
        "2026-02-16T19:50+00:00",
        "Rollup Saffron stops for four hours; Ethereum is not affected",
        "The rollup Saffron produced no blocks for four hours on 16 February 2026 after its sequencer ran"
        " out of disk space. Funds were safe, it said.",
    ),
    Item(
        "reg-court",
        "2026-02-10T17:30+00:00",
        "Court lets a claim over an old Solana token sale go on",
        "A court in the made-up state of Westmark let part of a claim over a token sale on Solana go on, "
        "and threw out the rest. A hearing is set for June 2026.",
    ),
    Item(
        "btc-difficulty",
        "2026-02-20T06:00+00:00",
        "Bitcoin's difficulty falls by 2.4%",
        "The difficulty of mining Bitcoin fell by 2.4% on 20 February 2026, the second fall in a row.",
    ),
    Item(
        "link-staking",
        "2026-02-18T10:10+00:00",
        "Chainlink raises the cap of its staking pool",
        "The cap of Chainlink's community staking pool rises from 40.9 million to 45 million LINK on 24 "
        "February 2026. The pool had been full since the autumn.",
    ),
    Item(
        "sol-conference",
        "2026-02-14T12:00+00:00",
        "Solana developers meet in Lisbon",
        "About 1,900 developers met at a Solana event in Lisbon. The hosts showed a wallet for phones "
        "without a network.",
    ),
    Item(
        "eth-research",
        "2026-02-08T08:20+00:00",
        "Researchers propose shorter slots for Ethereum",
        "A draft by three researchers would shorten Ethereum's slots from 12 to 8 seconds. They ask for "
        "tests on a development network in the summer.",
    ),
    Item(
        "pepe-copy",
        "2026-02-06T20:40+00:00",
        "Wallet maker warns of a fake PEPE token",
        "Wallet maker Briar warned of a contract that calls itself Pepe and cannot be sold once it is "
        "bought. About 300 wallets hold it.",
    ),
    Item(
        "btc-treasury",
        "2026-02-03T13:30+00:00",
        "Shipping firm puts 2% of its cash into Bitcoin",
        "Corvane Shipping bought 85 BTC for its treasury, 2% of its cash, and plans no further purchases "
        "this year.",
    ),
    Item(
        "eth-audit",
        "2026-01-29T11:00+00:00",
        "Audit of the Larch upgrade for Ethereum finds two minor faults",
        "Auditors found two faults of low severity in client software for the Larch upgrade. Both were "
        "mended before the test networks were upgraded.",
    ),
    Item(
        "sol-fees",
        "2026-01-22T15:15+00:00",
        "Solana's fee revenue halves in a month",
        "Fees paid on Solana fell by 51% from December to mid-January, the made-up data firm Quillmark "
        "said, as fewer new tokens were launched.",
    ),
    Item(
        "link-oracle-delay",
        "2026-01-15T09:45+00:00",
        "Chainlink feed lags for nine minutes on a small chain",
        "A price feed of Chainlink was not updated for nine minutes on the chain Petrel on 14 January "
        "2026. No loan was liquidated by it.",
    ),
    Item(
        "guide-wallets",
        "",
        "What to know about wallets for Bitcoin and Ether",
        "A guide to the kinds of wallets, and to what each of them leaves to its owner.",
    ),
)

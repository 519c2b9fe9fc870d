"""Write prompts to train on, from templates: the paper's 1,000 are not public."""

from __future__ import annotations

import json
import random
from pathlib import Path

import click

#: Kinds of question by what they need: one tool, a few, all sides, none (section 3.1.3 names the mixture).
TEMPLATES = {
    "now": (
        "What does {coin} cost right now?",
        "How far has {coin} moved since yesterday?",
        "Which {n} coins gained most today?",
        "Show me what people trade most at the moment, the top {n}.",
        "Draw {coin} over the last {days} days with {interval} candles.",
        "Any headlines on crypto that I should know of this morning?",
    ),
    "chain": (
        "Who has been moving large amounts of {coin} lately?",
        "Is the contract of {coin} safe to use?",
        "Do big holders of {coin} send it to exchanges?",
        "I was offered {coin} tokens. Check the contract and the transfers for me.",
    ),
    "project": (
        "Explain what {coin} is for, who builds it, and how its supply works.",
        "Which incidents has {coin} been through, and what did they do to its price?",
        "Compare {coin} and {other} as projects.",
        "Write me a profile of {coin} with its history and the latest news.",
    ),
    "decision": (
        "Would you hold {coin} through the next {days} days?",
        "I have {amount} dollars. {coin} or {other}?",
        "{coin} fell hard. Is this a chance or a trap?",
        "Give me the full picture of {coin} before I decide anything.",
        "What speaks for and against {coin} this quarter?",
    ),
    "knowledge": (
        "What is a {term}?",
        "How does a {term} work, in two sentences?",
        "Explain the difference between a {term} and a {term2}.",
        "Why would anybody need a {term}?",
    ),
}
COINS = "BTC ETH SOL LINK AVAX UNI AAVE DOT NEAR ARB LTC XRP ADA PEPE".split()
TERMS = (
    "hash function, private key, stablecoin, liquidity pool, rollup, hardware wallet, consensus rule, "
    "gas fee, bridge, governance vote"
).split(", ")


def written(number: int, seed: int, apart_from: frozenset[str] = frozenset()) -> list[str]:
    """Different prompts, the kinds in turn; as many as there are where the templates do not give more.

    Args:
        number: how many are wanted.
        seed: the same gives the same.
        apart_from: prompts that may not be among them, such as those of the evaluation.
    """
    drawn = random.Random(seed)
    made: dict[str, None] = {}
    kinds = list(TEMPLATES.values())
    for attempt in range(50 * number):
        coin, other = drawn.sample(COINS, 2)
        term, term2 = drawn.sample(TERMS, 2)
        prompt = drawn.choice(kinds[attempt % len(kinds)]).format(
            coin=coin,
            other=other,
            term=term,
            term2=term2,
            n=drawn.choice((3, 5, 10, 20)),
            days=drawn.choice((7, 14, 30, 90, 180)),
            interval=drawn.choice(("hourly", "4 h", "daily", "weekly")),
            amount=drawn.choice((100, 500, 1_000, 5_000)),
        )
        if prompt not in apart_from:
            made[prompt] = None
        if len(made) == number:
            break
    return list(made)


@click.command()
@click.option("--number", type=click.IntRange(1), default=1_000, show_default=True, help="Of prompts.")
@click.option("--seed", default=0, show_default=True, help="The same gives the same prompts.")
@click.option("--apart-from", type=click.Path(path_type=Path), help="Annotated prompts of the evaluation.")
@click.argument("out", type=click.Path(path_type=Path))
def main(number: int, seed: int, apart_from: Path | None, out: Path) -> None:
    """Write prompts to OUT, in the form that `verifaible crypto plan --prompts` reads."""
    from verifaible.crypto.planning.caller import read_prompts

    others = frozenset(each.prompt for each in read_prompts(apart_from)) if apart_from else frozenset()
    made = written(number, seed, others)
    entries = [{"prompt": each, "tool_call": []} for each in made]
    out.write_text(json.dumps(entries, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    click.echo(f"{len(made)} prompts: {out}")


if __name__ == "__main__":
    main()

"""Sentences of crypto answers with the data that they rest on: right ones, changed values, wrong bindings.

Written from the meaning of the data alone, before the code that is measured with them. A right sentence
says of each of its numbers what the data say; in a changed one a value is another; in a wrongly bound one the
value is right, and asset, date, field, unit or currency are those of other data. All figures are made up.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal

from verifaible.schema.data import DataPoint

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
NAMES = {
    "BTC": ("Bitcoin", "BTC", "Bitcoin (BTC)", "$BTC"),
    "ETH": ("Ethereum", "ETH", "Ether", "Ethereum (ETH)"),
    "SOL": ("Solana", "SOL", "Solana (SOL)", "$SOL"),
    "LINK": ("Chainlink", "LINK", "Chainlink (LINK)", "$LINK"),
    "PEPE": ("Pepe", "PEPE", "Pepe (PEPE)", "$PEPE"),
    "AVAX": ("Avalanche", "AVAX", "Avalanche (AVAX)", "$AVAX"),
}
CHINESE = {
    "BTC": "比特币",
    "ETH": "以太坊",
    "SOL": "SOL",
    "LINK": "Chainlink",
    "PEPE": "PEPE",
    "AVAX": "AVAX",
}
PRICES = {
    "BTC": "84210.57",
    "ETH": "2217.34",
    "SOL": "141.86",
    "LINK": "14.732",
    "PEPE": "0.00000712",
    "AVAX": "21.43",
}
RATES = {"USD": "1", "EUR": "0.9237", "GBP": "0.7861", "JPY": "149.62"}
SIGNS = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥"}
WORDS = {"USD": "US dollars", "EUR": "euros", "GBP": "pounds sterling", "JPY": "yen"}
#: How each kind of value is called; the first is also what a wrong field is called.
FIELDS = {
    "price": ("price", "spot price", "current price"),
    "market_cap": ("market cap", "market capitalization"),
    "volume_24h": ("24-hour trading volume", "24h volume", "trading volume over the past 24 hours"),
    "high_24h": ("24-hour high",),
    "low_24h": ("24-hour low",),
    "change_24h": ("24-hour change",),
    "change_7d": ("7-day change",),
    "rsi": ("RSI", "14-day RSI", "relative strength index"),
    "volatility": ("volatility", "annualised volatility"),
    "drawdown": ("maximum drawdown",),
    "circulating_supply": ("circulating supply",),
    "tvl": ("TVL", "total value locked"),
}


@dataclass(frozen=True)
class Said:
    """What a sentence says of a value; changing one of these makes another sentence."""

    point: DataPoint
    asset: str
    field: str
    unit: str
    at: datetime
    value: Decimal


@dataclass(frozen=True)
class Example:
    """An answer, the question before it, and which number with a mark must not resolve; 0: all must."""

    kind: str
    text: str
    prompt: str
    points: tuple[DataPoint, ...]
    wrong: int


def points() -> list[DataPoint]:
    """About a hundred values: several assets, currencies and days."""
    chance = random.Random(2026)  # noqa: S311
    found: list[DataPoint] = []

    def add(  # noqa: PLR0917
        asset: str, field: str, unit: str, value: Decimal, at: datetime, path: str
    ) -> None:
        source = f"src_{1 + list(NAMES).index(asset)}"
        found.append(
            DataPoint(
                asset=asset, field=field, unit=unit, at=at, source=source, pointer=f"/{path}", value=value
            )
        )

    for asset, written in PRICES.items():
        price = Decimal(written)
        for unit, rate in RATES.items():
            add(asset, "price", unit, _digits(price * Decimal(rate), 6), NOW, f"prices/{unit.lower()}")
        for days in (1, 3, 9, 40):
            earlier = _digits(price * Decimal(chance.uniform(0.8, 1.25)), 6)
            at = NOW - timedelta(days=days)
            add(asset, "price", "USD", earlier, at, f"history/{days}/1")
        million = Decimal(10) ** 6
        supply = _digits(Decimal(chance.uniform(15, 400)) * million, 9)
        add(asset, "circulating_supply", asset, supply, NOW, "supply")
        add(asset, "market_cap", "USD", _digits(price * supply, 12), NOW, "caps/usd")
        add(asset, "market_cap", "EUR", _digits(price * supply * Decimal("0.9237"), 12), NOW, "caps/eur")
        add(
            asset, "volume_24h", "USD", _digits(Decimal(chance.uniform(20, 40_000)) * million, 11), NOW, "vol"
        )
        add(asset, "high_24h", "USD", _digits(price * Decimal(chance.uniform(1.005, 1.06)), 6), NOW, "high")
        add(asset, "low_24h", "USD", _digits(price * Decimal(chance.uniform(0.94, 0.995)), 6), NOW, "low")
        add(asset, "tvl", "USD", _digits(Decimal(chance.uniform(50, 60_000)) * million, 10), NOW, "tvl")
        for field, low, high in (
            ("change_24h", -9, 9),
            ("change_7d", -25, 25),
            ("volatility", 30, 120),
            ("drawdown", -60, -5),
        ):
            value = _digits(Decimal(chance.uniform(low, high)), 7)
            add(asset, field, "per cent", value, NOW, field)
        add(asset, "rsi", "", _digits(Decimal(chance.uniform(22, 79)), 8), NOW, "rsi")
        amount = _digits(Decimal(chance.uniform(2, 60)) * million / price, 8)
        at = NOW - timedelta(days=chance.randint(1, 20))
        add(asset, "transfer_amount", asset, amount, at, "transfers/0/amount")
        add(asset, "transfer_value", "USD", _digits(amount * price, 12), at, "transfers/0/usd")
    return found


def _digits(value: Decimal, significant: int) -> Decimal:
    return Decimal(f"{value:.{significant}g}")


# --- how a value is written


def money(value: Decimal, unit: str, chance: random.Random) -> str:
    """An amount of money as analysts write it."""
    if value >= 10**6:
        for scale, short, long in ((12, "T", "trillion"), (9, "B", "billion"), (6, "M", "million")):
            if value >= Decimal(10) ** scale:
                digits = _plain(value / Decimal(10) ** scale, chance.choice((1, 2)))
                way = chance.choice((f"{digits}{short}", f"{digits} {long}", f"{_plain(value, 0)}"))
                break
    elif value < Decimal("0.01"):
        way = f"{value:f}"
    elif value >= 1000:
        way = _plain(value, chance.choice((0, 0, 2)))
    else:
        way = _plain(value, chance.choice((2, 2, 3 if value < 100 else 2)))
    style = chance.random()
    if unit in SIGNS and style < 0.7:
        return f"{SIGNS[unit]}{way}"
    if style < 0.85:
        return f"{way} {unit}"
    return f"{way} {WORDS[unit]}"


def _plain(value: Decimal, places: int) -> str:
    return f"{value.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP):,f}"


def coins(value: Decimal, unit: str, chance: random.Random) -> str:
    """An amount of a coin."""
    if value >= 10**9 and chance.random() < 0.8:
        return f"{_plain(value / 10**9, 2)} billion {unit}"
    if value >= 10**6 and chance.random() < 0.8:
        return f"{_plain(value / 10**6, 2)} million {unit}"
    return f"{_plain(value, chance.choice((0, 1, 2)) if value > 100 else 2)} {unit}"


def share(value: Decimal, unit: str, chance: random.Random) -> str:
    """A percentage without its sign."""
    shown = _plain(abs(value), chance.choice((1, 2)))
    return f"{shown}%" if unit == "per cent" and chance.random() < 0.8 else f"{shown} {_SHARES[unit]}"


_SHARES = {"per cent": "per cent", "percentage points": "percentage points", "USD": "dollars", "ETH": "ETH"}


def signed(value: Decimal, unit: str, chance: random.Random) -> str:
    sign = "-" if value < 0 else "+"
    return f"{sign}{share(value, unit, chance)}"


def number(said: Said, chance: random.Random, *, sign: bool = False) -> str:
    """The value as a sentence has it."""
    if said.unit in SIGNS and said.point.unit != "per cent":
        return money(said.value, said.unit, chance)
    if said.point.unit == "per cent":
        return signed(said.value, said.unit, chance) if sign else share(said.value, said.unit, chance)
    if said.point.field == "rsi":
        shown = _plain(said.value, chance.choice((1, 2)))
        return {"": shown, "per cent": f"{shown}%", "USD": f"${shown}"}[said.unit]
    return coins(said.value, said.unit, chance)


def day(at: datetime, chance: random.Random) -> str:
    return chance.choice(
        (f"{at:%Y-%m-%d}", f"{at:%B} {at.day}, {at.year}", f"{at.day} {at:%B} {at.year}", f"{at:%B} {at.day}")
    )


# --- sentences

Sentence = Callable[[Said, random.Random, str], str]


def _name(said: Said, chance: random.Random) -> str:
    return chance.choice(NAMES[said.asset])


def _field(said: Said, chance: random.Random) -> str:
    return chance.choice(FIELDS[said.field])


def level(said: Said, chance: random.Random, mark: str) -> str:
    """A price, cap, volume, TVL, high or low, as it stands."""
    asset, field, value = _name(said, chance), _field(said, chance), number(said, chance)
    forms = [
        f"{asset}'s {field} is {value} {mark}.",
        f"The {field} of {asset} stands at {value} {mark}.",
        f"{asset} has a {field} of {value} {mark}.",
        f"At the moment the {field} of {asset} is about {value} {mark}, according to the data.",
        f"- **{asset}** {field}: **{value}** {mark}",
        f"| Asset | {field[:1].upper()}{field[1:]} |\n|---|---|\n| {asset} | {value} {mark} |",
        f"## {asset}\n\nThe {field} is {value} {mark}.",
        f"{asset} is one of the assets you asked about. Its {field} is {value} {mark}.",
    ]
    if said.field == "price":
        forms += [
            f"{asset} trades at {value} {mark}.",
            f"{asset} is trading at {value} {mark} right now.",
            f"{asset} is currently priced at {value} {mark} per coin.",
            f"As of {NOW:%Y-%m-%d %H:%M} UTC, {asset} changes hands at {value} {mark}.",
            f"One {asset} costs {value} {mark}.",
        ]
        if said.unit != "JPY":  # ¥ is the yuan there
            forms.append(f"{CHINESE[said.asset]}当前价格为{value} {mark}。")
    if said.field == "market_cap":
        forms.append(f"{CHINESE[said.asset]}的市值为{value} {mark}。")
    return chance.choice(forms)


def dated(said: Said, chance: random.Random, mark: str) -> str:
    """A price of a day."""
    asset, value, on = _name(said, chance), number(said, chance), day(said.at, chance)
    field = _field(said, chance).removeprefix("current ").removeprefix("spot ")
    return chance.choice(
        (
            f"On {on}, {asset}'s {field} was {value} {mark}.",
            f"The {field} of {asset} was {value} {mark} on {on}.",
            f"On {on} the {field} of {asset} stood at {value} {mark}.",
            f"| Day | {asset} {field} |\n|---|---|\n| {said.at:%Y-%m-%d} | {value} {mark} |",
            f"- {on}: {asset} {field} {value} {mark}",
        )
    )


def change(said: Said, chance: random.Random, mark: str) -> str:
    """A change over a window."""
    asset = _name(said, chance)
    window = {"change_24h": "24 hours", "change_7d": "7 days"}[said.field]
    short = {"change_24h": "24h", "change_7d": "7d"}[said.field]
    value, plain = number(said, chance, sign=True), number(said, chance)
    up = said.value >= 0
    verb = chance.choice(
        ("rose", "gained", "climbed", "is up") if up else ("fell", "lost", "dropped", "is down")
    )
    forms = [
        f"{asset} {verb} {plain} {mark} over the past {window}.",
        f"Over the last {window}, {asset} {verb} {plain} {mark}.",
        f"{asset}'s price change over the past {window} is {value} {mark}.",
        f"{asset} ({short}): {value} {mark}",
        f"| Asset | {short} change |\n|---|---|\n| {asset} | {value} {mark} |",
        f"The {short} change of {asset} is {value} {mark}.",
        f"{asset} has {'risen' if up else 'fallen'} by {plain} {mark} in the past {window}.",
        f"{CHINESE[said.asset]}过去{24 if short == '24h' else 7}{'小时' if short == '24h' else '天'}"
        f"{'上涨' if up else '下跌'}了{plain} {mark}。",
    ]
    return chance.choice(forms)


def indicator(said: Said, chance: random.Random, mark: str) -> str:
    """An RSI, a volatility or a drawdown."""
    asset, field = _name(said, chance), _field(said, chance)
    value = number(said, chance, sign=said.point.field == "drawdown")
    forms = [
        f"{asset}'s {field} is {value} {mark}.",
        f"The {field} of {asset} is {value} {mark}, computed from daily closes.",
        f"With {asset}'s {field} at {value} {mark}, the picture is mixed.",
        f"- {asset} {field}: {value} {mark}",
        f"| Asset | {field} |\n|---|---|\n| {asset} | {value} {mark} |",
    ]
    return chance.choice(forms)


def transfer(said: Said, chance: random.Random, mark: str) -> str:
    """A transfer: so many coins, or what they were worth."""
    asset, value, on = _name(said, chance), number(said, chance), day(said.at, chance)
    if said.point.field == "transfer_amount":
        return chance.choice(
            (
                f"On {on}, a wallet moved {value} {mark} to an exchange.",
                f"A transfer of {value} {mark} was recorded on {on}.",
                f"The largest transfer, of {value} {mark}, took place on {on}.",
                f"- {on}: {value} {mark} sent from an exchange to an unknown wallet",
            )
        )
    return chance.choice(
        (
            f"On {on}, {asset} worth {value} {mark} was moved to an exchange.",
            f"A {asset} transfer worth {value} {mark} was recorded on {on}.",
            f"The largest {asset} transfer, worth {value} {mark}, took place on {on}.",
            f"- {on}: {asset} transfer, {value} {mark}, exchange to unknown wallet",
        )
    )


def supply(said: Said, chance: random.Random, mark: str) -> str:
    asset, value = _name(said, chance), number(said, chance)
    return chance.choice(
        (
            f"{asset}'s circulating supply is {value} {mark}.",
            f"The circulating supply of {asset} amounts to {value} {mark}.",
            f"- {asset} circulating supply: {value} {mark}",
        )
    )


def _sentence(said: Said, chance: random.Random) -> str:
    mark = f"[{said.point.source}#{said.point.pointer}]"
    kind = said.point.field
    if kind.startswith("transfer"):
        return transfer(said, chance, mark)
    if kind == "circulating_supply":
        return supply(said, chance, mark)
    if kind.startswith("change"):
        return change(said, chance, mark)
    if kind in ("rsi", "volatility", "drawdown"):
        return indicator(said, chance, mark)
    past = said.point.at is not None and said.point.at < NOW
    return dated(said, chance, mark) if past or said.at < NOW else level(said, chance, mark)


def _said(point: DataPoint) -> Said:
    assert point.at is not None
    return Said(point, point.asset, point.field, point.unit, point.at, point.value)


PROMPTS = (
    "How is the market doing today?",
    "Give me the key figures.",
    "今天行情怎么样？",
    "What changed since last week?",
)
#: Sentences around the one that counts: numbers in them need no mark.
AROUND = (
    "",
    "",
    "",
    "Here is what the data say as of 2 March 2026.\n\n",
    "1. First, the figures that you asked for.\n2. ",
    "Layer 2 networks and Web3 are another matter. ",
)


def _around(text: str, chance: random.Random) -> str:
    before = chance.choice(AROUND)
    # a table, a list or a heading begins a block of its own
    return f"{before.removesuffix('2. ')}\n\n{text}" if before and text[0] in "|#-" else before + text


def _pair(data: list[DataPoint], chance: random.Random) -> str:
    """Two values of two assets in one sentence."""
    field = chance.choice(("price", "market_cap", "change_24h", "rsi"))
    fitting = [
        each
        for each in data
        if each.field == field and each.unit in ("USD", "per cent", "") and each.at == NOW
    ]
    one, other = (_said(each) for each in chance.sample(fitting, 2))
    marks = [f"[{each.point.source}#{each.point.pointer}]" for each in (one, other)]
    names = [chance.choice(NAMES[each.asset][:2]) for each in (one, other)]
    values = [number(each, chance, sign=True) for each in (one, other)]
    word = chance.choice(FIELDS[field])
    name, other_name = names
    first, second = (f"{value} {mark}" for value, mark in zip(values, marks, strict=True))
    return chance.choice(
        (
            f"{name}'s {word} is {first}, while {other_name}'s is {second}.",
            f"The {word} of {name} is {first} and that of {other_name} is {second}.",
            f"{name} and {other_name} have a {word} of {first} and {second} respectively.",
            f"- {name}: {word} {first}\n- {other_name}: {word} {second}",
            f"| | {word} |\n|---|---|\n| {name} | {first} |\n| {other_name} | {second} |",
        )
    )


def right(count: int = 500, seed: int = 1) -> Iterator[Example]:
    """Sentences that say what the data say."""
    chance, data = random.Random(seed), points()  # noqa: S311
    for _ in range(count):
        if chance.random() < 0.2:
            text = _pair(data, chance)
            yield Example("right: two values", text, chance.choice(PROMPTS), tuple(data), wrong=0)
            continue
        point = chance.choice(data)
        text = _around(_sentence(_said(point), chance), chance)
        yield Example(f"right: {point.field}", text, chance.choice(PROMPTS), tuple(data), wrong=0)


def changed(count: int = 500, seed: int = 2) -> Iterator[Example]:
    """The same with another value."""
    chance, data = random.Random(seed), points()  # noqa: S311
    while count:
        said = _said(chance.choice(data))
        way = chance.choice(("one digit", "another order", "other sign", "another's value", "a little off"))
        if (value := _other(said, way, data, chance)) is None:
            continue
        text = _around(_sentence(replace(said, value=value), chance), chance)
        yield Example(f"value: {way}", text, chance.choice(PROMPTS), tuple(data), wrong=1)
        count -= 1


def _other(said: Said, way: str, data: list[DataPoint], chance: random.Random) -> Decimal | None:
    value = said.value
    if way == "other sign":
        return -value if said.point.field.startswith("change") else None
    if way == "another order":
        return value * chance.choice((Decimal("0.001"), Decimal("0.1"), Decimal(10), Decimal(1000)))
    if way == "a little off":
        return value * chance.choice((Decimal("0.88"), Decimal("1.12")))
    if way == "another's value":
        others = [
            each.value
            for each in data
            if each.field == said.field and each.unit == said.unit and each != said.point
        ]
        other = chance.choice(others) if others else None
        return other if other is not None and abs(other - value) > abs(value) / 20 else None
    digits = [at for at, char in enumerate(str(value)) if char.isdigit() and char != "0"][:2]
    at = chance.choice(digits)
    text = str(value)
    new = Decimal(text[:at] + str(int(text[at]) % 9 + 1) + text[at + 1 :])
    # a digit that the sentence rounds away would change nothing
    return new if abs(new - value) > abs(value) * Decimal("0.06") else None


BINDINGS = ("asset", "date", "field", "unit", "currency")


def misbound(count: int = 500, seed: int = 3) -> Iterator[Example]:
    """The right value, said of something else; as many of each kind."""
    chance, data = random.Random(seed), points()  # noqa: S311
    for place in range(count):
        kind = BINDINGS[place % len(BINDINGS)]
        while (said := _misbound(_said(chance.choice(data)), kind, chance)) is None:
            pass
        text = _around(_sentence(said, chance), chance)
        yield Example(f"binding: {kind}", text, chance.choice(PROMPTS), tuple(data), wrong=1)


def _misbound(said: Said, kind: str, chance: random.Random) -> Said | None:  # noqa: PLR0911
    if kind == "asset":
        if said.point.field == "transfer_amount":
            return None  # the coin that was moved is its unit
        other = chance.choice([each for each in NAMES if each != said.asset])
        return replace(said, asset=other)
    if kind == "date":
        past = said.point.at is not None and said.point.at < NOW
        return (
            replace(said, at=said.at - timedelta(days=chance.choice((2, 5, 11, 33, 400)))) if past else None
        )
    if kind == "field":
        groups = (
            ("price", "market_cap", "volume_24h", "high_24h", "low_24h", "tvl"),
            ("change_24h", "change_7d"),
            ("rsi", "volatility", "drawdown"),
        )
        group = next((each for each in groups if said.field in each), None)
        if group is None or said.at < NOW:
            return None
        return replace(said, field=chance.choice([each for each in group if each != said.field]))
    if kind == "unit":
        if said.point.unit == "per cent":
            return replace(said, unit=chance.choice(("USD", "percentage points", "ETH")))
        if said.point.field == "rsi":
            return replace(said, unit=chance.choice(("per cent", "USD")))
        if said.point.unit in NAMES:
            return replace(said, unit=chance.choice([each for each in NAMES if each != said.unit]))
        return None
    if said.point.unit not in SIGNS:
        return None
    return replace(said, unit=chance.choice([each for each in SIGNS if each != said.unit]))

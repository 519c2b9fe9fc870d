"""Further sentences, written after the first figures: longer answers, other phrasings, values side by side.

The code was not changed while these were written. Each line is a sentence with ``{name}`` places for what it
says; a right one takes each from the data, a wrong one takes one of them from other data.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path

from scripts.accuracy.crypto_numbers_cases import FIELDS, NAMES, NOW, SIGNS, Example, money, points
from verifaible.schema.data import DataPoint
from verifaible.text.markers import find_data_marks


@dataclass(frozen=True)
class Form:
    """A sentence about points of these fields; ``may`` are the bindings that it states."""

    fields: tuple[str, ...]
    text: str
    may: frozenset[str] = frozenset(("asset",))


def form(fields: str, text: str, may: str = "asset") -> Form:
    return Form(tuple(fields.split()), text, frozenset(may.split()))


#: {a} the asset, {v} the value, {m} the mark, {d} the day; {a2} and so on of a second point of that asset or
#: another. The first point is the one that is changed.
FORMS = (
    form("price", "At {v} {m}, {a} sits well inside last week's range.", "asset currency"),
    form("price", "Right now you would pay {v} {m} for one {a} token.", "asset currency"),
    form("price", "{a} has recovered and is back at {v} {m}.", "asset currency"),
    form("price", "**{a}**\n\n- Price: {v} {m}", "asset currency field"),
    form("price", "### {a}: key figures\n\nSpot price: {v} {m}", "asset currency field"),
    form("price", "The last trade in {a} was at {v} {m}.", "asset currency"),
    form("price market_cap", "{a} trades at {v} {m} with a market cap of {v2} {m2}.", "asset currency"),
    form("price volume_24h", "{a} is priced at {v} {m}; 24h volume came to {v2} {m2}.", "asset currency"),
    form("price high_24h", "{a} is at {v} {m}, just under its 24-hour high of {v2} {m2}.", "asset currency"),
    form("market_cap", "With a market capitalization of {v} {m}, {a} is a large asset.", "asset currency"),
    form("market_cap", "The market values {a} at {v} {m} (market cap).", "asset currency"),
    form("volume_24h", "Traders exchanged {v} {m} of {a} in the past 24 hours (volume).", "asset currency"),
    form("volume_24h", "Trading volume in {a} reached {v} {m} over 24 hours.", "asset currency"),
    form("tvl", "Protocols on {a} hold a total value locked of {v} {m}.", "asset currency"),
    form("tvl", "{a}'s TVL now comes to {v} {m}.", "asset currency field"),
    form("high_24h", "In the last 24 hours {a} peaked at a high of {v} {m}.", "asset currency"),
    form("low_24h", "In the last 24 hours {a} bottomed at a low of {v} {m}.", "asset currency"),
    form("rsi", "Momentum: {a}'s RSI reads {v} {m}.", "asset field"),
    form("rsi", "An RSI of {v} {m} puts {a} in neutral territory.", "asset field"),
    form("volatility", "Annualised volatility of {a} comes to {v} {m}.", "asset field unit"),
    form("drawdown", "The deepest drawdown of {a} in the window was {v} {m}.", "asset unit"),
    form("change_24h", "{a}: {v} {m} in 24 hours.", "asset unit"),
    form("change_7d", "{a} moved {v} {m} over seven days.", "asset unit"),
    form("change_24h change_7d", "{a} changed by {v} {m} in 24h and by {v2} {m2} in 7d.", "asset unit"),
    form("circulating_supply", "There are {v} {m} in circulation.", "unit"),
    form("circulating_supply", "{a} has {v} {m} of circulating supply.", "unit"),
    form("transfer_amount", "On {d}, {v} {m} left a wallet that had been idle for years.", "date unit"),
    form("transfer_amount", "An exchange received {v} {m} on {d}.", "date unit"),
    form(
        "transfer_value",
        "The {a} transfer of {d} was worth {v} {m} at that time's price.",
        "asset date currency",
    ),
    form("history", "{a} closed at {v} {m} on {d}.", "asset date currency"),
    form("history", "Back on {d}, {a} changed hands at {v} {m}.", "asset date currency"),
    form("history", "| Date | {a} close |\n|---|---|\n| {d} | {v} {m} |", "asset date currency"),
    form("history price", "{a} went from {v} {m} on {d} to {v2} {m2} today.", "asset date currency"),
    form("price+price", "{a} ({v} {m}) and {a2} ({v2} {m2}) both trade lower.", "asset currency"),
    form("price+price", "{a} costs {v} {m}, {a2} costs {v2} {m2}.", "asset currency"),
    form("rsi+rsi", "RSI: {a} {v} {m}, {a2} {v2} {m2}.", "asset field"),
    form(
        "market_cap+market_cap",
        "By market cap, {a} ({v} {m}) is ahead of {a2} ({v2} {m2}).",
        "asset currency",
    ),
    form("change_24h+change_24h", "{a} is at {v} {m} and {a2} at {v2} {m2} over 24 hours.", "asset unit"),
)
OUTSIDE = (
    "",
    "",
    "Here is a short overview.\n\n",
    "I looked at two sources, both of 2 March 2026.\n\n",
    "No advice is given here. ",
)


def _written(point: DataPoint, unit: str, chance: random.Random) -> str:
    value = point.value
    if point.unit == "per cent":
        shown = f"{value:+.2f}" if point.field.startswith(("change", "drawdown")) else f"{value:.2f}"
        return f"{shown}%" if unit == "per cent" else f"{shown} {unit}"
    if point.unit in SIGNS:
        return money(value, unit, chance)
    if point.unit in NAMES:
        return f"{value / 10**6:,.2f} million {unit}" if value >= 10**6 else f"{value:,.2f} {unit}"
    return f"{value:.1f}"


def _fitting(data: list[DataPoint], field: str, asset: str = "", but: str = "") -> list[DataPoint]:
    past = field == "history"
    return [
        each
        for each in data
        if each.field == ("price" if past else field)
        and (each.at is not None and (each.at < NOW) == (past or field.startswith("transfer")))
        and (not asset or each.asset == asset)
        and each.asset != but
    ]


def _day(at: datetime, chance: random.Random) -> str:
    return chance.choice((f"{at:%Y-%m-%d}", f"{at.day} {at:%B} {at.year}", f"{at:%b} {at.day}, {at.year}"))


def _made(chosen: Form, data: list[DataPoint], chance: random.Random, wrong: str) -> Example:
    fields = chosen.fields[0].split("+") if "+" in chosen.fields[0] else list(chosen.fields)
    first = chance.choice(_fitting(data, fields[0]))
    asset, unit, at, text = first.asset, first.unit, first.at, chosen.text
    assert at is not None
    if wrong == "asset":
        asset = chance.choice([each for each in NAMES if each != first.asset])
    elif wrong == "currency":
        unit = chance.choice([each for each in SIGNS if each != first.unit])
    elif wrong == "date":
        at -= timedelta(days=chance.choice((1, 4, 15, 31)))
    elif wrong == "unit":
        unit = chance.choice([each for each in ("BTC", "SOL", "LINK", "euros") if each != first.unit])
    elif wrong == "field":
        others = [each for each in ("market_cap", "rsi", "volatility", "tvl", "price") if each != fields[0]]
        other = FIELDS[chance.choice(others)][0]
        for name in ("Spot price", "Price", "RSI", "TVL", "Annualised volatility"):
            text = text.replace(name, other)
    said = {"a": chance.choice(NAMES[asset][:2]), "v": _written(first, unit, chance), "d": _day(at, chance)}
    if wrong == "value":
        changed = first.model_copy(update={"value": first.value * chance.choice((9, 11)) / 10})
        said["v"] = _written(changed, unit, chance)
    said["m"] = f"[{first.source}#{first.pointer}]"
    if len(fields) > 1:
        side = "+" in chosen.fields[0]
        options = _fitting(data, fields[1], but=asset) if side else _fitting(data, fields[1], first.asset)
        options = [each for each in options if each.asset != first.asset] if side else options
        second = chance.choice(options)
        said |= {
            "a2": chance.choice(NAMES[second.asset][:2]),
            "v2": _written(second, second.unit, chance),
            "m2": f"[{second.source}#{second.pointer}]",
        }
    told = chance.choice(OUTSIDE) + text.format(**said)
    if text[0] in "|#*" and not told.startswith(text[0]):
        told = told.replace(text.format(**said), "\n\n" + text.format(**said))
    kind = wrong or "right"
    return Example(f"later: {kind}", told, "How do these assets stand?", tuple(data), int(bool(wrong)))


def later_right(count: int = 500, seed: int = 11) -> Iterator[Example]:
    """Right sentences."""
    chance, data = random.Random(seed), points()  # noqa: S311
    for _ in range(count):
        yield _made(chance.choice(FORMS), data, chance, "")


def later_changed(count: int = 500, seed: int = 12) -> Iterator[Example]:
    """The first value is a tenth higher or lower."""
    chance, data = random.Random(seed), points()  # noqa: S311
    for _ in range(count):
        yield _made(chance.choice(FORMS), data, chance, "value")


def later_misbound(count: int = 500, seed: int = 13) -> Iterator[Example]:
    """The first value is right, and said of something else; as many of each kind."""
    chance, data = random.Random(seed), points()  # noqa: S311
    kinds = ("asset", "date", "field", "unit", "currency")
    for place in range(count):
        wrong = kinds[place % len(kinds)]
        yield _made(chance.choice([each for each in FORMS if wrong in each.may]), data, chance, wrong)


def by_hand() -> Iterator[Example]:
    """Sentences that were written one by one; ``wrong`` counts from 1 which of their numbers is."""
    data = tuple(points())
    for line in Path(__file__).with_name("crypto_numbers_by_hand.jsonl").read_text("utf-8").splitlines():
        case = json.loads(line)
        kind = "by hand: " + ("wrong" if case["wrong"] else "right")
        yield Example(kind, case["text"], "How is the market?", data, case["wrong"])


def outside() -> Iterator[Example]:
    """By an author who had not seen the code, in four languages.

    As first measured 49 of 80 right sentences, 40 of 40 changed values and 34 of 40 wrong bindings were
    judged as they should be; the code was mended by them since.
    """
    told = json.loads(Path(__file__).with_name("crypto_numbers_outside.json").read_text("utf-8"))
    data = tuple(
        DataPoint(
            source=each["mark"],
            pointer=each["pointer"],
            value=Decimal(each["value"]),
            asset=each["asset"],
            field=each["field"],
            unit=each["unit"],
            at=datetime.fromisoformat(each["at"]),
        )
        for each in told["points"]
    )
    for case in told["sentences"]:
        text, wrong = case["text"], case["label"] != "right"
        marks = [mark.start for mark in find_data_marks(text)]
        place = text.index(case["which"])
        number = 1 + sum(mark < place for mark in marks) if wrong else 0
        yield Example(f"outside: {case['label']} {case['kind']}".strip(), text, "", data, number)

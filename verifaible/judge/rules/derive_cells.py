"""What stands around a cell of a table: its scale and unit, and the heads that tell them."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from typing import Final

from verifaible.judge.rules.derive_words import unit_behind
from verifaible.judge.rules.lexicon import metric_units
from verifaible.judge.rules.quantities import quantities, told_unit_of
from verifaible.judge.rules.reading import Reading
from verifaible.text.dimensions import convertible
from verifaible.text.units import unit_kind


def with_unit(reading: Reading) -> Reading:
    """A reading with the unit behind it that the reading of numbers leaves to the words."""
    unit = "" if reading.unit or reading.kind == "json" else unit_behind(reading.text, reading.end)
    return replace(reading, unit=unit) if unit else reading


def rescaled(reading: Reading) -> Reading:
    """A cell without unit and scale of its own, in those of its table's caption ("in thousands")."""
    mention = reading.mention
    if reading.kind != "row" or mention is None:
        return reading
    if reading.value != mention.scaled_value:
        return _each_own(reading, mention.scaled_value)
    if (measure := _unit_of_head(reading)) is not None:
        scale, unit = measure
        return replace(reading, value=reading.value * scale, digits=reading.digits * scale, unit=unit)
    other = reading.unit and unit_kind(reading.unit) != "money"
    kind = metric_units().get(reading.metric, "money")
    if other or mention.scale != 1 or kind not in ("money", "", "count"):
        return reading
    told = _in_money(reading)
    return told if kind != "count" or unit_kind(told.unit) == "money" else reading


def _in_money(reading: Reading) -> Reading:
    """A cell in the scale and the currency that the heads, or the lines over its table, tell."""
    negative = _bracketed(reading)
    value, digits, unit = (-reading.value if negative else reading.value), reading.digits, reading.unit
    if _COUNTED.search(" ".join(reading.labels[:2])):
        return reading
    for label in (*reading.labels[1:], corner(reading), *_lines_over(reading)):
        if thousands := _TRIPLE.search(label):
            money = told_unit_of(thousands[1])[1] if thousands[1] else unit
            if unit in ("", money):
                return replace(reading, value=value * 1000, digits=digits * 1000, unit=money)
        head = _IN_SENTENCE.search(label) or _TOLD.search(label)
        scale, told = told_unit_of(next(filter(None, head.groups()))) if head else (Decimal(1), "")
        if (scale != 1 or unit_kind(told) == "money") and unit in ("", told or unit):
            return replace(reading, value=value * scale, digits=digits * scale, unit=told or unit)
    return replace(reading, value=value) if negative else reading


def _unit_of_head(reading: Reading) -> tuple[Decimal, str] | None:
    """The scale and unit that a head gives in brackets ("Hash rate (EH/s)"), where it is a measure."""
    for label in reading.labels[:3]:
        for head in re.findall(r"[(（]([A-Za-z/]{2,6})[)）]", label):
            measures = [each for each in quantities(f"1 {head}") if convertible(each.unit)]
            if measures and measures[0].value != 1 and reading.unit in ("", measures[0].unit):
                return measures[0].value, measures[0].unit
    return None


_EACH: Final = re.compile(
    r"\bper[- ](?:\w+[- ])?(?:share|unit|user|token|employee)\b|\beps\b|每股", re.IGNORECASE
)


def _each_own(reading: Reading, written: Decimal) -> Reading:
    """A figure for each share in a table "in thousands" is as it is written."""
    if not reading.labels or not written or not _EACH.search(reading.labels[0]):
        return reading
    return replace(reading, value=written, digits=reading.digits * abs(written / reading.value))


def _bracketed(reading: Reading) -> bool:
    """Whether a cell is in the brackets of accounts behind its currency: ``$(1,585.4)``."""
    before, after = (
        reading.text[max(0, reading.start - 3) : reading.start],
        reading.text[reading.end : reading.end + 3],
    )
    return reading.value > 0 and bool(re.search(r"[$€£¥]\s?\(\Z", before)) and after.startswith(")")


def corner(reading: Reading) -> str:
    """The head of the first column of a Markdown table: what its rows are."""
    above = reading.text[max(0, reading.place[0] - 4000) : reading.place[0]]
    at = above.rfind("\n|--")
    at = max(at, above.rfind("\n| --"), above.rfind("\n|:-"))
    head = above[:at].rsplit("\n", 1)[-1] if at > 0 else ""
    return head.strip().lstrip("|").split("|")[0] if head.lstrip().startswith("|") else ""


def _lines_over(reading: Reading) -> list[str]:
    """The two lines over a table that may say in what its numbers are."""
    lines = reading.text[max(0, reading.place[0] - 4000) : reading.place[0]].split("\n")[::-1]
    over = [line for line in lines if line.strip()]
    while over and over[0].lstrip().startswith("|"):
        over.pop(0)
    return [line for line in over[:2] if len(line) < 160]


_TOLD: Final = re.compile(
    r"[(（]([^()（）\d]{2,32})[)）]|单位[:：]\s*(\S{1,8})|\A(?=.{3,60}\Z)(?:(?:amounts|figures|all"
    r"|values) )?((?:in )?"
    r"(?:US\$|[A-Z]{3}|[€£$]|USD )?\s?(?:thousands?|millions?|billions?|mn|bn|m)\b(?: of [A-Za-z ]+)?)",
    re.IGNORECASE,
)
#: A caption in words: "Amounts in US$ millions unless stated otherwise."
_IN_SENTENCE: Final = re.compile(
    r"\b(?:amounts?|figures|numbers|values|all|stated|expressed|presented|shown|reported)\b[^.;|]{0,24}?\bin "
    r"((?:US\$|[A-Z]{3} |[€£$])?\s?(?:thousands|millions|billions)\b(?: of (?:US |U\.S\. )?[A-Za-z]+)?)",
    re.IGNORECASE,
)
#: How accounts write thousands: "US$'000", "RMB 000s".
_TRIPLE: Final = re.compile(r"(US\$|\b[A-Z]{3}|[€£$])\s?['’‘]?0{3}s?\b")
#: What is counted one by one in a table of money.
_COUNTED: Final = re.compile(
    r"\b(?:number of|headcount|employees|staff|vessels|ships|aircraft|stores|shops|restaurants|branches"
    r"|offices|customers|clients|users|members|subscribers|accounts|delegates|countries|locations"
    r"|hotels|rooms|outlets|units sold|validators|nodes|holders|wallets|addresses|transactions|supply|tokens"
    r"|coins)\b"
    r"|[人家店户]数|数量",
    re.IGNORECASE,
)

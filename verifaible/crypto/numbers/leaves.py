"""What a number in sealed JSON is where no tool declared it, by the keys around it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from verifaible.crypto.assets.names import Names
from verifaible.crypto.numbers.facets import Field, Stated
from verifaible.errors import BadArguments
from verifaible.evidence.computation import read_data, values_at
from verifaible.schema.analyst import Source
from verifaible.text.json_pointer import unescaped_key
from verifaible.text.lists import words_of
from verifaible.text.units import read_unit, unit_kind

#: Beside a number these keys name whose it is, the surest first, and of when it is.
_NAMING: Final = ("symbol", "id", "name", "coin", "token", "baseAsset")
_DATING: Final = ("last_updated", "updated_at", "at_date", "timestamp", "date", "time")
#: Parameters of a request that say in which currency sums are.
_CURRENCY: Final = ("vs_currency", "vs_currencies", "currency")
_SHARE: Final = re.compile(r"percent|pct|\bap[yr]\b|dominance")
_SUMS: Final = words_of("price market_cap fdv volume high low ath atl tvl open")


def read_leaf(source: Source, text: str, pointer: str, names: Names) -> Stated | None:
    """A number of a JSON text with what its surroundings tell; None where there is none.

    Args:
        source: the text's source: its address may name a currency.
        text: the JSON.
        pointer: a JSON Pointer (RFC 6901).
        names: the names of assets.
    """
    try:
        data = read_data(text)
        (value,) = values_at(data, pointer)
    except (BadArguments, ValueError):
        return None
    keys = [unescaped_key(part) for part in pointer.split("/")[1:]]
    words = [key for key in keys if not key.isdigit()]
    currency = next((key for key in reversed(words) if _money(key)), "")
    named = [key for key in words if key != currency and not names.resolve(key.lower())]
    field = Field.of(named[-1] if named else "price" if currency else "")
    around = list(_around(data, keys))
    return Stated(
        value=value,
        asset=_asset(words, around, names),
        unit=_unit(field, currency, source.url),
        field=field,
        day=next(filter(None, (_day(each[key]) for each in around for key in _DATING if key in each)), None),
    )


def _around(data: Any, keys: Sequence[str]) -> Iterator[Mapping[str, Any]]:
    """The objects that a value stands in, the innermost first."""
    inside = []
    for key in keys:
        if isinstance(data, dict):
            inside.append(data)
        data = data[int(key) if isinstance(data, list) else key]
    return reversed(inside)


def _asset(keys: Sequence[str], around: Sequence[Mapping[str, Any]], names: Names) -> str | None:
    for each in around:
        for key in _NAMING:
            if isinstance(each.get(key), str) and (known := names.resolve(each[key], symbol=key == "symbol")):
                return known
    found = filter(None, map(names.resolve, reversed(keys)))
    return next((each for each in found if names.kind(each) == "asset"), None)


def _money(written: str) -> bool:
    return len(written) == len("usd") and unit_kind(read_unit(written.upper()).name) == "money"


def _unit(field: Field, currency: str, address: str) -> str | None:
    if _SHARE.search(field.words):
        return "per cent"
    if currency:
        return currency.upper()
    asked = [value for key, value in parse_qsl(urlsplit(address).query) if key in _CURRENCY]
    sums = bool(field.metrics & _SUMS)
    return asked[0].upper() if sums and len(asked) == 1 and _money(asked[0]) else None


def _day(written: object) -> date | None:
    match = re.match(r"\d{4}-\d\d-\d\d", written) if isinstance(written, str) else None
    try:
        return date.fromisoformat(match[0]) if match else None
    except ValueError:
        return None

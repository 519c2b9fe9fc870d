"""Readings of the values of JSON: a value is bound to its keys and to the names in the objects around it.

Unit and metric are read from the keys (``price_change_percentage_24h``, ``market_cap: {"usd": ...}``). Sums
of money without a currency are dollars where the source names no other one, as market data usually are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final

from verifaible.factcheck.numbers.periods import find_periods
from verifaible.factcheck.numbers.quantities import Quantity
from verifaible.factcheck.rules.layout import Segment
from verifaible.factcheck.rules.lexicon import Lexicon, find_metrics, is_money_metric
from verifaible.factcheck.plain_words import content_words, forecast, key_words
from verifaible.factcheck.rules.reading import Manner, Reading
from verifaible.factcheck.rules.surroundings import Surroundings, called, joined_metric, label_words, spaced
from verifaible.old.numbers import NumberMention
from verifaible.text.lists import parted

_CODES: Final = parted(
    "btc|eth|bnb|sol|usdt|usdc|dai|sats|aud|cad|inr|chf|try|brl|rub|sgd|twd|thb|idr|php|vnd|aed|ngn"
)
_CURRENCIES: Final = {
    **{"usd": "USD", "eur": "EUR", "gbp": "GBP", "jpy": "JPY", "cny": "CNY", "krw": "KRW", "hkd": "HKD"},
    **{code: code.upper() for code in _CODES},
}
_PERCENT: Final = frozenset(["percentage", "percent", "pct"])
_RATES: Final = frozenset(["apy", "apr", "yield"])
#: Containers whose keys say nothing of what a value is of.
_GENERIC: Final = frozenset(
    parted(
        "data|result|results|response|items|list|market|market_data|info|details|stats|"
        "statistics|metrics|values|value|body|payload|coins|tokens|assets|protocols|pools|"
        "pairs|output|content|summary|quote|quotes|latest|current|row|rows|records|record|"
        "entries|attributes|raw|ticker|tickers|chart"
    )
)
#: Keys from the value outwards that may say what it is.
_MOST_KEYS: Final = 3
_MOST_DIGITS: Final = 40
#: Code points around a value in which the other keys of its object are looked for.
_OBJECT: Final = 1200
_INDICATOR: Final = re.compile(r"\b(rsi|sma|ema|ma) (\d{1,3})\b", re.IGNORECASE)
_PROJECT: Final = re.compile(r'"(?:project|protocol|dex|exchange)"\s*:\s*"([^"\\]{2,60})"')
#: What the row of a protocol in an answer may have of its one pool; its TVL is more than that of a pool.
_OF_PROTOCOLS: Final = frozenset(("apy", "apr"))
#: Keys of answers that tell by their address what they are of.
_TOTALS: Final = frozenset(("total", "content"))
_WINDOWS: Final = frozenset(("1h", "24h", "48h", "7d", "14d", "30d", "1y", "1d", "1m", "all", "time"))
_CHANGES: Final = frozenset(("change", "over"))
_MONTHS: Final = re.compile(r"\b(\d{1,2})m\b")
_EPOCH: Final = re.compile(r"1\d{9}(?:\d{3})?")


@dataclass(frozen=True, slots=True)
class _Keys:
    """The keys of a value as words, without its currency."""

    keys: tuple[str, ...]
    text: str
    metrics: tuple[str, ...]
    currency: str

    @property
    def words(self) -> list[str]:
        return self.text.lower().split()


def read_number(around: Surroundings, segment: Segment) -> tuple[Reading, ...]:
    """The value of a JSON number; none of NaN, infinities and numbers of very many digits."""
    number = _literal(segment.words)
    return (read_value(around, segment, number),) if number is not None else ()


def read_value(around: Surroundings, segment: Segment, quantity: Quantity) -> Reading:
    """The reading of a number that is all that a JSON value says."""
    keys = _keys_of(segment)
    unit = quantity.unit or _unit(keys)
    metric = _metric(around, segment, keys, unit)
    if metric == "dominance":
        unit = "%"
    if not unit and is_money_metric(metric) and around.only_dollars:
        unit = "USD"
    quantity = replace(quantity, unit=unit)
    windows, dates = _moments(segment, keys, metric)
    subjects, clear = _subjects(around, segment, keys)
    host = _host(around, segment)
    clear = clear or (bool(host) and len(around.assets(subjects - host)) <= 1)
    manner: set[Manner] = set() if clear else {"unclear"}
    if segment.literal and unit == "%" and abs(quantity.value) < 1 and not _PERCENT & set(keys.words):
        manner.add("unclear")  # 0.052 may be a fraction
    if any(forecast(key_words(key)) for key in keys.keys):
        manner.add("forecast")
    start, end = segment.span(quantity.start, quantity.end)
    close = content_words(around.label(keys.text.lower()).masked) - _CURRENCY_STEMS
    path = tuple(key_words(key) for key in segment.keys if not key.isdigit())
    named = tuple(words for words, _ in segment.scope.names)
    return Reading(
        source=around.source, text=around.text, start=start, end=end, place=(start, end),
        value=quantity.value, unit=unit, digits=quantity.half,
        mention=None if segment.literal else quantity.mention,
        labels=tuple(dict.fromkeys((*reversed(path), *segment.scope.labels))), subjects=subjects,
        metric=metric, moments=windows | dates, manner=frozenset(manner),
        words=close | label_words((*segment.scope.labels, *path)),
        own=close | label_words((*named, *path)),
        named=() if around.object_names(segment) else called(segment), pointer=segment.pointer,
        kind="json", close=close, signed=True, dated=dates, quantity=quantity,
        lent=not around.object_names(segment), host=host if metric in _OF_PROTOCOLS else frozenset(),
    )  # fmt: skip


_CURRENCY_STEMS: Final = content_words(" ".join(_CURRENCIES)) | {"usd", "24h", "7d", "30d", "1h", "1d"}


def _keys_of(segment: Segment) -> _Keys:
    keys = [key for key in segment.keys if not key.isdigit()]
    currency = ""
    while len(keys) > 1 and keys[-1].lower() in _CURRENCIES:
        currency = currency or _CURRENCIES[keys[-1].lower()]
        keys.pop()
    told = [key_words(key) for key in keys]
    text = told[-1] if told else ""
    taken = 1
    for at in range(len(told) - 2, -1, -1):
        if taken >= _MOST_KEYS or any(metric.value != "change" for metric in find_metrics(text)):
            break
        if keys[at].lower() not in _GENERIC:
            text, taken = f"{told[at]} {text}", taken + 1
    return _Keys(tuple(keys), text, tuple(metric.value for metric in find_metrics(text)), currency)


def _unit(keys: _Keys) -> str:
    words, changes = keys.words, "change" in keys.metrics
    if (_PERCENT | _RATES) & set(words):
        return "%"
    if changes and "price" not in keys.metrics:
        return "%"  # CoinGecko's usd_24h_change is in per cent, its price_change_24h in the currency
    if keys.currency:
        return keys.currency
    told = [_CURRENCIES[word] for word in words if word in _CURRENCIES]
    return told[0] if len(told) == 1 else ""


def _metric(around: Surroundings, segment: Segment, keys: _Keys, unit: str) -> str:
    metric, words = joined_metric(keys.metrics), keys.words
    if not metric and words == ["value"]:
        named = {found.value for name, _ in segment.scope.names for found in find_metrics(name)}
        metric = named.pop() if len(named) == 1 else ""
    if metric in ("", "change") and set(words) <= _TOTALS | _WINDOWS.union(_CHANGES) and words:
        base = _by_address(around)
        if base:
            return f"{base}/change" if metric == "change" else base
    if metric == "change":
        base = _changed(around.text, segment)
        return f"{base}/change" if base else ""
    if "dominance" in words or (metric == "market_cap" and unit == "%"):
        return "dominance"
    if not metric and (words == ["usd"] or (keys.currency and _name(around.lexicon, " ".join(words)))):
        return "price"  # {"bitcoin": {"usd": 107240}}
    return metric


def _changed(text: str, segment: Segment) -> str:
    """What a bare "change" of an object is of, by the other keys of the object."""
    start = max(0, segment.start - _OBJECT)
    opening = text.rfind("{", start, segment.start)
    closing = text.find("}", segment.end, segment.end + _OBJECT)
    inside = text[max(start, opening) : closing if closing > 0 else segment.end + _OBJECT]
    keys = re.findall(r'"([\w ]{1,60})"\s*:', inside)
    found = {metric.value for key in keys for metric in find_metrics(key_words(key))}
    if "price" in found or any(key.lower().startswith("usd") for key in keys):
        return "price"
    return "tvl" if "tvl" in found else ""


def _by_address(around: Surroundings) -> str:
    """What an answer with only totals and changes is of, by the path that was asked for."""
    path = re.sub(r"[^A-Za-z0-9]+", " ", around.source.url.partition("?")[0])
    told = {metric.value for metric in find_metrics(path)} & frozenset(
        parted("fees|revenue|volume|tvl|open_interest")
    )
    if not told and re.search(r"\b(?:dexs|derivatives|options)\b", path):
        told = {"volume"}
    return told.pop() if len(told) == 1 else ""


def _host(around: Surroundings, segment: Segment) -> frozenset[str]:
    """The protocol that the innermost object of a value names as its project."""
    text = around.text
    start = max(0, segment.start - _OBJECT)
    opening = max(text.rfind(sign, start, segment.start) for sign in "{}")
    if opening < 0 or text[opening] != "{":
        return frozenset()
    closing = text.find("}", segment.end, segment.end + _OBJECT)
    match = _PROJECT.search(text, opening, closing if closing > 0 else segment.end)
    if match is None:
        return frozenset()
    name = around.project(match[1])
    return frozenset((name,)) if name else frozenset()


def _moments(segment: Segment, keys: _Keys, metric: str) -> tuple[frozenset[str], frozenset[str]]:
    periods = find_periods(_MONTHS.sub(r"\1mo", _INDICATOR.sub(r"\1(\2)", keys.text)))
    windows = frozenset(period.value for period in periods if not period.dated)
    dates = frozenset(period.value for period in periods if period.dated)
    if metric == "volume" and keys.words[:2] == ["total", "volume"]:
        windows = windows or frozenset(("24h",))  # CoinGecko's total_volume is of a day
    return windows, dates or _dates_beside(segment)


def _subjects(around: Surroundings, segment: Segment, keys: _Keys) -> tuple[frozenset[str], bool]:
    found = set(around.object_names(segment))
    for key in keys.keys if len(keys.keys) < 2 else keys.keys[:-1]:
        name = _name(around.lexicon, key) if key.lower() not in _CURRENCIES else ""
        if name and around.lexicon.kind(name) != "provider":
            found.add(name)
    if keys.currency and (name := _name(around.lexicon, keys.keys[-1])):
        found.add(name)
    if not found:
        return around.titled(segment)
    return frozenset(found), len(around.assets(found)) <= 1


def _name(lexicon: Lexicon, key: str) -> str:
    return lexicon.resolve(key) or lexicon.resolve(spaced(key))


def _literal(words: str) -> Quantity | None:
    value = Decimal(words)
    if not value.is_finite() or abs(value.adjusted()) > _MOST_DIGITS:
        return None
    exponent = value.as_tuple().exponent
    half = Decimal("0.5").scaleb(min(0, exponent if isinstance(exponent, int) else 0))
    mention = NumberMention(value, Decimal(1), "", 0, len(words), words)
    return Quantity(mention, value, "", half, 0, len(words), signed=True)


def _dates_beside(segment: Segment) -> frozenset[str]:
    """The one date that the object of a value has."""
    found: set[str] = set()
    for words in segment.scope.beside:
        if _EPOCH.fullmatch(words):
            seconds = int(words) // (1000 if len(words) == 13 else 1)
            found.add(datetime.fromtimestamp(seconds, UTC).date().isoformat())
        else:
            found |= {period.value for period in find_periods(words) if period.dated}
    return frozenset(found) if len(found) == 1 else frozenset()

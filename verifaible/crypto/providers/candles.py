"""Candles of Binance's public data host; no key, no account, and no way to trade.

Source: https://developers.binance.com/docs/binance-spot-api-docs/rest-api (klines; read in November 2026).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Final

from verifaible.crypto.assets.resolver import Match
from verifaible.crypto.providers.coins import asked_at, resolve
from verifaible.crypto.providers.endpoint import Places
from verifaible.crypto.providers.json_values import decimal_at, moment_at, surprise
from verifaible.crypto.providers.session import Api, ApiAnswer
from verifaible.crypto.query import stamp
from verifaible.errors import BadArguments, DataNotAvailable, PageNotLoaded
from verifaible.schema.data import DataPoint

#: What prices are in: the dollar token that Binance has most markets in.
QUOTE: Final = "USDT"
#: The intervals of candles in minutes; all begin at multiples of their length since 1970, weeks on Mondays.
INTERVALS: Final = {
    **{"1m": 1, "3m": 3, "5m": 5, "15m": 15, "30m": 30},
    **{"1h": 60, "2h": 120, "4h": 240, "6h": 360, "8h": 480, "12h": 720},
    **{"1d": 1440, "3d": 4320, "1w": 10080},
}
#: Candles are asked for in these numbers, so that near lengths of time are one request: a week of hours, a
#: year of days, and the most that Binance gives.
_LIMITS: Final = (168, 366, 1000)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
#: Where a value stands in a row of ``/api/v3/klines``.
_PLACES: Final = {"open": 1, "high": 2, "low": 3, "close": 4, "volume": 5}


@dataclass(frozen=True, slots=True)
class Candle:
    """Prices in the quote currency and the traded amount, in units of the asset, of one interval.

    ``row`` is its place in the answer; ``closed_at`` its last millisecond.
    """

    row: int
    opened_at: datetime
    closed_at: datetime
    open: Decimal
    high: Decimal
    low: Decimal
    close: Decimal
    volume: Decimal

    def pointer(self, field: str) -> str:
        """The JSON Pointer of one of its five values in the answer."""
        return f"/{self.row}/{_PLACES[field]}"


@dataclass(frozen=True, slots=True)
class Candles:
    """The closed candles of a market, oldest first.

    Attributes:
        match: the asset, and the others that bear its name.
        market: what Binance calls it: ``BTCUSDT``.
        quote: the currency of its prices.
        interval: such as ``1d``.
        every: the candles of the answer.
        rows: those that were asked for.
        answer: what to give to :meth:`Api.reply`, which seals it.
    """

    match: Match
    market: str
    quote: str
    interval: str
    every: tuple[Candle, ...]
    rows: tuple[Candle, ...]
    answer: ApiAnswer

    @property
    def missing(self) -> int:
        """How many candles lack between the first and the last: the market stood still, or data do."""
        length = timedelta(minutes=INTERVALS[self.interval])
        steps = (after.opened_at - before.opened_at for before, after in pairwise(self.rows))
        return sum(max(0, round(step / length) - 1) for step in steps)

    def points(self, fields: Sequence[str] = tuple(_PLACES)) -> list[DataPoint]:
        """The values of all rows; of the time at which the candle closed, but for the first price."""
        symbol = self.match.asset.symbol
        return [
            DataPoint(
                source="",
                pointer=row.pointer(field),
                value=getattr(row, field),
                asset=symbol,
                field=field,
                unit=symbol if field == "volume" else self.quote,
                at=row.opened_at if field == "open" else row.closed_at,
            )
            for row in self.rows
            for field in fields
        ]


async def candles(api: Api, places: Places, symbol: str, days: int, interval: str) -> Candles:
    """The closed candles of the last days before the time that is asked about.

    The candle that is still running then is left out, and never asked for.

    Args:
        api: the session.
        places: where the providers are.
        symbol: what the asset is called, in any way that :func:`resolve` takes.
        days: how far back.
        interval: the length of a candle: ``1h``, ``1d``.

    Raises:
        BadArguments: there is no such interval, or the time is too long for it.
        AmbiguousAsset: several assets are called so.
        DataNotAvailable: Binance has no market of it.
        WrongContent: the answer is of another form, or has candles that were not closed.
    """
    interval = interval.strip() if interval.strip() == "1M" else interval.strip().lower()
    if interval not in INTERVALS:
        raise BadArguments(f"Binance has no candles of {interval!r}. Use one of {', '.join(INTERVALS)}.")
    length = timedelta(minutes=INTERVALS[interval])
    wanted = max(1, timedelta(days=days) // length)
    if wanted > _LIMITS[-1]:
        raise BadArguments(
            f"{days} days of {interval} are {wanted} candles, and at most {_LIMITS[-1]} can be had. Ask for "
            "fewer days, or a longer interval."
        )
    match = await resolve(api, places.coingecko, symbol)
    begun = _EPOCH + timedelta(days=4) if interval == "1w" else _EPOCH
    until = begun + (asked_at(api) - begun) // length * length
    limit = next(limit for limit in _LIMITS if limit >= wanted)
    market, answer = await _asked(api, places, match, interval, until, limit)
    rows = _rows(answer)
    if not rows:
        raise DataNotAvailable(f"Binance has no candles of {market} before {stamp(until)}. Use a later time.")
    if rows[-1].closed_at >= until:
        raise surprise(answer.name, f"a candle that closes after {stamp(until)}, the time asked for")
    return Candles(match, market, QUOTE, interval, tuple(rows), tuple(rows[-wanted:]), answer)


async def _asked(  # noqa: PLR0917 - what a request for candles has
    api: Api, places: Places, match: Match, interval: str, until: datetime, limit: int
) -> tuple[str, ApiAnswer]:
    """An asset's market, and its last candles before a time."""
    if match.asset.binance in ("", QUOTE):  # a market of another asset with the same ticker is never taken
        raise DataNotAvailable(
            f"No market of {match.asset} in {QUOTE} is known at Binance. Use another source."
        )
    market = f"{match.asset.binance}{QUOTE}"
    query = {
        "symbol": market,
        "interval": interval,
        "endTime": str(int(until.timestamp() * 1000) - 1),
        "limit": str(limit),
    }
    try:
        answer = await api.get("Binance", f"{places.binance.rstrip('/')}/api/v3/klines", query)
    except PageNotLoaded as error:
        if error.status != 400:
            raise
        raise BadArguments(
            f"Binance does not know the market {market} (HTTP 400). Use another source."
        ) from error
    return market, answer


def _rows(answer: ApiAnswer) -> list[Candle]:
    """The candles of an answer, each checked."""
    if not isinstance(answer.data, list):
        raise surprise(answer.name, "no list at its root")
    rows: list[Candle] = []
    for place in range(len(answer.data)):
        opened, closed = (moment_at(answer.data, (place, at)) for at in (0, 6))
        values = [decimal_at(answer.data, (place, at)) for at in _PLACES.values()]
        known = [value for value in values if value is not None]
        if opened is None or closed is None or len(known) < len(values):
            raise surprise(answer.name, f"no times and prices at /{place}")
        if rows and opened <= rows[-1].opened_at:
            raise surprise(answer.name, f"a candle at /{place} that is not later than the one before")
        rows.append(Candle(place, opened, closed, *known))
    return rows

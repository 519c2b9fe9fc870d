"""What a coin cost at a time, from CoinGecko's history: by five minutes, hours or days, as it keeps it."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final

from verifaible.crypto.tools.api import Api, ApiAnswer
from verifaible.crypto.tools.coins import PROVIDER
from verifaible.crypto.tools.data import Path, at, decimal_at, moment_at, surprise

#: A price is that of its hour or day: an older one values nothing.
OLDEST: Final = timedelta(hours=26)


@dataclass(frozen=True, slots=True)
class Price:
    """A price in US dollars, of when, and where it stands in the answer."""

    at: datetime
    usd: Decimal
    path: Path


@dataclass(frozen=True, slots=True)
class Prices:
    """The prices of a span of time, in its order, and the answer that has them."""

    answer: ApiAnswer
    prices: tuple[Price, ...]

    def on(self, moment: datetime) -> Price | None:
        """The last price at or before a moment; None where there is none of its hour or day."""
        place = bisect_right(self.prices, moment, key=lambda price: price.at)
        price = self.prices[place - 1] if place else None
        return price if price is not None and moment - price.at <= OLDEST else None

    @property
    def highest(self) -> Decimal:
        """Of the span."""
        return max(price.usd for price in self.prices)


async def read_prices(api: Api, base: str, coin: str, start: datetime, end: datetime) -> Prices:
    """The prices from a day before ``start`` to ``end``.

    Args:
        api: of the session.
        base: CoinGecko's address.
        coin: CoinGecko's id.
        start: of the span.
        end: of the span; nothing later is asked for.

    Raises:
        ToolError: CoinGecko does not answer.
        WrongContent: it has no price, or one of later than ``end``.
    """
    query = {
        "vs_currency": "usd",
        "from": str(int((start - timedelta(days=1)).timestamp())),
        "to": str(int(end.timestamp())),
    }
    answer = await api.get(PROVIDER, f"{base.rstrip('/')}/coins/{coin}/market_chart/range", query)
    rows = at(answer.data, ("prices",))
    prices = []
    for place in range(len(rows) if isinstance(rows, list) else 0):
        path: Path = ("prices", place, 1)
        moment, usd = moment_at(answer.data, ("prices", place, 0)), decimal_at(answer.data, path)
        if moment is not None and usd is not None:
            prices.append(Price(moment, usd, path))
    if not prices:
        raise surprise(answer.name, "no price at /prices")
    if max(price.at for price in prices) > end:
        raise surprise(answer.name, f"a price of later than {end:%Y-%m-%d %H:%M} UTC")
    return Prices(answer, tuple(sorted(prices, key=lambda price: price.at)))

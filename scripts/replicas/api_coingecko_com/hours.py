"""Prices by the hour, between the made-up prices of the days."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from scripts.replicas.api_coingecko_com.coins import NOW, Coin

#: When the newest block of the replica of Ethereum was made: the last slot before 12:00.
LAST_BLOCK = datetime(2026, 3, 2, 11, 59, 59, tzinfo=UTC)


def chart(coin: Coin, start: int, end: int) -> dict[str, Any]:
    """A history by the hour between two times in seconds since 1970; its last price is of ``NOW``."""
    last = min(datetime.fromtimestamp(end, UTC), NOW)
    moment = datetime.fromtimestamp(start + -start % 3600, UTC)
    prices = []
    while moment <= last:
        prices.append([int(moment.timestamp() * 1000), _price(coin, moment)])
        moment += timedelta(hours=1)
    return {"prices": prices}


def _price(coin: Coin, moment: datetime) -> float:
    """On the line from a midnight's price to the next one's, or to that of now."""
    midnight = moment.replace(hour=0, minute=0, second=0)
    days = (NOW.date() - midnight.date()).days
    if days == 0:  # today's midnight has no price of its own: the line goes on from yesterday's
        midnight, days = midnight - timedelta(days=1), 1
    after = NOW if days == 1 else midnight + timedelta(days=1)
    share = (moment - midnight) / (after - midnight)
    return float(f"{coin.on(days) * (1 - share) + coin.on(days - 1) * share:.6g}")

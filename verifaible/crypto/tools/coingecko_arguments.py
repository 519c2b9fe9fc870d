"""Arguments of the tools of CoinGecko."""

from __future__ import annotations

from datetime import date
from typing import Final, Literal

from pydantic import Field, model_validator

from verifaible.schema.base import Record

#: Rows of one page of the markets list; the most that CoinGecko gives.
PAGE_ROWS: Final = 250
#: Days of history that the keyless API gives.
KEYLESS_DAYS: Final = 365
_MOST_COINS: Final = 10
_CURRENCY = Field("usd", min_length=2, max_length=10, description="usd, eur, btc and so on.")
_COIN = Field(min_length=1, max_length=100, description="Id, ticker or name.")


class SearchArguments(Record):
    """Arguments of ``coingecko_search``."""

    query: str = Field(min_length=1, max_length=100)


class PriceArguments(Record):
    """Arguments of ``coingecko_price``."""

    coins: tuple[str, ...] = Field(min_length=1, max_length=_MOST_COINS, description="Ids, tickers or names.")
    currency: str = _CURRENCY


class CoinArguments(Record):
    """Arguments of ``coingecko_coin``."""

    coin: str = _COIN
    currency: str = _CURRENCY


class MarketsArguments(Record):
    """Arguments of ``coingecko_markets``; the filters choose among the rows of a page."""

    category: str = Field("", max_length=60, description="Id of a category: layer-1, meme-token.")
    order_by: Literal["market_cap", "volume", "gain_24h", "loss_24h", "gain_7d", "loss_7d"] = "market_cap"
    min_market_cap: float | None = None
    max_market_cap: float | None = None
    min_volume: float | None = Field(None, description="In 24 hours.")
    min_change_24h: float | None = Field(None, description="Per cent.")
    near_ath: float | None = Field(None, description="At most so many per cent below the all-time high.")
    limit: int = Field(20, ge=1, le=PAGE_ROWS)
    page: int = Field(1, ge=1, le=50)
    currency: str = _CURRENCY


class HistoryArguments(Record):
    """Arguments of ``coingecko_history``: the last days, or a range of dates."""

    coin: str = _COIN
    days: int = Field(30, ge=1, le=KEYLESS_DAYS)
    start: date | None = Field(None, description="YYYY-MM-DD; with end, instead of days.")
    end: date | None = None
    currency: str = _CURRENCY

    @model_validator(mode="after")
    def _range(self) -> HistoryArguments:
        if (self.start is None) != (self.end is None):
            raise ValueError("start and end go together; leave both out for the last days")
        if self.start and self.end and self.start > self.end:
            raise ValueError("start is after end")
        return self


class NoArguments(Record):
    """No arguments."""

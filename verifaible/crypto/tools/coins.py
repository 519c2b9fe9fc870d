"""Which coin is meant: a name, a ticker or an id, looked up in CoinGecko's own search."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from urllib.parse import urlsplit

from verifaible.crypto.tools.api import Api, ApiAnswer
from verifaible.crypto.tools.data import Json, Path, at, decimal_at, rows_of, text_at
from verifaible.errors import BadArguments

PROVIDER = "CoinGecko"
_NEAREST = 5


@dataclass(frozen=True, slots=True)
class Coin:
    """A coin of CoinGecko; ``others`` are further coins with the same ticker or name, in words."""

    id: str
    symbol: str
    name: str
    others: str = ""

    @property
    def note(self) -> str:
        """What the model should know of the choice; empty where there was none."""
        if not self.others:
            return ""
        return (
            f"(Taken for {self.name} ({self.id}), the largest by market cap. Of the same name or ticker: "
            f"{self.others}. Give the id if you mean another.)"
        )


async def search(api: Api, base: str, query: str) -> ApiAnswer:
    """The answer of CoinGecko's search; one address for every way of writing the same words."""
    words = " ".join(query.split()).removeprefix("$").casefold()
    return await api.get(PROVIDER, f"{base}/search", {"query": words})


async def resolve(api: Api, base: str, written: str) -> Coin:
    """The coin that an id, a ticker or a name means.

    Of several with the same ticker or name the one with the largest market cap is taken, and the others
    are named.

    Raises:
        BadArguments: there is none; the message names the nearest.
    """
    answer = await search(api, base, written)
    rows: list[tuple[Path, Json]] = list(rows_of(answer.data, ("coins",), answer.name))
    sought = " ".join(written.split()).removeprefix("$").casefold()
    for field in ("id", "symbol", "name"):
        same = [row for _, row in rows if text_at(row, (field,)).casefold() == sought]
        if field == "symbol":
            same += [
                row for _, row in rows if text_at(row, ("name",)).casefold() == sought and row not in same
            ]
        if same:
            same.sort(key=_rank)
            first, *rest = same
            return Coin(
                id=text_at(first, ("id",)),
                symbol=text_at(first, ("symbol",)),
                name=text_at(first, ("name",)),
                others=", ".join(_named(row) for row in rest[:_NEAREST]),
            )
    nearest = "; ".join(_named(row) for _, row in rows[:_NEAREST])
    advice = (
        f"Nearest: {nearest}. Call again with one of these ids."
        if nearest
        else f"Its search finds nothing like it. Try the full name or the ticker, or search the web: not "
        f"every token is listed at {urlsplit(base).hostname}."
    )
    raise BadArguments(f"CoinGecko lists no coin {written!r}. {advice}")


def _rank(row: Json) -> Decimal:
    rank = decimal_at(row, ("market_cap_rank",))
    return rank if rank is not None else Decimal("Infinity")


def _named(row: Json) -> str:
    rank = at(row, ("market_cap_rank",))
    return (
        f"{text_at(row, ('name',))} ({text_at(row, ('id',))}, {text_at(row, ('symbol',))}"
        f"{f', rank {rank}' if rank is not None else ''})"
    )

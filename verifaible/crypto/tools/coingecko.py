"""CoinGecko's tools: its endpoints, and the bounds of a history."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import Any

from verifaible.crypto.session import Api
from verifaible.crypto.tools.coins import asked_at
from verifaible.crypto.tools.endpoint import Places
from verifaible.crypto.tools.handler import Words, tools_of
from verifaible.errors import BadArguments
from verifaible.tools.toolbox import Tool


def tools(api: Api, places: Places) -> tuple[Tool[Any], ...]:
    """The tools of CoinGecko over one session."""
    return tools_of("coingecko", api, places, {"coingecko_history": bounds})


def bounds(arguments: Any, api: Api) -> Words:
    """What a history is asked for by: the last days, or the bounds of a range, which end before ``as_of``."""
    if (arguments.start is None) != (arguments.end is None):
        raise BadArguments("start and end go together; leave both out for the last days.")
    now = asked_at(api)
    if arguments.start is None and now >= api.now:
        days = str(arguments.days)
        return {
            "span": "",
            "from": "",
            "to": "",
            "count": days,
            "interval": "daily",
            "told": f"last {days} days",
        }
    begun, until = now - timedelta(days=arguments.days), now
    told = f"last {arguments.days} days before {now:%Y-%m-%d %H:%M} UTC"
    if arguments.start:
        if arguments.start > arguments.end:
            raise BadArguments("start is after end. Exchange them.")
        begun = datetime.combine(arguments.start, time(), UTC)
        until = datetime.combine(arguments.end + timedelta(days=1), time(), UTC)
        until = min(until, now) if now < api.now else until
        told = f"{arguments.start} to {arguments.end}"
    seconds = {name: str(int(each.timestamp())) for name, each in (("from", begun), ("to", until))}
    return {"span": "range", "count": "", "interval": "", "told": told, **seconds}

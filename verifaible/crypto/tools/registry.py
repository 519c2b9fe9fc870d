"""Every tool of the harness and of the chat that reads data of providers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from verifaible.crypto.query import Switches
from verifaible.crypto.session import Api
from verifaible.crypto.tools import coingecko, general
from verifaible.crypto.tools.endpoint import Places
from verifaible.crypto.tools.handler import tools_of
from verifaible.tools.context import ToolContext
from verifaible.tools.toolbox import Tool, Toolbox

Endpoints = Places


def toolbox(
    context: ToolContext,
    api: Api,
    switches: Switches,
    places: Places | None = None,
    *,
    further: Sequence[Tool[Any]] = (),
) -> Toolbox:
    """The tools of one answer: those of the web, then those for data; the other way where that is on."""
    web = general.tools(context, api, data_first=switches.prefer_api)
    data = (*data_tools(api, places), *further)
    return Toolbox((*data, *web) if switches.prefer_api else (*web, *data))


def data_tools(api: Api, places: Places | None = None) -> tuple[Tool[Any], ...]:
    """The tools of every provider, in the order in which the model sees them."""
    places = places or Places()
    futures = (tool for tool in tools_of("binance", api, places) if tool.name.startswith("binance_"))
    pools, defi = tools_of("geckoterminal", api, places), tools_of("defillama", api, places)
    return (*coingecko.tools(api, places), *pools, *defi, *futures)

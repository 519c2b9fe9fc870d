"""Every tool of the harness and of the chat. A new provider is a file with ``tools`` and a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from verifaible.crypto.records import Switches
from verifaible.crypto.tools import binance, general
from verifaible.crypto.tools import coingecko as gecko
from verifaible.crypto.tools import defillama as llama
from verifaible.crypto.tools.api import Api
from verifaible.schema.base import Record
from verifaible.tools.context import ToolContext
from verifaible.tools.toolbox import Tool, Toolbox


class Endpoints(Record):
    """Where the providers are; another address is a mirror of one's own."""

    coingecko: str = gecko.BASE
    binance: str = binance.BASE
    defillama: str = llama.BASE
    stablecoins: str = llama.STABLECOINS
    yields: str = llama.YIELDS


Provider: TypeAlias = Callable[[Api, Endpoints], tuple[Tool[Any], ...]]
#: The providers of data, in the order the model sees their tools.
PROVIDERS: Final[Mapping[str, Provider]] = {
    "coingecko": lambda api, places: gecko.tools(api, places.coingecko),
    "defillama": lambda api, places: llama.tools(api, places.defillama, places.stablecoins, places.yields),
}


def toolbox(
    context: ToolContext,
    api: Api,
    switches: Switches,
    endpoints: Endpoints | None = None,
    *,
    further: Sequence[Tool[Any]] = (),
) -> Toolbox:
    """The tools of one answer: those of the web, then those for data; the other way where that is on."""
    web = general.tools(context, api, data_first=switches.prefer_api)
    data = (*data_tools(api, endpoints), *further)
    return Toolbox((*data, *web) if switches.prefer_api else (*web, *data))


def data_tools(api: Api, endpoints: Endpoints | None = None) -> tuple[Tool[Any], ...]:
    """The tools of every provider."""
    places = endpoints or Endpoints()
    return tuple(tool for provider in PROVIDERS.values() for tool in provider(api, places))

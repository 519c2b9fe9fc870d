"""The tools of a conversation: the nine of the paper by its names, and ``calculate``."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

from verifaible.crypto.agents.tools import tools as agents
from verifaible.crypto.chain.queries import tools as ethereum
from verifaible.crypto.chain.tool import tools as onchain
from verifaible.crypto.charts import kline
from verifaible.crypto.contracts.tool import tools as contracts
from verifaible.crypto.sandbox.calculating import tools as calculate
from verifaible.crypto.sandbox.running import Sandbox
from verifaible.crypto.tools import market
from verifaible.crypto.tools.api import Api
from verifaible.crypto.tools.registry import Endpoints, data_tools
from verifaible.llm.base import ModelClient
from verifaible.tools.context import ToolContext
from verifaible.tools.toolbox import Tool


class Toolset:
    """Makes the tools of each turn, and ends what they opened.

    Args:
        context: web, browser, search and settings.
        endpoints: where the providers of data are.
    """

    def __init__(self, context: ToolContext, endpoints: Endpoints | None = None) -> None:
        self._context = context
        self._endpoints = endpoints or Endpoints()
        self._sandbox = Sandbox(context.settings)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._sandbox.__aexit__(kind, error, trace)

    def __call__(self, api: Api, model: ModelClient) -> Sequence[Tool[Any]]:
        """The tools of a turn.

        Args:
            api: of the turn.
            model: what report agents and reviews ask.
        """
        places = self._endpoints
        return (
            *market.tools(api, places),
            *kline.tools(api, places),
            *onchain(api, places.coingecko),
            *ethereum(api),
            *contracts(api, model),
            *agents(api, places, self._context, model),
            *calculate(api, self._sandbox.run),
            *data_tools(api, places),
        )

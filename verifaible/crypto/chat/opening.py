"""From the names of models to what answers a conversation, and the tools that it has."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Final, Self

from verifaible.answers.ask import session
from verifaible.config import Settings
from verifaible.crypto.agents.tools import tools as agents
from verifaible.crypto.chain.queries import tools as ethereum
from verifaible.crypto.chain.tool import tools as onchain
from verifaible.crypto.charts import kline
from verifaible.crypto.chat.conversations import ConversationInfo
from verifaible.crypto.chat.demo import DEMO, DEMO_TIME, DemoModel
from verifaible.crypto.chat.metered import TurnLimits
from verifaible.crypto.chat.talk import Analyst
from verifaible.crypto.contracts.tool import tools as contracts
from verifaible.crypto.sandbox.calculating import tools as calculate
from verifaible.crypto.sandbox.running import Sandbox
from verifaible.crypto.tools import market
from verifaible.crypto.tools.api import Api
from verifaible.crypto.tools.registry import Endpoints, data_tools
from verifaible.errors import ConfigError
from verifaible.evidence.store.store import Store
from verifaible.llm.base import ModelClient
from verifaible.llm.catalogue import BUILT_IN
from verifaible.llm.catalogue import Api as ModelApi
from verifaible.llm.opening import open_model
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


#: Reasoning models write for minutes; a turn asks several times.
USUAL_LIMITS: Final = TurnLimits(seconds=900.0)


def demo_info() -> ConversationInfo:
    """A conversation with the scripted model over the recorded archives."""
    return ConversationInfo(
        started_at=datetime.now(UTC), caller=DEMO, answerer=DEMO, web="offline", as_of=DEMO_TIME
    )


@asynccontextmanager
async def analyst(
    settings: Settings,
    info: ConversationInfo,
    *,
    api: ModelApi | None = None,
    limits: TurnLimits = USUAL_LIMITS,
) -> AsyncIterator[Analyst]:
    """What answers a conversation; its models and its browser end with the context.

    Args:
        settings: base URL, keys, home.
        info: of the conversation.
        api: the API that both models are asked in; default by the catalogue.
        limits: of each turn.

    Raises:
        UnknownModel: no such name.
        MissingKey: a model's endpoint needs a key that is not set.
        ConfigError: a limit of cost for a model whose cost is not known; the archives are missing.
        StoreError: the store cannot be opened.
    """
    clients: dict[str, ModelClient] = {}
    try:
        for name in dict.fromkeys((info.caller, info.answerer)):
            clients[name] = _client(name, settings, api, limits)
        store = Store.open(settings)
        async with (
            session(settings, store, offline=info.web == "offline") as context,
            Toolset(context) as tools,
        ):
            # in the replicas the present is the time of the demo
            held = max(info.as_of or DEMO_TIME, DEMO_TIME) if info.web == "offline" else None
            yield Analyst(
                caller=clients[info.caller],
                answerer=clients[info.answerer],
                context=context,
                tools=tools,
                limits=limits,
                now=lambda: held or datetime.now(UTC),
            )
    finally:
        for client in clients.values():
            await client.aclose()


def _client(name: str, settings: Settings, api: ModelApi | None, limits: TurnLimits) -> ModelClient:
    if name == DEMO:
        return DemoModel()
    if name in BUILT_IN:
        raise ConfigError(f"--model {name}: answers only the bench's cases. Name a model, such as glm-5.")
    opened = open_model(name, settings, api)
    if limits.cost_usd is not None and not opened.priced:
        raise ConfigError(
            f"What {name} costs is not known here, so a limit of cost would never end anything. Leave it "
            "out, or use --max-tokens."
        )
    return opened.client

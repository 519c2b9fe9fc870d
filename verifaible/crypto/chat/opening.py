"""From the names of models to what answers a conversation."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Final

from verifaible.answers.ask import session
from verifaible.config import Settings
from verifaible.crypto.chat.conversations import ConversationInfo
from verifaible.crypto.chat.demo import DEMO, DEMO_TIME, DemoModel
from verifaible.crypto.chat.metered import TurnLimits
from verifaible.crypto.chat.talk import Analyst
from verifaible.crypto.chat.toolset import Toolset
from verifaible.errors import ConfigError
from verifaible.evidence.store.store import Store
from verifaible.llm.base import ModelClient
from verifaible.llm.catalogue import BUILT_IN, Api
from verifaible.llm.opening import open_model

#: Reasoning models write for minutes; a turn asks several times.
USUAL_LIMITS: Final = TurnLimits(seconds=900.0)


def demo_info() -> ConversationInfo:
    """A conversation with the scripted model over the recorded archives."""
    return ConversationInfo(
        started_at=datetime.now(UTC), caller=DEMO, answerer=DEMO, web="offline", as_of=DEMO_TIME
    )


@asynccontextmanager
async def analyst(
    settings: Settings, info: ConversationInfo, *, api: Api | None = None, limits: TurnLimits = USUAL_LIMITS
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


def _client(name: str, settings: Settings, api: Api | None, limits: TurnLimits) -> ModelClient:
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

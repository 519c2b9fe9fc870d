"""From the name of a model to the agent that runs it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from verifaible.agent.base import Agent
from verifaible.agent.loop import Limits, ModelAgent
from verifaible.agent.oracle import NopAgent, OracleAgent
from verifaible.config import Settings
from verifaible.llm.base import ModelClient
from verifaible.llm.catalogue import BUILT_IN, Api
from verifaible.llm.opening import open_model
from verifaible.llm.scripted import ScriptedModel


@dataclass(frozen=True, slots=True)
class Entrant:
    """A model of a run.

    Attributes:
        name: in the results.
        agent: who does the trials.
        client: to close afterwards; None for an agent that needs no model.
        described: what is asked and where, for the lock of the run.
        prices: by which its cost is estimated, for the lock; empty where there are none.
        priced: whether what its calls cost will be known.
        again: makes it in another process, which opens its own client; None: it is sent there as it is.
        key: the variable with the key of its endpoint, and the key; never printed.
    """

    name: str
    agent: Agent
    client: ModelClient | None = None
    described: str = ""
    prices: str = ""
    priced: bool = True
    again: Callable[[Settings], Entrant] | None = None
    key: tuple[str, str] = field(default=("", ""), repr=False)

    def through(self, wrap: Callable[[ModelClient], ModelClient]) -> Agent:
        """The agent, its model asked through what ``wrap`` makes of the client; itself if it asks none."""
        return self.agent.through(wrap) if isinstance(self.agent, ModelAgent) else self.agent


def entrant(
    name: str,
    settings: Settings,
    limits: Limits,
    api: Api | None = None,
    *,
    provider: tuple[str, ...] = (),
    system: str = "",
) -> Entrant:
    """The agent for a model name; nothing is opened yet.

    Args:
        name: a built-in agent, or a model as :func:`~verifaible.llm.catalogue.resolve` takes it.
        settings: the run's settings.
        limits: what ends a trial.
        api: the API to ask the model in; default what the catalogue says.
        provider: as :func:`~verifaible.llm.opening.open_model` takes it.
        system: the system prompt; default the short one.

    Raises:
        UnknownModel: no such name.
        MissingKey: the model's endpoint needs a key that is not set.
        ConfigError: the base URL, the key or the person's own file of models has faults.
    """
    if name in BUILT_IN:
        return Entrant(name, OracleAgent() if name == "oracle" else NopAgent())
    opened = open_model(name, settings, api, provider)
    return Entrant(
        name,
        ModelAgent(opened.client, name, limits, system),
        opened.client,
        described=opened.described,
        prices=opened.prices,
        priced=opened.priced,
        again=partial(_again, name, limits, api, provider=provider, system=system),
        key=opened.key,
    )


def _again(name: str, limits: Limits, api: Api | None, settings: Settings, **named: Any) -> Entrant:
    return entrant(name, settings, limits, api, **named)


def replayed_entrant(name: str, limits: Limits, system: str = "") -> Entrant:
    """The agent for a model whose answers come from a recording: it needs no endpoint and no key."""
    if name in BUILT_IN:
        return entrant(name, Settings(), limits)
    return Entrant(name, ModelAgent(ScriptedModel(()), name, limits, system))

"""From the name of a model to the agent that runs it."""

from __future__ import annotations

from dataclasses import dataclass

from verifaible.agent.base import Agent
from verifaible.agent.loop import Limits, ModelAgent
from verifaible.agent.nop import NopAgent
from verifaible.agent.oracle import OracleAgent
from verifaible.config import Settings
from verifaible.llm.base import ModelClient
from verifaible.llm.catalogue import BUILT_IN, resolve
from verifaible.llm.endpoint import endpoint
from verifaible.llm.responses import ResponsesClient


@dataclass(frozen=True, slots=True)
class Entrant:
    """A model of a run: its name in the results, its agent, and the client to close afterwards."""

    name: str
    agent: Agent
    client: ModelClient | None = None

    @property
    def built_in(self) -> bool:
        """Whether it is an agent that needs no model."""
        return self.client is None


def entrant(name: str, settings: Settings, limits: Limits) -> Entrant:
    """The agent for a model name; nothing is opened yet.

    Raises:
        UnknownModel: no such name.
        MissingKey: the model's endpoint needs a key that is not set.
    """
    if name == "oracle":
        return Entrant(name, OracleAgent())
    if name == "nop":
        return Entrant(name, NopAgent())
    entry = resolve(name, any_name=bool(settings.base_url))
    client = ResponsesClient(entry, endpoint(settings, entry))
    return Entrant(name, ModelAgent(client, name, limits), client)


def is_built_in(name: str) -> bool:
    """Whether a name is that of a built-in agent."""
    return name in BUILT_IN

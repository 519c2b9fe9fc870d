"""The agent that answers nothing: a bench that scores it above zero is broken."""

from __future__ import annotations

from verifaible.agent.base import Task, Watch
from verifaible.schema.run import AgentOutcome
from verifaible.tools.toolbox import Toolbox


class NopAgent:
    """An :class:`~verifaible.agent.base.Agent` that calls no tool and gives an empty answer."""

    name = "nop"

    async def run(self, task: Task, toolbox: Toolbox, watch: Watch) -> AgentOutcome:
        """The empty outcome."""
        return AgentOutcome(answer="")

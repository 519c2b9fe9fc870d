"""What an agent is, and what it is given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from pydantic import Field

from verifaible.schema.base import Record
from verifaible.schema.case import Case, Oracle
from verifaible.schema.run import AgentOutcome, ModelEvent, ToolEvent
from verifaible.tools.toolbox import Toolbox

Event: TypeAlias = ModelEvent | ToolEvent
#: Called with every event the moment it has happened.
Watch: TypeAlias = Callable[[Event], None]


class Task(Record):
    """A case as an agent sees it: never its answer.

    ``oracle`` is read by the reference agent alone and stands in no prompt.
    """

    id: str
    question: str
    url: str
    language: str = ""
    oracle: Oracle | None = Field(None, repr=False)

    @classmethod
    def of(cls, case: Case) -> Task:
        """The task that a case sets."""
        return cls(
            id=case.id, question=case.question, url=case.url, language=case.language, oracle=case.oracle
        )


class Agent(Protocol):
    """Somebody who answers a task with the tools of one session."""

    name: str

    async def run(self, task: Task, toolbox: Toolbox, watch: Watch) -> AgentOutcome:
        """Work on a task until it is answered or given up.

        A failure of the agent, of its model or at a limit is part of the outcome.

        Raises:
            InfrastructureError: the machine failed; the events so far have gone to ``watch``.
        """
        ...


def unwatched(event: Event) -> None:
    """A watch for callers that read the events from the outcome."""

"""The record of a trial while it grows."""

from __future__ import annotations

import time

from verifaible.agent.base import Event, Watch
from verifaible.schema.chat import ModelTurn, Usage
from verifaible.schema.run import (
    AgentOutcome,
    EndedBy,
    ModelEvent,
    ToolEvent,
    ToolReply,
    TrialCitation,
)
from verifaible.tools.toolbox import Toolbox


class TrialRecord:
    """Events, citations and tokens of one trial; every event goes to ``watch`` as it happens.

    Attributes:
        rounds: answers of the model so far.
        usage: tokens and cost so far.
        citations: citations made so far, by their number.
        notes: what happened while the model was asked, such as attempts that failed; each once.
    """

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._events: list[Event] = []
        self._tool_calls = 0
        self.rounds = 0
        self.usage = Usage()
        self.citations: dict[int, TrialCitation] = {}
        self.notes: list[str] = []
        self._served_by: dict[str, None] = {}

    def model_answered(self, turn: ModelTurn) -> None:
        """Note a model's answer."""
        self.rounds += 1
        self.usage += turn.usage
        self.notes += [note for note in turn.notes if note not in self.notes]
        self._served_by |= {turn.served_by: None} if turn.served_by else {}
        self._note(
            ModelEvent(
                round=self.rounds,
                text=turn.text,
                reasoning=turn.reasoning,
                tool_calls=len(turn.tool_calls),
                usage=turn.usage,
                model=turn.model,
                duration_s=turn.duration_s,
                served_by=turn.served_by,
                notes=turn.notes,
            )
        )

    async def call(
        self, toolbox: Toolbox, name: str, arguments: str, *, step: int, call_id: str = ""
    ) -> ToolReply:
        """Call a tool and note the call whole.

        Args:
            toolbox: the tools of the session.
            name: the tool.
            arguments: JSON text.
            step: the round the call belongs to.
            call_id: the model's id of the call.
        """
        started = time.monotonic()
        reply = await toolbox.call(name, arguments)
        self._tool_calls += 1
        if reply.citation is not None:
            self.citations[reply.citation.number] = reply.citation
        self._note(
            ToolEvent(
                round=step,
                name=name,
                arguments=arguments,
                result=reply.text,
                error_code=reply.error_code,
                citation=reply.citation.number if reply.citation else None,
                call_id=call_id,
                duration_s=time.monotonic() - started,
            )
        )
        return reply

    def outcome(
        self, answer: str, *, ended_by: EndedBy = "answer", error: str = "", error_code: str = ""
    ) -> AgentOutcome:
        """The trial so far as its outcome."""
        return AgentOutcome(
            answer=answer,
            citations=tuple(self.citations.values()),
            rounds=self.rounds,
            tool_calls=self._tool_calls,
            usage=self.usage,
            events=tuple(self._events),
            ended_by=ended_by,
            error=error,
            error_code=error_code,
            served_by=tuple(self._served_by),
            notes=tuple(self.notes),
        )

    def _note(self, event: Event) -> None:
        self._events.append(event)
        self._watch(event)

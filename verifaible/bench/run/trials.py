"""One trial: an isolated session of the tools, as many attempts as the machine needs, and its score."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from time import monotonic
from typing import TypeAlias

from verifaible.agent.base import Event, Task
from verifaible.bench.reverify import evidence_of
from verifaible.bench.run.agents import Entrant
from verifaible.bench.run.calls import CallRecorder, CallReplay
from verifaible.bench.run.folder import Transcript
from verifaible.bench.run.spend import PaidClient, SpendLog
from verifaible.bench.run.workshop import Outages, Sessions
from verifaible.errors import InfrastructureError, UserError
from verifaible.llm.base import ModelClient
from verifaible.runs.progress import attempt_lost, doing
from verifaible.schema.case import Case
from verifaible.schema.chat import Usage
from verifaible.schema.run import AgentOutcome, ModelEvent, ToolEvent, TrialKey, TrialResult
from verifaible.scoring.failure_reasons import name_failure
from verifaible.scoring.gate import Gate, facts_of, gated_score
from verifaible.scoring.match import expectation, match_answer
from verifaible.scoring.verified import verified_score
from verifaible.store.store import Store

#: How often a trial is started again after the machine failed it.
INFRASTRUCTURE_RETRIES = 2

Watch: TypeAlias = Callable[[str, Case, int, Event | TrialResult], None]


@dataclass(frozen=True, slots=True)
class _Attempted:
    """What came of a trial's attempts: the outcome of the last, and the events of those before it."""

    outcome: AgentOutcome
    boundary_key: str
    attempts: int = 1
    lost: tuple[ModelEvent | ToolEvent, ...] = ()


@dataclass(frozen=True, slots=True)
class Trials:
    """Does trials and scores them.

    Attributes:
        sessions: where the tools are.
        store: where the evidence is, to verify it again.
        outages: of the store, which are waited for.
        gate: which gate the score has.
        spend: writes down and limits what the model calls cost.
        watch: told of every event as it happens.
        recorder: keeps the calls to the models; None: nobody.
        replay: answers them from a recording; None: the models do.
    """

    sessions: Sessions
    store: Store
    outages: Outages
    gate: Gate
    spend: SpendLog
    watch: Watch
    recorder: CallRecorder | None = None
    replay: CallReplay | None = None

    async def run(self, entrant: Entrant, case: Case, trial: int) -> tuple[TrialResult, Transcript]:
        """Do one trial.

        Raises:
            UserError: the store or the disk: no other trial would fare better; or the run may cost no more.
        """
        key = TrialKey(model=entrant.name, case=case.id, trial=trial)
        started = monotonic()
        done = await self._attempts(entrant, case, key)
        duration_s = monotonic() - started
        try:
            score = partial(asyncio.to_thread, self._scored, case, key, done, duration_s)
            with doing("check the evidence"):
                result = await self.outages.outlasted(score)
            self.outages.answered |= bool(done.outcome.citations)
        except UserError:
            raise
        except Exception as failure:  # as in _attempts; unchecked evidence is neither held nor refuted
            error = f"unexpected {type(failure).__name__} while the evidence was checked: {failure}"
            update = {"answer": "", "citations": (), "ended_by": "infrastructure", "error": error}
            outcome = done.outcome.model_copy(update=update)
            done = _Attempted(outcome, done.boundary_key, done.attempts, done.lost)
            result = self._scored(case, key, done, duration_s)
        transcript = Transcript(
            **key.model_dump(),
            question=case.question,
            answer=done.outcome.answer,
            error=done.outcome.error,
            events=done.outcome.events,
            lost_events=done.lost,
            boundary_key=done.boundary_key,
        )
        return result, transcript

    async def _attempts(self, entrant: Entrant, case: Case, key: TrialKey) -> _Attempted:
        lost: list[ModelEvent | ToolEvent] = []
        events: list[ModelEvent | ToolEvent] = []
        error = boundary_key = ""
        attempt = 0

        def watch(event: Event) -> None:
            events.append(event)
            self.watch(key.model, case, key.trial, event)

        for attempt in range(1, INFRASTRUCTURE_RETRIES + 2):
            lost += events
            events.clear()
            boundary_key = self._boundary_key(key)
            agent = entrant.through(partial(self._client, key=key, attempt=attempt))
            try:
                async with self.sessions.session(case.language, boundary_key) as tools:
                    outcome = await agent.run(Task.of(case), tools, watch)
                if tools.held_up and outcome.ended_by == "seconds":
                    raise InfrastructureError("The store was away until the time of the trial was over.")
                return _Attempted(outcome, boundary_key, attempt, tuple(lost))
            except InfrastructureError as failure:
                error = str(failure)
                attempt_lost()
            except UserError:
                raise
            except Exception as failure:  # a fault of ours must cost one trial, not the run
                error = f"unexpected {type(failure).__name__}: {failure}"
                break
        turns = [event for event in events if isinstance(event, ModelEvent)]
        outcome = AgentOutcome(
            answer="",
            rounds=len(turns),
            tool_calls=len(events) - len(turns),
            usage=_usage_of(events),
            events=tuple(events),
            ended_by="infrastructure",
            error=error,
            error_code=InfrastructureError.code,
        )
        return _Attempted(outcome, boundary_key, attempt, tuple(lost))

    def _client(self, client: ModelClient, key: TrialKey, attempt: int) -> ModelClient:
        """The model as one attempt asks it: from a recording, or paid for, and recorded if that is wanted."""
        if self.replay is not None:
            return self.replay.client(key)
        paid: ModelClient = PaidClient(client, self.spend, key, attempt)
        if self.recorder is None:
            return paid
        return self.recorder.wrapped(paid, key, secrets.token_hex(4))

    def _boundary_key(self, key: TrialKey) -> str:
        """A fresh secret, or that of the recorded trial, so that the tools' results read as they did."""
        recorded = self.replay.boundary_key(key) if self.replay is not None else ""
        return recorded or secrets.token_hex(16)

    def _scored(self, case: Case, key: TrialKey, done: _Attempted, duration_s: float) -> TrialResult:
        outcome = done.outcome
        facts = facts_of(case, outcome.answer, outcome.citations)
        verdict = verified_score(case, outcome.answer, evidence_of(outcome.citations, self.store))
        stated = match_answer(outcome.answer, expectation(case), question=case.question).stated
        tools = [event for event in outcome.events if isinstance(event, ToolEvent)]
        return TrialResult(
            **key.model_dump(),
            category=case.category,
            language=case.language,
            difficulty=case.difficulty,
            score=gated_score(facts, self.gate),
            verified=verdict.passed,
            facts=facts,
            verified_reasons=verdict.reasons,
            unreviewed=verdict.unreviewed,
            failure=name_failure(case, outcome, facts, verdict, stated),
            answer=outcome.answer,
            citations=outcome.citations,
            rounds=outcome.rounds,
            tool_calls=outcome.tool_calls,
            **outcome.usage.model_dump(),
            attempts=done.attempts,
            lost_usage=_usage_of(done.lost) if done.lost else None,
            tool_errors=dict(Counter(event.error_code for event in tools if event.error_code)),
            duration_s=round(duration_s, 3),
            ended_by=outcome.ended_by,
            error=outcome.error or None,
            error_code=outcome.error_code,
            served_by=outcome.served_by,
            notes=outcome.notes,
            finished_at=datetime.now(UTC),
        )


def _usage_of(events: Sequence[Event]) -> Usage:
    return sum((event.usage for event in events if isinstance(event, ModelEvent)), Usage())

"""One trial: an isolated session of the tools, as many attempts as the machine needs, and its score."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from time import monotonic
from typing import Protocol, TypeAlias

from verifaible.agent.base import Event, Task
from verifaible.bench.agents import Entrant
from verifaible.bench.run_dir import RunFolder, Transcript
from verifaible.config import Settings
from verifaible.errors import InfrastructureError, UserError
from verifaible.evidence.verify import verify
from verifaible.llm.base import ModelClient
from verifaible.runs.calls import RecordedCall, RecordingClient, ReplayingClient
from verifaible.runs.spend import PaidClient, SpendLog
from verifaible.schema.base import Record
from verifaible.schema.case import Case
from verifaible.schema.chat import ToolSpec, Usage
from verifaible.schema.run import (
    AgentOutcome,
    ModelEvent,
    ToolEvent,
    TrialCitation,
    TrialKey,
    TrialResult,
    VerifiedScore,
)
from verifaible.scoring.failure_reasons import name_failure
from verifaible.scoring.gate import Gate, facts_of, gated_score
from verifaible.scoring.match import expectation, match_answer
from verifaible.scoring.verified import EvidenceFacts, verified_score
from verifaible.store.store import Store
from verifaible.text.delimited import boundaries
from verifaible.tools.toolbox import Toolbox
from verifaible.tools.workspace import RemoteWorkspace

UNSEEN = "Evidence of this trial is not in the store, so it was not verified again."
#: How often a trial is started again after the machine failed it.
INFRASTRUCTURE_RETRIES = 2

Watch: TypeAlias = Callable[[str, Case, int, Event | TrialResult], None]


class Tools(Protocol):
    """What trials need of a workspace."""

    @property
    def store(self) -> Store:
        """Where the evidence is."""

    def toolbox(self, language: str = "") -> Toolbox:
        """The tools of a new session."""
        ...


class TrialDone(Record):
    """What came of a trial: its line, its transcript, and of a repeated one how its requests fitted."""

    result: TrialResult
    transcript: Transcript
    exact: int = 0
    differing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Attempted:
    """What came of a trial's attempts: the outcome of the last, and the events of those before it."""

    outcome: AgentOutcome
    boundary_key: str
    attempts: int = 1
    lost: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class Trials:
    """Does trials over one workspace, and scores them.

    Attributes:
        tools: the workspace.
        entrants: who does them, by name.
        gate: which gate the score has.
        spend: writes down and limits what the model calls cost; None: who asks for the trial does.
        watch: told of every event as it happens.
        replayed: the run whose kept calls answer instead of the models; None: the models do.
    """

    tools: Tools
    entrants: Mapping[str, Entrant]
    gate: Gate
    spend: SpendLog | None = None
    watch: Watch = lambda *_: None
    replayed: RunFolder | None = None

    async def specs(self) -> tuple[ToolSpec, ...]:
        """The tools as models see them."""
        return self.tools.toolbox().specs

    async def run_trial(self, model: str, case: Case, trial: int) -> TrialDone:
        """Do one trial.

        Raises:
            UserError: the store or the disk: no other trial would fare better; or the run may cost no more.
        """
        key = TrialKey(model=model, case=case.id, trial=trial)
        calls: list[RecordedCall] = []
        replaying = self._replaying(key)
        started = monotonic()
        done = await self._attempts(case, key, calls, replaying)
        duration_s = monotonic() - started
        try:
            result = await asyncio.to_thread(self._scored, case, key, done, duration_s)
        except UserError:
            raise
        except Exception as failure:  # as in _attempts; unchecked evidence is neither held nor refuted
            error = f"unexpected {type(failure).__name__} while the evidence was checked: {failure}"
            update = {"answer": "", "citations": (), "ended_by": "infrastructure", "error": error}
            done = _Attempted(
                done.outcome.model_copy(update=update), done.boundary_key, done.attempts, done.lost
            )
            result = self._scored(case, key, done, duration_s)
        transcript = Transcript(
            **key.model_dump(),
            question=case.question,
            answer=done.outcome.answer,
            error=done.outcome.error,
            events=done.outcome.events,
            lost_events=done.lost,
            calls=tuple(calls),
            boundary_key=done.boundary_key,
        )
        fitted = (replaying.exact, tuple(replaying.differing)) if replaying is not None else (0, ())
        return TrialDone(result=result, transcript=transcript, exact=fitted[0], differing=fitted[1])

    async def _attempts(
        self, case: Case, key: TrialKey, calls: list[RecordedCall], replaying: ReplayingClient | None
    ) -> _Attempted:
        lost: list[Event] = []
        events: list[Event] = []
        error = boundary_key = ""
        attempt = 0

        def watch(event: Event) -> None:
            events.append(event)
            self.watch(key.model, case, key.trial, event)

        for attempt in range(1, INFRASTRUCTURE_RETRIES + 2):
            lost += events
            events.clear()
            calls.clear()
            boundary_key = self._boundary_key(key) or secrets.token_hex(16)
            wrapped = partial(self._client, key=key, attempt=attempt, calls=calls, replaying=replaying)
            agent = self.entrants[key.model].through(wrapped)
            try:
                with boundaries(boundary_key):
                    outcome = await agent.run(Task.of(case), self.tools.toolbox(case.language), watch)
                return _Attempted(outcome, boundary_key, attempt, tuple(lost))
            except InfrastructureError as failure:
                error = str(failure)
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
            usage=usage_of(events),
            events=tuple(events),
            ended_by="infrastructure",
            error=error,
            error_code=InfrastructureError.code,
        )
        return _Attempted(outcome, boundary_key, attempt, tuple(lost))

    def _client(
        self,
        client: ModelClient,
        key: TrialKey,
        attempt: int,
        calls: list[RecordedCall],
        replaying: ReplayingClient | None,
    ) -> ModelClient:
        """The model as one attempt asks it: from what was kept, or paid for; its calls are kept."""
        asked: ModelClient = replaying or client
        if replaying is None and self.spend is not None:
            asked = PaidClient(client, self.spend, key, attempt)
        return RecordingClient(asked, calls.append)

    def _replaying(self, key: TrialKey) -> ReplayingClient | None:
        if self.replayed is None:
            return None
        ended = {result.key: result for result in self.replayed.results()}.get(key)
        calls = self.replayed.transcript(key).calls if ended is not None else ()
        timed_out = (ended.error or "It took too long.") if ended and ended.ended_by == "seconds" else ""
        return ReplayingClient(calls, key, timed_out=timed_out)

    def _boundary_key(self, key: TrialKey) -> str:
        """That of the recorded trial, so that its tools' results read as they did; empty: there is none."""
        if self.replayed is None or key not in {result.key for result in self.replayed.results()}:
            return ""
        return self.replayed.transcript(key).boundary_key

    def _scored(self, case: Case, key: TrialKey, done: _Attempted, duration_s: float) -> TrialResult:
        outcome = done.outcome
        tools = [event for event in outcome.events if isinstance(event, ToolEvent)]
        result = TrialResult(
            **key.model_dump(),
            category=case.category,
            score=0,
            verified=False,
            facts=facts_of(case, outcome.answer, outcome.citations),
            answer=outcome.answer,
            citations=outcome.citations,
            rounds=outcome.rounds,
            tool_calls=outcome.tool_calls,
            **outcome.usage.model_dump(),
            attempts=done.attempts,
            lost_usage=usage_of(done.lost) if done.lost else None,
            tool_errors=dict(Counter(event.error_code for event in tools if event.error_code)),
            duration_s=round(duration_s, 3),
            ended_by=outcome.ended_by,
            error=outcome.error or None,
            error_code=outcome.error_code,
            served_by=outcome.served_by,
            notes=outcome.notes,
            finished_at=datetime.now(UTC),
        )
        return scored(result, outcome, case, self.tools.store, self.gate)


def scored(
    result: TrialResult,
    outcome: AgentOutcome,
    case: Case,
    store: Store,
    gate: Gate,
    *,
    lost_evidence: bool = False,
) -> TrialResult:
    """A trial with both of its scores; its evidence is verified again from the store.

    Args:
        result: the trial.
        outcome: what its agent did.
        case: the case, as it is now.
        store: with its citations.
        gate: which gate the score has.
        lost_evidence: the store has not all of it: what cannot be looked at again is neither refuted nor
            held, so the old finding stands as far as the answer is right.

    Raises:
        StoreError: a citation is not in the store, or the store cannot be read.
    """
    facts = facts_of(case, result.answer, result.citations)
    if lost_evidence:
        passed = result.verified and facts.answer_correct
        verdict = VerifiedScore(passed=passed, reasons=() if passed else (*result.verified_reasons, UNSEEN))
    else:
        verdict = verified_score(case, result.answer, evidence_of(result.citations, store))
    stated = match_answer(result.answer, expectation(case), question=case.question).stated
    return result.model_copy(
        update={
            "category": case.category,
            "language": case.language,
            "difficulty": case.difficulty,
            "score": gated_score(facts, gate),
            "verified": verdict.passed,
            "facts": facts,
            "verified_reasons": verdict.reasons,
            "unreviewed": verdict.unreviewed,
            "failure": name_failure(case, outcome, facts, verdict, stated),
        }
    )


def evidence_of(citations: Iterable[TrialCitation], store: Store) -> tuple[EvidenceFacts, ...]:
    """What each citation's capture shows today, without the network; every check goes into its history.

    Raises:
        StoreError: a citation is not in the store, or the store cannot be read.
    """
    facts = []
    for made in citations:
        citation = store.get(made.id)
        again = verify(citation, store)
        store.add_check(again.check)
        facts.append(
            EvidenceFacts(
                number=made.number,
                citation=citation,
                reverified=again.check.verdict == "verified",
                reverify_message=again.check.message,
                visible_text=again.visible_text,
                headers=again.headers,
                unsent=again.unsent,
            )
        )
    return tuple(facts)


def usage_of(events: Sequence[Event]) -> Usage:
    """What the model's turns among events cost."""
    return sum((event.usage for event in events if isinstance(event, ModelEvent)), Usage())


@asynccontextmanager
async def open_trials(
    workspace: RemoteWorkspace,
    entrants: Sequence[Entrant | Callable[[Settings], Entrant]],
    gate: Gate,
    keys: Mapping[str, str],
) -> AsyncIterator[Trials]:
    """What does trials, as a worker of a cluster opens it.

    Args:
        workspace: of the worker.
        entrants: the models, or what opens their clients there.
        gate: which gate the score has.
        keys: variables with the keys of their endpoints.
    """
    os.environ.update(keys)
    async with workspace.opened() as opened:
        made = [each if isinstance(each, Entrant) else each(opened.settings) for each in entrants]
        try:
            yield Trials(opened, {each.name: each for each in made}, gate)
        finally:
            for each in made:
                if each.client is not None:
                    await each.client.aclose()

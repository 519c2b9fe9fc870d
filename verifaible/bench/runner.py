"""Running trials: one isolated session each, scored when it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic

from verifaible import __version__
from verifaible.agent.base import Event, Task
from verifaible.archive.recording import Recorder
from verifaible.bench.agents import Entrant
from verifaible.bench.cases import digest
from verifaible.bench.folder import RunFolder, Transcript
from verifaible.browser.recording import RecordingBrowser
from verifaible.browser.session import Browser
from verifaible.config import Settings
from verifaible.errors import InfrastructureError, RunError, UserError
from verifaible.evidence.collect import Collector
from verifaible.evidence.store import Store
from verifaible.evidence.verify import verify
from verifaible.net.web import Web
from verifaible.schema.case import Case
from verifaible.schema.chat import Usage
from verifaible.schema.citation import WebMode
from verifaible.schema.run import AgentOutcome, ModelEvent, RunInfo, ToolEvent, TrialResult
from verifaible.scoring.gate import Gate, facts_of, gated_score
from verifaible.scoring.verified import EvidenceFacts, verified_score
from verifaible.search.base import SearchBackend
from verifaible.search.choosing import search_for
from verifaible.tools.context import ToolContext
from verifaible.tools.registry import toolbox

#: Where in a run folder ``--web record`` writes its archives, one a site.
RECORDED_SITES = "sites"
#: How often a trial is started again after the machine failed it.
INFRASTRUCTURE_RETRIES = 2

Watch = Callable[[str, Case, int, Event | TrialResult], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run does.

    Attributes:
        entrants: the models.
        cases: in the order they are run.
        trials: how often each model does each case.
        web: where pages come from.
        gate: which gate the score has.
        concurrency: how many trials are under way at once, in one browser.
    """

    entrants: tuple[Entrant, ...]
    cases: tuple[Case, ...]
    trials: int = 1
    web: WebMode = "offline"
    gate: Gate = "answer"
    concurrency: int = 2


class Runner:
    """Runs a plan into a folder."""

    def __init__(self, settings: Settings, plan: Plan, folder: RunFolder, watch: Watch) -> None:
        self._settings = settings
        self._plan = plan
        self._folder = folder
        self._watch = watch
        self._store = Store.open(settings)
        self._recorder = Recorder(settings.secrets)
        self._web = self._open_web()
        self._stopped: RunError | None = None
        self._answering: set[str] = set()

    def _open_web(self) -> Web:
        if self._plan.web == "offline":
            return Web.offline(self._settings)
        if self._plan.web == "record":
            return Web.record(self._settings, self._recorder)
        return Web.live(self._settings)

    async def run(self) -> RunInfo:
        """Run every trial and write ``run.json`` and ``results.jsonl``, and what was recorded.

        Raises:
            RunError: a model's endpoint gave nothing at all; what was finished is kept.
            StoreError: the recording cannot be written.
        """
        info = RunInfo(
            id=self._folder.path.name,
            started_at=datetime.now(UTC),
            version=__version__,
            models=tuple(entrant.name for entrant in self._plan.entrants),
            web=self._plan.web,
            gate=self._plan.gate,
            cases={case.id: digest(case) for case in self._plan.cases},
            settings={"trials": self._plan.trials, "concurrency": self._plan.concurrency},
        )
        self._folder.write_info(info)
        search = search_for(self._web.searching())
        try:
            kind = RecordingBrowser if self._plan.web == "record" else Browser
            async with kind(self._settings, offline=self._plan.web == "offline") as browser:
                await self._all(browser, search)
            if self._stopped is not None:
                raise self._stopped
            info = info.model_copy(update={"finished_at": datetime.now(UTC)})
            self._folder.write_info(info)
            if self._recorder.sites:
                sites = self._folder.path / RECORDED_SITES
                await asyncio.to_thread(self._recorder.write, sites, signer=self._store.signer)
        finally:
            self._recorder.close()
            for entrant in self._plan.entrants:
                if entrant.client is not None:
                    await entrant.client.aclose()
        return info

    async def _all(self, browser: Browser, search: SearchBackend) -> None:
        places = asyncio.Semaphore(self._plan.concurrency)
        context = ToolContext(
            settings=self._settings,
            web=self._web,
            browser=browser,
            collector=Collector(self._settings, self._web, browser, self._store),
            search=search,
        )

        async def one(entrant: Entrant, case: Case, trial: int) -> None:
            async with places:
                if self._stopped is not None:
                    return
                try:
                    await self._trial(context, entrant, case, trial)
                except UserError as error:  # the store or the disk: no other trial would fare better
                    self._stopped = RunError(str(error))

        async with asyncio.TaskGroup() as group:
            for entrant in self._plan.entrants:
                for trial in range(1, self._plan.trials + 1):
                    for case in self._plan.cases:
                        group.create_task(one(entrant, case, trial))

    async def _trial(self, context: ToolContext, entrant: Entrant, case: Case, trial: int) -> None:
        started = monotonic()
        outcome = await self._attempts(context, entrant, case, trial)
        duration_s = monotonic() - started
        try:
            result = await asyncio.to_thread(self._scored, entrant.name, case, trial, outcome, duration_s)
        except UserError:
            raise
        except Exception as failure:  # as in _attempts; unchecked evidence is neither held nor refuted
            error = f"unexpected {type(failure).__name__} while the evidence was checked: {failure}"
            update = {"answer": "", "citations": (), "ended_by": "infrastructure", "error": error}
            outcome = outcome.model_copy(update=update)
            result = self._scored(entrant.name, case, trial, outcome, duration_s)
        transcript = Transcript(
            model=entrant.name,
            case=case.id,
            trial=trial,
            question=case.question,
            answer=outcome.answer,
            error=outcome.error,
            events=outcome.events,
        )
        self._folder.add(result, transcript)
        self._watch(entrant.name, case, trial, result)
        if outcome.rounds:
            self._answering.add(entrant.name)
        if outcome.ended_by == "model_error" and entrant.name not in self._answering:
            # Not one answer so far: every other trial would end the same way, only slower.
            self._stopped = RunError(f"{outcome.error} The finished trials are in {self._folder.path}.")

    async def _attempts(self, context: ToolContext, entrant: Entrant, case: Case, trial: int) -> AgentOutcome:
        events: list[ModelEvent | ToolEvent] = []
        error = ""

        def watch(event: Event) -> None:
            events.append(event)
            self._watch(entrant.name, case, trial, event)

        for _ in range(INFRASTRUCTURE_RETRIES + 1):
            try:
                return await entrant.agent.run(Task.of(case), toolbox(context), watch)
            except InfrastructureError as failure:
                error = str(failure)
            except UserError:
                raise
            except Exception as failure:  # a fault of ours must cost one trial, not the run
                error = f"unexpected {type(failure).__name__}: {failure}"
                break
        turns = [event for event in events if isinstance(event, ModelEvent)]
        return AgentOutcome(
            answer="",
            rounds=len(turns),
            tool_calls=len(events) - len(turns),
            usage=sum((turn.usage for turn in turns), Usage()),
            events=tuple(events),
            ended_by="infrastructure",
            error=error,
        )

    def _scored(
        self, model: str, case: Case, trial: int, outcome: AgentOutcome, duration_s: float
    ) -> TrialResult:
        facts = facts_of(case, outcome.answer, outcome.citations)
        verdict = verified_score(case, outcome.answer, self._evidence(outcome))
        return TrialResult(
            model=model,
            case=case.id,
            category=case.category,
            trial=trial,
            score=gated_score(facts, self._plan.gate),
            verified=verdict.passed,
            facts=facts,
            verified_reasons=verdict.reasons,
            answer=outcome.answer,
            citations=outcome.citations,
            rounds=outcome.rounds,
            tool_calls=outcome.tool_calls,
            input_tokens=outcome.usage.input_tokens,
            cached_input_tokens=outcome.usage.cached_input_tokens,
            output_tokens=outcome.usage.output_tokens,
            cost_usd=outcome.usage.cost_usd,
            duration_s=round(duration_s, 3),
            ended_by=outcome.ended_by,
            error=outcome.error or None,
            finished_at=datetime.now(UTC),
        )

    def _evidence(self, outcome: AgentOutcome) -> Sequence[EvidenceFacts]:
        """Every citation of the trial, verified again from its capture, without the network."""
        facts = []
        for made in outcome.citations:
            citation = self._store.get(made.id)
            again = verify(citation, self._store)
            self._store.add_check(again.check)
            facts.append(
                EvidenceFacts(
                    number=made.number,
                    citation=citation,
                    reverified=again.check.verdict == "verified",
                    reverify_message=again.check.message,
                    visible_text=again.visible_text,
                    headers=again.headers,
                )
            )
        return facts

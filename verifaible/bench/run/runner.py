"""Running a plan: every trial once, side by side, into a folder that can be continued after a kill."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from verifaible.agent.loop import prompt
from verifaible.archive.recording import Recorder
from verifaible.bench.cases.load import digest
from verifaible.bench.run.agents import Entrant
from verifaible.bench.run.calls import CallRecorder, CallReplay
from verifaible.bench.run.folder import RunFolder, RunPrompt
from verifaible.bench.run.plan import Plan, differences, lock
from verifaible.bench.run.spend import SpendLog
from verifaible.bench.run.trials import Trials, Watch
from verifaible.bench.run.workshop import Outages, Sessions, Workshop, open_workshop
from verifaible.config import Settings
from verifaible.errors import RunError, StoreError, UserError
from verifaible.llm.retry import RetryPolicy
from verifaible.runs.executor import Executor, Local, to_its_end
from verifaible.runs.progress import Progress, Tracker
from verifaible.schema.case import Case
from verifaible.schema.chat import ToolSpec
from verifaible.schema.run import ReplayedCalls, RunInfo, TrialResult
from verifaible.scoring.published import was_asked
from verifaible.search.live import SECRETS
from verifaible.store.store import Store
from verifaible.tools.workspace import RemoteWorkspace, open_workspace
from verifaible.version import __version__

#: Endings of a trial after which a continued run does it again: the machine or the endpoint was to blame.
_DONE_AGAIN = ("infrastructure", "model_error")
#: Errors of an endpoint that would come again, because they are about what was said.
_LASTING = ("content_refused", "context_overflow")
#: How often who looks at the folder from elsewhere sees something new.
_WRITTEN_EVERY_S = 3


class Runner:
    """Runs a plan into a folder, or what is left of it.

    Args:
        settings: limits and paths.
        plan: what to run.
        folder: where to; one that holds a run of the same plan is continued.
        watch: told of every event as it happens.
        told: told each second how far the run is.
        replay: recorded calls that answer instead of the models.
        options: what the command line was given, to continue the run by.
    """

    def __init__(
        self,
        settings: Settings,
        plan: Plan,
        folder: RunFolder,
        watch: Watch,
        *,
        told: Callable[[Progress], None] = lambda _: None,
        replay: CallReplay | None = None,
        options: dict[str, Any] | None = None,
    ) -> None:
        self._settings = settings
        self._plan = plan
        self._folder = folder
        self._watch = watch
        self._told = told
        self._replay = replay
        self._options = options or {}
        self._store = Store.open(settings)
        self._recorder = Recorder(settings.secrets)
        self._archives: tuple[Path, ...] = ()
        if plan.web == "offline":
            self._archives = plan.archives or settings.archives
        self._stopped: RunError | None = None
        self._answering: set[str] = set()
        self._outages = Outages(RetryPolicy(total_s=settings.retry_s))

    async def run(self) -> RunInfo:
        """Run every trial that is not finished; write ``run.json``, ``results.jsonl`` and what was recorded.

        What was recorded is written however the run ends, so that what its pages cost is not lost: all
        visits that had ended, each whole.

        Raises:
            RunError: a model's endpoint gave nothing at all, the run may cost no more, or the folder holds
                a run of another plan; what was finished is kept.
            StoreError: the recording cannot be written.
        """
        try:
            with self._folder.held():
                async with self._recorded(), self._executor() as executor:
                    return await self._all(executor)
        finally:
            self._recorder.close()
            self._store.close()
            for entrant in self._plan.entrants:
                if entrant.client is not None:
                    await entrant.client.aclose()

    def _executor(self) -> Executor:
        if self._plan.workers is None:
            return Local(self._workshop, self._plan.concurrency)
        if self._plan.web == "record":
            raise RunError(
                "--web record writes one archive of all trials, so it runs in one process. Leave "
                "--executor out."
            )
        archives = self._archives if self._plan.web == "offline" else None
        remote = RemoteWorkspace.of(self._settings, self._store, archives, needs=SECRETS)
        return self._plan.workers(partial(open_workshop, remote))

    @asynccontextmanager
    async def _workshop(self) -> AsyncIterator[Workshop]:
        async with open_workspace(
            self._settings,
            self._plan.web,
            archives=self._archives,
            recorder=self._recorder,
            store=self._store,
            warm=True,
        ) as workspace:
            yield Workshop(workspace.context)

    @asynccontextmanager
    async def _recorded(self) -> AsyncIterator[None]:
        """Write what was recorded, however the run ends: an interrupted one, too."""
        try:
            yield
        except RunError as stopped:
            try:
                await self._write_recording()
            except StoreError as error:
                raise RunError(f"{stopped} {error}") from stopped
            raise
        except BaseException:
            await self._write_recording()
            raise
        await self._write_recording()

    async def _write_recording(self) -> None:
        """Write one archive a site into the run's folder; nothing if nothing was recorded."""
        if self._recorder.sites:
            sites = self._folder.new_sites()
            await asyncio.to_thread(self._recorder.write, sites, signer=self._store.signer)

    async def _all(self, executor: Executor) -> RunInfo:
        sessions = Sessions(executor, self._outages)
        info = self._begin(await sessions.specs())
        plan, folder = self._plan, self._folder
        keys = plan.trial_keys()
        finished = {result.key for result in folder.results() if not _is_done_again(result)}
        tracker = Tracker(len(keys), done=len(finished))
        trials = Trials(
            sessions=sessions,
            store=self._store,
            outages=self._outages,
            gate=plan.gate,
            spend=SpendLog(folder.spend_path, plan.most_cost_usd),
            watch=self._watch,
            recorder=CallRecorder(folder.path) if plan.record_calls else None,
            replay=self._replay,
        )
        entrants = {entrant.name: entrant for entrant in plan.entrants}
        cases = {case.id: case for case in plan.cases}
        left = iter([key for key in keys if key not in finished])

        async def one_after_the_other() -> None:
            for key in left:
                if self._stopped is not None:
                    return
                try:
                    with tracker.task(f"{key.model} {key.case} trial {key.trial}"):
                        result = await self._trial(trials, entrants[key.model], cases[key.case], key.trial)
                    tracker.ended(failed=_is_done_again(result))
                except UserError as error:  # the store, the disk, the money: no other trial would fare better
                    self._stopped = RunError(str(error))

        # as many tasks as places, however many trials there are
        async with self._telling(tracker, executor, trials.spend), asyncio.TaskGroup() as group:
            for _ in range(sessions.at_once):
                group.create_task(one_after_the_other())
        if self._stopped is not None:
            raise self._stopped
        replayed = None
        if self._replay is not None:
            exact, differing = self._replay.exact, len(self._replay.differing)
            replayed = ReplayedCalls(run=self._replay.run.path.name, exact=exact, differing=differing)
        info = info.model_copy(update={"finished_at": datetime.now(UTC), "replayed": replayed})
        folder.write_info(info)
        return info

    @asynccontextmanager
    async def _telling(self, tracker: Tracker, executor: Executor, spend: SpendLog) -> AsyncIterator[None]:
        """Tell each second how far the run is, and write it down every few, and at the end."""

        def progress() -> Progress:
            return tracker.progress(
                cost_usd=spend.cost_usd,
                workers=executor.workers,
                answering=executor.answering,
                dashboard=executor.dashboard,
            )

        ended = asyncio.Event()

        async def tell() -> None:
            for second in count():
                over = ended.is_set()
                self._told(now := progress())
                if over or second % _WRITTEN_EVERY_S == 0:
                    with suppress(RunError):  # what cannot be written ends the trials, which say so
                        await asyncio.to_thread(self._folder.write_progress, now)
                if over:
                    return
                with suppress(TimeoutError):
                    async with asyncio.timeout(1):
                        await ended.wait()

        telling = asyncio.create_task(tell())
        try:
            yield
        finally:
            ended.set()
            await telling

    def _begin(self, tools: tuple[ToolSpec, ...]) -> RunInfo:
        """Write ``run.json`` and ``prompt.json``, or check that they are those of this plan."""
        plan, folder = self._plan, self._folder
        locked = lock(plan, tools, self._archives)
        if folder.begun:
            before = folder.info()
            if changed := differences(before.locked, locked):
                raise RunError(
                    f"{folder.path} cannot be continued, because the run would not be the same:\n  "
                    + "\n  ".join(changed)
                    + "\nUndo these changes, or start a new run."
                )
            resumed_at = (*before.resumed_at, datetime.now(UTC))
            info = before.model_copy(update={"resumed_at": resumed_at, "finished_at": None})
        else:
            info = RunInfo(
                id=folder.path.name,
                started_at=datetime.now(UTC),
                version=__version__,
                models=tuple(entrant.name for entrant in plan.entrants),
                web=plan.web,
                gate=plan.gate,
                cases={case.id: digest(case) for case in plan.cases},
                settings={"trials": plan.trials, "concurrency": plan.concurrency},
                options=self._options,
                limits=plan.limits.model_dump(mode="json"),
                locked=locked,
                beside_published=plan.published
                or all(was_asked(case.question, case.answer) for case in plan.cases),
            )
            folder.write_prompt(RunPrompt(system=plan.system, task=prompt("task.md"), tools=tools))
        folder.write_info(info)
        return info

    async def _trial(self, trials: Trials, entrant: Entrant, case: Case, trial: int) -> TrialResult:
        result, transcript = await trials.run(entrant, case, trial)
        # off the loop: the disk must not hold up the other trials
        await to_its_end(partial(self._folder.add, result, transcript))
        self._watch(entrant.name, case, trial, result)
        if result.rounds:
            self._answering.add(entrant.name)
        endpoint_failed = result.ended_by == "model_error" and result.error_code not in _LASTING
        if endpoint_failed and entrant.name not in self._answering:
            # Not one answer so far: every other trial would end the same way, only slower.
            self._stopped = RunError(f"{result.error} The finished trials are in {self._folder.path}.")
        return result


def _is_done_again(result: TrialResult) -> bool:
    return result.ended_by in _DONE_AGAIN and result.error_code not in _LASTING

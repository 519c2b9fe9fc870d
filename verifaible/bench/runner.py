"""Running a plan: every trial once, side by side, into a folder that can be continued after a kill."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from verifaible.agent.loop import prompt, system_prompt
from verifaible.archive.recording import Recorder
from verifaible.bench.agents import Entrant, entrant, replayed_entrant
from verifaible.bench.cases import digest, load_cases, select
from verifaible.bench.config import Plan, RunConfig, differences, lock
from verifaible.bench.published import was_asked
from verifaible.bench.run_dir import RunFolder, RunPrompt
from verifaible.bench.trial import TrialDone, Trials, Watch, open_trials
from verifaible.config import Settings
from verifaible.errors import InfrastructureError, RunError, StoreError, UserError
from verifaible.runs.executor import Executor, Local, to_its_end
from verifaible.runs.on_ray import executor_of
from verifaible.runs.progress import Progress
from verifaible.runs.spend import SpendLog
from verifaible.schema.case import Case
from verifaible.schema.chat import ToolSpec, Usage
from verifaible.schema.run import ReplayedCalls, RunInfo, TrialKey, TrialResult
from verifaible.search.live import SECRETS
from verifaible.store.store import Store
from verifaible.tools.workspace import RemoteWorkspace, open_workspace
from verifaible.version import __version__

#: Endings of a trial after which a continued run does it again: the machine or the endpoint was to blame.
_DONE_AGAIN: Final = ("infrastructure", "model_error")
#: Errors of an endpoint that would come again, because they are about what was said.
_LASTING: Final = ("content_refused", "context_overflow")
#: How often who looks at the folder from elsewhere sees something new.
_WRITTEN_EVERY_S: Final = 3.0


class Runner:
    """Runs a plan into a folder, or what is left of it.

    Args:
        settings: limits and paths.
        plan: what to run.
        folder: where to; one that holds a run of the same plan is continued.
        watch: told of every event as it happens; on a cluster, of every finished trial.
        progress: called every few seconds, and at the end, with how far the run is.
        replayed: the run whose kept calls answer instead of the models.
        options: what the command line was given, to continue the run by.
    """

    def __init__(
        self,
        settings: Settings,
        plan: Plan,
        folder: RunFolder,
        watch: Watch,
        *,
        progress: Callable[[Progress], None] = lambda _: None,
        replayed: RunFolder | None = None,
        options: dict[str, Any] | None = None,
    ) -> None:
        self._settings = settings
        self._plan = plan
        self._folder = folder
        self._watch = watch
        self._progress = progress
        self._replayed = replayed
        self._options = options or {}
        self._store = Store.open(settings)
        self._recorder = Recorder(settings.secrets)
        self._archives = (plan.archives or settings.archives) if plan.web == "offline" else ()
        self._spend = SpendLog(folder.spend_path, plan.most_cost_usd)
        self._entrants = {each.name: each for each in plan.entrants}
        self._stopped: RunError | None = None
        self._answering: set[str] = set()
        self._done: list[TrialDone] = []

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
        except asyncio.CancelledError:
            kept = f"Finished trials are kept in {self._folder.path}."
            warnings.warn(
                f"{kept} `verifaible bench --resume {self._folder.path.name}` goes on.", stacklevel=2
            )
            raise
        finally:
            self._recorder.close()
            self._store.close()
            for each in self._plan.entrants:
                if each.client is not None:
                    await each.client.aclose()

    def _executor(self) -> Executor:
        plan = self._plan
        if plan.workers is None:
            return Local(self._here, plan.concurrency)
        if plan.web == "record":
            raise RunError(
                "--web record writes one archive of all trials, so it runs in one process. Leave "
                "--executor out."
            )
        if self._replayed is not None:
            raise RunError("A run is repeated in one process. Leave --executor out.")
        archives = self._archives if plan.web == "offline" else None
        remote = RemoteWorkspace.of(self._settings, self._store, archives, needs=SECRETS)
        if any(each.again is not None for each in plan.entrants):  # the models are asked there
            own = remote.settings.model_copy(update={"api_key": self._settings.api_key})
            remote = replace(remote, settings=own)
        keys = dict(each.key for each in plan.entrants if each.key[1])
        sent = [each.again or each for each in plan.entrants]
        return plan.workers(partial(open_trials, remote, sent, plan.gate, keys))

    @asynccontextmanager
    async def _here(self) -> AsyncIterator[Trials]:
        async with open_workspace(
            self._settings,
            self._plan.web,
            archives=self._archives,
            recorder=self._recorder,
            store=self._store,
            warm=True,
        ) as workspace:
            yield Trials(workspace, self._entrants, self._plan.gate, self._spend, self._watch, self._replayed)

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
        info = self._begin(await executor.call("specs"))
        keys = self._plan.trial_keys()
        finished = {result.key for result in self._folder.results() if not _is_done_again(result)}
        cases = {case.id: case for case in self._plan.cases}
        left = iter([key for key in keys if key not in finished])

        async def one_after_the_other() -> None:
            for key in left:
                if self._stopped is not None:
                    return
                try:
                    await self._trial(executor, key, cases[key.case])
                except InfrastructureError as error:
                    self._stopped = RunError(f"{error} The finished trials are kept: continue with --resume.")
                except UserError as error:  # the store, the disk, the money: no other trial would fare better
                    self._stopped = RunError(str(error))

        # as many tasks as places, however many trials there are
        async with self._progress_shown(len(keys), len(finished)), asyncio.TaskGroup() as group:
            for _ in range(executor.at_once):
                group.create_task(one_after_the_other())
        if self._stopped is not None:
            raise self._stopped
        replayed = None
        if self._replayed is not None:
            replayed = ReplayedCalls(
                run=self._replayed.path.name,
                exact=sum(each.exact for each in self._done),
                differing=sum(len(each.differing) for each in self._done),
            )
        info = info.model_copy(update={"finished_at": datetime.now(UTC), "replayed": replayed})
        self._folder.write_info(info)
        return info

    @asynccontextmanager
    async def _progress_shown(self, total: int, before: int) -> AsyncIterator[None]:
        """Tell and write every few seconds how far the run is, and at its end."""

        async def show() -> None:
            failed = sum(_is_done_again(each.result) for each in self._done)
            now = Progress(
                total=total, done=before + len(self._done), failed=failed, cost_usd=self._spend.cost_usd
            )
            self._progress(now)
            with suppress(RunError):  # what cannot be written ends the trials, which say so
                await asyncio.to_thread(self._folder.write_progress, now)

        async def keep_showing() -> None:
            while True:
                await show()
                await asyncio.sleep(_WRITTEN_EVERY_S)

        showing = asyncio.create_task(keep_showing())
        try:
            yield
        finally:
            showing.cancel()
            with suppress(asyncio.CancelledError):
                await showing
            await show()

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
                models=tuple(self._entrants),
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

    async def _trial(self, executor: Executor, key: TrialKey, case: Case) -> None:
        elsewhere = self._plan.workers is not None and self._entrants[key.model].again is not None
        if elsewhere:
            self._spend.require_left()
        line = self._spend.begin(key, 1) if elsewhere else None
        done: TrialDone = await executor.call("run_trial", key.model, case, key.trial)
        result = done.result
        if line is not None:
            self._spend.end(line, _usage(result) + (result.lost_usage or Usage()))
        # off the loop: the disk must not hold up the other trials
        await to_its_end(partial(self._folder.add, result, done.transcript))
        self._done.append(done)
        self._watch(key.model, case, key.trial, result)
        if result.rounds:
            self._answering.add(key.model)
        endpoint_failed = result.ended_by == "model_error" and result.error_code not in _LASTING
        if endpoint_failed and key.model not in self._answering:
            # Not one answer so far: every other trial would end the same way, only slower.
            self._stopped = RunError(f"{result.error} The finished trials are in {self._folder.path}.")


def _usage(result: TrialResult) -> Usage:
    return Usage(**{name: getattr(result, name) for name in Usage.model_fields})


def _is_done_again(result: TrialResult) -> bool:
    return result.ended_by in _DONE_AGAIN and result.error_code not in _LASTING


# --- from options to a run


@dataclass(frozen=True, slots=True)
class Prepared:
    """A run that can begin: its settings, plan and folder.

    Attributes:
        settings: those of the run.
        plan: what is run.
        folder: where to.
        options: what ``run.json`` keeps of the options.
        replayed: the run whose kept calls answer instead of the models.
    """

    settings: Settings
    plan: Plan
    folder: RunFolder
    options: dict[str, Any]
    replayed: RunFolder | None = None

    def runner(self, watch: Watch, progress: Callable[[Progress], None] = lambda _: None) -> Runner:
        """Who runs it; arguments are those of :class:`Runner`."""
        return Runner(
            self.settings,
            self.plan,
            self.folder,
            watch,
            progress=progress,
            replayed=self.replayed,
            options=self.options,
        )

    @property
    def unlike(self) -> tuple[str, ...]:
        """The trials of a repeated run that were not scored as in the recorded one."""
        if self.replayed is None:
            return ()
        now = {result.key: (result.score, result.verified) for result in self.folder.results()}
        return tuple(
            f"{was.model} {was.case} trial {was.trial}: {_score(was.score, was.verified)} -> "
            + (_score(*now[was.key]) if was.key in now else "not run")
            for was in self.replayed.results()
            if now.get(was.key) != (was.score, was.verified)
        )


def _score(score: int, verified: bool) -> str:
    return f"{score}, {'verified' if verified else 'not verified'}"


def prepare(settings: Settings, config: RunConfig, given: Collection[str] = ()) -> Prepared:
    """Plan a run and make its folder.

    Args:
        settings: limits and paths.
        config: its options.
        given: the names of those that were given; the others have their defaults.

    Raises:
        RunError: the run cannot be continued or repeated.
        CaseError, UnknownModel, MissingKey: the options cannot be followed.
    """
    replayed = None
    if config.resumed is not None:
        config = config.as_before(given, RunFolder(config.resumed).info(), "continued")
    elif config.replayed is not None:
        replayed = RunFolder(config.replayed)
        # the clock is not repeated: where it ended a trial, the recorded calls end it
        config = config.as_before(given, replayed.info(), "repeated").model_copy(update={"max_seconds": None})
        if not any(replayed.transcript(each.key).calls for each in replayed.results()):
            raise RunError(f"{replayed.path} has no recorded calls: none of its agents asked a model.")
    if config.base_url and "base_url" not in given:
        settings = settings.model_copy(update={"base_url": config.base_url})
    plan = _plan(settings, config, replayed)
    if config.resumed is not None:
        folder = RunFolder(config.resumed)
    else:
        folder = RunFolder.create(
            config.output or settings.runs_dir, tuple(each.name for each in plan.entrants)
        )
    return Prepared(settings, plan, folder, config.kept(), replayed)


def _plan(settings: Settings, config: RunConfig, replayed: RunFolder | None) -> Plan:
    cases = select(
        load_cases(config.source or settings.cases_dir, settings.cases_dir),
        ids=config.ids,
        categories=config.categories,
        tags=config.tags,
        limit=config.limit,
    )
    system = system_prompt(config.prompt, config.max_rounds)
    entrants = tuple(
        entrant(name, settings, config.limits, config.api, provider=config.provider, system=system)
        if replayed is None
        else replayed_entrant(name, config.limits, system)
        for name in dict.fromkeys(config.models)
    )
    if replayed is None and (config.max_cost is not None or config.max_run_cost is not None):
        _require_prices(entrants)
    mode, archives = config.mode, None
    if replayed is not None and mode != "offline":
        mode, archives = "offline", replayed.recorded_archives
        if not archives:
            raise RunError(
                f"{replayed.path} was made on the live web and kept no pages, so it cannot be repeated "
                "without the network. Record runs with --web record, or use --web offline."
            )
    if mode == "offline" and archives is None:
        settings.require_archives()
    return Plan(
        entrants=entrants,
        cases=cases,
        trials=config.trials,
        web=mode,
        gate=config.gate,
        concurrency=config.concurrency,
        limits=config.limits,
        most_cost_usd=config.max_run_cost,
        system=system,
        published=config.published,
        archives=archives,
        workers=executor_of(config.executor, config.workers, places=config.concurrency),
    )


def _require_prices(entrants: Collection[Entrant]) -> None:
    for each in entrants:
        if not each.priced:
            raise RunError(
                f"What {each.name} costs is not known here, so a limit in US dollars would never end "
                "anything. Leave the limit out, or use --max-tokens."
            )

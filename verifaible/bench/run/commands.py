"""What ``verifaible bench`` does when it runs: from the options to a finished run folder."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

import click

from verifaible.agent.base import Event
from verifaible.agent.loop import Limits, system_prompt
from verifaible.bench.cases.load import load_cases, select
from verifaible.bench.run.agents import Entrant, entrant, replayed_entrant
from verifaible.bench.run.calls import CallReplay
from verifaible.bench.run.folder import RunFolder
from verifaible.bench.run.plan import Plan
from verifaible.bench.run.runner import Runner
from verifaible.bench.run.trials import Watch
from verifaible.config import Settings
from verifaible.errors import RunError
from verifaible.llm.catalogue import BUILT_IN, Api
from verifaible.runs.executing import executor_of
from verifaible.runs.on_terminal import showing
from verifaible.runs.progress import Progress
from verifaible.schema.case import Case
from verifaible.schema.citation import WebMode
from verifaible.schema.run import RunInfo, TrialResult
from verifaible.scoring.gate import Gate

#: Options that say how a run is carried out, not what it is: they may change when it is continued.
_FREE = frozenset(
    {
        "concurrency",
        "executor",
        "workers",
        "max_run_cost",
        "output",
        "as_json",
        "resumed",
        "replayed",
        "base_url",
    }
)


@dataclass(frozen=True, slots=True)
class Options:
    """The options of the command line, as they were given; the names are those of its parameters."""

    models: tuple[str, ...] = ()
    source: Path | None = None
    ids: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    limit: int | None = None
    web: str | None = None
    gate: str = "answer"
    trials: int = 1
    concurrency: int = 2
    executor: str = "local"
    workers: int = 0
    max_rounds: int = 30
    max_tokens: int | None = None
    max_seconds: float | None = None
    max_cost: float | None = None
    max_run_cost: float | None = None
    base_url: str | None = None
    api: str | None = None
    provider: tuple[str, ...] = ()
    prompt: str = "full"
    published: bool = False
    record_calls: bool = False
    replayed: Path | None = None
    resumed: Path | None = None
    output: Path | None = None
    as_json: bool = False

    @property
    def limits(self) -> Limits:
        """What ends a trial."""
        return Limits(
            rounds=self.max_rounds,
            tokens=self.max_tokens,
            seconds=self.max_seconds,
            cost_usd=self.max_cost,
        )

    def kept(self) -> dict[str, Any]:
        """What ``run.json`` keeps of them: all that a continued run must have again."""
        kept: dict[str, Any] = {}
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name not in _FREE and value != each.default:
                kept[each.name] = str(value) if isinstance(value, Path) else value
        if self.base_url:
            kept["base_url"] = _without_password(self.base_url)
        return kept


@dataclass(frozen=True, slots=True)
class Ran:
    """A run that has ended.

    Attributes:
        folder: where it is.
        unlike: the trials of a repeated run that were not scored as in the recorded one; None where no run
            was repeated.
    """

    folder: RunFolder
    unlike: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """A run that can begin: its settings, plan and folder.

    Attributes:
        settings: those of the run.
        plan: what is run.
        folder: where to.
        options: what ``run.json`` keeps of the options.
        replay: recorded calls that answer instead of the models.
    """

    settings: Settings
    plan: Plan
    folder: RunFolder
    options: dict[str, Any]
    replay: CallReplay | None = None

    def runner(self, watch: Watch, told: Callable[[Progress], None] = lambda _: None) -> Runner:
        """Who runs it; ``watch`` is told of every event, ``told`` each second how far it is."""
        return Runner(
            self.settings,
            self.plan,
            self.folder,
            watch,
            told=told,
            replay=self.replay,
            options=self.options,
        )


def run(settings: Settings, options: Options, given: Collection[str]) -> Ran:
    """Run the bench, continue a run, or repeat one from its recorded calls, and tell how it goes.

    Args:
        settings: limits and paths.
        options: of the command line.
        given: the names of those that were given there; the others have their defaults.

    Raises:
        RunError: the run cannot be continued or repeated, or ended early; the message says what is kept.
        CaseError, UnknownModel, MissingKey: the options cannot be followed.
    """
    prepared = prepare(settings, options, given)
    folder = prepared.folder
    try:
        _with_progress(prepared)
    except KeyboardInterrupt:
        click.echo(f"Finished trials are kept in {folder.path}. Continue with --resume.", err=True)
        raise
    finally:
        for archive in folder.recorded_archives:
            click.echo(f"Recorded: {archive}", err=True)
    return Ran(folder, _unlike(prepared.replay.run, folder) if prepared.replay is not None else None)


def prepare(settings: Settings, options: Options, given: Collection[str] = ()) -> Prepared:
    """Plan a run and make its folder; arguments and errors are those of :func:`run`."""
    replay = None
    if options.resumed is not None:
        folder = RunFolder(options.resumed)
        options = _as_before(options, given, folder.info(), "continued")
    elif options.replayed is not None:
        recorded = RunFolder(options.replayed)
        # the clock is not repeated: where it ended a trial, the recorded calls end it
        options = replace(_as_before(options, given, recorded.info(), "repeated"), max_seconds=None)
        replay = CallReplay(recorded)
    if options.base_url and "base_url" not in given:
        settings = settings.model_copy(update={"base_url": options.base_url})
    plan = _plan(settings, options, replay)
    if options.resumed is None:
        names = tuple(each.name for each in plan.entrants)
        folder = RunFolder.create(options.output or settings.runs_dir, names)
    return Prepared(settings, plan, folder, options.kept(), replay)


def _unlike(recorded: RunFolder, repeated: RunFolder) -> tuple[str, ...]:
    """The trials that were not scored as before."""
    now = {result.key: (result.score, result.verified) for result in repeated.results()}
    return tuple(
        f"{was.model} {was.case} trial {was.trial}: {_score(was.score, was.verified)} -> "
        + (_score(*now[was.key]) if was.key in now else "not run")
        for was in recorded.results()
        if now.get(was.key) != (was.score, was.verified)
    )


def _score(score: int, verified: bool) -> str:
    return f"{score}, {'verified' if verified else 'not verified'}"


def _as_before(options: Options, given: Collection[str], info: RunInfo, what: str) -> Options:
    """The options of an earlier run; those given now may only say how it is carried out.

    Raises:
        RunError: an option is given that would change what the run is.
    """
    known = {each.name: each for each in fields(Options)}
    before = {name: value for name, value in info.options.items() if name in known}
    changed = []
    for name in sorted(set(given) - _FREE):
        now, was = _plain(getattr(options, name)), _plain(before.get(name, known[name].default))
        if now != was:
            changed.append(f"{name}: {was} -> {now}")
    if changed:
        raise RunError(
            f"A run is {what} with its own settings, and these differ: {'; '.join(changed)}. Leave them out, "
            "or start a new run."
        )
    if not before.get("models"):
        raise RunError(f"The run {info.id} does not say how it was started. Start a new one.")
    for name, value in before.items():
        before[name] = tuple(value) if isinstance(value, list) else value
    if "source" in before:
        before["source"] = Path(before["source"])
    free = {name: getattr(options, name) for name in _FREE if name in given}
    return replace(Options(resumed=options.resumed, replayed=options.replayed), **{**before, **free})


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else str(value) if isinstance(value, Path) else value


def _plan(settings: Settings, options: Options, replay: CallReplay | None) -> Plan:
    names = tuple(dict.fromkeys(options.models))
    cases = select(
        load_cases(options.source or settings.cases_dir, settings.cases_dir),
        ids=options.ids,
        categories=options.categories,
        tags=options.tags,
        limit=options.limit,
    )
    system = system_prompt(options.prompt, options.max_rounds)
    if replay is not None:
        entrants = tuple(replayed_entrant(name, options.limits, system) for name in names)
    else:
        api = cast(Api | None, options.api)
        entrants = tuple(
            entrant(name, settings, options.limits, api, provider=options.provider, system=system)
            for name in names
        )
    if replay is None and (options.max_cost is not None or options.max_run_cost is not None):
        _require_prices(entrants)
    web, archives = _web(options, replay)
    if web == "offline" and archives is None:
        settings.require_archives()
    return Plan(
        entrants=entrants,
        cases=cases,
        trials=options.trials,
        web=web,
        gate=cast(Gate, options.gate),
        concurrency=options.concurrency,
        limits=options.limits,
        most_cost_usd=options.max_run_cost,
        record_calls=options.record_calls,
        system=system,
        published=options.published,
        archives=archives,
        workers=executor_of(options.executor, options.workers, places=options.concurrency),
    )


def _web(options: Options, replay: CallReplay | None) -> tuple[WebMode, tuple[Path, ...] | None]:
    """Where pages come from, and which archives where they are not the committed ones."""
    chosen = options.web or ("offline" if all(name in BUILT_IN for name in options.models) else "live")
    if replay is None or chosen == "offline":
        return cast(WebMode, chosen), None
    archives = replay.run.recorded_archives
    if not archives:
        raise RunError(
            f"{replay.run.path} was made on the live web and kept no pages, so it cannot be repeated without "
            "the network. Record runs with --web record, or use --web offline."
        )
    return "offline", archives


def _with_progress(prepared: Prepared) -> None:
    """Run the plan, and show on standard error how it goes."""
    with showing() as shown:

        def watch(model: str, case: Case, trial: int, event: Event | TrialResult) -> None:
            if isinstance(event, TrialResult):
                mark = "verified" if event.verified else "not verified"
                said = f"{model}  {case.id}  {event.score}  {mark}  {event.duration_s:.1f} s"
                shown.ended(f"{said}  {event.error or ''}".rstrip(), event.error or "")

        asyncio.run(prepared.runner(watch, shown.tell).run())


def _require_prices(entrants: Collection[Entrant]) -> None:
    for each in entrants:
        if not each.priced:
            raise RunError(
                f"What {each.name} costs is not known here, so a limit in US dollars would never end "
                "anything. Leave the limit out, or use --max-tokens."
            )


def _without_password(url: str) -> str:
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()

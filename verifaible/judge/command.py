"""What ``verifaible judge`` does when it runs: from the options to a finished folder with its reports."""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Any, cast

import click

from verifaible.config import Settings
from verifaible.errors import ConfigError, RunError
from verifaible.evidence.sources import SourceTexts, plain
from verifaible.factcheck.judges import NLI
from verifaible.factcheck.nli.entailment import SURE, Entailment
from verifaible.judge.folder import INFO, JudgeFolder
from verifaible.judge.inputs.read import Loaded, read_input
from verifaible.judge.own_answers import own_file, read_own
from verifaible.judge.protocols.reviewer import JudgeReviewer
from verifaible.judge.report import TABLES, write_outputs
from verifaible.judge.run import Plan, Watch, judge_answers
from verifaible.llm.catalogue import Api
from verifaible.llm.opening import open_model
from verifaible.llm.replies import REPLIES, replies_of
from verifaible.llm.voting import Judge
from verifaible.reporting.outcomes import without_unjudged
from verifaible.reporting.tables import Table
from verifaible.runs.lines import usable
from verifaible.schema.analyst import AnalystAnswer, InputFault
from verifaible.schema.judged import JudgeInfo, Protocol
from verifaible.store.store import Store
from verifaible.version import __version__


@dataclass(frozen=True, slots=True)
class Options:
    """The options of the command line, as they were given; the names are those of its parameters.

    Attributes:
        rules: no option: without rules a judge is asked about every claim, to measure what they save.
    """

    protocols: tuple[Protocol, ...]
    file: Path
    judge_name: str | None = None
    offline: bool = False
    models: tuple[str, ...] = ()
    traces: Path | None = None
    sources: Path | None = None
    limit: int | None = None
    claims_by: str = "rules"
    rules: bool = True
    repeats: int = 1
    concurrency: int = 4
    max_cost: float | None = None
    base_url: str | None = None
    api: str | None = None
    output: Path | None = None
    as_json: bool = False


def run(settings: Settings, options: Options) -> JudgeFolder:
    """Judge an input into a new folder, and write its reports.

    Raises:
        ConfigError: the options contradict each other.
        UnknownModel: there is no such judge, or the input has no such model.
        MissingKey: the judge needs a key that is not set.
        RunError: the input cannot be read, or the folder cannot be written.
        StoreError: the store cannot be read or written.
    """
    _check(options)
    parent = options.output or settings.judged_dir
    # The judge first: a name that does not exist should not cost the reading of an input.
    judge: Judge | Entailment | None = None
    if options.judge_name == NLI:
        judge = Entailment.open(settings)
    elif options.judge_name:
        judge = _opened_judge(settings, options, parent)
    store = Store.open(settings)
    try:
        return asyncio.run(_run(options, store, parent, judge))
    finally:
        store.close()


def _check(options: Options) -> None:
    if options.offline and options.judge_name:
        raise ConfigError("--offline asks no model, and --judge names one. Leave out one of the two.")
    if not options.offline and not options.judge_name:
        raise ConfigError("Name a judge with --judge MODEL, or let the rules decide alone with --offline.")
    if options.claims_by == "judge" and options.judge_name in (None, NLI):
        raise ConfigError("--claims judge needs a judge that writes: name one with --judge MODEL.")


async def _run(
    options: Options,
    store: Store,
    parent: Path,
    judge: Judge | Entailment | None,
) -> JudgeFolder:
    try:
        loaded = await asyncio.to_thread(_loaded, options, store)
        folder = JudgeFolder.create(parent, options.file.stem or options.file.name)
        await _judged(options, store, folder, loaded, judge)
    finally:
        if isinstance(judge, Judge):
            await judge.aclose()
    write_outputs(folder)
    return folder


def _loaded(options: Options, store: Store) -> Loaded:
    own = own_file(options.file) if options.sources is None else None
    if own is not None:
        return read_own(own, options.models)
    return read_input(
        options.file, store=store, traces=options.traces, models=options.models, sources=options.sources
    )


async def _judged(
    options: Options,
    store: Store,
    folder: JudgeFolder,
    loaded: Loaded,
    judge: Judge | Entailment | None,
) -> None:
    """Judge answers into a folder; what a stop leaves of it says that it did not end."""
    answers = loaded.answers[: options.limit]
    notes = _kin(judge, answers) if isinstance(judge, Judge) else []
    info = _info(folder, options, judge, loaded.faults)
    folder.write_info(_noted(info, notes))
    for line in (*(fault.message for fault in loaded.faults), *notes):
        click.echo(line, err=True)
    # All models of the input, also those that are not judged now: an answer may name another.
    names = {answer.model for answer in loaded.answers}
    reviewer = JudgeReviewer(judge, names) if isinstance(judge, Judge) else None
    plan = Plan(options.protocols, options.rules, options.claims_by == "judge")
    finished = None
    try:
        faults = await judge_answers(
            answers,
            folder,
            SourceTexts(store),
            plan,
            reviewer=reviewer,
            local=judge if isinstance(judge, Entailment) else None,
            watch=_progress(),
        )
        notes += faults
        for fault in faults:
            click.echo(fault, err=True)
        finished = datetime.now(UTC)
    except asyncio.CancelledError:
        click.echo(
            f"Stopped. What was judged is in {folder.path}; replies of a judge are kept, so that the same "
            "command goes on from there.",
            err=True,
        )
        raise
    finally:
        if isinstance(judge, Judge) and reviewer is not None:
            notes += _left_to_rules(reviewer, answers)
            info = _spent(info, judge)
        folder.write_info(_noted(info, notes).model_copy(update={"finished_at": finished}))


def _opened_judge(settings: Settings, options: Options, parent: Path) -> Judge:
    assert options.judge_name is not None
    api = cast("Api | None", options.api)
    return Judge(
        open_model(options.judge_name, settings, api, temperature=0.0).client,
        replies_of(settings, parent / REPLIES),
        name=options.judge_name,
        repeats=options.repeats,
        concurrency=options.concurrency,
        max_cost_usd=options.max_cost,
    )


def _info(
    folder: JudgeFolder, options: Options, judge: Judge | Entailment | None, faults: Sequence[InputFault]
) -> JudgeInfo:
    settings: dict[str, Any] = {
        "claims": options.claims_by,
        "limit": options.limit,
        "models": list(options.models),
        "traces": plain(options.traces.name) if options.traces else "",
        "sources": plain(options.sources.name) if options.sources else "",
        "input_faults": [fault.model_dump(mode="json") for fault in faults],
    }
    if isinstance(judge, Entailment):
        settings |= {"judge": judge.model.files.identity(), "threshold": SURE}
    elif judge is not None:
        settings |= {
            "judge": judge.identity.model_dump(mode="json"),
            "prompts_sha256": _prompts_digest(),
            "concurrency": options.concurrency,
            "max_cost_usd": options.max_cost,
        }
    return JudgeInfo(
        id=folder.path.name,
        started_at=datetime.now(UTC),
        version=__version__,
        input=plain(options.file.name),
        input_sha256=_digest(options.file),
        protocols=options.protocols,
        judge=judge.name if judge is not None else "",
        repeats=options.repeats,
        deterministic=options.rules,
        settings=settings,
    )


def _spent(info: JudgeInfo, judge: Judge) -> JudgeInfo:
    """What was spent now, and beside it what the replies of the cache had cost when they came."""
    spending = judge.spending
    return info.model_copy(
        update={
            "usage": spending.usage,
            "calls": spending.calls,
            "cached_calls": spending.cached_calls,
            "settings": {**info.settings, "cached_usage": spending.cached_usage.model_dump(mode="json")},
        }
    )


def _noted(info: JudgeInfo, notes: Sequence[str]) -> JudgeInfo:
    return info.model_copy(update={"settings": {**info.settings, "notes": list(notes)}})


def _kin(judge: Judge, answers: Sequence[AnalystAnswer]) -> list[str]:
    """What a reader must know of the judge and each of the models."""
    notes = []
    for model in dict.fromkeys(answer.model for answer in answers):
        if said := judge.barred(model):
            notes.append(f"{model}: not judged by {judge.name}. {said}")
        elif said := judge.doubts(model):
            notes.append(f"{model}: {said}")
    return notes


def _left_to_rules(reviewer: JudgeReviewer, answers: Sequence[AnalystAnswer]) -> list[str]:
    """What of each answer the judge could not split, or said that is not in it."""
    notes = []
    for answer in answers:
        split = reviewer.splits.get(answer.id)
        if split is None:
            continue
        about = f"Claims of {answer.model}, “{answer.query[:80]}”:"
        undone = [vote for vote in split.votes if vote.outcome != "decided"]
        if undone:
            why = next((each for vote in undone if (each := vote.fault or vote.reason)), "no usable reply")
            notes.append(f"{about} {len(undone)} of {len(split.votes)} parts were split by rules ({why}).")
        if split.read.faults:
            first = split.read.faults[0].message
            notes.append(
                f"{about} {len(split.read.faults)} of the judge's claims were not taken as given "
                f"(the first: {first}); {split.read.filled} claims come from the rules."
            )
    return notes


def _prompts_digest() -> str:
    """SHA-256 over the judge's instructions, by name: other words make another judge."""
    texts = resources.files("verifaible.judge").joinpath("prompts")
    digest = hashlib.sha256()
    for each in sorted(texts.iterdir(), key=lambda each: each.name):
        digest.update(each.name.encode() + b"\0" + each.read_bytes() + b"\0")
    return digest.hexdigest()


def _digest(path: Path) -> str:
    """SHA-256 of an input file; of the folder of a run, of its results or answers."""
    file = own_file(path) or path / "results.jsonl" if path.is_dir() else path
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _progress() -> Watch | None:
    if not sys.stderr.isatty():
        return None
    return lambda done, total: click.echo(f"{done} of {total} answers", err=True)


def find_folder(settings: Settings, name: str) -> JudgeFolder:
    """A folder of judging: a path, the name of one under ``judged``, or ``latest``.

    Raises:
        RunError: there is none.
    """
    parent = settings.judged_dir
    if name == "latest":
        there = (path for path in parent.glob(f"*/{INFO}") if not path.parent.is_symlink())
        found = sorted(there, key=_in_order)
        if found:
            return JudgeFolder(found[-1].parent)
        raise RunError(
            f"Nothing was judged in {parent} yet. Start with verifaible judge all INPUT --offline."
        )
    for path in (Path(name), parent / name):
        if name and (path / INFO).is_file():
            return JudgeFolder(path)
    raise RunError(
        f"{name or 'An empty name'} is not a folder of judged answers: there is no {INFO} in it. Give the "
        "folder that the command printed, or latest."
    )


def _in_order(info: Path) -> tuple[str, float]:
    """Folders begin with their time; of one second, the one that was written last is the latest."""
    return info.parent.name[:16], info.stat().st_mtime


def show(folder: JudgeFolder, *, as_json: bool) -> None:
    """Print the tables of a folder whose reports were just written, and on standard error what a reader must
    know before them.

    Raises:
        RunError: the folder has no ``tables.json``, or it is damaged.
    """
    path = folder.path / TABLES
    with usable(path):
        said = json.loads(path.read_bytes())
        tables = [Table.model_validate(each) for each in said["tables"]]
    show_tables(tables, as_json=as_json, told=said["warnings"])


def show_tables(tables: Sequence[Table], *, as_json: bool, told: Sequence[str] = ()) -> None:
    """Print tables, as text or as JSON, and on standard error what a reader must know before them.

    Args:
        tables: in order; as text, what was not judged is left out of them.
        as_json: whether as JSON.
        told: by default what was left out.
    """
    if as_json:
        click.echo(json.dumps([table.as_json() for table in tables], ensure_ascii=False, indent=2))
    else:
        kept, unjudged = without_unjudged(tables)
        told = told or unjudged
        for table in kept:
            click.echo(table.as_text())
    for line in told:
        click.echo(line, err=True)

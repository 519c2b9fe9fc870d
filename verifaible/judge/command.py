"""What ``verifaible judge`` does when it runs: from the options to a finished folder with its reports."""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import click

from verifaible.config import Settings
from verifaible.errors import ConfigError, RunError
from verifaible.evidence.sources import SourceTexts
from verifaible.evidence.store import Store
from verifaible.judge.asking import Judge, JudgeOptions, open_judge
from verifaible.judge.cells import Table
from verifaible.judge.folder import INFO, JudgeFolder
from verifaible.judge.inputs.read import read_input
from verifaible.judge.protocols.reviewer import JudgeReviewer
from verifaible.judge.reply_cache import ReplyCache
from verifaible.judge.report import write_outputs
from verifaible.judge.run import Plan, Watch, judge_answers
from verifaible.judge.tables import tables_of
from verifaible.llm.catalogue import Api
from verifaible.schema.judged import JudgeInfo, Protocol
from verifaible.version import __version__

#: Where replies of judges are kept, beside the folders of judging: several runs share them.
CACHE = ".replies"


@dataclass(frozen=True, slots=True)
class Options:
    """The options of the command line, as they were given; the names are those of its parameters."""

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
    same_family: bool = False
    retry_failed: bool = False
    base_url: str | None = None
    api: str | None = None
    output: Path | None = None
    as_json: bool = False


def run(settings: Settings, options: Options) -> JudgeFolder:
    """Judge an input into a new folder, and write its reports.

    Raises:
        ConfigError: the options contradict each other, or the input cannot be read.
        RunError: the folder cannot be written.
        StoreError: the store cannot be read or written.
    """
    _check(options)
    store = Store.open(settings)
    try:
        return asyncio.run(_run(settings, options, store))
    finally:
        store.close()


def _check(options: Options) -> None:
    if options.offline and options.judge_name:
        raise ConfigError("--offline asks no model, and --judge names one. Leave out one of the two.")
    if not options.offline and not options.judge_name:
        raise ConfigError("Name a judge with --judge MODEL, or let the rules decide alone with --offline.")
    if options.claims_by == "judge" and not options.judge_name:
        raise ConfigError("--claims judge needs a judge: name one with --judge MODEL.")
    if not options.rules and not options.judge_name:
        raise ConfigError("--no-rules leaves everything to a judge: name one with --judge MODEL.")


async def _run(settings: Settings, options: Options, store: Store) -> JudgeFolder:
    loaded = await asyncio.to_thread(
        read_input,
        options.file,
        store=store,
        traces=options.traces,
        models=options.models,
        sources=options.sources,
    )
    for fault in loaded.faults:
        click.echo(fault.message, err=True)
    answers = loaded.answers[: options.limit]
    parent = options.output or settings.judged_dir
    judge = _opened_judge(settings, options, parent) if options.judge_name else None
    folder = JudgeFolder.create(parent, options.file.stem or options.file.name)
    info = _info(folder, options, judge)
    folder.write_info(info)
    try:
        names = {answer.model for answer in loaded.answers}
        reviewer = JudgeReviewer(judge, names) if judge is not None else None
        plan = Plan(options.protocols, options.rules, options.claims_by == "judge")
        await judge_answers(answers, folder, SourceTexts(store), plan, reviewer=reviewer, watch=_progress())
    finally:
        if judge is not None:
            await judge.aclose()
            info = _spent(info, judge)
            folder.write_info(info)
    folder.write_info(info.model_copy(update={"finished_at": datetime.now(UTC)}))
    write_outputs(folder)
    return folder


def _opened_judge(settings: Settings, options: Options, parent: Path) -> Judge:
    assert options.judge_name is not None
    asked = JudgeOptions(
        api=cast("Api | None", options.api),
        repeats=options.repeats,
        concurrency=options.concurrency,
        max_cost_usd=options.max_cost,
        same_family=options.same_family,
        retry_failed=options.retry_failed,
    )
    return open_judge(options.judge_name, settings, ReplyCache(parent / CACHE), asked)


def _info(folder: JudgeFolder, options: Options, judge: Judge | None) -> JudgeInfo:
    settings: dict[str, Any] = {
        "claims": options.claims_by,
        "limit": options.limit,
        "models": list(options.models),
        "same_family": options.same_family,
    }
    if judge is not None:
        settings |= judge.identity.model_dump(mode="json")
    return JudgeInfo(
        id=folder.path.name,
        started_at=datetime.now(UTC),
        version=__version__,
        input=options.file.name,
        input_sha256=_digest(options.file),
        protocols=options.protocols,
        judge=judge.name if judge is not None else "",
        repeats=options.repeats,
        deterministic=options.rules,
        settings=settings,
    )


def _spent(info: JudgeInfo, judge: Judge) -> JudgeInfo:
    spending = judge.spending
    return info.model_copy(
        update={
            "usage": spending.usage,
            "calls": spending.calls,
            "cached_calls": spending.cached_calls,
        }
    )


def _digest(path: Path) -> str:
    """SHA-256 of an input file; of the folder of a run, of its results."""
    file = path / "results.jsonl" if path.is_dir() else path
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
        found = sorted(parent.glob(f"*/{INFO}"), key=lambda path: path.parent.name)
        if found:
            return JudgeFolder(found[-1].parent)
        raise RunError(
            f"Nothing was judged in {parent} yet. Start with verifaible judge all INPUT --offline."
        )
    for path in (Path(name), parent / name):
        if (path / INFO).is_file():
            return JudgeFolder(path)
    raise RunError(
        f"{name} is no folder of judging: there is no {INFO} in it. Give the folder that the command named, "
        "or latest."
    )


def show(folder: JudgeFolder, *, as_json: bool) -> None:
    """Print the tables of a folder."""
    show_tables(tables_of(folder), as_json=as_json)


def show_tables(tables: Sequence[Table], *, as_json: bool) -> None:
    """Print tables, as text or as JSON."""
    if as_json:
        click.echo(json.dumps([table.as_json() for table in tables], ensure_ascii=False, indent=2))
        return
    for table in tables:
        click.echo(table.as_text())

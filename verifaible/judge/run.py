"""What ``verifaible judge run`` does: from the options to a finished folder with its reports."""

from __future__ import annotations

import asyncio
import hashlib
import sys
from collections.abc import Sequence
from contextlib import aclosing, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Any, Literal

import click

from verifaible.config import Settings
from verifaible.errors import ConfigError
from verifaible.evidence.sources import SourceTexts, plain
from verifaible.factcheck.judges import NLI
from verifaible.factcheck.nli.entailment import SURE, Entailment
from verifaible.judge.answers import Judging
from verifaible.judge.folder import JudgeFolder
from verifaible.judge.load import Loaded, input_file, read_input
from verifaible.judge.report import write_outputs
from verifaible.llm.opening import open_model
from verifaible.llm.replies import REPLIES, replies_of
from verifaible.llm.voting import Judge
from verifaible.schema.analyst import AnalystAnswer
from verifaible.schema.judged import PROTOCOLS, JudgeInfo, Protocol
from verifaible.store.store import Store
from verifaible.version import __version__

__all__ = ["PROTOCOLS", "Options", "run"]


@dataclass(frozen=True, slots=True)
class Options:
    """The options of the command line, as they were given; the names are those of its parameters.

    ``split``: who splits answers into claims; by default the judge model where there is one.
    """

    file: Path
    protocols: tuple[Protocol, ...] = PROTOCOLS
    judge_name: str | None = None
    offline: bool = False
    models: tuple[str, ...] = ()
    traces: Path | None = None
    sources: Path | None = None
    limit: int | None = None
    split: Literal["rules", "model"] | None = None
    repeats: int = 1
    max_cost: float | None = None
    output: Path | None = None

    @property
    def split_by_model(self) -> bool:
        """Whether the judge model splits answers into claims."""
        return self.split != "rules" and self.judge_name not in (None, NLI)


def run(settings: Settings, options: Options) -> JudgeFolder:
    """Judge an input into a new folder, and write its reports.

    Raises:
        ConfigError: the options contradict each other.
        UnknownModel: there is no such judge, or the input has no such model.
        MissingKey: the judge needs a key that is not set.
        RunError: the input cannot be read, or the folder cannot be written.
        StoreError: the store cannot be read or written.
    """
    if options.offline and options.judge_name:
        raise ConfigError("--offline asks no model, and --judge names one. Leave out one of the two.")
    if not options.offline and not options.judge_name:
        raise ConfigError("Name a judge with --judge MODEL, or let the rules decide alone with --offline.")
    if options.split == "model" and not options.split_by_model:
        raise ConfigError("--split model needs a judge that writes: name one with --judge MODEL.")
    parent = options.output or settings.judged_dir
    # The judge first: a name that does not exist should not cost the reading of an input.
    judge: Judge | Entailment | None = None
    if options.judge_name == NLI:
        judge = Entailment.open(settings)
    elif options.judge_name:
        judge = Judge(
            open_model(options.judge_name, settings, temperature=0.0).client,
            replies_of(settings, parent / REPLIES),
            name=options.judge_name,
            repeats=options.repeats,
            max_cost_usd=options.max_cost,
        )
    store = Store.open(settings)
    try:
        folder = asyncio.run(_judged(options, store, judge, parent))
    finally:
        store.close()
    write_outputs(folder)
    return folder


async def _judged(
    options: Options, store: Store, judge: Judge | Entailment | None, parent: Path
) -> JudgeFolder:
    """Judge answers into a new folder; what a stop leaves of it says that it did not end."""
    model = judge if isinstance(judge, Judge) else None
    async with aclosing(model) if model else nullcontext():
        loaded = await asyncio.to_thread(
            read_input,
            options.file,
            store=store,
            traces=options.traces,
            models=options.models,
            sources=options.sources,
        )
        answers = loaded.answers[: options.limit]
        folder = JudgeFolder.create(parent, options.file.stem or options.file.name)
        info = _info(options, folder, judge, loaded)
        notes = _kin(model, answers) if model else []
        folder.write_info(_ended(info, model, notes, None))
        _tell(*(fault.message for fault in loaded.faults), *notes)
        judging = Judging(
            SourceTexts(store),
            options.protocols,
            model,
            # All models of the input, also those that are not judged now: an answer may name another.
            {answer.model for answer in loaded.answers},
            options.split_by_model,
            judge if isinstance(judge, Entailment) else None,
        )
        watch = (lambda done, of: _tell(f"{done} of {of} answers")) if sys.stderr.isatty() else None
        finished = None
        try:
            await judging.into(folder, answers, watch)
            finished = datetime.now(UTC)
        except asyncio.CancelledError:
            _tell(
                f"Stopped. What was judged is in {folder.path}; replies of a judge are kept, so that the "
                "same command goes on from there."
            )
            raise
        finally:
            _tell(*judging.notes)
            folder.write_info(_ended(info, model, [*notes, *judging.notes], finished))
    return folder


def _info(
    options: Options, folder: JudgeFolder, judge: Judge | Entailment | None, loaded: Loaded
) -> JudgeInfo:
    settings: dict[str, Any] = {
        "claims": "judge" if options.split_by_model else "rules",
        "limit": options.limit,
        "models": list(options.models),
        "traces": plain(options.traces.name) if options.traces else "",
        "sources": plain(options.sources.name) if options.sources else "",
        "input_faults": [fault.model_dump(mode="json") for fault in loaded.faults],
    }
    if isinstance(judge, Entailment):
        settings |= {"judge": judge.model.files.identity(), "threshold": SURE}
    elif judge is not None:
        settings |= {
            "judge": judge.identity.model_dump(mode="json"),
            "prompts_sha256": _prompts_digest(),
            "max_cost_usd": options.max_cost,
        }
    with input_file(options.file).open("rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    return JudgeInfo(
        id=folder.path.name,
        started_at=datetime.now(UTC),
        version=__version__,
        input=plain(options.file.name),
        input_sha256=digest,
        protocols=options.protocols,
        judge=judge.name if judge is not None else "",
        repeats=options.repeats,
        settings=settings,
    )


def _ended(
    info: JudgeInfo, judge: Judge | None, notes: Sequence[str], finished: datetime | None
) -> JudgeInfo:
    """With its notes, what was spent, and what cached replies had cost when they came."""
    said: dict[str, Any] = {"finished_at": finished, "settings": {**info.settings, "notes": list(notes)}}
    if judge is not None:
        spent = judge.spending
        said["settings"]["cached_usage"] = spent.cached_usage.model_dump(mode="json")
        said |= {"usage": spent.usage, "calls": spent.calls, "cached_calls": spent.cached_calls}
    return info.model_copy(update=said)


def _tell(*lines: str) -> None:
    for line in lines:
        click.echo(line, err=True)


def _kin(judge: Judge, answers: Sequence[AnalystAnswer]) -> list[str]:
    """What a reader must know of the judge and each of the models."""
    notes = []
    for model in dict.fromkeys(answer.model for answer in answers):
        if said := judge.barred(model):
            notes.append(f"{model}: not judged by {judge.name}. {said}")
        elif said := judge.doubts(model):
            notes.append(f"{model}: {said}")
    return notes


def _prompts_digest() -> str:
    """SHA-256 over the judge's instructions, by name: other words make another judge."""
    digest = hashlib.sha256()
    for package in ("verifaible.judge", "verifaible.factcheck"):
        texts = resources.files(package).joinpath("prompts")
        for each in sorted(texts.iterdir(), key=lambda each: each.name):
            digest.update(each.name.encode() + b"\0" + each.read_bytes() + b"\0")
    return digest.hexdigest()

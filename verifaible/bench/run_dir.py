"""The folder of a run: ``run.json``, ``results.jsonl``, a transcript for each trial, the ledger, the report.

A trial's transcript is moved into place whole and its line in ``results.jsonl`` ends with a line
break: after a kill, a line without one is not read, and a transcript without a line neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import quote

from pydantic import Field

from verifaible.errors import RunError
from verifaible.runs.calls import RecordedCall
from verifaible.runs.folder import held, new_folder
from verifaible.runs.lines import Lines, usable, write_whole
from verifaible.runs.progress import Progress
from verifaible.runs.spend import Spend, SpendLine, spent
from verifaible.schema.base import Record
from verifaible.schema.chat import ToolSpec
from verifaible.schema.run import ModelEvent, RunInfo, ToolEvent, TrialKey, TrialResult

#: Where in a run folder ``--web record`` writes its archives, one a site.
RECORDED_SITES: Final = "sites"
RecordT = TypeVar("RecordT", bound=Record)


class RunPrompt(Record):
    """What every conversation of a run begins with: the system prompt, the task's template, the tools."""

    system: str
    task: str
    tools: tuple[ToolSpec, ...]


class Transcript(Record):
    """Everything that happened in one trial, and what it takes to repeat it without its model.

    Attributes:
        events: of the attempt that counts.
        lost_events: of attempts that the machine failed.
        calls: what the model was asked in the attempt that counts, as digests, and what it answered.
        boundary_key: what the boundaries around the web's text were drawn from.
    """

    model: str
    case: str
    trial: int
    question: str
    answer: str
    error: str = ""
    events: tuple[ModelEvent | ToolEvent, ...] = ()
    lost_events: tuple[ModelEvent | ToolEvent, ...] = ()
    calls: tuple[RecordedCall, ...] = ()
    boundary_key: str = Field("", repr=False)


class RunFolder:
    """One run on disk.

    Args:
        path: the folder.
        whole: a damaged line of results is an error, and not passed over with a warning.
    """

    def __init__(self, path: Path, *, whole: bool = False) -> None:
        self.path = path
        self.spend_path = path / "spend.jsonl"
        self._results = Lines(path / "results.jsonl", TrialResult, sparse=False, alone=not whole)

    @classmethod
    def create(cls, runs: Path, models: tuple[str, ...]) -> RunFolder:
        """A new folder under ``runs``, named by the time and the models.

        Raises:
            RunError: it cannot be made.
        """
        path = new_folder(runs, "+".join(re.sub(r"[^A-Za-z0-9.-]+", "-", model) for model in models)[:60])
        with usable(path):
            (path / "trials").mkdir()
        return cls(path)

    def held(self) -> AbstractContextManager[None]:
        """Keep the folder for this process; :class:`~verifaible.errors.RunError` where another has it."""
        return held(self.path)

    # --- written

    def write_info(self, info: RunInfo) -> None:
        """Write ``run.json``."""
        self._write("run.json", info.model_dump_json(indent=2))

    def write_prompt(self, prompt: RunPrompt) -> None:
        """Write ``prompt.json``."""
        self._write("prompt.json", prompt.model_dump_json(indent=1))

    def write_progress(self, progress: Progress) -> None:
        """Write ``progress.json``: how far the run is, for who looks at it from elsewhere."""
        self._write("progress.json", progress.model_dump_json(indent=2))

    def write_report(self, text: str) -> Path:
        """Write ``report.md``."""
        return self._write("report.md", text)

    def add(self, result: TrialResult, transcript: Transcript) -> None:
        """Keep a finished trial: its transcript first, then its line.

        Raises:
            RunError: the disk is full or the folder is gone; nothing of the line is left.
        """
        self._write(_transcript_name(result.key), transcript.model_dump_json(indent=1))
        self._results.add(result, durable=True)

    def new_sites(self) -> Path:
        """A folder for archives that is not there yet: a continued run has one for each session."""
        path, number = self.path / RECORDED_SITES, 1
        while path.exists():
            number += 1
            path = self.path / f"{RECORDED_SITES}-{number}"
        return path

    def _write(self, name: str, text: str) -> Path:
        write_whole(self.path / name, text)
        return self.path / name

    # --- read; each raises RunError where a file is damaged

    @property
    def begun(self) -> bool:
        """Whether a run has begun here."""
        return (self.path / "run.json").is_file()

    def info(self) -> RunInfo:
        """What ``run.json`` says.

        Raises:
            RunError: it is not there or damaged.
        """
        path = self.path / "run.json"
        if not path.exists() and (self.path / "trials").is_dir():
            raise RunError(
                f"{self.path} is empty: its run ended before anything of it was kept. Delete it, and start a "
                "new run."
            )
        with usable(path):
            return RunInfo.model_validate_json(path.read_bytes())

    def results(self) -> tuple[TrialResult, ...]:
        """The finished trials, in the order they finished; of one that was repeated, the last.

        Warns:
            DamagedLine: a line is damaged: its trial is not finished.
        """
        return tuple(last_of_each(self._results))

    def each_result(self) -> Iterable[TrialResult]:
        """The lines of ``results.jsonl``, of which only one is held."""
        return self._results

    def transcript(self, key: TrialKey) -> Transcript:
        """The transcript of a finished trial."""
        path = self.path / _transcript_name(key)
        with usable(path):
            return Transcript.model_validate_json(path.read_bytes())

    def transcripts(self) -> tuple[Transcript, ...]:
        """The transcripts of the finished trials, in the order of ``results``."""
        return tuple(self.transcript(result.key) for result in self.results())

    def prompt(self) -> RunPrompt | None:
        """What the conversations began with; None where the run is older than this file."""
        return self._optional("prompt.json", RunPrompt)

    def progress(self) -> Progress | None:
        """How far the run is, or was when it ended; None where it does not say so."""
        return self._optional("progress.json", Progress)

    def spend(self) -> dict[str, Spend]:
        """What each model has cost in this run, with the trials that a kill or the machine lost."""
        lines: dict[str, list[SpendLine]] = {}
        for line in Lines(self.spend_path, SpendLine):
            lines.setdefault(line.model, []).append(line)
        return {model: spent(each) for model, each in lines.items()}

    @property
    def recorded_archives(self) -> tuple[Path, ...]:
        """What the run recorded, an archive a site; of a continued run those of each of its sessions."""
        if not self.path.is_dir():
            return ()
        sites = [each for each in self.path.iterdir() if each.name.startswith(RECORDED_SITES)]
        archives = [each for folder in sites for each in folder.iterdir() if each.name.endswith(".wacz")]
        return tuple(sorted(archives, key=lambda each: (each.parent.name, each.name)))

    def _optional(self, name: str, kind: type[RecordT]) -> RecordT | None:
        path = self.path / name
        with usable(path):
            return kind.model_validate_json(path.read_bytes()) if path.is_file() else None


def last_of_each(results: Iterable[TrialResult]) -> list[TrialResult]:
    """Of each trial the last line: one that was repeated counts as it ended then."""
    found: dict[TrialKey, TrialResult] = {}
    for result in results:
        found.pop(result.key, None)
        found[result.key] = result
    return list(found.values())


def find_run(name: str, runs: Path) -> Path:
    """The folder of a run: a path, the name of a folder under ``runs``, or ``latest``.

    Raises:
        RunError: there is none.
    """
    if name == "latest":
        folders = [each for each in runs.iterdir() if not each.is_symlink()] if runs.is_dir() else []
        for folder in sorted(folders, key=lambda each: each.name, reverse=True):
            if (folder / "run.json").is_file():
                return folder
        raise RunError(f"There is no run in {runs}. Start one with verifaible bench --model oracle.")
    if (given := Path(name)).is_dir():
        return given  # what is missing in it is said where it is read
    if (runs / name).is_dir() and not (runs / name).is_symlink():
        return runs / name
    raise RunError(
        f"{name} is not a run folder: it has no run.json. Give the folder that the bench printed, or latest."
    )


def _transcript_name(key: TrialKey) -> str:
    # percent-encoded, so that the models a/b and a-b do not share a file
    return f"trials/{quote(key.model, safe='')}--{key.case}--{key.trial}.json"

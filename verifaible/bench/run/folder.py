"""The folder of a run: ``run.json``, ``results.jsonl``, a transcript for each trial, the report.

A trial's transcript is moved into place whole and its line in ``results.jsonl`` ends with a line
break: after a kill, a line without one is not read, and a transcript without a line neither.
"""

from __future__ import annotations

import re
from contextlib import AbstractContextManager
from pathlib import Path
from urllib.parse import quote

from pydantic import Field

from verifaible.bench.run.spend import Spend, SpendLine, spent
from verifaible.errors import RunError
from verifaible.runs.folder import held, new_folder
from verifaible.runs.lines import Lines, usable, write_whole
from verifaible.runs.progress import Progress
from verifaible.schema.base import Record
from verifaible.schema.chat import ToolSpec
from verifaible.schema.run import ModelEvent, RunInfo, ToolEvent, TrialKey, TrialResult

#: Where in a run folder ``--record-calls`` keeps requests to models and their answers.
CALLS = "calls"
#: Where in a run folder ``--web record`` writes its archives, one a site.
RECORDED_SITES = "sites"


class RunPrompt(Record):
    """What every conversation of a run begins with: the system prompt, the task's template, the tools."""

    system: str
    task: str
    tools: tuple[ToolSpec, ...]


class Transcript(Record):
    """Everything that happened in one trial.

    ``lost_events`` are those of attempts that the machine failed. ``boundary_key`` is what the boundaries
    around the web's text were drawn from; a repeated trial needs it.
    """

    model: str
    case: str
    trial: int
    question: str
    answer: str
    error: str = ""
    events: tuple[ModelEvent | ToolEvent, ...] = ()
    lost_events: tuple[ModelEvent | ToolEvent, ...] = ()
    boundary_key: str = Field("", repr=False)


class RunFolder:
    """One run on disk.

    Args:
        path: the folder.
        whole: a damaged line of results is an error, and not passed over with a warning.
    """

    def __init__(self, path: Path, *, whole: bool = False) -> None:
        self.path = path
        self._results = Lines(path / "results.jsonl", TrialResult, sparse=False, alone=not whole)

    def held(self) -> AbstractContextManager[None]:
        """Keep the folder for this process; :class:`~verifaible.errors.RunError` where another has it."""
        return held(self.path)

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

    @property
    def begun(self) -> bool:
        """Whether a run has begun here."""
        return (self.path / "run.json").is_file()

    @property
    def recorded_archives(self) -> tuple[Path, ...]:
        """What the run recorded, an archive a site; of a continued run those of each of its sessions."""
        if not self.path.is_dir():
            return ()
        sites = [each for each in self.path.iterdir() if each.name.startswith(RECORDED_SITES)]
        archives = [each for folder in sites for each in folder.iterdir() if each.name.endswith(".wacz")]
        return tuple(sorted(archives, key=lambda each: (each.parent.name, each.name)))

    def new_sites(self) -> Path:
        """A folder for archives that is not there yet: a continued run has one for each session."""
        path, number = self.path / RECORDED_SITES, 1
        while path.exists():
            number += 1
            path = self.path / f"{RECORDED_SITES}-{number}"
        return path

    def write_progress(self, progress: Progress) -> None:
        """Write ``progress.json``: how far the run is, for who looks at it from elsewhere."""
        self._write("progress.json", progress.model_dump_json(indent=2))

    def progress(self) -> Progress | None:
        """How far the run is, or was when it ended; None where it does not say so.

        Raises:
            RunError: the file is damaged.
        """
        path = self.path / "progress.json"
        with usable(path):
            return Progress.model_validate_json(path.read_bytes()) if path.is_file() else None

    def write_info(self, info: RunInfo) -> None:
        """Write ``run.json``."""
        self._write("run.json", info.model_dump_json(indent=2))

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

        Raises:
            RunError: the file cannot be read.

        Warns:
            DamagedLine: a line is damaged: its trial is not finished.
        """
        found: dict[TrialKey, TrialResult] = {}
        for result in self._results:
            found.pop(result.key, None)
            found[result.key] = result
        return tuple(found.values())

    def transcript(self, key: TrialKey) -> Transcript:
        """The transcript of a finished trial.

        Raises:
            RunError: it is not there or damaged.
        """
        path = self.path / _transcript_name(key)
        with usable(path):
            return Transcript.model_validate_json(path.read_bytes())

    def transcripts(self) -> tuple[Transcript, ...]:
        """The transcripts of the finished trials, in the order of ``results``.

        Raises:
            RunError: one is not there or damaged.
        """
        return tuple(self.transcript(result.key) for result in self.results())

    @property
    def spend_path(self) -> Path:
        """The file in which every model call is written down."""
        return self.path / "spend.jsonl"

    def spend(self) -> dict[str, Spend]:
        """What each model has cost in this run, with the trials that a kill or the machine lost.

        Raises:
            RunError: a line is damaged.
        """
        lines: dict[str, list[SpendLine]] = {}
        for line in Lines(self.spend_path, SpendLine):
            lines.setdefault(line.model, []).append(line)
        return {model: spent(each) for model, each in lines.items()}

    def write_prompt(self, prompt: RunPrompt) -> None:
        """Write ``prompt.json``."""
        self._write("prompt.json", prompt.model_dump_json(indent=1))

    def prompt(self) -> RunPrompt | None:
        """What the conversations began with; None where the run is older than this file.

        Raises:
            RunError: it is damaged.
        """
        path = self.path / "prompt.json"
        with usable(path):
            return RunPrompt.model_validate_json(path.read_bytes()) if path.is_file() else None

    def _write(self, name: str, text: str) -> Path:
        write_whole(self.path / name, text)
        return self.path / name


def _transcript_name(key: TrialKey) -> str:
    # percent-encoded, so that the models a/b and a-b do not share a file
    return f"trials/{quote(key.model, safe='')}--{key.case}--{key.trial}.json"

"""The folder of a run: ``run.json``, ``results.jsonl``, a transcript for each trial, the report.

A trial's transcript is moved into place whole and its line in ``results.jsonl`` ends with a line
break: after a kill, a line without one is not read.
"""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from pathlib import Path

from verifaible.errors import RunError
from verifaible.schema.base import Record
from verifaible.schema.run import ModelEvent, RunInfo, ToolEvent, TrialResult


class Transcript(Record):
    """Everything that happened in one trial."""

    model: str
    case: str
    trial: int
    question: str
    answer: str
    error: str = ""
    events: tuple[ModelEvent | ToolEvent, ...] = ()


class RunFolder:
    """One run on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def create(cls, runs: Path, models: tuple[str, ...]) -> RunFolder:
        """A new folder under ``runs``, named by the time and the models.

        Raises:
            RunError: it cannot be made.
        """
        now = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
        names = "+".join(re.sub(r"[^A-Za-z0-9.-]+", "-", model) for model in models)[:60]
        for attempt in range(1, 100):
            path = runs / (f"{now}-{names}" if attempt == 1 else f"{now}-{names}-{attempt}")
            try:
                (path / "trials").mkdir(parents=True)
                return cls(path)
            except FileExistsError:
                continue
            except OSError as error:
                raise RunError(
                    f"{path} cannot be made ({error.strerror}). Free space or correct its permissions."
                ) from error
        raise RunError(f"Too many runs started in one second under {runs}. Start again.")

    def write_info(self, info: RunInfo) -> None:
        """Write ``run.json``."""
        self._write("run.json", info.model_dump_json(indent=2))

    def write_report(self, text: str) -> Path:
        """Write ``report.md``."""
        return self._write("report.md", text)

    def add(self, result: TrialResult, transcript: Transcript) -> None:
        """Keep a finished trial: its transcript first, then its line."""
        name = f"{_safe(result.model)}--{_safe(result.case)}--{result.trial}.json"
        self._write(f"trials/{name}", transcript.model_dump_json(indent=1))
        with (self.path / "results.jsonl").open("ab") as file:
            file.write(result.model_dump_json().encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def info(self) -> RunInfo:
        """What ``run.json`` says."""
        return RunInfo.model_validate_json((self.path / "run.json").read_bytes())

    def results(self) -> tuple[TrialResult, ...]:
        """The finished trials, in the order they finished."""
        path = self.path / "results.jsonl"
        lines = path.read_bytes().split(b"\n")[:-1] if path.is_file() else []
        return tuple(TrialResult.model_validate_json(line) for line in lines)

    def transcripts(self) -> tuple[Transcript, ...]:
        """The transcripts of the finished trials, by name."""
        paths = sorted((self.path / "trials").glob("*.json"))
        return tuple(Transcript.model_validate_json(path.read_bytes()) for path in paths)

    def _write(self, name: str, text: str) -> Path:
        path = self.path / name
        temporary = path.with_name(f".{path.name}.part")
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
        return path


def _safe(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", name)

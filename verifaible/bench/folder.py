"""The folder of a run: ``run.json``, ``results.jsonl``, a transcript for each trial, the report.

A trial's transcript is moved into place whole and its line in ``results.jsonl`` ends with a line
break: after a kill, a line without one is not read, and a transcript without a line neither.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from pydantic import ValidationError

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
        """Keep a finished trial: its transcript first, then its line.

        Raises:
            RunError: the disk is full or the folder is gone; nothing of the line is left.
        """
        self._write(_transcript_name(result), transcript.model_dump_json(indent=1))
        line = result.model_dump_json().encode() + b"\n"
        path = self.path / "results.jsonl"
        with _usable(path), path.open("ab", buffering=0) as file:
            whole = file.tell()
            try:
                while line:
                    line = line[file.write(line) :]
                os.fsync(file.fileno())
            except OSError:
                file.truncate(whole)  # the next line must not be glued to half of this one
                raise

    def info(self) -> RunInfo:
        """What ``run.json`` says.

        Raises:
            RunError: it is not there or damaged.
        """
        path = self.path / "run.json"
        with _usable(path):
            return RunInfo.model_validate_json(path.read_bytes())

    def results(self) -> tuple[TrialResult, ...]:
        """The finished trials, in the order they finished.

        Raises:
            RunError: a whole line is damaged.
        """
        path = self.path / "results.jsonl"
        with _usable(path):
            lines = path.read_bytes().split(b"\n")[:-1] if path.is_file() else []
            return tuple(TrialResult.model_validate_json(line) for line in lines)

    def transcripts(self) -> tuple[Transcript, ...]:
        """The transcripts of the finished trials, in the order of ``results``.

        Raises:
            RunError: one is not there or damaged.
        """
        found = []
        for result in self.results():
            path = self.path / _transcript_name(result)
            with _usable(path):
                found.append(Transcript.model_validate_json(path.read_bytes()))
        return tuple(found)

    def _write(self, name: str, text: str) -> Path:
        path = self.path / name
        temporary = path.with_name(f".{path.name}.part")
        with _usable(path):
            temporary.write_text(text, encoding="utf-8")
            temporary.replace(path)
        return path


def _transcript_name(result: TrialResult) -> str:
    # percent-encoded, so that the models a/b and a-b do not share a file
    return f"trials/{quote(result.model, safe='')}--{result.case}--{result.trial}.json"


@contextmanager
def _usable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise RunError(
            f"{path} cannot be read or written ({error.strerror}). Check that it is in a run folder, that "
            "its permissions allow it, and that the disk has space."
        ) from error
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in fault["loc"])
        raise RunError(
            f"{path} is damaged ({f'{place}: ' if place else ''}{fault['msg']}). Run the bench again."
        ) from error

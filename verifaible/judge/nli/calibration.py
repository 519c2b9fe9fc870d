"""From how sure on a model's words count: thresholds found on claims whose truth is known."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import Field, ValidationError

from verifaible.errors import ConfigError, RunError
from verifaible.judge.nli.model import ModelFiles
from verifaible.schema.base import Record
from verifaible.scoring.statistics import wilson_interval

Truth: TypeAlias = Literal["supported", "refuted", "neither"]


class Labelled(Record):
    """A line of the file that calibrates: a claim, the words of its sources, and what these make of it."""

    claim: str = Field(min_length=1)
    sources: tuple[str, ...] = Field(min_length=1)
    label: Truth


class Threshold(Record):
    """From which probability on a verdict is given; None: never, at none was it right often enough.

    ``right`` of the ``decided`` labelled claims there have that label: ``interval`` is Wilson's, 95 %.
    """

    at: float | None = None
    decided: int = 0
    right: int = 0
    interval: tuple[float, float] = (0.0, 1.0)


class Calibration(Record):
    """What ``verifaible judge calibrate`` writes.

    Attributes:
        model: its name; ``revision`` its commit, empty for a folder; ``sha256`` of each of its files.
        reading: which way of choosing and reading passages the probabilities are of.
        precision: share of each verdict that must be right, by the lower end of the interval.
        claims: how many were read, by label.
    """

    format: Literal[1] = 1
    model: str
    revision: str = ""
    sha256: dict[str, str]
    reading: int
    precision: float = Field(gt=0, lt=1)
    claims: dict[Truth, int]
    supported: Threshold
    refuted: Threshold


def read_labelled(path: Path) -> list[Labelled]:
    """The claims of a JSONL file.

    Raises:
        RunError: it cannot be read, or a line is none; names the line.
    """
    found: list[Labelled] = []
    number = 0
    try:
        for line in path.read_text("utf-8").split("\n"):
            number += 1
            if line.strip():
                found.append(Labelled.model_validate_json(line))
    except (OSError, UnicodeDecodeError) as error:
        raise RunError(f"{path} cannot be read: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        raise RunError(
            f"{path}, line {number}: {': '.join((*map(str, first['loc']), first['msg']))}. A line is "
            '{"claim": "...", "sources": ["..."], "label": "supported", "refuted" or "neither"}.'
        ) from error
    return found


def threshold(scored: Sequence[tuple[float, bool]], precision: float) -> Threshold:
    """The lowest probability at which the share that is right has its 95 % interval above ``precision``.

    A probability of 0 decides nothing: it stands for a claim that the model was not to decide.
    """
    ordered = sorted((each for each in scored if each[0] > 0), reverse=True)
    best, right = Threshold(), 0
    for decided, (at, is_right) in enumerate(ordered, 1):
        right += is_right
        interval = wilson_interval(right, decided)
        whole = decided == len(ordered) or ordered[decided][0] < at  # all of one probability, or none
        if whole and interval[0] >= precision:
            best = Threshold(at=at, decided=decided, right=right, interval=interval)
    return best


def write_calibration(calibration: Calibration, path: Path) -> None:
    """Write a calibration.

    Raises:
        ConfigError: the file cannot be written.
    """
    try:
        path.write_text(calibration.model_dump_json(indent=2) + "\n", "utf-8")
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error}") from error


def read_calibration(path: Path, files: ModelFiles, reading: int) -> Calibration:
    """The calibration of a model.

    Raises:
        ConfigError: the file is damaged, or is of another model or of another way of reading.
    """
    again = f"Calibrate again: verifaible judge calibrate FILE.jsonl --model nli --output {path}"
    try:
        found = Calibration.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise ConfigError(f"{path} is no calibration that can be read. {again}") from error
    wanted = {**files.identity(), "reading": reading}
    if found.model_dump(include=set(wanted)) != wanted:
        raise ConfigError(
            f"{path} calibrates {found.model} {found.revision[:12]}, and the model in use is {files.name} "
            f"{files.revision[:12]}, or its files, or how passages are read, are others. {again}"
        )
    return found

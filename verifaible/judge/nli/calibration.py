"""From how sure on a model's words count: thresholds found on claims whose truth is known."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, Literal, TypeAlias

from pydantic import Field, ValidationError

from verifaible.errors import ConfigError, RunError
from verifaible.judge.nli.files import ModelFiles
from verifaible.schema.base import Record
from verifaible.scoring.statistics import wilson_interval

Truth: TypeAlias = Literal["supported", "refuted", "neither"]
_FORMAT: Final = 1


class Labelled(Record):
    """A line of the file that calibrates: a claim, the words of its sources, and what is true of it by them."""

    claim: str = Field(min_length=1)
    sources: tuple[str, ...] = Field(min_length=1)
    label: Truth


class Threshold(Record):
    """From which probability on one verdict is given, and how often it was right there.

    Attributes:
        at: the probability; None: at none was it right often enough, so that the verdict is never given.
        decided: labelled claims at or above it.
        right: those of them of which the verdict is true.
        interval: 95 % Wilson interval of their share.
    """

    at: float | None = None
    decided: int = 0
    right: int = 0
    interval: tuple[float, float] = (0.0, 1.0)


class Calibration(Record):
    """What ``verifaible judge calibrate`` writes.

    Attributes:
        model: name of the model; ``revision`` its commit, empty for a folder.
        sha256: of each of its files.
        precision: share of a verdict that must be right, by the lower end of the interval.
        claims: how many were read, by label.
        reading: which way of choosing and reading passages the probabilities are of.
    """

    format: Literal[1] = _FORMAT
    model: str
    revision: str = ""
    sha256: dict[str, str]
    reading: int
    precision: float = Field(gt=0, lt=1)
    claims: dict[Truth, int]
    supported: Threshold
    refuted: Threshold


def read_labelled(path: Path) -> Iterator[Labelled]:
    """The claims of a JSONL file.

    Raises:
        RunError: it cannot be read, or a line is none; names the line.
    """
    try:
        lines = path.read_text("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise RunError(f"{path} cannot be read: {error}") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield Labelled.model_validate_json(line)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise RunError(
                f"{path}, line {number}: {where + ': ' if where else ''}{first['msg']}. A line is "
                '{"claim": "...", "sources": ["..."], "label": "supported", "refuted" or "neither"}.'
            ) from error


def calibrated(
    files: ModelFiles,
    scored: Iterable[tuple[Truth, float, float]],
    *,
    precision: float,
    reading: int,
) -> Calibration:
    """The calibration by labelled claims, each with its probabilities of entailment and of contradiction."""
    rows = list(scored)
    counts: dict[Truth, int] = {"supported": 0, "refuted": 0, "neither": 0}
    for truth, _, _ in rows:
        counts[truth] += 1
    return Calibration(
        model=files.name,
        revision=files.revision,
        sha256=files.sha256(),
        reading=reading,
        precision=precision,
        claims=counts,
        supported=threshold([(sure, truth == "supported") for truth, sure, _ in rows], precision),
        refuted=threshold([(sure, truth == "refuted") for truth, _, sure in rows], precision),
    )


def threshold(scored: Sequence[tuple[float, bool]], precision: float) -> Threshold:
    """The lowest probability at which the share that is right has its 95 % interval above ``precision``.

    A probability of 0 decides nothing: it stands for a claim that the model was not to decide.
    """
    ordered = sorted(scored, reverse=True)
    best, right = Threshold(), 0
    for decided, (at, is_right) in enumerate(ordered, 1):
        right += is_right
        if at <= 0:
            break
        if decided < len(ordered) and ordered[decided][0] == at:
            continue  # all of one probability, or none of them
        interval = wilson_interval(right, decided)
        if interval[0] >= precision:
            best = Threshold(at=at, decided=decided, right=right, interval=interval)
    return best


def write_calibration(calibration: Calibration, path: Path) -> None:
    """Write a calibration.

    Raises:
        ConfigError: the file cannot be written.
    """
    try:
        text = json.dumps(calibration.model_dump(mode="json"), indent=2, sort_keys=True)
        path.write_text(text + "\n", "utf-8")
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
    if (found.model, found.revision, found.sha256) != (files.name, files.revision, files.sha256()):
        raise ConfigError(
            f"{path} calibrates {found.model} {found.revision[:12]}, and the model in use is {files.name} "
            f"{files.revision[:12]}, or its files are others. {again}"
        )
    if found.reading != reading:
        raise ConfigError(f"{path} was made when passages were read in another way. {again}")
    return found

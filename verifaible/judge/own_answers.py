"""Answers that stand in our own form already: each line names the captures of the store that its author had.

The harness of ``verifaible crypto`` writes such a file. Its sources were sealed when the tools gave them, so
nothing is sealed again: a verdict points to the very captures of the run. One that this store does not have,
or that is damaged, is a fault of its answer when it is read, and then not all sources are known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from verifaible.errors import RunError
from verifaible.judge.inputs.making import refuse_unknown
from verifaible.judge.inputs.read import Loaded
from verifaible.runs.lines import usable
from verifaible.schema.analyst import AnalystAnswer, InputFault

#: What a folder of the harness has, and where its answers are.
_RUN: Final = "harness.json"
_ANSWERS: Final = "answers.jsonl"


def own_file(path: Path) -> Path | None:
    """The file of answers in our own form that a path is, or that the folder of a run of the harness has.

    Raises:
        RunError: the folder of such a run has no answers, or the file cannot be read.
    """
    if path.is_dir():
        if not (path / _RUN).is_file():
            return None
        if not (path / _ANSWERS).is_file():
            raise RunError(f"{path} has no {_ANSWERS} yet: its run was stopped. Let it go on, then judge it.")
        return path / _ANSWERS
    if path.suffix.lower() != ".jsonl" or not path.is_file():
        return None
    first = next(_lines(path), (0, b""))[1]
    return path if _answer(first) is not None else None


def read_own(path: Path, models: Sequence[str] = ()) -> Loaded:
    """The answers of such a file; a line that is none is a fault, and nothing else is lost.

    Args:
        path: a file for which :func:`own_file` gives itself.
        models: only these; empty: all.

    Raises:
        RunError: the file cannot be read, or holds no answers.
        UnknownModel: no answer is of such a model.
    """
    answers: list[AnalystAnswer] = []
    faults: list[InputFault] = []
    known: Counter[str] = Counter()
    for number, line in _lines(path):
        answer = _answer(line)
        if answer is None:
            message = f"{path.name}, line {number} is no answer of this form: it is not judged. Correct it."
            faults.append(InputFault(code="source_unreadable", message=message))
            continue
        known[answer.id] += 1
        if known[answer.id] > 1:
            answer = answer.model_copy(update={"id": f"{answer.id}-{known[answer.id]}"})
        answers.append(answer)
    if not answers:
        raise RunError(f"{path} has no answers. Let its run go on, then judge it.")
    refuse_unknown(models, [answer.model for answer in answers])
    return Loaded(tuple(each for each in answers if not models or each.model in models), tuple(faults))


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    with usable(path), path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield number, line


def _answer(line: bytes) -> AnalystAnswer | None:
    try:
        return AnalystAnswer.model_validate_json(line)
    except ValidationError:
        return None

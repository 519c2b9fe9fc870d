"""The folder of a run of judging: what it was made of, its answers, their claims, the reports."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from verifaible.runs.folder import new_folder, read_info
from verifaible.runs.lines import Lines, write_whole
from verifaible.schema.judged import JudgedAnswer, JudgedClaim, JudgeInfo

#: The form of the folder that this version writes.
FORMAT = 1
INFO = "judge.json"


class JudgeFolder:
    """One run of judging on disk; a line is whole or not there (:class:`~verifaible.runs.lines.Lines`).

    Args:
        path: the folder.
        whole: a damaged line of a claim is an error, and not passed over with a warning.
    """

    def __init__(self, path: Path, *, whole: bool = False) -> None:
        self.path = path
        self._answers = Lines(path / "answers.jsonl", JudgedAnswer)
        self._claims = Lines(path / "claims.jsonl", JudgedClaim, alone=not whole)

    @classmethod
    def create(cls, parent: Path, name: str) -> JudgeFolder:
        """A new folder under ``parent``, named by the time and the input.

        Raises:
            RunError: it cannot be made.
        """
        stem = re.sub(r"[^A-Za-z0-9.-]+", "-", name).strip("-.")[:60]
        return cls(new_folder(parent, stem or "answers"))

    @property
    def info(self) -> JudgeInfo:
        """``judge.json``.

        Raises:
            RunError: it is not there, damaged, or made by another version.
        """
        return read_info(self.path / INFO, JudgeInfo, FORMAT, "Judge again, or update verifaible.")

    def write_info(self, info: JudgeInfo) -> None:
        """Put ``judge.json`` in its place, whole."""
        write_whole(self.path / INFO, info.model_dump_json(indent=1) + "\n")

    def add_claim(self, claim: JudgedClaim) -> None:
        """Append a line of ``claims.jsonl``."""
        self._claims.add(claim)

    def add_answer(self, answer: JudgedAnswer) -> None:
        """Append a line of ``answers.jsonl``; the lines of its claims are there before it."""
        self._answers.add(answer)

    def answers(self) -> Iterator[JudgedAnswer]:
        """Every judged answer, in the order of the input."""
        return iter(self._answers)

    def claims(self) -> Iterator[JudgedClaim]:
        """Every judged claim, answer by answer."""
        return iter(self._claims)

    def claims_of(self, answer_id: str) -> tuple[JudgedClaim, ...]:
        """The claims of one answer, in its order."""
        return tuple(claim for claim in self._claims if claim.answer == answer_id)

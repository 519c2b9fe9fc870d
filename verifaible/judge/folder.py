"""The folder of a run of judging: what it was made of, its answers, their claims, the reports."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from verifaible.bench.run.lines import Lines, usable
from verifaible.errors import RunError
from verifaible.schema.judged import JudgedAnswer, JudgedClaim, JudgeInfo

#: The form of the folder that this version writes.
FORMAT = 1
INFO = "judge.json"


class JudgeFolder:
    """One run of judging on disk; a line is whole or not there (:class:`~verifaible.bench.run.lines.Lines`).

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
        now = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
        stem = f"{now}-{re.sub(r'[^A-Za-z0-9.-]+', '-', name).strip('-.')[:60] or 'answers'}"
        for attempt in range(1, 100):
            path = parent / (stem if attempt == 1 else f"{stem}-{attempt}")
            try:
                path.mkdir(parents=True)
                return cls(path)
            except FileExistsError:
                continue
            except OSError as error:
                raise RunError(
                    f"{path} cannot be made ({error.strerror}). Free space or correct its permissions."
                ) from error
        raise RunError(f"Too many runs started in one second under {parent}. Start again.")

    @property
    def begun(self) -> bool:
        """Whether a run of judging has begun here."""
        return (self.path / INFO).is_file()

    @property
    def info(self) -> JudgeInfo:
        """``judge.json``.

        Raises:
            RunError: it is not there, damaged, or made by a newer version.
        """
        with usable(self.path / INFO):
            try:
                info = JudgeInfo.model_validate_json((self.path / INFO).read_bytes())
            except ValidationError:
                info = None
        if info is None or info.format > FORMAT:
            raise RunError(
                f"{self.path / INFO} is damaged or of a newer version. Judge again, or update verifaible."
            )
        return info

    def write_info(self, info: JudgeInfo) -> None:
        """Put ``judge.json`` in its place, whole."""
        with usable(self.path / INFO):
            temporary = self.path / f".{INFO}.new"
            temporary.write_text(info.model_dump_json(indent=1) + "\n", encoding="utf-8")
            temporary.replace(self.path / INFO)

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

"""The folder of a run of judging, and whether every word that its verdicts point to stands where they say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from verifaible.config import Settings
from verifaible.errors import RunError, StoreError, StoreUnreachable
from verifaible.evidence.sources import SourceTexts
from verifaible.runs.folder import new_folder, read_info
from verifaible.runs.lines import Lines, write_whole
from verifaible.schema.base import Record
from verifaible.schema.judged import JUDGE_FORMAT, JudgedAnswer, JudgedClaim, JudgeInfo
from verifaible.schema.verdict import Passage

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
        return read_info(self.path / INFO, JudgeInfo, JUDGE_FORMAT, "Judge again, or update verifaible.")

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


def find_folder(settings: Settings, name: str) -> JudgeFolder:
    """A folder of judging: a path, the name of one under ``judged``, or ``latest``.

    Raises:
        RunError: there is none.
    """
    parent = settings.judged_dir
    if name == "latest":
        there = (path for path in parent.glob(f"*/{INFO}") if not path.parent.is_symlink())
        # Folders begin with their time; of one second, the one that was written last is the latest.
        found = max(there, key=lambda path: (path.parent.name[:16], path.stat().st_mtime), default=None)
        if found is None:
            raise RunError(
                f"Nothing was judged in {parent} yet. Start with verifaible judge run INPUT --offline."
            )
        return JudgeFolder(found.parent)
    for path in (Path(name), parent / name):
        if name and (path / INFO).is_file():
            return JudgeFolder(path)
    raise RunError(
        f"{name or 'An empty name'} is not a folder of judged answers: there is no {INFO} in it. Give the "
        "folder that the command printed, or latest."
    )


# --- its passages, looked at again


class Broken(Record):
    """A passage that does not hold, with what is wrong."""

    answer: str
    claim: str
    passage: Passage
    fault: str


class Reverified(Record):
    """What a second look at the captures gave.

    ``supported`` counts the claims that were called exact, derived, direct or derivable; ``unsupported`` are
    those of them that point to nothing.
    """

    claims: int
    supported: int
    passages: int
    unsupported: tuple[str, ...] = ()
    broken: tuple[Broken, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether every supported claim points to words, and all words stand where they should."""
        return not self.broken and not self.unsupported


def reverify(folder: JudgeFolder, texts: SourceTexts) -> Reverified:
    """Look again at every passage of a run of judging, in the captures of the store.

    A passage has to stand in a capture of a source of its own answer, too. (Claims of an answer that was not
    finished have no answer to compare with.)

    Raises:
        RunError: the folder is damaged.
    """
    sources = {
        judged.answer.id: {(source.id, source.capture) for source in judged.answer.sources}
        for judged in folder.answers()
    }
    claims = supported = passages = 0
    unsupported: list[str] = []
    broken: list[Broken] = []
    for claim in JudgeFolder(folder.path, whole=True).claims():
        rows = [row for row in (claim.citations, claim.hallucination) if row and row.outcome == "decided"]
        said = [row.finding for row in rows if row.status in ("direct", "exact", "derivable")]
        claims, supported, passages = claims + 1, supported + bool(said), passages + len(claim.grounds)
        if any(finding is None or not finding.grounds for finding in said):
            unsupported.append(f"{claim.answer} {claim.claim.id}")
        for passage in claim.grounds:
            if fault := _fault(texts, passage, sources.get(claim.answer)):
                of = {"answer": claim.answer, "claim": claim.claim.id}
                broken.append(Broken(**of, passage=passage, fault=fault))
    return Reverified(
        claims=claims,
        supported=supported,
        passages=passages,
        unsupported=tuple(unsupported),
        broken=tuple(broken),
    )


def _fault(texts: SourceTexts, passage: Passage, own: set[tuple[str, str]] | None) -> str:
    """What is wrong with a passage; empty where it holds."""
    if own is not None and (passage.source, passage.capture) not in own:
        return f"{passage.source} of this capture is no source of the answer. Judge it again."
    try:
        holds = texts.holds(passage)
    except StoreUnreachable:
        raise
    except StoreError as error:
        return str(error)
    return "" if holds else "The capture does not have these words at this place. Judge the answer again."

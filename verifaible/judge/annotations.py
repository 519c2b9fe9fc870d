"""What people say of answers and claims: a CSV that only grows.

Columns: ``answer, annotator, kind, claim, value, note, at``, in any order, with commas, semicolons or tabs
between; ``claim``, ``note`` and ``at`` may be missing. Of several lines of one annotator for the same thing
the last one counts, and an empty value takes an earlier one back. A line that cannot be used is a fault with
its number, and nothing else is lost.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import threading
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, get_args

from verifaible.errors import ConfigError, RunError
from verifaible.judge.folder import JudgeFolder
from verifaible.reporting.csv_files import escaped, unescaped
from verifaible.runs.lines import usable
from verifaible.schema.base import Record
from verifaible.schema.judged import DIMENSIONS, ERROR_CATEGORIES, CitationStatus, HallucinationStatus

COLUMNS: Final = ("answer", "annotator", "kind", "claim", "value", "note", "at")
_NEEDED: Final = ("answer", "annotator", "kind", "value")
FILE: Final = "annotations.csv"
#: The values of the two kinds that are about claims.
STATUSES: Final[Mapping[str, tuple[str, ...]]] = {
    "citations": get_args(CitationStatus),
    "hallucination": get_args(HallucinationStatus),
}
#: Everything that can be annotated: the checks of claims, dimensions (1 to 10), categories of error (0 or 1).
KINDS: Final = (*STATUSES, *DIMENSIONS, *ERROR_CATEGORIES)

FaultCode: TypeAlias = Literal[
    "columns", "encoding", "row", "annotator", "kind", "value", "time", "unknown_answer", "unknown_claim"
]


class Annotation(Record):
    """What one person says of one thing.

    Attributes:
        answer: id of the answer.
        annotator: who says it.
        kind: one of :data:`KINDS`.
        claim: id of the claim, of the kinds that are about claims.
        value: a status, points from 1 to 10, or 0 or 1; empty: what was said before is taken back.
        note: anything.
        at: when it was said, if that is known.
    """

    answer: str
    annotator: str
    kind: str
    claim: str = ""
    value: str
    note: str = ""
    at: datetime | None = None

    @property
    def score(self) -> float:
        """The value as a number; of dimensions and categories only."""
        return float(self.value)


class AnnotationFault(Record):
    """A line that cannot be used, and what to do about it; the heading is line 1."""

    line: int
    code: FaultCode
    message: str


class Annotations(Record):
    """What a file holds: of each annotator and thing the last word, and the lines that cannot be used."""

    rows: tuple[Annotation, ...] = ()
    faults: tuple[AnnotationFault, ...] = ()


class _Fault(Exception):
    def __init__(self, code: FaultCode, message: str) -> None:
        self.code = code
        super().__init__(message)


class AnnotationStore:
    """The annotations of a folder of judged answers; several people may write at once.

    Args:
        folder: whose answers and claims they are about.
        path: the file; by default ``annotations.csv`` in the folder.
    """

    def __init__(self, folder: JudgeFolder, path: Path | None = None) -> None:
        self.path = path or folder.path / FILE
        self._folder = folder
        self._known: dict[str, set[str]] = {}
        self._size = -1
        self._writing = threading.Lock()

    def add(
        self,
        *,
        answer: str,
        annotator: str,
        kind: str,
        value: str,
        claim: str = "",
        note: str = "",
        at: datetime | None = None,
    ) -> Annotation:
        """Append a line; it is on the disk when this returns.

        Args:
            answer: id of the answer.
            annotator: who says it.
            kind: one of :data:`KINDS`.
            value: what is said; empty takes back what was said before.
            claim: id of the claim, where the kind is about claims.
            note: anything; it is kept in one line.
            at: when; by default now.

        Raises:
            ConfigError: something of it is not known or not allowed.
            RunError: the file cannot be written, or its heading lacks a column.
        """
        given = {"answer": answer, "annotator": annotator, "kind": kind, "claim": claim, "value": value}
        try:
            checked = self._checked(given | {"note": note, "at": ""})
        except _Fault as fault:
            raise ConfigError(str(fault)) from None
        made = checked.model_copy(update={"at": (at or datetime.now(UTC)).replace(microsecond=0)})
        with usable(self.path), self._writing:
            self._append(made)
        return made

    def read(self) -> Annotations:
        """Everything that was said, and what of the file cannot be used; nothing where there is no file.

        Raises:
            RunError: the file cannot be read.
        """
        with usable(self.path):
            if not self.path.is_file():
                return Annotations()
            data = self.path.read_bytes()
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data[: error.start].count(b"\n") + 1
            return Annotations(
                faults=(
                    AnnotationFault(
                        line=line, code="encoding", message="The file is not UTF-8. Save it as UTF-8 CSV."
                    ),
                )
            )
        return self._parsed(text)

    # --- reading

    def _parsed(self, text: str) -> Annotations:
        said: dict[tuple[str, str, str, str], Annotation] = {}
        faults = []
        names: list[str] | None = None
        for line, cells in _lines(text):
            if names is None:
                names = [cell.strip().lower() for cell in cells]
                if missing := [name for name in _NEEDED if name not in names]:
                    message = f"The heading lacks {', '.join(missing)}. It has to be {','.join(COLUMNS)}."
                    return Annotations(faults=(AnnotationFault(line=line, code="columns", message=message),))
                continue
            if not any(cell.strip() for cell in cells):
                continue
            try:
                if len(cells) != len(names):  # half a line that a kill left must not pass for a whole one
                    raise _Fault("row", f"It has {len(cells)} cells, the heading {len(names)}. Complete it.")
                row = dict(zip(names, map(unescaped, cells), strict=False))
                one = self._checked({name: row.get(name, "") for name in COLUMNS})
            except _Fault as fault:
                faults.append(AnnotationFault(line=line, code=fault.code, message=str(fault)))
                continue
            key = (one.answer, one.annotator, one.kind, one.claim)
            said.pop(key, None)
            if one.value:
                said[key] = one
        return Annotations(rows=tuple(said.values()), faults=tuple(faults))

    def _checked(self, row: Mapping[str, str]) -> Annotation:
        answer, annotator, kind = row["answer"].strip(), row["annotator"].strip(), row["kind"].strip()
        claim = row["claim"].strip()
        if not annotator:
            raise _Fault("annotator", "Nobody is named as the annotator. Fill in a name.")
        if kind not in KINDS:
            raise _Fault("kind", f"{kind!r} is no kind of annotation. Take one of {', '.join(KINDS)}.")
        claims = self._claims_of(answer)
        if claims is None:
            raise _Fault("unknown_answer", f"No answer {answer!r} is in this folder. Copy its id from there.")
        if kind in STATUSES and claim not in claims:
            raise _Fault("unknown_claim", f"Answer {answer!r} has no claim {claim!r}. Name one, as in c1.")
        if kind not in STATUSES and claim:
            raise _Fault("unknown_claim", f"{kind} is about whole answers. Leave claim empty.")
        return Annotation(
            answer=answer,
            annotator=annotator,
            kind=kind,
            claim=claim,
            value=_value(kind, row["value"].strip()),
            note=row["note"],
            at=_time(row["at"].strip()),
        )

    def _claims_of(self, answer: str) -> set[str] | None:
        """The ids of an answer's claims; None of an answer that is not there."""
        if answer not in self._known:
            self._look()
        return self._known.get(answer)

    def _look(self) -> None:
        """Read the ids alone, again if there is more to read."""
        answers, claims = self._folder.path / "answers.jsonl", self._folder.path / "claims.jsonl"
        with usable(answers):
            size = sum(path.stat().st_size for path in (answers, claims) if path.is_file())
            if size == self._size:
                return
            self._known = {line["answer"]["id"]: set() for line in _json_lines(answers)}
            for line in _json_lines(claims):
                self._known.get(line["answer"], set()).add(line["claim"]["id"])
            self._size = size

    # --- writing

    def _append(self, made: Annotation) -> None:
        try:
            with self.path.open("x", encoding="utf-8", newline="") as file:
                file.write(",".join(COLUMNS) + "\r\n")
        except FileExistsError:
            pass
        head = _first_line(self.path)
        names = [cell.strip().lower() for cell in next(csv.reader([head], delimiter=_delimiter(head)), [])]
        if missing := [name for name in COLUMNS if name not in names]:
            raise RunError(
                f"The heading of {self.path} lacks {', '.join(missing)}. Add them, or move the file away."
            )
        note = " ".join(made.note.split())
        values = made.model_dump() | {"note": note, "at": made.at.isoformat() if made.at else ""}
        line = io.StringIO()
        writer = csv.writer(line, delimiter=_delimiter(head), lineterminator="\r\n")
        writer.writerow([escaped(values.get(name, "")) for name in names])
        with self.path.open("rb") as file:
            last = file.read().rpartition(b"\n")[2]
        mended = b""
        if last:  # by a kill, or by an editor: its words stay a line, and an open quote takes no other along
            mended = b'"' * (last.count(b'"') % 2) + b"\r\n"
        with self.path.open("ab", buffering=0) as file:
            file.write(mended + line.getvalue().encode())
            os.fsync(file.fileno())


def _value(kind: str, value: str) -> str:
    if not value:
        return ""
    if kind in STATUSES:
        allowed = STATUSES[kind]
        if value not in allowed:
            raise _Fault("value", f"{value!r} is no value of {kind}. Take one of {', '.join(allowed)}.")
        return value
    low, high = (1, 10) if kind in DIMENSIONS else (0, 1)
    if not re.fullmatch(r"[0-9]{1,2}(\.0)?", value) or not low <= float(value) <= high:
        raise _Fault("value", f"{value!r} is no value of {kind}. Take a whole number from {low} to {high}.")
    return str(int(float(value)))


def _time(text: str) -> datetime | None:
    if not text:
        return None
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        raise _Fault("time", f"{text!r} is no time. Write it as 2026-02-21T08:00:00+00:00.") from None
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """Rows with the number of their first line."""
    head = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(head))
    line = 1
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            cells = ["\0"] * (len(COLUMNS) + 20)  # more cells than any heading: a fault of this row alone
        yield line, cells
        line = reader.line_num + 1


def _delimiter(head: str) -> str:
    return max(",;\t", key=head.count)


def _first_line(path: Path) -> str:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return file.readline()


def _json_lines(path: Path) -> Iterator[dict[str, Any]]:
    if not path.is_file():
        return
    with path.open("rb") as file:
        for line in file:
            if line.endswith(b"\n"):
                try:
                    yield json.loads(line)
                except ValueError as error:
                    raise RunError(f"{path} is damaged. Judge again into a new folder.") from error

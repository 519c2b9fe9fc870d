"""What people say of answers and claims: a CSV sheet to fill in, and how it is read.

Columns: ``answer, annotator, kind, claim, value, note, at``, in any order, with commas, semicolons or tabs
between; ``claim``, ``note`` and ``at`` may be missing, and others are passed over. Of several lines of one
annotator for the same thing the last one counts, and an empty value takes an earlier one back. A line that
cannot be used is a fault with its number, and nothing else is lost.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

from verifaible.errors import ConfigError, RunError
from verifaible.judge.folder import JudgeFolder
from verifaible.reporting.csv_files import escaped, unescaped
from verifaible.runs.lines import usable
from verifaible.schema.base import Record
from verifaible.schema.judged import DIMENSIONS, ERROR_CATEGORIES, CitationStatus, HallucinationStatus

if TYPE_CHECKING:
    from verifaible.schema.analyst import Claim

COLUMNS: Final = ("answer", "annotator", "kind", "claim", "value", "note", "at")
_NEEDED: Final = ("answer", "annotator", "kind", "value")
#: What a sheet has besides, which is not read back.
SHEET_COLUMNS: Final = (*COLUMNS, "values", "text", "sources")
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


def read_annotations(folder: JudgeFolder, *files: Path) -> Annotations:
    """Everything that people said of the answers and claims of a folder, and the lines that cannot be used.

    Args:
        folder: whose answers and claims they are about.
        files: CSV files; by default ``annotations.csv`` in the folder, which need not exist.

    Raises:
        RunError: the folder or a file cannot be read.
    """
    said: dict[tuple[str, str, str, str], Annotation] = {}
    faults: list[AnnotationFault] = []
    claims = _claims_of(folder)
    for path in files or (folder.path / FILE,):
        with usable(path):
            data = path.read_bytes() if files or path.is_file() else b""
        for each in _read(data, claims):
            if isinstance(each, AnnotationFault):
                named = f"{path.name}: {each.message}" if len(files) > 1 else each.message
                faults.append(each.model_copy(update={"message": named}))
                continue
            key = (each.answer, each.annotator, each.kind, each.claim)
            said.pop(key, None)
            if each.value:
                said[key] = each
    return Annotations(rows=tuple(said.values()), faults=tuple(faults))


def write_sheet(folder: JudgeFolder, annotator: str, path: Path) -> int:
    """Write an empty sheet for a spreadsheet: a line for each thing that a person can say something about.

    It has the columns of annotations, with ``value`` left empty, and behind them what a value may be, the
    words that it is about and the sources that a claim cites. Of the judge's verdicts nothing is in it.

    Args:
        folder: the judged answers.
        annotator: who will fill it in.
        path: the file, which must not exist: it may hold somebody's work.

    Returns:
        How many lines it has.

    Raises:
        ConfigError: no name is given, or the file exists.
        RunError: the folder cannot be read, or the file cannot be written.
    """
    if not annotator.strip():
        raise ConfigError("Nobody is named as the annotator. Give --annotator.")
    rows = list(_sheet_rows(folder, annotator.strip()))
    with usable(path):
        try:
            # With a byte order mark spreadsheets take it for UTF-8.
            with path.open("x", encoding="utf-8-sig", newline="") as file:
                writer = csv.DictWriter(file, SHEET_COLUMNS, restval="")
                writer.writeheader()
                writer.writerows({name: escaped(text) for name, text in row.items()} for row in rows)
        except FileExistsError:
            raise ConfigError(f"{path} exists. Give another --output, or move the file away.") from None
    return len(rows)


def _sheet_rows(folder: JudgeFolder, annotator: str) -> Iterator[dict[str, str]]:
    claims: dict[str, list[Claim]] = {}
    for each in folder.claims():
        claims.setdefault(each.answer, []).append(each.claim)
    for judged in folder.answers():
        answer = judged.answer
        sources = {each.id: each.url or each.title or each.id for each in answer.sources}
        whole = f"{answer.query}\n\n{answer.answer}"
        things = [(claim.id, claim.text, claim.cites, STATUSES) for claim in claims.get(answer.id, ())]
        things.append(("", whole, tuple(sources), dict.fromkeys((*DIMENSIONS, *ERROR_CATEGORIES), ())))
        for claim, text, cites, kinds in things:
            for number, kind in enumerate(kinds):
                first = number == 0
                yield {
                    "answer": answer.id,
                    "annotator": annotator,
                    "kind": kind,
                    "claim": claim,
                    "values": _offered(kind),
                    "text": text if first else "",
                    "sources": "\n".join(sources.get(each, each) for each in cites) if first else "",
                }


def _offered(kind: str) -> str:
    return ", ".join(STATUSES.get(kind, ())) or ("1 to 10" if kind in DIMENSIONS else "0, 1")


# --- reading


def _read(data: bytes, claims: Mapping[str, set[str]]) -> Iterator[Annotation | AnnotationFault]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        message = "The file is not UTF-8. Save it as UTF-8 CSV."
        yield AnnotationFault(line=line, code="encoding", message=message)
        return
    names: list[str] | None = None
    for line, cells in _lines(text):
        if names is None:
            names = [cell.strip().lower() for cell in cells]
            if missing := [name for name in _NEEDED if name not in names]:
                message = f"The heading lacks {', '.join(missing)}. It has to be {','.join(COLUMNS)}."
                yield AnnotationFault(line=line, code="columns", message=message)
                return
            continue
        if not any(cell.strip() for cell in cells):
            continue
        try:
            if len(cells) != len(names):  # half a line must not pass for a whole one
                raise _Fault("row", f"It has {len(cells)} cells, the heading {len(names)}. Complete it.")
            row = dict(zip(names, map(unescaped, cells), strict=False))
            yield _checked({name: row.get(name, "") for name in COLUMNS}, claims)
        except _Fault as fault:
            yield AnnotationFault(line=line, code=fault.code, message=str(fault))


def _checked(row: Mapping[str, str], claims: Mapping[str, set[str]]) -> Annotation:
    answer, annotator, kind = row["answer"].strip(), row["annotator"].strip(), row["kind"].strip()
    claim = row["claim"].strip()
    if not annotator:
        raise _Fault("annotator", "Nobody is named as the annotator. Fill in a name.")
    if kind not in KINDS:
        raise _Fault("kind", f"{kind!r} is no kind of annotation. Take one of {', '.join(KINDS)}.")
    if answer not in claims:
        raise _Fault("unknown_answer", f"No answer {answer!r} is in this folder. Copy its id from there.")
    if kind in STATUSES and claim not in claims[answer]:
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


def _claims_of(folder: JudgeFolder) -> dict[str, set[str]]:
    """The ids of the claims of each answer."""
    claims: dict[str, set[str]] = {}
    with usable(folder.path / "answers.jsonl"):
        for line in _json_lines(folder.path / "answers.jsonl"):
            claims[line["answer"]["id"]] = set()
        for line in _json_lines(folder.path / "claims.jsonl"):
            claims.get(line["answer"], set()).add(line["claim"]["id"])
    return claims


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
    csv.field_size_limit(sys.maxsize)  # an answer may be long
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

"""What people say of answers and claims: a CSV sheet to fill in, and how it is read.

Columns: ``answer, annotator, kind, claim, value, note``, in any order, with commas, semicolons or tabs
between; others are passed over. Of several lines of one annotator for the same thing the last one counts,
and an empty value takes an earlier one back. A line that cannot be used is a fault with its number, and
nothing else is lost.
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, get_args

from verifaible.errors import ConfigError
from verifaible.judge.folder import JudgeFolder
from verifaible.judge.results import joined
from verifaible.reporting.csv_files import escaped, unescaped
from verifaible.runs.lines import usable
from verifaible.schema.base import Record
from verifaible.schema.judged import DIMENSIONS, ERROR_CATEGORIES, CitationStatus, HallucinationStatus

FILE: Final = "annotations.csv"
COLUMNS: Final = ("answer", "annotator", "kind", "claim", "value", "note")
_NEEDED: Final = ("answer", "annotator", "kind", "value")
#: The values of the two kinds that are about claims.
STATUSES: Final[Mapping[str, tuple[str, ...]]] = {
    "citations": get_args(CitationStatus),
    "hallucination": get_args(HallucinationStatus),
}
#: Everything that can be annotated, and the values that it may have.
VALUES: Final[Mapping[str, tuple[str, ...]]] = {
    **STATUSES,
    **{name: tuple(map(str, range(1, 11))) for name in DIMENSIONS},
    **{name: ("0", "1") for name in ERROR_CATEGORIES},
}


class Annotation(Record):
    """What one person says of one thing: a claim, or of a kind without one a whole answer.

    ``value`` is one of :data:`VALUES`; empty: what was said before is taken back.
    """

    answer: str
    annotator: str
    kind: str
    claim: str = ""
    value: str
    note: str = ""


class Annotations(Record):
    """What files hold: of each annotator and thing the last word, and what cannot be used, a line each."""

    rows: tuple[Annotation, ...] = ()
    faults: tuple[str, ...] = ()


def read_annotations(folder: JudgeFolder, *files: Path) -> Annotations:
    """Everything that people said of the answers and claims of a folder, and the lines that cannot be used.

    Args:
        folder: whose answers and claims they are about.
        files: CSV files; by default ``annotations.csv`` in the folder, which need not exist.

    Raises:
        RunError: the folder or a file cannot be read.
    """
    said: dict[tuple[str, str, str, str], Annotation] = {}
    faults: list[str] = []
    known = {judged.answer.id: {each.claim.id for each in claims} for judged, claims in joined(folder)}
    for path in files or (folder.path / FILE,):
        with usable(path):
            data = path.read_bytes() if files or path.is_file() else b""
        for line, found in _read(data, known):
            if isinstance(found, str):
                faults.append(f"{path.name}, line {line}: {found}")
                continue
            key = (found.answer, found.annotator, found.kind, found.claim)
            said.pop(key, None)
            if found.value:
                said[key] = found
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
                writer = csv.DictWriter(file, (*COLUMNS, "values", "text", "sources"), restval="")
                writer.writeheader()
                writer.writerows({name: escaped(text) for name, text in row.items()} for row in rows)
        except FileExistsError:
            raise ConfigError(f"{path} exists. Give another --output, or move the file away.") from None
    return len(rows)


def _sheet_rows(folder: JudgeFolder, annotator: str) -> Iterator[dict[str, str]]:
    for judged, claims in joined(folder):
        answer = judged.answer
        named = {each.id: each.url or each.title or each.id for each in answer.sources}
        things = [(each.claim.id, each.claim.text, each.claim.cites, tuple(STATUSES)) for each in claims]
        whole = f"{answer.query}\n\n{answer.answer}"
        things.append(("", whole, tuple(named), (*DIMENSIONS, *ERROR_CATEGORIES)))
        for claim, text, cites, kinds in things:
            words = {"text": text, "sources": "\n".join(named.get(each, each) for each in cites)}
            for kind in kinds:
                row = {"answer": answer.id, "annotator": annotator, "kind": kind, "claim": claim}
                yield row | {"values": _allowed(kind)} | words
                words = {}  # said once for each thing


def _allowed(kind: str) -> str:
    return "1 to 10" if kind in DIMENSIONS else ", ".join(VALUES[kind])


def _read(data: bytes, known: Mapping[str, set[str]]) -> Iterator[tuple[int, Annotation | str]]:
    """Each line of a file with its number: what it says, or why it cannot be used."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        yield data[: error.start].count(b"\n") + 1, "The file is not UTF-8. Save it as UTF-8 CSV."
        return
    csv.field_size_limit(sys.maxsize)  # an answer may be long
    head = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=head.count))
    names = [cell.strip().lower() for cell in next(reader, _NEEDED)]
    if missing := [name for name in _NEEDED if name not in names]:
        yield 1, f"The heading lacks {', '.join(missing)}. It has to be {','.join(COLUMNS)}."
        return
    line = reader.line_num + 1
    for cells in reader:
        row = dict(zip(names, map(unescaped, cells), strict=False))
        if any(map(str.strip, cells)) and len(cells) != len(names):  # half a line is no whole one
            yield line, f"It has {len(cells)} cells, the heading {len(names)}. Complete it."
        elif any(map(str.strip, cells)):
            said = {name: row.get(name, "").strip() for name in COLUMNS} | {"note": row.get("note", "")}
            if said["kind"] not in STATUSES:  # spreadsheets write 5.0
                said["value"] = said["value"].removesuffix(".0")
            yield line, _fault(said, known) or Annotation(**said)
        line = reader.line_num + 1


def _fault(said: Mapping[str, str], known: Mapping[str, set[str]]) -> str:
    """Why a line cannot be used, and what to do; empty where it can."""
    answer, kind, claim, value = (said[name] for name in ("answer", "kind", "claim", "value"))
    fault = ""
    if not said["annotator"]:
        fault = "Nobody is named as the annotator. Fill in a name."
    elif kind not in VALUES:
        fault = f"{kind!r} is no kind of annotation. Take one of {', '.join(VALUES)}."
    elif answer not in known:
        fault = f"No answer {answer!r} is in this folder. Copy its id from there."
    elif claim and kind not in STATUSES:
        fault = f"{kind} is about whole answers. Leave claim empty."
    elif kind in STATUSES and claim not in known[answer]:
        fault = f"Answer {answer!r} has no claim {claim!r}. Name one, as in c1."
    elif value and value not in VALUES[kind]:
        fault = f"{value!r} is no value of {kind}. Take one of {_allowed(kind)}."
    return fault

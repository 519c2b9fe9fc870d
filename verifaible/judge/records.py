"""Answers in files: the CSV of the public benchmark, JSON, and Markdown, all read as records.

A record has ``query``, ``answer`` (or ``question``, ``response``), and where they are known ``model``,
``tags``, ``answered_at``, ``sources`` (:class:`~verifaible.check.source_files.ListedSource`), ``context``;
its other fields are kept in ``columns``. A row of the public CSV (``query``, ``tags``, ``<model>_response``,
``<model>_chat_id``) is a record for each model, whose column ``answer`` is a reference; what a table calls
``sources`` or ``context`` is a column like any other. A line of JSON may be an
:class:`~verifaible.schema.analyst.AnalystAnswer`, too, as the crypto harness writes them.
"""

from __future__ import annotations

import ast
import csv
import hashlib
import io
import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from pydantic import ValidationError

from verifaible.check.source_files import read_listed
from verifaible.errors import ConfigError, RunError
from verifaible.evidence.sources import SourceDraft, SourceOrigin, plain
from verifaible.extract.charset import decode_text
from verifaible.judge.context import sources_in_context
from verifaible.schema.analyst import AnalystAnswer, FaultCode, InputFault
from verifaible.text.dates import find_dates

_QUERIES: Final = ("query", "question")
_ANSWERS: Final = ("answer", "response")
#: Fields that say when an answer was given, the surest first.
_DATES: Final = ("answered_at", "date", "timestamp", "created_at")
#: What may be behind a model's name in the heading of a table.
_RESPONSE: Final = "_response"
_CHAT_ID: Final = "_chat_id"
_TITLE: Final = re.compile(r"^#[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)

_Record: TypeAlias = Mapping[str, Any]


@dataclass(slots=True)
class Draft:
    """An answer as an input has it.

    Attributes:
        answer: it, without an id where the input gives none; ``sources_known``: the input says what the model
            had, be it nothing.
        origin: who gave the sources.
        chat_id: names its trace; empty where there is none.
        sources: those that are not in the store yet.
        faults: what could not be used.
    """

    answer: AnalystAnswer
    origin: SourceOrigin
    chat_id: str = ""
    sources: list[SourceDraft] = field(default_factory=list)
    faults: list[InputFault] = field(default_factory=list)

    def fault(self, code: FaultCode, message: str) -> None:
        """Note what could not be used."""
        self.faults.append(InputFault(code=code, message=message))

    def update(self, **fields: Any) -> None:
        """Change fields of the answer."""
        self.answer = self.answer.model_copy(update=fields)


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file as text; ``damaged`` says that what could not be decoded is U+FFFD in it."""

    path: Path
    text: str = field(repr=False)
    damaged: bool
    sha256: str


def read_text(path: Path) -> TextFile:
    """A file as text.

    Raises:
        RunError: it is not there, is a folder, or cannot be read.
    """
    try:
        data = path.read_bytes()
    except IsADirectoryError as error:
        raise RunError(f"{path} is a folder. Name the file in it, or the folder of a run.") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise RunError(f"{path} cannot be read ({reason}). Check the name and its permissions.") from error
    found = decode_text(data)
    digest = hashlib.sha256(data).hexdigest()
    return TextFile(path, found.text.removeprefix("\ufeff"), bool(found.replaced), digest)


def read_records(path: Path) -> tuple[list[Draft], list[InputFault]]:
    """The answers of a file, and what of it is no record: of a table, of JSON, or the one of a text.

    Raises:
        RunError: the file cannot be read, or has no answers.
    """
    source = read_text(path)
    suffix = path.suffix.lower()
    if suffix in (".csv", ".tsv"):
        return [_draft(record, source, "csv", others) for record, others in _rows(source)], []
    if suffix not in (".jsonl", ".json"):
        title = _TITLE.search(source.text)
        record = {"query": title[1] if title else path.stem, "answer": source.text}
        return [_draft(record, source, "markdown")], []
    drafts: list[Draft] = []
    faults: list[InputFault] = []
    for place, value in _values(source.text):
        if isinstance(value, dict) and any(name in value for name in (*_ANSWERS, *_QUERIES)):
            drafts.append(_sealed(value, source) or _draft(value, source, "markdown"))
            continue
        why = f"not JSON ({value})" if isinstance(value, Exception) else "no record with query and answer"
        message = f"{path.name}, {place} is {why}: its answer is not judged. Correct it."
        faults.append(InputFault(code="source_unreadable", message=message))
    if not drafts:
        told = faults[0].message if faults else "It is empty."
        raise RunError(f"{path} has no answers. {told} A line is {{query, model, answer, sources}}.")
    return drafts, faults


def _values(text: str) -> Iterator[tuple[str, Any]]:
    """Each record of a list, or of lines, with its place; an exception for a line that is none."""
    try:
        whole = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        whole = None
    if whole is not None:
        several = whole if isinstance(whole, list) else [whole]
        yield from ((f"record {number}", each) for number, each in enumerate(several, 1))
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield f"line {number}", json.loads(line, strict=False)
            except (ValueError, RecursionError) as error:
                yield f"line {number}", error


def _sealed(value: dict[str, Any], source: TextFile) -> Draft | None:
    """An answer in our own form, whose sources were sealed when the tools gave them."""
    try:
        answer = AnalystAnswer.model_validate(value, strict=False)
    except ValidationError:
        return None
    return Draft(answer, SourceOrigin(kind="markdown", name=source.path.name, sha256=source.sha256))


def _draft(
    value: _Record, source: TextFile, origin: Literal["csv", "markdown"], others: _Record | None = None
) -> Draft:
    """An answer by the fields of its record; ``others`` are its further columns, by default what is left."""
    query, said, at = (_key(value, names) for names in (_QUERIES, _ANSWERS, _DATES))
    # a table's answers have traces, and those of JSON their sources with them
    used = {"model", "tags", query, said, *(("chat_id",) if origin == "csv" else ("sources", "context"))}
    if others is None:
        others = {name: each for name, each in value.items() if name not in used}
    answer = AnalystAnswer.model_construct(
        id="",
        origin=origin,
        model=_text(value.get("model")),
        query=_text(value.get(query)),
        answer=_text(value.get(said)),
        tags=tags_of(value.get("tags")),
        answered_at=moment_of(value.get(at)),
        columns={name: _text(each) for name, each in others.items()},
    )
    name = source.path.name
    draft = Draft(answer, SourceOrigin(kind=origin, name=name, sha256=source.sha256))
    if source.damaged and "\ufffd" in json.dumps([value, others], ensure_ascii=False):
        draft.fault("encoding", f"{name} could not all be decoded: what is lost is U+FFFD. Save it as UTF-8.")
    if origin == "csv":
        draft.chat_id = _text(value.get("chat_id")).strip()
        return draft
    if value.get("sources"):
        listed = json.dumps(value["sources"], ensure_ascii=False)
        if plain(listed) != listed:
            draft.fault(
                "encoding", "Half surrogate pairs in its sources are kept as U+FFFD. Export it again."
            )
        try:
            folder = source.path.parent
            draft.sources = list(read_listed(plain(listed).encode(), folder, name="The field sources"))
        except ConfigError as error:
            draft.fault("source_unreadable", str(error))
    draft.sources += sources_in_context(_text(value.get("context")), [each.id for each in draft.sources])
    # a list of addresses alone does not say what the model had
    draft.update(sources_known=bool(draft.sources))
    return draft


def _key(value: _Record, names: tuple[str, ...]) -> str:
    return next((name for name in names if value.get(name) not in (None, "")), "")


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


# --- tables


def _rows(source: TextFile) -> Iterator[tuple[_Record, _Record | None]]:
    """A record of each answer of a table, and its further columns where they are not the rest of it."""
    header, *lines = _lines(source)
    path = source.path
    if "query" not in header:
        raise RunError(
            f"{path} has no column query; its first row is: {', '.join(header)[:300]}. Give the columns "
            "query and tags (in small letters), and <model>_response for each model."
        )
    if twice := sorted({name for name in header if name and header.count(name) > 1}):
        raise RunError(f"{path} has several columns called {', '.join(twice)}. Rename them.")
    named = (name.removesuffix(end) for name in header for end in (_RESPONSE, _CHAT_ID) if name.endswith(end))
    models = tuple(dict.fromkeys(name for name in named if name))
    tall = any(name in header for name in _ANSWERS) and ("model" in header or not models)
    if not (tall or models):
        raise RunError(
            f"{path} has queries but no answers: there is no column <model>_response or <model>_chat_id. "
            "Give a table with answers, or one of query, model and answer."
        )
    ends = (_RESPONSE, _CHAT_ID, *(f"_{name}" for name in _DATES))
    ours = {"query", "tags", *(f"{model}{end}" for model in models for end in ends)}
    for line in lines:
        names = [*header, *(f"column {at}" for at in range(len(header) + 1, len(line) + 1))]
        row = dict(zip(names, line, strict=False)) if any(value.strip() for value in line) else {}
        if row and tall:
            yield row, None
            continue
        others = {name: value for name, value in row.items() if name not in ours}
        for model in models if row else ():
            own = {name: row[f"{model}_{name}"] for name in ("chat_id", *_DATES) if f"{model}_{name}" in row}
            dated = own if _key(own, _DATES) else row
            record: dict[str, str] = {name: dated[name] for name in _DATES if name in dated}
            record |= {name: row[name] for name in ("query", "tags") if name in row}
            record |= {"model": model, "answer": row.get(f"{model}{_RESPONSE}", "")}
            yield {**record, "chat_id": own.get("chat_id", "")}, others


def _lines(source: TextFile) -> list[list[str]]:
    """The lines of a table, the first one without blanks around its names."""
    head = source.text.partition("\n")[0]
    csv.field_size_limit(sys.maxsize)  # an answer may have megabytes
    reader = csv.reader(
        io.StringIO(source.text, newline=""), delimiter=max(",;\t", key=head.count), strict=True
    )
    try:
        lines = list(reader)
    except csv.Error as error:
        raise RunError(
            f"{source.path} is damaged at line {reader.line_num} ({error}): a quote may never be closed. "
            "Export it again as CSV."
        ) from error
    if not lines:
        raise RunError(
            f"{source.path} is empty. Give a CSV with the columns query, tags and <model>_response."
        )
    return [[name.strip() for name in lines[0]], *lines[1:]]


# --- values of fields


def tags_of(value: Any) -> tuple[str, ...]:
    """Tags, each once: a list, be it as Python or JSON writes it in a text, or one a line."""
    text = str(value or "").strip()
    if not isinstance(value, list) and text[:1] in ("[", "("):
        try:
            value = ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            value = None
    several = map(str, value) if isinstance(value, list | tuple) else text.splitlines()
    return tuple(dict.fromkeys(each.strip() for each in several if each.strip()))


def moment_of(value: Any) -> datetime | None:
    """A time, in UTC where no zone is said: ISO 8601, a number of seconds (or ms, µs, ns) since 1970, or one
    day in words. None for what is none: it stays in the columns.
    """
    text = str(value).strip()
    if isinstance(value, bool | None) or not 0 < len(text) <= 100:
        return None
    try:
        number = float(text) if len(text) > 8 else 0.0
        while 1e11 <= number < 1e20:
            number /= 1000
        if 1e8 <= number < 1e11:
            return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=number)
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat(text.removesuffix(" UTC").replace(" +", "+"))
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        found = [each for each in find_dates(text) if each.precision == "day" and not each.ambiguous]
    day = found[0].readings[0] if len(found) == 1 else None
    if day is None or day.year is None or day.month is None or day.day is None:
        return None
    return datetime(day.year, day.month, day.day, tzinfo=UTC)

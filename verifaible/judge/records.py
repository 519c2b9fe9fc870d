"""Answers in files that are no table: JSON, Markdown, runs of the bench, our own form."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from verifaible.bench.run.folder import RunFolder, Transcript
from verifaible.check.source_files import read_listed, with_unique_ids
from verifaible.errors import ConfigError, RunError
from verifaible.evidence.sources import SourceDraft, SourceOrigin, plain
from verifaible.judge.context import sources_in_context
from verifaible.judge.table import DATES, TextFile, moment_of, read_text, tags_of
from verifaible.runs.lines import usable
from verifaible.schema.analyst import AnalystAnswer, FaultCode, InputFault, Origin, SpanIds
from verifaible.schema.run import ToolEvent, TrialResult

#: The file of a run of the bench that has its trials, and what a run of the crypto harness has.
RESULTS: Final = "results.jsonl"
_HARNESS: Final = "harness.json"
_HARNESS_ANSWERS: Final = "answers.jsonl"

_QUERIES: Final = ("query", "question")
_ANSWERS: Final = ("answer", "response")
_FRONT: Final = re.compile(r"\A---[ \t]*\r?\n(.*?)^---[ \t]*\r?$\n?", re.DOTALL | re.MULTILINE)
_FIELD: Final = re.compile(r"^([A-Za-z_]\w*)[ \t]*:[ \t]*(.*?)[ \t]*\r?$", re.MULTILINE)
_TITLE: Final = re.compile(r"^#[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)


@dataclass(slots=True)
class AnswerDraft:
    """An answer as an input has it.

    Attributes:
        origin: who gave the sources.
        drafts: its sources, which are not in the store yet.
        listed: the input says what the model had, be it nothing; else only what the answer marks is known.
        numbers: number of a ``[@v:N]`` to the id of its citation; what the answer defines counts, too.
    """

    kind: Origin
    origin: SourceOrigin
    model: str
    query: str
    answer: str
    tags: tuple[str, ...] = ()
    answered_at: datetime | None = None
    drafts: list[SourceDraft] = field(default_factory=list)
    listed: bool = False
    numbers: Mapping[str, str] = field(default_factory=dict)
    span: SpanIds = field(default_factory=SpanIds)
    faults: list[InputFault] = field(default_factory=list)
    columns: dict[str, str] = field(default_factory=dict)

    def fault(self, code: FaultCode, message: str) -> None:
        """Note what could not be used."""
        self.faults.append(InputFault(code=code, message=message))


# --- Markdown


def read_markdown(path: Path) -> AnswerDraft:
    """One answer in a file. A head between ``---`` lines may name query, model, date and tags.

    Without a query of its own, the first heading is the query, or the name of the file.

    Raises:
        RunError: the file cannot be read.
    """
    source = read_text(path)
    front = _FRONT.match(source.text)
    fields = _FIELD.finditer(front[1]) if front else ()
    said = {match[1].lower(): match[2].strip("\"' ") for match in fields}
    text = source.text[front.end() :] if front and said else source.text
    title = _TITLE.search(text)
    query = _first(said, _QUERIES) or (title[1] if title else path.stem)
    draft = _draft({**said, "query": query, "answer": text}, path, source)
    draft.columns = said
    return draft


# --- JSON


def read_records(path: Path) -> tuple[list[AnswerDraft], list[InputFault]]:
    """Answers as JSON: a record a line, or a list of records.

    A record has ``query``, ``answer``, and where they are known ``model``, ``sources``
    (:class:`~verifaible.check.source_files.ListedSource`), ``context``, ``answered_at``, ``tags``; the other
    fields are kept in ``columns``.

    Raises:
        RunError: the file cannot be read, or no line of it is such a record.
    """
    source = read_text(path)
    drafts: list[AnswerDraft] = []
    faults: list[InputFault] = []
    for place, value in _values(source.text):
        if isinstance(value, dict) and any(name in value for name in (*_ANSWERS, *_QUERIES)):
            drafts.append(_record(value, path, source))
            continue
        why = f"not JSON ({value})" if isinstance(value, Exception) else "no record with query and answer"
        message = f"{path.name}, {place} is {why}: its answer is not judged. Correct it."
        faults.append(InputFault(code="source_unreadable", message=message))
    if not drafts:
        told = faults[0].message if faults else "It is empty."
        raise RunError(f"{path} has no answers. {told} A line is {{query, model, answer, sources}}.")
    return drafts, faults


def _values(text: str) -> Iterator[tuple[str, Any]]:
    """Each record with its place; an exception for a line that is none."""
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


def _record(value: dict[str, Any], path: Path, source: TextFile) -> AnswerDraft:
    draft = _draft(value, path, source)
    used = {"model", "tags", "sources", "context", _key(value, _QUERIES), _key(value, _ANSWERS)}
    draft.columns = {name: _text(each) for name, each in value.items() if name not in used}
    if value.get("sources"):
        listed = json.dumps(value["sources"], ensure_ascii=False)
        if plain(listed) != listed:
            draft.fault(
                "encoding", "Half surrogate pairs in its sources are kept as U+FFFD. Export it again."
            )
        try:
            found = read_listed(plain(listed).encode(), path.parent, name="The field sources")
            draft.drafts = list(found)
        except ConfigError as error:
            draft.fault("source_unreadable", str(error))
    draft.drafts += sources_in_context(_text(value.get("context")), taken=[each.id for each in draft.drafts])
    draft.listed = bool(draft.drafts)  # a list of addresses alone does not say what the model had
    return draft


def _draft(value: Mapping[str, Any], path: Path, source: TextFile) -> AnswerDraft:
    """An answer by its fields."""
    draft = AnswerDraft(
        kind="markdown",
        origin=SourceOrigin(kind="markdown", name=path.name, sha256=source.sha256),
        model=_text(value.get("model")),
        query=_text(_first(value, _QUERIES)),
        answer=_text(_first(value, _ANSWERS)),
        tags=tags_of(value.get("tags")),
        answered_at=moment_of(_first(value, DATES)),
    )
    if source.damaged and "\ufffd" in json.dumps(value, ensure_ascii=False):
        draft.fault(
            "encoding",
            f"{path.name} is not all {source.encoding}: what cannot be decoded is shown as U+FFFD. Save it "
            "as UTF-8.",
        )
    return draft


def _key(value: Mapping[str, Any], names: tuple[str, ...]) -> str:
    return next((name for name in names if value.get(name) not in (None, "")), "")


def _first(value: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return value.get(_key(value, names))


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


# --- runs of the bench


def is_run(path: Path) -> bool:
    """Whether a folder is a run of the bench."""
    return (path / "run.json").is_file()


def read_trials(path: Path) -> Iterator[AnswerDraft]:
    """The answers of a run.

    Raises:
        RunError: the folder is damaged.
    """
    folder = RunFolder(path)
    folder.info()
    for result in folder.results():
        yield _trial(folder, result, path)


def _trial(folder: RunFolder, result: TrialResult, path: Path) -> AnswerDraft:
    named_by = f"{result.model}, {result.case}, trial {result.trial}"
    draft = AnswerDraft(
        kind="trial",
        origin=SourceOrigin(kind="trial", name=f"{path.name}: {named_by}"),
        model=result.model,
        query=result.case,
        answer=result.answer,
        tags=(result.category,) if result.category else (),
        answered_at=result.finished_at,
        numbers={str(each.number): each.id for each in result.citations},
        columns={"case": result.case, "trial": str(result.trial), "error": result.error or ""},
    )
    try:
        transcript = folder.transcript(result.key)
    except RunError as error:
        there = any((path / "trials").glob(f"*--{result.case}--{result.trial}.json"))
        code: FaultCode = "trace_unreadable" if there else "trace_missing"
        draft.fault(code, f"The transcript of {named_by} cannot be used: {error}")
        return draft
    digest = hashlib.sha256(transcript.model_dump_json().encode()).hexdigest()
    draft.origin = draft.origin.model_copy(update={"sha256": digest})
    draft.query = transcript.question or result.case
    draft.drafts = list(_calls(transcript))
    draft.listed = True
    return draft


def _calls(transcript: Transcript) -> tuple[SourceDraft, ...]:
    """What the tools of a trial gave the model, in order."""
    drafts: list[SourceDraft] = []
    events = [each for each in transcript.events if isinstance(each, ToolEvent) and each.result.strip()]
    for number, event in enumerate(events, 1):
        url = _address(event.arguments)
        is_json = event.result.lstrip()[:1] in ("{", "[")
        given = "api" if is_json else "page" if url else "context"
        draft = {
            "id": f"call {number}",
            "kind": "context" if event.error_code or "cite" in event.name else given,
            "body": event.result.encode("utf-8", "surrogatepass"),
            "url": url,
            "title": event.name,
            "media_type": "application/json" if is_json else "text/plain",
        }
        drafts.append(SourceDraft.model_validate(draft))
    return with_unique_ids(drafts)


def _address(arguments: str) -> str:
    try:
        said = json.loads(arguments)
    except (ValueError, RecursionError):
        return ""
    found = _first(said, ("url", "source_url", "video_url")) if isinstance(said, dict) else ""
    return found if isinstance(found, str) else ""


# --- our own form


def own_file(path: Path) -> Path | None:
    """The file of answers in our own form that a path is, or that the folder of a run of the harness has.

    Their sources were sealed when the tools gave them: a verdict points to the very captures of the run.

    Raises:
        RunError: the folder of such a run has no answers, or the file cannot be read.
    """
    if path.is_dir():
        if not (path / _HARNESS).is_file():
            return None
        if not (path / _HARNESS_ANSWERS).is_file():
            raise RunError(
                f"{path} has no {_HARNESS_ANSWERS} yet: its run was stopped. Let it go on, then judge it."
            )
        return path / _HARNESS_ANSWERS
    if path.suffix.lower() != ".jsonl" or not path.is_file():
        return None
    return path if _own_answer(next(_lines(path), (0, b""))[1]) is not None else None


def read_own(path: Path) -> tuple[tuple[AnalystAnswer, ...], tuple[InputFault, ...]]:
    """The answers of such a file; a line that is none is a fault, and nothing else is lost.

    Raises:
        RunError: the file cannot be read, or holds no answers.
    """
    answers: list[AnalystAnswer] = []
    faults: list[InputFault] = []
    known: Counter[str] = Counter()
    for number, line in _lines(path):
        answer = _own_answer(line)
        if answer is None:
            message = f"{path.name}, line {number} is no answer of this form: it is not judged. Correct it."
            faults.append(InputFault(code="source_unreadable", message=message))
            continue
        known[answer.id] += 1
        again = known[answer.id]
        answers.append(answer if again == 1 else answer.model_copy(update={"id": f"{answer.id}-{again}"}))
    if not answers:
        raise RunError(f"{path} has no answers. Let its run go on, then judge it.")
    return tuple(answers), tuple(faults)


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    with usable(path), path.open("rb") as file:
        yield from ((number, line) for number, line in enumerate(file, 1) if line.strip())


def _own_answer(line: bytes) -> AnalystAnswer | None:
    try:
        return AnalystAnswer.model_validate_json(line)
    except ValidationError:
        return None

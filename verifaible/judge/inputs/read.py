"""Reading answers to be judged: tables, traces, runs of our own, Markdown, and records in JSON.

Whatever the form, an answer becomes an :class:`~verifaible.schema.analyst.AnalystAnswer`, and the words of
each of its sources a capture of the store. What cannot be used is a fault of the answer, which stays.

``sources_known`` is true where the input says what the model had: a trace with its span, a transcript, a list
of sources with their words. Without one it is true only if every mark of the answer leads to a source whose
words are known, as citations of the store. Of an answer that names nothing but addresses it is false: its
marks are broken (:mod:`verifaible.claims.markers`), and no claim of it is refuted for want of a source.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from verifaible.bench.run_dir import RunFolder, Transcript
from verifaible.errors import RunError
from verifaible.evidence.sources import SourceDraft, SourceKeeper, SourceOrigin
from verifaible.judge.inputs.context import Piece, drafts_of, named
from verifaible.judge.inputs.decoding import read_text
from verifaible.judge.inputs.fields import moment_of
from verifaible.judge.inputs.files import read_markdown, read_records, take_given
from verifaible.judge.inputs.making import AnswerDraft, Maker, refuse_unknown
from verifaible.judge.inputs.sidecar import Given, read_sources
from verifaible.judge.inputs.table import Cell, Row, Table, read_table
from verifaible.judge.inputs.traces import Trace, TraceFault, read_trace, trace_file
from verifaible.schema.analyst import AnalystAnswer, InputFault, SourceKind
from verifaible.schema.run import ToolEvent, TrialResult
from verifaible.store.store import Store

#: Where the public scripts put traces, beside the table.
TRACES: Final = "output"
_TABLES: Final = (".csv", ".tsv")
_RECORDS: Final = (".jsonl", ".ndjson", ".json")


@dataclass(frozen=True, slots=True)
class Loaded:
    """The answers of an input, in its order, and faults that belong to none of them."""

    answers: tuple[AnalystAnswer, ...]
    faults: tuple[InputFault, ...] = ()


def read_input(
    path: Path,
    *,
    store: Store,
    traces: Path | None = None,
    models: Sequence[str] = (),
    sources: Path | None = None,
    query: str = "",
    model: str = "",
) -> Loaded:
    """Read answers, and put their sources into the store.

    Args:
        path: a CSV, a file of JSON records, a Markdown or text file, or the folder of a run of the bench.
        store: takes the sources, and has the citations that answers name.
        traces: folder of the traces of a table; default: ``output`` beside it.
        models: only these; empty: all.
        sources: a folder or a list of sources, for every answer of a file that is no run.
        query: what a Markdown file answers, where it does not say so itself.
        model: who wrote a Markdown file.

    Raises:
        RunError: the input cannot be read, or holds no answers.
        UnknownModel: the input has no such model.
        StoreError: the store cannot be written.
    """
    given = read_sources(sources) if sources is not None else Given()
    with SourceKeeper(store) as keeper:
        maker = Maker(store, keeper)
        faults: list[InputFault] = []
        wanted = _Wanted(traces, models, given, query, model)
        answers = list(_answers(path, maker, wanted, faults))
    return Loaded(tuple(answers), tuple(faults))


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What :func:`read_input` was asked for."""

    traces: Path | None
    models: Sequence[str]
    given: Given
    query: str
    model: str


def _answers(path: Path, maker: Maker, wanted: _Wanted, faults: list[InputFault]) -> Iterator[AnalystAnswer]:
    models = wanted.models
    if path.name == RESULTS and is_run(path.parent):
        path = path.parent  # a run is named by its folder, or by the file of its trials
    if path.is_dir() and is_run(path):
        yield from _trials(path, maker, models)
        return
    form = _form(path)
    if form == "table":
        yield from _table(path, maker, wanted, faults)
        return
    if form == "records":
        drafts, found = read_records(path)
        faults += found
    else:
        drafts = [read_markdown(path, query=wanted.query, model=wanted.model)]
    refuse_unknown(models, [draft.model for draft in drafts])
    for draft in drafts:
        if not models or draft.model in models:
            take_given(draft, wanted.given)
            yield maker.make(draft)


def _form(path: Path) -> str:
    """What a file is: by its name, else by what it begins with."""
    suffix = path.suffix.lower()
    if suffix in _TABLES:
        return "table"
    if suffix in _RECORDS:
        return "records"
    if suffix in (".md", ".markdown", ".txt"):
        return "markdown"
    if path.is_dir():
        raise RunError(
            f"{path} is a folder without run.json. Name a run of the bench, or the file of answers."
        )
    head = read_text(path).text[:2000].lstrip("\ufeff \t\r\n")
    if head[:1] in ("{", "["):
        return "records"
    first = head.split("\n", 1)[0]
    return "table" if "query" in first and "_response" in first else "markdown"


def _trials(path: Path, maker: Maker, models: Sequence[str]) -> Iterator[AnalystAnswer]:
    trials = list(read_trials(path))
    refuse_unknown(models, [draft.model for draft, _ in trials])
    for draft, numbers in trials:
        if not models or draft.model in models:
            yield maker.make(draft, numbers)


# --- tables


def _table(path: Path, maker: Maker, wanted: _Wanted, faults: list[InputFault]) -> Iterator[AnalystAnswer]:
    traces, models = wanted.traces, wanted.models
    table = read_table(path)
    for name in table.twice:
        message = (
            f"{path.name} has several columns called {name}: the first counts, the others are kept and not "
            "judged. Rename them."
        )
        faults.append(InputFault(code="source_unreadable", message=message))
    if not table.models:
        raise RunError(
            f"{path} has queries but no answers: there is no column <model>_response or <model>_chat_id. "
            "Give a table with answers, or one of query, model and answer."
        )
    refuse_unknown(models, table.models)
    folder = traces if traces is not None else path.parent / TRACES
    if traces is not None and not traces.is_dir():
        raise RunError(f"{traces} is not a folder. Name the one with <model>/traces/<chat_id>.json.")
    for row in table.rows:
        for cell in row.cells:
            if not models or cell.model in models:
                draft = _cell_draft(path, table, row, cell, folder)
                take_given(draft, wanted.given)
                yield maker.make(draft)


def _cell_draft(path: Path, table: Table, row: Row, cell: Cell, folder: Path) -> AnswerDraft:
    draft = AnswerDraft(
        kind="csv",
        origin=SourceOrigin(kind="csv", name=path.name, sha256=table.sha256),
        model=cell.model,
        query=row.query,
        answer=cell.response,
        tags=row.tags,
        answered_at=moment_of(cell.date),
        columns=cell.columns,
    )
    if row.damaged:
        draft.fault(
            "encoding",
            f"Row {row.number} could not be decoded as the rest of {path.name}: what is lost is U+FFFD. Save "
            "the table as UTF-8.",
        )
    if cell.chat_id:
        try:
            trace = read_trace(trace_file(folder, cell.model, cell.chat_id), answer=cell.response)
        except TraceFault as fault:
            draft.fault(fault.code, str(fault))
        else:
            _take_trace(draft, trace)
    return draft


def _take_trace(draft: AnswerDraft, trace: Trace) -> None:
    """What a trace says of an answer; the table's own answer and date come first."""
    draft.kind, draft.origin, draft.span = "trace", trace.origin, trace.span
    draft.answer = draft.answer if draft.answer.strip() else trace.answer
    draft.answered_at = trace.at or draft.answered_at
    if trace.damaged:
        draft.fault("encoding", f"The trace {trace.origin.name} is no whole UTF-8: what is lost is U+FFFD.")
    draft.listed = trace.has_context
    if not trace.has_context:
        draft.fault(
            "span_missing",
            f"The span of the trace {trace.origin.name} does not say what the model was given: its sources "
            "are not known. Export the trace with its inputs.",
        )
    contexts = [*trace.tools, trace.context]
    for context in contexts:
        if context.strip():
            found = drafts_of(context, taken=[each.id for each in draft.drafts])
            draft.drafts += [each.model_copy(update={"at": trace.at}) for each in found]


#: The file of a run that has its trials.
RESULTS = "results.jsonl"
_READING = ("fetch", "analyze", "page", "transcript", "steps", "browse", "open")


def is_run(path: Path) -> bool:
    """Whether a folder is a run of the bench."""
    return (path / "run.json").is_file()


def read_trials(path: Path) -> Iterator[tuple[AnswerDraft, dict[str, str]]]:
    """The answers of a run, each with the ids of its citations by number.

    Raises:
        RunError: the folder is damaged.
    """
    folder = RunFolder(path)
    folder.info()
    for result in folder.results():
        yield _draft(folder, result, path), {str(each.number): each.id for each in result.citations}


def _draft(folder: RunFolder, result: TrialResult, path: Path) -> AnswerDraft:
    named_by = f"{result.model}, {result.case}, trial {result.trial}"
    draft = AnswerDraft(
        kind="trial",
        origin=SourceOrigin(kind="trial", name=f"{path.name}: {named_by}"),
        model=result.model,
        query=result.case,
        answer=result.answer,
        tags=tuple(each for each in (result.category,) if each),
        answered_at=result.finished_at,
        columns={
            "case": result.case,
            "trial": str(result.trial),
            "ended_by": result.ended_by,
            "error": result.error or "",
        },
    )
    try:
        transcript = folder.transcript(result.key)
    except RunError as error:
        there = any((path / "trials").glob(f"*--{result.case}--{result.trial}.json"))
        code = "trace_unreadable" if there else "trace_missing"
        draft.fault(code, f"The transcript of {named_by} cannot be used: {error}")
        return draft
    digest = hashlib.sha256(transcript.model_dump_json().encode()).hexdigest()
    draft.origin = draft.origin.model_copy(update={"sha256": digest})
    draft.query = transcript.question or result.case
    draft.drafts = list(sources_of(transcript))
    draft.listed = True
    return draft


def sources_of(transcript: Transcript) -> tuple[SourceDraft, ...]:
    """What the tools of a trial gave the model, in order; a search gives its results one by one."""
    drafts: list[SourceDraft] = []
    for number, event in enumerate(_calls(transcript), 1):
        name = f"call {number}"
        if "search" in event.name and not event.error_code:
            found = drafts_of(event.result, taken=[each.id for each in drafts])
            drafts += [each.model_copy(update={"title": each.title or event.name}) for each in found]
            continue
        url = _address(event.arguments)
        piece = Piece(event.result, _kind(event, url), (), name, url, event.name)
        drafts += named([piece], taken=[each.id for each in drafts])
    return tuple(drafts)


def _calls(transcript: Transcript) -> Iterator[ToolEvent]:
    for event in transcript.events:
        if isinstance(event, ToolEvent) and event.result.strip():
            yield event


def _kind(event: ToolEvent, url: str) -> SourceKind:
    if event.error_code or "cite" in event.name:
        return "context"
    if event.result.lstrip()[:1] in ("{", "["):
        return "api"
    return "page" if url and any(word in event.name for word in _READING) else "context"


def _address(arguments: str) -> str:
    try:
        said: Any = json.loads(arguments)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(said, dict):
        return ""
    found = (said.get(name) for name in ("url", "source_url", "video_url", "link"))
    return next((each for each in found if isinstance(each, str) and each), "")

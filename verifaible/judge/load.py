"""Reading answers to be judged, whatever their form, and putting the words of their sources into the store.

What cannot be used is a fault of the answer, which stays. ``sources_known`` is true where the input says
what the model had: a trace with its span, a transcript, a list of sources with their words. Without one it
is true only if every mark of the answer leads to a source whose words are known, as citations of the store;
of an answer that names nothing but addresses it is false, and no claim of it is refuted for want of a
source.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from verifaible.check.source_files import read_source_files, with_unique_ids
from verifaible.claims.answer_text import find_definitions, is_id
from verifaible.claims.markers import marks_of
from verifaible.errors import CitationNotFound, ConfigError, RunError, StoreError, UnknownModel
from verifaible.evidence.sources import SourceKeeper, SourceOrigin, citation_source, plain
from verifaible.judge.context import sources_in_context
from verifaible.judge.records import (
    RESULTS,
    AnswerDraft,
    is_run,
    own_file,
    read_markdown,
    read_own,
    read_records,
    read_trials,
)
from verifaible.judge.table import Cell, moment_of, read_table
from verifaible.judge.traces import TraceFault, read_trace, trace_file
from verifaible.schema.analyst import AnalystAnswer, InputFault, Source
from verifaible.store.store import Store
from verifaible.text.markers import find_markers

#: Where the public scripts put traces, beside the table.
TRACES: Final = "output"
_ID_LENGTH: Final = 16


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
) -> Loaded:
    """Read answers, and put their sources into the store.

    Args:
        path: a CSV, a file of JSON records, a Markdown or text file, or the folder of a run.
        store: takes the sources, and has the citations that answers name.
        traces: folder of the traces of a table; default: ``output`` beside it.
        models: only these; empty: all.
        sources: a folder or a list of sources, for every answer of a file that is no run.

    Raises:
        RunError: the input cannot be read, or holds no answers.
        ConfigError: the sources cannot be read.
        UnknownModel: the input has no such model.
        StoreError: the store cannot be written.
    """
    if sources is None and (own := own_file(path)) is not None:
        answers, told = read_own(own)
        _refuse_unknown(models, [answer.model for answer in answers])
        return Loaded(tuple(each for each in answers if not models or each.model in models), told)
    given = read_source_files(sources) if sources is not None else ()
    drafts, faults = _drafts(path, traces, models)
    with SourceKeeper(store) as keeper:
        maker = _Maker(store, keeper)
        made = []
        for draft in drafts:
            if draft.kind != "trial" and given:
                draft.drafts, draft.listed = [*draft.drafts, *given], True
            made.append(maker.make(draft))
    return Loaded(tuple(made), tuple(faults))


def _drafts(
    path: Path, traces: Path | None, models: Sequence[str]
) -> tuple[Iterator[AnswerDraft], list[InputFault]]:
    """The answers of an input, and its faults."""
    if path.name == RESULTS and is_run(path.parent):
        path = path.parent  # a run is named by its folder, or by the file of its trials
    form = _form(path)
    if form == "table":
        return _table(path, traces, models), []
    faults: list[InputFault] = []
    if form == "records":
        drafts, faults = read_records(path)
    else:
        drafts = list(read_trials(path)) if form == "run" else [read_markdown(path)]
    _refuse_unknown(models, [draft.model for draft in drafts])
    return (draft for draft in drafts if not models or draft.model in models), faults


def _form(path: Path) -> str:
    """What an input is, by its name; what has none of these is a text."""
    if path.is_dir():
        if is_run(path):
            return "run"
        raise RunError(
            f"{path} is a folder without run.json. Name a run of the bench, or the file of answers."
        )
    suffixes = {".csv": "table", ".tsv": "table", ".jsonl": "records", ".json": "records"}
    return suffixes.get(path.suffix.lower(), "markdown")


def _refuse_unknown(models: Sequence[str], there: Sequence[str]) -> None:
    if missing := [name for name in models if name not in there]:
        raise UnknownModel(
            f"The input has no model {', '.join(missing)}. It has: "
            f"{', '.join(dict.fromkeys(there)) or 'none'}. Capital letters count."
        )


# --- tables


def _table(path: Path, traces: Path | None, models: Sequence[str]) -> Iterator[AnswerDraft]:
    table = read_table(path)
    _refuse_unknown(models, table.models)
    if traces is not None and not traces.is_dir():
        raise RunError(f"{traces} is not a folder. Name the one with <model>/traces/<chat_id>.json.")
    folder = traces if traces is not None else path.parent / TRACES
    cells = (cell for cell in table.cells if not models or cell.model in models)
    return (_cell_draft(path, table.sha256, cell, folder) for cell in cells)


def _cell_draft(path: Path, sha256: str, cell: Cell, folder: Path) -> AnswerDraft:
    draft = AnswerDraft(
        kind="csv",
        origin=SourceOrigin(kind="csv", name=path.name, sha256=sha256),
        model=cell.model,
        query=cell.query,
        answer=cell.response,
        tags=cell.tags,
        answered_at=moment_of(cell.date),
        columns=cell.columns,
    )
    if cell.damaged:
        draft.fault(
            "encoding",
            f"Row {cell.row} could not be decoded as the rest of {path.name}: what is lost is U+FFFD. Save "
            "the table as UTF-8.",
        )
    if cell.chat_id:
        try:
            _take_trace(draft, trace_file(folder, cell.model, cell.chat_id))
        except TraceFault as fault:
            draft.fault(fault.code, str(fault))
    return draft


def _take_trace(draft: AnswerDraft, file: Path) -> None:
    """What a trace says of an answer; the table's own answer and date come first."""
    trace = read_trace(file, answer=draft.answer)
    draft.kind, draft.origin, draft.span = "trace", trace.origin, trace.span
    draft.answer = draft.answer if draft.answer.strip() else trace.answer
    draft.answered_at = trace.at or draft.answered_at
    draft.listed = bool(trace.contexts)
    if trace.damaged:
        draft.fault("encoding", f"The trace {trace.origin.name} is no whole UTF-8: what is lost is U+FFFD.")
    if not trace.contexts:
        draft.fault(
            "span_missing",
            f"The span of the trace {trace.origin.name} does not say what the model was given: its sources "
            "are not known. Export the trace with its inputs.",
        )
    for context in trace.contexts:
        found = sources_in_context(context, taken=[each.id for each in draft.drafts])
        draft.drafts += [each.model_copy(update={"at": trace.at}) for each in found]


# --- an answer from its draft


@dataclass(slots=True)
class _Maker:
    """Makes the answers of one input; ids are unique in it and the same in every run."""

    store: Store
    keeper: SourceKeeper
    ids: Counter[str] = field(default_factory=Counter)

    def make(self, draft: AnswerDraft) -> AnalystAnswer:
        """The answer; its sources are put into the store."""
        answer = plain(draft.answer)
        if answer != draft.answer:
            message = "Half surrogate pairs in the answer are shown as U+FFFD. Export it again."
            draft.fault("encoding", message)
        if not answer.strip():
            message = f"{draft.model or 'The model'} has no answer here: nothing is judged."
            draft.fault("empty_answer", message)
        stored = self._cited(answer, draft)
        kept = self.keeper.add(
            with_unique_ids(draft.drafts, [each.id for each in stored]), origin=draft.origin
        )
        for each in kept:
            if each.fault:
                draft.fault("source_unreadable", f"Source {each.source.id}: {each.fault}")
        made = AnalystAnswer(
            id=self._id(draft.model, draft.query, answer),
            origin=draft.kind,
            model=plain(draft.model),
            query=plain(draft.query),
            tags=tuple(map(plain, draft.tags)),
            answer=answer,
            answered_at=draft.answered_at,
            sources=(*stored, *(each.source for each in kept)),
            sources_known=draft.listed,
            span=draft.span,
            faults=tuple(draft.faults),
            columns={plain(name): plain(value) for name, value in draft.columns.items()},
        )
        return made if draft.listed else made.model_copy(update={"sources_known": _all_known(made)})

    def _id(self, model: str, query: str, answer: str) -> str:
        named = json.dumps([model, query, answer], ensure_ascii=True).encode()
        stem = hashlib.sha256(named).hexdigest()[:_ID_LENGTH]
        self.ids[stem] += 1
        return stem if self.ids[stem] == 1 else f"{stem}-{self.ids[stem]}"

    def _cited(self, answer: str, draft: AnswerDraft) -> list[Source]:
        """The citations of the store that the answer's own marks name."""
        markers = find_markers(answer)
        defined = dict(draft.numbers)
        try:
            defined |= find_definitions(answer) if markers or defined else {}
        except ConfigError as error:
            draft.fault("citation_missing", str(error))
        names = {f"@v:{number}": name for number, name in defined.items()}
        names |= {f"@v:{each}": each for marker in markers for each in marker.targets if is_id(each)}
        found: dict[str, Source] = {}
        for name, beginning in names.items():
            try:
                citation = self.store.get(beginning)
            except CitationNotFound as error:
                draft.fault("citation_missing", f"[{name}]: {error}")
            except StoreError as error:
                draft.fault("source_unreadable", f"[{name}]: {error}")
            else:
                known = found.get(citation.id)
                aliases = (*known.aliases, name) if known else ()
                found[citation.id] = citation_source(citation, known.id if known else name, aliases)
        return list(found.values())


def _all_known(answer: AnalystAnswer) -> bool:
    """Whether every mark of the answer leads to a source whose words are known, and there is one."""
    marks = marks_of(answer)
    return bool(answer.sources and marks) and not any(mark.resolved.broken for mark in marks)

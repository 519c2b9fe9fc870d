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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from verifaible.check.source_files import read_source_files, with_unique_ids
from verifaible.claims.answer_text import find_definitions, is_id
from verifaible.claims.markers import marks_of
from verifaible.errors import CitationNotFound, ConfigError, RunError, StoreError, UnknownModel
from verifaible.evidence.sources import SourceKeeper, SourceOrigin, citation_source, plain
from verifaible.judge.context import sources_in_context
from verifaible.judge.records import Draft, read_markdown, read_records, read_trials
from verifaible.judge.table import Cell, moment_of, read_table
from verifaible.judge.traces import TraceFault, read_trace, trace_file
from verifaible.schema.analyst import AnalystAnswer, InputFault, Source
from verifaible.store.store import Store
from verifaible.text.markers import find_markers

#: Where the public scripts put traces, beside the table.
TRACES: Final = "output"
#: The files of a run of the bench, and of the crypto harness.
_BENCH: Final = ("run.json", "results.jsonl")
_HARNESS: Final = ("harness.json", "answers.jsonl")
_ID_LENGTH: Final = 16


@dataclass(frozen=True, slots=True)
class Loaded:
    """The answers of an input, in its order, and faults that belong to none of them."""

    answers: tuple[AnalystAnswer, ...]
    faults: tuple[InputFault, ...] = ()


def input_file(path: Path) -> Path:
    """The file that has the answers: of the folder of a run, its results or answers.

    Raises:
        RunError: the folder is no run, or has none yet.
    """
    if not path.is_dir():
        return path
    for info, answers in (_BENCH, _HARNESS):
        if (path / info).is_file():
            if (path / answers).is_file() or info == _BENCH[0]:
                return path / answers
            raise RunError(f"{path} has no {answers} yet: its run was stopped. Let it go on, then judge it.")
    raise RunError(f"{path} is a folder without run.json. Name a run of the bench, or the file of answers.")


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
    path = input_file(path)
    given = read_source_files(sources) if sources is not None else ()
    faults: list[InputFault] = []
    drafts: Iterable[Draft]
    if path.suffix.lower() in (".csv", ".tsv"):
        drafts = _table(path, traces, models)
    elif path.name == _BENCH[1] and (path.parent / _BENCH[0]).is_file():
        drafts = _of_models(list(read_trials(path.parent)), models)
    elif path.suffix.lower() in (".jsonl", ".json"):
        records, faults = read_records(path)
        drafts = _of_models(records, models)
    else:
        drafts = _of_models([read_markdown(path)], models)
    with SourceKeeper(store) as keeper:
        maker = _Maker(store, keeper)
        made = []
        for draft in drafts:
            if given and draft.answer.origin != "trial" and not draft.answer.id:
                draft.sources += given
                draft.update(sources_known=True)
            made.append(maker.make(draft))
    return Loaded(tuple(made), tuple(faults))


def _of_models(drafts: Sequence[Draft], models: Sequence[str]) -> list[Draft]:
    _refuse_unknown(models, [draft.answer.model for draft in drafts])
    return [draft for draft in drafts if not models or draft.answer.model in models]


def _refuse_unknown(models: Sequence[str], there: Sequence[str]) -> None:
    if missing := [name for name in models if name not in there]:
        raise UnknownModel(
            f"The input has no model {', '.join(missing)}. It has: "
            f"{', '.join(dict.fromkeys(there)) or 'none'}. Capital letters count."
        )


# --- tables


def _table(path: Path, traces: Path | None, models: Sequence[str]) -> Iterator[Draft]:
    table = read_table(path)
    _refuse_unknown(models, table.models)
    if traces is not None and not traces.is_dir():
        raise RunError(f"{traces} is not a folder. Name the one with <model>/traces/<chat_id>.json.")
    folder = traces if traces is not None else path.parent / TRACES
    cells = (cell for cell in table.cells if not models or cell.model in models)
    return (_cell_draft(path, table.sha256, cell, folder) for cell in cells)


def _cell_draft(path: Path, sha256: str, cell: Cell, folder: Path) -> Draft:
    answer = AnalystAnswer(
        id="",
        origin="csv",
        model=cell.model,
        query=cell.query,
        answer=cell.response,
        tags=cell.tags,
        answered_at=moment_of(cell.date),
        columns=cell.columns,
    )
    draft = Draft(answer, SourceOrigin(kind="csv", name=path.name, sha256=sha256))
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


def _take_trace(draft: Draft, file: Path) -> None:
    """What a trace says of an answer; the table's own answer and date come first."""
    said = draft.answer
    trace = read_trace(file, answer=said.answer)
    draft.origin = trace.origin
    draft.update(
        origin="trace",
        span=trace.span,
        answer=said.answer if said.answer.strip() else trace.answer,
        answered_at=trace.at or said.answered_at,
        sources_known=bool(trace.contexts),
    )
    if trace.damaged:
        draft.fault("encoding", f"The trace {trace.origin.name} is no whole UTF-8: what is lost is U+FFFD.")
    if not trace.contexts:
        draft.fault(
            "span_missing",
            f"The span of the trace {trace.origin.name} does not say what the model was given: its sources "
            "are not known. Export the trace with its inputs.",
        )
    for context in trace.contexts:
        found = sources_in_context(context, [each.id for each in draft.sources])
        draft.sources += [each.model_copy(update={"at": trace.at}) for each in found]


# --- an answer from its draft


@dataclass(slots=True)
class _Maker:
    """Makes the answers of one input; ids are unique in it and the same in every run."""

    store: Store
    keeper: SourceKeeper
    ids: Counter[str] = field(default_factory=Counter)

    def make(self, draft: Draft) -> AnalystAnswer:
        """The answer; its sources are put into the store."""
        said = draft.answer
        if said.id:  # in our own form: its sources are there
            return said.model_copy(update={"id": self._unique(said.id)})
        answer = plain(said.answer)
        if answer != said.answer:
            draft.fault(
                "encoding", "Half surrogate pairs in the answer are shown as U+FFFD. Export it again."
            )
        if not answer.strip():
            message = f"{said.model or 'The model'} has no answer here: nothing is judged."
            draft.fault("empty_answer", message)
        stored = self._cited(answer, draft)
        named = with_unique_ids(draft.sources, [each.id for each in stored])
        kept = self.keeper.add(named, origin=draft.origin)
        for each in kept:
            if each.fault:
                draft.fault("source_unreadable", f"Source {each.source.id}: {each.fault}")
        hashed = json.dumps([said.model, said.query, answer], ensure_ascii=True).encode()
        made = said.model_copy(
            update={
                "id": self._unique(hashlib.sha256(hashed).hexdigest()[:_ID_LENGTH]),
                "model": plain(said.model),
                "query": plain(said.query),
                "tags": tuple(map(plain, said.tags)),
                "answer": answer,
                "sources": (*stored, *(each.source for each in kept)),
                "faults": tuple(draft.faults),
                "columns": {plain(name): plain(value) for name, value in said.columns.items()},
            }
        )
        return made.model_copy(update={"sources_known": made.sources_known or _all_known(made)})

    def _unique(self, name: str) -> str:
        self.ids[name] += 1
        return name if self.ids[name] == 1 else f"{name}-{self.ids[name]}"

    def _cited(self, answer: str, draft: Draft) -> list[Source]:
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

"""Reading answers to be judged, whatever their form, and putting the words of their sources into the store.

What cannot be used is a fault of the answer, which stays. ``sources_known`` is true where the input says
what the model had: a trace with its span, or a list of sources with their words. Without one no claim of the
answer is refuted for want of a source.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from verifaible.check.source_files import read_source_files, with_unique_ids
from verifaible.errors import RunError, UnknownModel
from verifaible.evidence.sources import SourceKeeper, plain
from verifaible.judge.records import Draft, read_records
from verifaible.judge.traces import TraceFault, take_trace, trace_file
from verifaible.schema.analyst import AnalystAnswer, InputFault
from verifaible.store.store import Store

#: Where the public scripts put traces, beside the table.
TRACES: Final = "output"
#: The files of a run of the crypto harness.
_HARNESS: Final = ("harness.json", "answers.jsonl")
_ID_LENGTH: Final = 16


@dataclass(frozen=True, slots=True)
class Loaded:
    """The answers of an input, in its order, and faults that belong to none of them."""

    answers: tuple[AnalystAnswer, ...]
    faults: tuple[InputFault, ...] = ()


def input_file(path: Path) -> Path:
    """The file that has the answers: in the folder of a run of the crypto harness, or itself.

    Raises:
        RunError: the folder is no run, or has none yet.
    """
    info, answers = _HARNESS
    if not path.is_dir() or ((path / info).is_file() and (path / answers).is_file()):
        return path / answers if path.is_dir() else path
    if (path / info).is_file():
        raise RunError(f"{path} has no {answers} yet: its run was stopped. Let it go on, then judge it.")
    raise RunError(f"{path} is a folder without {info}. Name a run of the harness, or the file of answers.")


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
        path: a CSV, a file of JSON records, a Markdown or text file, or the folder of a run of the harness.
        store: takes the sources.
        traces: folder of the traces of a table; default: ``output`` beside it.
        models: only these; empty: all.
        sources: a folder or a list of sources, for every answer whose own are not captures already.

    Raises:
        RunError: the input cannot be read, or holds no answers.
        ConfigError: the sources cannot be read.
        UnknownModel: the input has no such model.
        StoreError: the store cannot be written.
    """
    path = input_file(path)
    given = read_source_files(sources) if sources is not None else ()
    if traces is not None and not traces.is_dir():
        raise RunError(f"{traces} is not a folder. Name the one with <model>/traces/<chat_id>.json.")
    drafts, faults = read_records(path)
    there = dict.fromkeys(draft.answer.model for draft in drafts)
    if missing := [name for name in models if name not in there]:
        raise UnknownModel(
            f"The input has no model {', '.join(missing)}. It has: {', '.join(there) or 'none'}. Capital "
            "letters count."
        )
    with SourceKeeper(store) as keeper:
        maker = _Maker(keeper)
        made = []
        for draft in drafts:
            if models and draft.answer.model not in models:
                continue
            if draft.chat_id:
                try:
                    folder = traces if traces is not None else path.parent / TRACES
                    take_trace(draft, trace_file(folder, draft.answer.model, draft.chat_id))
                except TraceFault as fault:
                    draft.fault(fault.code, str(fault))
            if given and not draft.answer.id:
                draft.sources += given
                draft.update(sources_known=True)
            made.append(maker.make(draft))
    return Loaded(tuple(made), tuple(faults))


# --- an answer from its draft


@dataclass(slots=True)
class _Maker:
    """Makes the answers of one input; ids are unique in it and the same in every run."""

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
        kept = self.keeper.add(with_unique_ids(draft.sources), origin=draft.origin)
        for each in kept:
            if each.fault:
                draft.fault("source_unreadable", f"Source {each.source.id}: {each.fault}")
        hashed = json.dumps([said.model, said.query, answer], ensure_ascii=True).encode()
        return said.model_copy(
            update={
                "id": self._unique(hashlib.sha256(hashed).hexdigest()[:_ID_LENGTH]),
                "model": plain(said.model),
                "query": plain(said.query),
                "tags": tuple(map(plain, said.tags)),
                "answer": answer,
                "sources": tuple(each.source for each in kept),
                "faults": tuple(draft.faults),
                "columns": {plain(name): plain(value) for name, value in said.columns.items()},
            }
        )

    def _unique(self, name: str) -> str:
        self.ids[name] += 1
        return name if self.ids[name] == 1 else f"{name}-{self.ids[name]}"

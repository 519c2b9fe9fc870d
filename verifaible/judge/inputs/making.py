"""An answer from what an input says of it: its sources go into the store, its faults stay with it."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from verifaible.claims.answer_text import find_definitions, is_id
from verifaible.claims.markers import marks_of
from verifaible.errors import CitationNotFound, ConfigError, StoreError, UnknownModel
from verifaible.evidence.sources import SourceDraft, SourceKeeper, SourceOrigin, citation_source, plain
from verifaible.schema.analyst import AnalystAnswer, InputFault, Origin, Source, SpanIds
from verifaible.store.store import Store
from verifaible.text.markers import find_markers

_ID_LENGTH: Final = 16


@dataclass(slots=True)
class AnswerDraft:
    """An answer as an input has it.

    Attributes:
        origin: who gave the sources.
        drafts: sources that are not in the store yet.
        stored: sources that are.
        listed: the input says what the model had, be it nothing; None: only what the answer marks is known.
    """

    kind: Origin
    origin: SourceOrigin
    model: str
    query: str
    answer: str
    tags: tuple[str, ...] = ()
    answered_at: datetime | None = None
    drafts: list[SourceDraft] = field(default_factory=list)
    stored: list[Source] = field(default_factory=list)
    listed: bool = False
    span: SpanIds = field(default_factory=SpanIds)
    faults: list[InputFault] = field(default_factory=list)
    columns: dict[str, str] = field(default_factory=dict)

    def fault(self, code: str, message: str) -> None:
        """Note what could not be used."""
        self.faults.append(InputFault.model_validate({"code": code, "message": message}))


class Maker:
    """Makes the answers of one input; ids are unique in it and the same in every run.

    Args:
        store: where the sources go, and where cited evidence is.
        keeper: puts the sources there.
    """

    def __init__(self, store: Store, keeper: SourceKeeper) -> None:
        self._store = store
        self._keeper = keeper
        self._ids: Counter[str] = Counter()

    def make(self, draft: AnswerDraft, numbers: Mapping[str, str] | None = None) -> AnalystAnswer:
        """The answer.

        Args:
            draft: what the input says.
            numbers: number of a ``[@v:N]`` to the id of its citation; what the answer defines counts, too.

        Raises:
            StoreError: the store cannot be written.
        """
        answer = plain(draft.answer)
        if answer != draft.answer:
            draft.fault(
                "encoding", "Half surrogate pairs in the answer are shown as U+FFFD. Export it again."
            )
        if not answer.strip():
            draft.fault(
                "empty_answer", f"{draft.model or 'The model'} has no answer here: nothing is judged."
            )
        stored = [*draft.stored, *self._cited(answer, draft, numbers or {})]
        kept = self._keeper.add(_apart(draft.drafts, stored), origin=draft.origin)
        for each in kept:
            if each.fault:
                draft.fault("source_unreadable", f"Source {each.source.id}: {each.fault}")
        made = AnalystAnswer(
            id=self._id(draft.model, draft.query, answer),
            origin=draft.kind,
            model=plain(draft.model),
            query=plain(draft.query),
            tags=tuple(plain(tag) for tag in draft.tags),
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
        self._ids[stem] += 1
        return stem if self._ids[stem] == 1 else f"{stem}-{self._ids[stem]}"

    # --- citations of the store

    def _cited(self, answer: str, draft: AnswerDraft, numbers: Mapping[str, str]) -> list[Source]:
        """The citations that the answer's own markers name."""
        markers = find_markers(answer)
        if not markers and not numbers:
            return []
        try:
            defined = {**numbers, **find_definitions(answer)}
        except ConfigError as error:
            draft.fault("citation_missing", str(error))
            defined = dict(numbers)
        names = {f"@v:{number}": name for number, name in defined.items()}
        for marker in markers:
            names |= {f"@v:{each}": each for each in marker.targets if is_id(each)}
        found: dict[str, Source] = {}
        for name, beginning in names.items():
            try:
                citation = self._store.get(beginning)
            except CitationNotFound as error:
                draft.fault("citation_missing", f"[{name}]: {error}")
            except StoreError as error:
                draft.fault("source_unreadable", f"[{name}]: {error}")
            else:
                known = found.get(citation.id)
                aliases = (*known.aliases, name) if known else ()
                found[citation.id] = citation_source(citation, known.id if known else name, aliases)
        return list(found.values())


def _apart(drafts: Sequence[SourceDraft], stored: Sequence[Source]) -> list[SourceDraft]:
    """Drafts with ids that no other source of the answer has."""
    used = {source.id for source in stored}
    apart: list[SourceDraft] = []
    for draft in drafts:
        name, number = draft.id, 1
        while name in used:
            number += 1
            name = f"{draft.id}#{number}"
        used.add(name)
        if name != draft.id:
            aliases = tuple(dict.fromkeys((draft.id, *draft.aliases)))
            draft = draft.model_copy(update={"id": name, "aliases": aliases})  # noqa: PLW2901
        apart.append(draft)
    return apart


def _all_known(answer: AnalystAnswer) -> bool:
    """Whether every mark of the answer leads to a source whose words are known, and there is one."""
    marks = marks_of(answer)
    return bool(answer.sources and marks) and not any(mark.resolved.broken for mark in marks)


def refuse_unknown(models: Sequence[str], there: Sequence[str]) -> None:
    """Refuse names of models that an input does not have.

    Raises:
        UnknownModel: one of them is not there; the message lists those that are.
    """
    if missing := [name for name in models if name not in there]:
        raise UnknownModel(
            f"The input has no model {', '.join(missing)}. It has: "
            f"{', '.join(dict.fromkeys(there)) or 'none'}. Capital letters count."
        )

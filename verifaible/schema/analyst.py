"""Long answers with their sources, and the atomic claims they are made of."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, TypeAlias

from pydantic import Field

from verifaible.schema.base import Record

#: ``page`` the text of a web page; ``api`` a JSON response; ``snippet`` a line of search results;
#: ``document`` a file; ``context`` what else was given to the model; ``citation`` one of the store's own;
#: ``computed`` a value that was computed from other sources.
SourceKind: TypeAlias = Literal["page", "api", "snippet", "document", "context", "citation", "computed"]
#: Where an answer was read from.
Origin: TypeAlias = Literal["csv", "trace", "trial", "markdown"]
ClaimKind: TypeAlias = Literal["number", "date", "name", "technical", "opinion"]
#: Why a part of an input could not be used; nothing else of it is lost.
FaultCode: TypeAlias = Literal[
    "empty_answer",
    "trace_missing",
    "trace_unreadable",
    "span_missing",
    "source_unreadable",
    "citation_missing",
    "encoding",
]


class InputFault(Record):
    """Something of an input that could not be used, with a sentence that says what to do."""

    code: FaultCode
    message: str


class Source(Record):
    """What an answer rests on: words that are sealed in a capture of the store.

    Attributes:
        id: what the answer calls it (``src_5``, ``1``, an address); unique in its answer.
        kind: what it is.
        url: where it is from; empty where that is not known.
        title: its title, or the name of the call that gave it.
        capture: SHA-256 of the capture.
        file: the file in the capture, UTF-8, in which offsets count code points.
        aliases: what else the answer may call it.
    """

    id: str
    kind: SourceKind
    url: str = ""
    title: str = ""
    capture: str
    file: str = "evidence/source.txt"
    aliases: tuple[str, ...] = ()


class SpanIds(Record):
    """What the trace calls the answer; the columns of the public scripts have these."""

    session_id: str = ""
    trace_id: str = ""
    span_id: str = ""
    span_name: str = ""
    span_kind: str = ""
    parent_id: str = ""


class AnalystAnswer(Record):
    """A query, a long answer to it, and the sources that the model had.

    Attributes:
        id: made from model, query and answer; stable from run to run.
        model: who answered; no judge is told.
        answered_at: when, by the trace or the input; dates are judged against it. None: not known.
        columns: further columns of the input's row, as they were.
        sources_known: whether the input says what the model had; without it nothing can be refuted.
    """

    id: str
    origin: Origin
    model: str
    query: str
    tags: tuple[str, ...] = ()
    answer: str
    answered_at: datetime | None = None
    sources: tuple[Source, ...] = ()
    sources_known: bool = False
    span: SpanIds = Field(default_factory=SpanIds)
    faults: tuple[InputFault, ...] = ()
    columns: dict[str, str] = Field(default_factory=dict)


class Claim(Record):
    """One atomic claim of an answer.

    Attributes:
        id: ``c1``, ``c2`` and so on, in the order of the answer.
        start: first code point in the answer.
        end: behind the last one; ``answer[start:end]`` holds every value of ``text``.
        text: the claim as a sentence that stands on its own; of the rules, the words of the answer.
        context: what says what it is about where its own words do not: heading, table head, row, the bold
            label of its list item.
        sentence: number of the sentence it is from, from 0.
        cites: ids of the sources that the answer names for it, in order.
        broken: marks that lead to no source.
    """

    id: str
    start: int
    end: int
    text: str
    kind: ClaimKind
    context: tuple[str, ...] = ()
    sentence: int = 0
    cites: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()

    @property
    def factual(self) -> bool:
        """Whether it states something that a source could hold."""
        return self.kind != "opinion"


class Coverage(Record):
    """Whether claims cover an answer: how many of its sentences, and the ranges that none covers."""

    sentences: int
    covered: int
    uncovered: tuple[tuple[int, int], ...] = ()

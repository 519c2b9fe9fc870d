"""A judge against a local server, and subjects to judge, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from verifaible.judge.rubric import Subject, subject_of
from verifaible.schema.analyst import AnalystAnswer, Claim, Source

GIVEN = datetime(2025, 11, 4, 9, 30, tzinfo=UTC)


def source(identity: str, text: str, **fields: Any) -> tuple[Source, str]:
    """A source with its text, as a library takes it."""
    made = Source(id=identity, kind="page", capture=f"{identity:0>64}".encode().hex()[:64], **fields)
    return made, text


def answer(
    text: str,
    pairs: Sequence[tuple[Source, str]] = (),
    *,
    model: str = "grok4",
    query: str = "Where does HYPE trade?",
    given: datetime | None = GIVEN,
    known: bool = True,
) -> AnalystAnswer:
    """An answer with its sources."""
    return AnalystAnswer(
        id=f"a-{model}",
        origin="csv",
        model=model,
        query=query,
        answer=text,
        answered_at=given,
        sources=tuple(each for each, _ in pairs),
        sources_known=known,
    )


def subject(
    text: str, pairs: Sequence[tuple[Source, str]] = (), *, models: Sequence[str] = (), **fields: Any
) -> Subject:
    """The same, to be judged."""
    made = answer(text, pairs, **fields)
    return subject_of(made, pairs, models)


def claim(text: str, within: str = "", *, cites: Sequence[str] = ("src_1",), **fields: Any) -> Claim:
    """A claim of an answer, in which its words stand."""
    start = max(0, within.find(text))
    return Claim(
        id="c1",
        start=start,
        end=start + len(text),
        text=text,
        kind=fields.pop("kind", "number"),
        cites=tuple(cites),
        **fields,
    )

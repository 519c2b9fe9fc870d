"""A judge against a local server, and subjects to judge, for tests."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from tests.servers.judge_server import JudgeServer
from verifaible.judge.asking.asking import Judge
from verifaible.judge.protocols.subject import Subject, subject_of
from verifaible.judge.rules.library import Library
from verifaible.llm.catalogue import ModelEntry
from verifaible.llm.client import ApiClient
from verifaible.llm.endpoint import Endpoint
from verifaible.llm.opening import ChatClient, ResponsesClient
from verifaible.llm.retry import RetryPolicy
from verifaible.runs.replies import ReplyCache
from verifaible.schema.analyst import AnalystAnswer, Claim, Source

GIVEN = datetime(2025, 11, 4, 9, 30, tzinfo=UTC)


async def no_wait(seconds: float) -> None:
    """A sleep that takes no time."""


def client_of(
    server: JudgeServer,
    api: Literal["chat", "responses"] = "chat",
    *,
    timeout_s: float = 20.0,
    attempts: int = 2,
    **entry: Any,
) -> ApiClient:
    """A real client of a local judge, that does not wait between its tries."""
    model = ModelEntry(name="judge", slug="deepseek/deepseek-v3.1", **{"temperature": 0.0, **entry})
    kind = ChatClient if api == "chat" else ResponsesClient
    place = Endpoint(server.base_url, "sk-test")
    retry = RetryPolicy(total_s=2.0**attempts - 2, spread=lambda: 0.0)
    return kind(model, place, sleep=no_wait, retry=retry, timeout_s=timeout_s)


@asynccontextmanager
async def judging(
    server: JudgeServer, folder: Path, *, client: ApiClient | None = None, **options: Any
) -> AsyncIterator[Judge]:
    """A judge that keeps its replies in a folder."""
    judge = Judge(client or client_of(server), ReplyCache(folder), **options)
    try:
        yield judge
    finally:
        await judge.aclose()


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
    return subject_of(made, Library(pairs, at=made.answered_at, topic=made.query), models)


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

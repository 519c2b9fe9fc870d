"""A judge against a local server, for tests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

from tests.servers.judge_server import JudgeServer
from verifaible.llm.catalogue import ModelEntry
from verifaible.llm.chat import ChatClient
from verifaible.llm.client import ApiClient, RetryPolicy
from verifaible.llm.endpoint import Endpoint
from verifaible.llm.replies import ReplyCache
from verifaible.llm.responses import ResponsesClient
from verifaible.llm.voting import Judge


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

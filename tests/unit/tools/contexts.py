"""Tool contexts over answers that a test writes: no browser, no network."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, cast

from verifaible.config import Settings
from verifaible.errors import OfflineMiss
from verifaible.net.client import HttpClient, offline_client
from verifaible.schema.run import ToolReply
from verifaible.schema.web import WebAnswer, WebRequest, WebResponse
from verifaible.search.base import SearchHit
from verifaible.tools.context import ToolContext
from verifaible.tools.toolbox import Tool, Toolbox


class Answers:
    """Finds answers in a mapping from URL to (status, content type, body)."""

    def __init__(self, answers: Mapping[str, tuple[int, str, bytes]]) -> None:
        self._answers = answers

    def find(self, request: WebRequest, /) -> WebAnswer:
        if request.url not in self._answers:
            raise OfflineMiss(request.url, request.method)
        status, content_type, body = self._answers[request.url]
        headers = (("content-type", content_type),)
        if 300 <= status < 400:
            headers = (("location", body.decode()),)
        return WebAnswer(
            url=request.url,
            response=WebResponse(status, headers, body),
            match="exact",
            recorded_at=datetime(2026, 3, 2, tzinfo=UTC),
        )

    archive = "as offline"

    def client(self, kept: object = None, told: object = ()) -> HttpClient:
        return offline_client(self)


class Hits:
    """A search backend that always finds the same."""

    def __init__(self, *hits: SearchHit) -> None:
        self.hits = hits
        self.asked: list[tuple[str, int]] = []

    async def search(self, query: str, limit: int) -> tuple[SearchHit, ...]:
        self.asked.append((query, limit))
        return self.hits[:limit]


def context(
    answers: Mapping[str, tuple[int, str, bytes]] | None = None, search: Hits | None = None
) -> ToolContext:
    web, none = cast(Any, Answers(answers or {})), cast(Any, None)
    return ToolContext(Settings(), web, none, none, search or Hits())


async def call(tool: Tool[Any], /, **arguments: Any) -> ToolReply:
    return await Toolbox([tool]).call(tool.name, json.dumps(arguments))

"""The six tools of the web: what they give is sealed under a mark before the model reads it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from verifaible.crypto.providers.session import Api, Given
from verifaible.schema.run import ToolReply
from verifaible.search.base import SearchBackend, SearchHit
from verifaible.tools.action_steps import action_steps
from verifaible.tools.analyze_page import analyze_page
from verifaible.tools.cite import cite
from verifaible.tools.context import ToolContext
from verifaible.tools.presenting import one_line
from verifaible.tools.toolbox import Tool
from verifaible.tools.video_transcript import video_transcript
from verifaible.tools.web_fetch import web_fetch
from verifaible.tools.web_search import web_search

_TEXT: Final = "text/plain; charset=utf-8"
_TITLE: Final = "Title: "


def web_tools(context: ToolContext, api: Api, *, data_first: bool = False) -> tuple[Tool[Any], ...]:
    """The six tools, in the order of every other session.

    Args:
        context: the session's.
        api: whose book the results go into.
        data_first: whether a search lists the data so far before its results.
    """
    search = _Remembering(context.search)
    reading = (web_fetch(context), analyze_page(context), action_steps(context), video_transcript(context))
    fetch, analyse, steps, video = (_reading(tool, api) for tool in reading)
    searching = _searching(web_search(replace(context, search=search)), search, api, data_first=data_first)
    # verifaible_cite seals what it cites itself
    return searching, fetch, analyse, steps, cite(context), video


class _Remembering:
    """A search backend that remembers what it found last: the reply shows less of it."""

    def __init__(self, backend: SearchBackend) -> None:
        self._backend = backend
        self.found: tuple[SearchHit, ...] = ()

    async def search(self, query: str, limit: int) -> Sequence[SearchHit]:
        """As the backend's."""
        self.found = ()
        hits = await self._backend.search(query, limit)
        self.found = tuple(hits)
        return hits


def _searching(tool: Tool[Any], search: _Remembering, api: Api, *, data_first: bool) -> Tool[Any]:
    async def handle(arguments: Any) -> ToolReply:
        reply = await tool.handle(arguments)
        if not search.found:
            return reply
        sources = await api.book.keep(
            [
                Given("snippet", _snippet(hit).encode(), _TEXT, hit.url, hit.title, api.now)
                for hit in search.found
            ]
        )
        marks = ", ".join(f"{number} = [{source.id}]" for number, source in enumerate(sources, 1))
        first = ""
        if data_first and api.digest:
            listed = "\n".join(f"- {line}" for line in api.digest)
            first = f"Structured data so far; they go before what a page says:\n{listed}\n"
        return reply.model_copy(update={"text": f"{first}{reply.text}\nMarks of these results: {marks}."})

    return _like(tool, handle)


def _snippet(hit: SearchHit) -> str:
    lines = (hit.title, hit.url, f"published {hit.published}" if hit.published else "", hit.snippet)
    return "\n".join(filter(None, lines))


def _reading(tool: Tool[Any], api: Api) -> Tool[Any]:
    """A tool that reads a page: the words that the model is given are the source."""

    async def handle(arguments: Any) -> ToolReply:
        reply = await tool.handle(arguments)
        if reply.error_code:
            return reply
        url = str(getattr(arguments, "url", ""))
        titles = (line for line in reply.text.splitlines() if line.startswith(_TITLE))
        title = one_line(next(titles, tool.name).removeprefix(_TITLE))
        (source,) = await api.book.keep([Given("page", reply.text.encode(), _TEXT, url, title, api.now)])
        line = (
            f"[{source.id}] {title}, {url or tool.name}. Write this mark behind each claim that rests on it."
        )
        return reply.model_copy(update={"text": f"{line}\n{reply.text}"})

    return _like(tool, handle)


def _like(tool: Tool[Any], handle: Callable[[Any], Awaitable[ToolReply]]) -> Tool[Any]:
    return Tool(tool.name, tool.description, tool.arguments, handle)

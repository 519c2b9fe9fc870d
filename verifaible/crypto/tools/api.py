"""One way to every data provider: a request over the session's web; an answer checked, read and sealed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, get_type_hints
from urllib.parse import urlencode, urlsplit

from verifaible.crypto.periods import stamp, time_note
from verifaible.crypto.sources import Given, SourceBook
from verifaible.crypto.tools.data import Json, at, parse
from verifaible.errors import PageBlocked, WrongContent
from verifaible.net.web import Web
from verifaible.schema.run import ToolReply
from verifaible.schema.web import WebAnswer, WebRequest, header
from verifaible.tools.fetch_status import check_status
from verifaible.tools.presenting import delimited
from verifaible.tools.toolbox import Tool

#: Pauses after "too many requests" where the provider names none, in seconds.
PAUSES_S: Final = (4.0, 15.0)
#: A provider that asks for a longer pause is not waited for: the model is told, and works on.
LONGEST_PAUSE_S: Final = 60.0
_TOO_MANY: Final = 429
#: A trace holds an answer of at most so many bytes whole, of a longer one what the model was shown.
WHOLE_BYTES: Final = 50_000


@dataclass(frozen=True, slots=True)
class ApiAnswer:
    """A provider's answer.

    Attributes:
        name: provider and path, as replies and errors call it.
        url: what was asked.
        body: as it came.
        data: the JSON in it.
        received_at: when it came, or was recorded.
        synthetic: whether it is from a replica.
        waited_s: how long the provider's limit of requests held it up.
    """

    name: str
    url: str
    body: bytes
    data: Json
    media_type: str
    received_at: datetime
    synthetic: bool = False
    waited_s: float = 0.0


@dataclass(slots=True)
class Api:
    """What the data tools of one session work with.

    Attributes:
        web: live or offline.
        book: where what is shown is sealed.
        now: the time at which the query is asked.
        time_context: whether replies compare the time of their data with ``now``.
        sleep: how a pause is made.
    """

    web: Web
    book: SourceBook
    now: datetime
    time_context: bool = False
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    _seen: dict[str, ApiAnswer] = field(default_factory=dict)
    #: The data so far, a line each: what a search is read after where structured data go first.
    digest: list[str] = field(default_factory=list)

    async def get(self, provider: str, url: str, query: Mapping[str, str] | None = None) -> ApiAnswer:
        """The answer to a GET, asked once in a session.

        Args:
            provider: its name, for people.
            url: without the query.
            query: its parameters, in the order they are sent.

        Raises:
            PageBlocked: the provider refuses, or its limit of requests is still reached after the pauses.
            PageNotLoaded: any other HTTP error, or no connection.
            OfflineMiss: the archives do not have it.
            WrongContent: the answer is no JSON.
        """
        address = f"{url}?{urlencode(query, safe=',')}" if query else url
        if address not in self._seen:
            self._seen[address] = await self._asked(f"{provider} {urlsplit(url).path}", address)
        return self._seen[address]

    async def _asked(self, name: str, address: str) -> ApiAnswer:
        answer, waited = await self._through_limits(address)
        response = answer.response
        try:
            check_status(address, response)
        except PageBlocked as blocked:
            if response.status == _TOO_MANY and waited:
                raise PageBlocked(
                    f"{blocked} (Waited {waited:g} s in all before this was said.)"
                ) from blocked
            raise
        data = await asyncio.to_thread(parse, response.body, name)
        if isinstance(data, dict) and isinstance(said := at(data, ("status", "error_message")), str):
            raise WrongContent(f"{name} refused: {said[:200]} Change the call, or use another tool.")
        return ApiAnswer(
            name=name,
            url=address,
            body=response.body,
            data=data,
            media_type=response.content_type or "application/json",
            received_at=answer.recorded_at.astimezone(UTC),
            synthetic=answer.synthetic,
            waited_s=waited,
        )

    async def _through_limits(self, address: str) -> tuple[WebAnswer, float]:
        """The answer, asked again after a pause while the provider says that there were too many requests."""
        waited = 0.0
        request = WebRequest(address, headers=(("accept", "application/json"),))
        async with self.web.client() as client:
            for planned in (*PAUSES_S, None):
                answer = (await client.fetch(request)).answer
                if answer.response.status != _TOO_MANY or planned is None or self.web.mode == "offline":
                    break
                asked = header(answer.response.headers, "retry-after").strip()
                pause = float(asked) if asked.isdigit() else planned
                if pause > LONGEST_PAUSE_S:
                    break
                await self.sleep(pause)
                waited += pause
        return answer, waited

    async def reply(
        self, answer: ApiAnswer, title: str, shown: str, *, as_of: datetime | None = None
    ) -> ToolReply:
        """Seal an answer whole, and tell the model what of it matters.

        Args:
            answer: what came.
            title: what the data are, in a few words.
            shown: the part that the model reads.
            as_of: the time that the data themselves state.
        """
        title = f"{title} (replica: synthetic)" if answer.synthetic else title
        given = Given("api", answer.body, answer.media_type, answer.url, title, answer.received_at)
        (source,) = await self.book.keep([given])
        stated = f"stated by the source: {stamp(as_of)}; " if as_of else "the source states none; "
        lines = [
            f"[{source.id}] {title} ({answer.name}). "
            f"Time of the data: {stated}received {stamp(answer.received_at)}.",
            f"Write [{source.id}] behind each claim that rests on these data. A value's JSON Pointer is "
            "that of its row and the head of its column.",
        ]
        if answer.synthetic:
            lines.append("These data are synthetic: a replica stands in for the provider.")
        if answer.waited_s:
            lines.append(f"(The provider's limit of requests held this up for {answer.waited_s:g} s.)")
        if self.time_context:
            lines.append(time_note(source.id, as_of or answer.received_at, self.now))
        line = f"[{source.id}] {title}, data of {stamp(as_of or answer.received_at)}"
        if line not in self.digest:
            self.digest.append(line)
        text = "\n".join(lines) + "\n" + delimited(answer.url, shown)
        if len(answer.body) <= WHOLE_BYTES:
            self.book.shown[source.id] = answer.body.decode("utf-8-sig")
        else:
            # the same answer may be shown in several parts
            before = self.book.shown.get(source.id, "")
            self.book.shown[source.id] = f"{before}\n\n{text}" if before and text not in before else text
        return ToolReply(text=text)


def tools_of(provider: str, *handlers: Callable[[Any], Awaitable[ToolReply]]) -> tuple[Tool[Any], ...]:
    """A tool for each handler, called ``provider_handler``: its docstring is what the model is told."""
    return tuple(
        Tool(
            f"{provider}_{handler.__name__.rstrip('_')}",
            " ".join((handler.__doc__ or "").split()),
            get_type_hints(handler)["arguments"],
            handler,
        )
        for handler in handlers
    )

"""One session with data: what is asked of providers, sealed under marks, declared and computed from."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from typing import Any, Final
from urllib.parse import urlencode

from verifaible.crypto.providers.fetch import FEED, JSON, Asked, check, exchange, refuse_said_errors
from verifaible.crypto.providers.json_values import Json, parse, surprise
from verifaible.crypto.query import stamp, time_note
from verifaible.errors import (
    BadArguments,
    DataNotAvailable,
    InfrastructureError,
    StoreError,
    ToolError,
)
from verifaible.evidence.computation import SealedComputed, computed_from, values_at
from verifaible.evidence.functions import FUNCTIONS
from verifaible.evidence.sources import SourceDraft, SourceOrigin, SourceTexts, keep_sources
from verifaible.net.web import Web
from verifaible.schema.analyst import Source, SourceKind
from verifaible.schema.data import Computed, DataPoint, Display, Exchange, Facets, Operand
from verifaible.schema.run import ToolReply
from verifaible.schema.web import WebAnswer, header
from verifaible.store.store import Store
from verifaible.text.delimited import delimited

#: Who gave the words of a source, as its capture says it.
ORIGIN: Final = "verifaible crypto"
#: Pauses after "too many requests" where the provider names none, in seconds.
PAUSES_S: Final = (4.0, 15.0)
#: A provider that asks for a longer pause is not waited for: the model is told, and works on.
LONGEST_PAUSE_S: Final = 60.0
_TOO_MANY: Final = 429
#: A trace holds an answer of at most so many bytes whole, of a longer one what the model was shown.
WHOLE_BYTES: Final = 50_000


@dataclass(frozen=True, slots=True)
class Given:
    """Words or data that a tool is about to give to the model.

    Attributes:
        kind: what it is.
        body: the bytes as they came; nothing of them is cut.
        media_type: of the bytes.
        url: where they are from; empty for none.
        title: the name of the tool or of the page.
        at: when they were received or recorded.
        exchange: of a provider's answer, the request and the rest of the answer.
        mark: what it is called, where whoever gives it knows; else the next ``src_N``.
    """

    kind: SourceKind
    body: bytes
    media_type: str
    url: str = ""
    title: str = ""
    at: datetime | None = None
    exchange: Exchange | None = None
    mark: str = ""


class SourceBook:
    """The sources of one answer, in the order of their marks ``src_1``, ``src_2`` and so on.

    Computed values stand among them under their own, ``calc_1`` and so on.

    Args:
        store: where they are sealed, at once, so that a kill loses none that the model has seen.
        origin: said in each capture: who gave these words.
        kept: sources that have their marks already, of an earlier part of a conversation.

    Attributes:
        shown: of each source, by its mark, what a public trace has as the model's context: all of it, or of a
            long answer of a provider the parts that the model was shown.
    """

    def __init__(self, store: Store, origin: SourceOrigin, kept: Sequence[Source] = ()) -> None:
        self._store = store
        self._origin = origin
        self._kept: list[Source] = list(kept)
        self.shown: dict[str, str] = {}
        self._lock = asyncio.Lock()  # calls side by side are numbered one after the other
        self._by_content: dict[tuple[str, str, bytes], Source] = {}

    @property
    def store(self) -> Store:
        """Where they are sealed."""
        return self._store

    @property
    def sources(self) -> tuple[Source, ...]:
        """All of them so far."""
        return tuple(self._kept)

    async def keep(self, given: Sequence[Given]) -> tuple[Source, ...]:
        """Seal each; what is there already keeps its first mark.

        Raises:
            InfrastructureError: the store cannot be written.
        """
        async with self._lock:
            unkept = {_key(each): each for each in given if _key(each) not in self._by_content}
            if unkept:
                drafts = self._drafts(unkept.values())
                try:
                    kept = await asyncio.to_thread(keep_sources, self._store, drafts, origin=self._origin)
                except StoreError as error:
                    raise InfrastructureError(f"What a tool gave cannot be sealed: {error}") from error
                self._kept += kept
                self._by_content |= dict(zip(unkept, kept, strict=True))
                for source, each in zip(kept, unkept.values(), strict=True):
                    if each.kind != "api" or len(each.body) <= WHOLE_BYTES:
                        self.shown[source.id] = each.body.decode("utf-8-sig", "replace")
        return tuple(self._by_content[_key(each)] for each in given)

    def show(self, mark: str, part: str) -> None:
        """Note a part of a source that the model is shown; the same source may be shown in several."""
        before = self.shown.get(mark, "")
        if part not in before:
            self.shown[mark] = f"{before}\n\n{part}" if before else part

    def _drafts(self, given: Iterable[Given]) -> list[SourceDraft]:
        numbers = count(1 + sum(source.id.startswith("src_") for source in self._kept))
        return [
            SourceDraft(
                id=each.mark or f"src_{next(numbers)}",
                kind=each.kind,
                body=each.body,
                media_type=each.media_type,
                url=each.url,
                title=each.title,
                at=each.at,
                exchange=each.exchange,
            )
            for each in given
        ]


def _key(given: Given) -> tuple[str, str, bytes]:
    return given.kind, given.url, given.body


@dataclass(frozen=True, slots=True)
class ApiAnswer:
    """A provider's answer.

    Attributes:
        name: provider and path, as replies and errors call it.
        url: what was asked, without keys.
        body: as it came.
        data: the JSON in it; None of what was asked for as text.
        received_at: when it came, or was recorded.
        exchange: request, status, headers and times, as they are sealed.
        synthetic: whether it is from a replica.
        waited_s: how long the provider's limit of requests held it up.
    """

    name: str
    url: str
    body: bytes
    data: Json
    media_type: str
    received_at: datetime
    exchange: Exchange
    synthetic: bool = False
    waited_s: float = 0.0


@dataclass(slots=True)
class Api:
    """What the data tools of one session work with.

    Attributes:
        web: live or offline.
        book: where what is shown is sealed.
        now: the time at which the query is asked.
        as_of: nothing later may be shown; None: ``now`` is the limit by itself.
        time_context: whether replies compare the time of their data with ``now``.
        sleep: how a pause is made.
        points: every number that a reply showed, as the tools declared it.
        computed: every value that was computed.
        digest: the data so far, a line each: what a search is read after where structured data go first.
    """

    web: Web
    book: SourceBook
    now: datetime
    time_context: bool = False
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    as_of: datetime | None = None
    points: list[DataPoint] = field(default_factory=list)
    computed: list[Computed] = field(default_factory=list)
    digest: list[str] = field(default_factory=list)
    _seen: dict[tuple[str, str, str], ApiAnswer] = field(default_factory=dict)
    #: Who asks the same at the same time waits, and is given the same.
    _asking: dict[tuple[str, str, str], asyncio.Lock] = field(default_factory=dict)
    _last_mark: int = 0

    def __post_init__(self) -> None:
        # a computation that failed has used up its mark, so there can be fewer values than marks
        self._last_mark = max((int(each.id.removeprefix("calc_")) for each in self.computed), default=0)

    def live_only(self, what: str) -> None:
        """Refuse what a provider knows only of the present, where an earlier time is asked about.

        Args:
            what: the data, as the subject of a sentence: ``"CoinGecko's trending searches"``.

        Raises:
            DataNotAvailable: ``as_of`` lies before ``now``.
        """
        if self.as_of is not None and self.as_of < self.now:
            raise DataNotAvailable(
                f"{what} can be had of the present only, and the question is as of {stamp(self.as_of)}. "
                "Use a tool that has a history, or say that it is not known."
            )

    async def get(
        self,
        provider: str,
        url: str,
        query: Mapping[str, str] | None = None,
        *,
        secret_query: Mapping[str, str] | None = None,
        secret_headers: Mapping[str, str] | None = None,
        accept: str = JSON,
    ) -> ApiAnswer:
        """The answer to a GET, asked once in a session.

        Args:
            provider: its name, for people; in lower case that of the adapter in what is sealed.
            url: without the query.
            query: its parameters, in the order they are sent.
            secret_query: further parameters that nothing but the provider may see, such as a key.
            secret_headers: headers of the same kind.
            accept: what is asked for; what is not JSON is not read.

        Raises:
            PageBlocked: the provider refuses, or its limit of requests is still reached after the pauses.
            PageNotLoaded: any other HTTP error, or no connection.
            OfflineMiss: the archives do not have it.
            WrongContent: the answer is no JSON.
        """
        address = f"{url}?{urlencode(query, safe=',')}" if query else url
        return await self._once(
            Asked(provider, address, secret_query or {}, secret_headers or {}, accept=accept)
        )

    async def get_text(self, provider: str, url: str) -> ApiAnswer:
        """The answer to a GET for a feed; errors as of :meth:`get`."""
        return await self.get(provider, url, accept=FEED)

    async def post_json(
        self,
        provider: str,
        url: str,
        body: Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        secret_query: Mapping[str, str] | None = None,
        secret_headers: Mapping[str, str] | None = None,
        secret_path: str = "",
    ) -> ApiAnswer:
        """The answer to a POST of JSON, such as a call of JSON-RPC 2.0 or several; equal ones are asked once.

        Number the calls of JSON-RPC alike each time: an archive answers an equal body only. ``secret_path``
        is sent behind the address, for providers that have their key there. Other arguments and errors are
        those of :meth:`get`; an ``error`` of JSON-RPC is WrongContent.
        """
        content = json.dumps(body, separators=(",", ":"))
        secrets = secret_query or {}, secret_headers or {}, secret_path
        return await self._once(Asked(provider, url, *secrets, content=content))

    async def _once(self, asked: Asked) -> ApiAnswer:
        key = asked.method, asked.address, asked.content
        async with self._asking.setdefault(key, asyncio.Lock()):
            if key not in self._seen:
                self._seen[key] = await self._asked(asked)
        return self._seen[key]

    async def _asked(self, asked: Asked) -> ApiAnswer:
        try:
            answer, waited = await self._through_limits(asked)
            check(asked, answer.response, waited)
        except ToolError as error:
            if asked.secrets:  # what failed may name the address that was really asked
                error.args = tuple(asked.public(str(each)) for each in error.args)
                raise error from None
            raise
        response = answer.response
        data: Json = None
        if asked.accept == JSON:
            data = await asyncio.to_thread(parse, response.body, asked.name)
            refuse_said_errors(data, asked.name)
        return ApiAnswer(
            name=asked.name,
            url=asked.address,
            body=response.body,
            data=data,
            media_type=response.content_type or (JSON if asked.accept == JSON else ""),
            received_at=answer.recorded_at.astimezone(UTC),
            exchange=exchange(asked, answer),
            synthetic=answer.synthetic,
            waited_s=waited,
        )

    async def _through_limits(self, asked: Asked) -> tuple[WebAnswer, float]:
        """The answer, asked again after a pause while the provider says that there were too many requests."""
        waited = 0.0
        request = asked.request(with_secrets=self.web.mode != "offline")
        async with self.web.client() as client:
            for planned in (*PAUSES_S, None):
                with asked.unlogged():
                    answer = (await client.fetch(request, follow_redirects=not asked.secrets)).answer
                if answer.response.status != _TOO_MANY or planned is None or self.web.mode == "offline":
                    break
                said = header(answer.response.headers, "retry-after").strip()
                pause = float(said) if said.isdigit() else planned
                if pause > LONGEST_PAUSE_S:
                    break
                await self.sleep(pause)
                waited += pause
        return answer, waited

    async def compute(
        self,
        function: str,
        inputs: Mapping[str, Sequence[Operand]],
        *,
        parameters: Mapping[str, str] | None = None,
        facets: Facets | None = None,
    ) -> Computed:
        """Compute a value from the sealed bytes of sources, and seal it under a mark ``calc_N``.

        Args:
            function: its name (:mod:`verifaible.evidence.functions`).
            inputs: what each of its inputs reads.
            parameters: its other parameters, as text.
            facets: what the result counts.

        Returns:
            The value; the same as before where the same was computed before.

        Raises:
            BadArguments: an input leads to no number, or the function has no result for them.
            InfrastructureError: the store cannot be read or written.
        """
        facets, told = facets or Facets(), dict(parameters or {})
        reading = {name: tuple(each) for name, each in inputs.items()}
        for each in self.computed:
            known = FUNCTIONS.get((each.function, each.version))  # a program is none of them
            asked = (function, reading, {**(known.defaults if known else {}), **told})
            same = (each.function, each.inputs, each.parameters) == asked
            if same and all(getattr(each, name) == value for name, value in facets):
                return each
        sources, texts = self.book.sources, SourceTexts(self.book.store)
        mark = self.next_mark()
        try:
            sealed = await asyncio.to_thread(
                computed_from, mark, function, reading, told, facets, sources=sources, texts=texts
            )
        except StoreError as error:
            raise InfrastructureError(f"The data of a computation cannot be read: {error}") from error
        return await self.keep_computed(sealed)

    def next_mark(self) -> str:
        """The mark of the next computed value."""
        self._last_mark += 1
        return f"calc_{self._last_mark}"

    async def keep_computed(self, sealed: SealedComputed) -> Computed:
        """Seal a computed value under its mark.

        Raises:
            InfrastructureError: the store cannot be written.
        """
        value = sealed.computed
        title = f"{value.function} of {value.asset}" if value.asset else value.function
        body = sealed.model_dump_json(indent=1).encode()
        await self.book.keep([Given("computed", body, JSON, title=title, at=self.now, mark=value.id)])
        self.computed.append(value)
        return value

    async def reply(
        self,
        answer: ApiAnswer,
        title: str,
        shown: str,
        *,
        as_of: datetime | None = None,
        points: Sequence[DataPoint] = (),
        displays: Sequence[Display] = (),
    ) -> ToolReply:
        """Seal an answer whole, and tell the model what of it matters.

        Args:
            answer: what came.
            title: what the data are, in a few words.
            shown: the part that the model reads.
            as_of: the time that the data themselves state.
            points: the numbers in it, each with its facets; ``source`` may be empty.
            displays: what a person sees beside it.

        Raises:
            DataNotAvailable: something of it is later than the time as of which the question is asked.
            WrongContent: a point's value is not what stands at its pointer.
        """
        self._refuse_later(answer, as_of, points)
        for point in points:
            if not _stands(point, answer.data):
                raise surprise(answer.name, f"no number {point.value} at {point.pointer}")
        title = f"{title} (replica: synthetic)" if answer.synthetic else title
        mark = (await self.seal(answer, title)).id
        self.points += [each.model_copy(update={"source": each.source or mark}) for each in points]
        line = f"[{mark}] {title}, data of {stamp(as_of or answer.received_at)}"
        if line not in self.digest:
            self.digest.append(line)
        text = f"{self._head(answer, mark, title, as_of)}\n{delimited(answer.url, shown)}"
        if len(answer.body) > WHOLE_BYTES:
            self.book.show(mark, text)
        marked = (each.model_copy(update={"sources": each.sources or (mark,)}) for each in displays)
        return ToolReply(text=text, displays=tuple(marked))

    def _head(self, answer: ApiAnswer, mark: str, title: str, as_of: datetime | None) -> str:
        """What stands before the data of a reply."""
        stated = f"stated by the source: {stamp(as_of)}; " if as_of else "the source states none; "
        lines = [
            f"[{mark}] {title} ({answer.name}). "
            f"Time of the data: {stated}received {stamp(answer.received_at)}.",
            f"Write [{mark}] behind each claim that rests on these data. A value's JSON Pointer is "
            "that of its row and the head of its column.",
        ]
        if answer.synthetic:
            lines.append("These data are synthetic: a replica stands in for the provider.")
        if answer.waited_s:
            lines.append(f"(The provider's limit of requests held this up for {answer.waited_s:g} s.)")
        if self.time_context:
            lines.append(time_note(mark, as_of or answer.received_at, self.now))
        return "\n".join(lines)

    async def seal(self, answer: ApiAnswer, title: str) -> Source:
        """Seal an answer whole, so that values can be computed from it; :meth:`reply` keeps its mark."""
        given = Given(
            "api", answer.body, answer.media_type, answer.url, title, answer.received_at, answer.exchange
        )
        return (await self.book.keep([given]))[0]

    def _refuse_later(self, answer: ApiAnswer, as_of: datetime | None, points: Sequence[DataPoint]) -> None:
        moments = [moment for moment in (as_of, *(point.at for point in points)) if moment is not None]
        if self.as_of is None or not moments or max(moments) <= self.as_of:
            return
        raise DataNotAvailable(
            f"{answer.name} gave data of {stamp(max(moments))}, and the question is asked as of "
            f"{stamp(self.as_of)}: nothing of it was kept. Ask for an earlier time, or use a tool that has a "
            "history."
        )


def _stands(point: DataPoint, data: Json) -> bool:
    """Whether a point's value is what stands at its pointer."""
    try:
        return values_at(data, point.pointer) == (point.value,)
    except BadArguments:
        return False

"""What the clients of the two APIs have in common: the request, the tries, the usage."""

from __future__ import annotations

import asyncio
import json
import math
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from verifaible.errors import (
    ModelAnswerInvalid,
    ModelError,
    ModelRejected,
    PageNotLoaded,
    UrlRefused,
    needing,
)
from verifaible.llm import calls, failures
from verifaible.llm.base import OBJECT, SCHEMA, AnswerForm
from verifaible.llm.catalogue import Api, ModelEntry, cost_usd
from verifaible.llm.dialects import with_tools_as_text
from verifaible.llm.endpoint import Endpoint
from verifaible.llm.failures import Asked, Passing
from verifaible.llm.retry import RetryPolicy
from verifaible.llm.usage import METADATA_HEADER, read_usage, served_by
from verifaible.schema.chat import Message, ModelTurn, ToolSpec, Usage

if TYPE_CHECKING:
    from tenacity import RetryCallState

#: How long one that has never answered is asked.
UNKNOWN_S = 15.0


@dataclass(frozen=True, slots=True)
class Refusable:
    """A part of the request that some endpoints or models refuse.

    Attributes:
        name: what it is called in :meth:`ApiClient._request`.
        refused: how a refusal speaks of it.
    """

    name: str
    refused: re.Pattern[str]


TEMPERATURE_FIELD = Refusable("temperature", re.compile(r"temperature", re.I))
#: Without it, the tools are written into the conversation.
TOOLS_FIELD = Refusable("tools", failures.NO_TOOLS)


class Wire(Protocol):
    """How answers of an API are read: ``chat_wire`` and ``wire``."""

    def read_turn(self, body: Mapping[str, Any], seed: str, known: Collection[str] = ()) -> ModelTurn:
        """The turn in an answer, its calls by the names of known tools; its usage is added by the client."""
        ...


@dataclass(slots=True)
class _Spent:
    """What one turn has cost so far, and what happened while it was asked for."""

    usage: list[Usage] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Answer:
    """What came: its status, its headers, and its JSON; None where it is none."""

    status: int
    headers: Mapping[str, str]
    body: object
    text: str = ""


class ApiClient(ABC):
    """A :class:`~verifaible.llm.base.ModelClient` over the openai library.

    Args:
        entry: the model; its prices are used where the endpoint states no cost.
        place: where it is asked, and with which key.
        retry: what to do about failures that may pass.
        timeout_s: longest time for one answer; reasoning models take minutes.
        sleep: how to wait between attempts.
        clock: seconds that only go forward.

    Attributes:
        api: the API it speaks.
        path: its path below the base URL.
        optional: parts of the request that are left out, from then on, once the endpoint refuses them.
    """

    api: ClassVar[Api]
    path: ClassVar[str]
    optional: ClassVar[tuple[Refusable, ...]]
    _wire: ClassVar[Wire]

    def __init__(
        self,
        entry: ModelEntry,
        place: Endpoint,
        *,
        retry: RetryPolicy | None = None,
        timeout_s: float = 600.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        with needing("models", "Asking a model"):
            import httpx2
            from openai import AsyncOpenAI, Timeout

            from verifaible.llm.bounded import BoundedTransport

        self.entry = entry
        self.place = place
        self._asked = Asked(place, self.path, entry.slug)
        self._retry = retry or RetryPolicy()
        self._timeout_s = timeout_s
        self._sleep = sleep
        self._clock = clock
        self._has_answered = self._understood = False
        self._without: set[str] = {"tools"} if entry.tools == "text" else set()
        self._client = AsyncOpenAI(
            base_url=place.base_url,
            api_key=place.api_key or "none",
            max_retries=0,
            timeout=Timeout(timeout_s, connect=min(15.0, timeout_s)),
            default_headers=METADATA_HEADER if place.is_openrouter else None,
            http_client=httpx2.AsyncClient(transport=BoundedTransport(place.guard), trust_env=False),
        )

    @abstractmethod
    def _request(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], form: AnswerForm | None
    ) -> dict[str, Any]:
        """The body of the request, without the optional parts in ``self._without``."""

    @abstractmethod
    def _form_sent(self, request: Mapping[str, Any]) -> str:
        """The type of the form in a request, ``json_schema`` or ``json_object``; empty where it has none."""

    async def complete(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], *, form: AnswerForm | None = None
    ) -> ModelTurn:
        """The model's next turn; an unreadable or empty answer is asked for once more.

        Where the answer has a form, a refusal of the model is an error: it is no answer in that form.
        Pictures go to models alone whose entry says that they take them.

        Raises:
            ModelUnreachable: no connection, time-outs or server errors, past the retries.
            ModelRejected: the request was refused; one of its subclasses where the reason is known.
            ModelAnswerInvalid: two answers in a row could not be read or held nothing.
            Each has what was billed in ``usage``, and each failed attempt in ``notes``.
        """
        spent = _Spent()
        started = self._clock()
        if not self.entry.pictures:
            messages = [message.model_copy(update={"pictures": ()}) for message in messages]
        try:
            try:
                turn = await self._turn(messages, tools, form, spent)
            except ModelAnswerInvalid as error:
                spent.notes.append(f"asked again, since the answer could not be read: {error}")
                turn = await self._turn(messages, tools, form, spent)
        except ModelError as error:
            error.usage, error.notes = sum(spent.usage, Usage()), tuple(spent.notes)
            raise
        return turn.model_copy(
            update={
                "usage": sum(spent.usage, Usage()),
                "duration_s": self._clock() - started,
                "notes": tuple(spent.notes),
            }
        )

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()

    def _settings(self) -> dict[str, Any]:
        """What both APIs take: the entry's own fields first, so that they replace none of ours."""
        request = {**self.entry.request, "model": self.entry.slug}
        if self.entry.provider:
            request["provider"] = {"order": list(self.entry.provider), "allow_fallbacks": False}
        if self.entry.temperature is not None:
            request["temperature"] = self.entry.temperature
        return {name: value for name, value in request.items() if name not in self._without}

    async def _turn(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], form: AnswerForm | None, spent: _Spent
    ) -> ModelTurn:
        """One readable answer, asked for as long as the policy allows; adds to ``spent``."""
        from tenacity import AsyncRetrying, retry_if_exception_type

        began = math.inf

        def wait_s(state: RetryCallState) -> float:
            nonlocal began
            began = min(began, self._clock())
            # One that has never answered is misspelt or was not started, rather than away for a while.
            total_s = min(self._retry.total_s, math.inf if self._has_answered else UNKNOWN_S)
            wait = replace(self._retry, total_s=total_s).wait_s(
                state.attempt_number,
                _failure_of(state).retry_after_s,
                elapsed_s=max(state.idle_for, self._clock() - began),
            )
            return math.inf if wait is None else wait

        def note(state: RetryCallState) -> None:
            spent.notes.append(
                f"asked again after {state.upcoming_sleep:.1f} s, since {_failure_of(state).what}"
            )

        tries = AsyncRetrying(
            retry=retry_if_exception_type(Passing),
            wait=wait_s,
            stop=lambda state: math.isinf(state.upcoming_sleep),
            before_sleep=note,
            sleep=self._sleep,
            reraise=True,
        )
        try:
            return await tries(self._attempt, messages, tools, form, spent)
        except Passing as failure:
            asked = tries.statistics["attempt_number"]
            raise failures.unreachable(self._asked, failure, asked) from failure

    async def _attempt(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], form: AnswerForm | None, spent: _Spent
    ) -> ModelTurn:
        """One answer; asked again at once without what the endpoint refuses."""
        while True:
            in_text = bool(tools) and "tools" in self._without
            request = (
                self._request(with_tools_as_text(messages, tools), (), form)
                if in_text
                else self._request(messages, tools, form)
            )
            answer = await self._post(request)
            self._has_answered = True
            failure = self._failure(answer)
            if failure is None:
                break
            if (left := self._leave_out(request, failure, answer.body)) is None:
                raise failure
            spent.notes.append(f"asked again without {left}, which the endpoint refuses: {failure}")
        if in_text:
            spent.notes.append("the tools were written into the conversation (tools: text)")
        body = answer.body
        if not isinstance(body, dict):
            kind = answer.headers.get("content-type", "")
            # the base URL is right if it was before: something between here and the API answers for a while
            raise (
                Passing(f"the last answer was no JSON object (content type {kind!r})")
                if self._understood
                else failures.not_json(self._asked, kind)
            )
        spent.usage.append(self._usage(body, answer.headers))
        if form is not None and (refusal := calls.refusal_of(body)):
            raise failures.declined(refusal)
        turn = self._wire.read_turn(body, f"{len(messages)}/{body.get('id')}", [tool.name for tool in tools])
        spent.notes += turn.notes
        if not in_text and _drops_tools(messages, tools, turn, spent.usage[-1]):
            spent.notes.append(
                f"the server seems to drop the tools: the prompt had {spent.usage[-1].input_tokens} tokens, "
                'fewer than they take (set "tools": "text" for the model in models.json)'
            )
        self._understood = True
        return turn.model_copy(update={"served_by": served_by(body)})

    def _failure(self, answer: _Answer) -> Exception | None:
        """What the answer reports as gone wrong."""
        body = answer.body
        if answer.status >= 300:
            said = body if body is not None else answer.text
            return failures.from_status(answer.status, said, answer.headers, self._asked)
        return failures.from_body(body, self._asked) if isinstance(body, dict) else None

    def _leave_out(self, request: Mapping[str, Any], failure: Exception, body: object) -> str | None:
        """The optional part of this request that the endpoint refused; it is left out from here on."""
        if type(failure) is not ModelRejected:
            return None
        # a model may be called kimi-k2-thinking
        name = re.compile(rf"(?<![\w/-]){re.escape(self.entry.slug)}(?![\w/-])")
        said = name.sub("", f"{failure} {failures.error_details(body).get('param')}")
        for part in self.optional:
            # another trial may have had it left out meanwhile, so only the request itself tells
            if self._sends(part.name, request) and part.refused.search(said):
                self._without.add(part.name)
                return part.name
        return None

    def _sends(self, name: str, request: Mapping[str, Any]) -> bool:
        """Whether an optional part is in a request."""
        if name in (SCHEMA, OBJECT):
            return self._form_sent(request) == ("json_schema" if name == SCHEMA else "json_object")
        return name in request

    async def _post(self, request: Mapping[str, Any]) -> _Answer:
        """One request, whatever its status; a failed connection is worth another try."""
        import httpx2
        from openai import APIConnectionError, APIStatusError, APITimeoutError

        try:
            # the library's own time-out starts again with every byte, and some endpoints send blanks
            async with asyncio.timeout(self._timeout_s):
                answer = await self._client.post(self.path, body=dict(request), cast_to=httpx2.Response)
        except (APITimeoutError, TimeoutError) as error:
            raise Passing("it did not answer in time") from error
        except UrlRefused as error:
            raise failures.refused(self._asked, error) from None
        except PageNotLoaded as error:
            raise Passing("its name has no address") from error
        except APIConnectionError as error:
            raise Passing(f"the connection failed ({_reason(error)})") from error
        except APIStatusError as error:
            answer = error.response
        return _Answer(answer.status_code, answer.headers, _json(answer.content), answer.text)

    def _usage(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> Usage:
        usage = read_usage(body, headers)
        if usage.cost_usd is not None or usage == Usage():
            return usage
        return usage.model_copy(update={"cost_usd": cost_usd(self.entry, usage)})


#: Text has fewer characters for a token than this in every language; schemas of tools have about 4.
_MOST_CHARACTERS_PER_TOKEN = 6


def _drops_tools(
    messages: Sequence[Message], tools: Sequence[ToolSpec], turn: ModelTurn, usage: Usage
) -> bool:
    """Whether a model that has called no tool was asked with a prompt that is too short to hold them."""
    if not tools or turn.tool_calls or any(message.tool_calls for message in messages):
        return False
    told = sum(len(json.dumps(tool.model_dump(), ensure_ascii=False)) for tool in tools)
    said = sum(len(message.text) for message in messages)
    tokens = usage.input_tokens + usage.cached_input_tokens
    return 0 < tokens < (said + told) / _MOST_CHARACTERS_PER_TOKEN


def _json(content: bytes) -> object:
    """The JSON value of a body, None where it is none; text that UTF-8 cannot hold is replaced."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return _storable(value) if b"\\ud" in content.lower() else value


def _storable(value: Any) -> Any:
    """The value without lone surrogates, which no file and no request can hold."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_storable(each) for each in value]
    if isinstance(value, dict):
        return {_storable(key): _storable(each) for key, each in value.items()}
    return value


def _failure_of(state: RetryCallState) -> Passing:
    """The failure that is worth another try."""
    failure = state.outcome.exception() if state.outcome is not None else None
    assert isinstance(failure, Passing)
    return failure


def _reason(error: BaseException) -> str:
    """The first cause of a failed connection: the library itself only says "Connection error."."""
    while error.__cause__ is not None:
        error = error.__cause__
    return str(error) or type(error).__name__

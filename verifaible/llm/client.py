"""What the clients of the two APIs have in common: the request, the tries, the usage."""

from __future__ import annotations

import asyncio
import json
import math
import random
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Final

from verifaible.errors import (
    ModelAnswerInvalid,
    ModelError,
    ModelRejected,
    PageNotLoaded,
    UrlRefused,
    needing,
)
from verifaible.llm import failures
from verifaible.llm.base import AnswerForm
from verifaible.llm.catalogue import Api, ModelEntry, cost_usd
from verifaible.llm.endpoint import Endpoint
from verifaible.llm.failures import Asked, Passing
from verifaible.llm.tools_as_text import with_tools_as_text
from verifaible.llm.usage import METADATA_HEADER, read_usage, served_by
from verifaible.schema.chat import Message, ModelTurn, ToolSpec, Usage

if TYPE_CHECKING:
    from tenacity import RetryCallState

#: How long one that has never answered is asked: it is misspelt or was not started, rather than away.
UNKNOWN_S: Final = 15.0
#: Text has fewer characters for a token than this in every language; schemas of tools have about 4.
_MOST_CHARACTERS_PER_TOKEN: Final = 6
#: What the two ways of asking for JSON are called among the optional parts of a request.
_SCHEMA, _OBJECT = "answer schema", "answer object"
_FORM_REFUSED: Final = re.compile(
    r"response.?format|text\.format|json.?schema|json.?object|json.?mode|structured.?output|output.?config"
    r"|guided|grammar|constrained|invalid schema",
    re.I,
)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long an endpoint that fails, is busy or is away is asked again.

    Attributes:
        total_s: seconds from the first failure past which it is not asked again. An endpoint that asks for a
            longer wait is given up at once.
        first_wait_s: wait after the first failure; doubled after each further one.
        longest_wait_s: longest wait of ours; one that the endpoint asks for may be longer.
        spread: a random number from 0 to 1 for each wait, so that trials do not all return at once: a wait
            of ours is shortened by up to half, one the endpoint asked for is lengthened by up to a tenth.
    """

    total_s: float = 240.0
    first_wait_s: float = 1.0
    longest_wait_s: float = 30.0
    spread: Callable[[], float] = random.random

    def wait_s(self, failures: int, asked_s: float | None, *, elapsed_s: float = 0.0) -> float | None:
        """Seconds to wait after so many failures, ``elapsed_s`` after the first; None to give up."""
        wait = min(self.first_wait_s * 2 ** min(failures - 1, 30), self.longest_wait_s)
        wait *= 1 - 0.5 * self.spread()
        if asked_s is not None and asked_s >= wait:  # one that asks for less, or for nothing, is not rushed
            wait = asked_s * (1 + 0.1 * self.spread())
            return wait if elapsed_s + asked_s <= self.total_s else None
        return wait if elapsed_s + wait <= self.total_s else None


@dataclass(slots=True)
class Body:
    """A request in the making.

    Attributes:
        fields: what is sent.
        without: optional parts that the endpoint has refused.
        sent: optional parts that are in it.
    """

    fields: dict[str, Any]
    without: frozenset[str]
    sent: set[str] = field(default_factory=set)

    def may(self, name: str) -> bool:
        """Whether an optional part may be sent; it counts as sent then."""
        if name in self.without:
            return False
        self.sent.add(name)
        return True

    def add(self, name: str, value: object) -> bool:
        """Add an optional field, unless it was refused; whether it is sent."""
        if may := self.may(name):
            self.fields[name] = value
        return may

    def form_type(self) -> str:
        """As what an answer's form is asked for: a schema, else any object, else not at all."""
        return "json_schema" if self.may(_SCHEMA) else "json_object" if self.may(_OBJECT) else ""


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
    text: str


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
        refused: how a refusal speaks of the API's own optional parts.
    """

    api: ClassVar[Api]
    path: ClassVar[str]
    refused: ClassVar[Mapping[str, re.Pattern[str]]]

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
        #: Optional parts that the endpoint refuses; tools without this field are told in the conversation.
        self._without: set[str] = {"tools"} if entry.tools == "text" else set()
        self._optional = {
            _SCHEMA: _FORM_REFUSED,
            _OBJECT: _FORM_REFUSED,
            "temperature": re.compile(r"temperature", re.I),
            "tools": failures.NO_TOOLS,
            **self.refused,
        }
        self._client = AsyncOpenAI(
            base_url=place.base_url,
            api_key=place.api_key or "none",
            max_retries=0,
            timeout=Timeout(timeout_s, connect=min(15.0, timeout_s)),
            default_headers=METADATA_HEADER if place.is_openrouter else None,
            http_client=httpx2.AsyncClient(transport=BoundedTransport(place.guard), trust_env=False),
        )

    @abstractmethod
    def fill(
        self, body: Body, messages: Sequence[Message], tools: Sequence[ToolSpec], form: AnswerForm | None
    ) -> None:
        """Put the conversation, the tools and the form into a request."""

    @abstractmethod
    def read(
        self, body: Mapping[str, Any], seed: str, known: Collection[str], form: AnswerForm | None
    ) -> ModelTurn:
        """The turn in an answer's JSON, without its usage.

        Args:
            body: the answer.
            seed: what ids are made from where the server gave none.
            known: the names of the tools.
            form: what the text should be.

        Raises:
            Passing: the provider behind the endpoint failed.
            ContentRefused: a content filter ended the answer, or the model declined to give it in its form.
            ContextOverflow: the conversation left no room for it.
            OutputCutOff: the output tokens were used up before anything was said.
            ModelAnswerInvalid: there is neither a text nor a tool call in it.
        """

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
        spent, started = _Spent(), self._clock()
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
        usage, notes = sum(spent.usage, Usage()), tuple(spent.notes)
        return turn.model_copy(update={"usage": usage, "duration_s": self._clock() - started, "notes": notes})

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _turn(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], form: AnswerForm | None, spent: _Spent
    ) -> ModelTurn:
        """One readable answer, asked for as long as the policy allows; adds to ``spent``."""
        from tenacity import AsyncRetrying, retry_if_exception_type

        began = math.inf

        def wait_s(state: RetryCallState) -> float:
            nonlocal began
            began = min(began, self._clock())
            total_s = min(self._retry.total_s, math.inf if self._has_answered else UNKNOWN_S)
            elapsed_s = max(state.idle_for, self._clock() - began)
            asked_s = _failure_of(state).retry_after_s
            policy = replace(self._retry, total_s=total_s)
            wait = policy.wait_s(state.attempt_number, asked_s, elapsed_s=elapsed_s)
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
            raise failures.unreachable(self._asked, failure, tries.statistics["attempt_number"]) from failure

    async def _attempt(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], form: AnswerForm | None, spent: _Spent
    ) -> ModelTurn:
        """One answer; asked again at once without what the endpoint refuses."""
        while True:
            in_text = bool(tools) and "tools" in self._without
            request = self._request()
            if in_text:
                self.fill(request, with_tools_as_text(messages, tools), (), form)
            else:
                self.fill(request, messages, tools, form)
            answer = await self._post(request.fields)
            self._has_answered = True
            failure = self._failure(answer)
            if failure is None:
                break
            if (left := self._leave_out(request, failure, answer.body)) is None:
                raise failure
            spent.notes.append(f"asked again without {left}, which the endpoint refuses: {failure}")
        body = answer.body
        if not isinstance(body, dict):
            kind = answer.headers.get("content-type", "")
            # the base URL is right if it was before: something between here and the API answers for a while
            raise (
                Passing(f"the last answer was no JSON object (content type {kind!r})")
                if self._understood
                else failures.not_json(self._asked, kind)
            )
        usage = self._usage(body, answer.headers)
        spent.usage.append(usage)
        names = [tool.name for tool in tools]
        turn = self.read(body, f"{len(messages)}/{body.get('id')}", names, form)
        spent.notes += turn.notes
        if in_text:
            spent.notes.append("the tools were written into the conversation (tools: text)")
        elif _drops_tools(messages, tools, turn, usage):
            spent.notes.append(
                f"the server seems to drop the tools: the prompt had {usage.input_tokens} tokens, "
                'fewer than they take (set "tools": "text" for the model in models.json)'
            )
        self._understood = True
        return turn.model_copy(update={"served_by": served_by(body)})

    def _request(self) -> Body:
        """What both APIs take: the entry's own fields first, so that they replace none of ours."""
        fields = {**self.entry.request, "model": self.entry.slug}
        if self.entry.provider:
            fields["provider"] = {"order": list(self.entry.provider), "allow_fallbacks": False}
        if self.entry.temperature is not None:
            fields["temperature"] = self.entry.temperature
        fields = {name: value for name, value in fields.items() if name not in self._without}
        return Body(fields, frozenset(self._without), fields.keys() & self._optional.keys())

    def _failure(self, answer: _Answer) -> Exception | None:
        """What the answer reports as gone wrong."""
        body = answer.body
        if answer.status >= 300:
            said = body if body is not None else answer.text
            return failures.from_status(answer.status, said, answer.headers, self._asked)
        return failures.from_body(body, self._asked) if isinstance(body, dict) else None

    def _leave_out(self, request: Body, failure: Exception, body: object) -> str | None:
        """The optional part of this request that the endpoint refused; it is left out from here on."""
        if type(failure) is not ModelRejected:
            return None
        # a model may be called kimi-k2-thinking
        name = re.compile(rf"(?<![\w/-]){re.escape(self.entry.slug)}(?![\w/-])")
        said = name.sub("", f"{failure} {failures.error_details(body).get('param')}")
        for part, words in self._optional.items():
            # another trial may have had it left out meanwhile, so only the request itself tells
            if part in request.sent and words.search(said):
                self._without.add(part)
                return part
        return None

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
        # whatever a header says of its letters: JSON is UTF-8, and the words of an error are for people
        words = answer.content.decode("utf-8", "replace")
        return _Answer(answer.status_code, answer.headers, _json(answer.content), words)

    def _usage(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> Usage:
        usage = read_usage(body, headers)
        if usage.cost_usd is not None or usage == Usage():
            return usage
        return usage.model_copy(update={"cost_usd": cost_usd(self.entry, usage)})


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
    """The JSON value of a body, None where it is none; lone surrogates, which no file holds, are replaced."""
    try:
        value = json.loads(content)
        if b"\\ud" in content.lower():
            text = json.dumps(value, ensure_ascii=False)
            value = json.loads(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
    except (ValueError, RecursionError):
        return None
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

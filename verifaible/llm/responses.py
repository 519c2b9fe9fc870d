"""A model behind the OpenAI Responses API: OpenRouter, OpenAI, or any server that speaks it."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from verifaible.errors import ModelAnswerInvalid
from verifaible.llm import failures, wire
from verifaible.llm.catalogue import ModelEntry, cost_usd
from verifaible.llm.endpoint import Endpoint
from verifaible.llm.failures import Passing
from verifaible.schema.chat import Message, ModelTurn, ToolSpec, Usage

#: The temperature of the published evaluation (seed, section 2.4).
TEMPERATURE = 0.3
#: Sent so that reasoning can be passed back although the endpoint stores nothing.
_ENCRYPTED_REASONING = "reasoning.encrypted_content"
_REFUSED_INCLUDE = re.compile(r"encrypted|\binclude\b", re.I)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how long to wait for an endpoint that is busy, failing or away.

    Attributes:
        attempts: requests for one turn at most.
        first_wait_s: wait after the first failure; doubled after each further one.
        longest_wait_s: longest wait; an endpoint that asks for more is given up at once.
    """

    attempts: int = 5
    first_wait_s: float = 1.0
    longest_wait_s: float = 120.0

    def wait_s(self, attempt: int, retry_after_s: float | None) -> float | None:
        """Seconds to wait after failed ``attempt`` (from 1); None to give up."""
        if attempt >= self.attempts:
            return None
        if retry_after_s is not None:
            return retry_after_s if retry_after_s <= self.longest_wait_s else None
        return float(min(self.first_wait_s * 2 ** (attempt - 1), self.longest_wait_s))


class ResponsesClient:
    """A :class:`~verifaible.llm.base.ModelClient` over the openai library.

    Args:
        entry: the model; its prices are used where the endpoint states no cost.
        place: where it is asked, and with which key.
        temperature: sampling temperature.
        retry: what to do about failures that may pass.
        timeout_s: longest time for one answer; reasoning models take minutes.
        sleep: how to wait between attempts.
    """

    def __init__(
        self,
        entry: ModelEntry,
        place: Endpoint,
        *,
        temperature: float = TEMPERATURE,
        retry: RetryPolicy | None = None,
        timeout_s: float = 600.0,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient, Timeout

        self._entry = entry
        self._place = place
        self._temperature = temperature
        self._retry = retry or RetryPolicy()
        self._sleep = sleep
        self._include = True
        self._client = AsyncOpenAI(
            base_url=place.base_url,
            api_key=place.api_key or "none",
            max_retries=0,
            timeout=Timeout(timeout_s, connect=min(15.0, timeout_s)),
            # a server on this machine is never asked through a proxy
            http_client=DefaultAsyncHttpxClient(trust_env=not place.is_loopback),
        )

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> ModelTurn:
        """The model's next turn; an unreadable or empty answer is asked for once more.

        Raises:
            ModelUnreachable: no connection, time-outs or server errors, past the retries.
            ModelRejected: the key, the credit, a policy or the length of the conversation.
            ModelAnswerInvalid: two answers in a row could not be read or held nothing.
        """
        started = time.monotonic()
        request = self._request(messages, tools)
        spent = Usage()
        try:
            body = await self._ask(request)
            spent = self._usage(body)
            turn = wire.read_turn(body)
        except ModelAnswerInvalid:
            body = await self._ask(request)
            spent += self._usage(body)
            turn = wire.read_turn(body)
        return turn.model_copy(update={"usage": spent, "duration_s": time.monotonic() - started})

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()

    def _request(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> dict[str, Any]:
        request: dict[str, Any] = {
            "model": self._entry.slug,
            "input": wire.input_items(messages),
            "temperature": self._temperature,
            "store": False,
        }
        if system := wire.instructions(messages):
            request["instructions"] = system
        if tools:
            request["tools"] = wire.tool_items(tools)
        return request

    async def _ask(self, request: Mapping[str, Any]) -> object:
        """One answer, after as many attempts as the policy allows."""
        attempt = 0
        while True:
            attempt += 1
            try:
                return await self._post(request)
            except Passing as failure:
                wait = self._retry.wait_s(attempt, failure.retry_after_s)
                if wait is None:
                    raise failures.unreachable(self._place, failure, attempt) from failure
            await self._sleep(wait)

    async def _post(self, request: Mapping[str, Any]) -> object:
        """One request; every failure of the library becomes one of ours."""
        from openai import APIConnectionError, APIStatusError, APITimeoutError

        asked = dict(request, include=[_ENCRYPTED_REASONING]) if self._include else dict(request)
        try:
            answer = await self._client.responses.with_raw_response.create(**asked)
        except APITimeoutError as error:
            raise Passing("it did not answer in time") from error
        except APIConnectionError as error:
            raise Passing(f"the connection failed ({_reason(error)})") from error
        except APIStatusError as error:
            if "include" in asked and error.status_code in (400, 422) and _REFUSED_INCLUDE.search(str(error)):
                # some endpoints refuse the field for models that do not reason: do without from here on
                self._include = False
                return await self._post(request)
            raise failures.from_status(error, self._place, self._entry.slug) from error
        try:
            body = json.loads(answer.http_response.content)
        except ValueError as error:
            content_type = answer.headers.get("content-type", "")
            raise failures.not_json(self._place, content_type) from error
        if isinstance(body, dict) and (failure := failures.from_body(body, self._place, self._entry.slug)):
            raise failure
        return body

    def _usage(self, body: object) -> Usage:
        usage = wire.read_usage(body)
        if usage.cost_usd is not None or usage == Usage():
            return usage
        return usage.model_copy(update={"cost_usd": cost_usd(self._entry, usage)})


def _reason(error: BaseException) -> str:
    """The first cause of a failed connection: the library itself only says "Connection error."."""
    while error.__cause__ is not None:
        error = error.__cause__
    return str(error) or type(error).__name__

"""Clients for the Responses and Chat Completions APIs, and from a model's name to its client."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from verifaible.config import Settings
from verifaible.llm import chat_wire, wire
from verifaible.llm.base import OBJECT, REFUSED, SCHEMA, AnswerForm, ModelClient
from verifaible.llm.catalogue import Api, known_models, prices_of, resolve
from verifaible.llm.client import TEMPERATURE_FIELD, TOOLS_FIELD, ApiClient, Refusable, Wire
from verifaible.llm.endpoint import api_for, endpoint
from verifaible.llm.retry import RetryPolicy
from verifaible.schema.chat import Message, ToolSpec


@dataclass(frozen=True, slots=True)
class OpenedModel:
    """A model that can be asked.

    Attributes:
        client: to be closed by who opened it.
        described: what is asked, where, and in which API.
        prices: by which its cost is estimated, as JSON; empty where there are none.
        priced: whether what its calls cost will be known.
        key: the variable with the key of its endpoint, and the key; never printed.
    """

    client: ModelClient
    described: str
    prices: str
    priced: bool
    key: tuple[str, str] = field(default=("", ""), repr=False)


def open_model(
    name: str,
    settings: Settings,
    api: Api | None = None,
    provider: tuple[str, ...] = (),
    *,
    temperature: float | None = None,
) -> OpenedModel:
    """The client for a model's name.

    Args:
        name: as :func:`~verifaible.llm.catalogue.resolve` takes it.
        settings: base URL, key, and the person's own models.
        api: the API to ask it in; default what the catalogue says.
        provider: of OpenRouter, in this order and no others; default what the catalogue says.
        temperature: default what the catalogue says; of a model that takes none, none.

    Raises:
        UnknownModel: no such name.
        MissingKey: the model's endpoint needs a key that is not set.
        ConfigError: the base URL, the key or the person's own file of models has faults.
    """
    entry = resolve(name, any_name=bool(settings.base_url.strip()), known=known_models(settings))
    entry = entry.model_copy(update={"provider": provider}) if provider else entry
    if temperature is not None and entry.temperature is not None:
        entry = entry.model_copy(update={"temperature": temperature})
    spoken = api_for(settings, entry, api)
    place = endpoint(settings, entry)
    prices = prices_of(entry)
    retry = RetryPolicy(total_s=settings.retry_s)
    further = ["tools as text"] if entry.tools == "text" else []
    further += [f"only {' then '.join(entry.provider)}"] if entry.provider else []
    return OpenedModel(
        client=(ChatClient if spoken == "chat" else ResponsesClient)(entry, place, retry=retry),
        described=", ".join([f"{entry.slug} at {place.host}", spoken, *further]),
        prices=prices,
        priced=bool(prices) or place.is_openrouter,
        key=(place.key_name, place.api_key),
    )


#: Sent so that reasoning can be passed back although the endpoint stores nothing.
_ENCRYPTED_REASONING = "reasoning.encrypted_content"


class ResponsesClient(ApiClient):
    """A :class:`~verifaible.llm.base.ModelClient` for ``POST /responses``; nothing is stored there."""

    api = "responses"
    path = "/responses"
    optional = (
        Refusable(SCHEMA, REFUSED),
        Refusable(OBJECT, REFUSED),
        # some endpoints refuse the field for models that do not reason
        Refusable("include", re.compile(r"encrypted|\binclude\b", re.I)),
        TEMPERATURE_FIELD,
        TOOLS_FIELD,
        Refusable("store", re.compile(r"\bstore\b", re.I)),
    )
    _wire: ClassVar[Wire] = wire

    def _request(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], form: AnswerForm | None
    ) -> dict[str, Any]:
        request = {**self._settings(), "input": wire.input_items(messages)}
        if "store" not in self._without:
            request["store"] = False
        if "include" not in self._without:
            request["include"] = [_ENCRYPTED_REASONING]
        if self.entry.max_output_tokens is not None:
            request["max_output_tokens"] = self.entry.max_output_tokens
        if system := wire.instructions(messages):
            request["instructions"] = system
        if tools:
            request["tools"] = wire.tool_items(tools)
        if form is not None and (wanted := self._wanted_format(form)):
            # an entry may set another part of it, such as the verbosity
            request["text"] = {**(request.get("text") or {}), "format": wanted}
        return request

    def _wanted_format(self, form: AnswerForm) -> dict[str, Any] | None:
        """The form as this endpoint takes it: a schema, else any object, else nothing."""
        if SCHEMA not in self._without:
            return {"type": "json_schema", "name": form.name, "strict": True, "schema": form.parameters}
        return {"type": "json_object"} if OBJECT not in self._without else None

    def _form_sent(self, request: Mapping[str, Any]) -> str:
        return str(((request.get("text") or {}).get("format") or {}).get("type") or "")


#: The name of the output limit that every server knows, and the one that OpenAI's reasoning models want.
_LIMIT, _NEWER_LIMIT = "max_tokens", "max_completion_tokens"
#: What this module calls the reasoning in the messages; no field of a request has this name.
_REASONING = "reasoning in messages"


class ChatClient(ApiClient):
    """A :class:`~verifaible.llm.base.ModelClient` for ``POST /chat/completions``."""

    api = "chat"
    path = "/chat/completions"
    optional = (
        Refusable(SCHEMA, REFUSED),
        Refusable(OBJECT, REFUSED),
        TEMPERATURE_FIELD,
        TOOLS_FIELD,
        Refusable(_LIMIT, re.compile(r"max_completion_tokens", re.I)),
        # DeepSeek and Anthropic want it back and say so; they do not refuse it
        Refusable(
            _REASONING,
            re.compile(
                r"\A(?!.*\b(?:must(?! not)|missing|expected)\b).*(?:reasoning|thinking"
                r"|provider_specific_fields|extra_content|extra (?:inputs|fields)|additional propert"
                r"|un(?:known|recognized|expected))",
                re.I | re.S,
            ),
        ),
    )
    _wire: ClassVar[Wire] = chat_wire

    def _request(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], form: AnswerForm | None
    ) -> dict[str, Any]:
        reasoning = _REASONING not in self._without
        request = {**self._settings(), "messages": chat_wire.messages(messages, reasoning=reasoning)}
        if self.entry.max_output_tokens is not None:
            request[_NEWER_LIMIT if _LIMIT in self._without else _LIMIT] = self.entry.max_output_tokens
        if tools:
            request["tools"] = chat_wire.tool_items(tools)
        if form is not None and (wanted := self._wanted_format(form)):
            request["response_format"] = wanted
        return request

    def _wanted_format(self, form: AnswerForm) -> dict[str, Any] | None:
        """The form as this endpoint takes it: a schema, else any object, else nothing."""
        if SCHEMA not in self._without:
            schema = {"name": form.name, "strict": True, "schema": form.parameters}
            return {"type": "json_schema", "json_schema": schema}
        return {"type": "json_object"} if OBJECT not in self._without else None

    def _form_sent(self, request: Mapping[str, Any]) -> str:
        return str((request.get("response_format") or {}).get("type") or "")

    def _sends(self, name: str, request: Mapping[str, Any]) -> bool:
        if name == _REASONING:
            return chat_wire.has_reasoning(request["messages"])
        return super()._sends(name, request)

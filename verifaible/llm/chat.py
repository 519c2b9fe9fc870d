"""A model behind the OpenAI Chat Completions API: vLLM, Ollama, LM Studio, LiteLLM, or any other."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from verifaible.llm import chat_wire
from verifaible.llm.client import TEMPERATURE_FIELD, TOOLS_FIELD, ApiClient, Refusable
from verifaible.llm.forms import OBJECT, REFUSED, SCHEMA, AnswerForm
from verifaible.schema.chat import Message, ModelTurn, ToolSpec

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

    def _sends(self, name: str, request: Mapping[str, Any]) -> bool:
        if name in (SCHEMA, OBJECT):
            sent = "json_schema" if name == SCHEMA else "json_object"
            return bool((request.get("response_format") or {}).get("type") == sent)
        return chat_wire.has_reasoning(request["messages"]) if name == _REASONING else name in request

    def _read(self, body: Mapping[str, Any], seed: str) -> ModelTurn:
        return chat_wire.read_turn(body, seed)

"""A model behind the OpenAI Responses API: OpenRouter, OpenAI, or any server that speaks it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from verifaible.llm import wire
from verifaible.llm.client import TEMPERATURE_FIELD, TOOLS_FIELD, ApiClient, Refusable
from verifaible.llm.forms import OBJECT, REFUSED, SCHEMA, AnswerForm
from verifaible.schema.chat import Message, ModelTurn, ToolSpec

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

    def _sends(self, name: str, request: Mapping[str, Any]) -> bool:
        if name in (SCHEMA, OBJECT):
            sent = "json_schema" if name == SCHEMA else "json_object"
            return bool(((request.get("text") or {}).get("format") or {}).get("type") == sent)
        return super()._sends(name, request)

    def _read(self, body: Mapping[str, Any], seed: str) -> ModelTurn:
        return wire.read_turn(body, seed)

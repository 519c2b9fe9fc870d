"""Half a surrogate pair, which JSON can name and no file can hold, costs no reply and no turn."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from verifaible.crypto.chat.conversations import TextDelta, ToolFinished
from verifaible.schema.check import Check
from verifaible.schema.data import Display
from verifaible.schema.run import ToolReply

NAME = json.loads('"a coin \\ud83d, 😀"')
KEPT = "a coin \ufffd, 😀"


def test_what_a_tool_gives_can_be_kept() -> None:
    reply = ToolReply(text=NAME, displays=(Display(kind="table", title=NAME, markdown=NAME, alt=NAME),))
    told = ToolFinished(call="1", name="tool", text=reply.text, displays=reply.displays)
    assert ToolFinished.model_validate_json(told.model_dump_json()) == told
    shown = reply.displays[0]
    assert {reply.text, shown.title, shown.markdown, shown.alt, TextDelta(text=NAME).text} == {KEPT}


def test_a_check_without_a_time_zone_is_none() -> None:
    """Times that cannot be compared would keep a whole store from being read."""
    said = {"citation_id": "c", "kind": "live", "verdict": "gone", "message": "m"}
    assert Check.model_validate_json(json.dumps({**said, "at": "2026-01-01T00:00:00Z"})).at.tzinfo
    with pytest.raises(ValidationError):
        Check.model_validate_json(json.dumps({**said, "at": "2026-01-01T00:00:00"}))

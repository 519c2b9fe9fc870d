"""Half a surrogate pair, which JSON can name and no file can hold, costs no reply and no turn."""

from __future__ import annotations

import json

from verifaible.crypto.chat.conversations import TextDelta, ToolFinished
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

"""Connections that stay open, as records: WebSockets and server-sent events, message by message.

One connection is one ``resource`` record of the media type ``STREAM_TYPE``, whose body is JSON.
Inside the package it is an exchange like any other, with a method of its own (``WEBSOCKET``,
``EVENTSOURCE``), so that it is kept, cleaned of secrets and indexed as every answer is. It is evidence of
what was sent; no connection is ever played to a page again.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias

from verifaible.errors import IntegrityError
from verifaible.schema.web import WebExchange, WebRequest, WebResponse

#: Media type of the records, which are no HTTP messages, and their methods.
STREAM_TYPE = "application/vnd.verifaible.stream+json"
WEBSOCKET, EVENTSOURCE = "WEBSOCKET", "EVENTSOURCE"
STREAMS = frozenset({WEBSOCKET, EVENTSOURCE})

By: TypeAlias = Literal["page", "server"]


@dataclass(frozen=True, slots=True)
class Frame:
    """One message of a connection.

    Attributes:
        at_s: seconds since the connection was asked for.
        by: who sent it.
        data: a text, or bytes.
        event: the name of a server-sent event; ``id`` is its last event ID.
    """

    at_s: float
    by: By
    data: str | bytes
    event: str = ""
    id: str = ""


@dataclass(frozen=True, slots=True)
class Stream:
    """One connection: its messages in order, and whether it was accepted and had ended.

    ``method`` is ``WEBSOCKET`` or ``EVENTSOURCE``.
    """

    method: str
    url: str
    opened_at: datetime
    frames: tuple[Frame, ...] = ()
    accepted: bool = True
    ended: bool = False

    def exchange(self) -> WebExchange:
        """The connection as it is kept."""
        told = {
            "kind": "websocket" if self.method == WEBSOCKET else "event-stream",
            "accepted": self.accepted,
            "ended": self.ended,
            "frames": [_told(frame) for frame in self.frames],
        }
        body = json.dumps(told, ensure_ascii=False, indent=1).encode("utf-8", "surrogatepass")
        response = WebResponse(200, (("content-type", STREAM_TYPE),), body)
        return WebExchange(WebRequest(self.url, self.method), response, self.opened_at)


def stream_of(method: str, url: str, body: bytes, opened_at: datetime) -> Stream:
    """The connection that a record holds; IntegrityError where it holds none."""
    try:
        told = json.loads(body)
        frames = tuple(map(_frame, told["frames"]))
        return Stream(method, url, opened_at, frames, bool(told["accepted"]), bool(told["ended"]))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise IntegrityError(
            f"The record of the connection to {url} cannot be read ({error!r}). Take the archive from a good "
            "copy, or record it again."
        ) from error


def _told(frame: Frame) -> dict[str, Any]:
    text = isinstance(frame.data, str)
    data = frame.data if isinstance(frame.data, str) else base64.b64encode(frame.data).decode()
    named = {name: value for name in ("event", "id") if (value := getattr(frame, name))}
    return {"at": round(frame.at_s, 3), "by": frame.by, "text" if text else "base64": data, **named}


def _frame(told: Mapping[str, Any]) -> Frame:
    if told["by"] not in ("page", "server"):
        raise ValueError(f"a message by {told['by']!r}")
    data = str(told["text"]) if "text" in told else base64.b64decode(told["base64"], validate=True)
    return Frame(float(told["at"]), told["by"], data, str(told.get("event", "")), str(told.get("id", "")))

"""Connections that stay open, as records: WebSockets and server-sent events, message by message.

One connection is one ``resource`` record of the media type ``STREAM_TYPE``; docs/recording.md has its form.
Inside the package it is an exchange like any other, with a method of its own (``WEBSOCKET``,
``EVENTSOURCE``), so that it is kept, cleaned of secrets, indexed and looked up by its address as every
answer is.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from time import time
from typing import Any, Literal, TypeAlias

from verifaible.archive.bodies import shape
from verifaible.archive.volatile import Moment, same_but_for_time
from verifaible.errors import IntegrityError
from verifaible.schema.web import WebExchange, WebRequest, WebResponse

#: Media types of the records that are no HTTP messages, by their method.
STREAM_TYPE = "application/vnd.verifaible.stream+json"
CHANCE_TYPE = "application/vnd.verifaible.chance+json"
WEBSOCKET, EVENTSOURCE, CHANCE = "WEBSOCKET", "EVENTSOURCE", "CHANCE"
RESOURCES: Mapping[str, str] = {WEBSOCKET: STREAM_TYPE, EVENTSOURCE: STREAM_TYPE, CHANCE: CHANCE_TYPE}

By: TypeAlias = Literal["page", "server"]


@dataclass(frozen=True, slots=True)
class Frame:
    """One message of a connection.

    Attributes:
        at_s: seconds since the connection was asked for.
        by: who sent it.
        data: a text, or bytes.
        event: the name of a server-sent event; ``id`` is its last event ID.
        after: how many requests that tell the server something (other than GET) the page had sent before.
    """

    at_s: float
    by: By
    data: str | bytes
    event: str = ""
    id: str = ""
    after: int = 0


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
        return resource(self.method, self.url, told, self.opened_at)


def resource(method: str, url: str, told: Mapping[str, Any], at: datetime) -> WebExchange:
    """A JSON object as a record of its own."""
    body = json.dumps(told, ensure_ascii=False, indent=1).encode("utf-8", "surrogatepass")
    return WebExchange(
        WebRequest(url, method), WebResponse(200, (("content-type", RESOURCES[method]),), body), at
    )


def stream_of(method: str, url: str, body: bytes, opened_at: datetime) -> Stream:
    """The connection that a record holds; IntegrityError where it holds none."""
    try:
        told = json.loads(body)
        frames = tuple(_frame(each) for each in told["frames"])
        return Stream(method, url, opened_at, frames, bool(told["accepted"]), bool(told["ended"]))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise IntegrityError(
            f"The record of the connection to {url} cannot be read ({error!r}). Take the archive from a good "
            "copy, or record it again."
        ) from error


def text_of(record: WebResponse) -> str:
    """All that the messages of a connection's record say; bytes are read as UTF-8."""
    frames = stream_of("", "", record.body, datetime.min).frames
    return "\n".join(
        each.data if isinstance(each.data, str) else each.data.decode("utf-8", "replace") for each in frames
    )


def _told(frame: Frame) -> dict[str, Any]:
    data = frame.data
    said = {"text": data} if isinstance(data, str) else {"base64": base64.b64encode(data).decode()}
    named = {name: value for name in ("event", "id", "after") if (value := getattr(frame, name))}
    return {"at": round(frame.at_s, 3), "by": frame.by, **said, **named}


def _frame(told: Mapping[str, Any]) -> Frame:
    if told["by"] not in ("page", "server"):
        raise ValueError(f"a message by {told['by']!r}")
    data = str(told["text"]) if "text" in told else base64.b64decode(told["base64"], validate=True)
    named = str(told.get("event", "")), str(told.get("id", ""))
    return Frame(float(told["at"]), told["by"], data, *named, int(told.get("after", 0)))


def renamed(
    said: str | bytes, frame: Frame, opened_at: datetime, is_given: Callable[[str], bool]
) -> Mapping[str, str] | None:
    """What a recorded message calls otherwise than ``said`` does; None where they are not the same message.

    Equal ones rename nothing. Others are the same only where all that differs is made up for each message or
    is its time (``archive.volatile``). Never the same by their place alone: that might be another click's.
    """
    if said == frame.data:
        return {}
    if isinstance(said, bytes) or isinstance(frame.data, bytes):
        return None
    ours, theirs = (shape(text.encode("utf-8", "surrogatepass"), "") for text in (said, frame.data))
    if (ours.kind, ours.steady) != (theirs.kind, theirs.steady):
        return None
    moment = Moment(opened_at.astimezone(UTC).timestamp() + frame.at_s)
    if not same_but_for_time(ours.aside, theirs.aside, moment, time(), is_given):
        return None
    pairs = zip(sorted(theirs.aside), sorted(ours.aside), strict=False)
    return {old: new for (name, old), (same, new) in pairs if name == same and old != new}

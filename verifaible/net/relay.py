"""The two ends of a relayed connection, and the head of a request to a proxy.

Bytes go from one end to the other as they come. Each end stops reading while the other cannot write,
so that a slow reader never makes this process keep a whole answer.
"""

from __future__ import annotations

import asyncio
import re
import socket
import struct
from dataclasses import dataclass
from typing import cast

from verifaible.net.guard import Target, parse_target, target_of

#: What one end may keep for the other before the other stops reading.
BUFFER_BYTES = 256 * 1024
#: Longer heads are refused; servers refuse them from 8 to 64 KiB on.
MAX_HEAD_BYTES = 256 * 1024

_TOKEN = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+\Z")
_FOR_THE_PROXY = frozenset({b"proxy-authorization", b"proxy-authenticate"})
_FRAMING = frozenset({b"content-length", b"transfer-encoding", b"trailer"})
_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]*)?\Z")
#: A line that tells the size of a chunk has a few characters; extensions and trailers hardly more.
_MAX_CHUNK_LINE_BYTES = 4096
_MAX_TRAILERS = 100


class MalformedHead(ValueError):
    """A request that is not one to a proxy (RFC 9112, 3.2); nothing is sent on."""


@dataclass(frozen=True, slots=True)
class RequestHead:
    """The head of a request to a proxy.

    Attributes:
        method: ``CONNECT``, or that of a plain http request.
        target: the host and port to reach.
        path: path and query; empty for CONNECT.
        url: the request target as it came.
        lines: the header fields, name and value, in order.
    """

    method: str
    target: Target
    path: str
    url: str
    lines: tuple[tuple[bytes, bytes], ...]

    @property
    def tunnels(self) -> bool:
        """Whether it asks for a tunnel."""
        return self.method == "CONNECT"

    @property
    def body_bytes(self) -> int | None:
        """Length of the body that follows; None where it comes in chunks.

        Raises:
            MalformedHead: lengths that contradict each other, or a coding besides the chunks
                (RFC 9112, 6.1 and 6.3).
        """
        codings = {value.lower() for name, value in self.lines if name.lower() == b"transfer-encoding"}
        if codings == {b"chunked"}:
            return None
        if codings:
            raise MalformedHead("transfer-encoding")
        lengths = {value for name, value in self.lines if name.lower() == b"content-length"}
        if not lengths:
            return 0
        length = lengths.pop()
        if lengths or not length.isdigit():
            raise MalformedHead("content-length")
        return int(length)

    def header(self, name: bytes) -> bytes | None:
        """The first field of a name in lower case."""
        return next((value for each, value in self.lines if each.lower() == name), None)

    def for_server(self, *, close: bool) -> bytes:
        """The head as a server expects it: only the path, nothing that was meant for the proxy."""
        lines: list[bytes] = [f"{self.method} {self.path} HTTP/1.1".encode("latin-1")]
        for name, value in self.lines:
            lowered = name.lower()
            if lowered in _FOR_THE_PROXY or (close and lowered == b"connection"):
                continue
            # What a browser would say to the server itself.
            if lowered == b"proxy-connection":
                if not close:
                    lines.append(b"Connection: " + value)
                continue
            lines.append(name + b": " + value)
        if close:
            lines.append(b"Connection: close")
        return b"\r\n".join(lines) + b"\r\n\r\n"

    def for_proxy(self, authorization: str, *, unchunked: int | None = None) -> bytes:
        """The head as another proxy expects it.

        Args:
            authorization: the credentials for that one, or an empty string.
            unchunked: length of the body, where it came in chunks and is sent in one piece.
        """
        first = f"{self.method} {self.url} HTTP/1.1".encode("latin-1")
        dropped = _FOR_THE_PROXY if unchunked is None else _FOR_THE_PROXY | _FRAMING
        fields = [(name, value) for name, value in self.lines if name.lower() not in dropped]
        if unchunked is not None:
            fields.append((b"Content-Length", str(unchunked).encode()))
        if authorization:
            fields.append((b"Proxy-Authorization", authorization.encode("latin-1")))
        return b"\r\n".join([first, *(name + b": " + value for name, value in fields)]) + b"\r\n\r\n"


def parse_head(head: bytes) -> RequestHead:
    """Read the head of a request to a proxy, up to and with the empty line.

    Raises:
        MalformedHead: it is none.
        UrlRefused: its address is no http address with a valid host, or carries credentials.
    """
    first, *rest = head[:-4].split(b"\r\n")
    parts = first.split(b" ")
    if len(parts) != 3 or not _TOKEN.match(parts[0]) or not re.fullmatch(rb"HTTP/1\.[01]", parts[2]):
        raise MalformedHead("request line")
    lines = []
    for line in rest:
        name, between, value = line.partition(b":")
        if not between or not _TOKEN.match(name) or re.search(rb"[\r\n\0]", value):
            raise MalformedHead("header field")
        lines.append((name, value.strip(b" \t")))
    method, url = parts[0].decode("ascii"), parts[1].decode("latin-1")
    if method == "CONNECT":
        host, colon, port = url.rpartition(":")
        if not colon or not re.fullmatch(r"[0-9]{1,5}", port) or int(port) > 65535:
            raise MalformedHead("authority")
        return RequestHead(method, target_of(host, int(port)), "", url, tuple(lines))
    if not url.lower().startswith("http://") or re.search(r"[\x00-\x20\x7f]", url):
        raise MalformedHead("request target")
    target = parse_target(url)
    found = re.search(r"[/?]", url[len("http://") :])
    path = url[len("http://") + found.start() :] if found else "/"
    return RequestHead(method, target, path if path.startswith("/") else f"/{path}", url, tuple(lines))


class BodyTooLong(ValueError):
    """A body in chunks that is longer than what is kept of one."""


class ChunkedBody:
    """The body of a request in chunks (RFC 9112, 7.1), put together; its trailers are dropped.

    Attributes:
        data: what has come so far.
    """

    def __init__(self, max_bytes: int) -> None:
        self.data = bytearray()
        self._max_bytes = max_bytes
        self._left = 0
        self._ends = False
        self._trailers: int | None = None

    def take(self, buffer: bytearray) -> bool:
        """Take what belongs to the body from the start of a buffer; True once the body is whole.

        Raises:
            MalformedHead: what has come is not in chunks.
            BodyTooLong: it is longer than ``max_bytes``.
        """
        while True:
            if self._left:
                part = buffer[: self._left]
                del buffer[: self._left]
                self.data += part
                self._left -= len(part)
                if self._left:
                    return False
                self._ends = True
            line = self._line(buffer)
            if line is None:
                return False
            if self._begin(line):
                return True

    def _line(self, buffer: bytearray) -> bytes | None:
        """The next line, if all of it has come."""
        end = buffer.find(b"\r\n", 0, _MAX_CHUNK_LINE_BYTES)
        if end < 0:
            if len(buffer) >= _MAX_CHUNK_LINE_BYTES:
                raise MalformedHead("chunk")
            return None
        line = bytes(buffer[:end])
        del buffer[: end + 2]
        return line

    def _begin(self, line: bytes) -> bool:
        """What a line means here: the end of a chunk, a trailer, or the size of the next chunk."""
        if self._ends:
            if line:
                raise MalformedHead("chunk")
            self._ends = False
            return False
        if self._trailers is not None:
            self._trailers += 1
            if self._trailers > _MAX_TRAILERS:
                raise MalformedHead("trailers")
            return not line
        size = _CHUNK_SIZE.match(line)
        if size is None:
            raise MalformedHead("chunk")
        self._left = int(size[1], 16)
        if not self._left:
            self._trailers = 0
        if len(self.data) + self._left > self._max_bytes:
            raise BodyTooLong
        return False


class Side(asyncio.Protocol):
    """One end of a relayed connection."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self.other: Side | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Limit what is kept for this end."""
        self.transport = cast(asyncio.Transport, transport)
        self.transport.set_write_buffer_limits(high=BUFFER_BYTES)

    def write(self, data: bytes | bytearray) -> None:
        """Send to this end."""
        if self.transport is not None and not self.transport.is_closing():
            self.transport.write(bytes(data))

    def pause_writing(self) -> None:
        """This end is slow: the other reads no further."""
        if self.other is not None and self.other.transport is not None:
            self.other.transport.pause_reading()

    def resume_writing(self) -> None:
        """This end has caught up."""
        if self.other is not None and self.other.transport is not None:
            self.other.transport.resume_reading()

    def connection_lost(self, error: Exception | None) -> None:
        """End the other end as this one ended: a broken answer must not look like a whole one."""
        other, self.other = self.other, None
        self.transport = None
        if other is None or other.transport is None:
            return
        if error is None:
            other.transport.close()
        else:
            reset(other.transport)


class ServerSide(Side):
    """The end towards the server, or towards a further proxy while that one is asked for a tunnel."""

    def __init__(self) -> None:
        super().__init__()
        self._buffer = bytearray()
        self._reply: asyncio.Future[bytes] | None = None
        self._wanted_bytes = 0

    async def ask(self, head: bytes) -> bytes:
        """Send a request to a further proxy and give the head of its reply.

        Raises:
            OSError: it hung up, or its head is too long.
        """
        self._reply = asyncio.get_running_loop().create_future()
        if head:
            self.write(head)
        self._answered()
        try:
            return await self._reply
        finally:
            self._reply = None

    async def exchange(self, data: bytes, size_bytes: int) -> bytes:
        """Send bytes to a further proxy and give so many of its answer.

        Raises:
            OSError: it hung up.
        """
        self._wanted_bytes = size_bytes
        try:
            return await self.ask(data)
        finally:
            self._wanted_bytes = 0

    def join(self, other: Side) -> None:
        """Begin to relay to the other end."""
        self.other, other.other = other, self
        if self._buffer:
            other.write(self._buffer)
            self._buffer.clear()
        if self.transport is not None:
            self.transport.resume_reading()  # a full buffer had stopped it
        if self.transport is None and other.transport is not None:  # it has hung up already
            other.transport.close()

    def data_received(self, data: bytes) -> None:
        """Relay, or keep until there is somebody to relay to."""
        if self.other is not None:
            self.other.write(data)
            return
        self._buffer += data
        if self._reply is None or self._reply.done():
            if len(self._buffer) > BUFFER_BYTES and self.transport is not None:
                self.transport.pause_reading()
            return
        self._answered()

    def _answered(self) -> None:
        """Give what is waited for, if it has come."""
        if self._reply is None or self._reply.done():
            return
        end = self._wanted_bytes or self._buffer.find(b"\r\n\r\n") + 4
        if 4 <= end <= len(self._buffer) or 0 < self._wanted_bytes <= len(self._buffer):
            self._reply.set_result(bytes(self._buffer[:end]))
            del self._buffer[:end]
        elif len(self._buffer) > MAX_HEAD_BYTES:
            self._reply.set_exception(ConnectionError("the head is too long"))

    def connection_lost(self, error: Exception | None) -> None:
        """Tell whoever waits for a reply."""
        if self._reply is not None and not self._reply.done():
            self._reply.set_exception(ConnectionResetError("the proxy hung up"))
        super().connection_lost(error)


def reset(transport: asyncio.Transport) -> None:
    """End a connection as broken (TCP reset), not as finished."""
    found = transport.get_extra_info("socket")
    if isinstance(found, socket.socket) or hasattr(found, "setsockopt"):
        found.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()

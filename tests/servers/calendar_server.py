"""A local OpenTimestamps calendar over real HTTP, for tests, with a block chain of one block.

`POST /digest` takes a commitment and answers with a promise; `GET /timestamp/<commitment>` answers 404
until `mine` has put everything that was promised into a block.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SHA256 = b"\x08"
FORK = b"\xff"


def varint(value: int) -> bytes:
    """A little-endian number in groups of seven bits."""
    groups = bytearray()
    while value > 0x7F:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*groups, value))


def sized(data: bytes) -> bytes:
    return varint(len(data)) + data


def append(data: bytes) -> bytes:
    return b"\xf0" + sized(data)


def prepend(data: bytes) -> bytes:
    return b"\xf1" + sized(data)


def pending(uri: str) -> bytes:
    return b"\x00" + bytes.fromhex("83dfe30d2ef90c8e") + sized(sized(uri.encode()))


def bitcoin(height: int) -> bytes:
    return b"\x00" + bytes.fromhex("0588960d73d71901") + sized(varint(height))


def sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


@dataclass
class Calendar:
    """What runs: the commitments that it took, and their paths into its block once there is one.

    `status` other than 200 and `body` replace every answer.
    """

    url: str = ""
    height: int = 0
    merkle_root: bytes = b""
    status: int = 200
    body: bytes | None = None
    asked: list[str] = field(default_factory=list)
    received: list[bytes] = field(default_factory=list)
    promised: list[bytes] = field(default_factory=list)
    paths: dict[bytes, bytes] = field(default_factory=dict)

    def promise(self, commitment: bytes) -> bytes:
        """Operations to the calendar's own commitment, and its promise there."""
        self.received.append(commitment)
        moment, tag = (1_790_000_000).to_bytes(4, "big"), sha256(b"key" + commitment)[:8]
        self.promised.append(moment + sha256(commitment) + tag)
        return SHA256 + prepend(moment) + append(tag) + pending(self.url)

    def mine(self, height: int) -> None:
        """A block of one transaction beside its coinbase, which carries the hash of all commitments."""
        self.height = height
        for commitment in self.promised:
            leaf, sibling = sha256(commitment), sha256(b"another commitment")
            transaction = b"\x01\x00\x6a\x20" + sha256(leaf + sibling) + b"\x00\x00\x00\x00"
            coinbase = sha256(sha256(b"coinbase"))
            self.merkle_root = sha256(sha256(coinbase + sha256(sha256(transaction))))
            steps = (SHA256, append(sibling), SHA256, prepend(transaction[:4]), append(transaction[-4:]))
            upward = (SHA256, SHA256, prepend(coinbase), SHA256, SHA256, bitcoin(height))
            self.paths[commitment] = b"".join((*steps, *upward))

    def answer(self, method: str, path: str, body: bytes) -> tuple[int, bytes]:
        """Status and body of an answer."""
        if self.status != 200 or self.body is not None:
            return self.status, b"out of order" if self.body is None else self.body
        if method == "POST" and path == "/digest":
            return 200, self.promise(body)
        found = self.paths.get(bytes.fromhex(path.removeprefix("/timestamp/")))
        return (200, found) if found else (404, b"Pending confirmation in Bitcoin blockchain")


@contextmanager
def calendar_server() -> Iterator[Calendar]:
    """Run a calendar until the block ends."""
    calendar = Calendar()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            calendar.asked.append(f"{self.command} {self.path}")
            status, answer = calendar.answer(self.command, self.path, body)
            self.send_response(status)
            self.send_header("content-type", "application/vnd.opentimestamps.v1")
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        do_GET = do_POST = _serve

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    calendar.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield calendar
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

"""An endpoint that says too much: a typed error, and no memory filled."""

from __future__ import annotations

import gzip
import json
import resource
import threading
import zlib
from collections.abc import Iterator
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.kit.marks import nightly
from tests.servers.openai_server import OpenAIServer, message, response
from verifaible.errors import ModelAnswerInvalid, ModelRejected
from verifaible.llm.bounded import MAX_ANSWER_BYTES
from verifaible.llm.catalogue import ModelEntry
from verifaible.llm.chat import ChatClient
from verifaible.llm.client import ApiClient
from verifaible.llm.endpoint import Endpoint
from verifaible.llm.responses import ResponsesClient
from verifaible.schema.chat import Message

ASK = (Message(role="user", text="?"),)
#: What a client may hold of an endless answer, in kilobytes: what it reads up to the limit, copied once.
_MOST_KB = 4 * MAX_ANSWER_BYTES // 1024


@cache
def _packed() -> bytes:
    """256 MiB in 256 KiB, of which the end is not there."""
    packer = zlib.compressobj(wbits=31)
    return b"".join(packer.compress(b" " * (16 << 20)) for _ in range(16))


class _Endless(BaseHTTPRequestHandler):
    """Answers without an end: plain, packed, as an error, or with a head that promises 2 GiB."""

    protocol_version = "HTTP/1.1"
    location = ""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        kind = self.path.split("/")[1]
        self.send_response({"error": 400, "moved": 307}.get(kind, 200))
        if kind == "moved":
            self.send_header("Location", self.location)
        self.send_header("Content-Type", "application/json")
        self.send_header("Connection", "close")
        chunk = b" " * (1 << 20)
        if kind == "packed":
            self.send_header("Content-Encoding", "gzip")
            chunk = _packed()
        if kind == "long":
            self.send_header("Content-Length", str(2 << 30))
        self.end_headers()
        try:
            for _ in range(2048):
                self.wfile.write(chunk)
        except OSError:
            return  # the client has had enough

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def endless() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Endless)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("kind", ["plain", "packed", "long", "error"])
@pytest.mark.parametrize("client", [ChatClient, nightly(ResponsesClient)])
async def test_an_answer_has_a_limit(endless: str, kind: str, client: type[ApiClient]) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    asked = client(ModelEntry(name="m", slug="m"), Endpoint(f"{endless}/{kind}", "k"))
    with pytest.raises(ModelAnswerInvalid, match="bytes, which is no answer of a model"):
        await asked.complete(ASK, ())
    await asked.aclose()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < _MOST_KB


async def test_a_packed_answer_below_the_limit_is_read() -> None:
    reply = response(message("Packed."))
    packed = gzip.compress(json.dumps(reply.body).encode())
    with OpenAIServer([type(reply)(packed, 200, {"Content-Encoding": "gzip"})]) as server:
        asked = ResponsesClient(ModelEntry(name="m", slug="m"), Endpoint(server.base_url, "k"))
        assert (await asked.complete(ASK, ())).text == "Packed."
        await asked.aclose()


@pytest.mark.parametrize("to", ["{here}/plain", "http://[::1", "http://a b/", "http://x:99999/"])
@pytest.mark.parametrize("client", [ChatClient, ResponsesClient])
async def test_a_redirect_is_refused_before_its_body_is_read(
    endless: str, to: str, client: type[ApiClient]
) -> None:
    _Endless.location = to.format(here=endless)
    asked = client(ModelEntry(name="m", slug="m"), Endpoint(f"{endless}/moved", "k"), timeout_s=20)
    with pytest.raises(ModelRejected, match="redirects to"):
        await asked.complete(ASK, ())
    await asked.aclose()

"""The sessions of ``requests`` over our own HTTP client; for youtube-transcript-api, which asks in one."""

from __future__ import annotations

import asyncio
import io
from email.message import Message
from typing import Any
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPResponse

from verifaible.net.client import HttpClient
from verifaible.schema.web import WebRequest, WebResponse


class _Original:
    """The part of an ``http.client`` response that requests reads cookies from."""

    def __init__(self, response: WebResponse) -> None:
        self.msg = Message()
        for name, value in response.headers:
            self.msg.add_header(name, value)

    def isclosed(self) -> bool:
        return True

    def close(self) -> None:
        return


class ClientAdapter(HTTPAdapter):
    """Hands the requests of a session (in a thread) to our client (in the event loop)."""

    def __init__(self, client: HttpClient, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self._client = client
        self._loop = loop
        self.watch_page = ""

    def send(self, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> requests.Response:
        """One exchange; redirects are left to the session, which keeps the cookies of each hop."""
        body = request.body or b""
        ours = WebRequest(
            url=request.url or "",
            method=request.method or "GET",
            headers=tuple(
                (str(name), str(value))
                for name, value in request.headers.items()
                # Ours to say: the client's own name, what it can decode, how it keeps connections.
                if name.lower() not in {"user-agent", "accept-encoding", "connection", "content-length"}
            ),
            body=body.encode() if isinstance(body, str) else bytes(body),
        )
        future = asyncio.run_coroutine_threadsafe(
            self._client.fetch(ours, follow_redirects=False), self._loop
        )
        answer = future.result().answer.response
        response = self.build_response(request, _raw(answer))
        # Without a charset requests would take Latin-1 for text; YouTube sends UTF-8.
        if "charset" not in response.headers.get("content-type", "").lower():
            response.encoding = "utf-8"
        if urlsplit(ours.url).path == "/watch" and answer.status == 200:
            self.watch_page = answer.body.decode("utf-8", "replace")
        return response


def _raw(answer: WebResponse) -> HTTPResponse:
    # The body is decoded already.
    skipped = {"content-encoding", "content-length", "transfer-encoding"}
    headers = [(name, value) for name, value in answer.headers if name.lower() not in skipped]
    return HTTPResponse(
        body=io.BytesIO(answer.body),
        headers=dict(headers),
        status=answer.status,
        preload_content=False,
        original_response=_Original(answer),  # type: ignore[arg-type]
    )

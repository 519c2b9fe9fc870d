"""The HTTP client for models: over the dialler, its answers have a limit, and no redirect leads elsewhere."""

from __future__ import annotations

from typing import Any

import httpx2

from verifaible.errors import ModelAnswerInvalid
from verifaible.llm.streaming import EVENTS, LISTENER
from verifaible.net.client import elsewhere
from verifaible.net.dialer import GuardedTransport
from verifaible.net.guard import UrlGuard

#: Most bytes of one answer, unpacked. The longest outputs of models, 128,000 tokens with their reasoning, are
#: below 4 MB.
MAX_ANSWER_BYTES = 32 << 20
#: What no longer is so of a body that was read: it is unpacked, and has another length.
_OF_THE_WIRE = ("content-encoding", "content-length", "transfer-encoding")


class BoundedClient(httpx2.AsyncClient):
    """A client for the openai library, with every answer read whole, in chunks, up to the limit."""

    def __init__(self, guard: UrlGuard) -> None:
        super().__init__(
            transport=GuardedTransport(guard),
            follow_redirects=True,
            trust_env=False,
            event_hooks={"response": [_stay]},
        )

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send a request.

        Raises:
            UrlRefused: the guard refused the host, or the answer redirects to another origin.
            ModelAnswerInvalid: the answer has more bytes than the limit; what came is dropped.
        """
        answer = await super().send(request, **{**options, "stream": True})
        body = bytearray()
        listener = LISTENER.get() if answer.headers.get("content-type", "").startswith(EVENTS) else None
        try:
            async for chunk in answer.aiter_bytes():
                body += chunk
                if listener is not None:
                    listener(chunk)
                if len(body) > MAX_ANSWER_BYTES:
                    raise ModelAnswerInvalid(
                        f"{request.url.host} answered with more than {MAX_ANSWER_BYTES} bytes, which is no "
                        "answer of a model. Check the endpoint, or use another model."
                    )
        finally:
            await answer.aclose()
        headers = [each for each in answer.headers.multi_items() if each[0].lower() not in _OF_THE_WIRE]
        return httpx2.Response(answer.status_code, headers=headers, content=bytes(body), request=request)


async def _stay(answer: httpx2.Response) -> None:
    """Refuse a redirect to another origin: every request has the conversation, and may have a key."""
    if answer.has_redirect_location:
        here = answer.request.url
        there = here.join(answer.headers["location"])
        if (there.scheme, there.host, there.port) != (here.scheme, here.host, here.port):
            raise elsewhere(str(here), str(there))

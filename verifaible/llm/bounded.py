"""An HTTP client whose answers have a limit, so that no endpoint can fill the memory."""

from __future__ import annotations

from typing import Any

import httpx2
from openai import DefaultAsyncHttpxClient

from verifaible.errors import ModelAnswerInvalid
from verifaible.llm.streaming import EVENTS, LISTENER

#: Most bytes of one answer, unpacked. The longest outputs of models, 128,000 tokens with their reasoning, are
#: below 4 MB.
MAX_ANSWER_BYTES = 32 << 20
#: What no longer is so of a body that was read: it is unpacked, and has another length.
_OF_THE_WIRE = ("content-encoding", "content-length", "transfer-encoding")


class BoundedClient(DefaultAsyncHttpxClient):
    """The client of the openai library, with every answer read whole, in chunks, up to the limit."""

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send a request.

        Raises:
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

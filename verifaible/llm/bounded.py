"""The HTTP client for models: over the dialler, its answers have a limit, and no redirect is followed."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2

from verifaible.errors import ModelAnswerInvalid, UrlRefused
from verifaible.net.client import elsewhere
from verifaible.net.dialer import GuardedTransport

#: Most bytes of one answer, unpacked. The longest outputs of models, 128,000 tokens with their reasoning, are
#: below 4 MB.
MAX_ANSWER_BYTES = 32 << 20
#: What no longer is so of a body that was read: it is unpacked, and has another length.
_OF_THE_WIRE = ("content-encoding", "content-length", "transfer-encoding")


class BoundedTransport(GuardedTransport):
    """Answers of a model's endpoint, unpacked, up to the limit.

    Every request has the conversation, and may have a key: a redirect is refused before its body is read.
    """

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request.

        Raises:
            UrlRefused: the guard refused the host, or the answer redirects.
        """
        answer = await super().handle_async_request(request)
        answer.request = request
        if answer.has_redirect_location:
            await answer.aclose()
            raise _redirected(request.url, answer.headers["location"])
        headers = [each for each in answer.headers.multi_items() if each[0].lower() not in _OF_THE_WIRE]
        return httpx2.Response(answer.status_code, headers=headers, stream=_Bounded(answer))


def _redirected(here: httpx2.URL, location: str) -> UrlRefused:
    try:
        return elsewhere(str(here), str(here.join(location)))
    except httpx2.InvalidURL:
        return UrlRefused(
            f"{here.scheme}://{here.host} redirects to an address that is not valid. Ask elsewhere."
        )


class _Bounded(httpx2.AsyncByteStream):
    """The body of an answer.

    Raises:
        ModelAnswerInvalid: it has more bytes than the limit; what came is dropped.
    """

    def __init__(self, answer: httpx2.Response) -> None:
        self._answer = answer

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._answer.aiter_bytes():
            size += len(chunk)
            if size > MAX_ANSWER_BYTES:
                host = self._answer.request.url.host
                raise ModelAnswerInvalid(
                    f"{host} answered with more than {MAX_ANSWER_BYTES} bytes, which is no answer of a model."
                    " Check the endpoint, or use another model."
                )
            yield chunk

    async def aclose(self) -> None:
        await self._answer.aclose()

"""The HTTP transport for models: over the dialler, its answers have a limit, and no redirect is followed."""

from __future__ import annotations

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
            ModelAnswerInvalid: the answer has more bytes than the limit; what came is dropped.
        """
        answer = await super().handle_async_request(request)
        answer.request, here, body = request, request.url, bytearray()
        try:
            if answer.has_redirect_location:
                raise _redirected(here, answer.headers["location"])
            async for chunk in answer.aiter_bytes():
                body += chunk
                if len(body) > MAX_ANSWER_BYTES:
                    raise ModelAnswerInvalid(
                        f"{here.host} answered with more than {MAX_ANSWER_BYTES} bytes, which is no answer "
                        "of a model. Check the endpoint, or use another model."
                    )
        finally:
            await answer.aclose()
        headers = [each for each in answer.headers.multi_items() if each[0].lower() not in _OF_THE_WIRE]
        return httpx2.Response(answer.status_code, headers=headers, content=bytes(body))


def _redirected(here: httpx2.URL, location: str) -> UrlRefused:
    try:
        return elsewhere(str(here), str(here.join(location)))
    except httpx2.InvalidURL:
        return UrlRefused(
            f"{here.scheme}://{here.host} redirects to an address that is not valid. Ask elsewhere."
        )

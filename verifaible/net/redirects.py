"""What follows a redirect: the same rules for the HTTP client and for the pages of an archive."""

from __future__ import annotations

from urllib.parse import urljoin, urlsplit

from verifaible.errors import PageNotLoaded
from verifaible.schema.web import Headers, WebRequest, WebResponse, header

#: As many hops as browsers follow (WHATWG Fetch, "HTTP-redirect fetch").
MAX_REDIRECTS = 20
#: The redirect statuses (WHATWG Fetch, 2.2.3).
REDIRECTS = frozenset({301, 302, 303, 307, 308})

_BODY_HEADERS = frozenset(
    {"content-length", "content-type", "content-encoding", "content-language", "content-location"}
)
_CREDENTIALS = frozenset({"authorization", "cookie", "proxy-authorization"})


def next_request(request: WebRequest, response: WebResponse) -> WebRequest | None:
    """The request that follows an answer (WHATWG Fetch, "HTTP-redirect fetch"); None if none does.

    A body goes no further than a status allows, credentials no further than their origin. The fragment
    of the new address is kept.

    Raises:
        PageNotLoaded: the answer redirects to an address that is not valid.
    """
    location = header(response.headers, "location")
    if response.status not in REDIRECTS or not location:
        return None
    try:
        url = urljoin(request.url, location)
        leaves = _origin(url) != _origin(request.url)
    except ValueError as error:
        raise PageNotLoaded(
            f"{request.url} redirects to an address that is not valid. Look for another source."
        ) from error
    method, headers, body = request.method.upper(), request.headers, request.body
    status = response.status
    if (status in {301, 302} and method == "POST") or (status == 303 and method not in {"GET", "HEAD"}):
        method, body = "GET", b""
        headers = _without(headers, _BODY_HEADERS)
    if leaves:
        headers = _without(headers, _CREDENTIALS)
    return WebRequest(url, method, headers, body)


def _origin(url: str) -> tuple[str, str, int | None]:
    parts = urlsplit(url)
    scheme = parts.scheme.lower()
    return scheme, (parts.hostname or ""), parts.port or {"http": 80, "https": 443}.get(scheme)


def _without(headers: Headers, names: frozenset[str]) -> Headers:
    return tuple((name, value) for name, value in headers if name.lower() not in names)

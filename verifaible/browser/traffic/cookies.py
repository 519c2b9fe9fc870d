"""Cookies that recorded answers set: each at its own address, on the way of a redirect too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final
from urllib.parse import urlsplit

from verifaible.browser import driver
from verifaible.schema.web import Headers, WebExchange, WebRequest, header

_LIFETIME: Final = frozenset({"expires", "max-age"})
#: What signs a person in, in a request and in an answer.
_CREDENTIALS: Final = frozenset({"cookie", "authorization", "proxy-authorization", "set-cookie"})


@dataclass(frozen=True, slots=True)
class SetCookie:
    """One ``Set-Cookie`` of an answer (RFC 6265, 5.2), attributes by name in lower case."""

    url: str
    name: str
    value: str
    attributes: dict[str, str]
    set_at: datetime

    @property
    def is_over(self) -> bool:
        """Whether it removes the cookie: its lifetime had ended when it was set."""
        age, until = self.attributes.get("max-age"), self.attributes.get("expires")
        if age is not None:
            return age.removeprefix("-").isdigit() and int(age) <= 0
        try:
            moment = parsedate_to_datetime(until) if until else None
        except ValueError:
            return False
        return moment is not None and (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) <= self.set_at

    @property
    def line(self) -> str:
        """As a header of today: a lifetime counts from when it was set, so what lasted then lasts now."""
        kept = ((name, value) for name, value in self.attributes.items() if name not in _LIFETIME)
        parts = [f"{self.name}={self.value}", *(f"{name}={value}" if value else name for name, value in kept)]
        return "; ".join([*parts, "max-age=0"] if self.is_over else parts)


def without_credentials(exchange: WebExchange) -> WebExchange:
    """An exchange without what would sign somebody else in."""
    asked, answered = exchange.request, exchange.response
    return replace(
        exchange,
        request=replace(asked, headers=_harmless(asked.headers)),
        response=replace(answered, headers=_harmless(answered.headers)),
    )


def _harmless(headers: Headers) -> Headers:
    return tuple(pair for pair in headers if pair[0].lower() not in _CREDENTIALS)


def cookies_set(exchange: WebExchange) -> list[SetCookie]:
    """The cookies that an answer sets."""
    found: list[SetCookie] = []
    values = (value for name, value in exchange.response.headers if name.lower() == "set-cookie")
    for line in (line for value in values for line in value.splitlines()):
        pair, *rest = (part.partition("=") for part in line.split(";"))
        attributes = {name.strip().lower(): value.strip() for name, _, value in rest}
        if pair[1]:
            name, value = pair[0].strip(), pair[2].strip()
            found.append(SetCookie(exchange.request.url, name, value, attributes, exchange.recorded_at))
    return found


def carrying(request: WebRequest, cookies: Sequence[SetCookie]) -> WebRequest:
    """A request that follows a redirect, with the cookies that were set on the way to its host."""
    host = urlsplit(request.url).hostname
    own = [each for each in cookies if urlsplit(each.url).hostname == host]
    if not own:
        return request
    parts = [part.strip().partition("=") for part in header(request.headers, "cookie").split(";")]
    sent = {name: value for name, _, value in parts if name}
    for each in own:
        sent.pop(each.name, None)
        if not each.is_over:
            sent[each.name] = each.value
    others = tuple(each for each in request.headers if each[0].lower() != "cookie")
    text = "; ".join(f"{name}={value}" for name, value in sent.items())
    return replace(request, headers=(*others, ("cookie", text)) if text else others)


async def set_cookies(context: driver.BrowserContext, cookies: Iterable[SetCookie]) -> None:
    """Give a context the cookies of hops that it does not see; what a browser refuses is left out."""
    for each in cookies:
        parts, path = urlsplit(each.url), each.attributes.get("path", "")
        domain, folder = each.attributes.get("domain"), parts.path.rpartition("/")[0] or "/"
        place = {
            "domain": f".{domain.removeprefix('.')}" if domain else parts.hostname or "",
            "path": path if path.startswith("/") else folder,
        }
        cookie: Any = {"name": each.name, "value": each.value, **place}
        cookie |= {"httpOnly": "httponly" in each.attributes, "secure": "secure" in each.attributes}
        same_site = each.attributes.get("samesite", "").capitalize()
        cookie |= {"sameSite": same_site} if same_site in ("Strict", "Lax", "None") else {}
        try:
            if each.is_over:
                await context.clear_cookies(name=each.name, **place)
            else:
                await context.add_cookies([cookie])
        except driver.Error:
            continue

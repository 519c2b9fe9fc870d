"""What may not leave this machine: known keys where they stand, and credentials by their place.

A recording leaves out the keys in the settings wherever they stand, the request headers that sign somebody
in, user names and passwords in addresses, and the cookies that a request sent, but for plain ones, which a
look-up compares (``lang=zh``).

A capture is sealed, so nothing is taken out of it. Before it is given away, :func:`secrets_in` names what
stands where credentials stand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, quote, urlsplit, urlunsplit

from verifaible.archive.matching import Json, cookies, fields_of, is_plain, leaves
from verifaible.archive.reader import WaczReader
from verifaible.archive.volatile import words_of
from verifaible.schema.web import WebExchange, WebRequest, WebResponse, header

#: Takes the place of a secret.
REMOVED = "-removed-"
#: Shorter ones would be found by accident.
MIN_SECRET = 6
#: Request headers that sign somebody in.
CREDENTIALS = frozenset({"authorization", "proxy-authorization"})

_SET_COOKIE = "set-cookie"
#: Words by which parameters and fields that hold credentials are named.
_NAMED = frozenset(
    "access apikey auth authorization bearer credential credentials jwt passcode passphrase passwd password "
    "pwd secret session sessionid sid sig signature token".split()
)
#: What says itself that it is a credential: a JSON Web Token, a private key (RFC 7519, RFC 7468).
_SELF_NAMED = {
    "JSON Web Token": re.compile(rb"\beyJ[\w\-]{8,}\.eyJ[\w\-]{4,}\.[\w\-]{8,}"),
    "private key": re.compile(rb"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----[^-]*"),
}
_TEXTS = (".json", ".jsonl", ".txt", ".html")


@dataclass(frozen=True, slots=True)
class Secret:
    """A credential in a capture: its name, and where it stands."""

    name: str
    place: str
    value: str = field(repr=False)

    def __str__(self) -> str:
        return f"{self.name} in {self.place}"


# --- recordings


def without_private(
    exchanges: Sequence[WebExchange], secrets: Iterable[str] = (), credentials: Iterable[str] = ()
) -> list[WebExchange]:
    """The exchanges of one visit as they may be kept; see the head of this module.

    Args:
        exchanges: all that one visit asked for and got.
        secrets: values that may stand nowhere; shorter ones than MIN_SECRET are left alone.
        credentials: names, in lower case, of further request headers that are not kept.
    """
    hidden, dropped = _spellings(secrets), CREDENTIALS | set(credentials)
    return [_cleaned(one, hidden, dropped) for one in exchanges]


def without_secrets(text: str, secrets: Iterable[str]) -> str:
    """A text as it may be kept: the address, the title or the words of a page."""
    return _clean(_without_user(text) if "://" in text[:16] else text, _spellings(secrets))


def _spellings(secrets: Iterable[str]) -> tuple[str, ...]:
    """Secrets as they are, percent-encoded, and as JSON has them; the longest first."""
    spelt = {
        each
        for secret in secrets
        if len(secret) >= MIN_SECRET
        for each in (secret, quote(secret, safe=""), quote(secret), json.dumps(secret)[1:-1])
    }
    return tuple(sorted(spelt, key=lambda each: (-len(each), each)))


def _cleaned(exchange: WebExchange, hidden: tuple[str, ...], dropped: frozenset[str]) -> WebExchange:
    request, response = exchange.request, exchange.response
    sent: list[tuple[str, str]] = []
    for name, value in request.headers:
        if name.lower() == "cookie":
            plain = "; ".join(f"{key}={said}" for key, said in cookies(value) if is_plain(said))
            sent += [(name, plain)] if plain else []
        elif name.lower() not in dropped and not any(secret in value for secret in hidden):
            sent.append((name, value))
    got = tuple((name, _clean(value, hidden)) for name, value in response.headers)
    url = _clean(_without_user(request.url), hidden)
    asked = WebRequest(url, request.method, tuple(sent), _clean_bytes(request.body, hidden))
    answer = WebResponse(response.status, got, _clean_bytes(response.body, hidden))
    return WebExchange(asked, answer, exchange.recorded_at)


def _clean(text: str, hidden: tuple[str, ...]) -> str:
    for secret in hidden:
        text = text.replace(secret, REMOVED)
    return text


def _clean_bytes(data: bytes, hidden: tuple[str, ...]) -> bytes:
    for secret in hidden:
        data = data.replace(secret.encode("utf-8", "surrogatepass"), REMOVED.encode())
    return data


def _without_user(url: str) -> str:
    """The address without a user name and password, which browsers send as a header."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])) if "@" in parts.netloc else url


# --- captures


def secrets_in(reader: WaczReader) -> tuple[Secret, ...]:
    """Every credential in an archive, by its place, each once; errors are those of the reader.

    Places are: ``Cookie``, ``Set-Cookie`` (but for plain values), ``Authorization``; parameters of an address
    and fields that were sent whose name says that they hold one; user names and passwords in addresses; and,
    anywhere, a JSON Web Token or a private key.
    """
    found: dict[tuple[str, str], Secret] = {}
    for secret in (*_in_exchanges(reader), *_in_files(reader)):
        if secret.value != REMOVED:
            found.setdefault((secret.name, secret.value), secret)
    return tuple(found.values())


def _in_exchanges(reader: WaczReader) -> Iterator[Secret]:
    for exchange in reader.exchanges():
        request, response = exchange.request, exchange.response
        address = urlsplit(request.url)
        place = f"{address.hostname}{address.path}"
        yield from _in_address(request.url)
        for name, value in request.headers:
            if name.lower() in CREDENTIALS:
                yield Secret(name, f"the request for {place}", value.partition(" ")[2] or value)
            elif name.lower() == "cookie":
                yield from _in_cookies(value, f"the request for {place}")
        for name, value in response.headers:
            for line in value.splitlines() if name.lower() == _SET_COOKIE else ():
                yield from _in_cookies(line.partition(";")[0], f"the answer to {place}")
        for name, value in _named_fields(request):
            yield Secret(f"the field {name!r}", f"what was sent to {place}", value)
        yield from _self_named(request.body, f"what was sent to {place}")
        yield from _self_named(response.body, f"the answer to {place}")


def _in_files(reader: WaczReader) -> Iterator[Secret]:
    for name in (each for each in reader.names() if each.startswith("evidence/") and each.endswith(_TEXTS)):
        data = reader.read(name)
        yield from _self_named(data, name)
        if name == "evidence/provenance.json":
            yield from _in_address(str(reader.read_json(name).get("url") or ""))


def _in_address(url: str) -> Iterator[Secret]:
    address = urlsplit(url)
    place = f"the address of {address.hostname}{address.path}"
    if address.password:
        yield Secret("the password", place, address.password)
    for name, value in parse_qsl(address.query) + parse_qsl(address.fragment):
        if _NAMED.intersection(words_of(name)) and not is_plain(value):
            yield Secret(f"the parameter {name!r}", place, value)


def _in_cookies(value: str, place: str) -> Iterator[Secret]:
    for name, said in cookies(value):
        if said and not is_plain(said):
            yield Secret(f"the cookie {name!r}", place, said)


def _self_named(data: bytes, place: str) -> Iterator[Secret]:
    for name, form in _SELF_NAMED.items():
        for match in form.finditer(data):
            yield Secret(f"a {name}", place, match[0].decode("utf-8", "replace"))


def _named_fields(request: WebRequest) -> Iterator[tuple[str, str]]:
    """The fields that were sent whose name says that they hold a credential."""
    fields = fields_of(request.body, header(request.headers, "content-type"))
    for name, value in leaves(fields.root) if isinstance(fields, Json) else fields or ():
        if value and isinstance(value, str) and _NAMED.intersection(words_of(name)):
            yield name, value

"""What in an archive looks like a secret: for whoever is about to give the archive away.

A recording leaves out what it knows to be private (``archive.private``). What is found here has the form
of a secret, whoever's it is: nothing is removed, since the archive is sealed. A visit starts without a
log-in, so that what a server hands out, and what its page makes of it, everybody can have. So values that
only look made up count where the visitor brought them, in the address of the page, and in cookies.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from verifaible.archive.private import CREDENTIALS, stand_in
from verifaible.archive.reader import WaczReader
from verifaible.archive.volatile import looks_made_up, seconds
from verifaible.schema.web import WebExchange

#: Shorter values of an address are numbers of pages and the like.
_MIN_TOKEN = 16
#: So much of a value is repeated, for its owner to find it.
_SHOWN = 4
_PROVENANCE = "evidence/provenance.json"

_KEY = re.compile(rb"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----")
_JWT = re.compile(rb"\b(eyJ[\w\-]{8,})\.eyJ[\w\-]{4,}\.[\w\-]{8,}")
_BEARER = re.compile(rb"\bauthorization\W{1,6}(?:bearer|basic)\s+([\w\-.~+/=]{8,})", re.IGNORECASE)
_USER = re.compile(rb"(?i)\b[a-z][a-z0-9+.\-]{1,20}://[^\s/@:\"'<>]{1,64}:([^\s/@\"'<>]{1,64})@[a-z0-9]")
_MAIL = rb"[\w.+\-]{1,64}@[a-z0-9\-]{1,63}(?:\.[a-z0-9\-]{1,63}){1,4}"
#: As lists of stolen accounts have it: an address, a colon, a word.
_WORD = rb"[:;|](?=[A-Za-z]*[^A-Za-z\s])([^\s:;|\"'<>,@]{6,64})(?=\s|$)"
_ACCOUNT = re.compile(rb"(?<![\w/:])" + _MAIL + _WORD, re.IGNORECASE)
_SENT_MAIL = re.compile(_MAIL, re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Something that looks like a secret: what it is, where it stands, and how it begins."""

    what: str
    where: str
    begins: str

    def __str__(self) -> str:
        return f"{self.what} ({self.begins}…) in {self.where}"


def suspicions(reader: WaczReader) -> tuple[Suspicion, ...]:
    """Everything in an archive that looks like a secret, each once; errors are those of the reader."""
    found: dict[Suspicion, None] = dict.fromkeys(_of_address(reader))
    for number, exchange in enumerate(reader.exchanges(), 1):
        found |= dict.fromkeys(_of_exchange(exchange, f"request {number}"))
    for name in reader.names():
        if name.startswith("evidence/"):
            found |= dict.fromkeys(_in_text(reader.read(name), name))
    return tuple(found)


def _of_address(reader: WaczReader) -> Iterator[Suspicion]:
    """Tokens in the address that was asked for; those of every other one came from the page."""
    if _PROVENANCE not in reader.names():
        return
    address = urlsplit(str(reader.read_json(_PROVENANCE).get("url") or ""))
    for name, value in parse_qsl(address.query) + parse_qsl(address.fragment):
        if _is_token(value):
            yield _one(f"The value of {name!r}, which may be a token,", "the address of the page", value)


def _of_exchange(exchange: WebExchange, number: str) -> Iterator[Suspicion]:
    request, response = exchange.request, exchange.response
    address = urlsplit(request.url)
    place = f"{number} ({address.hostname}{address.path})"
    yield from _in_text(request.url.encode(), f"the address of {place}")
    for name, value in request.headers:
        if name.lower() in CREDENTIALS:
            yield _one(f"A credential ({name})", f"the headers of {place}", value.partition(" ")[2] or value)
        elif name.lower() == "cookie":
            yield from _in_cookies(value.split(";"), f"the cookies of {place}")
        else:
            yield from _in_text(value.encode(), f"the headers of {place}")
    for name, value in response.headers:
        if name.lower() == "set-cookie":
            pairs = [line.partition(";")[0] for line in value.splitlines()]
            yield from _in_cookies(pairs, f"the cookies that the answer to {place} sets")
    yield from _in_text(request.body, f"what {place} sent")
    for mail in _SENT_MAIL.finditer(request.body.replace(b"%40", b"@")):
        yield _one("An e-mail address", f"what {place} sent", mail[0].decode("utf-8", "replace"))
    yield from _in_text(response.body, f"the answer to {place}")


def _in_cookies(pairs: list[str], where: str) -> Iterator[Suspicion]:
    for pair in pairs:
        name, _, value = pair.strip().partition("=")
        if _is_token(value) and value != stand_in(value):
            yield _one(f"The cookie {name!r}, which may be a session,", where, value)


def _in_text(data: bytes, where: str) -> Iterator[Suspicion]:
    if _KEY.search(data):
        yield _one("A private key", where, "-----BEGIN")
    for token in _JWT.finditer(data):
        if _is_jwt_head(token[1]):
            yield _one("A JSON Web Token", where, token[0].decode())
    for what, form in (
        ("A credential", _BEARER),
        ("A password in an address", _USER),
        ("A word behind an e-mail address, which may be its password,", _ACCOUNT),
    ):
        for secret in form.finditer(data):
            yield _one(what, where, secret[1].decode("utf-8", "replace"))


def _is_jwt_head(head: bytes) -> bool:
    try:
        return "alg" in json.loads(base64.urlsafe_b64decode(head + b"=" * (-len(head) % 4)))
    except (ValueError, TypeError):
        return False


def _is_token(value: str) -> bool:
    """Long, made up, and no time or plain number."""
    plain = value.replace(".", "").isdigit()
    return len(value) >= _MIN_TOKEN and not plain and looks_made_up(value) and seconds(value) is None


def _one(what: str, where: str, value: str) -> Suspicion:
    return Suspicion(what, where, value[:_SHOWN])

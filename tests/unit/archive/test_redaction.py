"""Secrets: what a recording leaves out, what is named in a capture by its place, and a copy without them."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.archive.helpers import pack
from tests.unit.archive.test_recording import HTML, PAGE, got
from verifaible.archive.reader import WaczReader
from verifaible.archive.redaction import REMOVED, secrets_in, without_private
from verifaible.schema.web import Headers, WebExchange

SITES = Path(__file__).resolve().parents[3] / "snapshots" / "sites"
TOKEN = "q7ZkP0x2mVbT9rLw4sYd"
FORM: Headers = (("content-type", "application/x-www-form-urlencoded"),)
JSON: Headers = (("content-type", "application/json"),)


def _jwt() -> str:
    parts = ({"alg": "HS256", "typ": "JWT"}, {"sub": "someone"})
    texts = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts]
    return ".".join((*texts, "c2lnbmF0dXJlLW9mLWl0"))


def capture(*exchanges: WebExchange, url: str = PAGE, text: str = "") -> bytes:
    files = {
        "evidence/provenance.json": json.dumps({"url": url}).encode(),
        "evidence/text.txt": text.encode(),
        "evidence/page.png": b"\x89PNG\r\n\x1a\n" + TOKEN.encode(),
    }
    return pack(exchanges, files=files, pages=[(url, f"Rates {TOKEN}", "")])


def sent(body: bytes, kind: Headers = FORM) -> dict[str, Any]:
    return {"method": "POST", "sent": body, "asked": kind}


#: By what it is: what is captured, the name and the place that are said, and the value.
SECRETS: dict[str, tuple[dict[str, Any], str, str, str]] = {
    "the page's address": ({"at": f"{PAGE}?page=2&access={TOKEN}"}, "'access'", "the address of www", TOKEN),
    "behind the hash": (
        {"at": f"{PAGE}#access_token={TOKEN}"},
        "'access_token'",
        "the address of www",
        TOKEN,
    ),
    "another address": ({"url": f"{PAGE}/api?apiToken={TOKEN}"}, "'apiToken'", "org/rates/api", TOKEN),
    "a password in an address": (
        {"url": "https://me:hunter2@a.example/x"},
        "password",
        "a.example/x",
        "hunter2",
    ),
    "a web token": ({"text": f"Hello\n{_jwt()}\n"}, "JSON Web Token", "evidence/text.txt", _jwt()),
    "a web token in an answer": ({"body": _jwt()}, "JSON Web Token", "the answer to www.exam", _jwt()),
    "a key": (
        {"text": "-----BEGIN RSA PRIVATE KEY-----\nMIIEabc\n-----END"},
        "private key",
        "text.txt",
        "MIIEabc",
    ),
    "a header": (
        {"asked": (("Authorization", f"Bearer {TOKEN}"),)},
        "Authorization",
        "request for www",
        TOKEN,
    ),
    "a cookie": ({"asked": (("Cookie", f"a=1; s={TOKEN}"),)}, "'s'", "the request for www", TOKEN),
    "a cookie that is set": (
        {"headers": (("Set-Cookie", f"lang=de\nsid={TOKEN}; Path=/"),)},
        "'sid'",
        "the answer to www",
        TOKEN,
    ),
    "a field of a form": (sent(b"user=a&password=pw-17"), "'password'", "what was sent to www", "pw-17"),
    "a field of JSON": (
        sent(b'{"user": {"name": "a", "newPassword": "pw"}}', JSON),
        "'newPassword'",
        "what was sent",
        '"pw"',
    ),
}


def made(name: str) -> tuple[bytes, str, str, str]:
    given, what, where, value = SECRETS[name]
    whole = {"url": PAGE, "body": "<p>x", **given}
    at, text = whole.pop("at", PAGE), whole.pop("text", "")
    return capture(got(whole.pop("url"), whole.pop("body"), **whole), url=at, text=text), what, where, value


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_named_by_its_place(name: str) -> None:
    data, what, where, value = made(name)
    with WaczReader(data) as reader:
        (said,) = map(str, secrets_in(reader))
    assert what in said
    assert where in said
    assert value not in said


OPEN: dict[str, dict[str, Any]] = {
    "a time in the address": {"at": f"{PAGE}?since=1767340800123&until=2026-01-31T08:00:00Z"},
    "words": {"at": f"{PAGE}?q=unemployment+rate+2025&page=12&date=2026-01-31"},
    "a plain word under such a name": {"at": f"{PAGE}?session=morning&token=2"},
    "an address for letters": {"text": "Write to info@statistics.example; telephone +49 30 1234567."},
    "no web token": {"text": "eyJhbGciabcdef.eyJabcd"},
    "a language": {"asked": (("Cookie", "lang=de; tab=2"),), "headers": (*HTML, ("Set-Cookie", "lang=de"))},
    "what the page makes up": {"url": f"{PAGE}?nonce={TOKEN}"},
    "what was searched": sent(b"q=interest+rates&city=Bern"),
}


@pytest.mark.parametrize("name", OPEN)
def test_what_is_no_secret_is_not_named(name: str) -> None:
    whole = {"url": PAGE, "body": "<p>x", **OPEN[name]}
    at, text = whole.pop("at", PAGE), whole.pop("text", "")
    with WaczReader(capture(got(whole.pop("url"), whole.pop("body"), **whole), url=at, text=text)) as reader:
        assert secrets_in(reader) == ()


@pytest.mark.parametrize("site", sorted(SITES.glob("*.wacz")), ids=lambda path: path.stem)
def test_nothing_in_the_replicas_is_a_secret(site: Path) -> None:
    with WaczReader(site) as reader:
        assert secrets_in(reader) == ()


# --- recordings

KEY = "sk-live/7Qz+19=="
SESSION = "9f8e7d6c5b4a39281706f5e4d3c2b1a0"


def test_keys_stand_nowhere() -> None:
    exchange = got(
        f"https://search.example/api?q=rates&key={KEY.replace('/', '%2F').replace('+', '%2B').replace('=', '%3D')}",
        f'{{"key": "{KEY}", "hits": []}}',
        method="POST",
        sent=f'{{"api_key": "{KEY}"}}'.encode(),
        asked=(("X-Api-Key", KEY), ("Authorization", "Bearer other-token"), ("x-page", "2")),
        headers=(("content-type", "application/json"), ("x-echo", f"key {KEY}")),
    )
    (kept,) = without_private([exchange], [KEY, "ab"])
    everything = repr(kept) + repr(kept.request.body) + repr(kept.response.body)
    assert "7Qz" not in everything and "other-token" not in everything
    assert kept.request.headers == (("x-page", "2"),)
    assert kept.request.url == f"https://search.example/api?q=rates&key={REMOVED}"
    assert kept.response.body == f'{{"key": "{REMOVED}", "hits": []}}'.encode()


def test_a_user_in_the_address_goes() -> None:
    (kept,) = without_private([got("https://me:secret@example.org:8443/a?b=c@d", "x")])
    assert kept.request.url == "https://example.org:8443/a?b=c@d"


def test_a_request_keeps_only_the_cookies_that_choose() -> None:
    (kept,) = without_private([got(PAGE, "5.33", asked=(("cookie", f"sid={SESSION}; lang=zh; tab=2"),))])
    assert kept.request.headers == (("cookie", "lang=zh; tab=2"),)

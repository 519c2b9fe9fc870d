"""What of an archive looks like a secret is named, with its place; what everybody is sent is not."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.archive.helpers import pack
from tests.unit.archive.test_recording import PAGE, got
from verifaible.archive.reader import WaczReader
from verifaible.archive.telling import suspicions
from verifaible.schema.web import Headers, WebExchange

SITES = Path(__file__).resolve().parents[3] / "snapshots" / "sites"
TOKEN = "q7ZkP0x2mVbT9rLw4sYd"
JSON: Headers = (("content-type", "application/json"),)


def _jwt() -> str:
    parts = ({"alg": "HS256", "typ": "JWT"}, {"sub": "someone"})
    texts = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts]
    return ".".join((*texts, "c2lnbmF0dXJlLW9mLWl0"))


def told(*exchanges: WebExchange, url: str = PAGE, text: str = "") -> list[str]:
    files = {
        "evidence/provenance.json": json.dumps({"url": url}).encode(),
        "evidence/text.txt": text.encode(),
    }
    with WaczReader(pack(exchanges, files=files)) as reader:
        return [str(each) for each in suspicions(reader)]


SECRETS: dict[str, tuple[dict[str, Any], str, str]] = {
    "a token in the address": (
        {"url": f"{PAGE}?page=2&access={TOKEN}"},
        "'access'",
        "the address of the page",
    ),
    "a token behind the hash": ({"url": f"{PAGE}#code={TOKEN}"}, "'code'", "the address of the page"),
    "a web token": ({"text": f"Hello\n{_jwt()}\n"}, "JSON Web Token", "evidence/text.txt"),
    "a key": ({"text": "-----BEGIN RSA PRIVATE KEY-----\nMIIE"}, "private key", "evidence/text.txt"),
    "a header in a page": ({"text": f"curl -H 'Authorization: Bearer {TOKEN}'"}, "credential", "text.txt"),
    "a password in an address": ({"text": "see ftp://me:hunter2@files.example/x"}, "password", "text.txt"),
    "an account": ({"text": "list:\nsome.one@mail.example:hunter2\n"}, "e-mail", "text.txt"),
    "a header": ({"asked": (("Authorization", f"Bearer {TOKEN}"),)}, "Authorization", "request 1 (www.exa"),
    "a cookie": ({"asked": (("Cookie", f"a=1; s={TOKEN}"),)}, "'s'", "the cookies of request 1"),
    "a cookie that is set": (
        {"headers": (("Set-Cookie", f"sid={TOKEN}; Path=/"),)},
        "'sid'",
        "the answer to request 1",
    ),
    "what was sent": ({"sent": b"user=a%40b.example&word=x", "method": "POST"}, "e-mail", "request 1"),
}


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_named_with_its_place(name: str) -> None:
    made, what, where = SECRETS[name]
    kept = {key: made[key] for key in ("url", "text") if key in made}
    rest = {key: made[key] for key in made.keys() - kept}
    (said,) = told(got(PAGE, "<p>x", **rest), **kept)
    assert what in said
    assert where in said
    assert TOKEN not in said
    assert "hunter2" not in said


OPEN: dict[str, dict[str, str]] = {
    "a time in the address": {"url": f"{PAGE}?since=1767340800123&until=2026-01-31T08:00:00Z"},
    "words": {"url": f"{PAGE}?q=unemployment+rate+2025&page=12&date=2026-01-31"},
    "an address for letters": {"text": "Write to info@statistics.example; telephone +49 30 1234567."},
    "two addresses": {"text": "a@b.example;c@d.example"},
    "a time": {"text": "https://a.example:8080/at 12:30:00"},
    "no web token": {"text": "eyJhbGciabcdef.eyJabcd.abcdefghij"},
}


@pytest.mark.parametrize("name", OPEN)
def test_what_is_no_secret_is_not_named(name: str) -> None:
    assert told(got(PAGE, "<p>x"), **OPEN[name]) == []


def test_what_the_page_makes_up_itself_marks_nobody() -> None:
    assert told(got(PAGE, "<p>x"), got(f"{PAGE}?nonce={TOKEN}", "{}", headers=JSON)) == []


@pytest.mark.parametrize("site", sorted(SITES.glob("*.wacz")), ids=lambda path: path.stem)
def test_nothing_in_the_replicas_is_a_secret(site: Path) -> None:
    with WaczReader(site) as reader:
        assert suspicions(reader) == ()

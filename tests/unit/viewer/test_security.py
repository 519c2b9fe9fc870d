"""Who is let in to the viewer, and what its answers allow a page to do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.unit.evidence.samples import add
from verifaible.access import COOKIE, POLICY
from verifaible.commands.serving import entrance
from verifaible.config import Settings
from verifaible.net.guard import is_loopback
from verifaible.store.store import Store
from verifaible.viewer.app import create_app

HERE = "http://127.0.0.1:8731"
FOREIGN = "http://rebound.example:8731"
TOKEN = "a-token-that-nobody-guesses"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path, store=str(tmp_path / "store"))


@pytest.fixture
def citation_id(settings: Settings) -> str:
    store = Store.open(settings)
    made = add(store).id
    store.close()
    return made


@pytest.fixture
def client(settings: Settings, citation_id: str) -> Iterator[TestClient]:
    with TestClient(create_app(settings), base_url=HERE, follow_redirects=False) as opened:
        yield opened


@pytest.fixture
def guarded(settings: Settings, citation_id: str) -> Iterator[TestClient]:
    """A viewer that wants a token, under the name that readers elsewhere use."""
    app = create_app(settings, token=TOKEN)
    with TestClient(app, base_url="http://viewer.example", follow_redirects=False) as opened:
        yield opened


@pytest.mark.parametrize(
    ("host", "own"),
    [
        ("127.0.0.1", True),
        ("127.8.9.10", True),
        ("localhost", True),
        ("viewer.localhost", True),
        ("[::1]", True),
        ("::1", True),
        ("0.0.0.0", False),
        ("10.0.0.1", False),
        ("127.0.0.1.example", False),
        ("localhost.example", False),
        ("", False),
        ("2130706433", False),
    ],
)
def test_what_stands_for_this_machine_alone(host: str, own: bool) -> None:
    assert is_loopback(host) is own


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/citations",
        "/runs",
        "/static/viewer.js",
        "/login",
        "/captured/x/text",
        "/captured/x/capture.wacz",
    ],
)
def test_a_foreign_name_is_not_served(settings: Settings, citation_id: str, path: str) -> None:
    with TestClient(create_app(settings), base_url=FOREIGN) as rebound:
        answer = rebound.get(path)
        assert answer.status_code == 403
        assert "citation" not in answer.text.lower()


@pytest.mark.parametrize("base", ["http://localhost:8731", HERE, "http://[::1]:8731"])
def test_the_names_of_this_machine_are_served(settings: Settings, citation_id: str, base: str) -> None:
    with TestClient(create_app(settings), base_url=base) as near:
        assert near.get("/citations").status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
        {"origin": HERE.replace("http", "https"), "sec-fetch-site": "cross-site"},
    ],
)
@pytest.mark.parametrize("what", ["verify", "replay", "recheck", "export"])
def test_another_site_cannot_press_a_button(
    client: TestClient, citation_id: str, settings: Settings, what: str, headers: dict[str, str]
) -> None:
    answer = client.post(f"/citations/{citation_id}/{what}", headers=headers)
    assert answer.status_code == 403
    assert Store.open(settings).checks(citation_id) == ()


@pytest.mark.parametrize("headers", [{}, {"origin": HERE, "sec-fetch-site": "same-origin"}])
def test_a_page_of_the_viewer_and_a_program_can(
    client: TestClient, citation_id: str, settings: Settings, headers: dict[str, str]
) -> None:
    answer = client.post(f"/citations/{citation_id}/verify", headers=headers)
    assert (answer.status_code, answer.headers["location"]) == (303, f"/citations/{citation_id}#history")
    assert [check.kind for check in Store.open(settings).checks(citation_id)] == ["rehash"]


def test_a_button_is_not_pressed_by_reading(client: TestClient, citation_id: str) -> None:
    for what in ("verify", "replay", "recheck", "export"):
        assert client.get(f"/citations/{citation_id}/{what}").status_code == 405


# --- with a token


@pytest.mark.parametrize("path", ["/", "/citations", "/runs", "/captured/x/page.png", "/nothing"])
def test_without_the_token_nothing_is_told(guarded: TestClient, path: str) -> None:
    plain = guarded.get(path)
    assert plain.status_code == 401
    assert "Bearer TOKEN" in plain.text
    person = guarded.get(path, headers={"accept": "text/html"})
    assert (person.status_code, person.headers["location"]) == (303, "/login")


@pytest.mark.parametrize("given", ["", "x", TOKEN[:-1], TOKEN + "x", TOKEN.upper(), "Ω"])
def test_a_wrong_token_is_refused(guarded: TestClient, given: str) -> None:
    headers = {b"authorization": f"Bearer {given}".encode()}
    assert guarded.get("/citations", headers=headers).status_code == 401
    assert guarded.get("/citations", params={"token": given}).status_code == 401
    entered = guarded.post("/login", data={"token": given})
    assert (entered.status_code, COOKIE in entered.cookies) == (403, False)
    assert guarded.get("/citations", headers={b"cookie": f"{COOKIE}={given}".encode()}).status_code == 401


def test_a_program_sends_it_as_bearer(guarded: TestClient) -> None:
    assert guarded.get("/citations", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200
    assert guarded.get("/citations", headers={"authorization": f"bearer {TOKEN}"}).status_code == 200
    assert guarded.get("/citations", headers={"authorization": f"Basic {TOKEN}"}).status_code == 401


def test_the_address_gives_it_once_and_the_browser_keeps_it(guarded: TestClient) -> None:
    answer = guarded.get("/citations", params={"token": TOKEN, "q": "rate"})
    assert answer.status_code == 303
    assert answer.headers["location"].endswith("/citations?q=rate")
    kept = answer.headers["set-cookie"].lower()
    assert "httponly" in kept
    assert "samesite=lax" in kept
    assert guarded.get("/citations").status_code == 200


def test_the_form_takes_it(guarded: TestClient) -> None:
    answer = guarded.post("/login", data={"token": f" {TOKEN} "})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert guarded.get("/citations").status_code == 200


def test_a_button_needs_the_token_too(guarded: TestClient, citation_id: str) -> None:
    assert guarded.post(f"/citations/{citation_id}/verify").status_code == 401


# --- what answers allow


@pytest.mark.parametrize(
    "path", ["/", "/citations", "/runs", "/citations/{id}", "/citations/{id}/beside", "/no"]
)
def test_every_page_is_fenced(client: TestClient, citation_id: str, path: str) -> None:
    headers = client.get(path.format(id=citation_id)).headers
    policy = dict(part.strip().partition(" ")[::2] for part in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert {policy[name] for name in ("script-src", "style-src", "img-src", "frame-src", "form-action")} == {
        "'self'"
    }
    assert (policy["base-uri"], policy["frame-ancestors"]) == ("'none'", "'self'")
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cache-control"] == "no-store"


def test_a_crash_is_fenced_too(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object, **__: object) -> None:
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr(Store, "rows", crash)
    with TestClient(create_app(settings), base_url=HERE, raise_server_exceptions=False) as opened:
        answer = opened.get("/citations")
    assert answer.status_code == 500
    assert "a fault of ours" not in answer.text
    assert answer.headers["content-security-policy"] == POLICY
    assert answer.headers["cache-control"] == "no-store"


def test_a_token_does_not_stay_in_the_address(guarded: TestClient) -> None:
    guarded.post("/login", data={"token": TOKEN})
    again = guarded.get("/citations", params={"token": TOKEN, "q": "rate"})
    assert (again.status_code, again.headers["location"][-17:]) == (303, "/citations?q=rate")
    assert guarded.get("/citations", params={"token": "another"}).status_code == 200


def test_a_method_that_a_page_does_not_have(client: TestClient, citation_id: str) -> None:
    answer = client.delete(f"/citations/{citation_id}")
    assert answer.status_code == 405
    assert set(answer.headers["allow"].split(", ")) == {"GET", "HEAD"}


@pytest.mark.parametrize("token", ["a&b=c", "a#b", "a+b", "%41", "".join(map(chr, range(33, 127)))])
def test_the_printed_address_lets_in_whatever_the_token_is(settings: Settings, token: str) -> None:
    app = create_app(settings, token=token)
    with TestClient(app, base_url="http://viewer.example", follow_redirects=False) as opened:
        assert opened.get(entrance(token)).status_code == 303
        assert opened.get("/citations").status_code == 200

"""A person helps: a profile that signs in on its site alone, a pause on a block; and no capture signs anybody in."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from playwright.async_api import Page

from tests.browser.citing import Bench
from tests.browser.walls import WORDS, Asked, Wall, content, denied, served
from tests.command_line import run_command
from verifaible.browser.page.profiles import load, of_site, profile_file, save
from verifaible.browser.warm import Browser
from verifaible.cli.system import keep
from verifaible.config import Settings
from verifaible.errors import ConfigError, PageBlocked
from verifaible.evidence.replay import replay
from verifaible.net.web import Web

_SECRET = "secret-token-of-mine"


def _site(asked: Asked) -> tuple[int, str | bytes, dict[str, str]]:
    if asked.rest == "/login":
        return 200, "<h1>Sign in</h1><input type=password>", {}
    if asked.cookies.get("session") != _SECRET:
        return denied(401, body="<h1>Sign in</h1>")
    status, body, _ = content()
    assert isinstance(body, str)
    script = "document.body.append(localStorage.theme ?? 'no theme');fetch('/site/data',{headers:{authorization:'Bearer x'}})"
    return status, f"{body}<script>{script}</script>", {"set-cookie": f"session={_SECRET}; path=/"}


@dataclass
class Person:
    """Signs in in the window, and counts how often they were asked."""

    asked: list[str] = field(default_factory=list)

    async def __call__(self, page: Page, reason: str) -> None:
        self.asked.append(reason)
        await page.evaluate(
            f"() => {{ document.cookie = 'session={_SECRET}; path=/'; localStorage.theme = 'dark' }}"
        )


@pytest.fixture
def mine(settings: Settings, tmp_path: Path) -> Settings:
    return settings.model_copy(update={"home": tmp_path, "profile": "press"})


async def test_a_profile_signs_in_and_its_capture_does_not(
    mine: Settings, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browser, "_settings", mine)
    with served(walls={"site": Wall(_site)}) as url:
        path = await keep(mine, f"{url}/site/login", Person(), headed=False)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        before = path.read_bytes()
        bench = Bench(mine.home, mine, Web.live(mine), browser)
        citation = await bench.cite(f"{url}/site", quote=WORDS)
        check = await replay(citation, bench.store, browser, mine)
        assert check.verdict == "verified"
        assert citation.capture.signed_in and "signed-in session" in citation.capture.remark
        assert path.read_bytes() == before
        with bench.store.open_capture(citation) as reader:
            sealed = [reader.exchange(entry) for entry in reader.entries()]
            names = {
                name.lower() for each in sealed for name, _ in (*each.request.headers, *each.response.headers)
            }
            assert not names & {"cookie", "set-cookie", "authorization", "proxy-authorization"}
            assert _SECRET not in str([(each.request, each.response.headers) for each in sealed])
            assert json.loads(reader.read("evidence/provenance.json"))["signed_in"] is True
            assert "dark" in reader.read("evidence/text.txt").decode()


async def test_without_it_the_page_is_closed(mine: Settings, browser: Browser) -> None:
    with served(walls={"site": Wall(_site)}) as url:
        async with browser.page(Web.live(mine)) as session:
            with pytest.raises(PageBlocked, match="HTTP 401"):
                await session.open(f"{url}/site")


async def test_a_person_is_waited_for_in_mid_run(
    browser: Browser, live_web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = Person()
    monkeypatch.setattr(browser, "helper", person)
    with served(walls={"site": Wall(_site)}) as url:
        async with browser.page(live_web) as session:
            await session.open(f"{url}/site")
            assert WORDS in await session.page.inner_text("body")
            assert session.traffic.signed_in
    assert person.asked == ["The page is refused (HTTP 401)."]


async def test_what_a_person_does_in_mid_run_is_added_to_their_profile(
    mine: Settings, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browser, "_settings", mine)
    monkeypatch.setattr(browser, "helper", Person())
    cookie = {"name": "visited", "value": "1", "domain": "127.0.0.1", "path": "/"}
    save(mine, "press", {"cookies": [cookie], "origins": []})
    with served(walls={"site": Wall(_site)}) as url:
        async with browser.page(Web.live(mine)) as session:
            await session.open(f"{url}/site")
            assert WORDS in await session.page.inner_text("body")
            kept = {each["name"]: each["value"] for each in await session.context.cookies()}
    assert kept == {"visited": "1", "session": _SECRET}


async def test_a_profile_keeps_what_it_has_of_other_sites_and_gives_it_to_none(mine: Settings) -> None:
    class Guest(Person):
        async def __call__(self, page: Page, reason: str) -> None:
            had.extend(each["domain"] for each in await page.context.cookies())
            await super().__call__(page, reason)

    had: list[str] = []
    cookie = {"name": "a", "value": "1", "path": "/"}
    stale = {**cookie, "name": "session", "domain": "127.0.0.1"}
    save(mine, "press", {"cookies": [{**cookie, "domain": ".example.com"}, stale], "origins": []})
    with served(walls={"site": Wall(_site)}) as url:
        await keep(mine, f"{url}/site/login", Guest(), headed=False)
    assert set(had) == {"127.0.0.1"}
    kept = {each["domain"]: each["value"] for each in load(mine, "press")["cookies"]}
    assert kept == {".example.com": "1", "127.0.0.1": _SECRET}


@pytest.mark.nightly
def test_a_profile_is_for_its_sites(mine: Settings) -> None:
    cookie = {"name": "a", "value": "1", "path": "/"}
    state = {
        "cookies": [{**cookie, "domain": ".news.example.com"}, {**cookie, "domain": "other.org"}],
        "origins": [{"origin": "https://www.example.com", "localStorage": []}],
    }
    part = of_site(state, "https://example.com/story")
    assert [each["domain"] for each in part["cookies"]] == [".news.example.com"] and len(part["origins"]) == 1
    assert of_site(state, "https://example.net/") == {"cookies": [], "origins": []}


def test_a_profile_that_others_may_read_or_that_is_missing_is_refused(mine: Settings) -> None:
    with pytest.raises(ConfigError, match="verifaible profile press URL"):
        load(mine, "press")
    save(mine, "press", {"cookies": []})
    assert load(mine, "press") == {"cookies": []}
    profile_file(mine, "press").chmod(0o644)
    with pytest.raises(ConfigError, match="chmod 600"):
        load(mine, "press")


@pytest.mark.parametrize("command", [("cite", "--quote", "x"), ("seal",)])
@pytest.mark.parametrize("option", ["--headed", "--pause-on-block"])
def test_a_window_needs_a_screen(command: tuple[str, ...], option: str, tmp_path: Path) -> None:
    done = _run(tmp_path, command[0], "http://127.0.0.1:9/", *command[1:], option)
    assert done.returncode == 2 and "There is no screen for a browser window" in done.stderr


@pytest.mark.nightly
def test_a_profile_that_is_not_there_is_named(tmp_path: Path) -> None:
    done = _run(tmp_path, "cite", "http://example.com/", "--quote", "x", "--profile", "mine")
    assert done.returncode == 2 and "verifaible profile mine URL" in done.stderr


def _run(home: Path, *arguments: str) -> CompletedProcess[str]:
    environment = {"VERIFAIBLE_HOME": str(home), "VERIFAIBLE_ROBOTS": "never", "PATH": os.environ["PATH"]}
    return run_command(arguments, environment=environment, folder=home)

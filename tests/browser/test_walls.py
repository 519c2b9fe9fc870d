"""What stands before a page on the live web: passed as a person's browser passes it, or named for what it is."""

from __future__ import annotations

import asyncio
import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from pydantic import TypeAdapter

from tests.browser.citing import Bench
from tests.browser.screens import screen
from tests.browser.toolboxes import Caller
from tests.browser.walls import PDF, WALLS, WORDS, Answer, Asked, Wall, content, denied, served
from tests.kit.marks import nightly
from verifaible.browser.page import session as page_session
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import ToolError
from verifaible.evidence.observe import observe
from verifaible.evidence.replay import recheck, replay
from verifaible.net.web import Web
from verifaible.schema.action import ActionStep
from verifaible.schema.anchor import AnchorRequest

pytestmark = pytest.mark.asyncio(loop_scope="session")
_STEPS: TypeAdapter[tuple[ActionStep, ...]] = TypeAdapter(tuple[ActionStep, ...])


@pytest.fixture(autouse=True)
def _passing(monkeypatch: pytest.MonkeyPatch) -> None:
    """What passes within seconds where nothing else runs takes longer on a busy machine."""
    monkeypatch.setattr(page_session, "CHECK_S", 60.0)
    monkeypatch.setattr(page_session, "RESTLESS_S", 24.0)


@pytest.fixture(scope="module")
def walls() -> Iterator[str]:
    with served() as url:
        yield url


@pytest.fixture(scope="module")
def untouched() -> Iterator[str]:
    """The same walls for those who do not come through: what was asked of one counts for it alone."""
    with served() as url:
        yield url


async def reached(browser: Browser, settings: Settings, url: str, name: str) -> str:
    """The text behind a wall, or what the refusal says."""
    wall = WALLS[name]
    web = Web.live(settings.model_copy(update=dict(wall.settings)))
    request = AnchorRequest(evidence_type=wall.kind, quote=WORDS)
    async with browser.page(web) as session:
        try:
            steps = _STEPS.validate_python(list(wall.steps))
            seen = await observe(session, f"{url}/{name}", steps, request)
        except ToolError as error:
            return str(error)
    return seen.material.visible_text


#: One of each kind that is not behind the walls of the other tests: who asks (headers, a worker); and checks (one page,
#: several, elsewhere), what nobody passes and how often is asked, which the headless shell meets in the same way: a page
#: of the whole Chromium takes five times as long.
WHO_ASKS = ("agent", "worker")
OTHERS = ("check-521", "stages", "elsewhere", "login", "not-at-once")


@pytest.fixture
def tried(request: pytest.FixtureRequest) -> Browser:
    browser: Browser = request.getfixturevalue(request.param)
    return browser


@pytest.mark.parametrize(
    ("name", "tried"),
    [
        *((name, "whole_browser") if name in WHO_ASKS else nightly(name, "whole_browser") for name in WALLS),
        *((name, "browser") for name in OTHERS),
    ],
    indirect=["tried"],
)
async def test_a_wall_is_passed_or_named(walls: str, tried: Browser, settings: Settings, name: str) -> None:
    said = await reached(tried, settings, walls, name)
    named = WALLS[name].named
    assert re.search(named or WORDS, said, re.DOTALL), said
    assert named == "" or WORDS not in said


async def test_the_walls_stand(untouched: str) -> None:
    """The control: a program that says of itself that it is one, and runs no scripts, does not come through."""

    def comes_through(name: str) -> bool:
        asked = urllib.request.Request(
            f"{untouched}/{name}", headers={"user-agent": "HeadlessChrome/156.0.0.0 (a program)"}
        )
        with suppress(urllib.error.HTTPError), urllib.request.urlopen(asked) as answer:
            body = bytes(answer.read())
            return WORDS.encode() in body or body == PDF
        return False

    passed_by_others = [name for name, wall in WALLS.items() if not wall.named or wall.by_design]
    passed = {name for name in passed_by_others if await asyncio.to_thread(comes_through, name)}
    assert passed == {name for name, wall in WALLS.items() if wall.passed_by_all}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def windowed(settings: Settings) -> AsyncIterator[Browser]:
    """The reference: a Chromium with a window."""
    with screen() as display, pytest.MonkeyPatch.context() as patch:
        patch.setenv("DISPLAY", display)
        async with Browser(settings, offline=False, headed=True) as shown:
            yield shown


@pytest.mark.nightly
async def test_the_button_of_a_consent_wall_is_named(
    walls: str, whole_browser: Browser, settings: Settings
) -> None:
    tools = Caller(settings, Web.live(settings), whole_browser)
    shown = (await tools("analyze_page", url=f"{walls}/consent")).text
    assert "This is a consent page" in shown and "Accept all (#yes)" in shown
    past = await tools("analyze_page", url=f"{walls}/consent", action_steps=list(WALLS["consent"].steps))
    assert WORDS in past.text and "consent page" not in past.text


@pytest.mark.parametrize(
    ("name", "tried"),
    [nightly("check-403", "whole_browser"), ("pdf-403", "whole_browser"), ("jsonp", "browser")],
    indirect=["tried"],
)
async def test_web_fetch_reads_what_is_behind_a_check(
    walls: str, tried: Browser, settings: Settings, name: str
) -> None:
    shown = (await Caller(settings, Web.live(settings), tried)("web_fetch", url=f"{walls}/{name}")).text
    assert WORDS in shown


#: The others are controls of the walls.
WITH_A_WINDOW = "js-brands"


@pytest.mark.parametrize("name", [name if name == WITH_A_WINDOW else nightly(name) for name in WALLS])
async def test_what_passes_with_a_window_passes_without(
    untouched: str, windowed: Browser, settings: Settings, name: str
) -> None:
    said = await reached(windowed, settings, untouched, name)
    named = WALLS[name].named
    assert re.search(named or WORDS, said, re.DOTALL), said


@pytest.mark.parametrize(
    "name",
    ["check-403", "pdf-412", "german-js", *map(nightly, ("pdf-200", "elsewhere", "jsonp", "js-brands"))],
)
async def test_what_is_behind_a_wall_is_cited_and_replays(
    walls: str,
    whole_browser: Browser,
    offline_browser: Browser,
    settings: Settings,
    tmp_path: Path,
    name: str,
) -> None:
    """In the headless shell, too, which replays use: it tells the page what it was told then."""
    wall = WALLS[name]
    chosen = settings.model_copy(update=dict(wall.settings))
    bench = Bench(tmp_path, chosen, Web.live(chosen), whole_browser)
    page: dict[str, Any] = {"page_number": 1} if wall.kind == "pdf" else {}
    citation = await bench.cite(f"{walls}/{name}", evidence_type=wall.kind, quote=WORDS, **page)
    provenance = json.loads(bench.file(citation, "provenance.json"))
    assert provenance["identity"]["language"] == wall.settings.get("language", "")
    assert "Headless" not in provenance["identity"]["user_agent"]
    passed = [f"{walls}/{name} (HTTP {status})" for status in (403, 412) if name.endswith(str(status))]
    assert not passed or provenance["checks_passed"] == passed
    check = await replay(citation, bench.store, offline_browser, chosen)
    assert check.verdict == "verified", check.message


async def test_robots_is_reported_and_obeyed_by_checks_on_a_schedule(
    browser: Browser, settings: Settings, tmp_path: Path
) -> None:
    said = "User-agent: *\nDisallow: /page"
    pages = {
        "page": Wall(lambda _: content()),
        "robots.txt": Wall(lambda _: (200, said, {"content-type": "text/plain"})),
    }
    with served(walls=pages) as url:
        bench = Bench(tmp_path, settings, Web.live(settings), browser)
        citation = await bench.cite(f"{url}/page", quote=WORDS)
        told = json.loads(bench.file(citation, "provenance.json"))["robots"]
        assert told["allows"] is False
        by_hand = await recheck(citation, bench.store, browser, settings)
        by_clock = await recheck(citation, bench.store, browser, settings, scheduled=True)
        never = settings.model_copy(update={"robots": "never"})
        told_otherwise = await recheck(citation, bench.store, browser, never, scheduled=True)
    assert (by_hand.verdict, by_clock.verdict, told_otherwise.verdict) == ("verified", "blocked", "verified")


async def test_a_limit_of_requests_is_kept_by_a_delay(browser: Browser, settings: Settings) -> None:
    # the delay is between the first request and the second as they leave; how long each is on its way adds to it
    slow = settings.model_copy(update={"host_delay_s": 3.0})
    last = [0.0]

    def limited(_: Asked) -> Answer:
        now, before = time.monotonic(), last[0]
        last[0] = now
        return content() if now - before > 1.0 else denied(429)

    with served(walls={"page": Wall(limited)}) as url:
        web = Web.live(slow)
        for _ in range(2):
            async with browser.page(web) as session:
                await session.open(f"{url}/page")
        hasty = await asyncio.gather(*(asyncio.to_thread(_status, f"{url}/page") for _ in range(3)))
    assert 429 in hasty  # the control


def _status(url: str) -> int:
    try:
        with urllib.request.urlopen(url) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code

"""Three browsers of others used in turn, while one is killed and one stopped."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import async_playwright

from tests.browser.chromiums import Running, chromium, playwright_server
from tests.browser.conftest import Site
from tests.browser.egress_servers import counters
from tests.unit.bench.samples import REPOSITORY
from tests.unit.net.outward import outward
from verifaible.agent.oracle import OracleAgent
from verifaible.bench.cases.load import load_cases
from verifaible.bench.run.agents import Entrant
from verifaible.bench.run.folder import RunFolder
from verifaible.bench.run.plan import Plan
from verifaible.bench.run.runner import Runner
from verifaible.browser import fleet, reading, warm
from verifaible.browser.chromium.running import answers
from verifaible.browser.page import watched
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import ConfigError, InfrastructureError, OfflineMiss, UrlRefused
from verifaible.net.web import Web

CHOSEN = ("us_text_001", "us_table_001", "cn_text_001", "us_text_002", "cn_table_001")


@asynccontextmanager
async def started(folder: Path) -> AsyncIterator[list[Running]]:
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(chromium(folder / str(number))) for number in range(3)]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def three(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[list[Running]]:
    """Three browsers for all tests that leave them as they are."""
    async with started(tmp_path_factory.mktemp("three")) as browsers:
        yield browsers


@pytest_asyncio.fixture(loop_scope="session")
async def mortal(three: list[Running], tmp_path: Path) -> AsyncIterator[list[Running]]:
    """Three browsers: the test may kill the first and stop the others."""
    async with chromium(tmp_path / "mortal") as own:
        yield [own, *three[:2]]
    for each in three:
        each.signal(signal.SIGCONT)


def connected(home: Path, *addresses: str) -> Settings:
    return Settings(
        home=home,
        connect=addresses,
        allow_hosts=("site.localhost",),
        settle_timeout_s=10.0,
        page_timeout_s=60.0,
    )


async def given_to(browser: Browser) -> str:
    """Which of the browsers the next page is given."""
    assert browser._fleet is not None
    async with browser._fleet.one() as one:
        return one._address


async def test_one_is_killed_and_one_stopped_while_pages_are_open(
    mortal: list[Running], site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # what hangs is waited for so long, each time
    monkeypatch.setattr(watched, "SCRIPT_TIMEOUT_S", 4.0)
    monkeypatch.setattr(warm, "answers", lambda browser, within_s=3.0: answers(browser, within_s))
    monkeypatch.setattr(warm, "LET_GO_WAIT_S", 1.0)
    monkeypatch.setattr(fleet, "LONGEST_PAUSE_S", 1.0)
    url = site.html("/page", "<p>the text</p>").replace("127.0.0.1", "site.localhost")
    killed, stopped, sound = mortal
    settings = connected(tmp_path, *(each.address for each in mortal))
    ends: dict[str, str] = {}
    everyone, struck = asyncio.Barrier(4), asyncio.Event()

    async def use(browser: Browser, web: Web) -> None:
        assert browser._fleet is not None
        async with browser._fleet.one() as one:
            try:
                async with one.page(web) as session:
                    await session.open(url)
                    await everyone.wait()
                    await struck.wait()
                    ends[one._address] = (await reading.page_text(session)).text
            except InfrastructureError:
                ends[one._address] = "lost"
                raise

    async with Browser(settings, offline=False) as browser:
        web = Web.live(settings)
        async with asyncio.timeout(120):
            while len({await given_to(browser) for _ in range(3)}) < 3:  # noqa: ASYNC110 - they are being connected
                await asyncio.sleep(0.2)
        using = [asyncio.create_task(use(browser, web)) for _ in mortal]
        await asyncio.wait_for(everyone.wait(), 120)
        killed.signal(signal.SIGKILL)
        stopped.signal(signal.SIGSTOP)
        struck.set()
        await asyncio.gather(*using, return_exceptions=True)
        assert ends == {killed.address: "lost", stopped.address: "lost", sound.address: "the text"}
        for _ in range(3):
            assert await given_to(browser) == sound.address
        stopped.signal(signal.SIGCONT)
        async with asyncio.timeout(120):
            while await given_to(browser) != stopped.address:  # noqa: ASYNC110 - it is asked again
                await asyncio.sleep(0.2)
        async with browser.page(web) as session:
            await session.open(url)


async def test_one_that_is_leaving_keeps_its_page_and_then_has_nothing_of_ours(
    three: list[Running], site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fleet, "READ_AGAIN_S", 0.1)
    url = site.html("/page", "<p>the text</p>").replace("127.0.0.1", "site.localhost")
    left, *others = (each.address for each in three)
    listed = tmp_path / "browsers"
    listed.write_text(left)
    settings = connected(tmp_path, f"@{listed}")
    async with Browser(settings, offline=False) as browser:
        async with browser.page(Web.live(settings)) as session:
            await session.open(url)
            listed.write_text("\n".join([f"{left} leaving", *others]))
            async with asyncio.timeout(120):
                while await given_to(browser) == left:  # noqa: ASYNC110 - the others are being connected
                    await asyncio.sleep(0.2)
            assert left not in {await given_to(browser) for _ in range(4)}
            await session.open(url)
            assert (await reading.page_text(session)).text == "the text"
        async with asyncio.timeout(120), async_playwright() as playwright:
            seen = await playwright.chromium.connect_over_cdp(left)
            session_of_browser = await seen.new_browser_cdp_session()
            while (await session_of_browser.send("Target.getBrowserContexts"))["browserContextIds"]:  # noqa: ASYNC110 - nothing tells of it
                await asyncio.sleep(0.2)
            await seen.close()


@pytest.mark.nightly
async def test_a_run_loses_no_trial_with_a_browser(mortal: list[Running], tmp_path: Path) -> None:
    settings = Settings(
        home=REPOSITORY, store=str(tmp_path / "store"), connect=tuple(each.address for each in mortal)
    )
    cases = tuple(case for case in load_cases(REPOSITORY / "cases") if case.id in CHOSEN)
    folder = RunFolder.create(tmp_path / "runs", ("oracle",))
    events = 0

    def watch(*_: object) -> None:
        nonlocal events
        events += 1
        if events == 2:
            mortal[0].signal(signal.SIGKILL)

    plan = Plan((Entrant("oracle", OracleAgent()),), cases, concurrency=3)
    await Runner(settings, plan, folder, watch).run()
    results = folder.results()
    assert sorted(each.case for each in results) == sorted(CHOSEN)
    assert {each.verified for each in results} == {True}


async def test_offline_none_of_them_reaches_anything(
    three: list[Running], site: Site, offline_web: Web, tmp_path: Path
) -> None:
    url = site.html("/page", "<p>x</p>").replace("127.0.0.1", "site.localhost")
    settings = connected(tmp_path, *(each.address for each in three))
    async with Browser(settings, offline=True) as browser:
        seen = set()
        async with asyncio.timeout(120):
            while len(seen) < 3:
                seen.add(await given_to(browser))
                async with browser.page(offline_web) as session:
                    with pytest.raises(OfflineMiss):
                        await session.open(url)
                    await session.page.evaluate(f"new Image().src = {url!r}; navigator.sendBeacon({url!r})")
    assert site.seen == []


async def test_a_browser_of_another_machine_is_guarded_as_one_of_this(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This machine's own address in a network stands for another machine."""
    host = outward()
    url = site.html("/page", "<p>the text</p>").replace("127.0.0.1", "site.localhost")
    async with counters(1) as (closed,), playwright_server(tmp_path, host) as address:
        settings = connected(tmp_path, address)
        async with Browser(settings, offline=False) as browser, browser.page(Web.live(settings)) as session:
            await session.open(url)
            assert (await reading.page_text(session)).text == "the text"
            for target in (host, "127.0.0.1"):
                with pytest.raises(UrlRefused):
                    await session.open(f"http://{target}:{closed.port}/")
        monkeypatch.setattr(fleet, "FIRST_WAIT_S", 0.0)
        monkeypatch.setattr("verifaible.net.proxy.EgressProxy.url", f"http://{host}:9")
        async with Browser(settings, offline=False) as browser:
            with pytest.raises(ConfigError, match="does not use the proxy"):
                async with browser.page(Web.live(settings)):
                    pass
    assert closed.hits == []

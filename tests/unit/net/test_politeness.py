"""Politeness: the delay, how much at once, Retry-After; and what robots.txt says."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest
import pytest_asyncio

from tests.idle_time import idle_time
from tests.unit.net.local_site import LocalSite, local_site
from verifaible.config import Settings
from verifaible.errors import PageBlocked
from verifaible.net import politeness as politeness_of
from verifaible.net import robots as robots_txt
from verifaible.net.client import live_client
from verifaible.net.guard import UrlGuard
from verifaible.net.politeness import Politeness
from verifaible.net.robots import judge, robots_of
from verifaible.net.web import Web
from verifaible.schema.web import WebRequest


@pytest.fixture
def site() -> Iterator[LocalSite]:
    with local_site() as served:
        yield served


@pytest_asyncio.fixture
async def monotonic(monkeypatch: pytest.MonkeyPatch) -> Callable[[], float]:
    return idle_time(monkeypatch, politeness_of)


async def test_two_turns_of_a_host_lie_apart_and_those_of_two_hosts_do_not(
    monotonic: Callable[[], float],
) -> None:
    manners, began = Politeness(delay_s=0.2), monotonic()
    async with manners.turn("a.example"):
        first = monotonic() - began
    async with manners.turn("b.example"):
        other = monotonic() - began
    async with manners.turn("a.example"):
        second = monotonic() - began
    assert second - first >= 0.19 and other < second


async def test_so_many_at_once() -> None:
    manners, inside, most = Politeness(at_once=2), 0, 0
    go = asyncio.Event()

    async def ask() -> None:
        nonlocal inside, most
        async with manners.turn("a.example"):
            inside += 1
            most = max(most, inside)
            await go.wait()
            inside -= 1

    asking = [asyncio.create_task(ask()) for _ in range(5)]
    for _ in range(20):
        await asyncio.sleep(0)
    go.set()
    await asyncio.gather(*asking)
    assert most == 2


async def test_a_host_that_wants_to_be_left_alone_is() -> None:
    manners = Politeness()
    assert await manners.heed("a.example", 429, "3600") == 3600
    assert await manners.heed("b.example", 200, "3600") is None
    with pytest.raises(PageBlocked, match=r"a\.example has asked to be left alone"):
        async with manners.turn("a.example"):
            pass
    async with manners.turn("b.example"):
        pass


async def test_the_client_keeps_retry_after(site: LocalSite) -> None:
    site.give("/busy", 503, b"later", Retry_After="600")
    async with live_client(Settings(), UrlGuard(["127.0.0.1"])) as client:
        assert (await client.fetch(WebRequest(f"{site.url}/busy"))).answer.response.status == 503
        with pytest.raises(PageBlocked, match="left alone"):
            await client.fetch(WebRequest(f"{site.url}/other"))
    assert site.seen == ["GET /busy"]


@pytest.mark.usefixtures("monotonic")
async def test_who_waits_no_more_is_passed_over_and_those_who_wait_go_in_turn() -> None:
    manners, came = Politeness(at_once=1), []

    async def ask(name: str) -> None:
        async with manners.turn("a.example"):
            came.append(name)

    async with manners.turn("a.example"):
        asking = [asyncio.create_task(ask(name)) for name in "abcd"]
        await asyncio.sleep(0.01)
        asking[1].cancel()
    await asyncio.gather(*asking, return_exceptions=True)
    assert came == ["a", "c", "d"]


_ROBOTS = """
# for all
User-agent: *
Disallow: /private
Allow: /private/open
Disallow: /*.pdf$
Disallow: /search?

User-agent: other
User-agent: Verifaible-Not
Disallow: /
"""


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/", True),
        ("/private", False),
        ("/private/x", False),
        ("/private/open/x", True),
        ("/a.pdf", False),
        ("/a.pdf?x", True),
        ("/search?q=1", False),
        ("/search", True),
        ("/%70rivate", False),
    ],
)
def test_the_longest_rule_decides(path: str, allowed: bool) -> None:
    assert judge(_ROBOTS, f"https://site.example{path}") is allowed


def test_a_group_of_our_own_goes_before_that_for_all() -> None:
    ours = f"{_ROBOTS}\nUser-agent: verifaible\nDisallow: /news"
    assert judge(ours, "https://site.example/private")
    assert not judge(ours, "https://site.example/news/1")


async def test_robots_is_read_and_reported(site: LocalSite) -> None:
    site.give("/robots.txt", body=b"User-agent: *\nDisallow: /closed", Content_Type="text/plain")
    web = Web.live(Settings(allow_hosts=("127.0.0.1",)))
    robots = await robots_of(f"{site.url}/closed/page", web)
    assert robots is not None
    told = robots.as_json()
    assert datetime.now(UTC) - datetime.fromisoformat(str(told.pop("read_at"))) < timedelta(minutes=1)
    assert told == {
        "url": f"{site.url}/robots.txt",
        "status": 200,
        "allows": False,
    }
    with pytest.raises(PageBlocked, match="VERIFAIBLE_ROBOTS=never"):
        robots.require(f"{site.url}/closed/page")
    never = Web.live(Settings(allow_hosts=("127.0.0.1",), robots="never"))
    assert await robots_of(f"{site.url}/closed/page", never) is None


@pytest.mark.parametrize(("status", "asked"), [(200, 1), (404, 1), (500, 3)])
async def test_a_site_is_asked_once_a_web_and_day(
    site: LocalSite, status: int, asked: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.give("/robots.txt", status, b"User-agent: *\nDisallow: /closed", Content_Type="text/plain")
    web = Web.live(Settings(allow_hosts=("127.0.0.1",)))
    pages = (f"{site.url}/closed", f"{site.url}/open", f"{site.url}/closed/more")
    # at once, and by whoever speaks another language
    found = await asyncio.gather(
        *(robots_of(url, web.speaking(tag)) for url, tag in zip(pages, ("", "de", "zh"), strict=True))
    )
    assert [each.allows for each in found if each] == ([False, True, False] if status == 200 else [True] * 3)
    assert site.seen == ["GET /robots.txt"] * asked
    monkeypatch.setattr(robots_txt, "KEPT", timedelta(0))
    await robots_of(pages[0], web)
    assert len(site.seen) == asked + 1


@pytest.mark.parametrize("status", [404, 403, 500])
async def test_a_site_without_the_file_allows_all(site: LocalSite, status: int) -> None:
    site.give("/robots.txt", status, b"", Content_Type="text/plain")
    robots = await robots_of(f"{site.url}/a", Web.live(Settings(allow_hosts=("127.0.0.1",))))
    assert robots is not None and (robots.allows, robots.status) == (True, status)
